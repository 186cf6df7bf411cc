"""Ctrl-C comes through within half a second wherever it falls, and what was found is kept."""

import itertools
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow
import pytest
from test_long_work import interrupted_after

import cmnet


def grid(side):
    """A grid of variables of three levels: slow to sum out."""
    names = [[f"v{row}_{column}" for column in range(side)] for row in range(side)]
    lines = [*names, *map(list, zip(*names))]
    edges = [pair for line in lines for pair in zip(line, line[1:])]
    return cmnet.Model.from_structure({name: range(3) for row in names for name in row}, edges)


def grid_rows(side, count):
    """Rows in which neighbours on the grid often agree."""
    random = np.random.default_rng(1)
    cells = random.integers(0, 3, (count, side, side))
    for row, column in itertools.product(range(side), repeat=2):
        copied = random.random(count)
        if column:
            cells[:, row, column] = np.where(copied < 0.4, cells[:, row, column - 1], cells[:, row, column])
        if row:
            cells[:, row, column] = np.where(copied > 0.6, cells[:, row - 1, column], cells[:, row, column])
    return cells.reshape(count, -1)


@pytest.fixture(scope="module")
def chain():
    """A model of thirty variables in a row, and a file of many of its rows."""
    random = np.random.default_rng(1)
    columns = [random.integers(0, 3, 2_000)]
    for _ in range(29):
        columns.append(np.where(random.random(2_000) < 0.3, random.integers(0, 3, 2_000), columns[-1]))
    return cmnet.learn(np.array(columns).T, kappa="eps", search="paper").selected


@pytest.fixture(scope="module")
def large(chain, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "large.csv"
    text = "\n".join(",".join(row) for row in zip(*chain.sample(20_000).values())) + "\n"
    with open(path, "w") as file:
        file.write(",".join(chain.names) + "\n")
        for _ in range(60):
            file.write(text)
    return path


def test_ctrl_c_in_a_fit_of_a_cross_validation_keeps_the_folds_that_were_finished():
    """Fits have no place to stop at, and take more than a second here."""
    sent = []

    def progress(facts):
        if facts.get("fold") == 1 and facts.get("phase") == "fit" and not sent:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(cmnet.Interrupted) as raised:
        cmnet.cross_validate(grid_rows(8, 12_000), kappa="eps", search="paper", progress=progress)
    assert time.monotonic() - sent[0] < 0.5
    partial = raised.value.partial
    assert isinstance(partial, cmnet.CrossValidation)
    assert (partial.finished, partial.folds, partial.stop) == (1, 10, "interrupted")
    assert [row["method"] for row in partial.rows] == ["CMN", "MN"] and partial.rows[0]["edges"] > 100


def test_an_early_ctrl_c_leaves_a_cross_validation_without_rows(wide):
    table = cmnet.Table(wide)
    _, error = interrupted_after(0.3, lambda: cmnet.cross_validate(table, search="paper"))
    assert error.partial.finished == 0 and len(error.partial.rows) == 0 and "0 of 10 folds" in repr(error.partial)
    assert "<table>" in error.partial._repr_html_()


@pytest.mark.parametrize("call", ["log_prob", "predict_proba", "forgiving"])
def test_ctrl_c_ends_the_reading_of_a_file_in_time(chain, large, call):
    calls = {
        "log_prob": lambda: chain.log_prob(large),
        "predict_proba": lambda: chain.predict_proba(large, "X15"),
        "forgiving": lambda: chain.log_prob(large, on_unknown="missing"),
    }
    took, error = interrupted_after(0.3, calls[call])
    assert took < 0.5 and type(error) is KeyboardInterrupt


def test_ctrl_c_ends_slow_predictions_in_time():
    """Rows of which each takes a good part of a second."""
    model = grid(11)
    fitted = model.fit(grid_rows(11, 500), names=model.names, method="pseudo")
    rows = {name: np.random.default_rng(2).integers(0, 3, 3_000) for name in model.names[:11]}
    for data in (rows, cmnet.Table(rows)):
        took, _ = interrupted_after(0.7, lambda: fitted.predict_proba(data, model.names[60], memory="8G"))
        assert took < 0.5


def test_ctrl_c_ends_sampling_and_the_thread_with_it(chain):
    before = cmnet.Table(chain.sample(10)).rows
    took, _ = interrupted_after(0.5, lambda: chain.sample(10**9))
    assert took < 0.5 and before == 10
    used = time.process_time()
    time.sleep(1.0)
    assert time.process_time() - used < 0.5, "the work goes on although nobody waits for it"


def working_threads():
    """The threads of this process that are cmnet's."""
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as file:
                names.append(file.read().strip())
        except (FileNotFoundError, ProcessLookupError):
            # The thread ended before its name was opened, or before it was read.
            pass
    return sum(name.startswith("cmnet") for name in names)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are listed on Linux only")
@pytest.mark.parametrize("call", ["query", "joint", "map", "sample", "table"])
def test_ctrl_c_ends_questions_and_leaves_no_thread_behind(chain, large, call):
    long = {"method": "gibbs", "sweeps": 10**8}
    calls = {
        "query": lambda: chain.query(**long),
        "joint": lambda: chain.joint(targets=["X1", "X2"], **long),
        "map": lambda: chain.map(targets=["X1"], **long),
        "sample": lambda: chain.sample(10**9, method="gibbs"),
        "table": lambda: [cmnet.Table(large) for _ in range(50)],
    }
    took, error = interrupted_after(0.3, calls[call])
    assert took < 0.5 and type(error) is KeyboardInterrupt
    waited = time.monotonic()
    while working_threads() and time.monotonic() - waited < 0.5:
        time.sleep(0.01)
    assert working_threads() == 0


def test_memory_that_is_not_there_is_an_exception(tmp_path):
    """Under a limit of the system's, where a failed allocation would end the interpreter."""
    script = """
        import cmnet, resource
        model = cmnet.learn(cmnet.datasets.load("coronary_heart")).selected
        names = [f"v{place}" for place in range(300)]
        wide = cmnet.Model.from_structure({name: [0, 1] for name in names}).fit({name: [0, 1] for name in names})
        resource.setrlimit(resource.RLIMIT_AS, (4_000_000 * 1024,) * 2)
        print(model.sample(5 * 10**7).shape)
        for call in (lambda: model.query(chains=10**12, method="gibbs"), lambda: model.query(sweeps=10**15, method="gibbs")):
            try:
                call()
            except cmnet.CmnetError as error:
                print(type(error).__name__)
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (96 << 20),) * 2)
        try:
            wide.sample(2 * 10**9)
        except cmnet.LimitError as error:
            print("LimitError", error.limit)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "(50000000, 6)" and len(lines) == 4 and lines[3] == "LimitError the system's memory", lines


def test_an_exception_of_a_short_runs_callback_keeps_the_result(heart):
    def enough(facts):
        raise KeyboardInterrupt

    with pytest.raises(cmnet.Interrupted) as raised:
        cmnet.learn(heart, progress=enough)
    assert isinstance(raised.value.partial, cmnet.Learned)


def test_interruptions_can_be_pickled(wide):
    table = cmnet.Table(wide)
    _, error = interrupted_after(0.3, lambda: cmnet.learn(table, search="paper", kappa="n^-0.5"))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cmnet.Interrupted and str(again) == str(error)
    assert again.partial == error.partial and again.partial.stop == "interrupted"


def test_ctrl_c_ends_packing_in_time_also_at_its_last_step():
    table = np.random.default_rng(1).integers(0, 4, (2_000_000, 12), dtype=np.uint8)
    times = []
    for _ in range(3):
        started = time.monotonic()
        cmnet.Table(table)
        times.append(time.monotonic() - started)
    whole = min(times)
    for share in (0.3, 0.6):
        took, _ = interrupted_after(share * whole, lambda: cmnet.Table(table))
        assert took < 0.5


def test_ctrl_c_ends_the_packing_of_many_small_batches_in_time():
    """No batch takes long enough by itself to look for signals."""
    chunk = pyarrow.array(["a", "b", "c"] * 300)
    table = pyarrow.table({f"v{column}": pyarrow.chunked_array([chunk] * 4_000) for column in range(6)})
    started = time.monotonic()
    cmnet.Table(table)
    whole = time.monotonic() - started
    took, _ = interrupted_after(whole / 4, lambda: cmnet.Table(table))
    assert took < 0.5 and took < whole / 2


def test_ctrl_c_while_fitting_is_an_interruption():
    """A structure is fitted when its search is done: what was found before the fit is kept."""
    seen = threading.Event()

    def progress(facts):
        if facts.get("phase") == "fit":
            seen.set()

    def work():
        cmnet.learn(grid_rows(9, 400), kappa=["eps", "n^-0.5"], search="blanket", method="pseudo", progress=progress)

    def send():
        if seen.wait(120):
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        work()
    except cmnet.Interrupted as error:
        assert error.partial.stop == "interrupted"
        assert error.partial.models and all(model.learned["stop"] == "converged" for model in error.partial.models)
    else:
        pytest.skip("the fits were done before the interruption came")
    finally:
        sender.join()
