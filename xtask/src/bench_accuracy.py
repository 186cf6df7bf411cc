"""Accuracy of cmnet beside other programs: edges of known graphs, and held-out likelihood.

Usage: bench_accuracy.py CMNET_BENCH FOLDER PART [DENSITY_FOLDER]

PART is `structure`, `scores`, `networks`, `classification` or `density`. Every figure is a mean over tables, with the smallest
and the largest beside it; CPU seconds are those of learning alone, on one thread. A program that takes more CPU seconds for a
table than the limit is stopped, and left out of the other tables of that case.
"""

from __future__ import annotations

import os

# One thread for every program: none may have more processors than another.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import gzip
import json
import math
import multiprocessing
import re
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pgmpy
import pyagrum
import pybnesian
from pgmpy.causal_discovery import HillClimbSearch
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import KBinsDiscretizer

warnings.filterwarnings("ignore")
pyagrum.setNumberOfThreads(1)

BENCH, FOLDER, PART = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
DENSITY = Path(sys.argv[4]) if len(sys.argv) > 4 else None
# CPU seconds that a program has for one table.
LIMITS = {"structure": 30, "scores": 60, "networks": 20, "classification": 200, "density": 60}
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
# For other scores: tables on which a climb over all pairs ends in seconds.
SCORED = [case for case in STRUCTURES if case[1] <= 200 and case[0] != "3-tree"]
# From the fewest edges of the moral graph on.
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "water", "hepar2", "hailfinder", "win95pts")
NETWORK_WAYS = ("plain", "refined-tuned", "contexts", "backbone-plain-tuned", "backbone-refined-tuned")
# Rows and seeds.
ROWS = {500: SEEDS, 5000: SEEDS, 50000: SEEDS[:1]}
# Up to so many rows order and ridge are chosen by held-out rows: beyond, there is little to choose.
TUNED_ROWS = 5000
TEST_ROWS = 10000


def limited():
    """Bounds the CPU seconds of this process."""
    seconds = LIMITS[PART]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def cmnet(*arguments: str) -> dict | None:
    """What a run of the measuring program answers; nothing where it took too long."""
    done = subprocess.run([BENCH, *arguments], capture_output=True, text=True, preexec_fn=limited)
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
    graph = pybnesian.PC().estimate(pybnesian.ChiSquare(table.astype("category")), alpha=0.01)
    return {frozenset(pair) for pair in [*graph.arcs(), *graph.edges()]}


def template(*tables):
    """A network without arcs that knows every level of some tables."""
    network, both = pyagrum.BayesNet(), pd.concat(tables)
    for name in both.columns:
        network.add(pyagrum.LabelizedVariable(name, name, sorted(both[name].unique())))
    return network


def agrum_learner(table, rule, *others):
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
        return moral(named_arcs(network))

    return run


def climbed(table):
    """The moral graph of pgmpy's hill climb."""
    return moral(climbed_arcs(table))


def climbed_arcs(table):
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    return list(search.fit(table.astype("category")).causal_graph_.edges())


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


def f1(truth, found):
    hits = len(truth & found)
    return 2 * hits / max(len(truth) + len(found), 1)


def spread(values, digits=3):
    low, high = (short(value, digits) for value in (min(values), max(values)))
    to = " to " if low.startswith("-") else "-"
    return f"{short(sum(values) / len(values), digits)} ({low}{to}{high})"


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


def write(folder: Path, train, test):
    """Tables that cmnet reads, with every level of both."""
    folder.mkdir(parents=True, exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    both = pd.concat([train, test])
    levels = {name: sorted(both[name].unique()) for name in both.columns}
    text = "[levels]\n" + "".join(f"{json.dumps(name)} = {json.dumps(own)}\n" for name, own in levels.items())
    (folder / "levels.toml").write_text(text)


def directed(rule, train, test):
    """Test log-likelihood per row, moral edges and CPU seconds of a directed network; nothing where it took too long."""

    def learn():
        # The arcs by the rule alone; their tables with one row spread over the levels.
        graph = template(train, test)
        if rule == "bic":
            for one, other in climbed_arcs(train):
                graph.addArc(one, other)
        else:
            graph = agrum_learner(train, rule, test).learnBN()
        fitting = pyagrum.BNLearner(train, graph)
        fitting.useSmoothingPrior(1.0)
        network = fitting.learnParameters(graph.dag())
        # A network does not pass from process to process: its tables do.
        return tables_of(network), named_arcs(network)

    answer = alone(learn)
    if answer is None:
        return None
    (tables, arcs), seconds = answer
    return log_likelihood(tables, test), moral(arcs), seconds


def named_arcs(network):
    return [(network.variable(one).name(), network.variable(other).name()) for one, other in network.arcs()]


def tables_of(network):
    """For each node of a network the levels of its variables, and its probabilities."""
    tables = []
    for node in network.nodes():
        table = network.cpt(node)
        variables = [table.variable(at) for at in range(table.nbrDim())]
        tables.append(({one.name(): list(one.labels()) for one in variables}, np.array(table.toarray())))
    return tables


def log_likelihood(tables, test):
    """The mean log-probability of a row."""
    total = 0.0
    for levels, table in tables:
        # The array has the variables in reverse order.
        places = {name: {level: at for at, level in enumerate(own)} for name, own in levels.items()}
        index = tuple(test[name].map(places[name]).to_numpy() for name in reversed(list(levels)))
        total += np.log(table[index]).sum()
    return total / len(test)


# What pyAgrum's reader cannot have in the names of levels, in the order of replacement.
PLAIN_NAMES = {r">=": "from_", r"<": "below_", r"\+": "_or_more", r"/": "_", r"(?<=\d)-(?=\d)": "_to_", r"\b(?=\d+_)": "of_"}


def public_network(name):
    """A network that pgmpy brings along, as pyAgrum reads it."""
    (path,) = Path(pgmpy.__file__).parent.rglob(f"{name}.bif.gz")
    text = gzip.decompress(path.read_bytes()).decode()
    for sign, plain in PLAIN_NAMES.items():
        text = re.sub(sign, plain, text)
    target = FOLDER / f"{name}.bif"
    target.write_text(text)
    return pyagrum.loadBN(str(target))


def sample(network, rows, seed):
    pyagrum.initRandom(seed)
    generator = pyagrum.BNDatabaseGenerator(network)
    generator.setRandomVarOrder()
    generator.drawSamples(rows)
    table = generator.to_pandas()
    return table[sorted(table.columns)].astype(str)


def networks():
    """Held-out likelihood and moral edges of public networks."""
    peers = {"pyAgrum BDeu": "bdeu", "pyAgrum MIIC": "miic", "pgmpy BIC": "bic"}
    programs = [*(f"cmnet {way}" for way in NETWORK_WAYS), *peers]
    head("network", "n", "truth", *programs)
    for name in NETWORKS:
        network = public_network(name)
        truth = moral(named_arcs(network))
        stopped: dict = {}
        for rows, seeds in ROWS.items():
            # What took too long for few rows does so for more.
            case = Case(stopped)
            best = []
            for seed in seeds:
                train, test = sample(network, rows, seed), sample(network, TEST_ROWS, seed + 5000)
                best.append(log_likelihood(tables_of(network), test))
                folder = FOLDER / f"{name}-{rows}-{seed}"
                write(folder, train, test)

                def own(way):
                    asked = way if rows <= TUNED_ROWS else way.removesuffix("-tuned")
                    answer = cmnet("accuracy-learn", str(folder), asked)
                    if answer is None:
                        return None
                    if answer["test"] is None:
                        return "no likelihood"
                    found = {frozenset(edge) for edge in answer["edges"]}
                    return answer["test"], f1(truth, found), answer["cpu"]

                def other(rule):
                    answer = directed(rule, train, test)
                    return answer and (answer[0], f1(truth, answer[1]), answer[2])

                for way in NETWORK_WAYS:
                    case.run(f"cmnet {way}", lambda: own(way))
                for program, rule in peers.items():
                    case.run(program, lambda: other(rule))
            stopped = case.stopped
            told = lambda values, quality: f"{spread(values)}; {short(sum(quality) / len(quality))}"
            row(name, str(rows), short(sum(best) / len(best)), *case.cells(programs, told))


# Numbers of classes, tried upwards until the validation rows say twice that more are worse.
CLASSES = (2, 3, 4, 6, 8, 12, 16, 24, 32)
# Published test log-likelihoods of a row: ACMN (Lowd and Davis), and the best known.
PUBLISHED = {"nltcs": ("-6.00", "-5.99"), "plants": ("-12.80", "-11.99"), "dna": ("-80.03", "-79.05")}


def mixture_density(name, folder, way):
    """Mixtures, the number of classes by the validation rows."""
    best, worse, spent = None, 0, 0.0
    for classes in CLASSES:
        answer = cmnet("accuracy-learn", str(folder), f"mixture-{classes}-{way}")
        if answer is None:
            row(name, f"cmnet {classes} classes of {way} networks", "-", "-", f"> {LIMITS[PART]}")
            break
        spent += answer["cpu"]
        if best is None or answer["valid"] > best["valid"]:
            best, worse = answer, 0
        else:
            worse += 1
        if worse == 2:
            break
    if best is not None:
        told = f"cmnet {best['components']} classes of {way} networks"
        seconds = f"{best['cpu']:.1f}; all tried {spent:.1f}"
        row(name, told, f"{best['valid']:.3f}", f"{best['test']:.3f}", seconds)


def density():
    """Held-out likelihood of binary tables NAME.train.data.gz and NAME.test.data.gz in a folder. A table whose training rows
    are absent is learned from its test rows and judged by its validation rows."""
    head("table", "program", "validation log-likelihood of a row", "test log-likelihood of a row", "CPU s")
    names = {path.name.split(".")[0] for path in DENSITY.glob("*.test.data.gz")}
    whole = {name for name in names if (DENSITY / f"{name}.train.data.gz").exists()}
    for name in [*sorted(whole), *sorted(names - whole)]:
        read = lambda part: pd.read_csv(DENSITY / f"{name}.{part}.data.gz", header=None, dtype=str)
        train, test = (read("train"), read("test")) if name in whole else (read("test"), read("valid"))
        columns = [f"v{place}" for place in range(len(train.columns))]
        train.columns = test.columns = columns
        folder = FOLDER / f"density-{name}"
        write(folder, train, test)
        told = name if name in whole else f"{name}, learned from its test rows, judged by its validation rows"
        if name in whole and (DENSITY / f"{name}.valid.data.gz").exists():
            read("valid").set_axis(columns, axis=1).to_csv(folder / "valid.csv", index=False)
            for way in ("plain", "sparse"):
                mixture_density(told, folder, way)
        variants = ["plain", "sparse", "contexts", "refined-tuned", "backbone-plain-tuned"]
        # The one clique of a complete graph has a cell for each row that there can be.
        if len(columns) <= 20:
            variants.append("complete")
        for variant in variants:
            answer = cmnet("accuracy-learn", str(folder), variant)
            if answer is None:
                row(told, f"cmnet {variant}", "-", "-", f"> {LIMITS[PART]}")
                continue
            values = ["-" if answer[part] is None else f"{answer[part]:.3f}" for part in ("valid", "test")]
            row(told, f"cmnet {variant}", *values, f"{answer['cpu']:.1f}")
        for program, rule in {"pyAgrum BDeu": "bdeu", "pyAgrum MIIC": "miic"}.items():
            answer = directed(rule, train, test)
            if answer is None:
                row(told, program, "-", "-", f"> {LIMITS[PART]}")
            else:
                row(told, program, "-", f"{answer[0]:.3f}", f"{answer[2]:.1f}")
        for program, value in zip(("ACMN, published", "best known, published"), PUBLISHED.get(name, ())):
            row(told, program, "-", value, "-")


def binned(X, bins=5):
    """Columns of numbers as categories: their own values where there are few, else quantile bins."""
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


def class_folds(case, name, table, seed):
    """Takes down the share of hits, the mean loss and the CPU seconds of each program over five folds, the same for all."""
    target = table.columns[-1]
    indicators = pd.get_dummies(table.drop(columns=target), dtype=float).to_numpy()
    y = table[target].to_numpy()
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(indicators, y))
    folders = [FOLDER / f"class-{name}-{fold}" for fold in range(len(folds))]
    for folder, (own, held) in zip(folders, folds):
        write(folder, table.iloc[own], table.iloc[held])

    def total(answers):
        """The figures of all rows from those of the folds."""
        answers = list(answers)
        if None in answers:
            return None
        hits, loss, seconds = (sum(column) for column in zip(*answers))
        return hits / len(y), loss / len(y), seconds / len(folds)

    def own_program(variant):
        for folder in folders:
            answer = cmnet("accuracy-class", str(folder), variant)
            yield answer and (answer["hits"], answer["loss"], answer["cpu"])
            if answer is None:
                return

    def other_program(make):
        for own, held in folds:
            answer = alone(lambda: make().fit(indicators[own], y[own]))
            if answer is None:
                yield None
                return
            model, seconds = answer
            p = model.predict_proba(indicators[held])
            place = {level: at for at, level in enumerate(model.classes_)}
            truth = np.array([place[level] for level in y[held]])
            loss = -np.log(np.clip(p[np.arange(len(held)), truth], 1e-15, 1)).sum()
            yield (p.argmax(axis=1) == truth).sum(), loss, seconds

    for variant in CLASS_WAYS:
        case.run(f"cmnet {variant}", lambda: total(own_program(variant)))
    for program, make in CLASSIFIERS.items():
        case.run(program, lambda: total(other_program(make)))


CLASS_WAYS = ("joint", "class")
CLASSIFIERS = {
    "logistic regression": lambda: LogisticRegression(max_iter=2000),
    "random forest": lambda: RandomForestClassifier(random_state=0, n_jobs=1),
}


def classification():
    """Accuracy and log-loss by cross-validation, with the range over seeds of the folds."""
    programs = [*(f"cmnet {way}" for way in CLASS_WAYS), *CLASSIFIERS]
    head("table", *programs)
    for name, table in classes():
        case = Case()
        # A fold of digits takes a minute or two.
        for seed in SEEDS[:1] if name == "digits" else SEEDS:
            class_folds(case, name, table, seed)
        row(name, *case.cells(programs, lambda accuracy, loss: f"{spread(accuracy)}; {spread(loss)}"))


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
