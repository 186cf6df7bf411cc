"""scikit-learn estimators: a classifier and a density for tables of categories.

Columns are categories: texts, booleans, whole numbers (also as floating point), or the
categorical columns of a data frame, whose levels then hold for every fold of a
cross-validation. Numbers with decimals are refused; put
``KBinsDiscretizer(encode="ordinal")`` before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_random_state, validate_data

from . import _cmnet, _keywords, _options
from ._errors import LimitError, MissingValuesError
from ._keywords import keywords_of
from ._learn import learn
from ._learned import Learned
from ._model import Model
from ._options import label
from ._source import source

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Estimating

HandleUnknown = Literal["missing", "error"]
Objective = Literal["class", "joint"]
Categories = Union[Literal["auto"], Sequence[Sequence[Any]]]

__all__ = ["CMNClassifier", "CMNDensity"]

_DECIMALS = (
    "numbers with decimals are not categories; bin them first, for instance with "
    'KBinsDiscretizer(encode="ordinal") in a pipeline'
)


# Options of `cmnet.learn` that are the estimators' own.
_DEFAULTS = {**_keywords.defaults(_options.searching), **_keywords.defaults(_options.fitting)}


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What both estimators share: options, and columns of categories."""

    model_: Model
    learned_: Learned
    threads: int
    _names: list[str]

    @keywords_of(_options.searching, _options.fitting)
    def __init__(
        self,
        *,
        categories: Categories = "auto",
        handle_unknown: HandleUnknown = "missing",
        n_jobs: int | None = None,
        verbose: int = 0,
        **options: Unpack[Estimating],
    ) -> None:
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.n_jobs = n_jobs
        self.verbose = verbose
        # scikit-learn reads the signature, and wants each option of it as an attribute.
        self.__dict__.update({**_DEFAULTS, **options})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags

    def _columns(self, X: Any, reset: bool) -> dict[str, Any]:
        """What `cmnet.learn` can read, after scikit-learn's own checks.

        Columns go by their place and have the names of the table that was fitted to: names are
        scikit-learn's business, which compares them where both tables have some.
        """
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            own, columns = _frame(X)
        else:
            X = validate_data(self, X, reset=reset, dtype=None)
            own, columns = [f"X{number}" for number in range(1, X.shape[1] + 1)], list(X.T)
        if reset:
            self._names = own
            for place, name in enumerate(own):
                if name in own[:place]:
                    raise ValueError(f"the column name {name!r} appears twice; rename one of them")
        return dict(zip(self._names, map(_whole, columns)))

    def _schema(self, names: list[str]) -> dict[str, list[str]] | None:
        if isinstance(self.categories, str):
            if self.categories != "auto":
                raise ValueError(f"categories: {self.categories!r} is not usable; expected 'auto' or lists of levels")
            return None
        if len(self.categories) != len(names):
            raise ValueError(f"categories has {len(self.categories)} lists for {len(names)} columns")
        return {name: [label(level) for level in levels] for name, levels in zip(names, self.categories)}

    def _unknown(self) -> HandleUnknown:
        if self.handle_unknown not in ("missing", "error"):
            raise ValueError(f"handle_unknown: {self.handle_unknown!r} is not usable; expected 'missing' or 'error'")
        return self.handle_unknown

    def _threads(self) -> int:
        """The number of threads; ``n_jobs`` counts as in scikit-learn and goes first."""
        if self.n_jobs is None:
            return self.threads
        if isinstance(self.n_jobs, bool) or not hasattr(self.n_jobs, "__index__") or self.n_jobs == 0:
            raise ValueError(f"n_jobs: {self.n_jobs!r} is not usable; expected a whole number other than 0, or None")
        jobs = int(self.n_jobs)
        return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)

    def _target_name(self) -> str | None:
        """The variable that the network is made to predict, where there is one."""
        return None

    def _learn(self, table: dict[str, Any], schema: dict[str, list[str]] | None, sample_weight: Any) -> None:
        self._unknown()
        weights = None
        if sample_weight is not None:
            weights = _free("weight", table)
            table = {**table, weights: sample_weight}
        with _own_words():
            self._learned(table, schema, weights)

    def _learned(self, table: dict[str, Any], schema: dict[str, list[str]] | None, weights: str | None) -> None:
        self.learned_ = learn(
            table,
            weights=weights,
            schema=schema,
            missing=[],
            target=self._target_name(),
            progress=bool(self.verbose),
            **{**{name: getattr(self, name) for name in _DEFAULTS}, "threads": self._threads()},
        )
        if self.learned_.selected_index is None or self.learned_.selected.fitted is None:
            reasons = {str(row["unfitted"]) for row in self.learned_.scores if row["unfitted"]}
            raise LimitError(f"no structure could be fitted: {'; '.join(sorted(reasons))}")
        self.model_ = self.learned_.selected


@contextmanager
def _own_words() -> Iterator[None]:
    """A complaint about missing values without options that estimators have not got."""
    try:
        yield
    except MissingValuesError as error:
        columns = ", ".join(f"{name!r}: {count}" for name, count in error.counts.items())
        own = MissingValuesError(
            f"Input X has missing values in {error.rows} of {error.of} rows ({columns}); "
            "impute them, or leave those rows or columns out"
        )
        own.__dict__.update(error.__dict__)
        raise own from None


def _free(name: str, taken: Any) -> str:
    """A name that is not taken."""
    while name in taken:
        name += "_"
    return name


def _counts(sample_weight: Any, rows: int) -> Any:
    """Weights of rows as whole numbers."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
    if not (weights == np.floor(weights)).all() or not (weights < 2.0**32).all():
        raise ValueError("sample_weight says how often each row was observed: whole numbers, not shares")
    if not weights.any():
        raise ValueError("sample_weight is zero for all rows: nothing is left to learn from")
    return weights.astype(np.int64)


def _some(column: Any, keep: np.ndarray[Any, Any]) -> Any:
    """Some rows of a column."""
    return column.filter(keep.tolist()) if hasattr(column, "filter") and not hasattr(column, "iloc") else column[keep]


def _frame(X: Any) -> tuple[list[str], list[Any]]:
    """Names and columns of a data frame."""
    if hasattr(X, "iloc"):
        return [*map(str, X.columns)], [X.iloc[:, place] for place in range(X.shape[1])]
    if hasattr(X, "get_columns"):
        return [*X.columns], X.get_columns()
    return [*X.column_names], list(X.columns)


def _whole(column: Any) -> Any:
    """A column; whole floating-point numbers are integers."""
    kind = column.dtype if hasattr(column, "dtype") else getattr(column, "type", None)
    if getattr(kind, "kind", None) != "f" and not str(kind).lower().startswith(("float", "double", "halffloat")):
        return column
    values = column.to_numpy() if hasattr(column, "to_numpy") else column
    values = np.asarray(values, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("Input X contains NaN; impute missing values, or leave those rows out")
    if not np.array_equal(values, np.floor(values)) and np.isfinite(values).all():
        raise ValueError(_DECIMALS)
    if not (np.abs(values) < 2.0**63).all():
        raise ValueError("Input X contains infinity or a value too large for a whole number of 64 bits")
    return values.astype(np.int64)


class CMNClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """A contextual Markov network over features and class, as a classifier.

    The class is predicted from its Markov blanket. With ``objective="class"`` rows that are held
    out choose between the network of all columns and one with terms of the class with every
    feature, by the probability of the class: see ``target`` of `cmnet.learn`. ``"joint"`` takes
    the network of all columns. ``handle_unknown`` says what becomes of a
    value that was no level in training: ``"missing"`` sums it out, ``"error"`` refuses it.
    ``sample_weight`` of ``fit`` says how often each row was observed, in whole numbers.
    ``categories`` lists the levels of each feature; by default they are those of a data
    frame's categorical columns, and those that occur elsewhere. ``n_jobs`` is the number of
    threads as scikit-learn counts them, and goes before ``threads``; ``verbose`` shows a bar.
    The other options are those of `cmnet.learn`.

    Attributes: ``model_`` (a `cmnet.Model`), ``learned_`` (a `cmnet.Learned`), ``classes_``.
    In ``model_`` the classes are the levels of the last variable, which has the name of ``y``
    if it has one, and else ``class``.
    """

    classes_: np.ndarray[Any, Any]

    @keywords_of(_options.searching, _options.fitting)
    def __init__(
        self,
        *,
        objective: Objective = "class",
        categories: Categories = "auto",
        handle_unknown: HandleUnknown = "missing",
        n_jobs: int | None = None,
        verbose: int = 0,
        **options: Unpack[Estimating],
    ) -> None:
        super().__init__(
            categories=categories, handle_unknown=handle_unknown, n_jobs=n_jobs, verbose=verbose, **options
        )
        self.objective = objective

    def _target_name(self) -> str | None:
        if self.objective not in ("class", "joint"):
            raise ValueError(f"objective: {self.objective!r} is not usable; expected 'class' or 'joint'")
        return self._target if self.objective == "class" else None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CMNClassifier:
        """Learns a network from features and classes."""
        table = self._columns(X, reset=True)
        name = getattr(y, "name", None)
        y = _classes(self, X, y)
        weights = _counts(sample_weight, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._target = _free(name if isinstance(name, str) and _is_clean(name) else "class", table)
        labels = _class_labels(self.classes_)
        schema = {**(self._schema(list(table)) or {}), self._target: labels}
        table[self._target] = np.array(labels, dtype=object)[codes]
        self._learn(*_observed(table, schema, weights))
        return self

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """The probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        table = self._columns(X, reset=False)
        answer = self.model_.predict_proba(table, self._target, missing=[], on_unknown=self._unknown())
        return answer.probabilities

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The most probable class."""
        probabilities = self.predict_proba(X)
        best: np.ndarray[Any, Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return best

    def predict_log_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """The natural logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            logarithms: np.ndarray[Any, Any] = np.log(self.predict_proba(X))
        return logarithms


def _class_labels(classes: np.ndarray[Any, Any]) -> list[str]:
    """The classes as levels; their numbers where two of them would have one label."""
    labels = [label(each) for each in classes.tolist()]
    return labels if all(map(_is_clean, labels)) and len(set(labels)) == len(labels) else [str(place) for place in range(len(labels))]


def _is_clean(text: str) -> bool:
    """Whether a text stays as it is on its way into a table."""
    return bool(text) and text == text.strip() and _options.is_unicode(text)


def _observed(table: dict[str, Any], schema: Any, weights: Any) -> tuple[dict[str, Any], Any, Any]:
    """Rows that were observed at all: others do not even bring levels."""
    if weights is None or weights.all():
        return table, schema, weights
    keep = weights > 0
    return {name: _some(column, keep) for name, column in table.items()}, schema, weights[keep]


def _classes(estimator: Any, X: Any, y: Any) -> Any:
    from sklearn.utils import check_consistent_length
    from sklearn.utils.validation import _check_y

    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    y = _check_y(y, multi_output=False, y_numeric=False, estimator=estimator)
    check_consistent_length(X, y)
    check_classification_targets(y)
    return y


class CMNDensity(DensityMixin, _Estimator):  # type: ignore[misc]
    """A contextual Markov network as a density over rows of categories.

    ``score_samples`` gives natural-log probabilities; a row with a value that was no level in
    training has minus infinity, or is refused with ``handle_unknown="error"``. Missing values
    are refused, as in training. The other
    options are those of `CMNClassifier`.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> CMNDensity:
        """Learns a network; ``y`` is not looked at."""
        table = self._columns(X, reset=True)
        rows = len(next(iter(table.values()), ()))
        self._learn(*_observed(table, self._schema(list(table)), _counts(sample_weight, rows)))
        return self

    def score_samples(self, X: Any) -> np.ndarray[Any, Any]:
        """The natural-log probability of each row."""
        check_is_fitted(self)
        table = self._columns(X, reset=False)
        with _own_words():
            # Refuses missing values, which are no unknown levels.
            reading = _options.reading(missing=[])
            _cmnet.Table.read(source(table, None, reading), reading)
        found = self.model_.log_prob(table, missing=[], on_missing="drop", on_unknown=self._unknown())
        return np.where(np.isnan(found), -np.inf, found)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean natural-log probability per row."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray[Any, Any]:
        """Rows of labels drawn from the network."""
        check_is_fitted(self)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        rows = self.model_.sample(n_samples, seed)
        return np.array([rows[name] for name in rows], dtype=object).T
