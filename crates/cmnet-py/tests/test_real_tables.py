"""Real tables: knowledge, groups, holes, numbers and weights, and what is refused, as in the command."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import cmnet
from conftest import table_path


def groups():
    """Two groups; a and b go together in the first alone."""
    draw = np.random.default_rng(2)
    group = np.tile(["x", "y"], 200)
    a = draw.integers(0, 2, 400)
    b = np.where((group == "x") & (draw.uniform(size=400) < 0.8), a, draw.integers(0, 2, 400))
    return {"a": a, "b": b, "c": draw.integers(0, 2, 400), "g": group, "pair": np.arange(400) // 2}


def written(table, path):
    """The table as a CSV file."""
    lines = [",".join(table), *(",".join("" if cell is None else str(cell) for cell in row) for row in zip(*table.values()))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [{}, {"block": "pair"}, {"among": ["a", "b"], "drop": ["pair"]}])
def test_learning_with_groups_is_that_of_the_command(command, tmp_path, options):
    table, usual = groups(), {"permutations": 99, "level": 0.1, "seed": 3}
    options = {**({} if options else {"drop": ["pair"]}), **options}
    learned = cmnet.learn(table, group="g", **usual, **options)
    flags = [f"--{name}={','.join(value) if isinstance(value, list) else value}" for name, value in options.items()]
    flags += [f"--{name}={value}" for name, value in usual.items()]
    path = written(table, tmp_path / "groups.csv")
    words = [command, "learn", path, "--group=g", *flags, "-o", tmp_path / "m.model.json", "--format=json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert learned.groups == json.loads(done.stdout)["groups"]
    assert learned.selected.to_text() == (tmp_path / "m.model.json").read_text(encoding="utf-8")
    assert learned.groups == cmnet.compare_groups(table, "g", **usual, **options)
    neighbours = {end for edge in learned.selected.edges for end in edge if "g" in edge} - {"g"}
    assert neighbours >= set(options.get("among", ["a", "b", "c"]))
    learned.selected.draw_groups(tmp_path / "groups.svg", "g")
    assert (tmp_path / "groups.svg").read_text(encoding="utf-8").count("<svg ") == 3


def test_groups_that_cannot_be_are_refused():
    table = groups()
    for options, message in [
        ({"group": "g", "forbid": "g-a"}, "^group.*forbids that edge"),
        ({"group": "g", "block": "pair", "components": 2}, "group"),
        ({"group": "g", "among": ["g"]}, "among"),
        ({"block": "pair"}, "goes with group"),
        ({"group": "g", "permutations": 0}, "permutations"),
    ]:
        with pytest.raises(cmnet.OptionError, match=message):
            cmnet.learn(table, kappa="eps", **options)
    alone = {**table, "pair": [f"p{row}" for row in range(400)]}
    with pytest.raises(cmnet.OptionError, match="every block has one row"):
        cmnet.compare_groups(alone, "g", block="pair")
    one = {"a": ["x", "y", "x"], "b": ["x", "x", "y"], "g": ["1", "1", "2"]}
    with pytest.raises(cmnet.OptionError, match="has one"):
        cmnet.learn(one, group="g")
    holed = {**table, "a": [None, *map(str, table["a"][1:])]}
    with pytest.raises(cmnet.OptionError, match="group"):
        cmnet.learn(holed, group="g", drop=["pair"], on_missing="model")


def test_exact_and_posterior_keep_to_what_is_known(run, heart):
    known = {"require": "smoking-family_anamnesis", "forbid": ["strenuous_mental_work-*"]}
    found = cmnet.exact(heart, **known)
    there = run(
        "exact", table_path("coronary_heart"), "--require", known["require"], "--forbid", known["forbid"][0]
    )
    assert found.proven and found.score == there["score"]
    assert ("smoking", "family_anamnesis") in found.model.edges
    assert not any("strenuous_mental_work" in edge for edge in found.model.edges)
    quick = {"kappa": "eps", "sweeps": 400, "warm_up": 100}
    drawn = cmnet.posterior(heart, **known, **quick)
    edges = {tuple(row["edge"].split(" - ")): row for row in drawn.edges}
    assert edges["smoking", "family_anamnesis"]["probability"] == 1.0
    assert edges["smoking", "family_anamnesis"]["bayes_factor"] is None
    assert not any("strenuous_mental_work" in edge for edge in edges)
    rare = cmnet.posterior(heart, knowledge={"prior": [{"edge": "*-*", "p": 1e-9}]}, **quick)
    free = cmnet.posterior(heart, **quick)
    assert len(rare.edges) < len(free.edges)
    for work in (cmnet.exact, cmnet.posterior):
        with pytest.raises(cmnet.OptionError, match="forbids"):
            work(heart, require="smoking-family_anamnesis", forbid="smoking-*")


def holed(heart):
    table = {name: list(labels) for name, labels in heart.items()}
    for row in range(0, 1841, 5):
        table["smoking"][row] = None
    return table


def test_holes_are_evaluated_as_they_are(heart, heart_model, tmp_path):
    table = holed(heart)
    whole = heart_model.evaluate(heart)
    assert whole == heart_model.evaluate(heart, on_missing="error") and whole.missing_share is None
    np.testing.assert_array_equal(heart_model.log_prob(heart), heart_model.log_prob(heart, on_missing="error"))
    found = heart_model.evaluate(table)
    assert found.incomplete_rows == 369 and found.missing_share == pytest.approx(369 / (6 * 1841))
    rows = heart_model.log_prob(table)
    assert found.log_likelihood == pytest.approx(float(rows.mean()), abs=1e-9)
    assert (rows[1:5] == heart_model.log_prob(heart)[1:5]).all(), "a complete row has the same answer beside others"
    path = written(table, tmp_path / "holes.csv")
    assert heart_model.evaluate(path) == found
    for on_missing in ("error", "drop"):
        if on_missing == "error":
            with pytest.raises(cmnet.MissingValuesError):
                heart_model.evaluate(table, on_missing="error")
        else:
            assert heart_model.evaluate(table, on_missing="drop").rows == 1472
    with pytest.raises(cmnet.MissingValuesError):
        heart_model.pseudo_log_prob(table)
    mixture = cmnet.learn(heart, components=2, kappa="eps").mixture
    ensemble = cmnet.bootstrap(heart, replicates=4, kappa="eps", ensemble=True).ensemble
    for several in (mixture, ensemble):
        assert several.evaluate(heart) == several.evaluate(heart, on_missing="error")
        known = several.evaluate(table)
        assert known.incomplete_rows == 369 and known.log_likelihood > several.evaluate(heart).log_likelihood
        with pytest.raises(cmnet.MissingValuesError):
            several.evaluate(table, on_missing="error")


def test_filling_tells_what_was_missing(heart, heart_model):
    filled = heart_model.impute(holed(heart))
    assert filled.missing["assumption"] == "missing at random" and filled.missing["incomplete_rows"] == 369
    assert [column["name"] for column in filled.missing["columns"]] == ["smoking"]
    assert heart_model.impute(heart).missing is None


def test_weighted_rows_that_are_held_out_choose_a_kappa(heart):
    table = {**{name: list(labels) for name, labels in heart.items()}, "w": [0.5 + row % 4 / 4 for row in range(1841)]}
    learned = cmnet.learn(cmnet.WeightedTable(table, weights="w"), select="heldout", kappa=["eps", "n^-0.5"])
    assert learned.criterion == "heldout" and learned.by_rows is not None and len(learned.models) == 1


def test_resamples_take_weights_along(heart):
    def resampled(table, **options):
        return cmnet.bootstrap(table, replicates=10, seed=3, kappa="n^-0.5", **options)

    columns = {name: list(labels)[:1840:4] for name, labels in heart.items()}
    plain = resampled(columns)
    equal = resampled(cmnet.WeightedTable({**columns, "w": [1.25] * 460}, weights="w"))
    assert equal.edges == plain.edges
    heavy = cmnet.WeightedTable({**columns, "w": [90.5 if n < 8 else 0.5 for n in range(460)]}, weights="w")
    found = resampled(heavy)
    assert found.edges != plain.edges and found.consensus.learned["weights"]["kind"] == "design"
    for work in (cmnet.learn, cmnet.bootstrap, cmnet.exact):
        with pytest.raises(cmnet.InputError, match=r"round or multiply the weights, or give learn.*cmnet\.WeightedTable"):
            work({**columns, "w": [1.25] * 460}, weights="w")
    counts = cmnet.WeightedTable({**columns, "w": [1.25] * 460}, weights="w", weights_as="counts")
    with pytest.raises(cmnet.OptionError, match="resamples draw observations"):
        resampled(counts)
    for options in ({"ensemble": True}, {"drop_rows": [0.5]}, {"columns": ["smoking"]}):
        with pytest.raises(cmnet.OptionError, match=next(iter(options))):
            resampled(heavy, **options)


def test_numbers_are_cut_with_real_weights():
    numbers = {"n": list(range(1, 41)), "b": ["x", "y"] * 20}
    equal = cmnet.WeightedTable({**numbers, "w": [1.5] * 40}, weights="w", bins={"n": 2})
    assert equal.cuts == cmnet.Table(numbers, bins={"n": 2}).cuts == {"n": [21.0]}
    heavy = [3.5 if n > 30 else 0.5 for n in numbers["n"]]
    assert cmnet.WeightedTable({**numbers, "w": heavy}, weights="w", bins={"n": 2}).cuts == {"n": [34.0]}
    with pytest.raises(cmnet.OptionError, match="frequency, width or given points"):
        cmnet.WeightedTable({**numbers, "w": heavy}, weights="w", bins="graph:2")
    with pytest.raises(cmnet.OptionError, match="weights"):
        cmnet.WeightedTable(numbers, weights_as="design")


def test_a_file_of_decimals_is_refused_with_the_keyword_that_cuts_it(tmp_path):
    table = {"income": [n + 0.5 for n in range(60)], "b": ["x", "y"] * 30}
    path = written(table, tmp_path / "income.csv")
    for work in (cmnet.learn, cmnet.Table, cmnet.bootstrap):
        with pytest.raises(cmnet.NotCategoriesError, match=r'column 1 \("income"\).*60 different numbers.*bins="4"'):
            work(path)
    assert cmnet.Table(path, bins=4).cuts["income"]


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0, None])
def test_weights_that_are_none_are_refused(weight):
    table = {"a": ["x", "y", "x"], "b": ["x", "x", "y"], "w": [1.5, weight, 2.0]}
    with pytest.raises(cmnet.InputError, match="weight"):
        cmnet.WeightedTable(table, weights="w")
    with pytest.raises(cmnet.InputError, match="weight"):
        cmnet.learn(table, weights="w")
