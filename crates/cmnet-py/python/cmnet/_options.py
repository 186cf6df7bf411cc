"""Options as users write them, brought into the one form that the Rust side takes.

Names, words and defaults are the library's: `_cmnet.option_table()` lists them, and a test
compares every signature with it. `_keywords` has their types.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cmnet
from ._keywords import (
    KAPPA,
    Amount,
    Backbone,
    Bins,
    Candidates,
    Contexts,
    Edges,
    Elimination,
    FitMethod,
    Kappa,
    KappaChoice,
    Knowledge,
    ModelClass,
    OnMissing,
    OnUnknown,
    QueryMethod,
    Refine,
    ReplicateStart,
    Resample,
    Ridge,
    RowReading,
    Schema,
    SearchMode,
    Select,
    WeightKind,
    keywords_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def label(value: Any) -> str:
    """The label of a value: texts as they are, whole numbers (also as floating point) in decimal,
    true and false."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "true" if value else "false"
    if is_whole_float(value):
        return str(int(value))
    return str(value)


WHOLE = 2**53
"""Floating-point numbers from which on not every whole number is one."""


def is_whole_float(value: Any) -> bool:
    """Whether a floating-point number is a whole number."""
    if not isinstance(value, (float, np.floating)):
        return False
    number = float(value)
    return abs(number) <= WHOLE and number.is_integer()


def is_unicode(text: str) -> bool:
    """Whether a text can leave Python: lone surrogates cannot."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


_SHOWN = 200
"""Characters of a value that an error shows."""


def shown(value: Any) -> str:
    """A value in the words of an error: cut where it is long, and its type where it cannot be written."""
    try:
        words = repr(value)
    except Exception:
        return f"a value of type {type(value).__name__}"
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "..."


def text(option: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str) or not is_unicode(value):
        raise _cmnet.refuse_option(option, shown(value), "a text")
    return value


def name(option: str, value: Any) -> str:
    """The name of a column or variable, which need not be a text where it comes from."""
    return text(option, written(option, value))


def written(option: str, value: Any) -> str:
    """A value as Python writes it."""
    try:
        return str(value)
    except Exception:
        raise _cmnet.refuse_option(option, shown(value), "what can be written as a text") from None


def names(option: str, value: Any) -> list[str]:
    """A list of names; one name is a list too."""
    if isinstance(value, str):
        return [text(option, value)]
    return [name(option, each) for each in _listed(option, value, "a list of names")]


def _listed(option: str, value: Any, expected: str) -> list[Any]:
    """What something holds that can be gone through."""
    try:
        return list(value)
    except TypeError:
        raise _cmnet.refuse_option(option, shown(value), expected) from None


def _level(option: str, value: Any) -> str:
    return text(option, written(option, value) if isinstance(value, (list, dict)) else label(value))


def number(option: str, value: Any, largest: int = 2**64 - 1) -> int:
    """A whole number, 0 or more."""
    try:
        whole = value.__index__()
    except (AttributeError, TypeError):
        whole = -1
    if isinstance(value, bool) or whole < 0:
        raise _cmnet.refuse_option(option, shown(value), "a whole number, 0 or more")
    if whole > largest:
        raise _cmnet.refuse_option(option, shown(value), f"a whole number, at most {largest}")
    return int(whole)


def real(option: str, value: Any) -> float:
    """A number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise _cmnet.refuse_option(option, shown(value), "a number") from None


def amount(option: str, value: Any) -> str:
    """A time or an amount of memory as a text."""
    if isinstance(value, str):
        return text(option, value)
    given: float | None = None
    try:
        given = float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    if given is None or isinstance(value, bool) or not hasattr(value, "__float__"):
        raise _cmnet.refuse_option(option, shown(value), "a number, or a text such as 5m or 256M")
    if given.is_integer():
        return str(int(value))
    # Amounts have no exponents.
    return f"{given:.9f}" if "e-" in str(given) else str(given)


def truth(option: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise _cmnet.refuse_option(option, shown(value), "True or False")
    return value


def _forgiving(on_unknown: Any) -> bool:
    """Whether a value that is no level counts as missing."""
    if text("on_unknown", on_unknown) not in ("error", "missing"):
        raise _cmnet.refuse_option("on_unknown", shown(on_unknown), "error or missing")
    return bool(on_unknown == "missing")


def path(value: Any, option: str = "path") -> str:
    """A path as a text."""
    try:
        found = os.fsdecode(value)
    except TypeError:
        raise _cmnet.refuse_option(option, shown(value), "a path") from None
    if not is_unicode(found):
        raise _cmnet.refuse_option(option, ascii(found), "a path of Unicode text")
    return found


def _schema(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return [(name("schema", column), levels("schema", own)) for column, own in value.items()]
    return path(value, "schema")


def levels(option: str, value: Any) -> list[str]:
    """A list of levels as labels."""
    return [_level(option, level) for level in items(option, value)]


def items(option: str, value: Any) -> list[Any]:
    """What a list holds; a text is none."""
    if isinstance(value, (str, bytes)):
        raise _cmnet.refuse_option(option, shown(value), "a list")
    return _listed(option, value, "a list")


def weighing(*, weights_as: WeightKind | None = None) -> dict[str, Any]:
    """What weights mean."""
    return {"weights_as": None if weights_as is None else text("weights_as", weights_as)}


def reading(
    *,
    delimiter: str | None = None,
    no_header: bool = False,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    weights: str | None = None,
    missing: Sequence[str] | None = None,
    on_missing: OnMissing = "error",
    schema: Schema | None = None,
    bins: Bins = None,
) -> dict[str, Any]:
    """How a table is read."""
    return {
        "delimiter": None if delimiter is None else text("delimiter", delimiter),
        "no_header": truth("no_header", no_header),
        "columns": None if columns is None else names("columns", columns),
        "drop": names("drop", drop),
        "weights": None if weights is None else name("weights", weights),
        "missing": None if missing is None else names("missing", missing),
        "on_missing": text("on_missing", on_missing),
        "schema": _schema(schema),
        "bins": _bins(bins),
    }


@keywords_of(reading)
def known_reading(*, on_missing: OnMissing = "model", **options: Any) -> dict[str, Any]:
    """How a table is read of which what is known is evaluated. With columns, levels or rules of its own, its rows
    are complete."""
    strict = any(options.get(option) is not None for option in ("columns", "schema", "bins"))
    return reading(**{**options, "on_missing": "error" if strict and on_missing == "model" else on_missing})


def _bins(value: Bins) -> list[str]:
    """Rules as texts: `4`, `"age"=at:18,65`."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        return [_rule(value)]
    rules = []
    for column, rule in value.items():
        quoted = "" if column is None else '"' + name("bins", column).replace('"', '""') + '"='
        rules.append(quoted + _rule(rule))
    return rules


def _rule(value: Any) -> str:
    """One rule as a text."""
    if isinstance(value, str):
        return text("bins", value)
    if isinstance(value, Iterable):
        return "at:" + ",".join(repr(real("bins", point)) for point in items("bins", value))
    return str(number("bins", value))


def row_reading(
    on_missing: OnMissing,
    *,
    on_unknown: OnUnknown = "error",
    delimiter: str | None = None,
    no_header: bool = False,
    drop: Sequence[str] = (),
    weights: str | None = None,
    missing: Sequence[str] | None = None,
) -> dict[str, Any]:
    """How rows are read in their order: as `reading`, by a model that knows its columns."""
    own = reading(
        delimiter=delimiter,
        no_header=no_header,
        drop=drop,
        weights=weights,
        missing=missing,
        on_missing=on_missing,
    )
    return {"reading": own, "forgiving": _forgiving(on_unknown)}


@keywords_of(row_reading)
def each_row(*, on_missing: OnMissing = "error", **reading: Unpack[RowReading]) -> dict[str, Any]:
    """How rows are read that are answered one by one."""
    return row_reading(on_missing, **reading)


@keywords_of(row_reading)
def known_row(*, on_missing: OnMissing = "model", **reading: Unpack[RowReading]) -> dict[str, Any]:
    """The same, of which what is known is answered."""
    return row_reading(on_missing, **reading)


def fitting(
    *,
    method: FitMethod = "auto",
    order: str | int = "full",
    ridge: Ridge = "0",
    smoothing: float = 1.0,
    memory: Amount = "256M",
) -> dict[str, Any]:
    """How parameters are estimated."""
    return {
        "method": text("method", method),
        "order": amount("order", order),
        "ridge": _strengths(ridge),
        "smoothing": real("smoothing", smoothing),
        "memory": amount("memory", memory),
    }


def _strengths(value: Ridge) -> str:
    """The strengths of a ridge as a text."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return amount("ridge", value)
    return ",".join(amount("ridge", real("ridge", each)) for each in items("ridge", value))


def searching(
    *,
    kappa: Kappa = KAPPA,
    search: SearchMode = "auto",
    contexts: Contexts = "all",
    alpha: str | float = "0.5",
    edge_prior: str | float = "uniform",
    require: Edges = (),
    forbid: Edges = (),
    knowledge: Knowledge | None = None,
    refine: Refine = "no",
    max_cells: int | None = None,
    threads: int = 0,
    time_limit: Amount | None = None,
    max_neighbors: int = 50,
    max_configurations: int = 2**50,
    candidates: Candidates = "or",
) -> dict[str, Any]:
    """How structures are searched for."""
    return {
        "kappa": _kappas(kappa),
        "search": text("search", search),
        "contexts": text("contexts", contexts),
        "alpha": amount("alpha", alpha),
        "edge_prior": amount("edge_prior", edge_prior),
        **_known(require, forbid, knowledge),
        "refine": text("refine", refine),
        "max_cells": None if max_cells is None else number("max_cells", max_cells),
        "threads": number("threads", threads),
        "time_limit": None if time_limit is None else amount("time_limit", time_limit),
        "max_neighbors": number("max_neighbors", max_neighbors),
        "max_configurations": number("max_configurations", max_configurations),
        "candidates": text("candidates", candidates),
    }


def learning(
    *,
    model: ModelClass = "cmn",
    seed: int = 1,
    target: str | None = None,
    components: int | str | None = None,
    backbone: Backbone = "none",
    select: Select = "bic",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    checkpoint_interval: Amount = "5s",
) -> dict[str, Any]:
    """What learning has besides searching and fitting."""
    return {
        "model": text("model", model),
        "seed": number("seed", seed),
        "target": None if target is None else name("target", target),
        "components": None if components is None else name("components", components),
        "backbone": text("backbone", backbone),
        "select": text("select", select),
        **checkpointing(checkpoint=checkpoint, resume=resume, checkpoint_interval=checkpoint_interval),
    }


def completing(*, completions: int = 10, rounds: int = 10, agreement: float = 0.6) -> dict[str, Any]:
    """How structures are learned from tables with missing values."""
    return {
        "completions": number("completions", completions),
        "rounds": number("rounds", rounds),
        "agreement": real("agreement", agreement),
    }


def grouping(
    *,
    group: str | None = None,
    block: str | None = None,
    among: Sequence[str] | str = (),
    permutations: int = 999,
    level: float = 0.05,
) -> dict[str, Any]:
    """How groups of rows are compared."""
    asked: dict[str, Any] = {
        "group": None if group is None else name("group", group),
        "block": None if block is None else name("block", block),
        "among": names("among", [among] if isinstance(among, str) else among),
        "permutations": number("permutations", permutations),
        "level": real("level", level),
    }
    if asked["group"] is None:
        for option, usual in (("block", None), ("among", []), ("permutations", 999), ("level", 0.05)):
            if asked[option] != usual:
                raise _cmnet.refuse_option(option, str(asked[option]), "nothing: it goes with group")
    return asked


def checkpointing(
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    checkpoint_interval: Amount = "5s",
) -> dict[str, Any]:
    """How a long run is saved."""
    return {
        "checkpoint": None if checkpoint is None else path(checkpoint, "checkpoint"),
        "resume": truth("resume", resume),
        "checkpoint_interval": amount("checkpoint_interval", checkpoint_interval),
    }


def resampling(
    *,
    replicates: int = 200,
    seed: int = 1,
    threshold: float = 0.6,
    resample: Resample = "part",
    share: float | None = None,
    start: ReplicateStart = "empty",
    kappa_choice: KappaChoice = "anew",
    bound: int = 10,
    stop_early: bool = False,
    drop_rows: Sequence[float] | None = None,
    ensemble: bool | None = None,
) -> dict[str, Any]:
    """How a table is resampled."""
    return {
        "replicates": number("replicates", replicates),
        "seed": number("seed", seed),
        "threshold": real("threshold", threshold),
        "resample": text("resample", resample),
        "share": None if share is None else real("share", share),
        "start": text("start", start),
        "kappa_choice": text("kappa_choice", kappa_choice),
        "bound": number("bound", bound),
        "stop_early": truth("stop_early", stop_early),
        "drop_rows": [real("drop_rows", one) for one in items("drop_rows", () if drop_rows is None else drop_rows)],
        "ensemble": ensemble is not None and truth("ensemble", ensemble),
    }


def drawing(
    *,
    kappa: str | float = "n^-0.5",
    alpha: str | float = "0.5",
    edge_prior: str | float = "uniform",
    require: Edges = (),
    forbid: Edges = (),
    knowledge: Knowledge | None = None,
    exponent: float = 1.0,
    chains: int = 4,
    sweeps: int = 2000,
    warm_up: int = 500,
    rungs: int = 3,
    seed: int = 1,
    threads: int = 0,
    time_limit: Amount | None = None,
    memory: Amount = "256M",
) -> dict[str, Any]:
    """How structures are drawn from their posterior."""
    return {
        "kappa": amount("kappa", kappa),
        "alpha": amount("alpha", alpha),
        "edge_prior": amount("edge_prior", edge_prior),
        **_known(require, forbid, knowledge),
        "exponent": real("exponent", exponent),
        "chains": number("chains", chains),
        "sweeps": number("sweeps", sweeps),
        "warm_up": number("warm_up", warm_up),
        "rungs": number("rungs", rungs),
        "seed": number("seed", seed),
        "threads": number("threads", threads),
        "time_limit": None if time_limit is None else amount("time_limit", time_limit),
        "memory": amount("memory", memory),
    }


def _known(require: Edges, forbid: Edges, knowledge: Knowledge | None) -> dict[str, Any]:
    """What is known about edges."""
    return {
        "require": _edges("require", require),
        "forbid": _edges("forbid", forbid),
        "knowledge": _knowledge(knowledge),
    }


def _edges(option: str, value: Edges) -> str:
    """Edges as JSON."""
    pairs: list[Any] = [value] if isinstance(value, str) else items(option, value)
    if len(pairs) == 2 and isinstance(value, tuple) and all(isinstance(end, str) and "-" not in end for end in pairs):
        pairs = [pairs]
    edge = [text(option, one) if isinstance(one, str) else names(option, items(option, one)) for one in pairs]
    return json.dumps(edge)


def _knowledge(value: Knowledge | None) -> dict[str, Any] | None:
    """A file, or what a mapping says as JSON."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return {"file": path(value, "knowledge"), "json": "{}"}
    try:
        return {"file": None, "json": json.dumps(dict(value))}
    except (TypeError, ValueError):
        raise _cmnet.refuse_option("knowledge", shown(value), "a mapping of texts, lists and numbers") from None


def proving(
    *,
    kappa: str | float = "eps",
    alpha: str | float = "0.5",
    require: Edges = (),
    forbid: Edges = (),
    knowledge: Knowledge | None = None,
    time_limit: Amount | None = None,
) -> dict[str, Any]:
    """What is proven."""
    return {
        "kappa": amount("kappa", kappa) if isinstance(kappa, str) else repr(real("kappa", kappa)),
        "alpha": amount("alpha", alpha),
        **_known(require, forbid, knowledge),
        "time_limit": None if time_limit is None else amount("time_limit", time_limit),
    }


def _kappas(value: Kappa) -> list[str]:
    """One or several weights of the context prior."""
    single = isinstance(value, str) or not isinstance(value, Iterable)
    flat: list[str] = []
    for item in [value] if single else items("kappa", value):
        flat += text("kappa", item).split(",") if isinstance(item, str) else [repr(real("kappa", item))]
    return [part.strip() for part in flat]


def given(evidence: Mapping[str, Any] | None, soft: Mapping[str, Mapping[Any, float]] | None) -> dict[str, Any]:
    """What is known: levels, and weights of levels."""
    for option, known in (("given", evidence), ("soft", soft)):
        if known is not None and not isinstance(known, Mapping):
            raise _cmnet.refuse_option(option, shown(known), "a mapping of names to levels")
    for value in (soft or {}).values():
        if not isinstance(value, Mapping):
            raise _cmnet.refuse_option("soft", shown(value), "a mapping of levels to weights for each name")
    hard = [(name("given", key), _level("given", level)) for key, level in (evidence or {}).items()]
    weights = [
        (name("soft", key), [(_level("soft", level), real("soft", weight)) for level, weight in own.items()])
        for key, own in (soft or {}).items()
    ]
    return {"given": hard, "soft": weights}


def inference(*, memory: Amount = "1G", elimination: Elimination = "best") -> dict[str, Any]:
    """How exact inference works."""
    return {"memory": amount("memory", memory), "elimination": text("elimination", elimination)}


def question(
    targets: Sequence[str] | str,
    evidence: dict[str, Any],
    *,
    memory: Amount = "1G",
    elimination: Elimination = "best",
    method: QueryMethod = "auto",
    chains: int = 4,
    sweeps: int = 4000,
    warm_up: int = 1000,
    seed: int = 1,
) -> dict[str, Any]:
    """What is asked, given what, by which method, and how that works when it is not exact."""
    return {
        "targets": names("targets", targets),
        "given": evidence,
        "inference": inference(memory=memory, elimination=elimination),
        "method": text("method", method),
        "chains": number("chains", chains),
        "sweeps": number("sweeps", sweeps),
        "warm_up": number("warm_up", warm_up),
        "seed": number("seed", seed),
    }
