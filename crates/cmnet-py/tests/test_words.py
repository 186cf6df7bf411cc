"""Complaints name options, columns and files as Python users know them, and leave their texts alone."""

import os
import subprocess

import numpy as np
import pytest

import cmnet


def option_of(work, *arguments, **options):
    with pytest.raises(cmnet.OptionError) as caught:
        work(*arguments, **options)
    return caught.value.option


@pytest.mark.parametrize(
    ("option", "value"),
    [("search", None), ("kappa", None), ("kappa", [None]), ("kappa", object()), ("alpha", None), ("alpha", "\ud800")]
    + [("schema", {"smoking": None}), ("schema", {"smoking": "yes"}), ("schema", 5), ("checkpoint", 5), ("memory", "\ud800")]
    + [("columns", 5), ("drop", ["\ud800"]), ("weights", "\ud800"), ("threads", None), ("time_limit", object())],
)
def test_options_of_learning_that_are_no_values_are_refused_by_name(heart, option, value):
    assert option_of(cmnet.learn, heart, **{option: value}) == option


def test_numbers_of_any_kind_are_numbers(heart):
    half = cmnet.learn(heart, kappa=0.5).selected
    assert cmnet.learn(heart, kappa=np.float32(0.5)).selected == half
    assert cmnet.learn(heart, kappa=[np.float64(0.5)], time_limit=np.int64(300), alpha=0.5).selected == half
    assert cmnet.learn(heart, memory=1e9).selected == cmnet.learn(heart, memory=10**9).selected
    assert cmnet.learn(heart, alpha=1).selected == cmnet.learn(heart, alpha="1").selected == cmnet.learn(heart, alpha=1.0).selected


def test_questions_that_are_no_questions_are_refused_by_name(heart_model):
    assert option_of(heart_model.query, soft={"smoking": [0.1, 0.9]}) == "soft"
    assert option_of(heart_model.query, soft=[1]) == "soft"
    assert option_of(heart_model.query, targets=5) == "targets"
    assert option_of(heart_model.query, {"smoking": "\ud800"}) == "given"
    assert option_of(heart_model.query, {"\ud800": "yes"}) == "given"
    assert option_of(heart_model.predict_proba, {"smoking": ["yes"]}, "\ud800") == "target"
    assert option_of(heart_model.markov_blanket, "\ud800") == "variable"
    assert option_of(cmnet.Model.from_text, "\ud800") == "text"
    assert option_of(cmnet.datasets.load, 5) == option_of(cmnet.datasets.csv, "\ud800") == "name"
    for bad in (5, object()):
        assert option_of(heart_model.save, bad) == option_of(cmnet.load, bad) == "path"


def test_structures_that_are_none_are_refused_by_name():
    levels = {"a": [0, 1], "b": [0, 1]}
    assert option_of(cmnet.Model.from_structure, [1, 2]) == "levels"
    assert option_of(cmnet.Model.from_structure, {"a": 5}) == "levels"
    assert option_of(cmnet.Model.from_structure, levels, 5) == "edges"
    assert option_of(cmnet.Model.from_structure, levels, [5]) == "edges"
    assert option_of(cmnet.Model.from_structure, levels, [("a", "b")], [5]) == "contexts"
    with pytest.raises(cmnet.ModelFileError):
        cmnet.Model.from_structure(levels, [("a",)])


def test_texts_of_the_user_are_left_alone(tmp_path):
    with pytest.raises(cmnet.UnknownLevelError) as caught:
        cmnet.Table({"a": ["--foo", "--on-missing drop"]}, schema={"a": ["--no-header"]})
    assert '"--foo"' in str(caught.value) and '"--no-header"' in str(caught.value)
    path = tmp_path / "--drop.csv"
    path.write_text("a,b\nx\n")
    with pytest.raises(cmnet.InputError) as caught:
        cmnet.Table(path)
    assert str(path) in str(caught.value) and "give delimiter" in str(caught.value)
    with pytest.raises(cmnet.OptionError) as caught:
        cmnet.learn({"a": ["x", "y"]}, search="--quick")
    assert '"--quick"' in str(caught.value) and str(caught.value).startswith("search: ")


def test_warnings_speak_python():
    identifier = cmnet.Table({"id": range(100), "b": ["x", "y"] * 50})
    assert any("looks like an identifier: drop it" in text for text in identifier.warnings)
    assert not any("--" in text for text in identifier.warnings)
    assert cmnet.learn(identifier, kappa="eps").warnings == identifier.warnings


def test_models_of_different_tables_are_two_models(heart_model):
    other = cmnet.Model.from_structure({"a": [0, 1]})
    with pytest.raises(cmnet.MismatchError) as caught:
        heart_model.compare(other)
    assert str(caught.value).startswith("the two models do not match") and "data" not in str(caught.value)


def test_drawings_of_unknown_kinds_say_which_there_are(heart_model, tmp_path):
    for bad in (tmp_path / "x.png", "-"):
        with pytest.raises(cmnet.OptionError, match="expected a file that ends in .svg") as caught:
            heart_model.draw(bad)
        assert caught.value.option == "path" and "output" not in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("question", [["sample", "-n", "2"], ["query"]])
def test_the_command_sends_no_control_characters_to_a_terminal(command, tmp_path, question, form):
    import pty

    name, word = "a\x1b[31m\u202e\nz", "b\x9b\u2066"
    table = cmnet.Table({name: [word, "c"] * 20, "d": ["e", "f"] * 20})
    cmnet.learn(table).selected.save(tmp_path / "m.json")
    ours, theirs = pty.openpty()
    verb, *rest = question
    words = [command, verb, str(tmp_path / "m.json"), *rest, "--format", form]
    subprocess.run(words, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the end, as Linux tells it
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    said = said.decode()
    shown = {"text": r"a\u{1b}[31m\u{202e}\nz", "json": r"a\u001b[31m\u202e\nz"}
    assert shown[form] in said
    assert not any(mark in said for mark in "\x1b\u202e\x9b\u2066")
    # Whoever reads rows from a pipe gets them as they are.
    if (verb, form) == ("sample", "text"):
        assert name in subprocess.run(words, capture_output=True, check=True).stdout.decode()
