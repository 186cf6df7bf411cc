"""Documents say what happens: every example of the reference and the tutorial is run."""

import doctest
import inspect
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

import cmnet

REFERENCE = ROOT / "docs" / "python.md"
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"


def examples(path):
    """The Python blocks of a document."""
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.parametrize("name", ["docs/python.md", "docs/coming-from.md", "README.md"])
def test_examples_of_documents_run(name):
    path = ROOT / name
    session = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    blocks = examples(path)
    assert blocks
    for place, block in enumerate(blocks):
        test = parser.get_doctest(block, session, f"{name} block {place}", str(path), 0)
        assert test.examples, block
        runner.run(test, out=report.append, clear_globs=False)
        session = test.globs
    assert runner.failures == 0, "".join(report)


def test_every_function_has_an_example():
    text = "\n".join(examples(REFERENCE))
    for name in cmnet.__all__:
        if inspect.isfunction(getattr(cmnet, name)):
            assert f"cmnet.{name}(" in text, name
    for name in cmnet.datasets.__all__:
        assert f"cmnet.datasets.{name}(" in text, name
    for kind in (cmnet.Model, cmnet.Rows, cmnet.Table):
        mapping = set(dir(dict))
        for name in set(dir(kind)) - mapping:
            if not name.startswith("_"):
                assert re.search(rf"\.{name}\b", text), f"{kind.__name__}.{name}"
    for name in ("fit", "predict", "predict_proba", "score_samples", "sample", "score"):
        assert f".{name}(" in text, name


def test_the_tutorial_runs_and_holds_no_outputs():
    notebook = nbformat.read(TUTORIAL, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 10 and all(not cell.outputs and cell.execution_count is None for cell in code)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in code for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in output.get("data", {}) for output in shown)
    assert not any(output.output_type == "error" for output in shown)


def test_the_docstring_of_the_package_runs():
    failures, tests = doctest.testmod(cmnet)
    assert tests >= 3 and failures == 0


def test_the_package_builds_from_the_root():
    """`pip install .` reads the project file of the root: name, module and sources are there."""
    tomllib = pytest.importorskip("tomllib", reason="Python 3.11 or newer reads TOML by itself")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    maturin = project["tool"]["maturin"]
    assert project["project"]["name"] == "cmnet" and project["project"]["requires-python"] == ">=3.10"
    assert (ROOT / maturin["manifest-path"]).exists() and (ROOT / maturin["python-source"] / "cmnet").is_dir()
    shown = subprocess.run([sys.executable, "-m", "pip", "show", "-f", "cmnet"], capture_output=True, text=True)
    assert "cmnet/_cmnet.abi3.so" in shown.stdout and "cmnet/py.typed" in shown.stdout
    assert "cmnet/_cmnet.pyi" in shown.stdout
