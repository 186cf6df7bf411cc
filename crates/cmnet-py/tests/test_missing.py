"""Tables with missing values: learning, evaluating, the probability of what is known."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import cmnet


def holed(share: float = 0.2) -> dict[str, list[Any]]:
    """Five columns, each a noisy copy of the one before, with holes."""
    generator = random.Random(5)
    rows = []
    for _ in range(1500):
        row: list[int] = []
        for place in range(5):
            row.append(row[-1] if place and generator.random() < 0.8 else generator.randrange(2))
        rows.append([None if generator.random() < share else str(level) for level in row])
    return {f"x{place}": [row[place] for row in rows] for place in range(5)}


def test_structures_are_learned_from_what_is_known(tmp_path: Any) -> None:
    table = holed()
    learned = cmnet.learn(table, on_missing="model", kappa=["eps", "n^-0.5"], seed=3)
    assert learned.search == "imputation" and learned.imputation is not None
    assert [tuple(edge) for edge in learned.models[0].edges] == [(f"x{i}", f"x{i + 1}") for i in range(4)]
    assert learned.imputation["stable"] and learned.imputation["completions"] == 10
    assert learned.imputation["missing"]["assumption"] == "missing at random"
    assert learned.imputation["models"][0]["edges"][0]["support"] == 1.0
    path = tmp_path / "holes.csv"
    lines = [",".join(table), *(",".join(cell or "" for cell in row) for row in zip(*table.values()))]
    path.write_text("\n".join(lines) + "\n")
    again = cmnet.learn(path, on_missing="model", kappa=["eps", "n^-0.5"], seed=3, threads=1)
    assert [model.to_text() for model in again.models] == [model.to_text() for model in learned.models]
    saved = tmp_path / "run.checkpoint"
    options = {"kappa": ["eps", "n^-0.5"], "seed": 3, "checkpoint": saved}
    cmnet.learn(path, on_missing="model", **options)
    resumed = cmnet.learn(path, on_missing="model", resume=True, **options)
    assert resumed.models[0].to_text() == learned.models[0].to_text()


def test_a_table_without_holes_is_learned_as_ever() -> None:
    table = holed(0.0)
    plain, model = cmnet.learn(table), cmnet.learn(table, on_missing="model")
    assert [one.to_text() for one in plain.models] == [one.to_text() for one in model.models]
    assert model.imputation is None and plain.imputation is None
    assert cmnet.learn(cmnet.Table(table), on_missing="model").scores == plain.scores


def test_known_values_are_evaluated() -> None:
    table = holed()
    model = cmnet.learn(table, on_missing="model", kappa="eps").models[0]
    found = model.evaluate(table, on_missing="model")
    rows = model.log_prob(table, on_missing="model")
    assert found.rows == 1500 and found.pseudo_log_likelihood is None
    assert found.incomplete_rows == sum(None in row for row in zip(*table.values()))
    assert found.log_likelihood == pytest.approx(float(rows.mean()), abs=1e-9)
    one = model.log_prob({name: [None] if name != "x0" else ["0"] for name in table}, on_missing="model")
    assert math.exp(one[0]) < 1.0


@pytest.mark.parametrize("options", [{"completions": 0}, {"rounds": 0}, {"agreement": 0.0}, {"model": "sgm"}, {"select": "cv"}])
def test_what_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(cmnet.OptionError):
        cmnet.learn(holed(), on_missing="model", **options)


def test_a_column_without_values_is_named() -> None:
    with pytest.raises(cmnet.InputError, match="every value of this column is missing"):
        cmnet.learn({"a": ["x", "y"], "b": [None, None]}, on_missing="model")
