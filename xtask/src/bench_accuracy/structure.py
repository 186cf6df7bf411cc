"""Edges of known graphs: F1 of cmnet and other programs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pybnesian
from directed import agrum_learner, climbed_arcs, moral, named_arcs
from shared import FOLDER, SEEDS, Case, alone, cmnet, f1, head, row, spread
from sklearn.linear_model import LogisticRegression

# Kind, variables, rows, seeds.
STRUCTURES = [
    ("field", 32, 500, SEEDS),
    ("field", 200, 600, SEEDS),
    ("ternary-field", 32, 400, SEEDS),
    ("grid", 49, 800, SEEDS),
    ("hubs", 60, 2000, SEEDS),
    ("ternary-hubs", 60, 2000, SEEDS),
    ("2-tree", 50, 2000, SEEDS),
    ("3-tree", 30, 3000, SEEDS),
    ("ternary-2-tree", 40, 3000, SEEDS),
    ("field", 1000, 2000, SEEDS[:1]),
]
STRUCTURE_WAYS = ("plain", "refined", "auto", "contexts", "contexts-auto")


def pc(table):
    graph = pybnesian.PC().estimate(pybnesian.ChiSquare(table.astype("category")), alpha=0.01)
    return {frozenset(pair) for pair in [*graph.arcs(), *graph.edges()]}


def agrum(rule):
    def run(table):
        network = agrum_learner(table, rule).learnBN()
        return moral(named_arcs(network))

    return run


def climbed(table):
    """The moral graph of pgmpy's hill climb."""
    return moral(climbed_arcs(table))


def logistic(table):
    """Neighbourhoods by L1 logistic regression, the strength by BIC with ln d per neighbour."""
    names, rows = list(table.columns), len(table)
    indicators = pd.get_dummies(table.astype(str), drop_first=True, dtype=float)
    owner = [name.rsplit("_", 1)[0] for name in indicators.columns]
    asked: dict = {}
    for name in names:
        X = indicators.loc[:, [own != name for own in owner]]
        kept = [own for own in owner if own != name]
        best = None
        for strength in np.geomspace(0.01, 0.3, 5):
            model = LogisticRegression(penalty="l1", solver="saga", C=strength, max_iter=200, tol=1e-3)
            model.fit(X, table[name])
            free = int((np.abs(model.coef_) > 1e-6).sum())
            neighbors = {kept[at] for at in np.flatnonzero(np.abs(model.coef_).max(axis=0) > 1e-6)}
            found = model.predict_log_proba(X)
            place = {level: at for at, level in enumerate(model.classes_)}
            fit = sum(found[row, place[level]] for row, level in enumerate(table[name]))
            score = fit - free / 2 * math.log(rows) - len(neighbors) * math.log(len(names))
            if best is None or score > best[0]:
                best = (score, neighbors)
        for other in best[1]:
            pair = frozenset((name, other))
            asked[pair] = asked.get(pair, 0) + 1
    return {pair for pair, voices in asked.items() if voices == 2}


def structure():
    """Edge F1 on known graphs."""
    peers = {
        "PyBNesian PC": pc,
        "pyAgrum BDeu": agrum("bdeu"),
        "pyAgrum MIIC": agrum("miic"),
        "pgmpy BIC": climbed,
        "L1 logistic": logistic,
    }
    # Programs in Python that take minutes among more variables.
    small = {"pgmpy BIC": 32, "L1 logistic": 50}
    programs = [*(f"cmnet {way}" for way in STRUCTURE_WAYS), *peers]
    head("table", *programs)
    for kind, variables, rows, seeds in STRUCTURES:
        case = Case()
        for seed in seeds:
            folder = FOLDER / f"{kind}-{variables}-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            cmnet("accuracy-table", str(folder), kind, str(variables), str(rows), str(seed))
            lines = (folder / "truth.edges").read_text().splitlines()
            truth = {frozenset(line.split(" ")) for line in lines}
            table = pd.read_csv(folder / "train.csv", dtype=str)

            def own(way):
                answer = cmnet("accuracy-learn", str(folder), way)
                return answer and (f1(truth, {frozenset(edge) for edge in answer["edges"]}), answer["cpu"])

            def other(learn):
                answer = alone(lambda: learn(table))
                return answer and (f1(truth, answer[0]), answer[1])

            for way in STRUCTURE_WAYS:
                case.run(f"cmnet {way}", lambda: own(way))
            for name, learn in peers.items():
                if variables <= small.get(name, variables):
                    case.run(name, lambda: other(learn))
        row(f"{kind}, d = {variables}, n = {rows}", *case.cells(programs, spread))


if __name__ == "__main__":
    structure()
