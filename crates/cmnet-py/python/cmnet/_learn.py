"""Learning and cross-validation: the functions."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from . import _cmnet, _keywords, _options, _tasks
from ._errors import Interrupted, OptionError
from ._keywords import keywords_of
from ._learned import Bootstrap, CrossValidation, Exact, Learned, Posterior
from ._mixture import Mixture
from ._model import Model
from ._progress import Progress, progress_bar
from ._source import source
from ._table import Table, _warn as warn
from ._weighted import WeightedTable, alone

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Drawing, GroupReading, Learning, Proving, Resampling, Validating


@keywords_of(
    _options.searching,
    _options.learning,
    _options.grouping,
    _options.completing,
    _options.fitting,
    _options.reading,
)
def learn(
    table: Any,
    *,
    progress: Progress = None,
    executor: Executor | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Learning],
) -> Learned:
    """Learns one structure per kappa from a table, fits them and chooses one by BIC.

    Parameters
    ----------
    table
        A data frame, an Arrow table, a mapping of columns, a NumPy array of whole numbers, the
        path of a CSV, Parquet or Arrow file, or a packed `cmnet.Table`; see there for the options
        from ``names`` on, which say how it is read. A `cmnet.WeightedTable` has real weights.
    kappa
        Weights of the context prior: ``"eps"`` (no contexts), powers such as ``"n^-0.5"``,
        numbers in (0, 1], or a list of them.
    model, seed
        ``"cmn"`` for contextual Markov networks; ``"sgm"`` for the decomposable stratified
        graphical models of the paper's comparison (binary variables), searched with a seed. The
        seed determines which rows are held out, too.
    target
        A variable to be predicted from the others: rows that are held out choose between the
        learned model and one with terms of this variable with each other.
    components
        A number, or ``"auto"``: learns a mixture, a latent class with a network for each of its values
        (`Learned.mixture`). ``"auto"`` takes the number of classes with the highest BIC, or with
        ``select="heldout"`` the one that predicts held-out rows best.
    backbone
        ``"decomposable"`` first finds the decomposable graph with the highest joint marginal likelihood
        and requires its edges: for tables with many levels, or with variables that nearly determine
        others; ``"none"`` does nothing.
    search
        ``"paper"`` is the paper's algorithm, ``"blanket"`` a heuristic for many variables,
        ``"exact"`` proves the highest score for few; ``"auto"`` picks by estimated cost.
    contexts
        ``"all"`` keeps the context elements that the search found, ``"confirmed"`` those whose odds ratios are
        one; ``"auto"`` learns both and keeps the structure whose BIC, less what the prior asks for its edges,
        is higher (`Learned.contexts_chosen`).
    alpha
        Dirichlet hyperparameter per level.
    edge_prior
        Prior of graphs: ``"uniform"``, or gamma, which weighs each end of an edge by d^-gamma,
        d the number of variables.
    require, forbid, knowledge
        Edges that every graph has and edges that none has: ``"a-b"``, ``("a", "b")``, ``"a-*"``, or
        a list of them. ``knowledge`` is a mapping, or the path of a TOML file, with the lists
        ``require``, ``forbid``, ``no_contexts``, ``tiers`` and ``prior`` (see docs/tables.md).
    refine
        ``"yes"`` toggles edges of each structure while that raises a log-linear score, the
        conditional BIC; ``"auto"`` keeps the outcome only where its BIC, less what the prior asks for
        its edges, is higher; ``"no"`` does nothing. Where no edge prior is given, gamma is 1. Mode
        ``"auto"`` of the search is ``"blanket"`` then.
    max_cells
        Mode ``"blanket"`` and refinement add no edge that would give the junction tree more table
        cells than this; mode ``"auto"`` is ``"blanket"`` then.
    select
        ``"bic"`` fits each structure and takes the highest BIC; ``"heldout"`` takes the kappa that
        predicts a fifth of the rows best, ``"cv"`` each fifth in turn; ``"none"`` fits nothing.
    threads
        Threads; 0 takes one per core. The answer is the same for any number.
    time_limit
        Ends searching and fitting after this time (seconds, or ``"5m"``) and keeps the best of
        what is fitted by then. Where nothing is, the structure found is fitted.
    max_neighbors, max_configurations, candidates
        Mode blanket: how large a neighbourhood may grow, and whether one end (``"or"``) or both
        (``"and"``) must ask for an edge.
    checkpoint, resume, checkpoint_interval
        Saves the search to a file now and then; ``resume=True`` goes on from there to the same
        answer as without a break.
    method, order, ridge, smoothing, memory
        How parameters are estimated; see `Model.fit`.
    on_missing, completions, rounds, agreement
        ``on_missing="model"`` draws missing values from a model, ``completions`` times, learns from
        each completed table, and again from the model of what was found, until its graph stays
        as it is, in at most ``rounds`` rounds. Edges and context elements are kept that at least
        this share of the completed tables has; parameters maximise the likelihood of the known
        values. Values are assumed to be missing at random. `Learned.imputation` says how far the
        tables agree.
    group, among, block, permutations, level
        ``group`` is a column whose levels are groups. It is adjacent to all variables, or to those of
        ``among``, so that a dependence may vanish in a group. Pairs of variables are compared between
        groups by that many permutations of the labels, within the levels of the column ``block`` where
        there is one, at this level adjusted for all pairs. `Learned.groups` has what was found, and
        `Model.draw_groups` draws the groups beside each other.
    progress
        True shows a bar (with tqdm, where that is installed), False none; None shows one
        after a second when a person is watching. A function is called about every 50
        milliseconds with a dict that says where the search stands.
    executor
        Where the tasks of the run are done: any ``concurrent.futures.Executor``, such as a process
        pool or ``client.get_executor()`` of Dask. The answer is the same. ``threads`` are then those
        of each task, one by default. `cmnet.dask` does this with a client of Dask.

    Ctrl-C ends the search within half a second and raises `cmnet.Interrupted`, a
    KeyboardInterrupt whose ``partial`` is what was found so far.
    """
    learning = {
        **_options.searching(**_keywords.pick(options, _options.searching)),
        **_options.learning(**_keywords.pick(options, _options.learning)),
        "fitting": _options.fitting(**_keywords.pick(options, _options.fitting)),
    }
    grouping = _options.grouping(**_keywords.pick(options, _options.grouping))
    if isinstance(table, WeightedTable):
        alone(names, _keywords.pick(options, _options.reading))
        _whole_only(group=grouping["group"])
        return _learn_weighted(table, learning, executor, progress)
    reading = _keywords.pick(options, _options.reading)
    completing = _options.completing(**_keywords.pick(options, _options.completing))
    _check_unused(completing, reading, learning, executor)
    packed = _packed(table, names, reading, learning, grouping["block"])
    _check_checkpoint(learning["checkpoint"], table)
    warnings = packed.warnings
    if isinstance(packed, _cmnet.IncompleteTable):
        if executor is not None:
            raise OptionError("executor: rows with missing values are learned from in this process alone")
        if learning["components"] is not None:
            raise OptionError("components: a mixture cannot be learned from rows with missing values")
        if learning["backbone"] != "none":
            raise OptionError("backbone: it cannot be found in rows with missing values")
        if grouping["group"] is not None:
            raise OptionError("group: groups cannot be compared in rows with missing values; use on_missing=\"drop\"")
        return _learn_incomplete(packed, completing, learning, progress)
    begun = time.monotonic()
    groups: _cmnet.Groups | None = None
    if grouping["group"] is not None:
        groups, packed = _grouped(packed, grouping, learning)
    if learning["backbone"] != "none":
        _find_backbone(packed, learning)
    if learning["components"] is not None:
        return _learn_mixture(packed, learning, progress)
    with progress_bar(progress) as tell:
        if executor is None:
            answer, raised, unfinished = _cmnet.learn(packed._table, learning, tell)
        else:
            answer, raised, unfinished = _tasks.learn(packed, learning, executor, tell)
    if raised is not None:

        def partial() -> Learned | None:
            if answer is None and unfinished is None:
                return None
            facts, models = answer if unfinished is None else unfinished.learned()
            return Learned(facts, models, warnings)

        _raise(raised, partial)
    facts, models = answer
    if groups is None or facts["stop"] != "converged":
        return Learned(facts, models, warnings)
    if learning["time_limit"] is not None:
        learning["time_limit"] = _left(learning["time_limit"], begun)
    try:
        facts["groups"] = groups.compare(_kept(facts, models), learning)
    except KeyboardInterrupt as interrupt:
        _raise(interrupt, lambda: Learned(facts, models, warnings))
    return Learned(facts, models, warnings)


def _grouped(packed: Table, grouping: dict[str, Any], learning: dict[str, Any]) -> tuple[_cmnet.Groups, Table]:
    """Requires the group's edges, and takes the column of blocks out of the table to learn from."""
    for option, usual in (("components", None), ("model", "cmn")):
        if learning[option] != usual:
            raise OptionError(f"group: groups are compared for single networks of model \"cmn\"; leave out {option}")
    groups = _cmnet.Groups.of(packed._table, grouping, learning)
    required = [json.loads(edge) for edge in groups.require]
    learning["require"] = json.dumps([*json.loads(learning["require"]), *required])
    if grouping["block"] is None:
        return groups, packed
    return groups, Table._of(groups.table(packed._table))


def _kept(facts: dict[str, Any], models: list[_cmnet.Model]) -> _cmnet.Model | None:
    """The model that a comparison of groups speaks of: the chosen one, or that of the smallest kappa."""
    if facts["selected"] is not None:
        return models[int(facts["selected"])]
    rows: list[dict[str, Any]] = facts["scores"]
    places = sorted(range(len(models)), key=lambda place: _log_kappa(rows[place]))
    return models[places[0]] if places else None


def _log_kappa(row: dict[str, Any]) -> float:
    """Its logarithm; that of eps is below all others."""
    found = row.get("log_kappa")
    return float("-inf") if found is None else float(found)


def _left(time_limit: str, begun: float) -> str:
    """What is left of a time limit."""
    return f"{max(_cmnet.seconds(time_limit) - (time.monotonic() - begun), 0.0):.6f}"


def _check_unused(
    completing: dict[str, Any], reading: dict[str, Any], learning: dict[str, Any], executor: Executor | None
) -> None:
    """Refuses options that would have no effect."""
    if executor is not None and learning["components"] is not None:
        raise OptionError("executor: a mixture is learned in this process alone; leave it out")
    if _options.text("on_missing", reading.get("on_missing", "error")) != "model":
        usual = _options.completing()
        for option, value in completing.items():
            if value != usual[option]:
                raise _cmnet.refuse_option(option, str(value), "nothing: it goes with on_missing=\"model\"")


def _find_backbone(packed: Table, learning: dict[str, Any]) -> None:
    """Finds edges and requires them; the search has what is left of the time."""
    begun = time.monotonic()
    found = _cmnet.backbone(packed._table, learning)
    learning["require"] = json.dumps([*json.loads(learning["require"]), *found])
    if learning["time_limit"] is not None:
        learning["time_limit"] = _left(learning["time_limit"], begun)


def _learn_weighted(
    table: WeightedTable, learning: dict[str, Any], executor: Executor | None, progress: Progress
) -> Learned:
    """Learns from rows with real weights."""
    backbone = None if learning["backbone"] == "none" else learning["backbone"]
    _whole_only(components=learning["components"], backbone=backbone, executor=executor)

    def learned(answer: Any) -> Learned:
        facts, models = answer
        return Learned(facts, models, [])

    with progress_bar(progress) as tell:
        answer, raised = _cmnet.learn_weighted(table._weighted, learning, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else learned(answer))
    return learned(answer)


def _whole_only(**options: Any) -> None:
    """Refuses what takes whole weights."""
    for option, value in options.items():
        if value is not None:
            raise _cmnet.refuse_option(option, str(value), "nothing: not with weights that are no whole numbers")


def _learn_incomplete(
    packed: _cmnet.IncompleteTable, completing: dict[str, Any], learning: dict[str, Any], progress: Progress
) -> Learned:
    """Learns from rows with missing values."""

    def learned(answer: Any) -> Learned:
        facts, models = answer
        return Learned(facts, models, packed.warnings)

    with progress_bar(progress) as tell:
        answer, raised = _cmnet.learn_incomplete(packed, completing, learning, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else learned(answer))
    return learned(answer)


def _learn_mixture(packed: Table, learning: dict[str, Any], progress: Progress) -> Learned:
    """Learns a latent class with a network for each of its values."""

    def learned(answer: Any) -> Learned:
        facts, mixture = answer
        return Learned({**facts, "_mixture": Mixture._of(mixture)}, mixture.models, packed.warnings)

    with progress_bar(progress) as tell:
        answer, raised = _cmnet.learn_mixture(packed._table, learning, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else learned(answer))
    return learned(answer)


def _packed(
    table: Any,
    names: Sequence[str] | None,
    reading: dict[str, Any],
    learning: dict[str, Any],
    spared: str | None = None,
) -> Table | _cmnet.IncompleteTable:
    """The packed table; with its missing values where there are some and a model is to take them. The column
    ``spared`` is no variable, and not cut."""
    if _options.text("on_missing", reading.get("on_missing", "error")) != "model":
        return Table._read(table, names, reading, learning, spared)
    how = _options.reading(**reading)
    data = source(table, names, how, keep=["on_missing"])
    if isinstance(data, _cmnet.Table):
        return Table._of(data)
    incomplete = _cmnet.IncompleteTable.read(data, how, learning, spared)
    warn(incomplete.warnings)
    complete = incomplete.complete()
    return incomplete if complete is None else Table._of(complete)


@keywords_of(_options.searching, _options.fitting, _options.reading)
def cross_validate(
    table: Any,
    *,
    folds: int = 10,
    seed: int = 1,
    fold_column: str | None = None,
    progress: Progress = None,
    executor: Executor | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Validating],
) -> CrossValidation:
    """Cross-validates: structure, kappa and parameters learned anew in each fold.

    One row for the choice by BIC in each fold (CMN), one for each kappa (MN is eps): BIC per
    row, the mean log-probability of held-out rows, edges and parameters. A seed gives the same
    folds for any order of rows; ``fold_column`` names a column that says the fold of each row
    instead, and is itself no variable of the models. The other options are those of
    `cmnet.learn`; with an ``executor`` every fold is a task. Ctrl-C raises `cmnet.Interrupted`, whose
    ``partial`` has the means over the folds that were finished.
    """
    reading = _keywords.pick(options, _options.reading)
    if fold_column is not None:
        fold_column = _options.name("fold_column", fold_column)
        _alone_with_fold_column(folds=(folds, 10), seed=(seed, 1))
        if not isinstance(table, WeightedTable) and reading.get("columns") is not None:
            chosen = _options.names("columns", reading["columns"])
            reading["columns"] = chosen if fold_column in chosen else [*chosen, fold_column]
    learning = {
        **_options.searching(**_keywords.pick(options, _options.searching)),
        **_options.learning(),
        "fitting": _options.fitting(**_keywords.pick(options, _options.fitting)),
    }
    dealt = {
        "folds": _options.number("folds", folds),
        "seed": _options.number("seed", seed),
        "fold_column": fold_column,
    }
    if isinstance(table, WeightedTable):
        alone(names, reading)
        _whole_only(executor=executor)
        with progress_bar(progress) as tell:
            answer, raised = _cmnet.validate_weighted(table._weighted, dealt, learning, tell)
        if raised is not None:
            _raise(raised, lambda: CrossValidation(answer))
        return CrossValidation(answer)
    packed = Table._read(table, names, reading, learning, fold_column)
    with progress_bar(progress) as tell:
        if executor is None:
            answer, raised, _ = _cmnet.cross_validate(packed._table, dealt, learning, tell)
        else:
            answer, raised = _tasks.cross_validate(packed, dealt, learning, executor, tell)
    if raised is not None:
        _raise(raised, lambda: CrossValidation(answer))
    return CrossValidation(answer)


@keywords_of(
    _options.resampling, _options.checkpointing, _options.searching, _options.fitting, _options.reading
)
def bootstrap(
    table: Any,
    *,
    progress: Progress = None,
    executor: Executor | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Resampling],
) -> Bootstrap:
    """Learns the structure anew from resamples of the table: how often does each edge and each
    context come back?

    Parameters
    ----------
    table
        As for `cmnet.learn`. Of a `cmnet.WeightedTable` rows are drawn with their weights, which must be those of a
        design.
    replicates
        Resamples. Each keeps all levels of the table.
    seed
        What determines the draws. The number of threads changes nothing.
    threshold
        Support from which on an edge or a context is in the consensus.
    resample, share
        ``"part"`` draws a share of the rows (0.632), each at most once; ``"rows"`` draws as many as
        the table has, with replacement.
    start
        Where the search of a replicate starts: at the ``"empty"`` graph, or at the one of the whole
        ``"table"``.
    kappa_choice
        Of several kappas, ``"anew"`` lets each replicate choose one by BIC; ``"table"`` keeps the one that is chosen
        for the whole table, so that a replicate is one search and nothing is fitted.
    bound
        The most work of a replicate, as a multiple of what learning from the whole table takes. A
        search that needs more ends there, with what it has found.
    stop_early
        Ends before all replicates when more would not change the answer.
    drop_rows
        Shares of the rows, such as ``[0.1, 0.3, 0.5]``: how much of the structure is found again
        when so many are dropped (`Bootstrap.stability`).
    ensemble
        Also fits each replicate to its own resample: `Bootstrap.ensemble` answers ``query`` and
        ``predict_proba`` with the spread over the replicates. A time limit then leaves half of the
        time for that.
    checkpoint, resume, checkpoint_interval
        As for `cmnet.learn`: goes on to the same answer as without a break.
    executor
        As for `cmnet.learn`: some replicates are a task. There are no checkpoints then.

    The other options are those of `cmnet.learn`. One ``kappa`` is kept for all resamples. With
    ``search="auto"`` resamples are searched for in mode ``"blanket"``. Ctrl-C
    raises `cmnet.Interrupted`, whose ``partial`` is over the replicates before the first that was
    not finished.
    """
    learning = {
        **_options.searching(**_keywords.pick(options, _options.searching)),
        **_options.learning(**_keywords.pick(options, _options.checkpointing)),
        "fitting": _options.fitting(**_keywords.pick(options, _options.fitting)),
    }
    reading = _keywords.pick(options, _options.reading)
    resampling = _options.resampling(**_keywords.pick(options, _options.resampling))
    if isinstance(table, WeightedTable):
        alone(names, reading)
        _whole_only(executor=executor)
        with progress_bar(progress) as tell:
            answer, raised = _cmnet.bootstrap_weighted(table._weighted, resampling, learning, tell)
    else:
        packed = Table._read(table, names, reading, learning)
        _check_checkpoint(learning["checkpoint"], table)
        with progress_bar(progress) as tell:
            if executor is None:
                answer, raised = _cmnet.bootstrap(packed._table, resampling, learning, tell)
            else:
                answer, raised = _tasks.bootstrap(packed, resampling, learning, executor, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else Bootstrap(*answer))
    return Bootstrap(*answer)


@keywords_of(_options.drawing, _options.reading)
def posterior(
    table: Any,
    *,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Drawing],
) -> Posterior:
    """Draws structures from their posterior: how probable is each edge and each context?

    Parameters
    ----------
    table
        As for `cmnet.learn`.
    kappa, alpha, edge_prior
        Priors of contexts, of probabilities and of graphs.
    require, forbid, knowledge
        As for `cmnet.learn`: structures that do not keep to them have probability 0.
    exponent
        Power of the marginal pseudo-likelihood, above 0, at most 1. It sees each dependence from
        both ends, which makes probabilities too near to 0 and 1; 0.5 undoes that about.
    chains, sweeps, warm_up, rungs
        Chains from different graphs, their sweeps that count and those before, and the
        temperatures of each chain.
    seed
        What determines the random numbers. The number of threads changes nothing.

    Probabilities are None where the chains have not mixed. Ctrl-C raises `cmnet.Interrupted`, whose
    ``partial`` is over the sweeps that all chains have finished.
    """
    packed = Table(table, names=names, **_keywords.pick(options, _options.reading))
    drawing = _options.drawing(**_keywords.pick(options, _options.drawing))
    with progress_bar(progress) as tell:
        answer, raised = _cmnet.posterior(packed._table, drawing, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else Posterior(answer))
    return Posterior(answer)


@keywords_of(_options.proving, _options.fitting, _options.reading)
def exact(
    table: Any,
    *,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Proving],
) -> Exact:
    """Finds the structure with the highest score and proves that there is none with a higher one.

    Without contexts (``kappa="eps"``) up to 16 variables; with contexts as long as no Markov
    blanket can have more than 16 configurations, as with five binary variables. The answer says
    how far the greedy search of the paper was. A time limit, or Ctrl-C (`cmnet.Interrupted` with
    ``partial``), ends the search with the best structure so far and a bound on all others.

    Parameters
    ----------
    table
        As for `cmnet.learn`.
    kappa
        Weight of the context prior: ``"eps"`` (no contexts), a power such as ``"n^-0.5"``, or a
        number in (0, 1].
    require, forbid, knowledge
        As for `cmnet.learn`: the best structure among those that keep to them is proven.
    alpha, time_limit, method, smoothing, memory
        As for `cmnet.learn`.
    """
    packed = Table(table, names=names, **_keywords.pick(options, _options.reading))
    proving = {
        **_options.proving(**_keywords.pick(options, _options.proving)),
        "fitting": _options.fitting(**_keywords.pick(options, _options.fitting)),
    }
    with progress_bar(progress) as tell:
        answer, raised = _cmnet.exact(packed._table, proving, tell)
    if raised is not None:
        _raise(raised, lambda: None if answer is None else Exact(*answer))
    return Exact(*answer)


@keywords_of(_options.grouping, _options.reading)
def compare_groups(
    table: Any,
    group: str,
    *,
    seed: int = 1,
    names: Sequence[str] | None = None,
    **options: Unpack[GroupReading],
) -> dict[str, Any]:
    """Compares groups of rows pair by pair: which dependences differ between them?

    It learns as `cmnet.learn` does with ``group=`` and the defaults, and returns its `Learned.groups`.

    Parameters
    ----------
    table
        As for `cmnet.learn`.
    group
        The column whose levels are the groups.
    block
        A column of pairs, persons or other blocks within which labels of groups are exchanged.
    among
        The variables that the group is adjacent to in the model; all by default.
    permutations, seed
        How often labels are exchanged, and what determines that.
    level
        The level of the tests, adjusted for all pairs.

    Returns
    -------
    dict
        ``pairs`` has, for each pair of variables, its strength in each group, the p-value of the
        difference alone (``p_value``), adjusted for all pairs (``adjusted``), and whether it
        ``differs``. ``edge`` and ``vanishes`` speak of the model.
    """
    found = learn(table, group=_options.name("group", group), seed=seed, names=names, progress=False, **options).groups
    return {} if found is None else found


@keywords_of(_options.searching, _options.fitting, _options.reading)
def report(
    subject: Any,
    path: str | os.PathLike[str],
    *,
    folds: int = 10,
    seed: int = 1,
    progress: Progress = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Validating],
) -> Model:
    """Learns from a table and writes a page to hand on: data, learning, network, contexts,
    predictability, fit and cross-validation (``folds=0`` leaves the last out).

    A `cmnet.Model` instead of a table is reported as it is; `Model.report` takes its table too.
    The options are those of `cmnet.cross_validate`. The model of the page is returned.
    """
    if isinstance(subject, Model):
        subject.report(path, folds=folds, seed=seed, progress=progress, names=names, **options)
        return subject
    shown = repr(subject) if isinstance(subject, str) else "table"
    page, paging, learning = Model._paging(f"cmnet.report({shown}, ", path, folds, seed, options)
    packed = Table._read(subject, names, _keywords.pick(options, _options.reading), learning)
    with progress_bar(progress) as tell:
        html, model = _cmnet.report_table(packed._table, paging, learning, tell)
    _cmnet.Model.write_page(page, html)
    return Model._of(model)


def _alone_with_fold_column(**options: tuple[int, int]) -> None:
    """Refuses options of a shuffle beside a column of folds."""
    for option, (given, default) in options.items():
        if given != default:
            raise _cmnet.refuse_option(option, repr(given), "no such option beside fold_column")


def _check_checkpoint(path: str | None, table: Any) -> None:
    """Refuses, before any work, a checkpoint that could not be written or would replace the
    table."""
    if path is None:
        return
    if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or "."):
        raise _cmnet.refuse_option("checkpoint", path, "a file in a folder that exists")
    files = table if isinstance(table, (list, tuple)) else [table]
    named = [file for file in files if isinstance(file, (str, os.PathLike)) and os.path.exists(file)]
    if os.path.exists(path) and any(os.path.samefile(path, file) for file in named):
        raise _cmnet.refuse_option("checkpoint", path, "another file than the table")


def _raise(raised: BaseException, partial: Callable[[], Any]) -> None:
    """Raises what interrupted the work; Ctrl-C with what was found."""
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted("interrupted; what was found so far is in the attribute partial", partial) from None
    raise raised
