"""Ensembles: the same as from the command line, and the means of their networks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import cmnet
from conftest import table_path


@pytest.fixture(scope="module")
def heart():
    return cmnet.datasets.load("coronary_heart")


@pytest.fixture(scope="module")
def ensemble(heart):
    return cmnet.bootstrap(heart, replicates=10, kappa="n^-0.5", ensemble=True).ensemble


def test_answers_are_means_of_the_models_answers(ensemble):
    assert len(ensemble) == len(ensemble.models) == 10
    answer = ensemble.query({"smoking": "yes"}, ["lipoprotein_ratio"])
    ones = [model.query({"smoking": "yes"}, "lipoprotein_ratio")["lipoprotein_ratio"]["<3"] for model in ensemble.models]
    spread = answer.spread["lipoprotein_ratio"]["<3"]
    assert answer["lipoprotein_ratio"]["<3"] == pytest.approx(np.mean(ones), abs=1e-12)
    assert spread["deviation"] == pytest.approx(np.std(ones, ddof=1), abs=1e-12)
    assert spread["range"] == pytest.approx(np.quantile(ones, [0.05, 0.95]), abs=1e-12)
    frame = answer.to_dataframe()
    assert list(frame.columns)[3:] == ["deviation", "error", "low", "high"] and len(frame) == 2


def test_predictions_are_means_of_the_models_predictions(ensemble, heart):
    found = ensemble.predict_proba(heart, "smoking")
    ones = np.stack([model.predict_proba(heart, "smoking").probabilities for model in ensemble.models])
    assert np.allclose(found.probabilities, ones.mean(axis=0), atol=1e-12)
    assert np.allclose(found.deviations, ones.std(axis=0, ddof=1), atol=1e-12)
    assert np.allclose(found.low, np.quantile(ones, 0.05, axis=0), atol=1e-12)
    assert np.allclose(found.high, np.quantile(ones, 0.95, axis=0), atol=1e-12)
    assert found.accuracy > 0.5


def test_joints_rows_and_strengths_are_means_of_the_models(ensemble, heart, tmp_path):
    both = ["smoking", "lipoprotein_ratio"]
    joint = ensemble.joint({"family_anamnesis": "negative"}, both)
    ones = [model.joint({"family_anamnesis": "negative"}, both) for model in ensemble.models]
    for levels, probability in joint.items():
        assert probability == pytest.approx(np.mean([one[levels] for one in ones]), abs=1e-12)
    found = ensemble.evaluate(heart)
    rows = np.stack([model.log_prob(heart) for model in ensemble.models])
    assert found.log_likelihood == pytest.approx(np.log(np.exp(rows).mean(axis=0)).mean(), abs=1e-9)
    assert found.alone["mean"] == pytest.approx(rows.mean(), abs=1e-9)
    assert (found.parameters, found.bic) == (None, None)
    explained = ensemble.explain()
    for known in explained["edges"]:
        ends = set(known["edge"])
        of = [edge["information"] for model in ensemble.models for edge in model.explain()["edges"] if set(edge["edge"]) == ends]
        assert known["support"] == pytest.approx(len(of) / 10)
        assert known["strength"]["mean"] == pytest.approx(sum(of) / 10, abs=1e-12)
    consensus = ensemble.consensus()
    assert [list(edge) for edge in consensus.edges] == explained["consensus"]["edges"]
    ensemble.draw(tmp_path / "e.svg")
    consensus.draw(tmp_path / "c.svg", support=True)
    assert (tmp_path / "e.svg").read_text() == (tmp_path / "c.svg").read_text()
    ensemble.draw(tmp_path / "w.svg", widths=True)
    assert (tmp_path / "w.svg").read_text() != (tmp_path / "e.svg").read_text()
    for wrong in (0, 2.0):
        with pytest.raises(cmnet.OptionError, match="threshold"):
            ensemble.consensus(wrong)
    with pytest.raises(cmnet.OptionError, match="path"):
        ensemble.draw(tmp_path / "e.pdf")


def test_files_come_back_and_are_those_of_the_command(ensemble, run, tmp_path):
    path, other = tmp_path / "e.json", tmp_path / "c.json"
    ensemble.save(path)
    assert cmnet.load(path) == ensemble
    assert pickle.loads(pickle.dumps(ensemble)) == ensemble
    assert "10 networks of part 0.632 of 1841 rows" in repr(ensemble)
    run("bootstrap", table_path("coronary_heart"), "--replicates", "10", "--kappa", "n^-0.5", "--ensemble", other)
    assert other.read_text() == path.read_text()
    with pytest.raises(cmnet.ModelFileError, match="ensemble of networks"):
        cmnet.Model.load(path)


def test_what_has_no_meaning_is_refused(heart, ensemble):
    assert cmnet.bootstrap(heart, replicates=2, kappa="n^-0.5").ensemble is None
    with pytest.raises(cmnet.OptionError, match="method"):
        cmnet.bootstrap(heart, replicates=2, ensemble=True, method="pseudo")
    with pytest.raises(cmnet.OptionError, match="replicates"):
        cmnet.bootstrap(heart, replicates=0, ensemble=True)
    with pytest.raises(cmnet.OptionError, match="networks of an ensemble are exact"):
        ensemble.query(method="gibbs")
    with pytest.raises(TypeError, match="cmnet.bootstrap with ensemble"):
        cmnet.Ensemble()
    with pytest.raises(cmnet.ModelFileError):
        cmnet.Ensemble.from_text(ensemble.to_text()[:-40])
