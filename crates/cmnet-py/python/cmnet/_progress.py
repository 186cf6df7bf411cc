"""Progress: a bar where a person is watching, a function where a program is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from . import _cmnet, _options

Progress = Union[bool, Callable[["dict[str, Any]"], Any], None]

_PATIENCE = 1.0
"""Seconds before a bar that nobody asked for appears."""


def _line(facts: dict[str, Any]) -> str:
    parts = []
    if "task" in facts:
        return f"{facts['doing']}, task {facts['task']}/{facts['tasks']}"
    if "replicate" in facts:
        return f"replicate {facts['replicate']}/{facts['replicates']}"
    if "sweep" in facts:
        return f"sweep {facts['sweep']}/{facts['sweeps']}"
    if "fold" in facts:
        parts.append(f"fold {facts['fold'] + 1}/{facts['folds']}")
    if "kappa" in facts:
        parts.append(f"kappa {facts['kappa']}")
    if facts.get("phase") == "fit":
        parts.append(f"fitting {facts['index'] + 1}/{facts['of']}")
    elif "message" in facts:
        parts.append(str(facts["message"]))
    else:
        parts.append(f"{facts.get('edges', 0)} edges, {facts.get('steps', 0)} steps")
    return ", ".join(parts)


def _amount(facts: dict[str, Any]) -> tuple[int, int]:
    """How much there is to do, and how much of it is done."""
    if "task" in facts:
        return facts["tasks"], facts["task"]
    if "replicate" in facts:
        return facts["replicates"], facts["replicate"]
    if "sweep" in facts:
        return facts["sweeps"], facts["sweep"]
    if "fold" in facts:
        return facts["folds"], facts["fold"]
    return facts.get("of", 1), facts.get("index", 0)


class _Bar:
    """A bar over kappas (or folds), by tqdm or as a plain line on standard error."""

    def __init__(self, delay: float) -> None:
        self._started = time.monotonic() + delay
        self._bar: Any = None
        self._plain = False

    def __call__(self, facts: dict[str, Any]) -> None:
        if time.monotonic() < self._started:
            return
        total, done = _amount(facts)
        if self._bar is None and not self._plain:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._plain = True
            else:
                self._bar = tqdm(total=total, leave=False, desc="cmnet")
        if self._plain:
            print(f"\rcmnet: {done}/{total} {_line(facts)}\x1b[K", end="", file=sys.stderr, flush=True)
            return
        self._bar.total, self._bar.n = total, done
        self._bar.set_postfix_str(_line(facts))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._plain:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _watched() -> bool:
    """Whether a person looks at standard error: a terminal or a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress_bar(progress: Any) -> Iterator[Callable[[dict[str, Any]], Any] | None]:
    """What is to be called with the progress, if anything is."""
    if callable(progress):
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        raise _cmnet.refuse_option("progress", _options.shown(progress), "True, False, None or a function")
    if progress is False or (progress is None and not _watched()):
        yield None
        return
    bar = _Bar(0.0 if progress else _PATIENCE)
    try:
        yield bar
    finally:
        bar.close()
