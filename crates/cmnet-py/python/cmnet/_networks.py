"""What mixtures and ensembles have alike: several networks with the same variables, in one file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import _cmnet, _options
from ._answers import Joint
from ._keywords import keywords_of
from ._model import Model
from ._questions import Given, Soft
from ._variables import Variables

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Asking

Several = TypeVar("Several", bound="Networks")


class Networks(Variables):
    """Several networks with the same variables."""

    _made: Any
    _kind: ClassVar[type[_cmnet.Mixture] | type[_cmnet.Ensemble]]
    _from: ClassVar[str]

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__} objects come from {self._from}, and from cmnet.load")

    @classmethod
    def _of(cls: type[Several], made: Any) -> Several:
        new = cls.__new__(cls)
        new._made = made
        return new

    @classmethod
    def from_text(cls: type[Several], text: str, name: str = "the model") -> Several:
        """Reads and checks the text of a model file; ``name`` stands for it in complaints."""
        return cls._of(cls._kind.from_text(_options.text("text", text), _options.text("name", name)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file: the same bytes as from the command line."""
        self._made.save(_options.path(path))

    def to_text(self) -> str:
        """The text of the model file."""
        text: str = self._made.text()
        return text

    def _variables(self) -> list[tuple[str, list[str]]]:
        levels: list[tuple[str, list[str]]] = self._made.levels
        return levels

    @property
    def models(self) -> list[Model]:
        """The networks."""
        return [Model._of(model) for model in self._made.models]

    @keywords_of(_options.question)
    def joint(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Joint:
        """The joint distribution of some variables given evidence: the mean over the networks, in a
        mixture weighed by the chances of the classes."""
        return Joint(self._made.joint(_options.question(targets, _options.given(given, soft), **asking)))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._made == other._made

    def __hash__(self) -> int:
        return hash((type(self).__name__, tuple(self.names)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).from_text, (self.to_text(),))
