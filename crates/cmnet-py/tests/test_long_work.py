"""Long work: interrupts, threads, time limits, progress, memory."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import cmnet


def interrupted_after(seconds, work):
    """Sends Ctrl-C to this process after a while; how long the answer took, and the exception."""
    sent = []
    ended = threading.Event()

    def send():
        if not ended.wait(seconds):
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        work()
    except KeyboardInterrupt as error:
        return time.monotonic() - sent[0], error
    finally:
        ended.set()
        sender.join()
    pytest.fail("the work ended before it was interrupted")


@pytest.mark.parametrize("search", ["paper", "blanket"])
@pytest.mark.parametrize("seconds", [0.2, 1.0])
def test_ctrl_c_ends_learning_in_time_and_keeps_what_was_found(search, seconds, wide, very_wide):
    table = cmnet.Table(very_wide if search == "blanket" else wide)
    options = {"kappa": ["n^-0.5", "n^-0.25"], "search": search}
    took, error = interrupted_after(seconds, lambda: cmnet.learn(table, **options))
    assert took < 0.5
    assert isinstance(error, cmnet.Interrupted)
    partial = error.partial
    assert isinstance(partial, cmnet.Learned) and partial.stop == "interrupted"
    assert partial.models and partial.models[-1].learned["stop"] == "interrupted"
    assert partial is error.partial


def test_ctrl_c_keeps_kappas_that_are_done(wide):
    """The first kappa is quick; the interruption comes in the second."""
    seen = threading.Event()

    def progress(facts):
        if facts.get("index") == 1:
            seen.set()

    ended = threading.Event()

    def send():
        assert seen.wait(60)
        if not ended.wait(0.2):
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(cmnet.Interrupted) as raised:
            cmnet.learn(wide, kappa=["eps", "n^-0.5"], search="paper", progress=progress)
    finally:
        ended.set()
        sender.join()
    first, second = raised.value.partial.models
    assert first.learned["stop"] == "converged" and second.learned["stop"] == "interrupted"
    assert first.edges == cmnet.learn(wide, kappa="eps", search="paper", select="none").models[0].edges


def test_ctrl_c_ends_cross_validation_in_time(wide):
    took, error = interrupted_after(0.5, lambda: cmnet.cross_validate(wide[:, :80], search="paper"))
    assert took < 0.5 and isinstance(error, cmnet.Interrupted)


def test_ctrl_c_ends_fitting_in_time():
    """A fit has no place to stop at; it is left behind."""
    import numpy as np

    names = [f"v{place}" for place in range(15)]
    edges = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    structure = cmnet.Model.from_structure({name: [0, 1] for name in names}, edges)
    table = np.random.default_rng(1).integers(0, 2, (20000, 15))
    took, _ = interrupted_after(0.3, lambda: structure.fit(table, names=names, method="pseudo", memory="4G"))
    assert took < 0.5


def test_other_exceptions_of_signal_handlers_pass_through(wide):
    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            cmnet.learn(wide, search="paper")
    finally:
        signal.signal(signal.SIGALRM, before)


def test_time_limits_keep_what_was_found(wide, narrow):
    started = time.monotonic()
    learned = cmnet.learn(wide, search="paper", kappa="n^-0.5", time_limit=0.5, select="none")
    assert time.monotonic() - started < 5
    assert learned.stop == "time-limit" and len(learned.models) == 1
    assert cmnet.learn(narrow[:, :4], time_limit="5m").stop == "converged"


def test_progress_is_told_and_its_exceptions_end_the_search(wide, narrow):
    told = []
    cmnet.learn(narrow[:, :14], search="paper", kappa=["eps", "n^-0.5"], select="none", progress=told.append)
    assert told and {"phase", "kappa", "index", "of", "edges", "steps", "evaluated"} <= set(told[-1])
    steps = [facts["evaluated"] for facts in told]
    assert steps == sorted(steps)

    class Enough(Exception):
        pass

    def refuse(_):
        raise Enough

    started = time.monotonic()
    with pytest.raises(Enough):
        cmnet.learn(wide, search="paper", progress=refuse)
    assert time.monotonic() - started < 2


def test_bars_show_on_standard_error_with_and_without_tqdm():
    script = """
        import sys
        if sys.argv[1] == "without":
            sys.modules["tqdm"] = None
        import numpy as np
        import cmnet
        table = np.random.default_rng(1).integers(0, 3, (2000, 12))
        cmnet.learn(table, search="paper", select="none", progress=True)
    """
    for which in ("with", "without"):
        words = [sys.executable, "-c", textwrap.dedent(script), which]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "cmnet" in done.stderr and "kappa" in done.stderr and done.stdout == ""


def test_the_lock_is_released_while_learning(wide):
    """Another Python thread goes on working while a search runs."""
    ticks = 0
    done = threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    cmnet.learn(wide, search="paper", kappa="n^-0.5", select="none", time_limit=1.0, threads=1)
    done.set()
    thread.join()
    assert ticks > 50


def test_answers_do_not_depend_on_the_number_of_threads(heart):
    texts = {cmnet.learn(heart, threads=threads).selected.to_text() for threads in (0, 1, 2, 5)}
    assert len(texts) == 1


def test_eight_threads_of_twenty_fits_give_right_answers():
    names = cmnet.datasets.names()
    tables = {name: cmnet.Table(cmnet.datasets.load(name)) for name in ("car", "coronary_heart", "economic_activity")}
    expected = {name: cmnet.learn(table, kappa="n^-0.5").selected for name, table in tables.items()}
    texts = {name: model.to_text() for name, model in expected.items()}
    answers = {name: dict(model.query()) for name, model in expected.items()}
    assert len(names) == 8

    def work(thread):
        for fit in range(20):
            name = list(tables)[(thread + fit) % 3]
            if fit % 4 == 0:
                assert cmnet.learn(tables[name], kappa="n^-0.5", threads=1).selected.to_text() == texts[name]
            else:
                assert expected[name].fit(tables[name]).to_text() == texts[name]
            assert dict(expected[name].query()) == answers[name]
        return thread

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_ten_thousand_objects_made_and_dropped_leave_no_memory_behind(heart, heart_model):
    text = heart_model.to_text()
    frame = heart.to_pandas().head(200)

    def cycle(number):
        model = cmnet.Model.from_text(text)
        table = cmnet.Table(frame)
        if number % 20 == 0:
            fitted = model.fit(table)
            fitted.query({"smoking": "yes"})
            fitted.predict_proba(frame, "smoking")
            fitted.sample(10)
            cmnet.learn(table, kappa="eps", threads=1)
        try:
            cmnet.Model.from_text("{")
        except cmnet.ModelFileError:
            pass
        return model, table

    for number in range(1000):
        cycle(number)
    gc.collect()
    before = resident()
    for number in range(10_000):
        cycle(number)
    gc.collect()
    growth = resident() - before
    assert growth < 4_000_000, f"{growth / 1e6:.1f} MB more after 10,000 cycles"


def test_a_forked_child_can_learn(heart):
    """Pools of threads do not outlive a call, so a child of a fork is not stuck with dead ones."""
    cmnet.learn(heart).selected.sample(5000)
    child = os.fork()
    if child == 0:
        try:
            ok = cmnet.learn(heart).selected.sample(5000).shape == (5000, 6)
        finally:
            os._exit(0 if ok else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
