"""Every complaint of the Rust side is a typed exception with its place; nothing aborts."""

import errno
import json
import os
import pickle
import random
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow
import pytest

import cmnet
from cmnet import _cmnet


def raised(kind, work, *arguments, **options):
    """The exception that a call raises, after a look at what all of them have in common."""
    with pytest.raises(kind) as caught:
        work(*arguments, **options)
    error = caught.value
    assert type(error) is kind and isinstance(error, cmnet.CmnetError)
    assert str(error) and " --" not in str(error), str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind and str(copy) == str(error) and copy.__dict__ == error.__dict__
    return error


def test_tables_complain_with_file_line_and_column(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("a,b\nx,1\ny\n")
    error = raised(cmnet.InputError, cmnet.Table, path)
    assert (error.file, error.line, error.row) == (str(path), 3, None)
    path.write_text("a,a\nx,1\n")
    error = raised(cmnet.InputError, cmnet.Table, path)
    assert (error.line, error.column) == (1, 2)
    path.write_bytes(b"a,b\nx,\xff\n")
    error = raised(cmnet.InputError, cmnet.Table, path)
    assert (error.line, error.column, error.name) == (2, 2, "b")
    path.write_text("a,b\nx,1\n?,2\n")
    error = raised(cmnet.MissingValuesError, cmnet.Table, path)
    assert (error.file, error.counts) == (str(path), {"a": 1})
    monkeypatch.chdir(tmp_path)
    error = raised(cmnet.MissingFileError, cmnet.Table, "tabel.csv")
    assert isinstance(error, FileNotFoundError) and 'did you mean "table.csv"' in str(error)
    raised(cmnet.InputError, cmnet.Table, tmp_path)
    path.write_text("")
    raised(cmnet.InputError, cmnet.Table, path)


def test_tables_in_memory_complain_with_row_and_column():
    error = raised(cmnet.UnknownLevelError, cmnet.Table, {"z": ["q"] * 3, "a": ["x", "y", "v"]}, schema={"a": ["x", "y"]})
    assert (error.row, error.line, error.column, error.name, error.file) == (2, None, 2, "a", None)
    assert str(error).startswith('the table, row 2, column 2 ("a"): the value "v" is not a level')
    assert raised(cmnet.InputError, cmnet.Table, {"a": ["x\0"]}).row == 0
    raised(cmnet.InputError, cmnet.Table, {})
    raised(cmnet.InputError, cmnet.Table, {"a": []})
    raised(cmnet.InputError, cmnet.Table, {"": ["x"]})
    raised(cmnet.InputError, cmnet.Table, pyarrow.table([["x"], ["y"]], names=["a", "a"]))
    raised(cmnet.InputError, cmnet.Table, {"a": ["x"]}, drop=["a"])
    raised(cmnet.OptionError, cmnet.Table, {"a": ["x"], "b": ["x", "y"]})
    raised(cmnet.InputError, cmnet.Table, {"a": ["x"]}, schema={"a": ["x", "x"]})
    many = np.arange(70_000).reshape(-1, 1)
    assert "65535" in str(raised(cmnet.InputError, cmnet.Table, many))
    for odd in (7, None, object(), 3.5):
        assert raised(cmnet.OptionError, cmnet.Table, odd).option == "table"


def test_options_complain_by_name(heart):
    bad = {
        "kappa": "n^2",
        "alpha": "-1",
        "search": "quick",
        "select": "aic",
        "candidates": "xor",
        "method": "guess",
        "smoothing": -1.0,
        "order": "1",
        "ridge": "weak",
        "memory": "1K",
        "model": "dag",
        "threads": -1,
        "time_limit": "1 fortnight",
        "max_neighbors": 0,
        "max_configurations": 1,
        "checkpoint_interval": "soon",
        "resume": True,
        "on_missing": "ignore",
        "seed": 1.5,
        "no_header": "yes",
        "delimiter": "ab",
    }
    for option, value in bad.items():
        options = {option: value, "checkpoint": "x.json"} if option == "checkpoint_interval" else {option: value}
        error = raised(cmnet.OptionError, cmnet.learn, heart, **options)
        assert error.option == option, (option, error)
    assert raised(cmnet.OptionError, cmnet.learn, heart, kappa=[]).option == "kappa"
    assert raised(cmnet.OptionError, cmnet.learn, heart, kappa=["eps", "eps"]).option == "kappa"
    assert raised(cmnet.OptionError, cmnet.learn, heart, threads=5000).option == "threads"
    assert raised(cmnet.OptionError, cmnet.learn, heart, memory=[1]).option == "memory"
    assert raised(cmnet.OptionError, cmnet.cross_validate, heart, folds=1).option == "folds"
    beside = raised(cmnet.OptionError, cmnet.cross_validate, heart, folds=3, fold_column="smoking")
    assert beside.option == "folds" and "fold_column" in str(beside)
    assert "smoking" in str(raised(cmnet.QuestionError, cmnet.cross_validate, heart, fold_column="smokin"))
    constant = {"a": [0, 1], "part": [1, 1]}
    assert raised(cmnet.OptionError, cmnet.cross_validate, constant, fold_column="part").option == "fold_column"
    with pytest.raises(TypeError):
        cmnet.learn(heart, kapa="eps")


def test_checkpoints_that_would_be_lost_or_destroy_the_table_are_refused(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\nx,1\ny,2\n")
    for bad in (table, tmp_path, tmp_path / "nowhere" / "run"):
        assert raised(cmnet.OptionError, cmnet.learn, table, checkpoint=bad).option == "checkpoint"
    assert table.read_text() == "a,b\nx,1\ny,2\n"


def test_model_files_complain_with_their_place(heart_model, tmp_path):
    document = json.loads(heart_model.to_text())
    path = tmp_path / "bad.model.json"
    document["contexts"][0]["elements"][0] = ["none"]
    path.write_text(json.dumps(document))
    error = raised(cmnet.ModelFileError, cmnet.load, path)
    assert (error.file, error.at) == (str(path), "contexts[0].elements[0]")
    raised(cmnet.ModelFileError, cmnet.Model.from_text, "no json")
    assert raised(cmnet.MissingFileError, cmnet.load, tmp_path / "none.json").errno == errno.ENOENT
    raised(cmnet.ModelFileError, cmnet.load, tmp_path)
    error = raised(cmnet.ModelFileError, cmnet.Model.from_structure, {"a": [0, 1]}, [("a", "a")])
    assert error.at == "edges[0]"
    error = raised(cmnet.FileError, heart_model.save, tmp_path / "nowhere" / "m.json")
    assert isinstance(error, OSError) and error.file and error.errno == errno.ENOENT
    assert pickle.loads(pickle.dumps(error)).errno == errno.ENOENT
    with pytest.raises(TypeError, match="cmnet.learn"):
        cmnet.Model()


def test_questions_complain_with_a_hint(heart_model, heart):
    error = raised(cmnet.QuestionError, heart_model.query, {"smokng": "yes"})
    assert 'did you mean "smoking"' in error.hint
    raised(cmnet.QuestionError, heart_model.query, {"smoking": "maybe"})
    raised(cmnet.QuestionError, heart_model.query, targets=["smoking", "smoking"])
    raised(cmnet.QuestionError, heart_model.query, soft={"smoking": {"yes": 0.0}})
    raised(cmnet.QuestionError, heart_model.markov_blanket, "nobody")
    raised(cmnet.QuestionError, heart_model.predict_proba, heart, "nobody")
    raised(cmnet.QuestionError, cmnet.datasets.load, "cars")
    plain = cmnet.learn(heart, kappa="eps", select="none").models[0]
    assert "model.fit(table)" in str(raised(cmnet.QuestionError, plain.query))
    assert "model.fit(table)" in str(raised(cmnet.QuestionError, plain.log_prob, heart))
    raised(cmnet.OptionError, heart_model.query, "smoking=yes")
    raised(cmnet.OptionError, heart_model.query, method="oracle")
    raised(cmnet.OptionError, heart_model.query, elimination="random")
    raised(cmnet.OptionError, heart_model.sample, -1)
    raised(cmnet.OptionError, heart_model.compare, "another")
    raised(cmnet.OptionError, heart_model.draw, "picture.png")


def test_tables_that_do_not_fit_the_model_complain(heart_model, heart):
    other = {name: list(labels) for name, labels in heart.items()}
    raised(cmnet.MismatchError, heart_model.predict_proba, {"other": ["x"]}, "smoking")
    raised(cmnet.MismatchError, heart_model.compare, cmnet.learn(heart, drop=["smoking"]).selected)
    other["smoking"][5] = "sometimes"
    for work in (heart_model.log_prob, heart_model.fit, heart_model.evaluate):
        error = raised(cmnet.UnknownLevelError, work, other)
        assert (error.row, error.name) == (5, "smoking")
    other["smoking"][5] = None
    error = raised(cmnet.MissingValuesError, heart_model.log_prob, other, on_missing="error")
    assert error.counts == {"smoking": 1}
    found = heart_model.log_prob(other, on_missing="drop")
    assert np.flatnonzero(np.isnan(found)).tolist() == [5]
    del other["smoking"]
    raised(cmnet.InputError, heart_model.fit, other)


def test_limits_complain(heart):
    names = [f"v{place}" for place in range(25)]
    edges = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    structure = cmnet.Model.from_structure({name: [0, 1] for name in names}, edges)
    table = np.random.default_rng(1).integers(0, 2, (50, 25))
    error = raised(cmnet.LimitError, structure.fit, table, names=names, method="exact", memory="1M")
    assert error.what and error.limit and error.hint


def test_a_broken_stream_is_a_complaint():
    schema = pyarrow.schema([("x", pyarrow.string())])

    def batches():
        yield pyarrow.record_batch([["a", "b"]], schema=schema)
        raise RuntimeError("the source is gone")

    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(cmnet.CmnetError, match="the source is gone"):
        cmnet.Table(reader)


def test_every_kind_of_error_of_the_library_has_a_class():
    """Reads the library's kinds: a new one must be given a class here."""
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    text = open(os.path.join(root, "cmnet", "src", "error.rs"), encoding="utf-8").read()
    body = text.split("pub enum ErrorKind {")[1].split("\n}")[0]
    kinds = [line.strip().split(" ")[0].split("(")[0] for line in body.splitlines() if line.startswith("    ") and line.strip()[0].isupper()]
    mapped = open(os.path.join(root, "cmnet-py", "src", "errors.rs"), encoding="utf-8").read()
    assert len(kinds) >= 9
    for kind in kinds:
        assert f"ErrorKind::{kind}" in mapped, kind


FUZZ = """
    import random, sys
    import numpy as np
    import cmnet
    from cmnet import _cmnet

    random = random.Random(int(sys.argv[1]))
    heart = cmnet.datasets.load("coronary_heart")
    model = cmnet.learn(heart).selected
    text = model.to_text()
    odd = [None, "", "x", "smoking", "yes", -1, 0, 1, 2**70, 1.5, float("nan"), float("inf"), b"x", [], {}, (), object(),
           ["a"], {"a": ["x"]}, {"smoking": "yes"}, {"smoking": None}, heart, model, np.zeros((2, 2)), np.zeros(3, int),
           np.zeros((0, 0), int), np.array([], dtype=object), True, lambda facts: None, "n^-0.5", "1G", [[]], "\\0", "\\ud800"]
    names = ["kappa", "alpha", "search", "threads", "memory", "time_limit", "columns", "drop", "weights", "missing",
             "schema", "on_missing", "delimiter", "no_header", "smoothing", "seed", "model", "progress", "names"]
    calls = [
        lambda: cmnet.learn(random.choice(odd), **{random.choice(names): random.choice(odd), "time_limit": 1}),
        lambda: cmnet.learn(heart, **{random.choice(names): random.choice(odd), "kappa": "eps"}),
        lambda: cmnet.Table(random.choice(odd), **{random.choice(names[6:14]): random.choice(odd)}),
        lambda: model.query(random.choice(odd), random.choice(odd)),
        lambda: model.query(soft=random.choice(odd), chains=random.choice(odd)),
        lambda: model.predict_proba(random.choice(odd), random.choice(odd)),
        lambda: model.log_prob(random.choice(odd), missing=random.choice(odd)),
        lambda: model.fit(random.choice(odd), method=random.choice(odd), memory=random.choice(odd)),
        lambda: model.sample(random.choice([0, 1, -1, "x", 2**80, 3.5, None]), random.choice(odd)),
        lambda: model.markov_blanket(random.choice(odd)),
        lambda: model.map(random.choice(odd), random.choice(odd)),
        lambda: cmnet.cross_validate(random.choice(odd), folds=random.choice(odd)),
        lambda: cmnet.Model.from_text(broken(text)),
        lambda: cmnet.Model.from_structure(random.choice(odd), random.choice(odd), random.choice(odd)),
        lambda: _cmnet.learn(random.choice(odd), random.choice(odd), None),
        lambda: _cmnet.Table.read(random.choice(odd), random.choice(odd)),
        lambda: _cmnet.Table.from_packed(*(random.choice(odd) for _ in range(4))),
        lambda: _cmnet.Rows.from_parts([("a", ["x"])], [np.array([random.choice([0, 5, -1])], dtype=np.int32)]).codes("a"),
        lambda: _cmnet.query(random.choice(odd), random.choice(odd), random.choice(odd), {}, {}),
    ]

    def broken(text):
        place = random.randrange(len(text))
        cut = random.choice([text[:place], text[:place] + random.choice("{}[],:0\\"x") + text[place + 1:],
                             text[:place] + text[place + random.randrange(40):]])
        return cut

    outcomes = {}
    for number in range(1500):
        try:
            random.choice(calls)()
            outcome = "done"
        except Exception as error:
            outcome = type(error).__name__
            assert outcome not in ("InternalError", "PanicException", "SystemError"), repr(error)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(outcomes)
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_nonsense_never_ends_the_interpreter(seed):
    words = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(FUZZ), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "done" in done.stdout and "OptionError" in done.stdout


def test_mutated_arrow_and_csv_never_end_the_interpreter(tmp_path):
    """Files cut and changed at random places are read or refused."""
    numbers = random.Random(3)
    path = tmp_path / "table.csv"
    text = cmnet.datasets.csv("economic_activity").encode()
    for _ in range(300):
        mutated = bytearray(text[: numbers.randrange(20, 4000)])
        for _ in range(numbers.randrange(4)):
            mutated[numbers.randrange(len(mutated))] = numbers.randrange(256)
        path.write_bytes(mutated)
        try:
            cmnet.Table(path)
        except cmnet.CmnetError as error:
            assert not isinstance(error, cmnet.InternalError), error


def test_parts_that_do_not_fit_are_refused():
    """What pickles are made of is checked too."""
    levels = [("a", ["x"]), ("b", ["x", "y"])]
    column = lambda *codes: np.array(codes, dtype=np.int32)
    for columns in ([column(1), column(0)], [column(-1), column(0)], [column(0)], [column(0), column(0, 1)]):
        with pytest.raises(cmnet.CmnetError):
            _cmnet.Rows.from_parts(levels, columns)
    assert len(_cmnet.Rows.from_parts(levels, [column(0), column(1)])) == 1
    packed = cmnet.Table({"a": ["x", "y", "x"]})._table.packed()
    for broken in (b"", packed[:-1], packed + b"x", b"x" + packed[1:]):
        with pytest.raises(cmnet.CmnetError):
            _cmnet.Table.from_packed(broken, 0, [], [])


def test_numbers_beyond_a_limit_and_paths_that_cannot_be_written_are_refused(heart_model):
    assert "at most 2147483648" in str(raised(cmnet.OptionError, heart_model.sample, 2**31 + 1))
    assert "at most 18446744073709551615" in str(raised(cmnet.OptionError, heart_model.sample, 1, 2**64))
    assert heart_model.sample(2, 2**64 - 1) == heart_model.sample(2, seed=2**64 - 1)
    assert raised(cmnet.OptionError, cmnet.load, "a\ud800.json").option == "path"


def test_floats_are_numbers_however_small(heart):
    for kappa in (1 / 300, 1 / 1841, 1 / 30000, 1e-9, 0.1 + 0.2):
        learned = cmnet.learn(heart, kappa=kappa, alpha=kappa)
        assert learned.scores[0]["log_kappa"] == pytest.approx(np.log(kappa), abs=1e-12)
        assert pickle.loads(pickle.dumps(learned.selected)) == learned.selected


def test_missing_values_of_files_are_told_with_their_place(heart_model, tmp_path):
    path = tmp_path / "gaps.csv"
    row = "no,no,no,<140,<3,negative"
    path.write_text(f"{','.join(heart_model.names)}\n{row}\n?{row[2:]}\n")
    error = raised(cmnet.MissingValuesError, heart_model.log_prob, path, on_missing="error")
    assert error.file == str(path) and "line 3" in str(error), str(error)


def test_checkpoints_are_spoken_of(heart, tmp_path):
    path = tmp_path / "run"
    with pytest.warns(RuntimeWarning, match="no checkpoint yet"):
        cmnet.learn(heart, checkpoint=path, resume=True, kappa="eps")
    with pytest.warns(RuntimeWarning, match="kept as .*run.old"):
        cmnet.learn(heart, checkpoint=path, kappa="eps")
