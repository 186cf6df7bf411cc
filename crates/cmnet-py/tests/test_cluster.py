"""Runs on executors and on a cluster of worker processes: the answers of one machine, to the last
byte, whatever is killed."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import cmnet

KAPPAS = ["eps", "n^-0.5"]
LIMIT = 600 << 20
"""Bytes that a worker may take."""


def chain(variables: int, rows: int, seed: int) -> pandas.DataFrame:
    """Binary and ternary variables, each much like one before it."""
    numbers = np.random.default_rng(seed)
    made = {"x0": numbers.integers(0, 2, rows)}
    for number in range(1, variables):
        levels = 2 + number % 2
        before = made[f"x{numbers.integers(max(0, number - 3), number)}"] % levels
        noise = numbers.integers(0, levels, rows)
        made[f"x{number}"] = np.where(numbers.random(rows) < 0.7, before, noise)
    return pandas.DataFrame({name: column.astype(str) for name, column in made.items()})


@pytest.fixture(scope="module")
def frame():
    return chain(9, 400, 1)


@pytest.fixture(scope="module")
def packed(frame):
    return cmnet.Table(frame)


def texts(learned):
    facts = {name: value for name, value in vars(learned).items() if name not in ("models", "scores")}
    return [model.to_text() for model in learned.models], list(learned.scores), facts


class AnyOrder(ThreadPoolExecutor):
    """Tasks end in an order of its own: each waits for a random while."""

    def submit(self, function, *arguments):
        def later():
            time.sleep(random.random() / 50)
            # As if they had travelled.
            return pickle.loads(pickle.dumps(function))(*pickle.loads(pickle.dumps(arguments)))

        return super().submit(later)


@pytest.mark.parametrize("search", ["paper", "blanket"])
def test_any_executor_gives_the_answer_of_one_machine(packed, search):
    alone = cmnet.learn(packed, search=search)
    for workers in (1, 3):
        with AnyOrder(workers) as pool:
            assert texts(cmnet.learn(packed, search=search, executor=pool)) == texts(alone)


class Elsewhere(ThreadPoolExecutor):
    """A machine that does not have this file."""

    def __init__(self, file):
        super().__init__(2)
        self.file = file

    def submit(self, function, *arguments):
        self.file.unlink(missing_ok=True)
        return super().submit(function, *arguments)


def test_what_is_known_about_edges_travels(packed, tmp_path):
    file = tmp_path / "known.toml"
    file.write_text('forbid = ["x0-*"]\n')
    options = {"knowledge": file, "require": "x3-x7", "kappa": KAPPAS}
    alone = cmnet.learn(packed, **options)
    assert ("x3", "x7") in alone.models[0].edges
    with Elsewhere(file) as pool:
        assert texts(cmnet.learn(packed, executor=pool, **options)) == texts(alone)


def test_folds_on_an_executor(packed):
    alone = cmnet.cross_validate(packed, folds=4, kappa=KAPPAS)
    with AnyOrder(3) as pool:
        assert cmnet.cross_validate(packed, folds=4, kappa=KAPPAS, executor=pool) == alone
        by_column = cmnet.cross_validate(packed, fold_column="x3", kappa="eps", executor=pool)
    assert by_column == cmnet.cross_validate(packed, fold_column="x3", kappa="eps")


RESAMPLING = {"replicates": 12, "kappa": "n^-0.5"}


def supports(found):
    facts = {name: value for name, value in vars(found).items() if name not in ("consensus", "edges", "contexts")}
    return list(found.edges), list(found.contexts), found.consensus.to_text(), facts


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"start": "table", "kappa": KAPPAS},
        {"kappa_choice": "table", "kappa": KAPPAS},
        {"stop_early": True, "replicates": 120},
    ],
)
def test_replicates_on_an_executor(more):
    table = cmnet.Table(chain(6, 200, 3))
    options = {**RESAMPLING, **more}
    alone = cmnet.bootstrap(table, **options)
    told = []
    with AnyOrder(3) as pool:
        found = cmnet.bootstrap(table, executor=pool, progress=told.append, **options)
        with pytest.raises(cmnet.OptionError, match="checkpoint"):
            cmnet.bootstrap(table, checkpoint="run.ck", executor=pool)
    assert supports(found) == supports(alone)
    assert max(facts.get("replicate", 0) for facts in told) == alone.replicates


def test_tasks_of_replicates_are_short(monkeypatch):
    """As if the whole table had taken six seconds, and a replicate half of that: each is a task, and nothing is lost with
    others."""
    from cmnet import _tasks

    clock = iter(range(0, 20_000, 6))
    monkeypatch.setattr(_tasks, "LONG", 3.0)
    table, told = cmnet.Table(chain(6, 200, 3)), []
    alone = cmnet.bootstrap(table, **RESAMPLING)
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(_tasks.time, "monotonic", lambda: float(next(clock)))
        found = cmnet.bootstrap(table, executor=pool, progress=told.append, **RESAMPLING)
    assert supports(found) == supports(alone)
    assert {facts["tasks"] for facts in told if "task" in facts} == {1, 12}


def test_pools_of_processes(packed):
    loky = pytest.importorskip("loky")
    alone = texts(cmnet.learn(packed, search="blanket", kappa=KAPPAS))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert texts(cmnet.learn(packed, search="blanket", kappa=KAPPAS, executor=pool)) == alone
    pool = loky.get_reusable_executor(2)
    assert texts(cmnet.learn(packed, search="blanket", kappa=KAPPAS, executor=pool)) == alone
    pool.shutdown()


def test_progress_and_options_are_those_of_one_machine(packed):
    told = []
    with ThreadPoolExecutor(2) as pool:
        cmnet.learn(packed, kappa=KAPPAS, executor=pool, progress=told.append)
        assert [facts["task"] for facts in told if "task" in facts] == [1, 2]
        with pytest.raises(cmnet.OptionError, match="sgm"):
            cmnet.learn(packed, model="sgm", executor=pool)
        with pytest.raises(cmnet.OptionError, match="checkpoint"):
            cmnet.learn(packed, checkpoint="run.ck", executor=pool)
        with pytest.raises(cmnet.OptionError, match="not divided into tasks"):
            cmnet.learn(packed, select="heldout", executor=pool)
        with pytest.raises(cmnet.OptionError, match="kappa"):
            cmnet.learn(packed, kappa="x", executor=pool)
        with pytest.raises(cmnet.OptionError, match="folds"):
            cmnet.cross_validate(packed, folds=1, executor=pool)
    with pytest.raises(cmnet.OptionError, match="concurrent.futures.Executor"):
        cmnet.learn(packed, executor=3)


class Stuck(ThreadPoolExecutor):
    """Does its first tasks, and none after them."""

    def __init__(self, enough=1):
        super().__init__(1)
        self.left = enough

    def submit(self, function, *arguments):
        self.left -= 1
        return super().submit(function, *arguments) if self.left >= 0 else Future()


def test_ctrl_c_and_the_time_limit_keep_what_is_there(packed):
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    with Stuck() as pool:
        timer.start()
        with pytest.raises(cmnet.Interrupted) as raised:
            cmnet.learn(packed, search="paper", executor=pool)
    found = raised.value.partial
    assert found.stop == "interrupted" and found.models[0].edges
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    with Stuck(2) as pool:
        timer.start()
        with pytest.raises(cmnet.Interrupted) as raised:
            cmnet.bootstrap(packed, executor=pool, **RESAMPLING)
    found = raised.value.partial
    assert (found.stop, found.asked) == ("interrupted", 12) and 0 < found.replicates < 12
    alone = cmnet.cross_validate(packed, folds=3, kappa="eps")
    with Stuck() as pool:
        found = cmnet.cross_validate(packed, folds=3, kappa="eps", executor=pool, time_limit=0.5)
    assert (found.stop, found.finished, alone.finished) == ("time-limit", 1, 3)


def test_a_broken_pool_is_one_clear_error(packed):
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os.getpid).result()
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        with pytest.raises(cmnet.WorkerError) as raised:
            cmnet.learn(packed, executor=pool)
    assert "make a new one" in str(raised.value) and raised.value.task


def test_nothing_of_dask_is_imported_unasked():
    code = "import sys, cmnet; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    # As if it were not installed.
    code = "import sys; sys.modules['distributed'] = None; import cmnet.dask; cmnet.dask.table('survey.csv')"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.returncode == 1 and "ImportError: cmnet.dask needs Dask: pip install cmnet[dask]" in told.stderr


def test_tables_travel_packed(frame, packed):
    assert pickle.loads(pickle.dumps(packed)) == packed
    cells = packed.distinct_rows * len(packed.names)
    assert len(pickle.dumps(packed)) < cells * 2 / 8 + packed.distinct_rows * 4 + 4000


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())])
def test_buffers_that_begin_anywhere_are_read(kind):
    """As those that a worker gets from another process."""
    labels = ["no", "yes", None, "no"] * 3

    def moved(values):
        if isinstance(values, pyarrow.DictionaryArray):
            return pyarrow.DictionaryArray.from_arrays(moved(values.indices), moved(values.dictionary))
        return pyarrow.Array.from_buffers(values.type, len(values), [odd(buffer) for buffer in values.buffers()])

    def odd(buffer):
        return buffer and pyarrow.py_buffer(b"x" + buffer.to_pybytes()).slice(1)

    aligned = pyarrow.array(labels).cast(kind) if pyarrow.types.is_large_string(kind) else pyarrow.array(labels)
    aligned = aligned.dictionary_encode() if pyarrow.types.is_dictionary(kind) else aligned
    read = [cmnet.Table({"a": column}, on_missing="drop") for column in (aligned, moved(aligned))]
    assert read[0] == read[1] and read[0].rows == 9


# A cluster of worker processes, one for all tests.

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    # Dask gives up a place whose worker is away when a timer of an earlier loss ends.
    patience = {"distributed.comm.timeouts.connect": "60s", "distributed.deploy.lost-worker-timeout": "24h"}
    dask.config.set({"distributed.worker.daemon": True, **patience})
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=LIMIT
    )
    try:
        with distributed.Client(cluster) as client:
            yield client
    finally:
        # Dask's own list of workers may meet one that was killed while it started. The cluster is closed by then.
        with contextlib.suppress(KeyError):
            cluster.close()


@pytest.mark.parametrize("workers", [1, 4, 2])
def test_a_cluster_gives_the_answer_of_one_machine(client, packed, workers):
    import cmnet.dask

    client.cluster.scale(workers)
    client.wait_for_workers(workers)
    for search in ("paper", "blanket"):
        alone = cmnet.learn(packed, search=search, kappa=KAPPAS)
        assert texts(cmnet.dask.learn(client, packed, search=search, kappa=KAPPAS)) == texts(alone)
    alone = cmnet.cross_validate(packed, folds=3, kappa="eps")
    assert cmnet.dask.cross_validate(client, packed, folds=3, kappa="eps") == alone
    found = cmnet.dask.bootstrap(client, packed, **RESAMPLING)
    assert supports(found) == supports(cmnet.bootstrap(packed, **RESAMPLING))
    executor = client.get_executor()
    assert cmnet.cross_validate(packed, folds=3, kappa="eps", executor=executor) == alone


def test_tasks_have_the_threads_of_workers_that_have_none(client, packed, monkeypatch):
    import cmnet.dask
    from cmnet import _tasks

    client.wait_for_workers(2)
    pool = cmnet.dask.ClientPool(client, None)
    assert [pool.threads(count) for count in (1, 2, 3)] == [[2], [1, 1], [1, 1, 2]]
    machines = {f"{worker}-{host}": {"host": host, "nthreads": 2} for host in "abc" for worker in range(4)}
    monkeypatch.setattr(pool, "_workers", lambda: {**machines, "0-d": {"host": "d", "nthreads": 6}})
    # Thirty threads; the smallest machine has six.
    assert [pool.threads(count) for count in (3, 10, 28, 32)] == [[6] * 3, [3] * 10, [1] * 28, [1] * 30 + [6] * 2]
    dealt = [next(pool._turns)["workers"][0] for _ in range(30)]
    assert dealt[:8] == ["0-a", "0-b", "0-c", "0-d", "1-a", "1-b", "1-c", "0-d"]
    assert max(map(dealt.count, machines)) == 2 and dealt.count("0-d") == 6
    sent = []

    def gather(workers, tasks, *others):
        tasks = list(tasks)
        sent.append([arguments[-2] for _, arguments in tasks])
        _tasks_gather(workers, tasks, *others)

    _tasks_gather = _tasks.gather
    monkeypatch.setattr(_tasks, "gather", gather)
    alone = cmnet.learn(packed, search="blanket")
    assert texts(cmnet.dask.learn(client, packed, search="blanket")) == texts(alone)
    # What one machine finds sooner than it is sent is one task.
    assert sent == [[2]]
    sent.clear()
    cmnet.dask.learn(client, packed, search="blanket", kappa="eps")
    # Fewer kappas than workers: blankets and the graph, which is also the structure without contexts.
    assert sent == [[1, 1, 1, 1, 2], [2]]
    sent.clear()
    assert texts(cmnet.dask.learn(client, packed, search="blanket", threads=1)) == texts(alone)
    # Each task has its own threads: the graph comes with one of the three other kappas.
    assert sent == [[1, 1, 1, 1, 1], [1], [1, 1]]


def test_workers_hand_over_what_they_have_after_ctrl_c(client, monkeypatch):
    """The one task of the run would take half a minute."""
    import cmnet.dask
    from cmnet import _tasks

    monkeypatch.setattr(_tasks, "GRACE", 10.0)  # of a busy machine
    client.wait_for_workers(2)
    table = cmnet.Table(chain(800, 1000, 6))
    timer = threading.Timer(5.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(cmnet.Interrupted) as raised:
        cmnet.dask.learn(client, table, search="paper", kappa="n^-0.25")
    found = raised.value.partial
    assert found.stop == "interrupted" and found.models[0].edges
    # The task has ended.
    until = time.monotonic() + 20
    while any(client.processing().values()):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_copy_of_a_table_knows_its_digest(packed):
    from cmnet._worker import Copy

    copy = Copy("sha256:" + "0" * 64, packed.__reduce__()[1])
    assert copy.table == packed
    for other in (copy, pickle.loads(pickle.dumps(copy))):
        assert other.table.digest == "sha256:" + "0" * 64
    assert pickle.loads(pickle.dumps(copy.table)).digest == packed.digest


def test_a_table_stays_on_the_workers_while_it_is_used_here(client, frame):
    import cmnet.dask

    table = cmnet.Table(frame.iloc[:150])
    alone = texts(cmnet.learn(table, kappa="eps"))
    assert texts(cmnet.dask.learn(client, table, kappa="eps")) == alone
    held = cmnet.dask._TABLES[table]
    assert client.who_has()[held.key]
    cmnet.dask.bootstrap(client, table, **RESAMPLING)
    cmnet.dask.cross_validate(client, table, folds=3, kappa="eps")
    assert cmnet.dask._TABLES[table] is held
    # What the cluster has let go of, as in a restart, is sent again.
    client.cancel([held])
    assert texts(cmnet.dask.learn(client, table, kappa="eps")) == alone
    assert cmnet.dask._TABLES[table] is not held
    key = cmnet.dask._TABLES[table].key
    del table, held
    gc.collect()
    until = time.monotonic() + 20
    while client.who_has().get(key):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_table_that_dask_forgot_is_sent_again(client, frame):
    """The scheduler forgets it while the client takes it for finished, as after a race of its messages."""
    import cmnet.dask

    table = cmnet.Table(frame.iloc[:130])
    alone = texts(cmnet.learn(table, kappa=KAPPAS))
    assert texts(cmnet.dask.learn(client, table, kappa=KAPPAS)) == alone
    held = cmnet.dask._TABLES[table]

    async def forget():
        scheduler = client.cluster.scheduler
        scheduler.client_releases_keys(keys=[held.key], client=client.id, stimulus_id="test")

    client.sync(forget)
    # Tasks of the run before that are still being let go hold the table a little longer.
    until = time.monotonic() + 20
    while held.key in client.cluster.scheduler.tasks:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert held.status == "finished"
    assert texts(cmnet.dask.learn(client, table, kappa=KAPPAS)) == alone
    assert cmnet.dask._TABLES[table] is not held


def test_a_table_that_could_not_be_made_is_sent_again(client, frame):
    import cmnet.dask

    table = cmnet.Table(frame.iloc[:140])
    failed = client.submit(lambda: 1 / 0, key=f"cmnet-table-{table.digest}", pure=True)
    assert isinstance(failed.exception(), ZeroDivisionError)
    cmnet.dask._TABLES[table] = failed
    del failed
    assert texts(cmnet.dask.learn(client, table, kappa="eps")) == texts(cmnet.learn(table, kappa="eps"))


def cut(frame, numbers):
    places = sorted(numbers.sample(range(1, len(frame)), numbers.randrange(1, 7)))
    return [frame.iloc[a:b] for a, b in zip([0, *places], [*places, len(frame)])]


def same(one, other):
    assert (one, one.digest, one.levels, one.warnings) == (other, other.digest, other.levels, other.warnings)
    assert (one.missing, one.dropped_rows) == (other.missing, other.dropped_rows)


def test_tables_are_packed_on_the_workers(client, frame, tmp_path):
    import dask.dataframe

    import cmnet.dask

    numbers = random.Random(5)
    odd = frame.assign(
        number=[str(float(n % 11)) for n in range(len(frame))],
        gaps=[None if n % 50 == 7 else n % 3 for n in range(len(frame))],
        grade=pandas.Categorical(frame["x1"], categories=["2", "1", "0"]),
        weight=[n % 4 for n in range(len(frame))],
    )
    options = {"weights": "weight", "on_missing": "drop"}
    for divided in (1, 3, 7):
        ddf = dask.dataframe.from_pandas(odd, npartitions=divided)
        same(cmnet.dask.table(ddf, client, **options), cmnet.Table(ddf.compute(), **options))
    parts = cut(odd, numbers)
    for number, part in enumerate(parts):
        part.to_csv(tmp_path / f"{number}.csv", index=False)
        columns = pyarrow.Table.from_pandas(part, preserve_index=False)
        pyarrow.parquet.write_table(columns, tmp_path / f"{number}.parquet")
    odd.to_csv(tmp_path / "whole.csv.txt", index=False)
    files = [tmp_path / f"{number}.csv" for number in range(len(parts))]
    whole = cmnet.Table(tmp_path / "whole.csv.txt", **options)
    same(cmnet.dask.table(files, client, **options), whole)
    folder = tmp_path / "csv"
    folder.mkdir()
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
    same(cmnet.dask.table(folder, client, **options), whole)
    dataset = pyarrow.dataset.dataset(tmp_path, format="parquet", exclude_invalid_files=True)
    whole = cmnet.Table(dataset.scanner().to_reader(), **options)
    same(cmnet.dask.table(dataset, client, **options), whole)
    assert cmnet.dask.table(str(tmp_path / "*.parquet"), client, **options).rows == whole.rows


def test_errors_name_the_partition(client, frame, tmp_path):
    import dask.dataframe

    import cmnet.dask

    ddf = dask.dataframe.from_pandas(frame, npartitions=4)
    named = r'^partition \d: the table, row \d+, column 1 \("x0"\)'
    with pytest.raises(cmnet.UnknownLevelError, match=named) as raised:
        cmnet.dask.table(ddf, client, schema={"x0": ["1"]})
    assert raised.value.partition.startswith("partition ") and raised.value.name == "x0"
    broken = ddf.map_partitions(lambda part: 1 / 0 if part.index[0] == 200 else part, meta=frame)
    with pytest.raises(cmnet.InputError, match="^partition 2 cannot be read: ZeroDivisionError: division by zero"):
        cmnet.dask.table(broken, client)
    good, bad = tmp_path / "a.parquet", tmp_path / "b.parquet"
    frame.to_parquet(good)
    bad.write_bytes(good.read_bytes()[:1000])
    with pytest.raises(cmnet.CmnetError, match=r"partition 1 \(.*b\.parquet\) cannot be read"):
        cmnet.dask.table([good, bad], client)
    frame.drop(columns="x2").to_parquet(bad)
    with pytest.raises(cmnet.MismatchError, match=r"^partition 2 \(.*b\.parquet\): .* not the same columns") as raised:
        cmnet.dask.table([good, good, bad], client)
    assert raised.value.partition.startswith("partition 2 ")
    with pytest.raises(cmnet.OptionError, match="a dataset in memory.*to_table"):
        cmnet.dask.table(pyarrow.dataset.dataset(pyarrow.Table.from_pandas(frame)), client)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(cmnet.OptionError, match=r"a folder with files of Parquet or CSV.*pyarrow\.dataset\.dataset"):
        cmnet.dask.table(empty, client)
    with pytest.raises(cmnet.MissingValuesError, match="missing values in 1 of 401 rows"):
        gap = pandas.concat([frame, pandas.DataFrame({name: [None] for name in frame})])
        cmnet.dask.table(dask.dataframe.from_pandas(gap.reset_index(drop=True), npartitions=3), client)
    with pytest.raises(cmnet.OptionError, match="Arrow dataset"):
        cmnet.dask.table(3, client)


def test_memory_is_told_beforehand(client, frame, monkeypatch):
    import dask.dataframe

    import cmnet.dask

    told = []
    made = cmnet.dask.table(dask.dataframe.from_pandas(frame, npartitions=2), client, progress=told.append)
    bounds = [facts for facts in told if "table_bytes" in facts]
    assert len(bounds) == 1 and made.nbytes <= bounds[0]["table_bytes"]
    assert bounds[0]["part_bytes"] <= bounds[0]["table_bytes"]
    monkeypatch.setattr(cmnet.dask._PartPool, "memory_limits", lambda _: [8 << 30, 3 * bounds[0]["table_bytes"] - 1])
    with pytest.warns(cmnet.TableWarning, match="packing may take up to .* on a worker"):
        cmnet.dask.table(dask.dataframe.from_pandas(frame, npartitions=2), client)


def ready(client, workers=2):
    """So many workers at least; a nanny that lost its worker while that started may have given up."""
    try:
        client.wait_for_workers(workers, timeout=20)
    except TimeoutError:
        client.cluster.scale(0)
        client.cluster.scale(2)
        client.wait_for_workers(workers, timeout=60)


def killer(client, seed, stop, killed):
    """Kills a worker that has begun to work, and perhaps the other one; the nannies start others."""
    numbers = random.Random(seed)
    for _ in range(2):
        if stop.wait(numbers.uniform(0.005, 0.15)):
            return
        # A nanny whose worker dies while it starts gives up for good.
        known = client.cluster.scheduler.workers
        nannies = [nanny for nanny in client.cluster.workers.values() if nanny.worker_address in known]
        begun = [nanny.process for nanny in nannies if nanny.process is not None and nanny.status.name == "running"]
        processes = [process.pid for process in begun if process.status.name == "running" and process.pid]
        if processes:
            os.kill(numbers.choice(processes), signal.SIGKILL)
            killed.append(seed)


def test_workers_may_be_killed(client, frame):
    """`CMNET_KILLED_RUNS` says how many runs are to lose a worker; a run may end before its worker is hit."""
    import dask.dataframe

    import cmnet.dask

    runs = int(os.environ.get("CMNET_KILLED_RUNS", "20"))
    larger = cmnet.Table(chain(14, 500, 2))
    alone = {search: texts(cmnet.learn(larger, search=search, kappa=KAPPAS)) for search in ("paper", "blanket")}
    folds = cmnet.cross_validate(larger, folds=3, kappa="eps")
    resampled = supports(cmnet.bootstrap(larger, **RESAMPLING))
    whole = cmnet.Table(frame)
    killed: list[int] = []
    for number in range(4 * runs):
        if len(set(killed)) >= runs:
            break
        ready(client, 1)
        stop = threading.Event()
        thread = threading.Thread(target=killer, args=(client, number, stop, killed), daemon=True)
        thread.start()
        try:
            if number % 5 < 2:
                search = ("paper", "blanket")[number % 5]
                assert texts(cmnet.dask.learn(client, larger, search=search, kappa=KAPPAS)) == alone[search]
            elif number % 5 == 2:
                assert cmnet.dask.cross_validate(client, larger, folds=3, kappa="eps") == folds
            elif number % 5 == 3:
                assert supports(cmnet.dask.bootstrap(client, larger, **RESAMPLING)) == resampled
            else:
                ddf = dask.dataframe.from_pandas(frame, npartitions=6)
                assert cmnet.dask.table(ddf, client).digest == whole.digest
        finally:
            stop.set()
            thread.join()
    assert len(set(killed)) >= runs // 2


def test_a_partition_that_takes_all_memory_is_named(client, frame, monkeypatch):
    import dask.dataframe

    import cmnet.dask
    from cmnet import _tasks

    # Without second tries, all parts that the lost worker had are blamed by Dask.
    monkeypatch.setattr(_tasks, "MOST_LOSSES", 0)
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    ddf = dask.dataframe.from_pandas(frame, npartitions=8).map_partitions(_devours, meta=frame)
    for _ in range(2):
        ready(client)
        with pytest.raises(cmnet.WorkerError, match="^partition 4 could not be done: .* memory") as raised:
            cmnet.dask.table(ddf, client)
        assert raised.value.task == "partition 4"


def test_results_are_fetched_before_their_worker_leaves(client, packed):
    """The progress of the first task ends all workers, when the results of all tasks are made."""
    import cmnet.dask

    ready(client)
    told = []

    def leave(facts):
        if not told:
            time.sleep(1)
            client.cluster.scale(0)
            deadline = time.monotonic() + 30
            while client.nthreads() and time.monotonic() < deadline:
                time.sleep(0.05)
            assert not client.nthreads()
        told.append(facts)

    learned = cmnet.dask.learn(client, packed, search="paper", kappa=KAPPAS, progress=leave)
    assert texts(learned) == texts(cmnet.learn(packed, search="paper", kappa=KAPPAS))


def test_workers_may_leave_while_others_come_back(client, packed, monkeypatch):
    """All workers are killed and the cluster is made empty while they start again."""
    import cmnet.dask

    monkeypatch.setattr(cmnet.dask, "PATIENCE", 2.0)
    alone = texts(cmnet.learn(packed, search="paper", kappa=KAPPAS))
    client.cluster.scale(2)
    for pause in (0.0, 0.05, 0.5, 1.0):
        ready(client, 1)
        for nanny in client.cluster.workers.values():
            if nanny.process is not None and nanny.process.pid:
                os.kill(nanny.process.pid, signal.SIGKILL)
        time.sleep(pause)
        client.cluster.scale(0)
        began = time.monotonic()
        try:
            assert texts(cmnet.dask.learn(client, packed, search="paper", kappa=KAPPAS)) == alone
        except cmnet.WorkerError as error:
            assert "no worker that takes tasks for 2 seconds" in str(error)
        assert time.monotonic() < began + 30
        client.cluster.scale(2)


@pytest.fixture
def small_cluster(monkeypatch):
    """One worker without a bound of memory, and a client that is not patient."""
    import cmnet.dask

    monkeypatch.setattr(cmnet.dask, "PATIENCE", 2.0)
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=0, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_a_closed_client_is_one_clear_error(packed):
    import cmnet.dask

    cluster = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        pass
    with pytest.raises(cmnet.WorkerError, match="the client is closed; make a new one"):
        cmnet.dask.learn(client, packed)


def test_a_cluster_without_workers_is_one_clear_error(small_cluster, packed):
    import cmnet.dask

    small_cluster.cluster.scale(0)
    with pytest.raises(cmnet.WorkerError, match="no worker that takes tasks for 2 seconds"):
        cmnet.dask.learn(small_cluster, packed)


def test_a_worker_that_takes_no_tasks_is_one_clear_error(small_cluster, packed):
    """As one whose memory is full of what other clients hold."""
    import cmnet.dask

    def pause(dask_worker):
        dask_worker.status = distributed.Status.paused

    small_cluster.run(pause)
    with pytest.raises(cmnet.WorkerError, match="no worker that takes tasks for 2 seconds"):
        cmnet.dask.learn(small_cluster, packed)


def test_a_lost_scheduler_is_one_clear_error(packed):
    import cmnet.dask

    script = """
import distributed, sys
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, protocol="tcp") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    hasty = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with other, hasty, distributed.Client(other.stdout.readline().strip()) as client:
        with pytest.raises(cmnet.WorkerError, match="scheduler of the cluster cannot be reached|workers were lost"):
            cmnet.dask.bootstrap(client, packed, replicates=100_000, progress=lambda _: other.kill())


def _devours(part):
    """Takes more memory than a worker may have, until its nanny ends it."""
    if part.index[0] == 200:
        taken = np.ones(LIMIT >> 3)
        time.sleep(60)
        return taken
    return part
