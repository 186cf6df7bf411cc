"""Tables in: what Python users hold, handed to Rust without a detour through Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _cmnet, _options
from ._columns import Columns, any_column, array_column, pandas_column, polars_column

_KINDS = "a data frame, an Arrow table, a mapping of columns, an array with names, a path, or a list of paths"


def source(table: Any, names: Sequence[str] | None, reading: dict[str, Any], keep: Iterable[str] = ()) -> Any:
    """A table as the Rust side takes it: a path or a list of them, a packed table, an Arrow stream or columns.

    Options that have no meaning for such a table are refused; those of ``keep`` have one for
    packed tables.
    """
    if isinstance(table, (str, bytes, os.PathLike)):
        _refuse_names(names, "the names of a file are in it")
        return _options.path(table, "table")
    if isinstance(table, (list, tuple)) and table and all(isinstance(each, (str, os.PathLike)) for each in table):
        _refuse_names(names, "the names of a file are in it")
        return [_options.path(each, "table") for each in table]
    packed = getattr(table, "_table", None)
    if isinstance(packed, _cmnet.Table):
        _refuse_names(names, "the table is packed already")
        _refuse(reading, set(reading) - set(keep), "the table is packed already")
        return packed
    _refuse(reading, ("delimiter", "no_header"), "only files have it")
    if isinstance(table, np.ndarray) and table.dtype.names is None:
        return _array(table, names)
    if not _is_array(table):
        _refuse_names(names, "the table has names of its own")
    return _in_memory(table, names)


def _in_memory(table: Any, names: Sequence[str] | None) -> Any:
    module = type(table).__module__.partition(".")[0]
    if module == "pandas":
        return _pandas(table)
    if module == "polars":
        return _polars(table)
    if isinstance(table, np.ndarray):
        return Columns(((name, table[name]) for name in table.dtype.names or ()), array_column)
    if hasattr(table, "__arrow_c_stream__"):
        return (table.__arrow_c_stream__(), _length(table))
    if isinstance(table, Mapping):
        return Columns(table.items(), any_column)
    if _is_dask(table):
        return _pandas(table.compute())
    if module in ("duckdb", "_duckdb"):
        return (_result(table).__arrow_c_stream__(), None)
    if _is_array(table):
        return _array(np.asarray(table), names)
    raise _cmnet.refuse_option("table", type(table).__name__, _KINDS)


def _result(table: Any) -> Any:
    """The rows of a DuckDB relation, or of the query that a connection has run."""
    try:
        # Which of the two there is depends on the version.
        fetch = getattr(table, "to_arrow_reader", None) or table.fetch_record_batch
        return fetch()
    except Exception as error:
        raise _cmnet.refuse_option("table", f"{type(table).__name__} without a result ({error})", _KINDS) from error


def _is_array(table: Any) -> bool:
    """Whether something that is no table of another kind can be an array."""
    known = type(table).__module__.partition(".")[0] in ("pandas", "polars", "duckdb", "_duckdb")
    return not known and not _is_dask(table) and hasattr(table, "__array__") and not hasattr(table, "__arrow_c_stream__")


def _is_dask(table: Any) -> bool:
    """Whether something is a frame of Dask, which as an array would lose its names."""
    dask = type(table).__module__.partition(".")[0] in ("dask", "dask_expr")
    return dask and hasattr(table, "compute") and hasattr(table, "columns")


def _refuse(reading: dict[str, Any], options: Iterable[str], why: str) -> None:
    usual = _options.reading()
    for option in reading:
        if option in options and reading[option] != usual[option]:
            raise _cmnet.refuse_option(option, _options.shown(reading[option]), f"nothing: {why}")


def _refuse_names(names: Sequence[str] | None, why: str) -> None:
    if names is not None:
        raise _cmnet.refuse_option("names", _options.shown(names), f"nothing: {why}")


def _length(table: Any) -> int | None:
    """The number of rows, where asking for it costs nothing: a query would run for it."""
    rows = getattr(table, "num_rows", None)
    if not isinstance(rows, int):
        rows = getattr(getattr(table, "_rows", None), "__len__", lambda: None)()
    return rows


def _polars(table: Any) -> Any:
    import polars

    if isinstance(table, polars.LazyFrame):
        return _lazy(table)
    if isinstance(table, polars.Series):
        table = table.to_frame()
    if not isinstance(table, polars.DataFrame):
        raise _cmnet.refuse_option("table", f"polars {type(table).__name__}", _KINDS)
    return Columns(zip(table.columns, table.get_columns()), polars_column)


def _lazy(table: Any) -> Any:
    """The rows of a polars query as they come, where its version can do that."""
    import polars

    kinds = table.collect_schema()
    if not hasattr(table, "collect_batches") or any(kind == polars.Object for kind in kinds.values()):
        return _polars(table.collect())
    # What `polars_column` says of categories and of types that Arrow has not holds here too.
    odd = [name for name, kind in kinds.items() if _as_texts(kind)]
    stream = table.with_columns(polars.col(odd).cast(polars.String)).collect_batches(lazy=True)
    if not hasattr(stream, "__arrow_c_stream__"):
        return _polars(table.collect())
    return (stream.__arrow_c_stream__(), None)


def _as_texts(kind: Any) -> bool:
    import polars

    categories = isinstance(kind, polars.Categorical) or kind == polars.Categorical
    return categories or kind == polars.Null or kind.is_integer() and str(kind).endswith("128")


def _pandas(table: Any) -> Any:
    import pandas

    if isinstance(table, (pandas.Series, pandas.Index)):
        table = table.to_frame()
    if not isinstance(table, pandas.DataFrame):
        raise _cmnet.refuse_option("table", f"pandas {type(table).__name__}", _KINDS)
    columns = (table.iloc[:, place] for place in range(table.shape[1]))
    return Columns(zip(table.columns, columns), pandas_column)


def _array(array: np.ndarray[Any, Any], names: Sequence[str] | None) -> Any:
    if isinstance(array, np.matrix):
        array = np.asarray(array)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise _cmnet.refuse_option("table", f"an array of {array.ndim} dimensions", "rows and columns")
    if names is None:
        names = [f"X{number}" for number in range(1, array.shape[1] + 1)]
    names = _options.names("names", names)
    if len(names) != array.shape[1]:
        expected = f"one name for each of {array.shape[1]} columns"
        raise _cmnet.refuse_option("names", f"{len(names)} names", expected)
    return Columns(zip(names, array.T), array_column)
