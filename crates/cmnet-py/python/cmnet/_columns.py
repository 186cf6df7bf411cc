"""Columns in memory, of which some rows at a time become numbers of labels or Arrow streams.

Nothing of the size of a whole column is made, and columns that are not used are not looked
into.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from . import _cmnet
from ._options import WHOLE, is_unicode, is_whole_float, label

_FLOATS = "numbers with decimals"
_DATES = "dates, times or durations"
_NESTED = "nested values"
_OTHER = "values of another kind"
_KINDS = {"c": _FLOATS, "M": _DATES, "m": _DATES, "V": _NESTED, "S": "bytes"}
"""What a NumPy kind that is refused holds."""

_WIDEST = 1 << 16
"""The widest range of whole numbers that is counted rather than sorted."""

Part = Callable[[int, int], "tuple[Any, ...]"]
"""Gives the rows from one number to another: numbers of labels, the labels (None where they are
those of the part before) and whether their order means something; or an Arrow stream and
whether the order of its dictionary means nothing."""


class Column(NamedTuple):
    """A column that can be read."""

    length: int
    part: Part


class Columns:
    """The columns of a table, for the Rust side to read."""

    def __init__(self, columns: Iterable[tuple[Any, Any]], read: Callable[[str, int, Any], Column]) -> None:
        self._columns = list(columns)
        self._read = read
        self._chosen: list[Column] = []
        self.names = [str(name) for name, _ in self._columns]
        for name in self.names:
            if not is_unicode(name):
                raise _cmnet.refuse_option("table", f"the column name {ascii(name)}", "names of Unicode text")

    def choose(self, places: list[int], cut: Sequence[bool] = ()) -> int:
        """Makes the columns at these places ready; their number of rows. Numbers of those that are
        to be cut may have decimals."""
        self._chosen = []
        for place, cuts in itertools.zip_longest(places, cut, fillvalue=False):
            values = self._columns[place][1]
            made = _decimals(values) if cuts else None
            self._chosen.append(made or self._read(self.names[place], place + 1, values))
        rows = self._chosen[0].length if self._chosen else 0
        for place, column in zip(places, self._chosen):
            if column.length != rows:
                found = f"{column.length} values in {self.names[place]}, {rows} in another column"
                raise _cmnet.refuse_option("table", found, "columns of one length")
        return rows

    def part(self, start: int, stop: int) -> list[tuple[Any, ...]]:
        """Some rows of the chosen columns."""
        return [column.part(start, stop) for column in self._chosen]


def any_column(name: str, number: int, values: Any) -> Column:
    """A column of a mapping."""
    module = type(values).__module__.partition(".")[0]
    if module == "pandas" and hasattr(values, "dtype"):
        import pandas

        return pandas_column(name, number, pandas.Series(values))
    if module == "polars" and hasattr(values, "dtype"):
        return polars_column(name, number, values)
    if isinstance(values, np.ndarray):
        return array_column(name, number, values)
    if module == "pyarrow" and hasattr(values, "slice"):
        return _arrow_column(values)
    unordered = isinstance(values, (str, bytes, Mapping, Set))
    if unordered or not hasattr(values, "__iter__"):
        raise _cmnet.refuse_column(name, number, _OTHER, type(values).__name__)
    return _objects(name, number, values if isinstance(values, (list, tuple)) else list(values))


def polars_column(name: str, number: int, values: Any) -> Column:
    """A polars Series."""
    import polars

    kind = values.dtype
    # What Arrow, or its exchange between programs, has no type for.
    if kind == polars.Null or kind.is_integer() and str(kind).endswith("128"):
        values = values.cast(polars.String)
    if kind == polars.Object:
        return _objects(name, number, values.to_list())
    # Categories of a Categorical are shared by columns and compare as texts; those of an Enum
    # are the column's own, in its order.
    loose = isinstance(kind, polars.Categorical) or kind == polars.Categorical
    return Column(len(values), lambda start, stop: (values.slice(start, stop - start).__arrow_c_stream__(), loose))


def _arrow_column(values: Any) -> Column:
    """A pyarrow array, in chunks or not."""

    def part(start: int, stop: int) -> tuple[Any, ...]:
        import pyarrow

        some = values.slice(start, stop - start)
        chunked = some if isinstance(some, pyarrow.ChunkedArray) else pyarrow.chunked_array([some])
        aligned = pyarrow.chunked_array([_aligned(chunk) for chunk in chunked.chunks], chunked.type)
        return (aligned.__arrow_c_stream__(), False)

    return Column(len(values), part)


def _aligned(values: Any) -> Any:
    """The same pyarrow array with buffers that begin at multiples of 8 bytes.

    Those that came from another process may begin anywhere, and reading numbers there is undefined.
    """
    import pyarrow

    if isinstance(values, pyarrow.DictionaryArray):
        parts = _aligned(values.indices), _aligned(values.dictionary)
        return pyarrow.DictionaryArray.from_arrays(*parts, ordered=values.type.ordered)
    if all(buffer is None or buffer.address % 8 == 0 for buffer in values.buffers()):
        return values
    # Of two arrays, a new one is made.
    return pyarrow.concat_arrays([values, values.slice(0, 0)])


def pandas_column(name: str, number: int, values: Any) -> Column:
    """A pandas Series."""
    import pandas

    kind, array = values.dtype, values.array
    if isinstance(kind, pandas.CategoricalDtype):
        labels = _unicode(name, number, [label(level) for level in kind.categories])
        return _listed(len(values), lambda start, stop: array.codes[start:stop].astype(np.int32), labels, True)
    if isinstance(kind, pandas.ArrowDtype) or isinstance(kind, pandas.StringDtype) and kind.storage == "pyarrow":
        return _arrow_column(array.__arrow_array__())
    if pandas.api.types.is_float_dtype(kind):
        return _floats(name, number, str(kind), len(values), lambda start, stop: _plain_floats(array[start:stop]))
    if isinstance(kind, np.dtype) and kind.kind in "iub":
        return array_column(name, number, values.to_numpy())
    if pandas.api.types.is_datetime64_any_dtype(kind) or pandas.api.types.is_timedelta64_dtype(kind):
        raise _cmnet.refuse_column(name, number, _DATES, str(kind))
    if kind == object:
        return _pandas_objects(name, number, values.to_numpy())

    def part(start: int, stop: int) -> tuple[Any, ...]:
        codes, uniques = pandas.factorize(array[start:stop])
        return (codes.astype(np.int32), _labels(name, number, list(uniques)), False)

    return Column(len(values), part)


def _pandas_objects(name: str, number: int, values: np.ndarray[Any, Any]) -> Column:
    import pandas

    slow = _objects(name, number, values)

    def part(start: int, stop: int) -> tuple[Any, ...]:
        some = values[start:stop]
        # pandas counts texts fast, but takes True and 1 for one value.
        if pandas.api.types.infer_dtype(some, skipna=True) != "string":
            return slow.part(start, stop)
        codes, uniques = pandas.factorize(some)
        return (codes.astype(np.int32), _labels(name, number, list(uniques)), False)

    return Column(len(values), part)


def array_column(name: str, number: int, values: np.ndarray[Any, Any]) -> Column:
    """A NumPy array."""
    if values.ndim == 0:
        values = values.reshape(1)
    if values.ndim != 1:
        raise _cmnet.refuse_column(name, number, _NESTED, f"an array of {values.ndim} dimensions")
    kind = values.dtype.kind
    if np.ma.isMaskedArray(values):
        return _masked(name, number, values)
    if kind == "b":
        return _listed(len(values), lambda start, stop: values[start:stop].astype(np.int32), ["false", "true"], False)
    if kind in "iu":
        return Column(len(values), lambda start, stop: (*_counted(values[start:stop]), False))
    if kind == "f":
        return _floats(name, number, str(values.dtype), len(values), lambda start, stop: values[start:stop])
    if kind == "U":
        return Column(len(values), lambda start, stop: (*_texts(name, number, values[start:stop]), False))
    if kind in "TO":
        return _objects(name, number, values)
    raise _cmnet.refuse_column(name, number, _KINDS.get(kind, _OTHER), str(values.dtype))


def _masked(name: str, number: int, values: Any) -> Column:
    # What lies under a mask need not be a whole number.
    data = values.filled(np.nan) if values.dtype.kind == "f" else np.ma.getdata(values)
    mask, column = np.ma.getmaskarray(values), array_column(name, number, data)

    def part(start: int, stop: int) -> tuple[Any, ...]:
        codes, labels, ordered = column.part(start, stop)
        return (np.where(mask[start:stop], np.int32(-1), codes).astype(np.int32), labels, ordered)

    return Column(column.length, part)


def _listed(length: int, codes: Callable[[int, int], Any], labels: list[str], ordered: bool) -> Column:
    """Numbers of labels that are the same for all parts."""
    return Column(length, lambda start, stop: (codes(start, stop), labels if start == 0 else None, ordered))


def _texts(name: str, number: int, values: np.ndarray[Any, Any]) -> tuple[Any, list[str]]:
    uniques, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), _unicode(name, number, [str(value) for value in uniques])


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


def _floats(name: str, number: int, kind: str, length: int, some: Callable[[int, int], Any]) -> Column:
    """Whole numbers written as floating-point ones: integers with missing values, and bins."""

    def part(start: int, stop: int) -> tuple[Any, ...]:
        found = some(start, stop)
        known = ~np.isnan(found)
        whole = found[known]
        # Infinity is beyond the limit too.
        if not (np.abs(whole) <= WHOLE).all() or not (whole == np.floor(whole)).all():
            raise _cmnet.refuse_column(name, number, _FLOATS, kind)
        codes = np.full(len(found), -1, dtype=np.int32)
        codes[known], labels = _counted(whole.astype(np.int64))
        return (codes, labels, False)

    return Column(length, part)


def _decimals(values: Any) -> Column | None:
    """A column of floating-point numbers, if it is one."""
    if isinstance(values, (list, tuple)) and any(isinstance(value, float) for value in values):
        plain = all(value is None or type(value) in (int, float) for value in values)
        values = np.asarray(values, dtype=np.float64) if plain else values
    if getattr(getattr(values, "dtype", None), "kind", None) != "f" or getattr(values, "ndim", 1) != 1:
        return None
    if isinstance(values, np.ndarray):
        filled = values.filled(np.nan) if np.ma.isMaskedArray(values) else values
    else:
        filled = _plain_floats(values)

    def part(start: int, stop: int) -> tuple[Any, ...]:
        found = filled[start:stop]
        known = ~np.isnan(found)
        uniques, places = np.unique(found[known], return_inverse=True)
        codes = np.full(len(found), -1, dtype=np.int32)
        codes[known] = places
        return (codes, [label(value) for value in uniques.tolist()], False)

    return Column(len(filled), part)


def _plain_floats(values: Any) -> np.ndarray[Any, Any]:
    """Some values of a pandas column of floating-point numbers; NaN where there is none."""
    plain: np.ndarray[Any, Any] = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return plain


def _objects(name: str, number: int, values: Sequence[Any] | np.ndarray[Any, Any]) -> Column:
    """Python objects of any kind."""

    def part(start: int, stop: int) -> tuple[Any, ...]:
        known: dict[Any, int] = {}
        uniques: list[Any] = []
        codes = []
        try:
            for value in values[start:stop]:
                # True and 1 are equal and hash alike, and are two labels all the same.
                key = (value.__class__, value)
                code = known.get(key)
                if code is None:
                    code = -1 if _is_missing(value) else len(uniques)
                    if code >= 0:
                        uniques.append(value)
                    known[key] = code
                codes.append(code)
        except TypeError:
            raise _cmnet.refuse_column(name, number, _NESTED, type(value).__name__) from None
        return (np.array(codes, dtype=np.int32), _labels(name, number, uniques), False)

    return Column(len(values), part)


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, complex, np.floating)) and bool(value != value)


def _labels(name: str, number: int, uniques: list[Any]) -> list[str]:
    """Labels of distinct values, after a look at what they are."""
    for value in uniques:
        if isinstance(value, (str, bool, np.bool_, int, np.integer)) or is_whole_float(value):
            continue
        if isinstance(value, (bytes, bytearray)):
            what = "bytes"
        elif isinstance(value, (float, complex, np.floating)) or type(value).__name__ == "Decimal":
            what = _FLOATS
        elif isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray)):
            what = _NESTED
        elif hasattr(value, "isoformat") or hasattr(value, "total_seconds"):
            what = _DATES
        elif type(value).__name__ == "Interval":
            continue
        else:
            what = _OTHER
        raise _cmnet.refuse_column(name, number, what, type(value).__name__)
    return _unicode(name, number, [label(value) for value in uniques])


def _unicode(name: str, number: int, labels: list[str]) -> list[str]:
    for text in labels:
        if not is_unicode(text):
            raise _cmnet.refuse_column(name, number, "texts that are not Unicode", ascii(text))
    return labels
