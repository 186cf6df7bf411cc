"""Mixtures: a latent class with a network for each of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _cmnet, _options
from ._answers import Completion, Evaluation, Marginals, Prediction
from ._keywords import keywords_of
from ._networks import Networks
from ._questions import Given, Soft, of_each_row
from ._source import source
from ._table import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Asking, Reading, RowAsking, Sampling


class ClassMarginals(Marginals):
    """The distribution of each target, and the chance of each class."""

    classes: list[float]
    """The chance of each class given what was given."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        self.classes = answer["classes"]


class Mixture(Networks):
    """A latent class with a contextual Markov network for each of its values.

    Mixtures come from ``cmnet.learn(table, components=3)`` and `cmnet.load`. Every answer is exact:
    the mixture of the networks' answers, weighed by the chances of the classes.
    """

    _kind = _cmnet.Mixture
    _from = "cmnet.learn with components"

    @property
    def weights(self) -> list[float]:
        """The share of each class."""
        weights: list[float] = self.fitted["weights"]
        return weights

    @property
    def fitted(self) -> dict[str, Any]:
        """How the parameters were estimated: weights, parameters, log-likelihood, BIC, steps of EM, ..."""
        facts: dict[str, Any] = self._made.facts()
        return facts

    @property
    def bic(self) -> float | None:
        """The Bayesian information criterion on the table it was fitted to (higher is better)."""
        bic: float | None = self.fitted["bic"]
        return bic

    @keywords_of(_options.question)
    def query(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> ClassMarginals:
        """The distribution of each target given evidence, and the chance of each class."""
        return ClassMarginals(self._made.query(_options.question(targets, _options.given(given, soft), **asking)))

    @keywords_of(_options.question)
    def map(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Completion:
        """The most probable levels together under the mixture: ``proven`` says whether nothing can be more
        probable, ``gap`` how much larger the log-probability of other levels may be."""
        question = _options.question(targets, _options.given(given, soft), **asking)
        return Completion(self._made.most_probable(question))

    @keywords_of(_options.question)
    def sample(
        self, rows: int, seed: int = 1, *, given: Given = None, soft: Soft = None, **sampling: Unpack[Sampling]
    ) -> Rows:
        """Rows drawn from the mixture; a seed gives the same rows on every machine."""
        question = _options.question((), _options.given(given, soft), seed=seed, **sampling)
        return Rows._of(self._made.sample(_options.number("rows", rows, 2**31), question))

    @keywords_of(_options.inference, _options.row_reading)
    def predict_proba(
        self, table: Any, target: str, *, names: Sequence[str] | None = None, **options: Unpack[RowAsking]
    ) -> Prediction:
        """The probability of each level of one variable, row by row, from the other columns."""
        name, question = of_each_row(table, target, names, options)
        found = self._made.predict(question)
        return Prediction(name, self.levels[name], *found)

    def explain(self, given: Given = None, *, soft: Soft = None) -> dict[str, Any]:
        """What the classes are like, and which edges hold in which of them."""
        explained: dict[str, Any] = self._made.explain(_options.given(given, soft), _options.inference())
        return explained

    @keywords_of(_options.known_reading)
    def evaluate(
        self, table: Any, *, names: Sequence[str] | None = None, **reading: Unpack[Reading]
    ) -> Evaluation:
        """How probable the mixture finds the rows of a table: means per row, and BIC. Rows with missing values
        are taken as they are, as by `Model.evaluate`."""
        how = _options.known_reading(**reading)
        return Evaluation(**self._made.evaluate(source(table, names, how, keep=["on_missing"]), how))

    def __repr__(self) -> str:
        shares = ", ".join(f"{weight:.3f}" for weight in self.weights)
        return f"Mixture({len(self.names)} variables, {len(self.weights)} classes with shares {shares})"
