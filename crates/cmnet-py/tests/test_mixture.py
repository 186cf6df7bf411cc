"""Mixtures: the same as from the command line."""

from __future__ import annotations

import math
import pickle

import cmnet
import pytest


@pytest.fixture(scope="module")
def learned() -> cmnet.Learned:
    return cmnet.learn(cmnet.datasets.load("coronary_heart"), components=2)


def test_a_mixture_answers_exactly(learned: cmnet.Learned) -> None:
    mixture = learned.mixture
    assert mixture is not None and learned.classes is not None
    assert len(mixture.models) == len(learned.models) == 2
    assert math.isclose(sum(mixture.weights), 1.0)
    assert learned.selected_index is None
    answer = mixture.query({"smoking": "yes"}, "lipoprotein_ratio")
    assert math.isclose(sum(answer["lipoprotein_ratio"].values()), 1.0)
    assert math.isclose(sum(answer.classes), 1.0)
    joint = mixture.joint({"smoking": "yes"}, ["lipoprotein_ratio"])
    assert math.isclose(joint["<3"], answer["lipoprotein_ratio"]["<3"])
    assert mixture.map().proven
    table = cmnet.datasets.load("coronary_heart")
    found = mixture.evaluate(table)
    assert math.isclose(found.log_likelihood * found.rows, mixture.fitted["log_likelihood"], rel_tol=1e-9)
    assert mixture.sample(20, seed=3).shape == (20, 6)
    predicted = mixture.predict_proba(table, "smoking")
    assert predicted.probabilities.shape[1] == 2
    assert len(mixture.explain()["classes"]) == 2


def test_files_come_back(learned: cmnet.Learned, tmp_path) -> None:
    mixture = learned.mixture
    assert mixture is not None
    path = tmp_path / "mix.json"
    mixture.save(path)
    assert cmnet.load(path) == mixture
    assert pickle.loads(pickle.dumps(mixture)) == mixture
    learned.models[0].save(tmp_path / "one.json")
    assert isinstance(cmnet.load(tmp_path / "one.json"), cmnet.Model)
    with pytest.raises(cmnet.ModelFileError, match="mixture of networks"):
        cmnet.Model.load(path)


def test_what_has_no_meaning_is_refused() -> None:
    table = cmnet.datasets.load("coronary_heart")
    for options in ({"method": "pseudo"}, {"target": "smoking"}, {"model": "sgm"}):
        with pytest.raises(cmnet.OptionError):
            cmnet.learn(table, components=2, **options)
    with pytest.raises(cmnet.OptionError, match="from 1 to 1000"):
        cmnet.learn(table, components="many")
