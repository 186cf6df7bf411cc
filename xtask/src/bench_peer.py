"""PyBNesian's PC (chi-square, alpha 0.01) on the table that `cmnet-bench peer-table` wrote."""

import sys
import time
from pathlib import Path

import pandas as pd
import pybnesian as pbn

folder = Path(sys.argv[1])
table = pd.read_csv(folder / "field.csv", dtype=str).astype("category")
truth = {tuple(map(int, line.split())) for line in (folder / "field.edges").read_text().splitlines()}

started = time.process_time()
graph = pbn.PC().estimate(pbn.ChiSquare(table), alpha=0.01)
seconds = time.process_time() - started

number = {name: place for place, name in enumerate(table.columns)}
pairs = [*graph.arcs(), *graph.edges()]
found = {tuple(sorted((number[one], number[other]))) for one, other in pairs}
hits = len(found & truth)
f1 = 2 * hits / (len(found) + len(truth))
print(f"PyBNesian PC: {seconds:.2f} s processor, edges F1 {f1:.4f}")
