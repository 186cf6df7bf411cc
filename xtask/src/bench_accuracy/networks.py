"""Public networks: held-out likelihood and moral edges."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pgmpy
import pyagrum
from directed import directed, log_likelihood, moral, named_arcs, tables_of
from shared import FOLDER, SEEDS, Case, cmnet, f1, head, row, short, spread, write

# From the fewest edges of the moral graph on.
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "water", "hepar2", "hailfinder", "win95pts")
NETWORK_WAYS = (
    "plain",
    "refined-tuned",
    "contexts",
    "backbone-plain",
    "backbone-plain-tuned",
    "backbone-refined-tuned",
)
# Rows and seeds.
ROWS = {500: SEEDS, 5000: SEEDS, 50000: SEEDS[:1]}
# Up to so many rows order and ridge are chosen by held-out rows: beyond, there is little to choose.
TUNED_ROWS = 5000
TEST_ROWS = 10000
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
            # But for cmnet, of which nothing is tuned from there on.
            kept = {name: why for name, why in stopped.items() if rows <= TUNED_ROWS or not name.startswith("cmnet")}
            case = Case(kept)
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


networks()
