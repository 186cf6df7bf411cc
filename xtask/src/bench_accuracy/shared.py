"""What all parts of the benchmark of accuracy share: limits, processes of their own, cells and rows of tables.

Usage of a part: python PART.py CMNET_BENCH FOLDER [DENSITY_FOLDER]

Every figure is a mean over tables, with the smallest and the largest beside it; CPU seconds are those of learning alone, on one
thread. A program that takes more CPU seconds for a table than the limit is stopped, and left out of the other tables of that case.
"""

from __future__ import annotations

import os

# One thread for every program: none may have more processors than another.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import json
import multiprocessing
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pandas as pd

warnings.filterwarnings("ignore")

BENCH, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
PART = Path(sys.argv[0]).stem
# CPU seconds that a program has for one table.
LIMITS = {"structure": 60, "scores": 60, "networks": 30, "classification": 200, "density": 60}
SEEDS = (101, 102, 103)


def limited():
    """Bounds the CPU seconds of this process."""
    seconds = LIMITS[PART]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def cmnet(*arguments: str) -> dict | None:
    """What a run of the measuring program answers; nothing where it took too long."""
    done = subprocess.run([BENCH, *arguments], check=False, capture_output=True, text=True, preexec_fn=limited)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def alone(work):
    """A result and the CPU seconds that it took, in a process of its own; nothing where it took too long."""
    here, there = multiprocessing.Pipe(duplex=False)

    def run():
        limited()
        # Libraries in C++ write notices among the rows of the tables.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        there.send(clocked(work))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    there.close()
    try:
        answer = here.recv()
    except EOFError:
        answer = None
    process.join()
    if answer is None and process.exitcode not in (-signal.SIGXCPU, -signal.SIGKILL):
        raise RuntimeError(f"a program ended with {process.exitcode}")
    return answer


class Case:
    """What each program found for the tables of one case."""

    def __init__(self, stopped=()):
        self.found: dict = {}
        self.stopped = dict(stopped)

    def run(self, program, work):
        """Takes down the figures of one table: a tuple that ends with CPU seconds, nothing where it took too long, or words."""
        if program in self.stopped:
            return
        answer = work()
        if answer is None or isinstance(answer, str):
            self.stopped[program] = answer or f"> {LIMITS[PART]} s"
        else:
            self.found.setdefault(program, []).append(answer)

    def cells(self, programs, told):
        """The row of a table: `told` words all figures of one program."""
        for program in programs:
            if program in self.stopped:
                yield self.stopped[program]
            elif program in self.found:
                *columns, seconds = zip(*self.found[program])
                yield f"{told(*columns)}; {short(sum(seconds) / len(seconds), 2)}"
            else:
                yield "-"


def head(*columns):
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def short(value, digits=3):
    """A number without the zero before its point."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def clocked(work):
    """A result, and the CPU seconds that it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def f1(truth, found):
    hits = len(truth & found)
    return 2 * hits / max(len(truth) + len(found), 1)


def spread(values, digits=3):
    if len(values) == 1:
        return short(values[0], digits)
    low, high = (short(value, digits) for value in (min(values), max(values)))
    to = " to " if low.startswith("-") else "-"
    return f"{short(sum(values) / len(values), digits)} ({low}{to}{high})"


def write(folder: Path, train, test):
    """Tables that cmnet reads, with every level of both."""
    folder.mkdir(parents=True, exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    both = pd.concat([train, test])
    levels = {name: sorted(both[name].unique()) for name in both.columns}
    text = "[levels]\n" + "".join(f"{json.dumps(name)} = {json.dumps(own)}\n" for name, own in levels.items())
    (folder / "levels.toml").write_text(text)
