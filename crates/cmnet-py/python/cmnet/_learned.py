"""What learning and cross-validation give."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _cmnet
from ._errors import QuestionError
from ._ensemble import Ensemble
from ._mixture import Mixture
from ._model import Model

if TYPE_CHECKING:
    import pandas
else:
    from ._optional import Later

    pandas = Later("pandas")

Stop = Literal["converged", "interrupted", "time-limit"]
"""Why a search ended."""

_LEARNED = ("kappa", "edges", "context_elements", "log_mpl", "score", "parameters", "log_likelihood", "bic")
_VALIDATED = ("method", "sbic", "predictive", "edges", "parameters")
_SUPPORTED = ("edge", "context", "support", "low", "high", "holds", "verdict")
_DRAWN = ("edge", "context", "probability", "error", "low", "high", "r_hat", "effective", "bayes_factor")
"""The columns that are shown of what was learned, cross-validated and resampled."""


class Scores(Sequence["dict[str, Any]"]):
    """A table of numbers, one row (a dict) per model or method."""

    def __init__(self, rows: list[dict[str, Any]], chosen: int | None = None, shown: Sequence[str] = _LEARNED) -> None:
        self._rows = rows
        self._chosen = chosen
        self._shown = shown

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scores) and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    @property
    def columns(self) -> list[str]:
        """The names of the numbers."""
        return list(self._rows[0]) if self._rows else []

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame."""
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = [name for name in self._shown if name in self.columns] or self.columns
        return names, [[_number(row[name]) for name in names] for row in self._rows]

    def __repr__(self) -> str:
        names, cells = self._cells()
        table = [names, *cells]
        widths = [max(len(row[place]) for row in table) for place in range(len(names))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in table]
        marks = ["  ", *("* " if place == self._chosen else "  " for place in range(len(cells)))]
        return "\n".join(mark + line for mark, line in zip(marks, lines))

    def _repr_html_(self) -> str:
        names, cells = self._cells()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = ""
        for place, row in enumerate(cells):
            strong = ("<b>", "</b>") if place == self._chosen else ("", "")
            body += "<tr>" + "".join(f"<td>{strong[0]}{html.escape(cell)}{strong[1]}</td>" for cell in row) + "</tr>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


class Learned:
    """The structures learned from one table, one per kappa, and the one that was chosen."""

    def __init__(self, facts: dict[str, Any], models: list[_cmnet.Model], warnings: list[str]) -> None:
        self.models: list[Model] = [Model._of(model) for model in models]
        """One model per kappa, in the order asked for; fewer when the search was ended early
        or kappas were passed over."""
        self.selected_index: int | None = facts["selected"]
        """The chosen model's place, or None where nothing was to be chosen."""
        self.scores = Scores(facts["scores"], facts["selected"])
        """One row per model: kappa, edges, context elements, scores, parameters, BIC, ..."""
        self.search: Literal["paper", "blanket", "exact", "imputation", "sgm"] = facts["search"]
        """The search mode that was used."""
        self.search_reason: str = facts["search_reason"]
        """Why that one."""
        self.stop: Stop = facts["stop"]
        """Why the search ended: ``converged``, ``interrupted`` or ``time-limit``."""
        self.ties: int = facts["ties"]
        """Choices among exactly equal moves; 0 proves that none was arbitrary."""
        self.criterion: Literal["bic", "pseudo-bic", "heldout"] | None = facts["criterion"]
        """What the choice went by: ``bic``, ``pseudo-bic`` or ``heldout``."""
        self.by_rows: dict[str, Any] | None = facts.get("by_rows")
        """What was tried on rows that were held out, and how well it predicted them. Where the time limit or
        an interruption cut the folds, ``cut`` says how many were ``finished`` and of how many: then held-out rows
        chose no kappa, and ``criterion`` says what did."""
        self.contexts_chosen: list[dict[str, Any] | None] | None = facts.get("contexts_chosen")
        """With ``contexts="auto"``: for each model what was ``kept`` (``all`` or ``confirmed``), the ``criterion``, and
        the ``bic`` and ``log_prior`` of both; None for ``kappa="eps"``, which has no contexts."""
        self.imputation: dict[str, Any] | None = facts.get("imputation")
        """What was missing, the rounds of drawing and searching, and how far the completed tables agree
        on each edge and context element; None where nothing was missing."""
        self.groups: dict[str, Any] | None = facts.get("groups")
        """How pairs of variables differ between groups (see `cmnet.compare_groups`); None without ``group``, and
        where learning or the comparison was ended too early."""
        self.limited: list[str] = facts["limited"]
        """Variables whose blanket a limit kept from growing."""
        self.passed_over: list[str] = facts["passed_over"]
        """Kappas that mode ``auto`` did not search for, since BIC had fallen before them."""
        self.warnings: list[str] = warnings
        """What an owner of the table should know."""
        self.mixture: Mixture | None = facts.get("_mixture")
        """The mixture, where components were asked for: ``models`` are then the networks of its classes."""
        self.classes: dict[str, Any] | None = facts.get("mixture")
        """Shares, log-likelihood, BIC and the numbers of classes that were tried."""

    @property
    def selected(self) -> Model:
        """The chosen model; the only one, where there is one.

        Where nothing was chosen among several, ``selected_index`` is None, and this raises a
        `cmnet.QuestionError`.
        """
        if self.selected_index is None:
            found = len(self.models)
            error = QuestionError(f"none of {found} models was chosen; ask for select=\"bic\", or take one of models")
            error.hint = "take one of models"
            raise error
        return self.models[self.selected_index]

    def to_dataframe(self) -> pandas.DataFrame:
        """The scores as a pandas data frame."""
        return self.scores.to_dataframe()

    def __repr__(self) -> str:
        head = f"Learned({len(self.models)} models, search {self.search}, {self.stop})"
        return f"{head}\n{self.scores!r}" if self.models else head

    def _repr_html_(self) -> str:
        shown = "" if self.selected_index is None else self.selected._repr_html_()
        return self.scores._repr_html_() + shown

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Learned) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class CrossValidation:
    """Means over folds: one row for the choice by BIC (CMN) and one per kappa."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.rows = Scores(facts["rows"], shown=_VALIDATED)
        """Per method: sbic, predictive, edges, parameters, and their spread over folds."""
        self.folds: int = facts["folds"]
        """The number of folds."""
        self.finished: int = facts["finished"]
        """Folds that were finished; the means are over these."""
        self.seed: int | None = facts["seed"]
        """The seed of the shuffle, if there was one."""
        self.fold_column: str | None = facts["fold_column"]
        """The column that named the folds, if there was one."""
        self.exact: bool = facts["exact"]
        """Whether all probabilities are exact; else ``predictive`` is of the pseudo-likelihood."""
        self.stop: Stop = facts["stop"]
        """Why it ended."""

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with one row per method."""
        return self.rows.to_dataframe()

    def _head(self) -> str:
        by = f"seed {self.seed}" if self.fold_column is None else f"by column {self.fold_column}"
        return f"CrossValidation({self.finished} of {self.folds} folds, {by}, {self.stop})"

    def __repr__(self) -> str:
        return f"{self._head()}\n{self.rows!r}" if self.rows else self._head()

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._head())}</p>{self.rows._repr_html_()}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CrossValidation) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class Exact:
    """The structure with the highest score, and what is proven about all others."""

    def __init__(self, facts: dict[str, Any], model: _cmnet.Model) -> None:
        self.model = Model._of(model)
        """The best structure found, fitted."""
        self.proven: bool = facts["proven"]
        """Whether no structure has a higher score."""
        self.score: float = facts["score"]
        """Its score: log marginal pseudo-likelihood and log prior."""
        self.bound: float = facts["bound"]
        """What no structure exceeds; the score where it is proven."""
        self.greedy_score: float = facts["greedy_score"]
        """The score that the greedy search of the paper reached."""
        self.greedy_gap: float = facts["greedy_gap"]
        """How far the greedy search was below."""
        self.kappa: str = facts["kappa"]
        """The weight of the context prior."""
        self.branches: int = facts["branches"]
        """Branches that were examined."""
        self.stop: Stop = facts["stop"]
        """Why it ended."""

    def __repr__(self) -> str:
        sure = "proven" if self.proven else f"at most {self.bound:.6f}, {self.stop}"
        gap = "the same" if self.greedy_gap == 0 else f"lower by {self.greedy_gap:.6f}"
        return f"Exact(score {self.score:.6f}, {sure}; greedy search {gap}; {self.model!r})"


class _EdgesAndContexts:
    """What edges and contexts have in common where each has a line of numbers."""

    edges: Scores
    contexts: Scores

    def _head(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        tables = [repr(rows) for rows in (self.edges, self.contexts) if len(rows)]
        return "\n".join([self._head(), *tables])

    def _repr_html_(self) -> str:
        tables = "".join(rows._repr_html_() for rows in (self.edges, self.contexts) if len(rows))
        return f"<p>{html.escape(self._head())}</p>{tables}"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class Bootstrap(_EdgesAndContexts):
    """How often each edge and each context came back in resamples of the table."""

    def __init__(
        self,
        facts: dict[str, Any],
        consensus: _cmnet.Model | None,
        plot: str,
        ensemble: _cmnet.Ensemble | None = None,
    ) -> None:
        self._plot = plot
        self.ensemble: Ensemble | None = None if ensemble is None else Ensemble._of(ensemble)
        """The networks of the replicates, each fitted to its own resample; None without
        ``ensemble=True``, or where the work ended before one was fitted."""
        self.stability: dict[str, Any] | None = facts["stability"]
        """What is found again when rows are dropped: ``points`` with the F1 of edges and contexts
        against the whole table, and the ``coefficient``, the largest share that can be dropped so
        that 95 % of the structures have edges that agree by 0.7. None without ``drop_rows``."""
        self.edges = Scores([_supported(row) for row in facts["edges"]], shown=_SUPPORTED)
        """One row per edge that some replicate has: its ends, support, count, standard error,
        interval (``low`` to ``high``) and verdict. All other pairs have support 0."""
        self.contexts = Scores([_supported(row) for row in facts["contexts"]], shown=_SUPPORTED)
        """One row per configuration in which some replicate cuts an edge off: besides, ``given``
        (the common neighbours), ``element`` (their levels) and ``holds``, the share of
        replicates in which the edge is there and holds."""
        self.consensus: Model | None = None if consensus is None else Model._of(consensus)
        """What enough replicates agree on, fitted; None where no replicate was finished."""
        self.replicates: int = facts["replicates"]
        """Replicates that were finished; everything here is over these."""
        self.asked: int = facts["asked"]
        """Replicates that were asked for."""
        self.seed: int = facts["seed"]
        """What determined the draws."""
        self.resample: str = facts["resample"]
        """How the resamples were drawn."""
        self.share: float = facts["share"]
        """Their rows as a share of those of the table."""
        self.start: str = facts["start"]
        """Where their searches started."""
        self.kappa_choice: str = facts["kappa_choice"]
        """How their kappas were chosen."""
        self.settled: bool = facts["settled"]
        """Whether it ended before all replicates because the answer was settled."""
        self.bounded: int = facts["bounded"]
        """Replicates whose search ended at the bound of its work."""
        self.threshold: float = facts["threshold"]
        """The support from which on something is in the consensus."""
        self.kappas: dict[str, int] = {row["kappa"]: row["chosen"] for row in facts["kappas"]}
        """How often each kappa was chosen."""
        self.unclosed: int = facts["unclosed"]
        """Replicates whose structure was too large for its closure."""
        self.stop: Stop = facts["stop"]
        """Why it ended."""

    def to_dataframe(self) -> pandas.DataFrame:
        """The supports of edges and contexts as one pandas data frame: rows without a ``context``
        are edges."""
        import pandas

        rows = [{**row, "context": row.get("context", "")} for row in (*self.edges, *self.contexts)]
        columns = ["edge", "context", "support", "count", "error", "low", "high", "holds", "verdict"]
        return pandas.DataFrame(rows, columns=columns)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Writes a picture of the supports with their intervals: an SVG file."""
        Path(path).write_text(self._plot, encoding="utf-8")

    def _head(self) -> str:
        return f"Bootstrap({self.replicates} of {self.asked} replicates, seed {self.seed}, {self.stop})"


class Posterior(_EdgesAndContexts):
    """How probable each edge and each context is, by draws from the posterior of structures."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.edges = Scores([_drawn(row) for row in facts["edges"]], shown=_DRAWN)
        """One row per edge that some draw has: its probability and Monte Carlo error (None where the
        chains have not mixed), the range over the chains (``low`` to ``high``), R-hat, effective draws
        and the Bayes factor for the edge. ``beyond`` says that all draws agree, so that the factor is
        further from 1 than that. All other pairs were in no draw."""
        self.contexts = Scores([_drawn(row) for row in facts["contexts"]], shown=_DRAWN)
        """The same of context elements. ``setting`` is the probability that the edge has just these
        common neighbours; the Bayes factor is for the element given that."""
        self.best: dict[str, Any] = facts["best"]
        """The most probable structure that was met: ``edges`` and ``contexts``."""
        self.mixed: bool = facts["mixed"]
        """Whether the chains mixed for every edge."""
        self.sweeps: int = facts["sweeps"]
        """Sweeps of each chain that were used."""
        self.draws: int = facts["draws"]
        """Draws of all chains together."""
        self.kappa: str = facts["kappa"]
        self.exponent: float = facts["exponent"]
        self.seed: int = facts["seed"]
        self.stop: Stop = facts["stop"]
        """Why it ended."""

    def to_dataframe(self) -> pandas.DataFrame:
        """Edges and contexts as one pandas data frame: rows without a ``context`` are edges."""
        import pandas

        rows = [{**row, "context": row.get("context", "")} for row in (*self.edges, *self.contexts)]
        columns = ["edge", "context", *(name for name in _DRAWN if name not in ("edge", "context")), "beyond", "mixed"]
        return pandas.DataFrame(rows, columns=columns)

    def _head(self) -> str:
        mixed = "mixed" if self.mixed else "not mixed"
        return f"Posterior({self.draws} draws, kappa {self.kappa}, exponent {self.exponent}, {mixed}, {self.stop})"


def _drawn(row: dict[str, Any]) -> dict[str, Any]:
    """A row of probabilities with the ends of its range, and its context as one text."""
    return _supported({**{name: value for name, value in row.items() if name != "range"}, "interval": row["range"]})


def _supported(row: dict[str, Any]) -> dict[str, Any]:
    """A row of supports with the ends of its interval, and its context as one text."""
    low, high = row["interval"]
    rest = {name: value for name, value in row.items() if name not in ("edge", "interval")}
    ends: dict[str, Any] = {"edge": " - ".join(row["edge"])}
    if "given" in row:
        ends["context"] = ", ".join(f"{name}={level}" for name, level in zip(row["given"], row["element"]))
    return {**ends, **rest, "low": low, "high": high}
