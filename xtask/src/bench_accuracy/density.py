"""Density tables of a folder: held-out likelihood of networks and mixtures."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from directed import directed
from shared import FOLDER, LIMITS, PART, cmnet, head, row, write

DENSITY = Path(sys.argv[3])
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


density()
