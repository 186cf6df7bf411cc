"""Structures drawn from their posterior."""

from __future__ import annotations

import pytest

import cmnet


@pytest.fixture(scope="module")
def drawn():
    rows = [0, 1] * 60
    table = {"a": rows, "b": rows, "c": [0, 0, 1] * 40}
    return cmnet.posterior(table, sweeps=400, warm_up=50)


def test_edges_have_probabilities_with_errors(drawn):
    edges = {row["edge"]: row for row in drawn.edges}
    assert drawn.mixed and edges["a - b"]["probability"] > 0.99 and edges["a - b"]["bayes_factor"] > 100
    for row in drawn.edges:
        assert row["low"] <= row["probability"] <= row["high"] and row["r_hat"] < 1.05
    assert len(drawn.to_dataframe()) == len(drawn.edges) + len(drawn.contexts)
    assert repr(drawn).startswith("Posterior(1600 draws, kappa n^-0.5, exponent 1.0, mixed") and "<table>" in drawn._repr_html_()


def test_what_has_not_mixed_is_not_reported():
    found = cmnet.posterior({"a": [0, 1] * 9, "b": [0, 1, 1] * 6}, sweeps=40, chains=2)
    assert not found.mixed and all(row["probability"] is None and row["low"] <= row["high"] for row in found.edges)


@pytest.mark.parametrize("options", [{"chains": 1}, {"sweeps": 0}, {"exponent": 0.0}, {"rungs": 0}])
def test_what_cannot_be_is_refused(options):
    with pytest.raises(cmnet.OptionError, match=next(iter(options))):
        cmnet.posterior({"a": [0, 1], "b": [0, 1]}, **options)
