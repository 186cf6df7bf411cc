"""All marginals beside pyAgrum, most probable completions beside toulbar2.

Usage: bench_inference.py FOLDER NAME...   (files that the example inference_bench wrote)
"""
import glob
import json
import math
import os
import sys
import time

import pyagrum as gum
import pytoulbar2

RUNS = 25


def shortest(work):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def read_uai(path):
    words = iter(open(path).read().split())
    assert next(words) == "MARKOV"
    levels = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [[float(next(words)) for _ in range(int(next(words)))] for _ in scopes]
    return levels, scopes, tables


def read_evidence(path):
    words = [int(word) for word in open(path).read().split()]
    return dict(zip(words[1::2], words[2::2]))


def pyagrum_marginals(path, evidence, exactly):
    mrf = gum.loadMRF(path)
    # Its reader keeps single precision only; as it is, then with the numbers of the file.
    if exactly:
        _, scopes, tables = read_uai(path)
        for scope, table in zip(scopes, tables):
            mrf.factor({str(v) for v in scope}).fillWith(table)
    names = {v: mrf.idFromName(str(v)) for v in range(mrf.size())}

    def work():
        engine = gum.ShaferShenoyMRFInference(mrf)
        engine.setEvidence({names[v]: level for v, level in evidence.items()})
        engine.makeInference()
        return [engine.posterior(names[v]).tolist() for v in range(mrf.size())]

    return shortest(work)


def toulbar2_map(path):
    levels, scopes, tables = read_uai(path)

    def work():
        problem = pytoulbar2.CFN(1e6, resolution=7)
        for v, count in enumerate(levels):
            problem.AddVariable(f"x{v}", range(count))
        for scope, table in zip(scopes, tables):
            problem.AddFunction([f"x{v}" for v in scope], [-math.log(value) for value in table])
        start = time.perf_counter()
        solution = problem.Solve()
        return time.perf_counter() - start, list(solution[0])

    runs = [work() for _ in range(RUNS)]
    return min(seconds for seconds, _ in runs), runs[-1][1], (levels, scopes, tables)


def energy(row, network):
    levels, scopes, tables = network
    total = 0.0
    for scope, table in zip(scopes, tables):
        cell = 0
        for v in scope:
            cell = cell * levels[v] + row[v]
        total += math.log(table[cell])
    return total


def largest_difference(ours, theirs):
    return max(abs(p - q) for mine, other in zip(ours, theirs) for p, q in zip(mine, other))


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    print("| model | cmnet ms | pyAgrum ms | ratio | largest difference | cmnet MAP ms | toulbar2 MAP ms | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    bad = False
    for name in names:
        ours = json.load(open(f"{folder}/{name}.json"))
        files = f"{folder}/{name}.uai", read_evidence(f"{folder}/{name}.evid")
        _, loaded = pyagrum_marginals(*files, False)
        seconds, theirs = pyagrum_marginals(*files, True)
        difference, as_loaded = largest_difference(ours["marginals"], theirs), largest_difference(ours["marginals"], loaded)
        map_seconds, row, network = toulbar2_map(f"{folder}/{name}.uai")
        gap = energy(ours["map"], network) - energy(row, network)
        print(
            f"| {name} | {1e3 * ours['seconds']:.3f} | {1e3 * seconds:.3f} | {ours['seconds'] / seconds:.3f} "
            f"| {difference:.1e} | {1e3 * ours['map_seconds']:.3f} | {1e3 * map_seconds:.3f} "
            f"| {ours['map_seconds'] / map_seconds:.3f} |"
        )
        print(f"  one observation changed, one marginal, on a standing tree: {1e3 * ours['session_seconds']:.3f} ms; "
              f"log-probability of cmnet's completion minus toulbar2's: {gap:.1e}; "
              f"difference with the file as pyAgrum reads it, in single precision: {as_loaded:.1e}; {ours['cost']}",
              file=sys.stderr)
        bad |= difference > 1e-10 or as_loaded > 1e-6 or gap < -1e-9
    bad |= completions(folder)
    sys.exit("the engines disagree" if bad else 0)


def completions(folder):
    """Whole questions for the most probable completion of grids with contexts, beside toulbar2's Solve."""
    global RUNS
    RUNS = 3
    print("| grid | cmnet ms | toulbar2 ms | ratio | proven | log weight above toulbar2's |")
    print("|---|---|---|---|---|---|")
    bad = False
    for side in (10, 14, 16, 18, 20):
        for kind in ("diagonals", "switch"):
            for path in sorted(glob.glob(f"{folder}/{kind}{side}-*.json")):
                ours = json.load(open(path))
                seconds, row, network = toulbar2_map(path.replace(".json", ".uai"))
                gap = energy(ours["map"], network) - energy(row, network)
                name = os.path.basename(path).removesuffix(".json")
                print(f"| {name} | {1e3 * ours['map_seconds']:.2f} | {1e3 * seconds:.2f} "
                      f"| {ours['map_seconds'] / seconds:.3f} | {ours['proven']} | {gap:.1e} |")
                bad |= gap < -1e-6 or not ours["proven"]
    return bad


main()
