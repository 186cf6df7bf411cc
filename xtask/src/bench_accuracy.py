"""Accuracy of cmnet beside other programs: edges of known graphs, and held-out likelihood.

Usage: bench_accuracy.py CMNET_BENCH FOLDER PART [DENSITY_FOLDER]

PART is `structure`, `scores`, `networks`, `classification` or `density`. Every figure is a mean over tables, with the smallest
and the largest beside it; CPU seconds are those of learning alone.
"""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")

BENCH, FOLDER, PART = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
DENSITY = Path(sys.argv[4]) if len(sys.argv) > 4 else None
# Bundled tables with the column that is to be predicted.
BUNDLED = {
    "car": "acceptability",
    "congressional_voting": "party",
    "contraceptive": "contraceptive_method",
    "coronary_heart": "systolic_blood_pressure",
    "economic_activity": "wife_economically_active",
    "wisconsin_breast_cancer": "class",
}
SEEDS = (101, 102, 103)
# Kind, variables, rows, seeds, and which of the slow ways take part: L1 logistic regression, and
# contexts, which take minutes on hubs. pyAgrum's MIIC takes minutes from some hundred variables on.
STRUCTURES = [
    ("field", 32, 500, SEEDS, {"L1", "contexts"}),
    ("field", 200, 600, SEEDS, {"contexts"}),
    ("field", 1000, 2000, SEEDS[:1], set()),
    ("ternary-field", 32, 400, SEEDS, {"L1", "contexts"}),
    ("grid", 49, 800, SEEDS, {"L1", "contexts"}),
    ("hubs", 60, 2000, SEEDS, set()),
    ("ternary-hubs", 60, 2000, SEEDS, set()),
    ("2-tree", 50, 2000, SEEDS, {"contexts"}),
    ("3-tree", 30, 3000, SEEDS, {"contexts"}),
    ("ternary-2-tree", 40, 3000, SEEDS, {"contexts"}),
]
# For other scores: tables on which a climb over all pairs ends in seconds.
SCORED = [case for case in STRUCTURES if case[1] <= 200 and case[0] != "3-tree"]
NETWORKS = ("alarm", "insurance", "water", "hepar2", "hailfinder", "win95pts")
NETWORK_WAYS = ("plain", "refined-tuned", "contexts", "backbone-plain-tuned", "backbone-refined-tuned")
# Cliques of variables with many levels: refined graphs take many minutes to fit there.
LARGE = {"hailfinder": ("plain", "backbone-plain"), "win95pts": ("plain", "backbone-plain")}
ROWS = (500, 5000)
TEST_ROWS = 10000


def cmnet(*arguments: str) -> dict:
    """What a run of the measuring program answers."""
    return json.loads(subprocess.run([BENCH, *arguments], check=True, capture_output=True, text=True).stdout)


def clocked(work):
    """A result, and the CPU seconds that it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def moral(arcs, edges=()):
    """The pairs of an undirected graph: arcs, edges, and parents of a common child."""
    pairs, parents = set(), {}
    for one, other in arcs:
        pairs.add(frozenset((one, other)))
        parents.setdefault(other, []).append(one)
    pairs.update(frozenset(edge) for edge in edges)
    for own in parents.values():
        pairs.update(frozenset((a, b)) for place, a in enumerate(own) for b in own[:place])
    return pairs


def pc(table):
    import pybnesian

    graph = pybnesian.PC().estimate(pybnesian.ChiSquare(table.astype("category")), alpha=0.01)
    return {frozenset(pair) for pair in [*graph.arcs(), *graph.edges()]}


def template(*tables):
    """A network without arcs that knows every level of some tables."""
    import pyagrum

    network, both = pyagrum.BayesNet(), pd.concat(tables)
    for name in both.columns:
        network.add(pyagrum.LabelizedVariable(name, name, sorted(both[name].unique())))
    return network


def agrum_learner(table, rule, *others):
    import pyagrum

    learner = pyagrum.BNLearner(table, template(table, *others))
    learner.useGreedyHillClimbing()
    if rule == "bdeu":
        learner.useScoreBDeu()
        learner.useSmoothingPrior(1e-6)
    else:
        learner.useMIIC()
        learner.useNMLCorrection()
    return learner


def agrum(rule):
    def run(table):
        network = agrum_learner(table, rule).learnBN()
        names = {node: network.variable(node).name() for node in network.nodes()}
        return moral((names[one], names[other]) for one, other in network.arcs())

    return run


def logistic(table):
    """Neighbourhoods by L1 logistic regression, the strength by BIC with ln d per neighbour."""
    from sklearn.linear_model import LogisticRegression

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


def f1(truth, found):
    hits = len(truth & found)
    return 2 * hits / max(len(truth) + len(found), 1)


def spread(values, digits=3):
    low, high = min(values), max(values)
    mean = sum(values) / len(values)
    return f"{mean:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def structure():
    """Edge F1 on known graphs."""
    print("| table | program | edge F1 (range) | CPU s |\n|---|---|---|---|")
    for kind, variables, rows, seeds, slow in STRUCTURES:
        results: dict = {}
        for seed in seeds:
            folder = FOLDER / f"{kind}-{variables}-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            cmnet("accuracy-table", str(folder), kind, str(variables), str(rows), str(seed))
            lines = (folder / "truth.edges").read_text().splitlines()
            truth = {frozenset(line.split(" ")) for line in lines}
            table = pd.read_csv(folder / "train.csv", dtype=str)
            ways = ("plain", "refined", "refined-auto") + (("contexts", "contexts-auto") if "contexts" in slow else ())
            for variant in ways:
                answer = cmnet("accuracy-learn", str(folder), variant)
                found = {frozenset(edge) for edge in answer["edges"]}
                results.setdefault(f"cmnet {variant}", []).append((f1(truth, found), answer["cpu"]))
            peers = {"PyBNesian PC": pc}
            if variables <= 200:
                peers |= {"pyAgrum BDeu": agrum("bdeu"), "pyAgrum MIIC": agrum("miic")}
            if "L1" in slow:
                peers["L1 logistic"] = logistic
            for name, run in peers.items():
                found, seconds = clocked(lambda: run(table))
                results.setdefault(name, []).append((f1(truth, found), seconds))
        for name, both in results.items():
            quality, seconds = zip(*both)
            cpu = sum(seconds) / len(seconds)
            print(f"| {kind}, d = {variables}, n = {rows} | {name} | {spread(quality)} | {cpu:.2f} |")
        sys.stdout.flush()


def write(folder: Path, train, test):
    """Tables that cmnet reads, with every level of both."""
    folder.mkdir(parents=True, exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    both = pd.concat([train, test])
    levels = {name: sorted(both[name].unique()) for name in both.columns}
    text = "[levels]\n" + "".join(f"{json.dumps(name)} = {json.dumps(own)}\n" for name, own in levels.items())
    (folder / "levels.toml").write_text(text)


def agrum_density(train, test):
    """Test log-likelihood per row of pyAgrum's greedy BDeu network, its tables smoothed."""
    import pyagrum

    def learn():
        # The structure by BDeu alone; its tables with one row spread over the levels.
        graph = agrum_learner(train, "bdeu", test).learnBN()
        fitting = pyagrum.BNLearner(train, graph)
        fitting.useSmoothingPrior(1.0)
        return fitting.learnParameters(graph.dag())

    network, seconds = clocked(learn)
    total = 0.0
    for node in network.nodes():
        table = network.cpt(node)
        names = [table.variable(at).name() for at in range(table.nbrDim())]
        logs = np.log(table.toarray())
        # toarray has the variables in reverse order.
        index = tuple(
            np.array([table.variable(names.index(name)).index(level) for level in test[name]])
            for name in reversed(names)
        )
        total += logs[index].sum()
    return total / len(test), seconds, moral(
        (network.variable(one).name(), network.variable(other).name()) for one, other in network.arcs()
    )


def public_network(name):
    """A network that pgmpy brings along, as pyAgrum reads it."""
    import pgmpy
    import pyagrum

    for path in Path(pgmpy.__file__).parent.rglob(f"{name}.bif*"):
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        target = FOLDER / f"{name}.bif"
        target.write_bytes(text)
        try:
            return pyagrum.loadBN(str(target))
        except pyagrum.GumException:
            print(f"{name}: pyAgrum cannot read the file that pgmpy has")
    return None


def sample(network, rows, seed):
    import pyagrum

    pyagrum.initRandom(seed)
    generator = pyagrum.BNDatabaseGenerator(network)
    generator.setRandomVarOrder()
    generator.drawSamples(rows)
    table = generator.to_pandas()
    return table[sorted(table.columns)].astype(str)


def networks():
    """Held-out likelihood and moral edges of public networks, and of random ones."""
    import pyagrum

    cases = [(name, public_network(name)) for name in NETWORKS]
    cases = [(name, network) for name, network in cases if network is not None]
    if len(cases) < 2:
        pyagrum.initRandom(7)
        maker = pyagrum.BNGenerator()
        cases += [(f"random {nodes}", maker.generate(nodes, arcs, levels)) for nodes, arcs, levels in ((30, 45, 2), (30, 40, 3))]
    print("| network | n | program | test log-likelihood per row (range) | moral edges F1 | CPU s |\n|---|---|---|---|---|---|")
    for name, network in cases:
        truth = moral((network.variable(one).name(), network.variable(other).name()) for one, other in network.arcs())
        for rows in ROWS:
            results: dict = {}
            for seed in SEEDS:
                train, test = sample(network, rows, seed), sample(network, TEST_ROWS, seed + 5000)
                folder = FOLDER / f"{name}-{rows}-{seed}".replace(" ", "-")
                write(folder, train, test)
                for variant in LARGE.get(name, NETWORK_WAYS):
                    answer = cmnet("accuracy-learn", str(folder), variant)
                    found = {frozenset(edge) for edge in answer["edges"]}
                    row = (answer["test"], f1(truth, found), answer["cpu"])
                    results.setdefault(f"cmnet {variant}", []).append(row)
                value, seconds, found = agrum_density(train, test)
                results.setdefault("pyAgrum BDeu", []).append((value, f1(truth, found), seconds))
            for program, rows_found in results.items():
                values, quality, seconds = zip(*rows_found)
                told = "-" if None in values else spread(values)
                print(f"| {name} | {rows} | {program} | {told} | {spread(quality)} | {sum(seconds) / len(seconds):.2f} |")
            sys.stdout.flush()


# Numbers of classes, tried upwards until the validation rows say twice that more are worse.
CLASSES = (2, 3, 4, 6, 8, 12, 16, 24, 32)


def mixture_density(name, folder, way):
    """Mixtures, the number of classes by the validation rows."""
    best, worse, spent = None, 0, 0.0
    for classes in CLASSES:
        answer = cmnet("accuracy-learn", str(folder), f"mixture-{classes}-{way}")
        spent += answer["cpu"]
        if best is None or answer["valid"] > best["valid"]:
            best, worse = answer, 0
        else:
            worse += 1
        if worse == 2:
            break
    told = f"{best['components']} classes of {way} networks"
    print(f"| {name} | cmnet {told} | {best['valid']:.3f} | {best['test']:.3f} | {best['cpu']:.1f}; all tried {spent:.1f} |")


def density():
    """Held-out likelihood of binary tables NAME.train.data.gz and NAME.test.data.gz in a folder."""
    head = "| table | program | validation log-likelihood of a row | test log-likelihood of a row | CPU s |"
    print(head + "\n|---|---|---|---|---|")
    for path in sorted(DENSITY.glob("*.train.data.gz")):
        name = path.name.split(".")[0]
        read = lambda part: pd.read_csv(DENSITY / f"{name}.{part}.data.gz", header=None, dtype=str)
        train, test = read("train"), read("test")
        names = [f"v{place}" for place in range(len(train.columns))]
        train.columns = test.columns = names
        folder = FOLDER / f"density-{name}"
        write(folder, train, test)
        if (DENSITY / f"{name}.valid.data.gz").exists():
            read("valid").set_axis(names, axis=1).to_csv(folder / "valid.csv", index=False)
            for way in ("plain", "refined"):
                mixture_density(name, folder, way)
        variants = ["plain", "plain-tuned", "refined", "refined-tuned", "contexts", "contexts-tuned"]
        # The one clique of a complete graph has a cell for each row that there can be.
        if len(names) <= 20:
            variants.append("complete")
        for variant in variants:
            answer = cmnet("accuracy-learn", str(folder), variant)
            told = ["-" if answer[part] is None else f"{answer[part]:.3f}" for part in ("valid", "test")]
            print(f"| {name} | cmnet {variant} | {' | '.join(told)} | {answer['cpu']:.1f} |")
            sys.stdout.flush()
        value, seconds, _ = agrum_density(train, test)
        print(f"| {name} | pyAgrum BDeu | - | {value:.3f} | {seconds:.1f} |")
        sys.stdout.flush()


def binned(X, bins=5):
    """Columns of numbers as categories: their own values where there are few, else quantile bins."""
    from sklearn.preprocessing import KBinsDiscretizer

    columns = {}
    for place in range(X.shape[1]):
        column = X[:, place]
        if len(np.unique(column)) > bins:
            maker = KBinsDiscretizer(bins, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
            column = maker.fit_transform(column.reshape(-1, 1))[:, 0]
        columns[f"v{place}"] = column.astype(int).astype(str)
    return pd.DataFrame(columns)


def classes():
    """Tables with a class, all columns categories, the class last."""
    from sklearn import datasets

    def loaded(name):
        bunch = getattr(datasets, f"load_{name}")()
        table = binned(bunch.data)
        table["class"] = bunch.target.astype(str)
        return name, table

    yield from map(loaded, ("breast_cancer", "wine", "iris"))
    for name, target in BUNDLED.items():
        table = pd.read_csv(Path("data") / f"{name}.csv", dtype=str)
        yield name, table[[*(column for column in table.columns if column != target), target]]
    yield loaded("digits")


def class_folds(name, table, seed):
    """Hits, loss and CPU seconds of each program over five folds, the same for all."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    target = table.columns[-1]
    indicators = pd.get_dummies(table.drop(columns=target), dtype=float).to_numpy()
    y = table[target].to_numpy()
    results: dict = {}
    for fold, (own, held) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(indicators, y)):
        folder = FOLDER / f"class-{name}-{fold}"
        write(folder, table.iloc[own], table.iloc[held])
        for variant in ("joint", "class"):
            answer = cmnet("accuracy-class", str(folder), variant)
            row = (answer["hits"], answer["loss"], answer["cpu"])
            results.setdefault(f"cmnet {variant}", []).append(row)
        peers = {
            "logistic regression": LogisticRegression(max_iter=2000),
            "random forest": RandomForestClassifier(random_state=0, n_jobs=1),
        }
        for program, model in peers.items():
            _, seconds = clocked(lambda: model.fit(indicators[own], y[own]))
            p = model.predict_proba(indicators[held])
            place = {level: at for at, level in enumerate(model.classes_)}
            truth = np.array([place[level] for level in y[held]])
            loss = -np.log(np.clip(p[np.arange(len(held)), truth], 1e-15, 1)).sum()
            results.setdefault(program, []).append(((p.argmax(axis=1) == truth).sum(), loss, seconds))
    return {program: [sum(column) / len(y) for column in zip(*folds)] for program, folds in results.items()}


def classification():
    """Accuracy and log-loss by cross-validation, with the range over seeds of the folds."""
    print("| table | program | accuracy | log-loss | CPU s of a fold |\n|---|---|---|---|---|")
    for name, table in classes():
        # A fold of digits takes minutes.
        seeds = SEEDS[:1] if name == "digits" else SEEDS
        found = [class_folds(name, table, seed) for seed in seeds]
        for program in found[0]:
            accuracy, loss, seconds = zip(*(one[program] for one in found))
            cpu = sum(seconds) / len(seconds) * len(table) / 5
            print(f"| {name} | {program} | {spread(accuracy)} | {spread(loss)} | {cpu:.2f} |")
        sys.stdout.flush()


def scores():
    """Edge F1 of climbs with other scores of a class, without and with a prior of edges."""
    found: dict = {}
    for kind, variables, rows, *_ in SCORED:
        seeds = ",".join(map(str, SEEDS))
        command = [BENCH, "accuracy-scores", kind, str(variables), str(rows), seeds]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for line in lines:
            _, _, _, _, score, gamma, f1, seconds = line.split("\t")
            found.setdefault((score, gamma), {}).setdefault(f"{kind} {variables}, {rows}", []).append(
                (float(f1), float(seconds))
            )
    cases = list(next(iter(found.values())))
    print("| score | edge prior | " + " | ".join(cases) + " |\n" + "|---" * (len(cases) + 2) + "|")
    for (score, gamma), by_case in found.items():
        cells = []
        for case in cases:
            f1s, seconds = zip(*by_case[case])
            cells.append(f"{spread(f1s)}; {sum(seconds) / len(seconds):.2f}")
        print(f"| {score} | {gamma} | " + " | ".join(cells) + " |")



{"structure": structure, "networks": networks, "classification": classification, "density": density, "scores": scores}[PART]()
