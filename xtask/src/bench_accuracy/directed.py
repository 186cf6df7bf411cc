"""Directed networks of pyAgrum and pgmpy: their arcs, moral graphs and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyagrum
from pgmpy.causal_discovery import HillClimbSearch
from shared import alone

pyagrum.setNumberOfThreads(1)


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


def climbed_arcs(table):
    search = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
    return list(search.fit(table.astype("category")).causal_graph_.edges())


def named_arcs(network):
    return [(network.variable(one).name(), network.variable(other).name()) for one, other in network.arcs()]


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
