"""`cargo xtask bench cluster [ROWS [VARIABLES [REPLICATES]]]`: two worker processes beside two threads, packing, and
what units of the cost model take. `cargo xtask bench cluster goal` has two worker processes beside two threads alone, for
the runs of the goal, on a cluster as Dask makes it and on one whose event loops are quiet.

Ratios are of wall time, and of processor time (user and system, of this process and of the workers). Other programs on
the machine change the second little.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from typing import Any

import dask
import numpy as np
import pyarrow
import pyarrow.parquet
from distributed import Client, LocalCluster

import cmnet.dask
from cmnet import _cmnet, _options, _tasks

CLUSTER = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None, "memory_limit": 0}

QUIET = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
"""What docs/cluster.md advises: the event loops of an idle cluster take less of the processor."""


def chain(variables: int, rows: int, seed: int) -> dict[str, np.ndarray]:
    """Binary variables, each much like one of the three before it."""
    numbers = np.random.default_rng(seed)
    made = [numbers.integers(0, 2, rows, dtype=np.int8)]
    for number in range(1, variables):
        before = made[numbers.integers(max(0, number - 3), number)]
        flips = numbers.random(rows) < 0.25
        made.append(np.where(flips, 1 - before, before).astype(np.int8))
    return {f"x{number}": column for number, column in enumerate(made)}


def two_tree(variables: int, rows: int, seed: int) -> dict[str, np.ndarray]:
    """Binary variables, each with two earlier neighbours that are joined: the second matters at one level of the first alone.

    No variable has more than six neighbours.
    """
    numbers = np.random.default_rng(seed)
    made = [numbers.integers(0, 2, rows, dtype=np.int8)]
    made.append(np.where(numbers.random(rows) < 0.3, 1 - made[0], made[0]).astype(np.int8))
    edges, neighbors = [(0, 1)], np.ones(variables, dtype=int)
    for number in range(2, variables):
        free = [edge for edge in edges[-40:] if neighbors[list(edge)].max() < 6]
        one, other = free[numbers.integers(len(free))]
        neighbors[[one, other]] += 1
        neighbors[number] = 2
        chance = np.where(made[one] == 0, 0.3, np.where(made[other] == 0, 0.2, 0.8))
        made.append((numbers.random(rows) < chance).astype(np.int8))
        edges += [(one, number), (other, number)]
    return {f"x{number}": column for number, column in enumerate(made)}


def ticks(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(pid: int) -> float:
    with open(f"/proc/{pid}/status") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


class Clock:
    """Processor time of this process and of the workers, and wall time."""

    def __init__(self, client: Client) -> None:
        self.pids = [worker.process.pid for worker in client.cluster.workers.values()]

    def now(self) -> tuple[float, float]:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return own.ru_utime + own.ru_stime + sum(map(ticks, self.pids)), time.monotonic()

    def measure(self, work):
        cpu, wall = self.now()
        result = work()
        after, late = self.now()
        return result, after - cpu, late - wall


def compare(name: str, clock: Clock, fresh, threads, workers, same, runs: int) -> None:
    """Both ways in turn, so many times: the same work takes up to a fifth more or less from run to run."""
    found = []
    for run in range(runs):
        # A table that the workers do not have yet. Who comes first finds out its digest.
        table, ways = fresh(), [threads, workers]
        order = [0, 1] if run % 2 == 0 else [1, 0]
        measured = {way: clock.measure(lambda: ways[way](table)) for way in order}
        (alone, *own), (shared, *theirs) = measured[0], measured[1]
        assert same(alone) == same(shared), f"{name}: the answers differ"
        found.append([*theirs, *own])
    cpu, wall, own_cpu, own_wall = np.array(found).T
    print(
        f"{name}, {runs} runs, medians: wall {told(wall, own_wall)}; processor time {told(cpu, own_cpu)}; the same bytes",
        flush=True,
    )


def told(theirs: np.ndarray, own: np.ndarray) -> str:
    ratios = theirs / own
    return (
        f"{np.median(theirs):.2f} s by two workers, {np.median(own):.2f} s by two threads, "
        f"ratio {np.median(ratios):.2f} ({ratios.min():.2f} to {ratios.max():.2f})"
    )


def cpu(work):
    """What some work gives, and the processor time that it takes here."""
    before = time.process_time()
    return work(), time.process_time() - before


def blankets(variables: int, rows: int) -> float:
    """Seconds for the blankets of all variables, per pair of variables and row."""
    table = cmnet.Table(chain(variables, rows, 3))
    learning = {
        **_options.searching(search="blanket", kappa="eps", threads=1),
        **_options.learning(select="none"),
        "fitting": _options.fitting(),
    }
    spec = _tasks._spec("learn", learning)
    run = _cmnet.Run(table._table, spec)
    (task, _), = run.tasks(1, 1)
    needed = run.needed()
    _, taken = cpu(lambda: _tasks.run_task(table, spec, task, needed, 1, None))
    return taken / variables**2 / rows


def units() -> dict[str, float]:
    """Nanoseconds for each unit of the cost model."""
    wide = cmnet.Table(chain(200, 100_000, 4))
    half = cmnet.Table(chain(200, 100_000, 5))
    cells = 200 * 100_000
    packed, write = cpu(wide._table.packed)
    _, read = cpu(lambda: _cmnet.Table.from_packed(packed, 0, [], []))
    _, digest = cpu(lambda: wide.digest)
    _, merge = cpu(lambda: _cmnet.Table.merged([wide._table, half._table]))
    return {
        "write": write / cells * 1e9,
        "read": read / cells * 1e9,
        "digest": digest / cells * 1e9,
        "merge": merge / cells / 2 * 1e9,
        "blankets of 5,000 rows": blankets(200, 5_000) * 1e9,
        "blankets of 20,000 rows": blankets(200, 20_000) * 1e9,
    }


def model(unit: dict[str, float], pack: float) -> None:
    """What 10^9 rows x 1,000 binary columns would take on 64 machines of 16 cores, by these units."""
    cells, cores = 1e12, 1024
    print("units, ns: " + ", ".join(f"{name} {value:.2f}" for name, value in unit.items()))
    print(f"two looks: {cells * pack / 1e9 / cores:.0f} s on all cores")
    print(f"a round of merging: {cells * unit['merge'] / 1e9 / 64:.0f} s on one core of each machine")
    print(f"the last merge: {cells * unit['merge'] / 1e9:.0f} s on one core")
    print(f"the table to a machine: 125 GB and {cells * unit['read'] / 1e9:.0f} s on one core")
    print(f"digest: {cells * unit['digest'] / 1e9:.0f} s per task on one core")
    print(f"blankets: {1e6 * 1e9 * unit['blankets of 20,000 rows'] / 1e9 / cores:.0f} s on all cores")


def searches(variables: int) -> list[tuple[str, Any, int, int, int]]:
    """Tables whose structures are learned: a name, what makes it, variables, rows, runs."""
    return [
        ("chain", chain, variables, 2_000, 9),
        ("chain", chain, variables, 20_000, 9),
        ("2-tree with contexts", two_tree, variables, 10_000, 3),
        ("chain", chain, variables * 5 // 2, 2_000, 3),
    ]


def with_profiler(columns: dict[str, np.ndarray]) -> None:
    """The first search on a cluster as Dask makes it: its profiler looks at each worker 100 times a second."""
    with LocalCluster(**CLUSTER) as cluster, Client(cluster) as client:
        compare_searches("learn, the first table, with Dask's profiler", Clock(client), client, columns, 9)


def goal() -> None:
    """At most a tenth more by two workers: 2,000 variables and 200 replicates."""
    for kind, settings in ("as Dask makes it", {}), ("quiet", QUIET):
        with dask.config.set(settings), LocalCluster(**CLUSTER) as cluster, Client(cluster) as client:
            clock = Clock(client)
            for made, make, length, runs in (
                ("chain", chain, 2_000, 15),
                ("chain", chain, 20_000, 7),
                ("2-tree with contexts", two_tree, 10_000, 5),
            ):
                name = f"{kind}: learn, {made}, 2,000 variables, {length:,} rows"
                compare_searches(name, clock, client, make(2_000, length, 1), runs)
            compare_replicates(f"{kind}: bootstrap, 200 variables, 2,000 rows", clock, client, 200, 5)


def compare_replicates(name: str, clock: Clock, client: Client, replicates: int, runs: int) -> None:
    small = chain(200, 2_000, 2)
    compare(
        f"{name}, {replicates} replicates",
        clock,
        lambda: cmnet.Table(small),
        lambda table: cmnet.bootstrap(table, replicates=replicates, kappa="n^-0.5", threads=2),
        lambda table: cmnet.dask.bootstrap(client, table, replicates=replicates, kappa="n^-0.5"),
        lambda found: (list(found.edges), found.consensus.to_text()),
        runs,
    )


def compare_searches(name: str, clock: Clock, client: Client, columns: dict[str, np.ndarray], runs: int) -> None:
    compare(
        name,
        clock,
        lambda: cmnet.Table(columns),
        lambda table: cmnet.learn(table, search="blanket", select="none", threads=2),
        lambda table: cmnet.dask.learn(client, table, search="blanket", select="none"),
        lambda learned: [model.to_text() for model in learned.models],
        runs,
    )


def main() -> None:
    if sys.argv[1:] == ["goal"]:
        return goal()
    given = [int(word) for word in sys.argv[1:]]
    rows, variables, replicates = (given + [10_000_000, 2_000, 200][len(given) :])[:3]
    with_profiler(chain(variables, 2_000, 1))
    no_profiler = dask.config.set({"distributed.worker.profile.enabled": False})
    with no_profiler, LocalCluster(**CLUSTER) as cluster, Client(cluster) as client:
        clock = Clock(client)
        for kind, make, width, length, runs in searches(variables):
            name = f"learn, {kind}, {width:,} variables, {length:,} rows"
            compare_searches(name, clock, client, make(width, length, 1), runs)
        compare_replicates("bootstrap, 200 variables, 2,000 rows", clock, client, replicates, 3)
        small = chain(200, 2_000, 2)
        compare(
            "cross-validation, 200 variables, 2,000 rows, 10 folds",
            clock,
            lambda: cmnet.Table(small),
            lambda table: cmnet.cross_validate(table, kappa=["eps", "n^-0.5"], threads=2),
            lambda table: cmnet.dask.cross_validate(client, table, kappa=["eps", "n^-0.5"]),
            lambda found: list(found.rows),
            9,
        )
        with tempfile.TemporaryDirectory() as folder:
            parts, each = 20, rows // 20
            for part in range(parts):
                columns = chain(20, each, 100 + part)
                pyarrow.parquet.write_table(pyarrow.table(columns), f"{folder}/{part:02}.parquet")
            size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 2**20
            told: list[dict] = []
            packed, used, wall = clock.measure(
                lambda: cmnet.dask.table(f"{folder}/*.parquet", client, progress=told.append)
            )
            bound = next(facts for facts in told if "table_bytes" in facts)
            peaks = ", ".join(f"{peak(pid):.0f}" for pid in clock.pids)
            print(
                f"packing {rows:,} rows x 20 columns, {parts} files of {size / parts:.1f} MiB: {used:.1f} s of processor "
                f"time, {used / rows / 20 * 1e9:.1f} ns a cell, wall {wall:.1f} s; {packed.distinct_rows:,} distinct rows, "
                f"{packed.nbytes / 2**20:.1f} MiB packed, {bound['table_bytes'] / 2**20:.0f} MiB told beforehand; "
                f"peak of the workers {peaks} MiB, of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
            )
        model(units(), used / rows / 20 * 1e9)


if __name__ == "__main__":
    main()
