"""The keywords that users write: their types, and how one function passes on those of another.

`_options` brings their values into the form that the Rust side takes.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Union, cast, get_type_hints

Kappa = Union[str, float, Sequence[Union[str, float]]]
"""``"eps"``, a power such as ``"n^-0.5"``, a number in (0, 1], or a list of them."""
Amount = Union[str, int, float]
"""A time such as ``"5m"`` or 300 (seconds), or an amount of memory such as ``"256M"`` or bytes."""
Ridge = Union[str, float, Sequence[float]]
"""A strength, or one for each order of interaction from 2 on."""
Schema = Union[str, "os.PathLike[str]", Mapping[str, Sequence[Any]]]
"""Levels of some columns in order: a mapping, or the path of a TOML file."""
Edges = Union[str, Sequence[Union[str, "tuple[str, str]"]]]
"""Edges: ``"a-b"``, ``("a", "b")``, with ``*`` for any characters in a name, or a list of them."""
Knowledge = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""What is known about edges: a mapping, or the path of a TOML file."""
Rule = Union[str, int, Sequence[float]]
"""How a column of numbers is cut: 4 or ``"frequency:4"``, ``"width:4"``, ``"graph:4"``, or its cut points."""
Bins = Union[Rule, Mapping[str, Rule], None]
"""A rule for all columns of many numbers, or a mapping of names to rules; `None` in it is for all others."""
OnMissing = Literal["error", "drop", "model"]
OnUnknown = Literal["error", "missing"]
Backbone = Literal["none", "decomposable"]
WeightKind = Literal["design", "counts"]
ModelClass = Literal["cmn", "sgm"]
SearchMode = Literal["auto", "paper", "blanket", "exact"]
Contexts = Literal["all", "confirmed", "auto"]
Resample = Literal["part", "rows"]
ReplicateStart = Literal["empty", "table"]
KappaChoice = Literal["anew", "table"]
Select = Literal["bic", "heldout", "cv", "none"]
Refine = Literal["no", "yes", "auto"]
Candidates = Literal["or", "and"]
FitMethod = Literal["auto", "exact", "pseudo"]
QueryMethod = Literal["auto", "exact", "gibbs", "bp"]
Elimination = Literal["best", "min-fill", "min-weight"]

KAPPA: tuple[str, ...] = ("eps", "n^-1", "n^-0.5", "n^-0.25")

Function = TypeVar("Function", bound=Callable[..., Any])


class Reading(TypedDict, total=False):
    """The options of `reading`."""

    delimiter: str | None
    no_header: bool
    columns: Sequence[str] | None
    drop: Sequence[str]
    weights: str | None
    missing: Sequence[str] | None
    on_missing: OnMissing
    schema: Schema | None
    bins: Bins


class Weighing(Reading, total=False):
    """The options of `weighing` and `reading`."""

    weights_as: WeightKind | None


class RowReading(TypedDict, total=False):
    """The options of `row_reading`."""

    on_unknown: OnUnknown
    delimiter: str | None
    no_header: bool
    drop: Sequence[str]
    weights: str | None
    missing: Sequence[str] | None


class EachRow(RowReading, total=False):
    """The options of `each_row`."""

    on_missing: OnMissing


class Searching(TypedDict, total=False):
    """The options of `searching`."""

    kappa: Kappa
    search: SearchMode
    contexts: Contexts
    alpha: str | float
    edge_prior: str | float
    require: Edges
    forbid: Edges
    knowledge: Knowledge | None
    refine: Refine
    max_cells: int | None
    threads: int
    time_limit: Amount | None
    max_neighbors: int
    max_configurations: int
    candidates: Candidates


class Fitting(TypedDict, total=False):
    """The options of `fitting`."""

    method: FitMethod
    order: str | int
    ridge: Ridge
    smoothing: float
    memory: Amount


class FitReading(Fitting, Reading, total=False):
    """The options of `fitting` and `reading`."""


class Estimating(Searching, Fitting, total=False):
    """The options of `searching` and `fitting`."""


class Validating(Estimating, Reading, total=False):
    """The options of `searching`, `fitting` and `reading`."""


class Checkpointing(TypedDict, total=False):
    """The options of `checkpointing`."""

    checkpoint: str | os.PathLike[str] | None
    resume: bool
    checkpoint_interval: Amount


class Resampling(Validating, Checkpointing, total=False):
    """The options of `resampling` and `checkpointing` besides."""

    replicates: int
    seed: int
    threshold: float
    resample: Resample
    share: float | None
    start: ReplicateStart
    kappa_choice: KappaChoice
    bound: int
    stop_early: bool
    drop_rows: Sequence[float] | None
    ensemble: bool | None


class Drawing(Reading, total=False):
    """The options of `drawing` and `reading`."""

    kappa: str | float
    alpha: str | float
    edge_prior: str | float
    require: Edges
    forbid: Edges
    knowledge: Knowledge | None
    exponent: float
    chains: int
    sweeps: int
    warm_up: int
    rungs: int
    seed: int
    threads: int
    time_limit: Amount | None
    memory: Amount


class Proving(Fitting, Reading, total=False):
    """The options of `proving` besides."""

    kappa: str | float
    alpha: str | float
    require: Edges
    forbid: Edges
    knowledge: Knowledge | None
    time_limit: Amount | None


class Grouping(TypedDict, total=False):
    """The options of `grouping` but for the group."""

    block: str | None
    among: Sequence[str] | str
    permutations: int
    level: float


class GroupReading(Grouping, Reading, total=False):
    """The options of `grouping` and `reading`."""


class Learning(Validating, Checkpointing, Grouping, total=False):
    """The options of `learning`, `completing`, `grouping` and `checkpointing` besides."""

    group: str | None

    completions: int
    rounds: int
    agreement: float
    model: ModelClass
    seed: int
    target: str | None
    components: int | str | None
    backbone: Backbone
    select: Select


class Inference(TypedDict, total=False):
    """The options of `inference`."""

    memory: Amount
    elimination: Elimination


class RowAsking(RowReading, Inference, total=False):
    """The options of `row_reading` and `inference`."""


class Explaining(Inference, Reading, total=False):
    """The options of `inference` and `reading`."""


class Sampling(Inference, total=False):
    """The options of `question` but for the seed."""

    method: QueryMethod
    chains: int
    sweeps: int
    warm_up: int


class Asking(Sampling, total=False):
    """The options of `question`."""

    seed: int


def keywords_of(*sources: Callable[..., Any]) -> Callable[[Function], Function]:
    """Lets a function pass its ``**options`` on to ``sources``, whose keyword options its
    signature then shows with their defaults: written once, told by ``help`` everywhere."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [option for option in signature.parameters.values() if option.kind is not option.VAR_KEYWORD]
        names = {option.name for option in own}
        passed = [option for source in sources for option in inspect.signature(source).parameters.values()]
        added = [option for option in passed if option.kind is option.KEYWORD_ONLY and option.name not in names]
        names.update(option.name for option in added)

        @functools.wraps(function)
        def checked(*positional: Any, **options: Any) -> Any:
            for name in options:
                if name not in names:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*positional, **options)

        checked.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        types = {name: kind for source in sources for name, kind in get_type_hints(source).items()}
        told = {name: kind for name, kind in function.__annotations__.items() if name in names or name == "return"}
        checked.__annotations__ = {**{option.name: types[option.name] for option in added}, **told}
        return cast("Function", checked)

    return decorate


def defaults(source: Callable[..., Any]) -> dict[str, Any]:
    """The keyword options of ``source`` with their defaults."""
    own = inspect.signature(source).parameters.values()
    return {option.name: option.default for option in own if option.kind is option.KEYWORD_ONLY}


def pick(options: Mapping[str, Any], source: Callable[..., Any]) -> dict[str, Any]:
    """Those of the options that are keywords of ``source``."""
    return {name: options[name] for name in defaults(source) if name in options}
