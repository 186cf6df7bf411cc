"""Packages that are not required: imported when something of them is asked for."""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """A package, imported at the first look into it.

    Where it is not installed, what it holds may be anything: annotations such as
    ``pandas.DataFrame`` can be read by `typing.get_type_hints` all the same.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, inside: str) -> Any:
        if inside.startswith("__"):
            raise AttributeError(inside)
        try:
            return getattr(importlib.import_module(self._name), inside)
        except ImportError:
            return Any
