"""Columns of numbers and groups: as the command, from data frames, and what bad input gets."""

import pickle

import numpy as np
import pytest

import cmnet


@pytest.fixture(scope="module")
def ages():
    """Ages, of which those from 70 on are often ill."""
    draw = np.random.default_rng(5)
    age = draw.uniform(20, 90, 600)
    ill = draw.uniform(size=600) < np.where(age >= 70, 0.8, 0.1)
    return {"age": age, "ill": np.where(ill, "yes", "no"), "sex": draw.choice(["f", "m"], 600)}


def test_models_of_cut_numbers_take_numbers(ages):
    table = cmnet.discretize(ages, bins={"age": [40, 70.5]})
    assert table.cuts == {"age": [40.0, 70.5]}
    assert table.levels["age"] == ["<40", "40..70.5", ">=70.5"]
    assert pickle.loads(pickle.dumps(table)).cuts == table.cuts
    model = cmnet.learn(table).selected
    by_number = model.query({"age": 81.5}, "ill")
    assert by_number["ill"] == model.query({"age": ">=70.5"}, "ill")["ill"]
    assert model.predict_proba(ages, "ill").probabilities.shape[1] == 2


def test_rules_of_all_kinds(ages):
    assert len(cmnet.discretize(ages).levels["age"]) == 4
    assert len(cmnet.Table(ages, bins="width:3").levels["age"]) == 3
    by_graph = cmnet.Table(ages, bins={"age": "graph:2"})
    assert 68 < by_graph.cuts["age"][0] < 72


def test_bad_rules_are_refused(ages):
    with pytest.raises(cmnet.NotCategoriesError, match="bins"):
        cmnet.Table(ages)
    for rule in (1, "quick:3", {"age": [3, 2]}, {"age": [float("nan")]}):
        with pytest.raises(cmnet.OptionError, match="bins"):
            cmnet.Table(ages, bins=rule)
    with pytest.raises(cmnet.InputError, match="no finite number"):
        cmnet.Table({"age": np.array([1.5, np.inf, 2.5]), "b": ["x", "y", "x"]}, bins={"age": 2})


def test_groups_are_compared():
    draw = np.random.default_rng(2)
    group = np.repeat(["x", "y"], 200)
    a = draw.integers(0, 2, 400)
    b = np.where((group == "x") & (draw.uniform(size=400) < 0.8), a, draw.integers(0, 2, 400))
    table = {"a": a, "b": b, "c": draw.integers(0, 2, 400), "g": group}
    found = cmnet.compare_groups(table, "g", permutations=199)
    assert [pair["differs"] for pair in found["pairs"]] == [True, False, False]
    assert found == cmnet.compare_groups(table, "g", permutations=199)
    with pytest.raises(cmnet.OptionError, match="level"):
        cmnet.compare_groups(table, "g", level=2.0)


def test_the_graph_that_cuts_keeps_to_what_is_known(ages):
    def at(**options):
        return cmnet.learn(ages, **options).selected.levels["age"]

    # Without neighbours a column keeps equal frequency.
    assert at(bins="graph:2", forbid="age-*") == at(bins=2) != at(bins="graph:2")


@pytest.fixture(scope="module")
def persons():
    """Persons who were seen twice, in 30 folds, with their age."""
    row, draw = np.arange(120), np.random.default_rng(3)
    columns = {"fold": row % 30, "g": np.where(row % 2 == 0, "x", "y"), "age": draw.integers(18, 80, 120)}
    return {**columns, "a": draw.integers(0, 2, 120), "b": draw.integers(0, 2, 120)}


@pytest.mark.filterwarnings("error")
def test_columns_of_blocks_and_folds_are_not_cut(persons):
    assert cmnet.cross_validate(persons, fold_column="fold", bins=4, kappa="eps").folds == 30
    how = {"block": "person", "permutations": 49, "bins": 4, "drop": ["fold"]}
    numbers, texts = ({**persons, "person": [name(row // 2) for row in range(120)]} for name in (int, "p{:02}".format))
    assert cmnet.compare_groups(numbers, "g", **how)["pairs"] == cmnet.compare_groups(texts, "g", **how)["pairs"]
