"""Columns of every kind: order of levels, missing values, what is refused, and by which name."""

import datetime
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import cmnet

LEVELS = ["low", "middle", "high", "never"]
VALUES = ["high", "low", "low", "middle"]


@pytest.mark.parametrize("kind", [polars.Categorical, polars.Categorical("lexical"), polars.Categorical(polars.Categories("mine"))])
def test_row_order_never_moves_levels_of_polars_categories(kind):
    rows = {"a": ["zz", "b", "aa", "zz"] * 5, "c": ["1", "2", "1", "2"] * 5}
    texts = set()
    for step in (1, -1):
        frame = polars.DataFrame({name: polars.Series(name, column[::step], dtype=kind) for name, column in rows.items()})
        assert cmnet.Table(frame).levels == {"a": ["aa", "b", "zz"], "c": ["1", "2"]}
        assert cmnet.Table({name: frame[name] for name in frame.columns}) == cmnet.Table(frame)
        texts.add(cmnet.learn(frame).selected.to_text())
    assert len(texts) == 1


def test_columns_of_a_mapping_keep_the_order_of_their_levels():
    arrow = pyarrow.DictionaryArray.from_arrays([2, 0, 0, 1], LEVELS)
    columns = [
        polars.Series(VALUES, dtype=polars.Enum(LEVELS)),
        arrow,
        pyarrow.chunked_array([arrow.slice(0, 1), arrow.slice(1)]),
        pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([arrow]))),
        pandas.Categorical(VALUES, categories=LEVELS),
    ]
    for column in columns:
        table = cmnet.Table({"other": ["x", "y", "x", "y"], "grade": column})
        assert table.levels["grade"] == LEVELS, type(column)
        assert table == cmnet.Table({"other": ["x", "y", "x", "y"], "grade": columns[0]})
    assert cmnet.Table(pandas.DataFrame({"grade": columns[3]})).levels == {"grade": LEVELS}


def test_columns_in_chunks_of_different_lengths_stay_row_by_row():
    random = np.random.default_rng(3)
    codes = random.integers(0, 3, (30_000, 3))
    chunked = lambda values, at: pyarrow.chunked_array([values[:at], values[at:20_000], values[20_000:]])
    table = {
        "a": chunked(pyarrow.array(codes[:, 0]), 7),
        "b": polars.Series(codes[:, 1]).cast(polars.String).cast(polars.Categorical),
        "c": chunked(pyarrow.array(codes[:, 2].astype(str)).dictionary_encode(), 8_200),
        "d": codes[:, 0],
        "e": [str(code) for code in codes[:, 1]],
    }
    expected = np.column_stack([codes, codes[:, :2]])
    loose = {name: column for name, column in table.items() if name != "c"}
    assert cmnet.Table(loose) == cmnet.Table(expected[:, [0, 1, 3, 4]], names=list("abde"))
    assert cmnet.Table(table, schema={"c": [0, 1, 2]}) == cmnet.Table(expected, names=list("abcde"))


@pytest.mark.parametrize("nothing", [float("nan"), None, pandas.NA])
def test_missing_values_of_numpy_texts(nothing):
    kind = np.dtypes.StringDType(na_object=nothing)
    table = {"a": np.array(["x", nothing, "y", "x"], dtype=kind), "b": ["1", "2", "1", "2"]}
    with pytest.raises(cmnet.MissingValuesError) as raised:
        cmnet.Table(table)
    assert raised.value.counts == {"a": 1}
    kept = cmnet.Table(table, on_missing="drop")
    assert kept.levels == {"a": ["x", "y"], "b": ["1", "2"]} and kept.rows == 3
    assert cmnet.Table({"a": np.array(["x", "y"], dtype=np.dtypes.StringDType())}).levels == {"a": ["x", "y"]}


def test_missing_values_of_pandas_in_any_container():
    values = ["x", None, float("nan"), pandas.NA, pandas.NaT, "y"]
    array = np.array(values, dtype=object)
    for table in ({"a": values}, {"a": array}, array.reshape(-1, 1), pandas.DataFrame({"a": pandas.Series(array, dtype=object)})):
        assert cmnet.Table(table, on_missing="drop").dropped_rows == 4


MARKED = ["x", "?", "y", "x"]
MARKED_TABLES = [
    {"a": MARKED},
    pandas.DataFrame({"a": pandas.Categorical(MARKED, categories=["y", "?", "x"])}),
    polars.DataFrame({"a": polars.Series(MARKED, dtype=polars.Enum(["y", "?", "x"]))}),
    polars.DataFrame({"a": polars.Series(MARKED, dtype=polars.Categorical)}),
    pyarrow.table({"a": pyarrow.array(MARKED).dictionary_encode()}),
]


@pytest.mark.parametrize("table", MARKED_TABLES)
def test_texts_that_mean_missing_mean_it_among_categories_too(table):
    for options in ({}, {"missing": ["?"]}):
        with pytest.raises(cmnet.MissingValuesError) as raised:
            cmnet.Table(table, **options)
        assert raised.value.counts == {"a": 1}
        assert sorted(cmnet.Table(table, on_missing="drop", **options).levels["a"]) == ["x", "y"]
    assert sorted(cmnet.Table(table, missing=[]).levels["a"]) == ["?", "x", "y"]
    assert sorted(cmnet.Table(table, missing=["x"], on_missing="drop").levels["a"]) == ["?", "y"]
    assert cmnet.Table(table, schema={"a": ["?", "x", "y"]}).levels["a"] == ["?", "x", "y"]


def test_true_and_one_are_two_labels_in_any_order():
    for values in ([True, 1, 0, False], [1, True, False, 0]):
        for table in ({"a": values}, pandas.DataFrame({"a": pandas.Series(values, dtype=object)})):
            assert cmnet.Table(table).levels == {"a": ["0", "1", "false", "true"]}


def test_a_column_of_nulls_harms_nobody_who_does_not_use_it():
    frame = polars.DataFrame({"a": ["x", "y"], "nothing": [None, None], "deep": [[1], [2]]})
    assert cmnet.Table(frame, columns=["a"]) == cmnet.Table({"a": ["x", "y"]})
    with pytest.raises(cmnet.MissingValuesError) as raised:
        cmnet.Table(frame, drop="deep")
    assert raised.value.counts == {"nothing": 2}
    with pytest.raises(cmnet.NotCategoriesError, match="deep"):
        cmnet.Table(frame, drop="nothing")


def test_whole_numbers_of_any_width():
    numbers = [2**100, 5, 2**100]
    assert cmnet.Table(polars.DataFrame({"a": polars.Series(numbers, dtype=polars.Int128)})).levels == {"a": ["5", str(2**100)]}
    sums = duckdb.sql("select sum(v) as total from (values (1, 7), (2, 8)) as t(k, v) group by k")
    assert cmnet.Table(sums).levels == {"total": ["7", "8"]}


ARROW = [
    (pyarrow.list_(pyarrow.int64()), [[1], [2]], "nested values"),
    (pyarrow.struct([("x", pyarrow.int64())]), [{"x": 1}, {"x": 2}], "nested values"),
    (pyarrow.float64(), [0.5, 1.5], "numbers with decimals"),
    (pyarrow.date32(), [datetime.date(2020, 1, 1)] * 2, "dates, times or durations"),
    (pyarrow.binary(), [b"x", b"y"], "bytes"),
]


@pytest.mark.parametrize(("kind", "values", "what"), ARROW)
def test_pandas_columns_of_arrow_are_refused_by_name_when_used(kind, values, what):
    column = pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.array(values, kind)))
    frame = pandas.DataFrame({"fine": ["p", "q"], "odd": column})
    with pytest.raises(cmnet.NotCategoriesError) as raised:
        cmnet.Table(frame)
    assert (raised.value.name, raised.value.column) == ("odd", 2) and what in str(raised.value)
    assert cmnet.Table(frame, columns=["fine"]).rows == 2


@pytest.mark.parametrize("kind", [pyarrow.string_view(), pyarrow.large_string(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())])
def test_pandas_columns_of_arrow_texts(kind):
    column = pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.array(["x", None, "y"]).cast(kind)))
    kept = cmnet.Table(pandas.DataFrame({"a": column}), on_missing="drop")
    assert (kept.levels, kept.dropped_rows) == ({"a": ["x", "y"]}, 1)


class Odd:
    _table = 7


NO_TABLES = [
    pyarrow.chunked_array([["x", "y"]]),
    polars.col("a"),
    pandas.DataFrame({"a": ["x", "y"]}).groupby("a"),
    duckdb.connect(),
    Odd(),
    {"a": np.array([["x", "y"], ["x", "y"]])},
    np.array([([1, 2],), ([3, 4],)], dtype=[("a", "i4", (2,))]),
    {"a": ["\ud800", "b"]},
    {"\ud800": ["a", "b"]},
    pandas.DataFrame({"a": pandas.Series(["\ud800", "b"], dtype=object)}),
    {"a": np.array(["\ud800", "b"])},
    {"a": "text"},
    {"a": 5},
    {"a": {0: "x", 1: "y"}},
    {"a": {"x", "y"}},
    {"a": frozenset(["x", "y"])},
]


@pytest.mark.parametrize("place", range(len(NO_TABLES)))
def test_what_is_no_table_is_a_typed_complaint(place):
    with pytest.raises(cmnet.CmnetError) as raised:
        cmnet.Table(NO_TABLES[place])
    error = raised.value
    assert getattr(error, "option", None) == "table" or getattr(error, "name", None) == "a" or "Arrow stream" in str(error)


def test_matrices_and_scalars_of_numpy():
    assert cmnet.Table(np.matrix([[1, 2], [3, 2]])).levels == {"X1": ["1", "3"], "X2": ["2"]}
    assert cmnet.Table(np.array([("x", 1), ("y", 2)], dtype=[("a", "U1"), ("b", "i4")])).levels == {"a": ["x", "y"], "b": ["1", "2"]}


def test_a_stream_that_breaks_off_says_so():
    def batches():
        yield pyarrow.record_batch({"a": ["x", "y"]})
        raise RuntimeError("the server went away")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("a", pyarrow.string())]), batches())
    with pytest.raises(cmnet.InputError, match="Arrow stream cannot be read.*the server went away"):
        cmnet.Table(reader)


def test_the_result_that_a_duckdb_connection_holds_is_a_table():
    assert cmnet.Table(duckdb.connect().execute("select 'x' as a")).levels == {"a": ["x"]}


def test_names_of_columns_that_stand_twice():
    with pytest.raises(cmnet.InputError) as raised:
        cmnet.Table(pandas.DataFrame([["x", "y"]], columns=["a", "a"]))
    assert "appears twice (first as column 1); rename one of them" in str(raised.value) and "header" not in str(raised.value)


def test_options_that_have_no_meaning_for_a_table_are_refused(heart, heart_model, tmp_path):
    packed = cmnet.Table(heart)
    path = tmp_path / "t.csv"
    path.write_text("a\nx\ny\n")
    refused = [
        ("names", lambda: cmnet.Table(heart.to_pandas(), names=["a"])),
        ("names", lambda: cmnet.Table(heart.to_arrow(), names=["a"])),
        ("names", lambda: cmnet.Table(path, names=["a"])),
        ("names", lambda: heart_model.fit(packed, names=["a"])),
        ("delimiter", lambda: cmnet.Table(heart, delimiter=";")),
        ("no_header", lambda: heart_model.evaluate(heart, no_header=True)),
        ("drop", lambda: heart_model.fit(packed, drop=["smoking"])),
        ("columns", lambda: heart_model.evaluate(packed, columns=["smoking"])),
        ("on_missing", lambda: heart_model.compare(heart_model, packed, on_missing="drop")),
        ("missing", lambda: heart_model.log_prob(packed, missing=["x"])),
        ("weights", lambda: heart_model.predict_proba(packed, "smoking", weights="x")),
        ("schema", lambda: cmnet.learn(packed, schema={"smoking": ["yes", "no"]})),
    ]
    for option, call in refused:
        with pytest.raises(cmnet.OptionError) as raised:
            call()
        assert raised.value.option == option and "nothing:" in raised.value.expected


PEAK = """
    import sys
    import numpy as np
    import cmnet
    from peak_memory import peak_of
    kind = sys.argv[1]
    random = np.random.default_rng(1)
    labels = np.array(["level 1", "level 2", "level 3", "level 4"])
    columns = {f"v{place}": random.integers(0, 4, 1_000_000, dtype=np.uint8) for place in range(50)}
    if kind == "polars":
        import polars
        frame = polars.DataFrame({n: polars.Series(labels).cast(polars.Categorical)[c.astype(np.uint32)] for n, c in columns.items()})
        few = frame.head(20_000)
    else:
        import pandas
        if kind == "categories":
            made = {n: pandas.Categorical.from_codes(c, categories=labels) for n, c in columns.items()}
        else:
            objects = labels.astype(object)
            made = {n: pandas.Series(objects[c], dtype="object" if kind == "objects" else "str") for n, c in columns.items()}
        frame = pandas.DataFrame(made, copy=False)
        del made
        few = frame.head(20_000)
    del columns
    cmnet.Table(few)
    peak, table = peak_of(lambda: cmnet.Table(frame))
    assert table.rows == 1_000_000
    print(peak, table.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize("kind", ["polars", "categories", "objects", "texts"])
def test_frames_of_categories_and_texts_take_less_than_twice_their_packed_size(kind):
    # Arrow's own allocator would keep what was freed before, and hide what is taken from it.
    system = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    words = [sys.executable, "-c", textwrap.dedent(PEAK), kind]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=system, cwd=Path(__file__).parent)
    extra, packed = map(int, done.stdout.split())
    assert 0.4 * packed < extra < 2 * packed, f"{extra / 1e6:.1f} MB beyond the frame for {packed / 1e6:.1f} MB packed"
