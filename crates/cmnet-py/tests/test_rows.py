"""Rows in their order: files, packed tables and tables in memory are read alike."""

import numpy as np
import pandas
import pytest

import cmnet

LEVELS = {"a": ["x", "y"], "b": ["x", "y"], "c": ["0", "1", "2"]}


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(2)
    codes = random.integers(0, 2, 400)
    noise = random.random(400) < 0.2
    table = {
        "a": np.where(codes, "y", "x"),
        "b": np.where(codes ^ noise, "y", "x"),
        "c": np.where(random.random(400) < 0.3, 0, codes + 1),
    }
    return cmnet.learn(table, schema=LEVELS, kappa="eps").selected


def forms(columns, tmp_path, **reading):
    """One table in memory, as a file, and packed."""
    frame = pandas.DataFrame(columns)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return {"memory": frame, "file": path, "packed": cmnet.Table(frame, **reading)}


ROWS = {"a": ["x", "x", "y", "y"], "b": ["x", "strange", "x", "y"], "c": ["0", "1", "1", "9"]}


def test_unknown_values_are_missing_where_that_is_asked_for(model, tmp_path):
    for form, table in forms(ROWS, tmp_path).items():
        found = model.predict_proba(table, "a", on_unknown="missing")
        known = model.predict_proba({"b": ["x", None, "x", "y"], "c": ["0", "1", "1", None]}, "a")
        order = np.lexsort(found.probabilities.T) if form == "packed" else slice(None)
        other = np.lexsort(known.probabilities.T) if form == "packed" else slice(None)
        assert np.array_equal(found.probabilities[order], known.probabilities[other]), form
        logs = model.log_prob(table, on_unknown="missing", on_missing="drop")
        assert np.isnan(logs).sum() == 2, form
        with pytest.raises(cmnet.MissingValuesError):
            model.log_prob(table, on_unknown="missing", on_missing="error")
        assert np.isfinite(model.log_prob(table, on_unknown="missing")).all(), form
        for call in (model.log_prob, lambda table: model.predict_proba(table, "a")):
            with pytest.raises(cmnet.UnknownLevelError):
                call(table)


def test_missing_texts_are_missing_before_they_are_unknown(model, tmp_path):
    rows = {"a": ["x", "y"], "b": ["?", "x"], "c": ["1", "-"]}
    for table in list(forms(rows, tmp_path, missing=[]).values())[:2]:
        found = model.predict_proba(table, "a", missing=["?", "-"])
        assert found == model.predict_proba(table, "a", missing=["?"], on_unknown="missing")
        with pytest.raises(cmnet.UnknownLevelError):
            model.predict_proba(table, "a", missing=["?"])


def test_the_target_and_other_columns_may_be_absent(model, tmp_path):
    rows = {"c": ["0", "2", "2"], "not of the model": ["1", "2", "3"]}
    expected = model.predict_proba(rows, "a").probabilities
    for form, table in forms(rows, tmp_path).items():
        for unknown in ("error", "missing"):
            found = model.predict_proba(table, "a", on_unknown=unknown)
            assert np.array_equal(np.sort(found.probabilities, axis=0), np.sort(expected, axis=0)), form
            assert found.accuracy is None and len(found) == 3
    with pytest.raises(cmnet.MismatchError, match="none of the model's columns"):
        model.predict_proba(cmnet.Table({"z": ["1", "2"]}), "a")


def test_packed_tables_answer_in_the_order_of_their_observations(model):
    table = cmnet.Table({"a": ["y", "x", "y", "x"], "b": ["x", "x", "y", "x"], "c": ["1", "0", "2", "0"]}, schema=LEVELS)
    assert np.array_equal(model.log_prob(table), model.log_prob(table.observations()))
    assert model.predict_proba(table, "b") == model.predict_proba(table.observations(), "b")


def test_files_have_the_options_of_the_command(model, tmp_path, run, heart, heart_model):
    path = tmp_path / "rows.txt"
    path.write_text("x|0\ny|2\n")
    named = cmnet.Model.from_text(model.to_text().replace('"b"', '"X1"').replace('"c"', '"X2"'))
    plain = named.predict_proba({"X1": ["x", "y"], "X2": ["0", "2"]}, "a")
    assert named.predict_proba(path, "a", delimiter="|", no_header=True) == plain
    without = named.predict_proba({"X1": ["x", "y"]}, "a")
    assert named.predict_proba(path, "a", delimiter="|", no_header=True, drop=["X2"]) == without
    counted = heart.to_pandas().value_counts().reset_index()
    file = tmp_path / "counted.csv"
    counted.to_csv(file, index=False)
    saved = tmp_path / "m.json"
    heart_model.save(saved)
    there = run("predict", saved, file, "--target", "smoking", "--weights", "count")
    for table in (file, counted):
        here = heart_model.predict_proba(table, "smoking", weights="count")
        assert here.accuracy == pytest.approx(there["accuracy"], abs=1e-12)
        assert here.log_loss == pytest.approx(there["log_loss"], abs=1e-12)
    whole = heart_model.predict_proba(heart, "smoking")
    assert here.accuracy == pytest.approx(whole.accuracy, abs=1e-12)
    assert len(heart_model.log_prob(file, weights="count")) == len(counted)
    with pytest.raises(cmnet.InputError, match='no column "cuont"'):
        heart_model.predict_proba(file, "smoking", weights="cuont")


def test_samples_are_drawn_in_blocks_that_do_not_show(heart_model):
    many = heart_model.sample(200_000, seed=4)
    assert many.shape == (200_000, 6)
    few = heart_model.sample(70_000, seed=4)
    for name in many:
        assert np.array_equal(few.codes(name), many.codes(name)[:70_000])
    assert many.to_arrow().num_rows == 200_000 and cmnet.Table(many).rows == 200_000
    assert cmnet.Table(many.to_pandas()) == cmnet.Table(many)


def test_missing_values_are_fitted_and_filled(heart, heart_model):
    frame = heart.to_pandas().astype(str)
    holed = frame.mask(np.random.default_rng(1).random(frame.shape) < 0.1)
    fitted = heart_model.fit(holed, on_missing="model")
    assert fitted.fitted["rows"] == len(frame) and "EM over" in fitted.fitted["reason"]
    assert fitted.edges == heart_model.edges
    assert heart_model.fit(frame, on_missing="model") == heart_model.fit(frame)
    filled = fitted.impute(holed).to_pandas().astype(str)
    known = holed.notna().to_numpy()
    assert filled.notna().all(axis=None) and (filled.to_numpy() == frame.to_numpy())[known].all()
    draws = [fitted.impute(holed, draw=True, seed=seed).to_pandas() for seed in (1, 1, 2)]
    assert draws[0].equals(draws[1]) and not draws[0].equals(draws[2])
    with pytest.raises(ValueError, match="on_missing"):
        cmnet.cross_validate(holed, on_missing="model")
