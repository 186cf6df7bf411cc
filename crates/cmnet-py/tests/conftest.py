"""What tests share: the command, tables, and a place for files."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cmnet

ROOT = Path(__file__).resolve().parents[3]
# A shell that starts us in the background tells us to ignore Ctrl-C; the tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
BUNDLED = sorted(path.stem for path in (ROOT / "data").glob("*.csv"))


@pytest.fixture(scope="session")
def command() -> str:
    """The command line program of the same build."""
    path = Path(os.environ.get("CMNET_COMMAND", ROOT / "target" / "debug" / "cmnet"))
    if not path.exists():
        pytest.fail(f"no command at {path}: build it with cargo build -p cmnet-cli, or name it in CMNET_COMMAND")
    return str(path)


@pytest.fixture(scope="session")
def run(command):
    """Runs the command and returns its JSON answer."""

    def run(*arguments, **options):
        words = [command, *map(str, arguments)]
        done = subprocess.run([*words, "--format", "json"], capture_output=True, text=True, **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def table_path(name: str) -> Path:
    """A bundled table, or one of the folder CMNET_DATA names, which is not in the repository."""
    path = ROOT / "data" / f"{name}.csv"
    if path.exists():
        return path
    folder = os.environ.get("CMNET_DATA")
    if folder is None:
        pytest.skip(f"{name}.csv is not bundled: set CMNET_DATA to a folder that has it")
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        pytest.fail(f"CMNET_DATA is set, but there is no {path}")
    return path


def columns_of(path: Path) -> dict[str, list[str]]:
    """A CSV file as a mapping of columns, by Python's own reader."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}


@pytest.fixture(scope="session")
def heart():
    """Rows of the smallest table."""
    return cmnet.datasets.load("coronary_heart")


@pytest.fixture(scope="session")
def heart_model(heart):
    """The model that BIC chooses there."""
    return cmnet.learn(heart).selected


def copies(variables, hidden):
    """Noisy copies of hidden variables of four levels."""
    random = np.random.default_rng(7)
    sources = random.integers(0, 4, (3000, hidden))
    noise = random.integers(0, 4, (3000, variables))
    keep = random.random((3000, variables)) < 0.7
    return np.where(keep, sources[:, np.arange(variables) % hidden], noise)


@pytest.fixture(scope="session")
def narrow():
    """A table on which a search takes moments: forty variables of four levels."""
    return copies(40, 8)


@pytest.fixture(scope="session")
def wide():
    """A table on which mode paper takes seconds: two hundred variables of four levels."""
    return copies(200, 24)


@pytest.fixture(scope="session")
def very_wide():
    """A table on which mode blanket takes seconds: a chain of six hundred variables."""
    random = np.random.default_rng(5)
    columns = [random.integers(0, 3, 10_000)]
    for _ in range(599):
        noise = random.integers(0, 3, 10_000)
        columns.append(np.where(random.random(10_000) < 0.3, noise, columns[-1]))
    return np.array(columns).T
