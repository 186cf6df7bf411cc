"""The bundled tables: small, public, each with its provenance in ``data/README.md``."""

from __future__ import annotations

from . import _cmnet, _options
from ._table import Rows

__all__ = ["csv", "load", "names"]


def names() -> list[str]:
    """The names of the bundled tables."""
    return _cmnet.bundled_names()


def load(name: str) -> Rows:
    """A bundled table, its rows in the order of the file.

    `Rows` goes into `cmnet.learn` as it is, and has ``to_pandas()``, ``to_polars()`` and
    ``to_arrow()``.
    """
    name = _options.text("name", name)
    return Rows._of(_cmnet.Rows.from_bytes(name, _cmnet.bundled(name), _options.reading()))


def csv(name: str) -> str:
    """The text of a bundled table's CSV file."""
    return _cmnet.bundled(_options.text("name", name)).decode()
