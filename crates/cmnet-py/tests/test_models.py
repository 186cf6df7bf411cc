"""Models as Python objects: structure, values, drawings, other packages."""

import copy
import pickle
import subprocess
import sys
import time
import xml.etree.ElementTree as tree

import networkx
import numpy as np
import pytest

import cmnet


def test_structure(heart_model):
    assert len(heart_model.edges) == 6 and len(heart_model.contexts) == 3
    assert heart_model.names[0] == "smoking" and heart_model.levels["smoking"] == ["no", "yes"]
    assert heart_model.markov_blanket("family_anamnesis") == []
    for one, other in heart_model.edges:
        assert other in heart_model.markov_blanket(one) and one in heart_model.markov_blanket(other)
    context = heart_model.contexts[0]
    assert context.edge == ("smoking", "systolic_blood_pressure")
    assert (context.given, context.elements) == (["lipoprotein_ratio"], [(">=3",)])
    assert "lipoprotein_ratio is >=3" in context.sentence
    assert heart_model.kappa == "n^-0.5" and heart_model.bic == pytest.approx(-6715.594194668651, abs=1e-9)
    assert heart_model.learned["rows"] == 1841 and heart_model.fitted["parameters"] == 10


def test_models_are_values(heart, heart_model, tmp_path):
    twin = cmnet.learn(heart).selected
    assert twin == heart_model and hash(twin) == hash(heart_model) and twin is not heart_model
    for other in (pickle.loads(pickle.dumps(heart_model)), copy.deepcopy(heart_model), copy.copy(heart_model)):
        assert other == heart_model and other.to_text() == heart_model.to_text()
        assert dict(other.query({"smoking": "yes"})) == dict(heart_model.query({"smoking": "yes"}))
    path = tmp_path / "m.model.json"
    heart_model.save(path)
    assert cmnet.load(path) == cmnet.Model.load(str(path)) == heart_model
    assert heart_model != cmnet.learn(heart, kappa="eps").selected and heart_model != "a model"
    assert len({heart_model, twin}) == 1


def test_learned(heart):
    learned = cmnet.learn(heart)
    assert len(learned.models) == len(learned.scores) == 4
    assert learned.selected == learned.models[learned.selected_index]
    frame = learned.to_dataframe()
    assert list(frame["kappa"]) == ["eps", "n^-1", "n^-0.5", "n^-0.25"]
    assert frame["bic"].idxmax() == learned.selected_index
    assert "* n^-0.5" in repr(learned).replace("  ", " ") and "<table>" in learned._repr_html_()
    unchosen = cmnet.learn(heart, select="none")
    assert unchosen.selected_index is None and "<table>" in unchosen._repr_html_()
    with pytest.raises(cmnet.QuestionError, match="none of 4 models was chosen"):
        unchosen.selected
    assert cmnet.learn(heart, kappa=0.1, select="none").selected.fitted is None
    assert cmnet.learn(heart, kappa=["eps", 0.25]).models[1].kappa == "0.25"


def test_folds_that_are_not_finished_are_told(heart):
    cut = cmnet.learn(heart, select="cv", time_limit=0.000001)
    assert cut.by_rows == {"cut": {"finished": 0, "of": 5}}
    assert (cut.stop, cut.criterion) == ("time-limit", "bic")
    whole = cmnet.learn(heart, kappa=["eps", "n^-0.5"], select="cv")
    assert whole.criterion == "heldout" and "cut" not in whole.by_rows


def test_edges_of_a_decomposable_graph_come_first_and_stay(heart):
    from concurrent.futures import ThreadPoolExecutor

    alone = cmnet.learn(heart, kappa="eps", backbone="decomposable")
    required = alone.models[0].learned["knowledge"]["require"]
    assert required and {frozenset(edge) for edge in required} <= {frozenset(edge) for edge in alone.models[0].edges}
    with ThreadPoolExecutor(1) as executor:
        shared = cmnet.learn(heart, kappa="eps", backbone="decomposable", executor=executor)
    assert shared.models[0] == alone.models[0]
    for options in ({"components": 2}, {"model": "sgm"}):
        with pytest.raises(cmnet.OptionError, match="backbone"):
            cmnet.learn(heart, backbone="decomposable", **options)
    with pytest.raises(cmnet.OptionError, match="decomposable"):
        cmnet.learn(heart, backbone="trees")
    with pytest.warns(RuntimeWarning, match="backbone: its edges were found on all rows"):
        cmnet.learn(heart, kappa=["eps", "n^-0.5"], backbone="decomposable", select="heldout")


def test_answers_can_be_pickled(heart, heart_model):
    learned = pickle.loads(pickle.dumps(cmnet.learn(heart)))
    assert learned.selected == heart_model and learned.scores == cmnet.learn(heart).scores
    marginals = heart_model.query({"smoking": "yes"})
    again = pickle.loads(pickle.dumps(marginals))
    assert dict(again) == dict(marginals) and again.method == "exact"
    best = pickle.loads(pickle.dumps(heart_model.map()))
    assert best.log_probability == heart_model.map().log_probability


def test_structures_written_by_hand(heart):
    levels = {"a": ["no", "yes"], "b": [0, 1], "c": [False, True]}
    model = cmnet.Model.from_structure(levels, [("a", "b"), ("a", "c"), ("b", "c")], [(("a", "b"), ["c"], [[True]])])
    assert model.levels == {"a": ["no", "yes"], "b": ["0", "1"], "c": ["false", "true"]}
    assert model.contexts[0].elements == [("true",)] and model.fitted is None and model.kappa is None
    again = cmnet.Model.from_structure(model.levels, model.edges, model.contexts)
    assert again == model
    rows = {"a": ["no", "yes"] * 8, "b": [0, 1, 1, 0] * 4, "c": [True] * 8 + [False] * 8}
    fitted = model.fit(rows)
    assert fitted.fitted["method"] == "exact" and model.fitted is None
    given_c = fitted.joint({"c": True}, ["a", "b"])
    product = fitted.query({"c": True})
    assert given_c["yes", "1"] == pytest.approx(product["a"]["yes"] * product["b"]["1"], abs=1e-9)


def test_questions_take_values_as_users_write_them(heart):
    rows = {"n": [0, 1, 2] * 20, "t": [True, False, False] * 20}
    model = cmnet.learn(rows, kappa="eps").selected
    assert model.query({"n": 1})["t"] == model.query({"n": "1"})["t"]
    assert model.query({"t": True})["n"] == model.query({"t": "true"})["n"]
    assert model.query({"n": np.int64(0)})["t"]["true"] > 0.9


def test_answers_have_names_and_frames(heart_model, heart):
    marginals = heart_model.query({"smoking": "yes"}, "lipoprotein_ratio")
    frame = marginals.to_dataframe()
    assert list(frame["level"]) == heart_model.levels["lipoprotein_ratio"]
    assert frame["probability"].sum() == pytest.approx(1)
    joint = heart_model.joint(targets=["smoking", "lipoprotein_ratio"])
    assert joint.to_dataframe()["probability"].sum() == pytest.approx(1) and len(joint) == 4
    assert sum(joint.values()) == pytest.approx(1) and "4 cells" in repr(joint)
    prediction = heart_model.predict_proba(heart, "smoking")
    assert np.asarray(prediction).shape == (1841, 2) and list(prediction.to_dataframe()) == ["no", "yes", "predicted"]
    assert "accuracy" in repr(prediction) and len(prediction) == 1841
    assert "lipoprotein_ratio is >=3" in str(heart_model.explain())
    assert "is cut" in str(heart_model.explain({"lipoprotein_ratio": ">=3"}))


def test_log_probabilities_are_those_of_the_joint_distribution(heart_model, heart):
    """Against all marginals of all variables, enumerated."""
    joint = heart_model.joint(targets=heart_model.names)
    columns = [heart[name] for name in heart_model.names]
    expected = [np.log(joint[tuple(row)]) for row in list(zip(*columns))[:200]]
    assert heart_model.log_prob(heart)[:200] == pytest.approx(expected, abs=1e-9)
    shuffled = {name: heart[name] for name in reversed(list(heart))}
    assert heart_model.log_prob(shuffled) == pytest.approx(heart_model.log_prob(heart), abs=0)
    packed = cmnet.Table(heart)
    assert np.sort(heart_model.log_prob(packed)) == pytest.approx(np.sort(heart_model.log_prob(heart)), abs=1e-12)


def test_samples_follow_the_model(heart_model):
    rows = heart_model.sample(20_000, seed=3, given={"smoking": "yes"})
    assert set(rows["smoking"]) == {"yes"}
    for name, distribution in heart_model.query({"smoking": "yes"}).items():
        observed = np.mean(np.array(rows[name]) == heart_model.levels[name][0])
        assert observed == pytest.approx(distribution[heart_model.levels[name][0]], abs=0.02)
    assert heart_model.sample(50, 1) == heart_model.sample(50, 1) != heart_model.sample(50, 2)
    assert heart_model.sample(0).shape == (0, 6)


def test_drawings(heart_model, tmp_path):
    svg = heart_model._repr_svg_()
    assert tree.fromstring(svg).tag.endswith("svg") and "smoking" in svg
    shown = heart_model._repr_html_()
    assert "<iframe srcdoc=" in shown and "Model(6 variables" in shown and "<script" not in shown
    for ending in ("svg", "dot", "tex", "graphml"):
        heart_model.draw(tmp_path / f"graph.{ending}")
        assert (tmp_path / f"graph.{ending}").stat().st_size > 100
    assert "independent when" in str(heart_model) and repr(heart_model).startswith("Model(")
    plain = cmnet.Model.from_structure(heart_model.levels, heart_model.edges[:3])
    by_file, by_model = tmp_path / "file.svg", tmp_path / "model.svg"
    plain.draw(by_file, positions=tmp_path / "graph.svg")
    plain.draw(by_model, positions=heart_model)
    assert by_file.read_bytes() == by_model.read_bytes()
    heart_model.draw(tmp_path / "wide.svg", widths=True)
    assert "stroke-width=" in (tmp_path / "wide.svg").read_text().split("cmnet-edge")[1]
    with pytest.raises(cmnet.QuestionError, match="no parameters"):
        plain.draw(tmp_path / "plain.svg", widths=True)


def test_networkx(heart_model):
    graph = heart_model.to_networkx()
    assert set(graph.nodes) == set(heart_model.names) and graph.number_of_edges() == 6
    assert graph.nodes["smoking"]["levels"] == '["no", "yes"]'
    assert graph.edges["smoking", "systolic_blood_pressure"]["elements"] == '[[">=3"]]'
    assert nx_components(graph) == nx_components(networkx.Graph(heart_model.edges)) | {frozenset({"family_anamnesis"})}


def nx_components(graph):
    return {frozenset(part) for part in networkx.connected_components(graph)}


def test_data_frame_of_edges(heart_model):
    frame = heart_model.to_dataframe()
    assert list(zip(frame["one"], frame["other"])) == heart_model.edges
    assert (frame["sentence"] != "").sum() == 3


def test_pgmpy_agrees_on_all_marginals(heart_model):
    from pgmpy.inference import VariableElimination

    network = heart_model.to_pgmpy()
    assert network.check_model()
    inference = VariableElimination(network)
    evidence = {"smoking": "yes"}
    for name, expected in heart_model.query(evidence).items():
        # pgmpy leaves the answers of a Markov network unnormalised.
        found = inference.query([name], evidence=evidence, show_progress=False).normalize(inplace=False)
        for level, probability in expected.items():
            assert found.get_value(**{name: level}) == pytest.approx(probability, abs=1e-9)


def test_nothing_heavy_is_imported_before_it_is_used():
    script = "import sys, cmnet; print([n for n in ('pandas', 'polars', 'pyarrow', 'sklearn', 'networkx', 'tqdm', 'pgmpy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_answers_are_values(heart, heart_model):
    assert cmnet.learn(heart) == cmnet.learn(heart) != cmnet.learn(heart, kappa="eps")
    validated = cmnet.cross_validate(heart, folds=2, kappa="eps")
    assert validated == pickle.loads(pickle.dumps(validated)) != cmnet.cross_validate(heart, folds=3, kappa="eps")
    prediction = heart_model.predict_proba(heart, "smoking")
    assert prediction == pickle.loads(pickle.dumps(prediction)) == heart_model.predict_proba(heart, "smoking")
    assert prediction != heart_model.predict_proba(heart, "lipoprotein_ratio") and prediction != 7


def test_tables_keep_their_story_in_a_pickle():
    table = cmnet.Table({"a": ["x", None, "y"], "b": ["1", "2", "1"]}, on_missing="drop")
    again = pickle.loads(pickle.dumps(table))
    assert again == table and (again.dropped_rows, again.missing, again.warnings) == (1, {"a": 1}, table.warnings)


def test_cross_validations_show_what_they_found(heart):
    validated = cmnet.cross_validate(heart, folds=2, kappa=["eps", "n^-0.5"])
    head = repr(validated).splitlines()[1].split()
    assert head == ["method", "sbic", "predictive", "edges", "parameters"]
    assert [line.split()[0] for line in repr(validated).splitlines()[2:]] == ["CMN", "MN", "n^-0.5"]
    assert "2 of 2 folds" in validated._repr_html_() and "<th>predictive</th>" in validated._repr_html_()


def test_a_pseudo_fit_says_that_its_criterion_is_another(heart, heart_model):
    assert "pseudo fit, pseudo-BIC" in repr(heart_model.fit(heart, method="pseudo"))
    assert "exact fit, BIC" in repr(heart_model)


def test_levels_and_variables_may_have_the_names_of_columns():
    rows = {"predicted": ["predicted", "y", "y", "predicted"] * 5, "probability": ["x", "y", "y", "y"] * 5}
    model = cmnet.learn(rows, kappa="eps").selected
    frame = model.predict_proba(rows, "predicted").to_dataframe()
    assert list(frame) == ["predicted", "y", "predicted_"] and set(frame["predicted_"]) <= {"predicted", "y"}
    joint = model.joint(targets=["predicted", "probability"]).to_dataframe()
    assert list(joint) == ["predicted", "probability", "probability_"]
    assert joint["probability_"].sum() == pytest.approx(1)


def test_a_backbone_that_was_cut_is_told_and_its_time_is_spent_once(heart, monkeypatch):
    with pytest.warns(RuntimeWarning, match="backbone: its search was ended early"):
        learned = cmnet.learn(heart, kappa="eps", backbone="decomposable", time_limit=0.0001)
    assert learned.stop == "time-limit"
    native, given = cmnet._learn._cmnet, []

    def slow(table, learning):
        time.sleep(0.3)
        return []

    def learn(table, learning, tell):
        given.append(float(learning["time_limit"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(native, "backbone", slow)
    monkeypatch.setattr(native, "learn", learn)
    with pytest.raises(KeyboardInterrupt):
        cmnet.learn(heart, backbone="decomposable", time_limit=10)
    assert 0 < given[0] <= 9.7
