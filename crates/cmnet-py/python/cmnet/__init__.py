"""Contextual Markov networks learned from tables of categories.

>>> import cmnet
>>> learned = cmnet.learn(cmnet.datasets.load("coronary_heart"))
>>> learned.selected
Model(6 variables, 6 edges, 3 with a context, kappa n^-0.5, exact fit, BIC -6715.594)

A contextual Markov network is an undirected graph that says which variables depend directly on
each other, and on every edge the contexts, levels of the common neighbours, in which that
dependence vanishes. The search runs in Rust, without Python's lock.
"""

from __future__ import annotations

import os

from . import _cmnet, _options, datasets
from ._answers import (
    Completion,
    Comparison,
    Evaluation,
    Explanation,
    Independence,
    Intervals,
    Joint,
    Marginals,
    Prediction,
    ProbabilityIntervals,
)
from ._cmnet import __version__
from ._ensemble import Ensemble, EnsembleMarginals, EnsemblePrediction
from ._errors import (
    CheckpointError,
    CmnetError,
    FileError,
    InputError,
    InternalError,
    Interrupted,
    LimitError,
    MismatchError,
    MissingFileError,
    MissingValuesError,
    ModelFileError,
    NotCategoriesError,
    OptionError,
    QuestionError,
    StructureError,
    TableWarning,
    UnknownLevelError,
    WorkerError,
)
from ._learn import bootstrap, compare_groups, cross_validate, exact, learn, posterior, report
from ._learned import Bootstrap, CrossValidation, Exact, Learned, Posterior, Scores
from ._mixture import ClassMarginals, Mixture
from ._model import Context, Model
from ._table import Rows, Table, discretize
from ._weighted import WeightedTable

__all__ = [
    "Bootstrap",
    "CheckpointError",
    "ClassMarginals",
    "CmnetError",
    "Comparison",
    "Completion",
    "Context",
    "CrossValidation",
    "Ensemble",
    "EnsembleMarginals",
    "EnsemblePrediction",
    "Evaluation",
    "Exact",
    "Explanation",
    "Independence",
    "FileError",
    "InputError",
    "InternalError",
    "Interrupted",
    "Intervals",
    "Joint",
    "Learned",
    "LimitError",
    "Marginals",
    "MismatchError",
    "MissingFileError",
    "MissingValuesError",
    "Mixture",
    "Model",
    "ModelFileError",
    "NotCategoriesError",
    "OptionError",
    "Posterior",
    "Prediction",
    "ProbabilityIntervals",
    "QuestionError",
    "Rows",
    "Scores",
    "StructureError",
    "Table",
    "TableWarning",
    "UnknownLevelError",
    "WeightedTable",
    "WorkerError",
    "__version__",
    "bootstrap",
    "compare_groups",
    "cross_validate",
    "datasets",
    "discretize",
    "exact",
    "learn",
    "load",
    "posterior",
    "report",
]


def load(path: str | os.PathLike[str]) -> Model | Mixture | Ensemble:
    """Reads and checks a model file, as the command line writes it: a `Model`, a `Mixture` or an `Ensemble`."""
    model, mixture, ensemble = _cmnet.load_any(_options.path(path))
    if mixture is not None:
        return Mixture._of(mixture)
    if ensemble is not None:
        return Ensemble._of(ensemble)
    assert model is not None
    return Model._of(model)
