"""Runs divided into tasks that an executor does: processes of this machine, or of many.

Tasks are pure, so one that was lost is simply done again, and the answer is that of one machine.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import queue
import sys
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor
from typing import Any, NamedTuple, Protocol

from . import _cmnet
from ._errors import WorkerError
from ._table import Table

LOOK = 0.1
"""Seconds between two looks at the clock and for Ctrl-C."""
PIECES = 4
"""Tasks per worker: few enough to cost nothing, enough to keep all of them busy to the end."""
MOST_PIECES = 32
"""The same where tasks would be long."""
LONG = 1.0
"""Seconds that a task of replicates takes at most, or about so: what is lost when it is cancelled."""

OF_THE_FIRST = 0.5
"""What a replicate takes at most, or about so, as a share of what learning from the whole table took."""

GRACE = 1.0
"""Seconds after Ctrl-C in which tasks hand over what they have."""

Tell = Callable[["dict[str, Any]"], Any]


class Future(Protocol):
    """What an executor gives for a task."""

    def result(self) -> Any: ...
    def cancel(self) -> Any: ...
    def add_done_callback(self, function: Any) -> Any: ...


class Pool:
    """Workers behind a ``concurrent.futures.Executor``."""

    def __init__(self, executor: Any, table: Table) -> None:
        if not callable(getattr(executor, "submit", None)):
            expected = "a concurrent.futures.Executor, or a client of Dask in cmnet.dask"
            raise _cmnet.refuse_option("executor", type(executor).__name__, expected)
        self._executor, self._table = executor, table
        known = getattr(executor, "_max_workers", None)
        self.workers: int = known if isinstance(known, int) and known > 0 else os.cpu_count() or 1
        self.is_one = False
        """Whether they are known to be of one machine: a task may have the threads of all."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Starts ``function(table, *arguments)``."""
        try:
            future: Future = self._executor.submit(function, self._table, *arguments)
        except BrokenExecutor as error:
            raise self.lost("its tasks", error) from error
        return future

    def threads(self, tasks: int) -> list[int]:
        """Threads for each of so many tasks, which are begun in this order."""
        return [1] * tasks

    def ask_to_end(self, futures: list[Future]) -> bool:
        """Asks tasks to hand over what they have; whether they can be asked."""
        return False

    def let_go(self, futures: list[Future]) -> None:
        """Cancels tasks whose results nobody wants any more."""
        for future in futures:
            future.cancel()

    def is_lost(self, error: BaseException) -> bool:
        """Whether a worker was lost, and another one may do the task."""
        return False

    def failed(self, name: str, error: BaseException) -> BaseException:
        """What is raised when a task failed by itself."""
        return error

    def check(self, name: str) -> None:
        """Asked now and then while a task is open: raises where nobody will ever do it."""

    def lost(self, name: str, error: BaseException) -> Exception:
        """What is raised when a task cannot be done."""
        return worker_error(name, f"the executor is broken ({type(error).__name__}: {error}); make a new one")

    def close(self) -> None:
        """Lets go of the table."""


def worker_error(name: str, why: str) -> WorkerError:
    """The exception about workers that were lost."""
    error = WorkerError(f"{name} could not be done: {why}")
    error.task = name
    return error


def pool(executor: Any, table: Table) -> Pool:
    """The workers behind an executor; Dask's own are recognised, so that the table travels once."""
    client = getattr(executor, "_client", None)
    if client is not None and type(executor).__module__.partition(".")[0] == "distributed":
        from .dask import ClientPool

        return ClientPool(client, table)
    return executor if isinstance(executor, Pool) else Pool(executor, table)


def run_task(
    table: Table, spec: dict[str, Any], task: str, needed: str, threads: int, until: float | None, look: Any = None
) -> str:
    """Does a task where it was sent to. ``until`` is the time of day at which it ends."""
    seconds = None if until is None else until - time.time()
    return _cmnet.run_task(table._table, spec, task, needed, threads, seconds, look)


class OutOfTime(Exception):
    """The time limit came."""


MOST_LOSSES = 5
"""Times that a task is sent again after its worker was lost."""


class _Task(NamedTuple):
    """A task that is to be done."""

    number: int
    name: str
    arguments: tuple[Any, ...]
    losses: int = 0
    is_alone: bool = False


def gather(
    workers: Pool,
    tasks: Iterable[tuple[str, tuple[Any, ...]]],
    function: Callable[..., Any],
    take: Callable[[Any], Any],
    tell: Tell | None = None,
    deadline: float | None = None,
) -> None:
    """Does named tasks, and takes what they give in any order. Lost ones are done again.

    A worker that is lost takes tasks with it that only waited there. So a task that was lost too often is done
    once more when all others have ended. The one that is lost then was alone, and is named.
    """
    ended: queue.SimpleQueue[int] = queue.SimpleQueue()
    open_: dict[int, tuple[Future, _Task]] = {}
    suspects: list[_Task] = []
    tickets = itertools.count()

    def start(task: _Task) -> None:
        future, ticket = workers.submit(function, *task.arguments), next(tickets)
        open_[ticket] = (future, task)
        future.add_done_callback(lambda _: ended.put(ticket))

    done = 0
    try:
        for number, (name, arguments) in enumerate(tasks):
            start(_Task(number, name, arguments))
        count = len(open_)
        while open_ or suspects:
            if not open_:
                suspects.sort(key=lambda task: task.number)
                start(suspects.pop(0)._replace(is_alone=True))
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime
            try:
                ticket = ended.get(timeout=LOOK)
            except queue.Empty:
                workers.check(next(iter(open_.values()))[1].name)
                continue
            future, task = open_.pop(ticket)
            try:
                found = future.result()
            except BrokenExecutor as error:
                raise workers.lost(task.name, error) from error
            except (Exception, CancelledError) as error:
                if not workers.is_lost(error):
                    raise workers.failed(task.name, error) from None
                if task.is_alone:
                    raise workers.lost(task.name, error) from error
                # Dask remembers a failure for as long as somebody holds the task.
                workers.let_go([future])
                if task.losses >= MOST_LOSSES:
                    suspects.append(task)
                else:
                    start(task._replace(losses=task.losses + 1))
                continue
            take(found)
            done += 1
            if tell is not None:
                tell({"task": done, "tasks": count, "doing": task.name})
    except KeyboardInterrupt:
        if workers.ask_to_end([future for future, _ in open_.values()]):
            _take_in_time(open_, ended, take)
        raise
    finally:
        if open_:
            workers.let_go([future for future, _ in open_.values()])


def _take_in_time(
    open_: dict[int, tuple[Future, _Task]], ended: queue.SimpleQueue[int], take: Callable[[Any], Any]
) -> None:
    """Takes what tasks hand over that were asked to."""
    until = time.monotonic() + GRACE
    while open_:
        try:
            future, _ = open_.pop(ended.get(timeout=max(until - time.monotonic(), 0.0)))
        except queue.Empty:
            return
        with contextlib.suppress(Exception, CancelledError):
            take(future.result())


def _spec(run: str, learning: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"run": run, "learning": learning, "dealt": None, "resampling": None, **more}


def _do(run: _cmnet.Run, table: Table, spec: dict[str, Any], executor: Any, tell: Tell | None) -> float | None:
    """Does all tasks of a run, round by round; the seconds that are left of the time limit."""
    known = {"require": "[]", "forbid": "[]", "knowledge": {"file": None, "json": run.knowledge()}}
    learning = {**spec["learning"], **known}
    spec = {**spec, "learning": learning}
    limit = None if learning["time_limit"] is None else _cmnet.seconds(learning["time_limit"])
    deadline = None if limit is None else time.monotonic() + limit
    until = None if limit is None else time.time() + limit
    workers = pool(executor, table)
    each = 0.0
    try:
        while tasks := _tasks(run, workers, learning, each):
            needed, began = run.needed(), time.monotonic()
            threads = [learning["threads"] or own for own in workers.threads(len(tasks))]
            named = [(name, (spec, task, needed, own, until)) for (task, name), own in zip(tasks, threads)]
            # A task that ends at the limit gives what it has, so wait for it a little longer.
            grace = None if deadline is None else deadline + 2.0

            def both(facts: dict[str, Any]) -> None:
                if tell is not None:
                    tell({**run.progress(), **facts})

            gather(workers, named, run_task, run.add, both, grace)
            if deadline is not None and time.monotonic() > deadline:
                raise OutOfTime
            if spec["run"] == "bootstrap" and not each:
                each = (time.monotonic() - began) * threads[0] * OF_THE_FIRST
    finally:
        workers.close()
    return None if deadline is None else deadline - time.monotonic()


def _tasks(run: _cmnet.Run, workers: Pool, learning: dict[str, Any], each: float) -> list[tuple[str, str]]:
    """The tasks that can be done now; with the seconds of each replicate, none that takes much too long."""
    # Structures of few workers of one machine are one task with the threads of all: tasks by themselves would count the
    # same things again.
    is_one = workers.is_one and not learning["threads"] and workers.workers <= len(learning["kappa"])
    among = 1 if is_one else max(workers.workers, 2)
    pieces = PIECES * workers.workers
    if each:
        long = math.ceil(len(run.tasks(among, sys.maxsize)) * each / LONG)
        pieces = max(pieces, min(long, MOST_PIECES * workers.workers))
    return run.tasks(among, pieces)


def _left(run: _cmnet.Run, table: Table, spec: dict[str, Any], executor: Any, tell: Tell | None) -> float | None:
    """As `_do`, with no second left where the time was too short."""
    try:
        return _do(run, table, spec, executor, tell)
    except OutOfTime:
        return 0.0


def learn(
    table: Table, learning: dict[str, Any], executor: Any, tell: Tell | None
) -> tuple[Any, BaseException | None, _cmnet.Unfinished | None]:
    """As `_cmnet.learn`, by tasks."""
    spec = _spec("learn", learning)
    run = _cmnet.Run(table._table, spec)
    try:
        left = _left(run, table, spec, executor, tell)
    except KeyboardInterrupt as raised:
        return None, raised, run.unfinished()
    return run.learned(left, tell)


def cross_validate(
    table: Table, dealt: dict[str, Any], learning: dict[str, Any], executor: Any, tell: Tell | None
) -> tuple[Any, BaseException | None]:
    """As `_cmnet.cross_validate`, by tasks."""
    spec = _spec("cv", learning, dealt=dealt)
    run = _cmnet.Run(table._table, spec)
    try:
        _do(run, table, spec, executor, tell)
    except OutOfTime:
        return run.validated("time-limit"), None
    except KeyboardInterrupt as raised:
        return run.validated("interrupted"), raised
    return run.validated(None), None


def bootstrap(
    table: Table, resampling: dict[str, Any], learning: dict[str, Any], executor: Any, tell: Tell | None
) -> tuple[Any, BaseException | None]:
    """As `_cmnet.bootstrap`, by tasks."""
    spec = _spec("bootstrap", learning, resampling=resampling)
    run = _cmnet.Run(table._table, spec)
    try:
        left = _left(run, table, spec, executor, tell)
    except KeyboardInterrupt as raised:
        return run.bootstrapped(None, True, None)[0], raised
    return run.bootstrapped(left, False, tell)
