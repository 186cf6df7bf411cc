"""Exceptions: one class per kind of complaint, with the facts as attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CmnetError(Exception):
    """What cmnet complains about; the message says what, where and what to do."""


class InputError(CmnetError, ValueError):
    """A table that cannot be read as one.

    ``file`` and ``line`` (from 1) say where in a file, ``row`` (from 0) where in a table in
    memory; ``column`` is the column's number (from 1) and ``name`` its name. Each is None
    where it is not known. ``partition`` names the part of a table that `cmnet.dask.table` was
    reading.
    """

    partition: str | None = None
    file: str | None = None
    line: int | None = None
    row: int | None = None
    column: int | None = None
    name: str | None = None


class _SystemError(CmnetError, OSError):
    """What an OSError keeps outside of its attributes' dictionary is pickled too."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (_system_error, (type(self), self.args, self.errno), self.__dict__)


def _system_error(kind: type[OSError], arguments: tuple[Any, ...], errno: int | None) -> OSError:
    error = kind(*arguments)
    error.errno = errno
    return error


class MissingFileError(_SystemError, InputError, FileNotFoundError):
    """There is no such file."""


class MissingValuesError(InputError):
    """Missing values where none are allowed: ``rows`` of ``of`` rows have some; ``counts``
    says how many by column."""

    rows: int = 0
    of: int = 0
    counts: dict[str, int] = {}


class UnknownLevelError(InputError):
    """A value that is no level of its variable."""


class NotCategoriesError(InputError, TypeError):
    """A column of something else than categories: numbers with decimals, dates, nested values."""


class ModelFileError(CmnetError, ValueError):
    """A model file that does not describe a model; ``at`` is the place inside ``file``."""

    file: str | None = None
    at: str | None = None


class StructureError(CmnetError, ValueError):
    """An edge or context that a structure cannot hold."""


class MismatchError(CmnetError, ValueError):
    """A model and a table, or two models, that do not speak of the same variables."""


class CheckpointError(CmnetError, ValueError):
    """A checkpoint of another run."""

    file: str | None = None


class OptionError(CmnetError, ValueError):
    """An option that cannot be used as given: ``option``, ``found``, ``expected``."""

    option: str | None = None
    found: str | None = None
    expected: str | None = None


class QuestionError(CmnetError, ValueError):
    """A question that the model cannot answer as it was asked; ``hint`` says what to do."""

    hint: str | None = None


class LimitError(CmnetError):
    """Something goes beyond a limit: ``what``, ``limit``, ``hint``."""

    what: str | None = None
    limit: str | None = None
    hint: str | None = None


class FileError(_SystemError):
    """The operating system refused something about ``file``; ``errno`` is its number for why."""

    file: str | None = None


class WorkerError(CmnetError, RuntimeError):
    """Workers of a cluster were lost again and again; ``task`` is what they were doing."""

    task: str | None = None


class InternalError(CmnetError, RuntimeError):
    """A defect of cmnet; please report it."""


class TableWarning(UserWarning):
    """What an owner of a table should know: columns that look like identifiers, constant ones, ..."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work; ``partial`` holds what was found before it.

    After `cmnet.learn` that is a `Learned` whose ``stop`` is ``"interrupted"``; its last model
    is where the search stood. After `cmnet.cross_validate` it is a `CrossValidation` over the
    folds that were finished, without rows if none was. After `cmnet.bootstrap` it is a
    `Bootstrap` over the replicates that were finished. No `CmnetError`: what catches errors
    does not catch Ctrl-C.
    """

    def __init__(self, message: str, partial: Callable[[], Any] | None = None) -> None:
        super().__init__(message)
        self._make = partial
        self._partial: Any = None

    @property
    def partial(self) -> Any:
        """What was found before the interruption."""
        if self._make is not None:
            self._partial, self._make = self._make(), None
        return self._partial

    def __reduce__(self) -> tuple[Any, ...]:
        return (_interrupted, (self.args[0], self.partial))


def _interrupted(message: str, partial: Any) -> Interrupted:
    return Interrupted(message, lambda: partial)
