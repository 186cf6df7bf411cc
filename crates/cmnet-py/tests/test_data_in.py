"""Tables of every kind become the same packed table."""

import datetime
import decimal
import gzip
import io
import pickle
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
from conftest import BUNDLED, columns_of, table_path

import cmnet


def forms(path):
    """One table in the forms that people hold it in."""
    columns = columns_of(path)
    text = path.read_text()
    plain = pandas.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    yield "pandas", plain
    yield "pandas objects", plain.astype(object)
    yield "polars", polars.read_csv(io.StringIO(text), infer_schema=False)
    yield "polars lazy", polars.read_csv(io.StringIO(text), infer_schema=False).lazy()
    yield "polars categorical", polars.read_csv(io.StringIO(text), infer_schema=False).cast(polars.Categorical)
    yield "pyarrow", pyarrow.table(columns)
    yield "pyarrow large", pyarrow.table({name: pyarrow.array(column, pyarrow.large_string()) for name, column in columns.items()})
    yield "duckdb", duckdb.connect().read_csv(str(path), all_varchar=True)
    yield "mapping", columns
    yield "numpy texts", np.rec.fromarrays([np.array(column) for column in columns.values()], names=list(columns))
    yield "path", path
    yield "text path", str(path)
    yield "packed", cmnet.Table(path)
    levels = cmnet.Table(path).levels
    ordered = {name: pandas.Categorical(column, categories=levels[name]) for name, column in columns.items()}
    yield "pandas categorical", pandas.DataFrame(ordered)
    yield "polars enum", polars.DataFrame({n: polars.Series(n, c, dtype=polars.Enum(levels[n])) for n, c in columns.items()})
    yield "arrow dictionary", pyarrow.Table.from_pandas(pandas.DataFrame(ordered))


@pytest.mark.parametrize("name", BUNDLED)
def test_every_form_gives_the_same_table(name):
    path = table_path(name)
    expected = cmnet.Table(path)
    for form, table in forms(path):
        assert cmnet.Table(table) == expected, form


def test_every_form_gives_the_same_model():
    path = table_path("coronary_heart")
    texts = {form: cmnet.learn(table).selected.to_text() for form, table in forms(path)}
    assert len(set(texts.values())) == 1, texts.keys()


def test_whole_numbers_of_every_width_give_the_same_model(narrow):
    """NumPy, pandas, polars, pyarrow and a CSV file of the same whole numbers."""
    narrow = narrow[:, :6] * 5 - 3
    names = [f"v{place}" for place in range(6)]
    frame = pandas.DataFrame(narrow, columns=names)
    expected = cmnet.Table(io_path(frame))
    assert expected.levels["v0"] == ["-3", "2", "7", "12"]
    tables = [frame, polars.DataFrame(frame), pyarrow.Table.from_pandas(frame), dict(frame)]
    tables += [frame.astype("Int64"), frame.astype(str), frame.astype("int64[pyarrow]")]
    tables += [frame.astype(kind) for kind in ("int8", "int16", "int32")]
    tables += [pyarrow.Table.from_pandas(frame.astype("int8"))]
    assert all(cmnet.Table(table) == expected for table in tables)
    arrays = [narrow, narrow.astype(np.int8), np.asfortranarray(narrow), narrow[::1], narrow.astype(str), narrow.astype(object)]
    assert all(cmnet.Table(array, names=names) == expected for array in arrays)
    models = {cmnet.learn(array, names=names, kappa="n^-0.5").selected.to_text() for array in arrays}
    models |= {cmnet.learn(table, kappa="n^-0.5").selected.to_text() for table in tables}
    assert len(models) == 1
    assert cmnet.Table(narrow).names == ["X1", "X2", "X3", "X4", "X5", "X6"]


def io_path(frame):
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        frame.to_csv(file, index=False)
    return file.name


def test_large_and_unsigned_numbers():
    values = [2**64 - 1, 0, 2**63]
    expected = ["0", str(2**63), str(2**64 - 1)]
    other = ["a", "b", "c"]
    array = np.array(values, dtype=np.uint64)
    assert cmnet.Table({"x": array, "y": other}).levels["x"] == expected
    assert cmnet.Table(polars.DataFrame({"x": polars.Series(values, dtype=polars.UInt64), "y": other})).levels["x"] == expected
    assert cmnet.Table({"x": values, "y": other}).levels["x"] == expected
    assert cmnet.Table(np.array([[-(2**63)], [2**63 - 1]])).levels["X1"] == [str(-(2**63)), str(2**63 - 1)]


def test_booleans_are_false_and_true():
    truths = [True, False, True]
    tables = [
        pandas.DataFrame({"x": truths}),
        pandas.DataFrame({"x": truths}).astype("boolean"),
        polars.DataFrame({"x": truths}),
        pyarrow.table({"x": truths}),
        {"x": truths},
        {"x": np.array(truths)},
        duckdb.sql("select * from (values (true), (false), (true)) as t(x)"),
    ]
    for table in tables:
        assert cmnet.Table(table).levels == {"x": ["false", "true"]}


def test_categories_keep_their_order_and_those_that_do_not_occur():
    levels = ["low", "middle", "high", "never"]
    values = ["high", "low", "low", "middle"]
    tables = [
        pandas.DataFrame({"grade": pandas.Categorical(values, categories=levels, ordered=True)}),
        polars.DataFrame({"grade": polars.Series(values, dtype=polars.Enum(levels))}),
        pyarrow.table({"grade": pyarrow.DictionaryArray.from_arrays([2, 0, 0, 1], levels)}),
        {"grade": pandas.Categorical(values, categories=levels)},
    ]
    for table in tables:
        assert cmnet.Table(table).levels == {"grade": levels}
    connection = duckdb.connect()
    connection.sql("create type grade as enum ('low', 'middle', 'high', 'never')")
    relation = connection.sql("select v::grade as grade from (values ('high'), ('low')) as t(v)")
    assert cmnet.Table(relation).levels == {"grade": levels}
    assert cmnet.Table({"grade": values}, schema={"grade": levels}).levels == {"grade": levels}
    assert cmnet.Table({"grade": values}).levels == {"grade": ["high", "low", "middle"]}


def test_bins_made_by_pandas_and_polars_work():
    ages = [18, 25, 47, 70]
    binned = pandas.DataFrame({"age": pandas.cut(ages, [0, 20, 40, 100])})
    assert cmnet.Table(binned).levels == {"age": ["(0, 20]", "(20, 40]", "(40, 100]"]}
    assert cmnet.Table(polars.DataFrame({"age": polars.Series(ages).cut([20, 40])})).rows == 4


def test_dictionaries_that_change_between_batches():
    batches = [
        pyarrow.DictionaryArray.from_arrays([0, 1], ["b", "a"]),
        pyarrow.DictionaryArray.from_arrays([0, 1, None], ["c", "b"]),
    ]
    table = pyarrow.table({"x": pyarrow.chunked_array(batches, type=batches[0].type)})
    packed = cmnet.Table(table, on_missing="drop")
    assert packed.levels == {"x": ["b", "a", "c"]} and packed.dropped_rows == 1


def test_columns_are_chosen_as_on_the_command_line(heart):
    assert cmnet.Table(heart, columns=["smoking", "family_anamnesis"]).names == ["smoking", "family_anamnesis"]
    assert cmnet.Table(heart, drop="smoking").names == list(heart)[1:]
    frame = heart.to_pandas()
    frame["when"] = pandas.Timestamp("2020-01-01")
    assert cmnet.Table(frame, drop=["when"]) == cmnet.Table(heart)
    with pytest.raises(cmnet.InputError, match='no column "smokng".*did you mean "smoking"'):
        cmnet.Table(heart, columns=["smokng"])


def test_weights_count(heart):
    frame = heart.to_pandas()
    counted = frame.value_counts().reset_index()
    assert cmnet.Table(counted, weights="count") == cmnet.Table(heart)
    assert cmnet.Table(polars.DataFrame(counted.astype({name: str for name in frame})), weights="count").rows == 1841
    counted["count"] = counted["count"].astype(str) + ".5"
    with pytest.raises(cmnet.InputError, match="row 0.*the weight"):
        cmnet.Table(counted, weights="count")


MISSING = [
    pandas.DataFrame({"a": ["x", None, "y"], "b": ["1", "2", None]}),
    pandas.DataFrame({"a": pandas.Categorical(["x", None, "y"]), "b": pandas.array([1, 2, None], dtype="Int64")}),
    polars.DataFrame({"a": ["x", None, "y"], "b": [1, 2, None]}),
    polars.DataFrame({"a": polars.Series(["x", None, "y"], dtype=polars.Categorical), "b": [1, 2, None]}),
    pyarrow.table({"a": ["x", None, "y"], "b": [1, 2, None]}),
    {"a": ["x", None, "y"], "b": [1, 2, float("nan")]},
    {"a": ["x", "?", "y"], "b": ["1", "2", " NA "]},
    {"a": np.array(["x", "", "y"]), "b": np.ma.array([1, 2, 7], mask=[False, False, True])},
]


@pytest.mark.parametrize("table", MISSING)
def test_missing_values_are_counted_or_dropped(table):
    with pytest.raises(cmnet.MissingValuesError) as raised:
        cmnet.Table(table)
    error = raised.value
    assert (error.rows, error.of, error.counts) == (2, 3, {"a": 1, "b": 1})
    assert 'missing values in 2 of 3 rows, first in row 1 ("a": 1, "b": 1)' in str(error)
    assert 'on_missing="drop"' in str(error) and "--" not in str(error)
    kept = cmnet.Table(table, on_missing="drop")
    assert (kept.rows, kept.dropped_rows, kept.missing) == (1, 2, {"a": 1, "b": 1})
    assert kept.levels["b"] == ["1"]


def test_missing_texts_can_be_chosen():
    table = {"a": ["?", "-", "x"]}
    assert cmnet.Table(table, missing=[]).levels == {"a": ["-", "?", "x"]}
    assert cmnet.Table(table, missing="-", on_missing="drop").levels == {"a": ["?", "x"]}


DAY = datetime.date(2020, 1, 1)
REFUSED = [
    ("numbers with decimals", [0.5, 1.5]),
    ("dates, times or durations", [DAY, DAY]),
    ("dates, times or durations", [datetime.datetime(2020, 1, 1)] * 2),
    ("dates, times or durations", [datetime.timedelta(1)] * 2),
    ("nested values", [[1], [2]]),
    ("nested values", [{"a": 1}, {"a": 2}]),
    ("bytes", [b"a", b"b"]),
    ("numbers with decimals", [decimal.Decimal("0.5")] * 2),
]


@pytest.mark.parametrize(("what", "values"), REFUSED)
@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table, dict])
def test_what_is_no_category_is_refused_by_name(what, values, make):
    table = make({"fine": ["x", "y"], "the column": values})
    with pytest.raises(cmnet.NotCategoriesError) as raised:
        cmnet.Table(table)
    error = raised.value
    assert (error.name, error.column) == ("the column", 2)
    assert f'column 2 ("the column"): this column holds {what}' in str(error)
    assert isinstance(error, (cmnet.CmnetError, ValueError, TypeError))
    if what != "bytes":
        assert "bin" in str(error)


def test_floating_arrays_are_refused():
    with pytest.raises(cmnet.NotCategoriesError, match='"X2".*numbers with decimals .float64.*bins'):
        cmnet.Table({"X1": np.array([1, 2]), "X2": np.array([0.5, 1.0])})
    with pytest.raises(cmnet.NotCategoriesError, match="numbers with decimals"):
        cmnet.Table(np.array([[0.5], [1.5]]))
    with pytest.raises(cmnet.NotCategoriesError, match="dates"):
        cmnet.Table(np.array([["2020-01-01"]], dtype="datetime64[D]"))


def test_compressed_files_and_options_of_files(tmp_path):
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress(b"a;b\nx;1\ny;2\n"))
    assert cmnet.Table(path).levels == {"a": ["x", "y"], "b": ["1", "2"]}
    assert cmnet.Table(path, no_header=True).names == ["X1", "X2"]
    assert cmnet.Table(path, delimiter=",").names == ["a;b"]
    schema = tmp_path / "schema.toml"
    schema.write_text('[levels]\na = ["y", "x"]\n')
    assert cmnet.Table(path, schema=schema).levels["a"] == ["y", "x"]
    assert cmnet.Table({"a": ["x", "y"]}, schema=str(schema)).levels["a"] == ["y", "x"]


def test_tables_and_rows_are_values(heart):
    table = cmnet.Table(heart)
    copy = pickle.loads(pickle.dumps(table))
    assert copy == table and copy.digest == table.digest and hash(copy) == hash(table)
    assert table != cmnet.Table(heart, drop="smoking") and table != 7
    rows = pickle.loads(pickle.dumps(heart))
    assert rows == heart and rows.shape == (1841, 6)
    assert cmnet.Table(table.observations()) == table and len(table) == 1841
    for frame in (heart.to_pandas(), heart.to_polars(), heart.to_arrow(), polars.DataFrame(heart)):
        assert cmnet.Table(frame) == table
    assert "1841 rows" in repr(table) and "1841 rows" in repr(rows)
    assert heart["smoking"][:2] == list(heart.to_pandas()["smoking"][:2])
    with pytest.raises(KeyError):
        heart["nothing"]


MEASURE = """
    import sys
    import numpy as np
    import polars
    import cmnet
    from peak_memory import peak_of
    levels, kind = int(sys.argv[1]), sys.argv[2]
    random = np.random.default_rng(1)
    columns = {}
    for place in range(50):
        codes = random.integers(0, levels, 1_000_000, dtype=np.uint8)
        series = polars.Series(f"v{place}", codes)
        if kind == "enum":
            labels = [f"level {level:02}" for level in range(levels)]
            series = series.cast(polars.UInt32).replace_strict(
                list(range(levels)), labels, return_dtype=polars.Enum(labels))
        elif kind == "bool":
            series = series.cast(polars.Boolean)
        columns[f"v{place}"] = series
    frame = polars.DataFrame(columns)
    del columns, series, codes
    cmnet.Table(frame.head(2000))
    extra, table = peak_of(lambda: cmnet.Table(frame))
    assert table.rows == 1_000_000
    codes = 50 * -(-1_000_000 // (64 // {2: 1, 4: 2, 16: 4}[levels])) * 8
    print(extra, table.nbytes, codes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize(("levels", "kind"), [(2, "bool"), (2, "enum"), (4, "int"), (16, "enum")])
def test_a_million_rows_take_less_than_twice_their_packed_size(levels, kind):
    words = [sys.executable, "-c", textwrap.dedent(MEASURE), str(levels), kind]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    extra, packed, codes = map(int, done.stdout.split())
    assert packed >= codes and extra > 0.8 * packed, "the measurement misses something"
    # The strictest reading: the packed codes alone, without the weights, and the result counts.
    assert extra < 2 * codes, f"{extra / 1e6:.1f} MB beyond the frame for {packed / 1e6:.1f} MB packed"
