"""Rows as data frames and arrays, and frames of other packages that are made when asked for."""

import json
import pickle
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import duckdb
import networkx
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import cmnet


def test_rows_are_a_pandas_frame_with_their_names(heart_model):
    rows = heart_model.sample(3)
    frame = pandas.DataFrame(rows)
    assert list(frame) == heart_model.names and len(frame) == 3
    assert frame.astype(str).equals(rows.to_pandas().astype(str))
    assert pandas.DataFrame.from_dict(rows).equals(frame)
    assert pandas.DataFrame(rows, columns=heart_model.names[:2]).shape == (3, 2)


def test_rows_are_an_array_of_labels(heart_model):
    rows = heart_model.sample(4)
    array = np.asarray(rows)
    assert array.shape == (4, 6) and array[2, 1] == rows[heart_model.names[1]][2]
    assert np.array(rows, dtype=str).dtype.kind == "U"
    with pytest.raises(ValueError, match="copy"):
        np.array(rows, copy=False)
    assert cmnet.Table(array, names=list(rows)) == cmnet.Table({name: rows[name] for name in rows})


def test_rows_are_a_dict_that_does_not_change(heart):
    plain = {name: heart[name] for name in heart}
    assert dict(heart) == {**heart} == heart | {} == plain
    assert json.loads(json.dumps(heart)) == plain and len(heart) == 6
    assert list(heart.items()) == list(plain.items()) and list(heart.values()) == list(plain.values())
    assert heart.get("smoking") == plain["smoking"] and heart.get("nothing") is None
    assert heart.copy() == heart == pickle.loads(pickle.dumps(heart))
    assert pickle.loads(pickle.dumps(dict(heart))) == plain
    for change in (
        lambda: heart.update(smoking=[]),
        lambda: heart.pop("smoking"),
        lambda: heart.clear(),
        lambda: heart.__setitem__("smoking", []),
        lambda: heart.__delitem__("smoking"),
    ):
        with pytest.raises(TypeError, match="do not change"):
            change()
    assert dict(heart) == plain


def test_rows_keep_the_order_of_levels_in_arrow():
    table = cmnet.Table({"a": ["low", "high", "low"]}, schema={"a": ["low", "never", "high"]}).observations()
    for arrow in (table.to_arrow(), pyarrow.table(table)):
        assert cmnet.Table(arrow).levels == {"a": ["low", "never", "high"]}
    assert polars.DataFrame(table).columns == ["a"]


class Frame:
    """What a frame of Dask has, without Dask."""

    def __init__(self, frame):
        self._frame = frame
        self.columns = frame.columns

    def compute(self):
        return self._frame

    def __array__(self, dtype=None, copy=None):
        return self._frame.to_numpy()


Frame.__module__ = "dask.dataframe.core"


def test_a_frame_of_dask_keeps_its_names(heart):
    frame = heart.to_pandas()
    assert cmnet.Table(Frame(frame)) == cmnet.Table(frame)
    with pytest.raises(cmnet.OptionError) as raised:
        cmnet.Table(Frame(frame), names=list("abcdef"))
    assert raised.value.option == "names"


def lazy_tables():
    values = ["zz", "b", None, "zz", "aa"]
    frame = polars.DataFrame(
        {
            "texts": values,
            "categories": polars.Series(values, dtype=polars.Categorical),
            "enum": polars.Series(values, dtype=polars.Enum(["zz", "never", "b", "aa"])),
            "numbers": [3, 1, 2, 3, 10],
            "floats": [3.0, 1.0, None, 3.0, float("nan")],
            "truths": [True, False, None, True, True],
            "wide": polars.Series([2**100, 1, 1, 1, 1], dtype=polars.Int128),
        }
    )
    return frame, frame.lazy()


def test_a_lazy_frame_is_the_frame():
    frame, lazy = lazy_tables()
    table = cmnet.Table(lazy, on_missing="drop")
    assert table == cmnet.Table(frame, on_missing="drop") and table.rows == 3
    assert table.missing == cmnet.Table(frame, on_missing="drop").missing
    assert cmnet.Table(lazy.filter(polars.col("numbers") < 3), columns=["numbers"]).levels == {"numbers": ["1", "2"]}


LARGE = """
    import sys
    import duckdb, polars
    import cmnet
    from peak_memory import peak_of
    if sys.argv[1] == "polars":
        query = polars.LazyFrame({"n": polars.int_range(8_000_000, eager=True)})
        small = polars.LazyFrame({"n": polars.int_range(50_000, eager=True)})
        made = lambda query: query.select(*[(polars.col("n") // (2 + place) % 4).cast(polars.Int64).alias(f"v{place}") for place in range(12)])
    else:
        query, small = "range(2000000)", "range(50000)"
        columns = ", ".join(f"(range // {2 + place} % 4)::bigint as v{place}" for place in range(12))
        made = lambda query: duckdb.sql(f"select {columns} from {query}")
    cmnet.Table(made(small))
    peak, table = peak_of(lambda: cmnet.Table(made(query)))
    assert table.rows == (8_000_000 if sys.argv[1] == "polars" else 2_000_000)
    print(peak)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.skipif(not hasattr(polars.LazyFrame, "collect_batches"), reason="this polars collects")
@pytest.mark.parametrize(("kind", "rows"), [("polars", 8_000_000), ("duckdb", 2_000_000)])
def test_queries_are_not_collected(kind, rows):
    words = [sys.executable, "-c", textwrap.dedent(LARGE), kind]
    done = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    # DuckDB may show a bar before. Collected, a query is 12 columns of numbers of 8 bytes.
    peak = int(done.stdout.split()[-1])
    assert peak < 0.6 * 12 * 8 * rows, f"{peak / 1e6:.0f} MB"


WHOLE = [0.0, 1.0, float("nan"), 2.0, -0.0]
FLOATS = [
    {"a": WHOLE},
    {"a": np.array(WHOLE)},
    {"a": np.array(WHOLE, dtype=np.float32)},
    {"a": np.ma.masked_array([0.0, 1.0, 0.5, 2.0, 0.0], mask=[0, 0, 1, 0, 0])},
    np.array(WHOLE, dtype=np.float16).reshape(-1, 1),
    pandas.DataFrame({"a": WHOLE}),
    pandas.DataFrame({"a": pandas.array([0, 1, None, 2, 0], dtype="Float64")}),
    pandas.DataFrame({"a": pandas.Series(WHOLE, dtype=object)}),
    pandas.DataFrame({"a": pandas.Series(WHOLE, dtype=pandas.ArrowDtype(pyarrow.float64()))}),
    polars.DataFrame({"a": WHOLE}),
    polars.DataFrame({"a": polars.Series([0.0, 1.0, None, 2.0, 0.0], dtype=polars.Float32)}).lazy(),
    pyarrow.table({"a": WHOLE}),
    pyarrow.table({"a": pyarrow.array(np.array(WHOLE, dtype=np.float16))}),
    duckdb.sql("select unnest([0.0::double, 1, null, 2, 0]) as a"),
]


@pytest.mark.parametrize("place", range(len(FLOATS)))
def test_whole_numbers_written_as_floats_are_whole_numbers(place):
    kept = cmnet.Table(FLOATS[place], on_missing="drop")
    assert list(kept.levels.values()) == [["0", "1", "2"]] and kept.rows == 4 and kept.dropped_rows == 1


@pytest.mark.parametrize("odd", [0.5, float("inf"), 2.0**60])
def test_other_floats_are_refused_wherever_they_stand(odd):
    values = np.zeros(20_000)
    values[19_000] = odd
    for table in (
        {"a": values},
        {"a": values.tolist()},
        pandas.DataFrame({"a": values}),
        polars.DataFrame({"a": values}),
        pyarrow.table({"a": values}),
    ):
        with pytest.raises(cmnet.NotCategoriesError, match="numbers with decimals.*cut its numbers into classes"):
            cmnet.Table(table)


def test_whole_floats_are_levels_in_options_and_questions():
    table = pandas.DataFrame({"a": [0.0, 1.0, np.nan, 1.0] * 10, "b": [1, 2, 2, 2] * 10})
    model = cmnet.learn(table, on_missing="drop", kappa="eps").selected
    assert model.levels == {"a": ["0", "1"], "b": ["1", "2"]}
    assert model.query({"a": 1.0}, "b") == model.query({"a": 1}, "b") == model.query({"a": np.float32(1)}, "b")
    assert cmnet.Table({"a": [0, 1]}, schema={"a": [1.0, 0.0]}).levels == {"a": ["1", "0"]}
    categories = pandas.DataFrame({"a": pandas.Categorical([1.0, 2.0, 1.0])})
    assert cmnet.Table(categories).levels == {"a": ["1", "2"]}
    assert cmnet.Table(pandas.DataFrame({"a": ["x", "y"], "n": [2.0, 3.0]}), weights="n").rows == 5


def test_tables_tell_what_their_owner_should_know(tmp_path):
    columns = {"id": range(100), "b": ["x", "y"] * 50}
    path = tmp_path / "table.csv"
    pandas.DataFrame(columns).to_csv(path, index=False)
    for call in (lambda: cmnet.Table(columns), lambda: cmnet.Table(path), lambda: cmnet.learn(path, kappa="eps")):
        with pytest.warns(cmnet.TableWarning, match="looks like an identifier") as told:
            call()
        assert len(told) == 1 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packed = cmnet.Table(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cmnet.learn(packed, kappa="eps")
        cmnet.Table({"a": ["x", "y"] * 9, "b": ["x", "y", "y"] * 6})


def test_graphs_of_networkx_can_be_written(heart_model, tmp_path):
    graph = heart_model.to_networkx()
    for name in ("graph.graphml", "graph.gexf", "graph.gml"):
        getattr(networkx, f"write_{name.split('.')[1]}")(graph, tmp_path / name)
    again = networkx.read_graphml(tmp_path / "graph.graphml")
    assert set(map(frozenset, again.edges)) == set(map(frozenset, heart_model.edges))
    assert {name: json.loads(again.nodes[name]["levels"]) for name in again} == heart_model.levels
    context = heart_model.contexts[0]
    assert json.loads(again.edges[context.edge]["elements"]) == [list(element) for element in context.elements]


def test_drawings_have_a_height_that_converters_understand(heart_model):
    import xml.etree.ElementTree as ElementTree

    root = ElementTree.fromstring(heart_model.to_svg())
    style = dict(part.split(":") for part in root.get("style").split(";"))
    # CairoSVG lets a style go before an attribute, and draws nothing on a height of "auto".
    assert float(root.get("height")) > 0 and not {"width", "height"} & set(style)


def test_a_notebook_shows_a_page_of_bounded_size():
    model = cmnet.Model.from_structure({f"v{k}": ["no", "yes"] for k in range(50)}, [])
    assert "<iframe" in model._repr_html_() and len(model._repr_html_()) < 1_000_000
    large = cmnet.Model.from_structure({f"v{k}": ["no", "yes"] for k in range(400)}, [])
    assert "<iframe" not in large._repr_html_() and "model.explore" in large._repr_html_()
