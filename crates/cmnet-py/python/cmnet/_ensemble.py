"""Ensembles: the networks of resamples, which answer together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cmnet, _options
from ._answers import Evaluation, Marginals, Prediction
from ._keywords import keywords_of
from ._model import Model
from ._networks import Networks
from ._questions import Given, Soft, of_each_row
from ._source import source

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._keywords import Asking, Reading, RowAsking
else:
    from ._optional import Later

    pandas = Later("pandas")


class EnsembleMarginals(Marginals):
    """The mean distribution of each target, and how far it spreads over the networks."""

    spread: dict[str, dict[str, dict[str, Any]]]
    """By variable and level: ``deviation`` (over the networks), ``error`` (the standard error for a
    table of all rows) and ``range`` (what 5 % and 95 % of the networks do not exceed)."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        self.spread = answer["spread"]

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas data frame with columns variable, level, probability, deviation, error, low and high."""
        frame = super().to_dataframe()
        spreads = [spread for levels in self.spread.values() for spread in levels.values()]
        for name in ("deviation", "error"):
            frame[name] = [spread[name] for spread in spreads]
        frame["low"] = [spread["range"][0] for spread in spreads]
        frame["high"] = [spread["range"][1] for spread in spreads]
        return frame


class EnsemblePrediction(Prediction):
    """Mean probabilities of one variable's levels, row by row, and how far they spread."""

    deviations: np.ndarray[Any, np.dtype[np.float64]]
    """The standard deviation of each probability over the networks; NaN of a single network."""
    low: np.ndarray[Any, np.dtype[np.float64]]
    """What 5 % of the networks do not exceed."""
    high: np.ndarray[Any, np.dtype[np.float64]]
    """What 95 % of the networks do not exceed."""


class Ensemble(Networks):
    """The networks of resamples of a table, each fitted to its own resample.

    Ensembles come from ``cmnet.bootstrap(table, ensemble=True).ensemble`` and `cmnet.load`. An answer is
    the mean of the networks' exact answers, with its spread over them.
    """

    _kind = _cmnet.Ensemble
    _from = "cmnet.bootstrap with ensemble"

    @property
    def drawn(self) -> dict[str, Any]:
        """``members``, ``left_out`` (replicates that did not fit the memory), and how resamples were
        drawn: ``rows``, ``seed``, ``resample`` and ``share``."""
        facts: dict[str, Any] = self._made.facts()
        return facts

    @keywords_of(_options.question)
    def query(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> EnsembleMarginals:
        """The distribution of each target given evidence: the mean over the networks, and its spread."""
        return EnsembleMarginals(self._made.query(_options.question(targets, _options.given(given, soft), **asking)))

    def explain(self, given: Given = None, *, soft: Soft = None, threshold: float = 0.6) -> dict[str, Any]:
        """How many networks have each edge and context element, and how strong edges are given evidence.

        The keys are those of ``cmnet explain --format json``, but for ``format``. ``strength`` is the mutual
        information of an edge's ends given everything else, 0 in a network without the edge.
        """
        share = _options.real("threshold", threshold)
        asked: dict[str, Any] = self._made.explain(_options.given(given, soft), share, _options.inference())
        return asked

    def consensus(self, threshold: float = 0.6) -> Model:
        """The edges and context elements that at least this share of the networks has: a model with their
        support, without parameters."""
        return Model._of(self._made.consensus(_options.real("threshold", threshold)))

    def draw(self, path: str | os.PathLike[str], *, threshold: float = 0.6, widths: bool = False) -> None:
        """Writes the consensus as a picture: edges that fewer networks have are fainter; with ``widths``, edges
        that are stronger in the mean are wider."""
        self._made.draw(_options.path(path), _options.real("threshold", threshold), bool(widths))

    @keywords_of(_options.known_reading)
    def evaluate(
        self, table: Any, *, names: Sequence[str] | None = None, **reading: Unpack[Reading]
    ) -> Evaluation:
        """How probable the ensemble finds the rows of a table: the mean over rows of the logarithm of the
        networks' mean probability. ``alone`` is the same by each network, with its spread. Rows
        with missing values are taken as they are, as by `Model.evaluate`."""
        how = _options.known_reading(**reading)
        return Evaluation(**self._made.evaluate(source(table, names, how, keep=["on_missing"]), how))

    @keywords_of(_options.inference, _options.row_reading)
    def predict_proba(
        self, table: Any, target: str, *, names: Sequence[str] | None = None, **options: Unpack[RowAsking]
    ) -> EnsemblePrediction:
        """The probability of each level of one variable, row by row, from the other columns."""
        name, question = of_each_row(table, target, names, options)
        arrays, spreads = self._made.predict(question)
        found = EnsemblePrediction(name, self.levels[name], *arrays)
        found.deviations, found.low, found.high = spreads
        return found

    def __len__(self) -> int:
        members: int = self.drawn["members"]
        return members

    def __repr__(self) -> str:
        drawn = self.drawn
        how = f"{drawn['resample']} {drawn['share']:g} of {drawn['rows']} rows, seed {drawn['seed']}"
        return f"Ensemble({len(self.names)} variables, {drawn['members']} networks of {how})"
