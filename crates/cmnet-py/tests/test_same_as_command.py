"""Python and the command line give the same bytes and the same answers."""

import csv
import json
import subprocess

import numpy as np
import pytest
from conftest import BUNDLED, columns_of, table_path

import cmnet

NINE = [*BUNDLED, "women_mathematics"]


@pytest.mark.parametrize("name", NINE)
def test_model_files_have_the_same_bytes(name, command, tmp_path):
    path = table_path(name)
    there = tmp_path / "there.model.json"
    subprocess.run([command, "learn", path, "-o", there], check=True, capture_output=True)
    here = tmp_path / "here.model.json"
    cmnet.learn(columns_of(path)).selected.save(here)
    assert here.read_bytes() == there.read_bytes()
    cmnet.learn(path).selected.save(here)
    assert here.read_bytes() == there.read_bytes()


def test_bundled_tables_are_those_of_the_repository(heart):
    assert cmnet.datasets.names() == BUNDLED
    for name in BUNDLED:
        assert cmnet.datasets.csv(name) == table_path(name).read_text()
        rows = cmnet.datasets.load(name)
        assert dict(rows) == columns_of(table_path(name))
        assert cmnet.Table(rows) == cmnet.Table(table_path(name))


@pytest.fixture(scope="module")
def saved(heart_model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "heart.model.json"
    heart_model.save(path)
    return path


def test_queries_are_equal(heart_model, saved, run):
    given = {"smoking": "yes", "lipoprotein_ratio": ">=3"}
    there = run("query", saved, "--given", "smoking=yes,lipoprotein_ratio=>=3")
    here = heart_model.query(given)
    assert dict(here) == there["marginals"]
    assert here.log_evidence == there["log_evidence"]
    assert [list(edge) for edge in here.cut_edges] == there["cut_edges"]
    soft = heart_model.query(soft={"smoking": {"yes": 0.8, "no": 0.2}}, targets="family_anamnesis")
    assert dict(soft) == run("query", saved, "--soft", "smoking=yes:0.8,no:0.2", "--target", "family_anamnesis")["marginals"]
    gibbs = heart_model.query(given, method="gibbs", sweeps=400, seed=5)
    there = run("query", saved, "--given", "smoking=yes,lipoprotein_ratio=>=3", "--method", "gibbs", "--sweeps", 400, "--seed", 5)
    assert dict(gibbs) == there["marginals"]


def test_intervals_are_equal(heart_model, saved, run):
    there = run("explain", saved, "--intervals")["intervals"]
    here = heart_model.intervals()
    assert dict(here) == there
    frame = here.to_dataframe()
    assert len(frame) == sum(len(e["log_odds_ratios"]) for edge in there["edges"] for e in edge["effects"])
    assert (frame.loc[frame["cut"], "error"] == 0).all()
    there = run("query", saved, "--given", "smoking=yes", "--target", "lipoprotein_ratio", "--intervals")
    here = heart_model.probability_intervals({"smoking": "yes"}, "lipoprotein_ratio")
    assert dict(here) == there["intervals"]
    assert list(here.to_dataframe()["low"] < here.to_dataframe()["high"]) == [True, True]


def test_confirmed_contexts_have_the_same_bytes(command, tmp_path):
    path, there, here = table_path("coronary_heart"), tmp_path / "there.json", tmp_path / "here.json"
    arguments = [command, "learn", path, "--kappa", "n^-0.5", "--contexts", "confirmed", "-o", there]
    subprocess.run(arguments, check=True, capture_output=True)
    cmnet.learn(path, kappa="n^-0.5", contexts="confirmed").selected.save(here)
    assert here.read_bytes() == there.read_bytes()


def test_contexts_that_bic_chooses_are_those_of_the_command(run):
    path = table_path("economic_activity")
    there = run("learn", path, "--kappa", "eps,n^-0.5", "--contexts", "auto")
    here = cmnet.learn(path, kappa=["eps", "n^-0.5"], contexts="auto")
    assert here.contexts_chosen == [model.get("contexts_chosen") for model in there["models"]]
    none, chosen = here.contexts_chosen
    assert none is None and (chosen["kept"], chosen["criterion"]) == ("all", "bic")
    assert chosen["all"]["bic"] == there["models"][1]["bic"] > chosen["confirmed"]["bic"]
    assert cmnet.learn(path, kappa="n^-0.5").contexts_chosen is None


def test_joint_distributions_are_equal(heart_model, saved, run):
    there = run("query", saved, "--joint", "--target", "smoking,lipoprotein_ratio")["joint"]
    here = heart_model.joint(targets=["smoking", "lipoprotein_ratio"])
    assert here.variables == there["variables"]
    assert {tuple(cell["levels"]): cell["probability"] for cell in there["cells"]} == dict(here)


def test_most_probable_completions_are_equal(heart_model, saved, run):
    there = run("query", saved, "--map", "--given", "smoking=yes")
    here = heart_model.map({"smoking": "yes"})
    assert (dict(here), here.log_probability) == (there["map"], there["log_probability"])
    assert (here.proven, here.method) == (True, "exact") == (there["proven"], there["method"])


def test_answers_that_do_not_fit_are_equal(heart_model, saved, run):
    there = run("query", saved, "--map", "--method", "gibbs", "--seed", 5)
    here = heart_model.map(method="gibbs", seed=5)
    assert (dict(here), here.proven, here.method) == (there["map"], there["proven"], "gibbs")
    assert here.gap == there["gap"]
    there = run("query", saved, "--joint", "--target", "smoking,lipoprotein_ratio", "--method", "gibbs")["joint"]
    here = heart_model.joint(targets=["smoking", "lipoprotein_ratio"], method="gibbs")
    assert {tuple(cell["levels"]): cell["probability"] for cell in there["cells"]} == dict(here)
    assert here.method == "gibbs" and here.approximation["chains"] == 4


def test_samples_are_equal(heart_model, saved, run):
    there = run("sample", saved, "-n", 3000, "--seed", 11)
    here = heart_model.sample(3000, 11)
    assert [list(row) for row in zip(*here.values())] == there["rows"]


def test_predictions_are_equal(heart_model, saved, run, heart):
    there = run("predict", saved, table_path("coronary_heart"), "--target", "smoking")
    here = heart_model.predict_proba(heart, "smoking")
    assert here.probabilities.tolist() == [row["probabilities"] for row in there["rows"]]
    assert here.predicted == [row["predicted"] for row in there["rows"]]
    assert here.accuracy == pytest.approx(there["accuracy"], abs=1e-12)
    assert here.log_loss == pytest.approx(there["log_loss"], abs=1e-12)


def test_predictions_with_gaps_are_equal(heart_model, saved, run, heart, tmp_path):
    holes = {name: list(labels) for name, labels in heart.items() if name != "family_anamnesis"}
    holes["lipoprotein_ratio"][::3] = [None] * len(holes["lipoprotein_ratio"][::3])
    path = tmp_path / "holes.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(holes)
        writer.writerows([label or "" for label in row] for row in zip(*holes.values()))
    there = run("predict", saved, path, "--target", "smoking")
    assert heart_model.predict_proba(holes, "smoking").probabilities.tolist() == [
        row["probabilities"] for row in there["rows"]
    ]
    assert heart_model.predict_proba(path, "smoking").probabilities.tolist() == [
        row["probabilities"] for row in there["rows"]
    ]


def test_evaluations_and_log_probabilities_agree(heart_model, saved, run, heart):
    there = run("evaluate", saved, table_path("coronary_heart"))
    here = heart_model.evaluate(heart)
    absent = {("incomplete_rows", None), ("missing_share", None), ("alone", None)}
    told = {name: value for name, value in here._asdict().items() if (name, value if value is None else 0) not in absent}
    assert told == {name: value for name, value in there.items() if name != "format"}
    assert np.mean(heart_model.log_prob(heart)) == pytest.approx(there["log_likelihood"], abs=1e-12)
    assert np.mean(heart_model.pseudo_log_prob(heart)) == pytest.approx(there["pseudo_log_likelihood"], abs=1e-12)


def test_explanations_are_equal(heart_model, saved, run):
    for words, given in (([], {}), (["--given", "lipoprotein_ratio=>=3"], {"lipoprotein_ratio": ">=3"})):
        there = run("explain", saved, *words)
        assert there.pop("format")
        assert dict(heart_model.explain(given)) == there
    there = run("explain", saved, "--soft", "smoking=yes:0.8,no:0.2")
    here = heart_model.explain(soft={"smoking": {"yes": 0.8, "no": 0.2}})
    assert set(here) == set(there) - {"format"}
    assert here["soft"]["smoking"] == pytest.approx(there["soft"]["smoking"], abs=1e-12)


def test_the_mathematics_is_equal(heart_model, saved, run, heart):
    shown = run("explain", saved, "--restrictions", "--terms", "--classes", "smoking", "--data", table_path("coronary_heart"))
    assert shown.pop("format")
    assert dict(heart_model.explain(table=heart, restrictions=True, terms=True, classes="smoking")) == shown
    assert sum(sum(one["counts"].values()) for one in shown["classes"]["classes"]) == 1841


def test_independence_is_equal(heart_model, saved, command):
    for given, context in (([], {}), (["strenuous_physical_work"], {}), (["strenuous_physical_work"], {"lipoprotein_ratio": ">=3"})):
        words = [word for name in given for word in ("--given", name)]
        words += [word for name, level in context.items() for word in ("--context", f"{name}={level}")]
        asked = ["independent", saved, "smoking", "--of", "systolic_blood_pressure", *words, "--format", "json"]
        done = subprocess.run([command, *asked], capture_output=True, text=True, check=False)
        there = json.loads(done.stdout)
        assert there.pop("format")
        here = heart_model.independent("smoking", "systolic_blood_pressure", given, context)
        assert dict(here) == there and bool(here) == (done.returncode == 0)
        assert str(here)


def test_comparisons_are_equal(heart, saved, run, tmp_path):
    learned = cmnet.learn(heart)
    plain = tmp_path / "plain.model.json"
    learned.models[0].save(plain)
    there = run("compare", saved, plain, "--data", table_path("coronary_heart"))
    here = learned.selected.compare(learned.models[0], heart)
    assert dict(here) == {name: value for name, value in there.items() if name != "format"}
    assert not here.same_model


def test_cross_validations_are_equal(heart, run):
    there = run("cv", table_path("coronary_heart"), "--folds", 3, "--seed", 4)
    here = cmnet.cross_validate(heart, folds=3, seed=4)
    assert list(here.rows) == there["rows"]
    there = run("cv", table_path("coronary_heart"), "--fold-column", "smoking", "--columns", "strenuous_mental_work")
    here = cmnet.cross_validate(heart, fold_column="smoking", columns=["strenuous_mental_work"])
    assert list(here.rows) == there["rows"]
    assert (here.folds, here.seed, here.fold_column) == (2, None, "smoking") and "by column smoking" in repr(here)


def test_bootstraps_are_equal(heart, run, tmp_path):
    path = tmp_path / "consensus.model.json"
    there = run("bootstrap", table_path("coronary_heart"), "--replicates", 12, "--seed", 3, "--threshold", 0.5, "-o", path)
    here = cmnet.bootstrap(heart, replicates=12, seed=3, threshold=0.5)
    facts = (here.replicates, here.asked, here.seed, here.threshold, here.stop, here.unclosed)
    assert facts == tuple(there[name] for name in ("replicates", "asked", "seed", "threshold", "stop", "unclosed"))
    assert here.kappas == {row["kappa"]: row["chosen"] for row in there["kappas"]}
    for rows, told in ((here.edges, there["edges"]), (here.contexts, there["contexts"])):
        assert [row["edge"] for row in rows] == [" - ".join(row["edge"]) for row in told]
        for name in ("support", "count", "error", "verdict"):
            assert [row[name] for row in rows] == [row[name] for row in told], name
        assert [[row["low"], row["high"]] for row in rows] == [row["interval"] for row in told]
    assert here.consensus == cmnet.load(path)


def test_posteriors_are_equal(heart, run):
    options = ("--kappa", "eps", "--sweeps", 400, "--warm-up", 100, "--exponent", 0.5)
    there = run("posterior", table_path("coronary_heart"), *options)
    here = cmnet.posterior(heart, kappa="eps", sweeps=400, warm_up=100, exponent=0.5)
    assert (here.sweeps, here.draws, here.mixed, here.stop) == tuple(there[k] for k in ("sweeps", "draws", "mixed", "stop"))
    for rows, told in ((here.edges, there["edges"]), (here.contexts, there["contexts"])):
        assert [row["edge"] for row in rows] == [" - ".join(row["edge"]) for row in told]
        for name in ("probability", "error", "r_hat", "effective", "bayes_factor", "beyond"):
            assert [row[name] for row in rows] == [row[name] for row in told], name
    assert here.best == there["best"]


def test_learned_facts_are_equal(heart, run):
    there = run("learn", table_path("coronary_heart"))
    here = cmnet.learn(heart)
    assert here.selected_index == there["selected"] and here.criterion == there["criterion"]
    for name in ("kappa", "log_kappa", "log_mpl", "log_prior", "score", "parameters", "log_likelihood", "bic", "sbic", "moves"):
        assert [row[name] for row in here.scores] == [row[name] for row in there["models"]], name
    for model, row in zip(here.models, there["models"]):
        assert [list(edge) for edge in model.edges] == row["edges"]
        assert [list(context.given) for context in model.contexts] == [c["given"] for c in row["contexts"]]


def test_stratified_models_are_equal(heart, run, tmp_path):
    path = tmp_path / "sgm.model.json"
    run("learn", table_path("coronary_heart"), "--model", "sgm", "--seed", 3, "-o", path)
    assert cmnet.learn(heart, model="sgm", seed=3).selected.to_text() == path.read_text()


def test_fits_are_equal(heart, saved, command, tmp_path):
    path = tmp_path / "fitted.model.json"
    subprocess.run(
        [command, "fit", saved, table_path("coronary_heart"), "-o", path, "--method", "pseudo", "--smoothing", "0.5"],
        check=True,
        capture_output=True,
    )
    fitted = cmnet.load(saved).fit(heart, method="pseudo", smoothing=0.5)
    assert fitted.to_text() == path.read_text()


def test_checkpoints_are_shared(command, tmp_path, narrow):
    """A run that Python began is finished by the command line, and the other way round."""
    table = {f"v{place}": column for place, column in enumerate(narrow[:, :14].T)}
    path = tmp_path / "wide.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values())))
    options = ["--kappa", "n^-0.5", "--select", "none"]
    whole = tmp_path / "whole.model.json"
    subprocess.run([command, "learn", path, *options, "-o", whole], check=True, capture_output=True)
    checkpoint = tmp_path / "checkpoint.json"
    partial = cmnet.learn(table, kappa="n^-0.5", select="none", checkpoint=checkpoint, checkpoint_interval=0, time_limit=0.05)
    assert json.loads(checkpoint.read_text())["format"] == "cmnet-checkpoint/1"
    resumed = tmp_path / "resumed.model.json"
    words = [command, "learn", path, *options, "-o", resumed, "--checkpoint", checkpoint, "--resume"]
    subprocess.run(words, check=True, capture_output=True)
    assert resumed.read_bytes() == whole.read_bytes()
    again = cmnet.learn(table, kappa="n^-0.5", select="none", checkpoint=checkpoint, resume=True)
    assert again.models[0].to_text() == whole.read_text()
    assert partial.stop in ("time-limit", "converged")
    with pytest.raises(cmnet.CheckpointError, match="another --?kappa|another kappa") as raised:
        cmnet.learn(table, kappa="n^-1", select="none", checkpoint=checkpoint, resume=True)
    assert raised.value.file == str(checkpoint)
