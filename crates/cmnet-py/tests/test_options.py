"""One set of options: the command line, Python and the library agree on names and defaults."""

import inspect
import re
import subprocess
from pathlib import Path
from typing import get_args

import pytest

import cmnet
from cmnet import _cmnet
from conftest import table_path

# Options of the command line that Python has no use for, each with its reason.
COMMAND_ONLY = {
    "help": "Python has help()",
    "format": "Python gets objects",
    "output": "Python has Model.save and Rows.to_...",
    "no_output": "Python writes no files unasked",
    "quiet": "a note on standard error; Python has Marginals.reason",
    "map": "Python has Model.map",
    "joint": "Python has Model.joint",
    "information": "Python has Model.explain",
    "intervals": "Python has Model.intervals and Model.probability_intervals",
    "plot": "Python has Bootstrap.plot",
    "weights_as": "Python has cmnet.WeightedTable",
    "shard": "a batch queue's; Python has executor=",
    "part": "a batch queue's; Python has executor=",
    "known": "a batch queue's; Python has executor=",
    "evidence": "a file of another program's; Python has given=",
    "data": "Python has the argument table",
    "target": "an argument: targets, where there may be several",
    "given": "an argument",
    "rows": "an argument",
}
# What Python has besides: in place of files and terminals.
PYTHON_ONLY = {
    "self",
    "table",
    "names",
    "progress",
    "executor",
    "on_unknown",
    "other",
    "given",
    "target",
    "targets",
    "rows",
    "variables",
}

PAIRS = [
    ("learn", cmnet.learn),
    ("cv", cmnet.cross_validate),
    ("bootstrap", cmnet.bootstrap),
    ("posterior", cmnet.posterior),
    ("fit", cmnet.Model.fit),
    ("evaluate", cmnet.Model.evaluate),
    ("compare", cmnet.Model.compare),
    ("query", cmnet.Model.query),
    ("sample", cmnet.Model.sample),
    ("explain", cmnet.Model.explain),
    ("independent", cmnet.Model.independent),
    ("predict", cmnet.Model.predict_proba),
]


def options_of(command, name):
    """Names and defaults as `cmnet NAME --help` tells them; None where it tells no default."""
    done = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True)
    body = done.stdout.split("Options:", 1)[1]
    blocks = re.split(r"\n(?= {2,6}(?:-\w, )?--[a-z])", "\n" + body)
    found = {}
    for block in blocks[1:]:
        option = re.search(r"--([a-z][a-z-]*)", block).group(1).replace("-", "_")
        text = " ".join(block.split())
        default = re.search(r"\[default: ([^\]]*)\]", text)
        flag = re.match(r" +(?:-\w, )?--[a-z-]+ *\n", block + "\n") is not None
        found[option] = "false" if flag and default is None else default and default.group(1)
    return found


def shown(value):
    """A Python default as the command line would print it."""
    if value is None or value is inspect.Parameter.empty or value == ():
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


@pytest.mark.parametrize(("name", "function"), PAIRS)
def test_command_and_python_have_the_same_options_and_defaults(command, name, function):
    left_out = set(COMMAND_ONLY)
    if name == "query":
        # A table is for intervals alone: in Python another function.
        reading = {option["name"] for option in _cmnet.option_table()["reading"]}
        assert reading <= set(inspect.signature(cmnet.Model.probability_intervals).parameters)
        left_out |= reading
    if name == "compare":
        # Those of groups: in Python another function.
        grouping = {option["name"] for option in _cmnet.option_table()["grouping"]}
        assert grouping <= set(inspect.signature(cmnet.compare_groups).parameters)
        left_out |= {"groups", "seed", "threads", "time_limit"} | grouping
    there = {option: default for option, default in options_of(command, name).items() if option not in left_out}
    parameters = inspect.signature(function).parameters
    here = {option: parameter.default for option, parameter in parameters.items() if option not in PYTHON_ONLY}
    assert len(there) >= 2
    assert set(here) == set(there)
    for option, default in there.items():
        # Words such as "sniffed" describe what happens without a value: nothing in Python.
        if option in ("delimiter", "missing", "among"):
            assert not here[option], option
            continue
        assert shown(here[option]) == default, option


def test_log_probabilities_read_rows_as_prediction_does():
    prediction = inspect.signature(cmnet.Model.predict_proba).parameters
    for function in (cmnet.Model.log_prob, cmnet.Model.pseudo_log_prob):
        parameters = inspect.signature(function).parameters
        for option in ("names", "on_unknown", "delimiter", "no_header", "drop", "weights", "missing"):
            assert parameters[option].default == prediction[option].default, option


def test_questions_name_their_targets_as_the_issue_does():
    for function in (cmnet.Model.query, cmnet.Model.joint, cmnet.Model.map):
        assert list(inspect.signature(function).parameters)[1:3] == ["given", "targets"]


def test_the_comparison_can_fail(command):
    """The help is really read: known options with known defaults are found in it."""
    found = options_of(command, "learn")
    assert found["kappa"] == "eps,n^-1,n^-0.5,n^-0.25" and found["max_neighbors"] == "50"
    assert found["resume"] == "false" and found["time_limit"] is None and found["memory"] == "256M"
    assert len(found) >= 25


# Functions that fit models to a table.
FITTING = [
    cmnet.learn,
    cmnet.cross_validate,
    cmnet.bootstrap,
    cmnet.exact,
    cmnet.report,
    cmnet.Model.report,
    cmnet.Model.fit,
]

# Each group of the library's table of options, with the functions that have all of it.
GROUPS = {
    "reading": [cmnet.Table, *FITTING],
    "rows": [cmnet.Model.predict_proba, cmnet.Model.log_prob, cmnet.Model.pseudo_log_prob],
    "learning": [cmnet.learn],
    "grouping": [cmnet.learn],
    "completing": [cmnet.learn],
    "fitting": FITTING,
    "validation": [cmnet.cross_validate],
    "resampling": [cmnet.bootstrap],
    "drawing": [cmnet.posterior],
    "asking": [cmnet.Model.query, cmnet.Model.joint, cmnet.Model.map],
}


def test_the_library_has_the_same_options_and_defaults():
    table = _cmnet.option_table()
    assert set(table) == set(GROUPS)
    for group, functions in GROUPS.items():
        assert table[group], group
        for function in functions:
            parameters = inspect.signature(function).parameters
            for option in table[group]:
                name, default = option["name"], parameters[option["name"]].default
                if name == "missing":
                    assert default is None and option["default"].split(",") == ["", "NA", "NaN", "?"]
                elif option["is_switch"]:
                    assert default is False, name
                else:
                    assert shown(default) == option["default"], (function, name)


def test_the_words_of_an_option_are_those_of_the_library():
    from cmnet import _keywords

    words = {
        ("reading", "on_missing"): _keywords.OnMissing,
        ("rows", "on_unknown"): _keywords.OnUnknown,
        ("learning", "model"): _keywords.ModelClass,
        ("learning", "backbone"): _keywords.Backbone,
        ("learning", "search"): _keywords.SearchMode,
        ("learning", "contexts"): _keywords.Contexts,
        ("learning", "refine"): _keywords.Refine,
        ("learning", "select"): _keywords.Select,
        ("learning", "candidates"): _keywords.Candidates,
        ("resampling", "resample"): _keywords.Resample,
        ("resampling", "start"): _keywords.ReplicateStart,
        ("resampling", "kappa_choice"): _keywords.KappaChoice,
        ("fitting", "method"): _keywords.FitMethod,
        ("asking", "method"): _keywords.QueryMethod,
        ("asking", "elimination"): _keywords.Elimination,
    }
    there = {
        (group, option["name"]): option["choices"]
        for group, options in _cmnet.option_table().items()
        for option in options
        if option["choices"]
    }
    assert {place: list(get_args(literal)) for place, literal in words.items()} == there


def test_the_document_names_every_option_of_a_table():
    page = (Path(__file__).parents[3] / "docs" / "python.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    for option in _cmnet.option_table()["reading"]:
        assert option["name"] in told, option["name"]


def test_reading_options_are_the_same_everywhere():
    reading = {
        option: parameter.default
        for option, parameter in inspect.signature(cmnet.Table).parameters.items()
        if option not in ("table", "names")
    }
    for function in (cmnet.learn, cmnet.cross_validate, cmnet.Model.fit, cmnet.Model.compare):
        parameters = inspect.signature(function).parameters
        assert {option: parameters[option].default for option in reading} == reading
    # What is known of a row is evaluated, as it is predicted from.
    parameters = inspect.signature(cmnet.Model.evaluate).parameters
    assert {option: parameters[option].default for option in reading} == {**reading, "on_missing": "model"}


def test_options_that_are_passed_on_are_typed_once_and_shown_everywhere():
    from cmnet import _keywords, _options

    typed = {
        _options.reading: _keywords.Reading,
        _options.row_reading: _keywords.RowReading,
        _options.each_row: _keywords.EachRow,
        _options.searching: _keywords.Searching,
        _options.fitting: _keywords.Fitting,
        _options.inference: _keywords.Inference,
        _options.question: _keywords.Asking,
    }
    for function, kind in typed.items():
        keywords = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert set(keywords) == set(kind.__annotations__), function
    learn = inspect.signature(cmnet.learn).parameters
    for function in (_options.searching, _options.learning, _options.fitting):
        for option, parameter in inspect.signature(function).parameters.items():
            if parameter.default is not parameter.empty:
                assert parameter.default == learn[option].default, option


@pytest.mark.parametrize(
    "call",
    [
        lambda table: cmnet.learn(table, delimeter=";"),
        lambda table: cmnet.Table(table, delimeter=";"),
        lambda table: cmnet.learn(table).selected.fit(table, delimeter=";"),
        lambda table: cmnet.learn(table).selected.query(delimeter=";"),
        lambda table: cmnet.learn(table).selected.predict_proba(table, "a", delimeter=";"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_by_its_name(call):
    with pytest.raises(TypeError, match=r"(learn|__init__|fit|query|predict_proba)\(\) got .* 'delimeter'"):
        call({"a": ["x", "y"], "b": ["x", "y"]})


def test_estimators_have_the_defaults_of_learn():
    from cmnet.sklearn import CMNClassifier, CMNDensity

    learn = inspect.signature(cmnet.learn).parameters
    for estimator in (CMNClassifier(), CMNDensity()):
        for option, default in estimator.get_params().items():
            if option not in ("categories", "handle_unknown", "n_jobs", "objective", "verbose"):
                assert learn[option].default == default, option


def test_refinement_and_edge_prior_reach_the_library(heart):
    plain = cmnet.learn(heart, kappa="eps")
    refined = cmnet.learn(heart, kappa="eps", refine="yes", edge_prior=0)
    facts = refined.selected.learned
    assert facts["edge_prior"] == "0" and plain.selected.learned["edge_prior"] == "uniform"
    assert (facts["conditional_bic"] is not None) == (refined.selected.edges != plain.selected.edges)
    sparse = cmnet.learn(heart, kappa="eps", edge_prior="3")
    assert len(sparse.selected.edges) <= len(plain.selected.edges)


def test_knowledge_reaches_the_library(heart, tmp_path):
    known = cmnet.learn(heart, kappa="eps", require=("smoking", "family_anamnesis"), forbid="strenuous_mental_work-*")
    edges = known.selected.edges
    assert ("smoking", "family_anamnesis") in edges
    assert not any("strenuous_mental_work" in edge for edge in edges)
    assert known.selected.learned["knowledge"]["forbid"] == ["strenuous_mental_work-*"]
    file = tmp_path / "known.toml"
    file.write_text("require = ['smoking-family_anamnesis']\nforbid = ['strenuous_mental_work-*']\n")
    mapping = {"require": [["smoking", "family_anamnesis"]], "forbid": ["strenuous_mental_work-*"]}
    for knowledge in (file, str(file), mapping):
        assert cmnet.learn(heart, kappa="eps", knowledge=knowledge).selected.edges == edges
    with pytest.raises(ValueError, match="forbids"):
        cmnet.learn(heart, require="smoking-family_anamnesis", forbid=["smoking-*"])
    with pytest.raises(ValueError, match="knowledge"):
        cmnet.learn(heart, knowledge={"requires": []})


def test_held_out_rows_choose_nothing_where_none_are_held_out(heart, heart_model):
    weighted = cmnet.WeightedTable({"a": [0, 1, 1, 0] * 9, "b": [0, 1, 0, 1] * 9, "w": [1.5, 0.5, 1.25, 2] * 9}, weights="w")
    model = cmnet.learn(weighted).selected
    for option in ("order", "ridge"):
        auto = {option: "auto"}
        with pytest.raises(cmnet.OptionError, match=f"{option}.*no whole numbers"):
            model.fit(weighted, **auto)
        with pytest.raises(cmnet.OptionError, match=f"{option}.*missing values are not held out"):
            heart_model.fit(str(table_path("coronary_heart")), on_missing="model", **auto)
        with pytest.raises(cmnet.OptionError, match=f"{option}.*none is held out"):
            cmnet.exact(heart, **auto)
        with pytest.raises(cmnet.OptionError, match=f"{option}.*sgm"):
            cmnet.learn(heart, model="sgm", **auto)


def test_options_without_effect_are_refused(heart):
    from concurrent.futures import ThreadPoolExecutor

    cells = {"max_cells": 100, "search": "paper"}
    for options in ({"completions": 3}, {"rounds": 3}, {"agreement": 0.9}, cells):
        with pytest.raises(cmnet.OptionError, match=next(iter(options))):
            cmnet.learn(heart, **options)
    holes = {"a": ["x", "y", None, "x"] * 5, "b": ["x", "y", "y", "x"] * 5}
    with ThreadPoolExecutor(1) as executor, pytest.raises(cmnet.OptionError, match="executor"):
        cmnet.learn(heart, components=2, executor=executor)
    with ThreadPoolExecutor(1) as executor, pytest.raises(cmnet.OptionError, match="executor"):
        cmnet.learn(holes, on_missing="model", executor=executor)
