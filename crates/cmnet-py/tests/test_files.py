"""Parquet, Arrow and zstd files as other programs write them, and tables with real weights."""

import gzip
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import cmnet
from conftest import columns_of, table_path

RANDOM = np.random.default_rng(18)
ROWS = 3000


@pytest.fixture(scope="module")
def frame():
    """A table with every kind of column; texts in an order that is not that of their bytes."""
    sizes = RANDOM.integers(0, 3, ROWS)
    text = np.where(RANDOM.random(ROWS) < 0.1, None, np.array(["x", "y"], dtype=object)[RANDOM.integers(0, 2, ROWS)])
    return pd.DataFrame(
        {
            "number": RANDOM.integers(0, 12, ROWS),
            "text": text,
            "truth": RANDOM.random(ROWS) < 0.5,
            "size": pd.Categorical.from_codes(sizes, ["small", "mid", "large"], ordered=True),
            "measure": RANDOM.normal(size=ROWS).round(3),
            "holed": np.where(RANDOM.random(ROWS) < 0.1, np.nan, sizes.astype(float)),
            "count": RANDOM.integers(0, 4, ROWS),
        }
    )


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    plain = frame.assign(truth=frame["truth"].map({True: "true", False: "false"}))
    text = plain.to_csv(index=False)
    (folder / "t.csv").write_text(text)
    with gzip.open(folder / "t.csv.gz", "wt") as out:
        out.write(text)
    (folder / "t.csv.zst").write_bytes(pa.compress(text.encode(), codec="zstd", asbytes=True))
    for compression in ("snappy", "zstd", "gzip", "lz4", "none"):
        frame.to_parquet(folder / f"{compression}.parquet", compression=compression, index=False, row_group_size=700)
    frame.to_feather(folder / "pandas.feather")
    pyarrow.feather.write_feather(frame, folder / "zstd.feather", compression="zstd")
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(folder / "stream.arrows", arrow.schema) as out:
        out.write_table(arrow, max_chunksize=500)
    sizes = pl.Enum(["small", "mid", "large"])
    polars = pl.from_pandas(frame.assign(size=frame["size"].astype(str))).with_columns(pl.col("size").cast(sizes))
    polars.write_parquet(folder / "polars.parquet", row_group_size=800)
    polars.write_ipc(folder / "polars.arrow")
    polars.write_ipc(folder / "packed.arrow", compression="zstd")
    return folder


READING = {"weights": "count", "on_missing": "drop", "bins": {"measure": "frequency:4"}}
ORDER = {"size": ["small", "mid", "large"]}


def read(path, **more):
    return cmnet.Table(path, **{**READING, **more})


def test_every_file_is_the_same_table(files):
    plain = read(files / "t.csv", schema=ORDER)
    assert plain.levels["holed"] == ["0", "1", "2"] and plain.levels["truth"] == ["false", "true"]
    names = sorted(path.name for path in files.iterdir())
    assert len(names) == 14
    for name in names:
        own = {"schema": ORDER} if ".csv" in name else {}
        found = read(files / name, **own)
        assert (name, found.digest) == (name, plain.digest)
        assert found.missing == plain.missing and found.dropped_rows == plain.dropped_rows
    frame = pd.read_parquet(files / "snappy.parquet")
    assert read(frame).digest == plain.digest


def test_the_command_reads_them_too(command, files):
    def learned(data):
        done = subprocess.run(
            [command, "learn", str(data), "--weights", "count", "--on-missing", "drop", "--bins", "measure=2", "--kappa", "eps"]
            + ["--format", "json", "--no-output", "--search", "blanket"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert learned(files / "polars.parquet") == learned(files / "pandas.feather") == learned(files / "stream.arrows")
    assert learned(files / "t.csv.zst") == learned(files / "t.csv")
    several = subprocess.run([command, "describe", f"{files}/*.parquet", "--on-missing", "drop", "--bins", "3"], capture_output=True)
    assert several.returncode == 0, several.stderr


def test_streams_come_by_standard_input_and_others_do_not(command, files):
    describe = [command, "describe", "-", "--on-missing", "drop", "--bins", "3"]
    with open(files / "stream.arrows", "rb") as piped:
        assert subprocess.run(describe, stdin=piped, capture_output=True).returncode == 0
    for name in ("snappy.parquet", "polars.arrow"):
        with open(files / name, "rb") as piped:
            done = subprocess.run(describe, stdin=piped, capture_output=True, text=True)
        assert done.returncode == 2 and "name the file" in done.stderr


def test_rows_of_files_are_answered_in_their_order(files):
    model = cmnet.learn(files / "snappy.parquet", kappa="eps", search="blanket", **READING).selected
    rows = {"on_missing": "drop", "weights": "count"}
    plain = model.log_prob(files / "t.csv", **rows)
    assert len(plain) == ROWS
    for name in ("snappy.parquet", "polars.arrow", "stream.arrows"):
        np.testing.assert_array_equal(model.log_prob(files / name, **rows), plain)


def test_categories_without_an_order_are_ordered_as_texts(tmp_path):
    polars = pl.DataFrame({"a": pl.Series(["b", "a", "c", "a"], dtype=pl.Categorical), "b": [1, 2, 1, 2]})
    polars.write_parquet(tmp_path / "c.parquet")
    polars.write_ipc(tmp_path / "c.arrow")
    encoded = pa.table({"a": pa.array(["b", "a", "c", "a"]).dictionary_encode(), "b": [1, 2, 1, 2]})
    pq.write_table(encoded, tmp_path / "d.parquet")
    for name in ("c.parquet", "c.arrow", "d.parquet"):
        assert cmnet.Table(tmp_path / name).levels["a"] == ["a", "b", "c"], name
    frame = pd.DataFrame({"a": pd.Categorical(["b", "a"], categories=["c", "b", "a"]), "b": [1, 2]})
    frame.to_parquet(tmp_path / "p.parquet")
    assert cmnet.Table(tmp_path / "p.parquet").levels["a"] == ["c", "b", "a"]


def test_bad_files_are_input_errors(files, tmp_path):
    whole = (files / "snappy.parquet").read_bytes()
    for length in (3, 8, len(whole) // 2, len(whole) - 4):
        (tmp_path / "cut.parquet").write_bytes(whole[:length])
        with pytest.raises(cmnet.InputError, match="this file of Parquet cannot be read") as raised:
            cmnet.Table(tmp_path / "cut.parquet")
        assert raised.value.file.endswith("cut.parquet")
    (tmp_path / "t.arrow").write_bytes((files / "polars.arrow").read_bytes()[:-20])
    with pytest.raises(cmnet.InputError, match="this file of Arrow cannot be read"):
        cmnet.Table(tmp_path / "t.arrow")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(cmnet.InputError, match="begins with other bytes"):
        cmnet.Table(tmp_path / "text.parquet")
    nested = pa.table({"a": [1, 2], "b": [[1], [2, 3]]})
    pq.write_table(nested, tmp_path / "n.parquet")
    with pytest.raises(cmnet.NotCategoriesError, match='"b".*nested values'):
        cmnet.Table(tmp_path / "n.parquet")
    assert cmnet.Table(tmp_path / "n.parquet", drop=["b"]).rows == 2
    dates = pa.table({"a": [1, 2], "b": pa.array([1, 2], pa.date32())})
    pq.write_table(dates, tmp_path / "d.parquet")
    with pytest.raises(cmnet.NotCategoriesError, match="dates"):
        cmnet.Table(tmp_path / "d.parquet")


# Real weights


@pytest.fixture(scope="module")
def survey():
    weights = RANDOM.uniform(0.2, 3.0, 800)
    a = RANDOM.integers(0, 2, 800)
    b = np.where(RANDOM.random(800) < 0.8, a, 1 - a)
    return pd.DataFrame({"a": a, "b": b, "c": RANDOM.integers(0, 2, 800), "w": weights})


def test_real_weights_are_learned_fitted_and_validated(command, survey, tmp_path):
    table = cmnet.WeightedTable(survey, weights="w")
    weights = survey["w"]
    assert table.observations == 800 and table.weights_as == "design"
    assert table.sum == pytest.approx(weights.sum()) and table.names == ["a", "b", "c"]
    assert table.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert table.rows == round(table.effective)
    learned = cmnet.learn(table)
    model = learned.selected
    assert ("a", "b") in model.edges
    survey.to_csv(tmp_path / "s.csv", index=False)
    survey.to_parquet(tmp_path / "s.parquet")
    run = [command, "learn", "s.csv", "--weights", "w", "-o", "s.model.json", "--format", "json"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    model.save(tmp_path / "own.model.json")
    assert (tmp_path / "own.model.json").read_text() == (tmp_path / "s.model.json").read_text()
    by_path = cmnet.WeightedTable(tmp_path / "s.parquet", weights="w")
    assert by_path.digest == table.digest == cmnet.WeightedTable(tmp_path / "s.csv", weights="w").digest
    fitted = model.fit(table)
    assert fitted.bic == pytest.approx(model.bic)
    assert model.evaluate(table).rows == table.rows
    found = cmnet.cross_validate(table, folds=4, kappa=["eps", "n^-0.5"])
    done = subprocess.run(
        [command, "cv", "s.csv", "--weights", "w", "--folds", "4", "--kappa", "eps,n^-0.5", "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert repr(found.rows[0]["predictive"]) in done.stdout


def test_scaled_designs_are_one_and_counts_are_not(survey):
    larger = survey.assign(w=survey["w"] * 1024)
    one, other = cmnet.WeightedTable(survey, weights="w"), cmnet.WeightedTable(larger, weights="w")
    assert one.digest == other.digest and one.rows == other.rows
    counts = cmnet.WeightedTable(survey, weights="w", weights_as="counts")
    assert counts.rows == round(survey["w"].sum()) and counts.weights_as == "counts"


def test_bad_weights_and_what_takes_whole_ones(survey):
    for bad, says in [(float("inf"), "finite"), (-0.5, "negative"), (float("nan"), "write 0")]:
        spoilt = survey.copy()
        spoilt.loc[6, "w"] = bad
        with pytest.raises(cmnet.InputError, match=says) as raised:
            cmnet.WeightedTable(spoilt, weights="w")
        assert raised.value.row == 6
    with pytest.raises(cmnet.OptionError, match="weights"):
        cmnet.WeightedTable(survey)
    with pytest.raises(cmnet.OptionError, match="weights_as"):
        cmnet.WeightedTable(survey, weights="w", weights_as="shares")
    table = cmnet.WeightedTable(survey, weights="w")
    for options in ({"components": 2}, {"target": "a"}, {"drop": ["a"]}, {"model": "sgm"}):
        with pytest.raises(cmnet.OptionError, match=next(iter(options))):
            cmnet.learn(table, **options)
    with pytest.raises(cmnet.CmnetError):
        cmnet.posterior(table)
    with pytest.raises(cmnet.InputError):
        cmnet.Table(survey, weights="w")


# What is no table


def test_columns_and_levels_that_are_only_missing():
    holed = {"a": ["x", "y", None], "b": [None, None, None], "c": [1, 2, 3]}
    with pytest.raises(cmnet.MissingValuesError):
        cmnet.learn(holed)
    with pytest.raises(cmnet.InputError, match="no rows are left"):
        cmnet.Table(holed, on_missing="drop")
    with pytest.raises(cmnet.InputError, match="every value of this column is missing"):
        cmnet.learn(holed, on_missing="model")
    # A level that only rows with holes have is a level for the model, and none for the others.
    some = pd.DataFrame({"a": ["x", "y", "z"] * 20, "b": ["1", "2", None] * 20})
    assert cmnet.Table(some, on_missing="drop").levels["a"] == ["x", "y"]
    assert cmnet.learn(some, on_missing="model", completions=2, rounds=1).selected.levels["a"] == ["x", "y", "z"]


def test_knowledge_that_contradicts_itself_and_a_group_of_one_row(survey):
    frame = survey.drop(columns="w")
    with pytest.raises(cmnet.CmnetError, match="a.*b"):
        cmnet.learn(frame, require="a-b", forbid="a-*")
    groups = frame.assign(g=["one"] + ["two"] * (len(frame) - 1))
    with pytest.raises(cmnet.OptionError, match="at least two rows"):
        cmnet.compare_groups(groups, "g")


def test_several_files_are_one_table(tmp_path, heart):
    whole = table_path("coronary_heart").read_text().splitlines(keepends=True)
    cuts = [whole[1:600], whole[600:1200], whole[1200:]]
    paths = [tmp_path / f"part-{number}.csv" for number in range(3)]
    for path, lines in zip(paths, cuts):
        path.write_text("".join([whole[0], *lines]))
    model = cmnet.learn(heart, kappa="eps").selected
    for table in (str(tmp_path / "part-*.csv"), tmp_path / "part-?.csv", paths, tuple(map(str, paths))):
        assert cmnet.learn(table, kappa="eps").selected.to_text() == model.to_text()
        assert model.evaluate(table) == model.evaluate(heart)
        assert len(model.predict_proba(table, "smoking")) == 1841
    with pytest.raises(cmnet.InputError, match="part-9"):
        cmnet.Table([paths[0], tmp_path / "part-9.csv"])
    with pytest.raises(cmnet.OptionError, match="checkpoint"):
        cmnet.learn(paths, checkpoint=paths[1])
    with pytest.raises(cmnet.InputError):
        cmnet.Table(str(tmp_path / "none-*.csv"))


def test_whole_weights_may_be_those_of_a_design(heart):
    columns = columns_of(table_path("coronary_heart"))
    weights = [100 * (2 + row % 3) for row in range(1841)]
    scaled = cmnet.WeightedTable({**columns, "w": weights}, weights="w", weights_as="design")
    design = cmnet.WeightedTable({**columns, "w": [weight / 400 for weight in weights]}, weights="w")
    assert (scaled.weights_as, design.weights_as, scaled.rows) == ("design", "design", design.rows)
    assert cmnet.WeightedTable({**columns, "w": weights}, weights="w").weights_as == "counts"
    learned = [cmnet.learn(table, kappa="eps").selected for table in (scaled, design)]
    assert learned[0].edges == learned[1].edges
