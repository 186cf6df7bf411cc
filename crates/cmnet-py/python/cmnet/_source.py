"""Tables in: what Python users hold, handed to Rust without a detour through Python objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _cmnet
from ._errors import NotCategoriesError
from ._options import label

_FLOATS = "numbers with decimals"
_DATES = "dates, times or durations"
_NESTED = "nested values"
_OTHER = "values of another kind"
_KINDS = {"f": _FLOATS, "c": _FLOATS, "M": _DATES, "m": _DATES, "V": _NESTED, "S": "bytes"}
"""What a NumPy kind that is refused holds."""

_WIDEST = 1 << 20
"""The widest range of whole numbers that is counted rather than sorted."""


def source(table: Any, names: Sequence[str] | None = None) -> Any:
    """A table as the Rust side takes it: a path, an Arrow stream or numbered columns."""
    if isinstance(table, (str, bytes, os.PathLike)):
        return os.fsdecode(table)
    if hasattr(table, "_table"):
        return table._table
    module = type(table).__module__.partition(".")[0]
    if module == "pandas":
        return _pandas(table)
    if module == "polars":
        return _polars(table)
    if isinstance(table, np.ndarray):
        return _array(table, names)
    if hasattr(table, "__arrow_c_stream__"):
        return (table.__arrow_c_stream__(), [], _length(table))
    if isinstance(table, Mapping):
        return _each(_column, table.items())
    if module in ("duckdb", "_duckdb"):
        return (table.fetch_record_batch().__arrow_c_stream__(), [], None)
    if hasattr(table, "__array__"):
        return _array(np.asarray(table), names)
    expected = "a data frame, an Arrow table, a mapping of columns, an array with names, or a path"
    raise _cmnet.refuse_option("table", type(table).__name__, expected)


def _length(table: Any) -> int | None:
    """The number of rows, where asking for it costs nothing: a query would run for it."""
    rows = getattr(table, "num_rows", None)
    if not isinstance(rows, int):
        rows = getattr(getattr(table, "_rows", None), "__len__", lambda: None)()
    return rows


def _polars(table: Any) -> Any:
    import polars

    if isinstance(table, polars.LazyFrame):
        table = table.collect()
    if isinstance(table, polars.Series):
        table = table.to_frame()
    # Categories of a Categorical are shared by all columns of a program and compare as texts;
    # those of an Enum are the column's own, in its order.
    loose = [name for name, kind in table.schema.items() if kind == polars.Categorical]
    return (table.__arrow_c_stream__(), loose, table.height)


def _pandas(table: Any) -> Any:
    if hasattr(table, "to_frame"):
        table = table.to_frame()
    return _each(_pandas_column, zip(table.columns, (table.iloc[:, place] for place in range(table.shape[1]))))


def _each(read: Callable[[str, int, Any], Any], columns: Iterable[tuple[Any, Any]]) -> list[Any]:
    """Every column; one that is refused is a complaint only if it is used."""
    found: list[Any] = []
    for number, (name, values) in enumerate(columns, 1):
        try:
            found.append(read(str(name), number, values))
        except NotCategoriesError as refusal:
            found.append((str(name), refusal))
    return found


def _pandas_column(name: str, number: int, values: Any) -> Any:
    import pandas

    kind = values.dtype
    if isinstance(kind, pandas.CategoricalDtype):
        codes = np.ascontiguousarray(values.cat.codes, dtype=np.int32)
        return (name, codes, [label(level) for level in kind.categories], True)
    if pandas.api.types.is_float_dtype(kind):
        raise _cmnet.refuse_column(name, number, _FLOATS, str(kind))
    if isinstance(kind, np.dtype) and kind.kind in "iub":
        return _numbered(name, number, values.to_numpy())
    if pandas.api.types.is_datetime64_any_dtype(kind) or pandas.api.types.is_timedelta64_dtype(kind):
        raise _cmnet.refuse_column(name, number, _DATES, str(kind))
    try:
        codes, uniques = pandas.factorize(values)
    except TypeError:
        raise _cmnet.refuse_column(name, number, _NESTED, str(kind)) from None
    labels = _labels(name, number, list(uniques))
    return (name, np.ascontiguousarray(codes, dtype=np.int32), labels, False)


def _array(array: np.ndarray[Any, Any], names: Sequence[str] | None) -> Any:
    if array.dtype.names is not None:
        return _each(_numbered, ((name, np.atleast_1d(array[name])) for name in array.dtype.names))
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise _cmnet.refuse_option("table", f"an array of {array.ndim} dimensions", "rows and columns")
    if names is None:
        names = [f"X{number}" for number in range(1, array.shape[1] + 1)]
    elif len(names) != array.shape[1]:
        expected = f"one name for each of {array.shape[1]} columns"
        raise _cmnet.refuse_option("names", f"{len(names)} names", expected)
    return _each(_numbered, zip(names, array.T))


def _column(name: str, number: int, values: Any) -> Any:
    if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "dtype"):
        import pandas

        return _pandas_column(name, number, pandas.Series(values))
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return _numbered(name, number, values)
    if hasattr(values, "to_numpy") and not isinstance(values, np.ndarray):
        values = values.to_list() if hasattr(values, "to_list") else values.to_pylist()
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise _cmnet.refuse_column(name, number, _OTHER, type(values).__name__)
    known: dict[Any, int] = {}
    uniques: list[Any] = []
    codes = []
    try:
        for value in values:
            if value is None or value != value:
                codes.append(-1)
                continue
            # True and 1 are equal and hash alike, and are two labels all the same.
            key = (value.__class__, value)
            if key not in known:
                known[key] = len(uniques)
                uniques.append(value)
            codes.append(known[key])
    except TypeError:
        raise _cmnet.refuse_column(name, number, _NESTED, "a list") from None
    return (name, np.array(codes, dtype=np.int32), _labels(name, number, uniques), False)


def _labels(name: str, number: int, uniques: list[Any]) -> list[str]:
    """Labels of distinct values, after a look at what they are."""
    for value in uniques:
        if isinstance(value, (str, bool, np.bool_, int, np.integer)):
            continue
        if isinstance(value, (bytes, bytearray)):
            what = "bytes"
        elif isinstance(value, (float, complex, np.floating)):
            what = _FLOATS
        elif isinstance(value, (list, tuple, dict, set, np.ndarray)):
            what = _NESTED
        elif hasattr(value, "isoformat") or hasattr(value, "total_seconds"):
            what = _DATES
        elif type(value).__name__ == "Decimal":
            what = _FLOATS
        elif type(value).__name__ == "Interval":
            continue
        else:
            what = _OTHER
        raise _cmnet.refuse_column(name, number, what, type(value).__name__)
    return [label(value) for value in uniques]


def _numbered(name: str, number: int, values: np.ndarray[Any, Any]) -> Any:
    """A NumPy column as numbers of labels."""
    kind = values.dtype.kind
    if np.ma.isMaskedArray(values):
        mask = np.ma.getmaskarray(values)
        _, codes, labels, _ = _numbered(name, number, np.ma.getdata(values))
        return (name, np.where(mask, np.int32(-1), codes).astype(np.int32), labels, False)
    if kind == "b":
        return (name, values.astype(np.int32), ["false", "true"], False)
    if kind in "iu":
        return (name, *_counted(values), False)
    if kind in "UT":
        uniques, codes = np.unique(values, return_inverse=True)
        return (name, codes.astype(np.int32), [str(value) for value in uniques], False)
    if kind == "O":
        return _column(name, number, values.tolist())
    raise _cmnet.refuse_column(name, number, _KINDS.get(kind, _OTHER), str(values.dtype))


def _counted(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Codes and labels of whole numbers."""
    if values.size and int(values.max()) - int(values.min()) < _WIDEST:
        lowest = int(values.min())
        shifted = (values.astype(np.int64) if values.dtype != np.uint64 else values) - values.dtype.type(lowest)
        shifted = shifted.astype(np.int64)
        present = np.bincount(shifted) > 0
        codes = (np.cumsum(present) - 1).astype(np.int32)
        return codes[shifted], [str(lowest + int(place)) for place in np.flatnonzero(present)]
    uniques, numbers = np.unique(values, return_inverse=True)
    return numbers.astype(np.int32), [str(int(value)) for value in uniques]
