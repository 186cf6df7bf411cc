"""Packed tables, and rows in their order."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _cmnet, _options
from ._errors import TableWarning
from ._keywords import keywords_of
from ._source import source
from ._variables import Variables

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from typing_extensions import Unpack

    from ._keywords import Reading
else:
    from ._optional import Later

    pandas, polars, pyarrow = Later("pandas"), Later("polars"), Later("pyarrow")

_HERE = os.path.dirname(__file__)


class Table(Variables):
    """A table of categories, packed: a few bits per cell, equal rows once.

    `cmnet.learn` and its kin pack what they are given; pack a table yourself to use it again.

    Parameters
    ----------
    table
        A pandas or polars data frame, a pyarrow table, a DuckDB relation or anything else with
        the Arrow C stream protocol, a mapping of names to columns, a two-dimensional NumPy
        array of whole numbers, or the path of a CSV or TSV file (``.gz`` and ``.zst`` too), of a
        Parquet file or of an Arrow file. A pattern such as ``"survey-*.csv"`` and a list of paths
        are one table.
    names
        Names of the columns of a NumPy array; X1, X2, ... by default. Other tables have
        names of their own.
    delimiter, no_header
        How a file is read: what stands between fields (found out by default), and whether its
        first line is a row. For files only.
    columns, drop
        Use only these columns; leave out these.
    weights
        The column that says how often each row was observed: whole numbers. `cmnet.WeightedTable` takes
        others.
    missing
        Texts that mean "missing", besides null, None and NaN; by default the empty text, NA,
        NaN and ?. They mean it among the categories of a column too, which then are no
        levels; not in a column that ``schema`` lists, whose levels are all levels.
    on_missing
        ``"error"`` refuses a table with missing values and says how many and where;
        ``"drop"`` leaves those rows out.
    schema
        Levels of some columns in order, as a mapping or the path of a TOML file. Such a column
        has exactly these levels.
    bins
        How columns of numbers are cut into classes: 4 or ``"frequency:4"`` (equal frequency),
        ``"width:4"``, ``"graph:4"`` (what fits the neighbours best) for all columns of more than
        20 numbers; or a mapping of columns to such rules or to lists of cut points, with `None`
        for all others. Such columns may have decimals.

    What an owner of the table should know is told as a `cmnet.TableWarning`.

    Columns of categories (pandas Categorical, polars Enum, Arrow dictionary) keep all their
    levels in their order, as with a schema, but let others in. Other columns are ordered by
    value when every label is a number, else by their bytes, as on the command line.
    """

    _table: _cmnet.Table

    @keywords_of(_options.reading)
    def __init__(self, table: Any, *, names: Sequence[str] | None = None, **options: Unpack[Reading]) -> None:
        self._table = Table._read(table, names, options)._table

    @classmethod
    def _read(
        cls,
        table: Any,
        names: Sequence[str] | None,
        options: Mapping[str, Any],
        learning: dict[str, Any] | None = None,
        spared: str | None = None,
    ) -> Table:
        """The packed table. Where the graph is to find cut points, it is learned as ``learning`` says; the column
        ``spared`` is no variable, and not cut."""
        reading = _options.reading(**options)
        data = source(table, names, reading)
        if isinstance(data, _cmnet.Table):
            # The same one: what workers hold of a table is held for as long as it lives.
            return table if isinstance(table, cls) else cls._of(data)
        made = cls._of(_cmnet.Table.read(data, reading, learning, spared))
        _warn(made._table.warnings)
        return made

    @classmethod
    def _of(cls, table: _cmnet.Table) -> Table:
        made = cls.__new__(cls)
        made._table = table
        return made

    def _variables(self) -> list[tuple[str, list[str]]]:
        return self._table.levels

    @property
    def rows(self) -> int:
        """The number of observations, counted by weight."""
        return self._table.rows

    @property
    def distinct_rows(self) -> int:
        """The number of distinct rows."""
        return self._table.distinct_rows

    @property
    def cuts(self) -> dict[str, list[float]]:
        """Where columns of numbers are cut into levels, by column; see the option ``bins``."""
        return dict(self._table.cuts)

    @property
    def digest(self) -> str:
        """SHA-256 of the content: names, levels, rows and weights, not the order of rows."""
        return self._table.digest

    @property
    def warnings(self) -> list[str]:
        """What an owner of the table should know; told as a `TableWarning` when it was read."""
        return self._table.warnings

    @property
    def dropped_rows(self) -> int:
        """Rows left out for missing values."""
        return self._table.dropped_rows

    @property
    def missing(self) -> dict[str, int]:
        """Missing values by column, where there are some."""
        return dict(self._table.missing)

    @property
    def nbytes(self) -> int:
        """The bytes that the packed table takes."""
        return self._table.packed_bytes

    def observations(self) -> Rows:
        """Every observation as a row, sorted: the order of rows is not kept."""
        return Rows._of(self._table.observations())

    def __len__(self) -> int:
        """The number of observations."""
        return self.rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._table == other._table

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        inner = self._table
        return (_table_from_packed, (inner.packed(), inner.dropped_rows, inner.missing, inner.warnings))

    def __repr__(self) -> str:
        return f"Table({self.rows} rows, {self.distinct_rows} distinct, {len(self.names)} variables: {_some(self.names)})"


@keywords_of(_options.reading)
def discretize(table: Any, *, names: Sequence[str] | None = None, **options: Unpack[Reading]) -> Table:
    """A table whose columns of numbers are cut into classes: 4 of equal frequency, unless ``bins`` says else.

    The classes are levels in their order, and `Table.cuts` has the cut points. Models that are
    learned from it know them, and take numbers.
    """
    options.setdefault("bins", 4)
    return Table(table, names=names, **options)


def _table_from_packed(packed: bytes, *known: Any) -> Table:
    return Table._of(_cmnet.Table.from_packed(packed, *known))


def _rows_from_parts(levels: Any, columns: Any) -> Rows:
    return Rows._of(_cmnet.Rows.from_parts(levels, columns))


def _warn(texts: Sequence[str]) -> None:
    """Tells the first caller outside of this package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _HERE:
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, TableWarning, stacklevel=level)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


class _Labels(list[str]):
    """The labels of a column; as an Arrow array, a dictionary of its levels in their order."""

    _levels: list[str]
    _codes: np.ndarray[Any, np.dtype[np.int32]]

    def __arrow_array__(self, type: Any = None) -> Any:
        import pyarrow

        made = pyarrow.DictionaryArray.from_arrays(pyarrow.array(self._codes), self._levels, ordered=True)
        return made if type is None else made.cast(type)

    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (list(self),))


class Rows(dict[str, "list[str]"]):
    """Rows of categories in their order: what `Model.sample` and `cmnet.datasets.load` give.

    A dict of names to lists of labels, made when they are asked for, that does not change:
    ``pandas.DataFrame(rows)``, ``polars.DataFrame(rows)``, ``pyarrow.table(rows)`` and
    `cmnet.learn` take it as it is, and ``numpy.asarray(rows)`` has a row per row. As that of
    every dict, ``len(rows)`` counts names; ``rows.shape`` has the number of rows too.
    """

    _rows: _cmnet.Rows
    missing: dict[str, Any] | None = None
    """Of rows that `Model.impute` filled: shares of missing values by column and pattern, and what is assumed about
    them; None where nothing was missing."""

    def __init__(self) -> None:
        raise TypeError("rows come from Model.sample, cmnet.datasets.load and Table.observations")

    @classmethod
    def _of(cls, rows: _cmnet.Rows) -> Rows:
        made = cls.__new__(cls)
        # The names are held by the dict itself, for those who look into it without asking.
        dict.update(made, dict.fromkeys((name for name, _ in rows.levels), []))
        made._rows = rows
        return made

    @property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each variable, in order."""
        return dict(self._rows.levels)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return (len(self._rows), len(self._rows.levels))

    def codes(self, name: str) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The levels of a column as numbers from 0."""
        return self._rows.codes(name)

    def __getitem__(self, name: str) -> list[str]:
        levels = self.levels.get(name)
        if levels is None:
            raise KeyError(name)
        codes = self.codes(name)
        labels = _Labels(np.array(levels, dtype=object)[codes])
        labels._levels, labels._codes = levels, codes
        return labels

    # Whoever takes a dict apart asks these, and dict(rows) does where __iter__ is not the dict's.

    def __iter__(self) -> Iterator[str]:
        return super().__iter__()

    def items(self) -> ItemsView[str, list[str]]:  # type: ignore[override]
        return ItemsView(self)

    def values(self) -> ValuesView[list[str]]:  # type: ignore[override]
        return ValuesView(self)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def copy(self) -> Rows:
        return self

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: rows do not change."""
        raise TypeError("rows do not change; take dict(rows) or rows.to_pandas() to change them")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the labels of rows are made when they are asked for: no array without a copy")
        made = np.empty(self.shape, dtype=object)
        for place, name in enumerate(self):
            made[:, place] = self[name]
        return made if dtype is None else made.astype(dtype)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame of ordered categoricals."""
        import pandas

        columns = {
            name: pandas.Categorical.from_codes(self.codes(name), categories=levels, ordered=True)
            for name, levels in self.levels.items()
        }
        return pandas.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame of Enum columns."""
        import polars

        columns = {
            name: polars.Series(name, self[name], dtype=polars.Enum(levels)) for name, levels in self.levels.items()
        }
        return polars.DataFrame(columns)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table of dictionary columns."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self._rows == other._rows

    def __ne__(self, other: object) -> bool:
        # A dict has one of its own.
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        columns = [self.codes(name) for name in self]
        return (_rows_from_parts, (self._rows.levels, columns))

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Rows({rows} rows, {columns} variables: {_some(list(self))})"
