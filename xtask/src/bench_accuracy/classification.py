"""Prediction of a class: accuracy and log-loss beside logistic regression and a random forest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from shared import FOLDER, SEEDS, Case, alone, cmnet, head, row, spread, write
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import KBinsDiscretizer

# Bundled tables with the column that is to be predicted.
BUNDLED = {
    "car": "acceptability",
    "congressional_voting": "party",
    "contraceptive": "contraceptive_method",
    "coronary_heart": "systolic_blood_pressure",
    "economic_activity": "wife_economically_active",
    "wisconsin_breast_cancer": "class",
}
CLASS_WAYS = ("joint", "class")
CLASSIFIERS = {
    "logistic regression": lambda: LogisticRegression(max_iter=2000),
    "random forest": lambda: RandomForestClassifier(random_state=0, n_jobs=1),
}


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


classification()
