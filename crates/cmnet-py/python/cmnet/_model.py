"""Models: structure, parameters, questions."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _cmnet, _interop, _keywords, _options
from ._answers import Comparison, Evaluation, Intervals, Prediction, ProbabilityIntervals
from ._keywords import Amount, keywords_of
from ._progress import Progress, progress_bar
from ._questions import Questions, of_each_row
from ._source import source
from ._variables import Variables
from ._weighted import WeightedTable, alone

if TYPE_CHECKING:
    import networkx
    import pandas

    from typing_extensions import Unpack

    from ._keywords import EachRow, FitReading, Reading, RowAsking, Validating
else:
    from ._optional import Later

    networkx, pandas = Later("networkx"), Later("pandas")

Floats = np.ndarray[Any, np.dtype[np.float64]]

# Variables and characters up to which a notebook shows the page of a model.
_MOST_SHOWN = 300
_MOST_PAGE = 1_000_000


class Context(NamedTuple):
    """When an edge does not count: for these levels of its ends' common neighbours."""

    edge: tuple[str, str]
    given: list[str]
    elements: list[tuple[str, ...]]
    sentence: str


def _context(context: Any) -> dict[str, Any]:
    """A context as a model file has it."""
    if not isinstance(context, Sequence) or len(context) < 3:
        expected = "an edge, its ends' common neighbours, and the elements for each"
        raise _cmnet.refuse_option("contexts", _options.shown(context), expected)
    edge, given, elements = context[:3]
    return {
        "edge": _options.names("contexts", edge),
        "given": _options.names("contexts", given),
        "elements": [_options.levels("contexts", each) for each in _options.items("contexts", elements)],
    }


class Model(Variables, Questions):
    """A contextual Markov network: a graph, contexts on its edges, and parameters if fitted.

    Models come from `cmnet.learn`, `cmnet.load` or `Model.from_structure`. They never change;
    `fit` gives a new one.
    """

    _model: _cmnet.Model

    def __init__(self) -> None:
        raise TypeError("models come from cmnet.learn, cmnet.load and Model.from_structure")

    @classmethod
    def _of(cls, model: _cmnet.Model) -> Model:
        made = cls.__new__(cls)
        made._model = model
        return made

    # Where models come from and go to

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads and checks a model file."""
        return cls._of(_cmnet.Model.load(_options.path(path)))

    @classmethod
    def from_text(cls, text: str, name: str = "the model") -> Model:
        """Reads and checks the text of a model file; ``name`` stands for it in complaints."""
        return cls._of(_cmnet.Model.from_text(_options.text("text", text), _options.text("name", name)))

    @classmethod
    def from_structure(
        cls,
        levels: Mapping[str, Sequence[Any]],
        edges: Sequence[tuple[str, str]] = (),
        contexts: Sequence[tuple[tuple[str, str], Sequence[str], Sequence[Sequence[Any]]]] = (),
    ) -> Model:
        """A structure written by hand, without parameters.

        ``levels`` has the levels of each variable; ``contexts`` have an edge, all common
        neighbours of its ends in column order, and the levels of those for which it is cut.
        """
        if not isinstance(levels, Mapping):
            raise _cmnet.refuse_option("levels", type(levels).__name__, "a mapping of names to levels")
        document = {
            "format": "cmnet-model/1",
            "variables": [
                {"name": _options.name("levels", name), "levels": _options.levels("levels", own)}
                for name, own in levels.items()
            ],
            "edges": [_options.names("edges", edge) for edge in _options.items("edges", edges)],
            "contexts": [_context(context) for context in _options.items("contexts", contexts)],
        }
        return cls.from_text(json.dumps(document), "the structure")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file: the same bytes as from the command line."""
        self._model.save(_options.path(path))

    def to_text(self) -> str:
        """The text of the model file."""
        return self._model.text()

    # What it is

    def _variables(self) -> list[tuple[str, list[str]]]:
        return self._model.levels

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The edges, in column order."""
        return self._model.edges

    @property
    def contexts(self) -> list[Context]:
        """The contexts, in the order of their edges."""
        return [Context(edge, given, [*map(tuple, cells)], text) for edge, given, cells, text in self._model.contexts]

    def markov_blanket(self, variable: str) -> list[str]:
        """The variables that separate one from all others: its neighbours."""
        return self._model.markov_blanket(_options.name("variable", variable))

    @property
    def learned(self) -> dict[str, Any] | None:
        """Where the structure comes from: rows, digest, what real weights were, kappa, alpha, edge prior,
        search, stop, scores."""
        learned: dict[str, Any] | None = self._model.facts()["learned"]
        return learned

    @property
    def fitted(self) -> dict[str, Any] | None:
        """How the parameters were estimated, or None: method, status, parameters, BIC, ..."""
        fitted: dict[str, Any] | None = self._model.facts()["fit"]
        return fitted

    @property
    def kappa(self) -> str | None:
        """The weight of the context prior that the structure was learned with."""
        return self.learned["kappa"] if self.learned else None

    @property
    def bic(self) -> float | None:
        """The Bayesian information criterion on the table it was fitted to (higher is better).

        Where ``fitted["log_likelihood"]`` is None, as after a fit by pseudo-likelihood, it is
        the pseudo-BIC: with the pseudo-likelihood in place of the likelihood, and not to be
        compared with a BIC.
        """
        return self.fitted["bic"] if self.fitted else None

    # Parameters and rows

    @keywords_of(_options.fitting, _options.reading)
    def fit(self, table: Any, *, names: Sequence[str] | None = None, **options: Unpack[FitReading]) -> Model:
        """The same structure with parameters estimated from a table.

        ``method`` is ``"exact"`` (maximum likelihood), ``"pseudo"`` (maximum
        pseudo-likelihood) or ``"auto"``: exact when the junction tree fits ``memory``.
        ``order`` is the most variables of a log-linear term, or ``"full"``. ``ridge`` draws
        interactions towards zero: a strength, or one for each order from 2 on.
        Pseudo-counts that sum to ``smoothing`` keep probabilities positive; 0 gives the bare
        estimate (where that lies at infinity, the end of the way at
        pseudo-counts of 1e-7 for each row). The other options are those of `cmnet.Table`; here
        ``on_missing="model"`` takes what is known of rows with missing values (by EM; they are
        assumed to be missing at random).
        """
        fitting = _options.fitting(**_keywords.pick(options, _options.fitting))
        if isinstance(table, WeightedTable):
            alone(names, _keywords.pick(options, _options.reading))
            return Model._of(_cmnet.fit_weighted(self._model, table._weighted, fitting))
        how = _options.reading(**_keywords.pick(options, _options.reading))
        return Model._of(self._model.fit(source(table, names, how), how, fitting))

    @keywords_of(_options.known_reading)
    def evaluate(
        self, table: Any, *, names: Sequence[str] | None = None, **reading: Unpack[Reading]
    ) -> Evaluation:
        """How probable a fitted model finds the rows of a table: means per row, and BIC.

        Rows with missing values are taken as they are: the log-likelihood is that of what is known of each
        row, and ``missing_share`` says how much is missing. ``on_missing="error"`` refuses such rows, and
        ``"drop"`` leaves them out. With ``columns``, ``schema`` or ``bins`` rows must be complete.
        """
        if isinstance(table, WeightedTable):
            alone(names, dict(reading))
            return Evaluation(**_cmnet.evaluate_weighted(self._model, table._weighted))
        how = _options.known_reading(**reading)
        return Evaluation(**self._model.evaluate(source(table, names, how, keep=["on_missing"]), how))

    @keywords_of(_options.known_row)
    def log_prob(self, table: Any, *, names: Sequence[str] | None = None, **rows: Unpack[EachRow]) -> Floats:
        """The natural-log probability of each row, in the order of the rows.

        Of a packed `cmnet.Table`, which keeps no order, each observation has one, in the order
        of ``table.observations()``. A row with missing values gets the log-probability of what is
        known of it; with ``on_missing="drop"`` it gets NaN, so that answers stay beside their rows,
        and with ``"error"`` it is refused. With ``on_unknown="missing"`` a value that is no level of its variable counts as a missing one. A column of ``weights`` is no
        variable, and changes no answer.
        """
        return self._each_row(table, names, _options.known_row(**rows), pseudo=False)

    @keywords_of(_options.each_row)
    def pseudo_log_prob(self, table: Any, *, names: Sequence[str] | None = None, **rows: Unpack[EachRow]) -> Floats:
        """The sum over variables of log p(variable | all others) of each row: needs no
        partition function, so it is there for models of any size."""
        return self._each_row(table, names, _options.each_row(**rows), pseudo=True)

    def _each_row(self, table: Any, names: Sequence[str] | None, rows: dict[str, Any], pseudo: bool) -> Floats:
        return self._model.log_prob(source(table, names, rows["reading"], keep=["on_missing"]), rows, pseudo)

    @keywords_of(_options.inference, _options.row_reading)
    def predict_proba(
        self, table: Any, target: str, *, names: Sequence[str] | None = None, **options: Unpack[RowAsking]
    ) -> Prediction:
        """The probability of each level of one variable, row by row, from the other columns.

        Cells and whole columns may be missing: they are summed out. What a row says about the
        target itself is not looked at, except to tell how good the prediction was; ``weights``
        names a column that says how much each row counts there. With ``on_unknown="missing"``
        a value that is no level of its variable is summed out too.
        """
        name, question = of_each_row(table, target, names, options)
        found = _cmnet.predict(self._model, question)
        return Prediction(name, self.levels[name], *found)

    # How sure

    @keywords_of(_options.reading)
    def intervals(
        self, table: Any = None, *, names: Sequence[str] | None = None, **reading: Unpack[Reading]
    ) -> Intervals:
        """Standard errors and 95 % intervals of edge strengths, odds ratios and terms.

        After a fit by pseudo-likelihood, ``table`` is the one that the model was fitted to.
        """
        how = _options.reading(**reading)
        data = None if table is None else source(table, names, how)
        return Intervals(_cmnet.intervals(self._model, data, how))

    @keywords_of(_options.reading)
    def probability_intervals(
        self,
        given: Mapping[str, Any] | None = None,
        targets: Sequence[str] | str = (),
        table: Any = None,
        *,
        names: Sequence[str] | None = None,
        **reading: Unpack[Reading],
    ) -> ProbabilityIntervals:
        """The distribution of each target given levels, with standard errors and 95 % intervals.

        After a fit by pseudo-likelihood, ``table`` is the one that the model was fitted to.
        """
        how = _options.reading(**reading)
        data = None if table is None else source(table, names, how)
        asked = _options.names("targets", targets)
        known = _options.given(given, None)
        return ProbabilityIntervals(_cmnet.probability_intervals(self._model, asked, known, data, how))

    # Other models and packages

    @keywords_of(_options.reading)
    def compare(
        self,
        other: Model,
        table: Any = None,
        *,
        names: Sequence[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Comparison:
        """Edges and context elements of one model and not the other, after closure; divergence;
        and, with a table, the mean log-likelihood of both."""
        if not isinstance(other, Model):
            raise _cmnet.refuse_option("other", type(other).__name__, "a model")
        how = _options.reading(**reading)
        data = None if table is None else source(table, names, how)
        return Comparison(_cmnet.compare(self._model, other._model, data, how))

    def to_networkx(self) -> networkx.Graph:
        """A networkx graph: nodes have ``levels``, edges ``given``, ``elements``, ``sentence``.

        They are texts, the lists among them as JSON, so that ``networkx.write_graphml`` takes
        them. `levels` and `contexts` of the model have the lists themselves.
        """
        return _interop.to_networkx(self)

    def to_pgmpy(self, *, memory: Amount = "1G") -> Any:
        """A pgmpy Markov network with one factor per maximal clique."""
        return _interop.to_pgmpy(self, _cmnet.factors(self._model, _options.amount("memory", memory)))

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with one row per edge: its ends, the common neighbours, and when
        it is cut."""
        return _interop.to_dataframe(self)

    # How it shows

    def to_svg(self) -> str:
        """The labelled graph as SVG."""
        return self._model.drawing("svg")

    def draw(
        self,
        path: str | os.PathLike[str],
        *,
        positions: Model | str | os.PathLike[str] | None = None,
        widths: bool = False,
        support: bool = False,
    ) -> None:
        """Writes the labelled graph: .svg, .dot, .tex (TikZ) or .graphml.

        With ``positions``, a model or an SVG file of this package, the variables stand where that
        drawing has them, so that two graphs can be compared by eye. With ``widths``, stronger edges
        are wider; that takes parameters. With ``support``, edges that fewer resamples have are
        fainter; that takes a model of `cmnet.bootstrap`.
        """
        if isinstance(positions, Model):
            places: _cmnet.Model | str | None = positions._model
        else:
            places = None if positions is None else _options.path(positions, "positions")
        self._model.draw(_options.path(path), places, _options.truth("widths", widths), _options.truth("support", support))

    def draw_groups(self, path: str | os.PathLike[str], group: str) -> None:
        """Writes an SVG picture with the network of each level of the variable ``group``, side by side, with the
        variables on the same places."""
        _cmnet.draw_groups(self._model, _options.name("group", group), _options.path(path))

    def summary(self) -> str:
        """The graph and its contexts in words."""
        return self._model.drawing("txt")

    def _repr_svg_(self) -> str:
        return self.to_svg()

    @keywords_of(_options.reading)
    def explore(
        self,
        path: str | os.PathLike[str],
        table: Any = None,
        *,
        names: Sequence[str] | None = None,
        **reading: Unpack[Reading],
    ) -> None:
        """Writes a page to explore the model in a browser: set evidence, see edges vanish.

        The page is one file that needs no server and no network, and answers exactly as `query`
        does. Where the junction tree is too large for a page, the page says that its answers are
        approximate. With a table, the share of each level there is marked beside the model's.
        """
        page = _options.path(path)
        if not page.lower().endswith((".html", ".htm")):
            raise _cmnet.refuse_option("path", page, "a file that ends in .html")
        how = _options.reading(**reading)
        data = None if table is None else source(table, names, how)
        title = os.path.splitext(os.path.basename(page))[0]
        self._model.write_page(page, self._model.page(title, data, how))

    @keywords_of(_options.searching, _options.fitting, _options.reading)
    def report(
        self,
        path: str | os.PathLike[str],
        table: Any = None,
        *,
        folds: int = 10,
        seed: int = 1,
        progress: Progress = None,
        names: Sequence[str] | None = None,
        **options: Unpack[Validating],
    ) -> None:
        """Writes a page to attach to a paper: the network, every context as a sentence, strengths,
        predictability, how to repeat it.

        With a table also the data, the fit, and a cross-validation with the options of
        `cmnet.cross_validate` (``folds=0`` leaves it out). Confidence is shown where the model
        carries it, as the consensus of `cmnet.bootstrap` does.
        """
        page, paging, learning = Model._paging("model.report(", path, folds, seed, options)
        how = _options.reading(**_keywords.pick(options, _options.reading))
        data = None if table is None else source(table, names, how)
        with progress_bar(progress) as tell:
            text = _cmnet.report_model(self._model, data, how, paging, learning, tell)
        self._model.write_page(page, text)

    @staticmethod
    def _paging(
        call: str, path: str | os.PathLike[str], folds: int, seed: int, options: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """A page's path, what it says besides the model, and how is learned."""
        page = _options.path(path)
        if not page.lower().endswith((".html", ".htm")):
            raise _cmnet.refuse_option("path", page, "a file that ends in .html")
        # What is wrong is refused before it is written down.
        numbers = {"folds": _options.number("folds", folds), "seed": _options.number("seed", seed)}
        _options.reading(**_keywords.pick(options, _options.reading))
        learning = {
            **_options.searching(**_keywords.pick(options, _options.searching)),
            **_options.learning(),
            "fitting": _options.fitting(**_keywords.pick(options, _options.fitting)),
        }
        given = {"folds": folds, "seed": seed, **options}
        command = call + ", ".join([repr(page), *(f"{name}={value!r}" for name, value in given.items())]) + ")"
        paging = {"title": os.path.splitext(os.path.basename(page))[0], "command": command, **numbers}
        return page, paging, learning

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{html.escape(repr(self))}</figcaption>"
        page = ""
        if len(self.names) <= _MOST_SHOWN:
            page = html.escape(self._model.page("Contextual Markov network", None, _options.reading()))
        if not 0 < len(page) <= _MOST_PAGE:
            # A notebook keeps what it shows: a large model is told about, not put into it.
            advice = 'model.explore("page.html") writes the page to look at it.'
            return f"<figure><p>{html.escape(advice)}</p>{caption}</figure>"
        # A frame that may run its own script, and reach nothing of the notebook's page.
        return (
            f'<figure><iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="Contextual Markov network" '
            f'width="100%" height="620" style="border:1px solid #d8dde4;border-radius:8px"></iframe>{caption}</figure>'
        )

    def __repr__(self) -> str:
        parts = [f"{len(self.names)} variables", f"{len(self.edges)} edges", f"{len(self.contexts)} with a context"]
        if self.kappa is not None:
            parts.append(f"kappa {self.kappa}")
        fitted = self.fitted
        if fitted is None:
            parts.append("not fitted")
        else:
            criterion = "BIC" if fitted["log_likelihood"] is not None else "pseudo-BIC"
            parts.append(f"{fitted['method']} fit, {criterion} {fitted['bic']:.3f}")
        return f"Model({', '.join(parts)})"

    def __str__(self) -> str:
        return self.summary()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self._model == other._model

    def __hash__(self) -> int:
        return hash((tuple(self.edges), tuple(self.names)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model.from_text, (self.to_text(),))

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return Model._of(_cmnet.Model.from_text(self.to_text(), "the model"))

