"""Other scores of a class: edge F1 of climbs with them."""

from __future__ import annotations

import subprocess

from shared import BENCH, SEEDS, head, row, spread
from structure import STRUCTURES

# For other scores: tables on which a climb over all pairs ends in seconds.
SCORED = [case for case in STRUCTURES if case[1] <= 200 and case[0] != "3-tree"]


def scores():
    """Edge F1 of climbs with other scores of a class, without and with a prior of edges."""
    found: dict = {}
    for kind, variables, rows, *_ in SCORED:
        seeds = ",".join(map(str, SEEDS))
        command = [BENCH, "accuracy-scores", kind, str(variables), str(rows), seeds]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for line in lines:
            _, _, _, _, score, gamma, f1, seconds = line.split("\t")
            found.setdefault((score, gamma), {}).setdefault(f"{kind} {variables}, {rows}", []).append((float(f1), float(seconds)))
    cases = list(next(iter(found.values())))
    head("score", "edge prior", *cases)
    for (score, gamma), by_case in found.items():
        cells = []
        for case in cases:
            f1s, seconds = zip(*by_case[case])
            cells.append(f"{spread(f1s)}; {sum(seconds) / len(seconds):.2f}")
        row(score, gamma, *cells)


scores()
