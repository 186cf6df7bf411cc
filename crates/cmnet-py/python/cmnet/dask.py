"""The same answers on a cluster of Dask: ``pip install cmnet[dask]``.

>>> import cmnet.dask
>>> from distributed import Client
>>> client = Client("tcp://scheduler:8786")                  # doctest: +SKIP
>>> table = cmnet.dask.table("survey/*.parquet", client)     # doctest: +SKIP
>>> learned = cmnet.dask.learn(client, table)                # doctest: +SKIP

Tables are packed on the workers, part by part; nothing but packed columns travels. Learning,
cross-validation and resamples are divided into tasks, and their answers are those of one machine,
to the last byte. A worker that dies costs the tasks that it was doing, which are done again.
"""

from __future__ import annotations

import asyncio
import collections
import functools
import glob
import inspect
import itertools
import json
import os
import time
import uuid
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _cmnet, _learn, _options
from ._errors import CmnetError, InputError, TableWarning
from ._keywords import keywords_of
from ._progress import Progress, progress_bar
from ._source import _is_dask, source
from ._table import Table, _warn
from ._tasks import Pool, gather, worker_error
from ._worker import Copy, do, end

if TYPE_CHECKING:
    from distributed import Client
    from typing_extensions import Unpack

    from ._keywords import Learning, Reading, Resampling, Validating
    from ._learned import Bootstrap, CrossValidation, Learned

__all__ = ["bootstrap", "cross_validate", "learn", "table"]

PATIENCE = 60.0
"""Seconds without any worker after which a run gives up."""
_GROUP = 16
"""Packed parts that are merged at once."""
_PARQUET = (".parquet", ".pq")
_CSV = tuple(kind + packed for kind in (".csv", ".tsv") for packed in ("", ".gz", ".zst"))


class _Sent:
    """A task of Dask. It is done when its result is on this machine, so nobody ever waits in `result`.

    A result that a worker has made may be lost with it before it has travelled; then it is made again.
    """

    def __init__(self, client: Any, future: Any, stays: bool) -> None:
        self.future = future
        arrives = _made(future) if stays else _here(future)
        self._arriving = asyncio.run_coroutine_threadsafe(arrives, client.loop.asyncio_loop)

    def result(self) -> Any:
        return self._arriving.result()

    def cancel(self) -> None:
        self._arriving.cancel()

    def add_done_callback(self, function: Callable[[Any], Any]) -> None:
        self._arriving.add_done_callback(function)


async def _here(future: Any) -> Any:
    """The result of a task of Dask."""
    return await future


async def _made(future: Any) -> Any:
    """The task itself, once its result is on a worker."""
    await future.exception()
    return future if future.status == "finished" else await future


_TABLES: weakref.WeakKeyDictionary[Table, Any] = weakref.WeakKeyDictionary()
"""Tables that workers have, for as long as they are used here: the next run need not send them again."""


def _sent(client: Any, table: Table) -> Any:
    """A table on the workers, as the result of a task: it is made again when all that hold it are lost."""
    held = _TABLES.get(table)
    if held is None or held.client is not client or held.status not in ("pending", "finished"):
        if held is not None and held.client is client:
            # Dask remembers a failure for as long as somebody holds the task.
            client.cancel([held])
        _, content = table.__reduce__()
        with warnings.catch_warnings():
            # It is large, and goes this way on purpose: what is scattered is not made again.
            warnings.filterwarnings("ignore", message="Sending large graph")
            # By a name of its own: Dask may still be busy with forgetting an earlier one.
            held = client.submit(Copy, table.digest, content, key=f"cmnet-table-{uuid.uuid4()}", pure=True)
        _TABLES[table] = held
    return held


class ClientPool(Pool):
    """The workers of a client. The table goes to the scheduler once, and from worker to worker."""

    def __init__(self, client: Any, table: Table | None) -> None:
        self._client, self._held = client, None
        self._seen = self._looked = time.monotonic()
        if client.status == "closed":
            raise worker_error("the first task", "the client is closed; make a new one")
        self._take_turns()
        self._packed, self._renewed = table, float("-inf")
        if table is not None:
            self._held = _sent(client, table)

    def _take_turns(self) -> None:
        """Looks which workers there are, and deals tasks to them from now on: machine by machine, worker by worker."""
        machines: dict[str, list[tuple[int, str]]] = collections.defaultdict(list)
        for address, each in self._workers().items():
            machines[each.get("host", "")] += [(turn, address) for turn in range(each.get("nthreads", 1))]
        dealt = itertools.zip_longest(*(sorted(own) for own in machines.values()))
        places = [place[1] for turn in dealt for place in turn if place]
        self.workers = max(len(places), 1)
        # Workers that do not say where they are may be anywhere.
        self.is_one = len(machines) == 1 and "" not in machines
        self._smallest = min(map(len, machines.values()), default=1)
        self._turns = itertools.cycle([{"workers": [place], "allow_other_workers": True} for place in places] or [{}])

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Dask would send them to where the table is. It may have dropped copies that nobody waited for, and then a
        # worker is idle till it steals a task. Tasks that Dask takes together would be begun in no order.
        how = {"pure": False, "fifo_timeout": "0 ms", **next(self._turns)}
        future = self._started(lambda: self._client.submit(do, function, self._held, *arguments, **how))
        return _Sent(self._client, future, stays=False)

    def _started(self, start: Callable[[], Any]) -> Any:
        """A task of Dask, or what it answers; a client that has lost its scheduler starts none."""
        try:
            return start()
        except Exception as error:
            if self._client.status == "running":
                raise
            raise worker_error("a task", f"the scheduler of the cluster cannot be reached ({error})") from error

    def threads(self, tasks: int) -> list[int]:
        """One for each, and for the last ones those of the workers that have none left to do.

        No task has more than the smallest machine, since any may do it.
        """
        self._take_turns()
        last = tasks % self.workers
        return [1] * (tasks - last) + [min(self.workers // max(last, 1), self._smallest)] * last

    def ask_to_end(self, futures: list[Any]) -> bool:
        if self._client.status != "running":
            return False
        keys = [sent.future.key for sent in futures]

        async def ask() -> None:
            await self._client.run(end, keys, on_error="ignore")

        asyncio.run_coroutine_threadsafe(ask(), self._client.loop.asyncio_loop)
        return True

    def let_go(self, futures: list[Any]) -> None:
        super().let_go(futures)
        try:
            self._client.cancel([sent.future for sent in futures])
        except Exception:
            # A scheduler that is gone has nothing left to cancel.
            if self._client.status == "running":
                raise

    def is_lost(self, error: BaseException) -> bool:
        from asyncio import CancelledError
        from concurrent.futures import CancelledError as Cancelled

        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        cancelled = isinstance(error, (CancelledError, Cancelled)) and time.monotonic() > self._renewed + 1.0
        if cancelled or (self._held is not None and getattr(error, "task", None) == self._held.key):
            # Dask cancels tasks whose table it has forgotten, and does not tell that of the table. A table that was
            # lost with too many workers it never makes again: all tasks that wait for it fail with it.
            self._renew()
        return isinstance(error, (KilledWorker, CommClosedError, CancelledError, Cancelled))

    def _renew(self) -> None:
        """Sends the table once more."""
        self._renewed = time.monotonic()
        if self._packed is not None and self._client.status == "running":
            _TABLES.pop(self._packed, None)
            self._held = _sent(self._client, self._packed)

    def lost(self, name: str, error: BaseException) -> Exception:
        why = "its workers were lost again and again, perhaps because their memory is too small; see their logs"
        return worker_error(name, f"{why} ({type(error).__name__})")

    def memory_limits(self) -> list[int]:
        """The memory that each worker may use, where that is limited."""
        return [each["memory_limit"] for each in self._workers().values() if each.get("memory_limit")]

    def check(self, name: str) -> None:
        now = time.monotonic()
        if now < self._looked + min(PATIENCE / 4, 5.0):
            return
        self._looked = now
        try:
            is_alive = self._is_alive()
        except OSError as error:
            raise worker_error(name, f"the scheduler of the cluster cannot be reached ({error})") from error
        if is_alive:
            self._seen = now
        elif now > self._seen + PATIENCE:
            raise worker_error(name, f"the cluster has had no worker that takes tasks for {PATIENCE:.0f} seconds")

    def _workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows about each worker."""
        every = {"n_workers": -1} if "n_workers" in inspect.signature(self._client.scheduler_info).parameters else {}
        known: dict[str, dict[str, Any]] = self._started(lambda: self._client.scheduler_info(**every)["workers"])
        return known

    def _is_alive(self) -> bool:
        """Whether a task may ever end: a worker takes tasks, or one whose memory is nearly full still does one."""
        if self._client.status == "closed":
            raise ConnectionError("the client is closed")
        # Only this question finds out that the scheduler is gone.
        if not self._client.nthreads():
            return False
        states = [worker.get("status", "running") for worker in self._workers().values()]
        return "running" in states or bool(self._client.call_stack())

    def close(self) -> None:
        self._held = None


class _PartPool(ClientPool):
    """Workers that read parts of a table; what they make of them may stay where it is."""

    keeps = False

    def ask_to_end(self, futures: list[Any]) -> bool:
        return False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        from dask.delayed import delayed

        # As one graph: the rows of a part are let go of when it is packed.
        future = self._started(lambda: self._client.compute(delayed(function, pure=False)(*arguments)))
        return _Sent(self._client, future, stays=self.keeps)

    def failed(self, name: str, error: BaseException) -> BaseException:
        if isinstance(error, CmnetError):
            return error
        return _unreadable(name, error)

    def surveys(self, parts: list[Any], frames: list[Any], reading: dict[str, Any], tell: Any) -> list[str]:
        """What is found out about the parts, in their order."""
        found: dict[int, str] = {}
        tasks = [
            (part.name, (number, part, frame, reading)) for number, (part, frame) in enumerate(zip(parts, frames))
        ]
        gather(self, tasks, _survey, lambda pair: found.update([pair]), tell)
        return [found[number] for number in range(len(parts))]

    def packed(self, parts: list[Any], frames: list[Any], reading: dict[str, Any], tell: Any) -> Table | None:
        """All parts packed, and merged in a tree."""
        self.keeps = True
        held: list[Any] = []
        gather(self, [(p.name, (p, f, reading)) for p, f in zip(parts, frames)], _pack, held.append, tell)
        while len(held) > 1:
            groups = [held[start : start + _GROUP] for start in range(0, len(held), _GROUP)]
            held = []
            gather(self, [("merging parts of the table", (group,)) for group in groups], _merge, held.append)
        self.keeps = False
        made: list[Table | None] = []
        gather(self, [("the packed table", (held,))], _only, made.append)
        return made[0]


def _client(client: Any) -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError(f"cmnet.dask needs Dask: pip install cmnet[dask] ({error})", name=error.name) from error

    if client is None:
        current: Any = distributed.default_client  # type: ignore[attr-defined, unused-ignore]
        return current()
    if not isinstance(client, distributed.Client):
        raise _cmnet.refuse_option("client", type(client).__name__, "a distributed.Client")
    return client


@keywords_of(_options.searching, _options.learning, _options.grouping, _options.fitting, _options.reading)
def learn(
    client: Client,
    table: Any,
    *,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Learning],
) -> Learned:
    """As `cmnet.learn`, on the workers of a client."""
    return _learn.learn(table, executor=_executor(client), progress=progress, names=names, **options)


@keywords_of(_options.searching, _options.fitting, _options.reading)
def cross_validate(
    client: Client,
    table: Any,
    *,
    folds: int = 10,
    seed: int = 1,
    fold_column: str | None = None,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Validating],
) -> CrossValidation:
    """As `cmnet.cross_validate`, on the workers of a client: every fold is a task."""
    return _learn.cross_validate(
        table,
        folds=folds,
        seed=seed,
        fold_column=fold_column,
        executor=_executor(client),
        progress=progress,
        names=names,
        **options,
    )


@keywords_of(_options.resampling, _options.checkpointing, _options.searching, _options.fitting, _options.reading)
def bootstrap(
    client: Client,
    table: Any,
    *,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Resampling],
) -> Bootstrap:
    """As `cmnet.bootstrap`, on the workers of a client: some replicates are a task."""
    return _learn.bootstrap(table, executor=_executor(client), progress=progress, names=names, **options)


def _executor(client: Client) -> Any:
    return _client(client).get_executor()


class _Part:
    """A part of a table, read where it is packed."""

    def __init__(self, name: str, read: Callable[[], Any]) -> None:
        self.name, self.read = name, read

    def source(self, reading: dict[str, Any]) -> Any:
        return source(self.read(), None, reading)


class _Frame:
    """The name of a part whose rows are the result of a task of Dask."""

    def __init__(self, name: str) -> None:
        self.name = name


def _of_part(work: Callable[[Any, dict[str, Any]], Any], part: Any, frame: Any, reading: dict[str, Any]) -> Any:
    """Does something with a part; an error names it."""
    try:
        if isinstance(part, _Frame):
            return work(source(frame, None, reading), reading)
        return work(part.source(reading), reading)
    except CmnetError as error:
        raise _named(part.name, error) from None
    except Exception as error:
        raise _unreadable(part.name, error) from error


def _named(name: str, error: CmnetError) -> CmnetError:
    """The same error, which names the part."""
    named = type(error)(f"{name}: {error}")
    named.__dict__.update(error.__dict__)
    named.partition = name  # type: ignore[attr-defined]
    return named


def _unreadable(name: str, error: BaseException) -> InputError:
    unreadable = InputError(f"{name} cannot be read: {type(error).__name__}: {error}")
    unreadable.partition = name
    return unreadable


def _survey(number: int, part: Any, frame: Any, reading: dict[str, Any]) -> tuple[int, str]:
    return number, _of_part(_cmnet.Table.survey, part, frame, reading)


def _pack(part: Any, frame: Any, reading: dict[str, Any]) -> Table | None:
    packed = _of_part(_cmnet.Table.pack, part, frame, reading)
    return None if packed is None else Table._of(packed)


def _added(parts: list[Any], surveys: list[str]) -> str:
    """What was found out about all parts; an error names the first that does not fit to the one before all."""
    try:
        return _cmnet.add_surveys(surveys)
    except CmnetError:
        for part, survey in zip(parts, surveys):
            try:
                _cmnet.add_surveys([surveys[0], survey])
            except CmnetError as error:
                raise _named(part.name, error) from None
        raise


def _merge(tables: list[Table | None]) -> Table | None:
    some = [each._table for each in tables if each is not None]
    return Table._of(_cmnet.Table.merged(some)) if some else None


def _only(tables: list[Table | None]) -> Table | None:
    return tables[0]


def _read_parquet(path: str) -> Any:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(batch_size=1 << 16))


def _read_fragment(fragment: Any, schema: Any) -> Any:
    return fragment.scanner(schema=schema, batch_size=1 << 16).to_reader()


def _paths(given: Any) -> list[str]:
    """Files that a pattern or a list names."""
    names = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    found: list[str] = []
    for name in names:
        text = _options.path(name, "table")
        if os.path.isdir(text):
            found += _in_folder(text)
        elif glob.has_magic(text) and not os.path.exists(text):
            found += sorted(glob.glob(text))
        else:
            found.append(text)
    if not found:
        raise _cmnet.refuse_option("table", ", ".join(map(str, names)), "files that are there")
    return found


def _in_folder(folder: str) -> list[str]:
    """The files of Parquet in a folder, or else those of CSV."""
    for ends in _PARQUET, _CSV:
        found = sorted(entry.path for entry in os.scandir(folder) if entry.name.lower().endswith(ends))
        if found:
            return found
    expected = f"a folder with files of Parquet or CSV; one with folders is pyarrow.dataset.dataset({folder!r})"
    raise _cmnet.refuse_option("table", folder, expected)


def _parts(given: Any) -> tuple[list[Any], list[Any], bool]:
    """The parts of a table, for each the task of Dask that gives its rows, and whether they are frames."""
    if _is_dask(given):
        delayed = given.to_delayed(optimize_graph=True)
        names = [f"partition {number}" for number in range(len(delayed))]
        return [_Frame(name) for name in names], delayed, True
    if hasattr(given, "get_fragments"):
        if getattr(given, "_scan_options", None):
            raise _cmnet.refuse_option("table", "a filtered dataset", "a dataset without a filter")
        fragments = list(given.get_fragments())
        if not all(hasattr(fragment, "path") for fragment in fragments):
            # Rows in memory are on this machine alone, and would travel unpacked.
            raise _cmnet.refuse_option("table", "a dataset in memory", "one of files; cmnet.Table takes its to_table()")
        read = [functools.partial(_read_fragment, fragment, given.schema) for fragment in fragments]
        names = [str(fragment.path) for fragment in fragments]
    elif isinstance(given, (str, os.PathLike)) or (isinstance(given, Sequence) and given):
        names = _paths(given)
        parquet = [name.lower().endswith(_PARQUET) for name in names]
        read = [
            functools.partial(_read_parquet if is_parquet else str, name) for name, is_parquet in zip(names, parquet)
        ]
    else:
        expected = "a Dask DataFrame, files, or an Arrow dataset"
        raise _cmnet.refuse_option("table", type(given).__name__, expected)
    parts = [_Part(f"partition {number} ({name})", each) for number, (name, each) in enumerate(zip(names, read))]
    return parts, [None] * len(parts), False


@keywords_of(_options.reading)
def table(
    table: Any, client: Client | None = None, *, progress: Progress = None, **options: Unpack[Reading]
) -> Table:
    """Packs a table part by part on the workers of a client.

    Parameters
    ----------
    table
        A Dask DataFrame, whose partitions are the parts; files of CSV or Parquet, as a list, a folder or a
        pattern such as ``"survey/*.parquet"``, which the workers must be able to read (of a folder those of
        Parquet, and those of CSV where there are none); or an Arrow dataset of files, whose fragments are the parts.
    client
        The client; the current one by default.
    progress
        As for `cmnet.learn`. Before parts are packed, it is told ``part_bytes`` and
        ``table_bytes``: what the largest packed part and the whole table take at most.

    The other options are those of `cmnet.Table`. The workers look at all parts twice: first for their
    levels, then to pack them. The table is the same as if one machine had read it all. An error
    names the partition. A worker needs the memory of the parts that it reads at a time, and of the
    packed table; a `TableWarning` says beforehand when that may be more than it has.
    """
    reading = _options.reading(**options)
    workers = _PartPool(_client(client), None)
    parts, frames, is_frame = _parts(table)
    with progress_bar(progress) as tell:
        surveys = workers.surveys(parts, frames, reading, tell)
        whole = _added(parts, surveys)
        levels, rows, dropped, missing = _cmnet.surveyed(whole, is_frame, reading["on_missing"])
        largest = max(json.loads(survey)["rows"]["rows"] for survey in surveys)
        _tell_memory(workers, levels, (largest, rows), tell)
        fixed = {**reading, "schema": levels, "on_missing": "drop"}
        packed = workers.packed(parts, frames, fixed, tell)
    if packed is None:
        raise CmnetError("the table: no row was left when it was packed; was it changed meanwhile?")
    inner = packed._table.noted(dropped, missing)
    _warn(inner.warnings)
    return Table._of(inner)


def _tell_memory(workers: _PartPool, levels: Any, rows: tuple[int, int], tell: Any) -> None:
    """Says what the largest packed part and the table take at most, and warns where that is too much."""
    bits = sum(1 << (max(len(own) - 1, 1).bit_length() - 1).bit_length() for _, own in levels)
    part, whole = (count * (bits + 32) // 8 for count in rows)
    if tell is not None:
        tell({"task": 0, "tasks": 1, "doing": "packing", "part_bytes": part, "table_bytes": whole})
    limits = workers.memory_limits()
    # The parts that are merged, what they become, and its order.
    if limits and 3 * whole > min(limits):
        text = (
            f"packing may take up to {3 * whole >> 20} MiB on a worker, and one has {min(limits) >> 20} MiB; "
            "equal rows take less: drop columns that tell rows apart, or give the workers more memory"
        )
        warnings.warn(text, TableWarning, stacklevel=4)
