"""Resamples: how sure an edge or a context is."""

from __future__ import annotations

import numpy as np
import pytest

import cmnet


@pytest.fixture(scope="module")
def resampled():
    return cmnet.bootstrap(cmnet.datasets.load("coronary_heart"), replicates=40, kappa="n^-0.5")


def test_supports_are_shares_of_replicates(resampled):
    assert (resampled.replicates, resampled.asked, resampled.stop) == (40, 40, "converged")
    for row in (*resampled.edges, *resampled.contexts):
        assert row["support"] == row["count"] / 40 and row["low"] <= row["support"] <= row["high"]
    edges = {row["edge"]: row["support"] for row in resampled.edges}
    for row in resampled.contexts:
        assert row["support"] + row["holds"] == pytest.approx(edges[row["edge"]])
    assert resampled.kappas == {"n^-0.5": 40}


def test_the_consensus_is_a_model_like_any_other(resampled, tmp_path):
    often = {row["edge"] for row in resampled.edges if row["support"] >= resampled.threshold}
    assert {" - ".join(edge) for edge in resampled.consensus.edges} == often
    path = tmp_path / "consensus.model.json"
    resampled.consensus.save(path)
    assert cmnet.load(path) == resampled.consensus
    assert resampled.consensus.query({"smoking": "yes"})


def test_the_answer_is_shown_as_text_page_and_frame(resampled):
    frame = resampled.to_dataframe()
    assert len(frame) == len(resampled.edges) + len(resampled.contexts)
    assert (frame["context"] == "").sum() == len(resampled.edges)
    assert repr(resampled).startswith("Bootstrap(40 of 40 replicates, seed 1, converged)")
    assert "<table>" in resampled._repr_html_()


def test_threads_change_nothing_and_seeds_do(resampled):
    table = cmnet.datasets.load("coronary_heart")
    assert cmnet.bootstrap(table, replicates=40, kappa="n^-0.5", threads=1) == resampled
    assert cmnet.bootstrap(table, replicates=40, kappa="n^-0.5", seed=2) != resampled


@pytest.mark.parametrize(
    "options", [{"replicates": 0}, {"replicates": -1}, {"threshold": 0.0}, {"threshold": 1.5}, {"threshold": float("nan")}, {"share": 0.0}, {"bound": 0}, {"resample": "half"}]
)
def test_what_cannot_be_is_refused(options):
    with pytest.raises(cmnet.OptionError) as raised:
        cmnet.bootstrap({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0]}, **options)
    assert next(iter(options)) in str(raised.value)


def test_a_single_row_is_refused():
    with pytest.raises(cmnet.CmnetError, match="at least two"):
        cmnet.bootstrap({"a": [0], "b": [1]}, schema={"a": [0, 1], "b": [0, 1]})


def test_rare_levels_are_never_lost():
    table = {"a": [0] * 30 + [1], "b": [0, 1] * 15 + [1], "c": ["x"] * 31}
    found = cmnet.bootstrap(table, replicates=30, schema={"c": ["x", "y"]})
    assert found.replicates == 30 and found.consensus is not None


def test_an_exception_of_the_progress_keeps_what_is_finished():
    generator = np.random.default_rng(1)
    table = {f"v{place}": generator.integers(0, 3, 2000) for place in range(14)}
    seen = []

    def enough(facts):
        seen.append(facts)
        if facts.get("replicate", 0) >= 3:
            raise KeyboardInterrupt

    with pytest.raises(cmnet.Interrupted) as raised:
        cmnet.bootstrap(table, replicates=100_000, kappa="eps", threads=1, progress=enough)
    partial = raised.value.partial
    assert partial.stop == "interrupted" and 3 <= partial.replicates < 100_000
    assert partial.consensus is not None and partial.edges == cmnet.bootstrap(
        table, replicates=partial.replicates, kappa="eps"
    ).edges
    assert seen[-1]["replicates"] == 100_000


def test_a_run_that_was_ended_goes_on_to_the_same_answer(tmp_path):
    table, path = cmnet.datasets.load("coronary_heart"), tmp_path / "run.checkpoint"
    options = {"kappa": "n^-0.5", "checkpoint": path, "checkpoint_interval": 0}
    whole = cmnet.bootstrap(table, replicates=12, kappa="n^-0.5")
    cmnet.bootstrap(table, replicates=5, **options)
    assert cmnet.bootstrap(table, replicates=12, resume=True, **options) == whole
    with pytest.raises(cmnet.CheckpointError, match="seed"):
        cmnet.bootstrap(table, replicates=12, seed=9, resume=True, **options)


def test_it_ends_early_where_the_answer_is_settled():
    rows = [0, 1] * 100
    found = cmnet.bootstrap({"a": rows, "b": rows}, replicates=10_000, kappa="eps", stop_early=True)
    assert (found.settled, found.replicates, found.stop) == (True, 50, "converged")
    assert found.edges[0]["verdict"] == "conclusive"


def test_every_replicate_keeps_the_kappa_of_the_table_where_that_is_asked_for():
    table = cmnet.datasets.load("coronary_heart")
    anew, kept = (cmnet.bootstrap(table, replicates=12, kappa_choice=choice) for choice in ("anew", "table"))
    assert (anew.kappa_choice, kept.kappa_choice) == ("anew", "table")
    assert sum(count > 0 for count in anew.kappas.values()) > 1
    learned = list(kept.kappas)[cmnet.learn(table).selected_index]
    assert {kappa: count for kappa, count in kept.kappas.items() if count > 0} == {learned: 12}
    alone = cmnet.bootstrap(table, replicates=12, kappa=learned)
    assert (list(kept.edges), list(kept.contexts)) == (list(alone.edges), list(alone.contexts))
    with pytest.raises(cmnet.OptionError, match="kappa_choice"):
        cmnet.bootstrap(table, kappa_choice="first")


def test_dropped_rows_and_pictures(tmp_path):
    heart = cmnet.datasets.load("coronary_heart")
    found = cmnet.bootstrap(heart, replicates=20, kappa="n^-0.5", drop_rows=[0.2, 0.6])
    near, far = found.stability["points"]
    assert (near["dropped"], far["dropped"]) == (0.2, 0.6)
    assert 1 >= near["edges"]["mean"] >= far["edges"]["mean"] > 0
    assert cmnet.bootstrap(heart, replicates=3, kappa="eps").stability is None
    found.plot(tmp_path / "support.svg")
    assert "Support in 20 replicates" in (tmp_path / "support.svg").read_text()
    found.consensus.draw(tmp_path / "sure.svg", support=True)
    assert "stroke-opacity" in (tmp_path / "sure.svg").read_text()
    with pytest.raises(cmnet.OptionError, match="cmnet.bootstrap"):
        cmnet.learn(heart, kappa="eps").models[0].draw(tmp_path / "plain.svg", support=True)
    with pytest.raises(cmnet.OptionError, match="drop_rows"):
        cmnet.bootstrap(heart, replicates=3, drop_rows=[1.5])
