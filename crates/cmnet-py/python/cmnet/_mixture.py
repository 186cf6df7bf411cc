"""Mixtures: a latent class with a network for each of its values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _cmnet, _options
from ._answers import Completion, Evaluation, Joint, Marginals, Prediction
from ._model import Model
from ._options import Amount, Elimination, keywords_of
from ._questions import Given, Soft
from ._source import source
from ._table import Rows
from ._variables import Variables

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Asking, Reading, RowReading, Sampling


class ClassMarginals(Marginals):
    """The distribution of each target, and the chance of each class."""

    classes: list[float]
    """The chance of each class given what was given."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        self.classes = answer["classes"]


class Mixture(Variables):
    """A latent class with a contextual Markov network for each of its values.

    Mixtures come from ``cmnet.learn(table, components=3)`` and `cmnet.load`. Every answer is exact:
    the mixture of the networks' answers, weighed by the chances of the classes.
    """

    _mixture: _cmnet.Mixture

    def __init__(self) -> None:
        raise TypeError("mixtures come from cmnet.learn with components, and from cmnet.load")

    @classmethod
    def _of(cls, mixture: _cmnet.Mixture) -> Mixture:
        made = cls.__new__(cls)
        made._mixture = mixture
        return made

    @classmethod
    def from_text(cls, text: str, name: str = "the mixture") -> Mixture:
        """Reads and checks the text of a mixture's file; ``name`` stands for it in complaints."""
        return cls._of(_cmnet.Mixture.from_text(_options.text("text", text), _options.text("name", name)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file: the same bytes as from the command line."""
        self._mixture.save(_options.path(path))

    def to_text(self) -> str:
        """The text of the model file."""
        return self._mixture.text()

    def _variables(self) -> list[tuple[str, list[str]]]:
        return self._mixture.levels

    @property
    def models(self) -> list[Model]:
        """The network of each class."""
        return [Model._of(model) for model in self._mixture.models]

    @property
    def weights(self) -> list[float]:
        """The share of each class."""
        weights: list[float] = self.fitted["weights"]
        return weights

    @property
    def fitted(self) -> dict[str, Any]:
        """How the parameters were estimated: weights, parameters, log-likelihood, BIC, steps of EM, ..."""
        return self._mixture.facts()

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
        return ClassMarginals(self._mixture.query(_options.question(targets, _options.given(given, soft), **asking)))

    @keywords_of(_options.question)
    def joint(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Joint:
        """The joint distribution of some variables given evidence."""
        return Joint(self._mixture.joint(_options.question(targets, _options.given(given, soft), **asking)))

    @keywords_of(_options.question)
    def map(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Completion:
        """The most probable levels together under the mixture: ``proven`` says whether nothing can be more
        probable, ``gap`` how much larger the log-probability of other levels may be."""
        question = _options.question(targets, _options.given(given, soft), **asking)
        return Completion(self._mixture.most_probable(question))

    @keywords_of(_options.question)
    def sample(
        self, rows: int, seed: int = 1, *, given: Given = None, soft: Soft = None, **sampling: Unpack[Sampling]
    ) -> Rows:
        """Rows drawn from the mixture; a seed gives the same rows on every machine."""
        question = _options.question((), _options.given(given, soft), seed=seed, **sampling)
        return Rows._of(self._mixture.sample(_options.number("rows", rows, 2**31), question))

    @keywords_of(_options.row_reading)
    def predict_proba(
        self,
        table: Any,
        target: str,
        *,
        names: Sequence[str] | None = None,
        memory: Amount = "1G",
        elimination: Elimination = "best",
        **reading: Unpack[RowReading],
    ) -> Prediction:
        """The probability of each level of one variable, row by row, from the other columns."""
        rows = _options.row_reading("drop", **reading)
        data, name = source(table, names, rows["reading"], keep=["on_missing"]), _options.name("target", target)
        ask = _options.inference(memory=memory, elimination=elimination)
        return Prediction(name, self.levels[name], *self._mixture.predict(data, name, rows, ask))

    def explain(self, given: Given = None, *, soft: Soft = None) -> dict[str, Any]:
        """What the classes are like, and which edges hold in which of them."""
        return self._mixture.explain(_options.given(given, soft), _options.inference())

    @keywords_of(_options.reading)
    def evaluate(
        self, table: Any, *, names: Sequence[str] | None = None, **reading: Unpack[Reading]
    ) -> Evaluation:
        """How probable the mixture finds the rows of a table: means per row, and BIC."""
        how = _options.reading(**reading)
        return Evaluation(**self._mixture.evaluate(source(table, names, how), how))

    def __repr__(self) -> str:
        shares = ", ".join(f"{weight:.3f}" for weight in self.weights)
        return f"Mixture({len(self.names)} variables, {len(self.weights)} classes with shares {shares})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mixture) and self._mixture == other._mixture

    def __hash__(self) -> int:
        return hash((tuple(self.names), tuple(self.weights)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Mixture.from_text, (self.to_text(),))
