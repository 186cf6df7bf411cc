"""What a worker of Dask does: tasks, on a copy of the table."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ._errors import CmnetError
from ._table import _table_from_packed
from ._tasks import run_task

_TO_END: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
"""Tasks that are to hand over what they have, by worker: a process may have several."""


def do(function: Callable[..., Any], copy: Copy, *arguments: Any) -> Any:
    """Does a task on a worker, and ends it when the client has let go of it."""
    import distributed.worker

    worker: Any = distributed.worker.get_worker()
    key: str | None = getattr(vars(distributed.worker)["thread_state"], "key", None)
    to_end = _TO_END.setdefault(worker, set())

    def look() -> bool:
        task = worker.state.tasks.get(key)
        if key is not None and (task is None or task.state == "cancelled"):
            raise CmnetError("the client has let go of this task")
        return key in to_end

    try:
        return function(copy.table, *arguments, **({"look": look} if function is run_task else {}))
    finally:
        if key is not None:
            to_end.discard(key)


def end(keys: list[str], dask_worker: Any) -> None:
    """Asks the tasks that a worker has to hand over what they have."""
    own = _TO_END.setdefault(dask_worker, set())
    # Without those that were let go of before they began.
    own.intersection_update(dask_worker.state.tasks)
    own.update(key for key in keys if key in dask_worker.state.tasks)


class Copy:
    """A table on a worker. Its digest is known from where it comes from, and travels on with it."""

    def __init__(self, digest: str, content: tuple[Any, ...]) -> None:
        self.table = _table_from_packed(*content)
        self.table._table.say_digest(digest)

    def __reduce__(self) -> tuple[Any, ...]:
        _, content = self.table.__reduce__()
        return Copy, (self.table.digest, content)
