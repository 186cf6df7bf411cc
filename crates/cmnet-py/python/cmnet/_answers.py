"""Answers: plain mappings and numbers with the names they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas
else:
    from ._optional import Later

    pandas = Later("pandas")


class Marginals(dict[str, "dict[str, float]"]):
    """The distribution of each target: ``answer["pressure"]["high"]`` is a probability."""

    method: str
    """``exact``, ``gibbs`` or ``bp``."""
    reason: str
    """Why that method."""
    log_evidence: float | None
    """The log-probability of what was given, where the method knows it."""
    cut_edges: list[tuple[str, str]]
    """Edges that the evidence cuts."""
    approximation: dict[str, Any] | None
    """What is known about the error of a method that is not exact."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer["marginals"])
        self.method = answer["method"]
        self.reason = answer["reason"]
        self.log_evidence = answer["log_evidence"]
        self.cut_edges = [(one, other) for one, other in answer["cut_edges"]]
        self.approximation = answer["approximation"]

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with columns variable, level and probability."""
        import pandas

        rows = [(name, level, p) for name, levels in self.items() for level, p in levels.items()]
        return pandas.DataFrame(rows, columns=["variable", "level", "probability"])


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that is not taken: with as many underscores added as that takes."""
    while name in taken:
        name += "_"
    return name


class Joint(Mapping["tuple[str, ...]", float]):
    """A joint distribution: ``joint["yes", "high"]`` is a probability; ``variables`` says of what."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.variables: list[str] = facts["variables"]
        self.method: str = facts["method"]
        self.reason: str = facts["reason"]
        self.approximation: dict[str, Any] | None = facts["approximation"]
        self._cells: dict[tuple[str, ...], float] = {
            tuple(cell["levels"]): cell["probability"] for cell in facts["cells"]
        }

    def __getitem__(self, labels: tuple[str, ...] | str) -> float:
        return self._cells[(labels,) if isinstance(labels, str) else tuple(labels)]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __repr__(self) -> str:
        return f"Joint({', '.join(self.variables)}: {len(self)} cells)"

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with a column per variable and, last, one of probabilities: it is
        named ``probability``, with ``_`` added where a variable has that name."""
        import pandas

        rows = [(*labels, p) for labels, p in self.items()]
        return pandas.DataFrame(rows, columns=[*self.variables, _free("probability", self.variables)])


class Completion(dict[str, str]):
    """The most probable levels together, by name.

    ``log_probability`` is given the evidence, ``None`` where no tree fits; ``proven`` says
    whether nothing can be more probable, ``gap`` how much larger the log weight of other levels
    may be (``None`` where no bound is known), ``method`` and ``reason`` how the levels were found.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        super().__init__(facts["map"])
        self.log_probability: float | None = facts["log_probability"]
        self.log_weight: float | None = facts["log_weight"]
        self.proven: bool = facts["proven"]
        self.gap: float | None = facts["gap"]
        self.method: str = facts["method"]
        self.reason: str = facts["reason"]


class Evaluation(NamedTuple):
    """What a fitted model says of a table; log-likelihoods are means per row, natural logs.

    Where values are missing, the log-likelihood is that of the known values, there is no
    pseudo-log-likelihood, and ``missing_share`` is the share of all values that is missing.
    """

    rows: int
    log_likelihood: float | None
    pseudo_log_likelihood: float | None
    parameters: int | None
    bic: float | None
    sbic: float | None
    incomplete_rows: int | None = None
    missing_share: float | None = None
    alone: dict[str, Any] | None = None
    """Of an ensemble, which has no parameters of its own: the log-likelihood by each network alone, as
    ``mean``, ``deviation``, ``error`` and ``range``."""


class Explanation(dict[str, Any]):
    """What a model says given evidence: blankets, contexts, cut edges, strengths, groups.

    The keys are those of ``cmnet explain --format json``, but for ``format``.
    """

    def __str__(self) -> str:
        lines = [f"{context['sentence']}." for context in self["contexts"]]
        lines += [f"The edge {one} - {other} is cut." for one, other in self["cut_edges"]]
        for strength in sorted(self["edges"], key=lambda edge: -(edge["information"] or 0.0)):
            one, other = strength["edge"]
            known = strength["information"]
            lines.append(f"{one} - {other}: " + ("?" if known is None else f"{known:.6f} nats"))
        groups = [" ".join(group) for group in self["independent_groups"]]
        lines.append("Independent of each other: " + "; ".join(groups) if len(groups) > 1 else "All hang together.")
        return "\n".join(lines)


class Independence(dict[str, Any]):
    """Whether variables are independent of others, and why; true when they are.

    The keys are those of ``cmnet independent --format json``, but for ``format``.
    """

    def __bool__(self) -> bool:
        return bool(self["independent"])

    def __str__(self) -> str:
        if self["reason"] == "graph":
            return "Independent: in the graph no path leads past what is given."
        if self["reason"] == "path":
            path = self["path"]
            return "Not independent: " + " - ".join(path["variables"]) + f" is open{_when(path['given'])}."
        lines = []
        for case in self["cases"]:
            cut = ", ".join(f"{one} - {other}" for one, other in case["cut_edges"]) or "nothing"
            lines.append(f"Independent{_when(case['given'])}: contexts cut {cut}.")
        if self["cases_left_out"]:
            lines.append(f"{self['cases_left_out']} more cases.")
        return "\n".join(lines)


def _when(levels: dict[str, Any]) -> str:
    """The values that make a case, in words."""
    return " when " + ", ".join(f"{name} = {level}" for name, level in levels.items()) if levels else ""


class Intervals(dict[str, Any]):
    """Standard errors and 95 % intervals of a model's numbers.

    The keys are those of ``intervals`` in ``cmnet explain --intervals --format json``: ``edges``
    with strengths and log odds ratios, and ``terms``. ``error`` and ``interval`` are None where
    the data do not bound the number.
    """

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with one row per log odds ratio: edge, configuration of the common
        neighbours, levels, value, error, low, high, and whether the edge is cut off there."""
        import pandas

        rows = []
        for known in self["edges"]:
            for effect in known["effects"] or []:
                for ratio in effect["log_odds_ratios"]:
                    low, high = ratio["interval"] or (None, None)
                    numbers = (ratio["value"], ratio["error"], low, high)
                    rows.append((*known["edge"], effect["given"], *ratio["levels"], *numbers, effect["cut"]))
        columns = ["one", "other", "given", "level_one", "level_other", "log_odds_ratio", "error", "low", "high", "cut"]
        return pandas.DataFrame(rows, columns=columns)


class ProbabilityIntervals(dict[str, Any]):
    """Distributions with standard errors and 95 % intervals:
    ``answer["pressure"]["high"]["interval"]`` has the ends of one."""

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with columns variable, level, probability, error, low and high."""
        import pandas

        rows = []
        for name, levels in self.items():
            for level, known in levels.items():
                low, high = known["interval"] or (None, None)
                rows.append((name, level, known["value"], known["error"], low, high))
        return pandas.DataFrame(rows, columns=["variable", "level", "probability", "error", "low", "high"])


class Comparison(dict[str, Any]):
    """What one model has and another has not; the keys of ``cmnet compare --format json``."""

    @property
    def same_model(self) -> bool:
        """Whether both structures are one model."""
        return bool(self["same_model"])


class Prediction:
    """Probabilities of one variable's levels, row by row.

    ``probabilities`` has a row per row and a column per level, in the order of ``levels``; as
    an array (``numpy.asarray``) it is that matrix.
    """

    def __init__(
        self,
        target: str,
        levels: list[str],
        probabilities: np.ndarray[Any, np.dtype[np.float64]],
        best: np.ndarray[Any, np.dtype[np.int32]],
        truth: np.ndarray[Any, np.dtype[np.int32]],
        weights: np.ndarray[Any, np.dtype[np.uint64]],
    ) -> None:
        self.target = target
        self.levels = levels
        self.probabilities = probabilities
        self._best = best
        self._truth = truth
        self._weights = weights

    @property
    def predicted(self) -> list[str]:
        """The most probable level of each row, the first among equals."""
        return [self.levels[level] for level in self._best]

    @property
    def accuracy(self) -> float | None:
        """The share of rows, by weight, predicted right among those whose level is known."""
        known, weights = self._known()
        return float(np.average(self._best[known] == self._truth[known], weights=weights)) if weights.any() else None

    @property
    def log_loss(self) -> float | None:
        """The mean, by weight, of minus the log-probability of the true levels that are known."""
        known, weights = self._known()
        if not weights.any():
            return None
        return float(-np.average(np.log(self.probabilities[known, self._truth[known]]), weights=weights))

    def _known(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Where the true level is known, and the weights of those rows."""
        known = self._truth >= 0
        return known, self._weights[known].astype(np.float64)

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with a column per level and the predicted level last: it is named
        ``predicted``, with ``_`` added where a level has that name."""
        import pandas

        frame = pandas.DataFrame(self.probabilities, columns=self.levels)
        frame[_free("predicted", self.levels)] = pandas.Categorical.from_codes(self._best, categories=self.levels, ordered=True)
        return frame

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.probabilities if dtype is None else self.probabilities.astype(dtype)
        return array.copy() if copy else array

    def __len__(self) -> int:
        return len(self._best)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prediction):
            return NotImplemented
        same = (self.target, self.levels) == (other.target, other.levels)
        pairs = zip(self._arrays(), other._arrays())
        return same and all(np.array_equal(one, another) for one, another in pairs)

    __hash__ = None  # type: ignore[assignment]

    def _arrays(self) -> tuple[np.ndarray[Any, Any], ...]:
        return (self.probabilities, self._best, self._truth, self._weights)

    def __repr__(self) -> str:
        known = "" if self.accuracy is None else f", accuracy {self.accuracy:.4f}"
        return f"Prediction({self.target}: {len(self)} rows, levels {', '.join(self.levels)}{known})"
