"""Every option of every function with values that nobody should pass: an answer or a `CmnetError`, at once."""

import decimal
import inspect
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import cmnet

_RANDOM = np.random.default_rng(1)
_FIRST = _RANDOM.integers(0, 2, 60)
_NOISY = np.where(_RANDOM.random(60) < 0.8, _FIRST, 1 - _FIRST)
TABLE = {"a": _FIRST.tolist(), "b": _NOISY.tolist(), "c": _RANDOM.integers(0, 3, 60).tolist()}


def nested(depth):
    """Lists in lists, deeper than Python can write."""
    lists = []
    for _ in range(depth):
        lists = [lists]
    return lists


VALUES = {
    "none": None,
    "true": True,
    "negative": -1,
    "huge": 2**70,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "decimal": decimal.Decimal("NaN"),
    "complex": 1j,
    "empty text": "",
    "zero byte": "a\0b",
    "surrogate": "\ud800",
    "control": "\u202ea\n\x1b[31m",
    "long text": "x" * 100_000,
    "bytes": b"a",
    "nothing in it": [],
    "none in it": [None],
    "names of nothing": {None: None},
    "type": decimal.Decimal,
    "no dimension": np.array(5),
    "no number": np.array([np.nan, 1.0]),
    "three dimensions": np.zeros((2, 2, 2), int),
    "deep": nested(2000),
    "frame": pd.DataFrame({"a": []}),
}
TABLES = {
    "ragged": {"a": [1, 2], "b": [1]},
    "scalar": {"a": 1, "b": [1]},
    "objects": {"a": [object(), object()], "b": [1, 2]},
    "nested": {"a": [[1], [2]], "b": [1, 2]},
    "infinite": {"a": [float("inf"), 1.0], "b": [1, 2]},
    "missing": {"a": [float("nan")] * 3, "b": [1, 2, 3]},
    "names": {"": [1, 2], None: [1, 2], "a\0": [1, 2]},
    "surrogate": {"\ud800": [1, 2], "b": ["\ud800", "x"]},
    "huge": {"a": [2**70, 1], "b": [1, 2]},
    "constant": {"a": [1] * 5, "b": [1] * 5},
    "no rows": np.zeros((0, 3), int),
    "no columns": np.zeros((3, 0), int),
    "same names": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "no category": pd.DataFrame({"a": pd.Categorical([None, None], categories=["x"]), "b": [1, 2]}),
    "a folder": ".",
    "no file": "nowhere/table.csv",
}


@pytest.fixture(scope="module")
def made():
    """A model, a mixture and an ensemble of the table."""
    model = cmnet.learn(TABLE, kappa="n^-0.5").selected
    mixture = cmnet.learn(TABLE, components=2).mixture
    return {"": model, "mixture": mixture, "ensemble": cmnet.bootstrap(TABLE, replicates=3, ensemble=True).ensemble}


CALLS = {
    "learn": lambda _: (cmnet.learn, (TABLE,), {"kappa": "n^-0.5"}),
    "Table": lambda _: (cmnet.Table, (TABLE,), {}),
    "WeightedTable": lambda _: (cmnet.WeightedTable, ({**TABLE, "w": [0.5] * 60},), {"weights": "w"}),
    "bootstrap": lambda _: (cmnet.bootstrap, (TABLE,), {"replicates": 2}),
    "cross_validate": lambda _: (cmnet.cross_validate, (TABLE,), {"folds": 2}),
    "posterior": lambda _: (cmnet.posterior, (TABLE,), {"sweeps": 20, "warm_up": 5, "chains": 2}),
    "exact": lambda _: (cmnet.exact, (TABLE,), {}),
    "compare_groups": lambda _: (cmnet.compare_groups, (TABLE, "a"), {"permutations": 9}),
    "load": lambda _: (cmnet.load, ("nowhere",), {}),
    "from_text": lambda made: (cmnet.Model.from_text, (made[""].to_text(),), {}),
    "from_structure": lambda _: (cmnet.Model.from_structure, ({"a": ["0", "1"], "b": ["0", "1"]}, [("a", "b")]), {}),
    "fit": lambda made: (made[""].fit, (TABLE,), {}),
    "log_prob": lambda made: (made[""].log_prob, (TABLE,), {}),
    "predict_proba": lambda made: (made[""].predict_proba, (TABLE, "a"), {}),
    "query": lambda made: (made[""].query, (), {}),
    "map": lambda made: (made[""].map, (), {}),
    "sample": lambda made: (made[""].sample, (3,), {}),
    "impute": lambda made: (made[""].impute, (TABLE,), {}),
    "explain": lambda made: (made[""].explain, (), {}),
    "independent": lambda made: (made[""].independent, ("a", "b"), {}),
    "probability_intervals": lambda made: (made[""].probability_intervals, (TABLE,), {}),
    "report": lambda made: (made[""].report, ("report.html",), {}),
    "mixture query": lambda made: (made["mixture"].query, (), {}),
    "mixture predict_proba": lambda made: (made["mixture"].predict_proba, (TABLE, "a"), {}),
    "ensemble query": lambda made: (made["ensemble"].query, (), {}),
    "ensemble predict_proba": lambda made: (made["ensemble"].predict_proba, (TABLE, "a"), {}),
}


class Late(BaseException):
    """A call that takes too long."""


def _late(*_):
    raise Late


def fate(function, arguments, options):
    """How a call ends: by an answer or by a complaint; anything else is raised."""
    try:
        return "answer", repr(function(*arguments, **options))
    except cmnet.InternalError:
        raise
    except cmnet.CmnetError as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_every_option_takes_anything(name, made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, _late)
    function, arguments, usual = CALLS[name](made)
    bad, complaints = [], 0
    try:
        for place, option in enumerate(inspect.signature(function).parameters):
            for what, value in {**VALUES, **(TABLES if option == "table" else {})}.items():
                if option == "progress" and callable(value):
                    continue  # A function of the caller's own may raise what it likes.
                positional = [*arguments[:place], value, *arguments[place + 1 :]] if place < len(arguments) else arguments
                options = usual if place < len(arguments) else {**usual, option: value}
                signal.alarm(20)
                try:
                    kind, _ = fate(function, positional, options)
                    complaints += kind != "answer"
                except BaseException as error:  # PanicException of pyo3 is no Exception.
                    bad.append(f"{option}={what}: {type(error).__name__}: {str(error)[:100]}")
                finally:
                    signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not bad, "\n".join(bad)
    assert complaints > 10 or len(inspect.signature(function).parameters) < 3


def test_many_threads_ask_one_model_and_get_one_answer(made):
    asked = ["a", "b", "c", "\ud800", "", None] * 20
    with ThreadPoolExecutor(16) as pool:
        told = list(pool.map(lambda target: fate(made[""].query, ({}, target), {}), asked))
    assert told == [fate(made[""].query, ({}, target), {}) for target in asked]
    assert told[0][0] == "answer" and told[3][0] == "OptionError"


def test_a_complaint_about_a_long_value_is_short():
    for value in ("x" * 100_000, [0.5] * 100_000, nested(2000)):
        with pytest.raises(cmnet.OptionError) as caught:
            cmnet.Table(TABLE, no_header=value)
        assert len(str(caught.value)) < 400


def test_a_report_that_runs_out_of_time_is_no_ctrl_c(made, tmp_path):
    with pytest.raises(cmnet.LimitError, match="allow more time"):
        made[""].report(tmp_path / "report.html", time_limit=0)
