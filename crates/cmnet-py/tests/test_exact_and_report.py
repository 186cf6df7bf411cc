"""The exact search and the report: as the command, and what bad input gets."""

import re

import pytest

import cmnet
from conftest import table_path


@pytest.fixture(scope="session")
def heart_path():
    """The smallest table as a file."""
    return str(table_path("coronary_heart"))


def test_exact_says_what_the_command_says(run, heart_path):
    found = cmnet.exact(heart_path)
    told = run("exact", heart_path)
    assert (found.proven, found.score, found.bound) == (True, told["score"], told["bound"])
    assert (found.greedy_score, found.greedy_gap, found.branches) == (
        told["greedy_score"],
        told["greedy_gap"],
        told["branches"],
    )
    assert [list(edge) for edge in found.model.edges] == told["edges"] and found.stop == "converged"
    assert found.model.fitted["bic"] == pytest.approx(told["bic"], abs=1e-9)
    assert "proven" in repr(found)
    four = ["smoking", "strenuous_mental_work", "strenuous_physical_work", "lipoprotein_ratio"]
    contexts = cmnet.exact(heart_path, kappa="n^-0.25", columns=four)
    assert contexts.proven and contexts.greedy_gap >= 0
    learned = cmnet.learn(heart_path, kappa="n^-0.25", search="exact", columns=four)
    assert learned.scores[0]["score"] == pytest.approx(contexts.score, abs=1e-9)


def test_exact_refuses_what_is_too_large(heart_path):
    with pytest.raises(cmnet.LimitError, match="configurations of a Markov blanket"):
        cmnet.exact(heart_path, kappa="n^-0.5")
    with pytest.raises(cmnet.OptionError):
        cmnet.exact(heart_path, kappa="often")


def test_a_report_is_the_page_of_the_command(run, heart_path, tmp_path):
    page, other = tmp_path / "heart.html", tmp_path / "other" / "heart.html"
    other.parent.mkdir()
    model = cmnet.report(heart_path, page, folds=3)
    run("report", heart_path, "-o", other, "--folds", 3)
    assert model == cmnet.learn(heart_path).selected

    def body(text):
        # Titles are the names of files; the call and the name of the table differ.
        return re.sub(r"<title>.*?</title>|<h1>.*?</h1>|<pre>.*?</pre>|<code>.*?</code>", "", text, flags=re.S)

    here, there = body(page.read_text()), body(other.read_text())
    numbers = re.compile(r"-?\d+\.\d+")
    assert numbers.findall(here) == numbers.findall(there)
    assert "folds=3" in page.read_text() and "<script" not in here


def test_a_model_reports_with_and_without_its_table(heart_model, heart_path, tmp_path):
    heart_model.report(tmp_path / "alone.html")
    alone = (tmp_path / "alone.html").read_text()
    assert "How to repeat it" in alone and "model.report(" in alone
    heart_model.report(tmp_path / "table.html", heart_path, folds=0)
    assert "1841" in (tmp_path / "table.html").read_text()
    with pytest.raises(cmnet.OptionError, match="html"):
        heart_model.report(tmp_path / "page.txt")
    with pytest.raises(cmnet.FileError):
        heart_model.report(tmp_path / "nowhere" / "page.html")
    assert cmnet.report(heart_model, tmp_path / "again.html") is heart_model
