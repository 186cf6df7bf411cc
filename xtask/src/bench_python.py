"""Learning and marginals from Python beside pgmpy, on the same tables in the same run.

Each package does its own task: cmnet learns contextual Markov networks for four kappas, fits
them and chooses one; pgmpy climbs to a directed network by BIC and fits that. Marginals are of
one model: cmnet's, exported with to_pgmpy.
"""

import logging
import statistics
import time
import warnings

import cmnet

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

from pgmpy.estimators import HillClimbSearch
from pgmpy.inference import BeliefPropagation, VariableElimination
from pgmpy.models import DiscreteBayesianNetwork


def timed(work, times):
    """The median time of some runs, in seconds, and the last answer."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        answer = work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken), answer


def climb(frame):
    """pgmpy's own hill climb by BIC, and maximum likelihood for what it finds."""
    found = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    network = DiscreteBayesianNetwork(found.edges())
    network.add_nodes_from(frame.columns)
    network.fit(frame)
    return network


def all_marginals(inference, names):
    """Every variable's distribution, one query each."""
    return {name: inference.query([name], show_progress=False).normalize(inplace=False) for name in names}


def main():
    print("| table | task | cmnet | pgmpy | ratio |")
    print("|---|---|---|---|---|")
    for name in ("coronary_heart", "wisconsin_breast_cancer", "soybean", "congressional_voting"):
        frame = cmnet.datasets.load(name).to_pandas()
        size = f"{name}, {frame.shape[1]} variables, {len(frame)} rows"
        ours, learned = timed(lambda: cmnet.learn(frame), 3)
        theirs, _ = timed(lambda: climb(frame), 1)
        print(f"| {size} | learn and fit | {ours:.4f} s | {theirs:.4f} s | {theirs / ours:.0f} |", flush=True)
        ours, _ = timed(lambda: cmnet.learn(frame, kappa="eps"), 3)
        print(f"| {size} | the same without contexts (kappa eps) | {ours:.4f} s | {theirs:.4f} s | {theirs / ours:.0f} |")
        model = learned.selected
        exported = model.to_pgmpy()
        ours, marginals = timed(model.query, 20)
        fastest, engine = None, None
        for kind in (VariableElimination, BeliefPropagation):
            try:
                taken, found = timed(lambda kind=kind: all_marginals(kind(exported), model.names), 3)
            except ValueError:
                # Its junction tree cannot be built for a variable without edges.
                assert kind is BeliefPropagation
                continue
            worst = max(
                abs(found[variable].get_value(**{variable: level}) - p)
                for variable, levels in marginals.items()
                for level, p in levels.items()
            )
            assert worst < 1e-9, f"{kind.__name__} differs by {worst} on {name}"
            if fastest is None or taken < fastest:
                fastest, engine = taken, kind.__name__
        row = f"| {size} | all marginals ({engine}) | {ours * 1000:.3f} ms | {fastest * 1000:.3f} ms |"
        print(f"{row} {fastest / ours:.0f} |", flush=True)


main()
