"""Models as objects of other packages, which are imported only here and only when asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import networkx
    import pandas

    from ._model import Model


def to_networkx(model: Model) -> networkx.Graph:
    """Nodes have levels, edges their contexts, as texts."""
    import networkx

    graph = networkx.Graph()
    for name, levels in model.levels.items():
        graph.add_node(name, levels=_json(levels))
    for one, other in model.edges:
        graph.add_edge(one, other, given="[]", elements="[]", sentence="")
    for context in model.contexts:
        told = {"given": _json(context.given), "elements": _json(context.elements), "sentence": context.sentence}
        graph.edges[context.edge].update(told)
    return graph


def _json(value: Any) -> str:
    """A list as a text: files of graphs, such as GraphML, hold no lists."""
    return json.dumps(value, ensure_ascii=False)


def to_pgmpy(model: Model, factors: list[tuple[list[str], list[float]]]) -> Any:
    """One factor per maximal clique; each is scaled so that its largest value is 1."""
    from pgmpy import models
    from pgmpy.factors.discrete import DiscreteFactor

    # The class was renamed in pgmpy 1.0.
    kind = getattr(models, "DiscreteMarkovNetwork", None) or models.MarkovNetwork
    network = kind()
    network.add_nodes_from(model.names)
    network.add_edges_from(model.edges)
    levels = model.levels
    for scope, logarithms in factors:
        values = np.exp(np.asarray(logarithms) - np.max(logarithms))
        states = {name: levels[name] for name in scope}
        network.add_factors(DiscreteFactor(scope, [len(levels[name]) for name in scope], values, state_names=states))
    return network


def to_dataframe(model: Model) -> pandas.DataFrame:
    """One row per edge."""
    import pandas

    contexts = {context.edge: context for context in model.contexts}
    rows = []
    for one, other in model.edges:
        context = contexts.get((one, other))
        given, elements, sentence = (context.given, context.elements, context.sentence) if context else ([], [], "")
        rows.append((one, other, given, elements, sentence))
    return pandas.DataFrame(rows, columns=["one", "other", "given", "elements", "sentence"])
