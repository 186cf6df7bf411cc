"""Questions to a fitted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _cmnet, _keywords, _options
from ._answers import Completion, Explanation, Independence, Joint, Marginals
from ._keywords import keywords_of
from ._source import source
from ._table import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Asking, Explaining, RowAsking, Sampling

Given = Union[Mapping[str, Any], None]
Soft = Union[Mapping[str, Mapping[Any, float]], None]


class Questions:
    """The part of a model that answers questions."""

    _model: _cmnet.Model

    @keywords_of(_options.question)
    def query(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Marginals:
        """The distribution of each target given evidence; all others by default.

        ``given`` has levels by name, ``soft`` weights of levels by name. ``method`` is
        ``"exact"``, ``"gibbs"``, ``"bp"`` or ``"auto"``: exact when the junction tree fits
        ``memory``, else Gibbs sampling with ``chains``, ``sweeps``, ``warm_up`` and ``seed``.
        """
        return Marginals(self._ask(_cmnet.query, given, soft, targets, asking))

    @keywords_of(_options.question)
    def joint(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Joint:
        """The joint distribution of some variables given evidence.

        ``method`` and what follows it are those of ``query``; ``joint.method`` says which was used.
        """
        return Joint(self._ask(_cmnet.joint, given, soft, targets, asking))

    @keywords_of(_options.question)
    def map(
        self, given: Given = None, targets: Sequence[str] | str = (), *, soft: Soft = None, **asking: Unpack[Asking]
    ) -> Completion:
        """The most probable levels together: of all variables that are not given, or of some
        with the others summed out.

        Exact when elimination fits ``memory``; else the best that was found, and ``proven`` is
        false. ``method`` and what follows it are those of ``query``.
        """
        return Completion(self._ask(_cmnet.most_probable, given, soft, targets, asking))

    def _ask(
        self, what: Callable[..., dict[str, Any]], given: Given, soft: Soft, targets: Sequence[str] | str, asking: Asking
    ) -> dict[str, Any]:
        return what(self._model, _options.question(targets, _options.given(given, soft), **asking))

    @keywords_of(_options.question)
    def sample(
        self, rows: int, seed: int = 1, *, given: Given = None, soft: Soft = None, **sampling: Unpack[Sampling]
    ) -> Rows:
        """Rows drawn from the model; a seed gives the same rows on every machine."""
        question = _options.question((), _options.given(given, soft), seed=seed, **sampling)
        return Rows._of(_cmnet.sample(self._model, _options.number("rows", rows, 2**31), question))

    @keywords_of(_options.row_reading, _options.inference)
    def impute(
        self,
        table: Any,
        *,
        draw: bool = False,
        seed: int = 1,
        names: Sequence[str] | None = None,
        **options: Unpack[RowAsking],
    ) -> Rows:
        """The rows of a table with their missing values filled, in their order: by the values that are
        most probable together, or with ``draw`` by a draw given what is known of the row.

        Several draws are several seeds. Values are assumed to be missing at random. ``missing`` of the answer
        says what was missing.
        """
        rows = _options.row_reading("drop", **_keywords.pick(options, _options.row_reading))
        inference = _options.inference(**_keywords.pick(options, _options.inference))
        drawn = _options.number("seed", seed) if _options.truth("draw", draw) else None
        read = source(table, names, rows["reading"], keep=["on_missing"])
        filled, missing = _cmnet.impute(self._model, read, rows, drawn, inference)
        made = Rows._of(filled)
        made.missing = missing
        return made

    @keywords_of(_options.inference, _options.reading)
    def explain(
        self,
        given: Given = None,
        table: Any = None,
        *,
        soft: Soft = None,
        restrictions: bool = False,
        classes: str | None = None,
        terms: bool = False,
        names: Sequence[str] | None = None,
        **options: Unpack[Explaining],
    ) -> Explanation:
        """Blankets and contexts in words, which edges evidence cuts, how strong the others are,
        and which groups of variables are independent.

        ``restrictions`` adds the restrictions of the contexts on the phi-terms, ``terms`` the
        terms with their values, ``classes`` the classes of one variable's Markov blanket: with
        counts where there is a ``table``.
        """
        evidence = _options.given(given, soft)
        show = {
            "restrictions": _options.truth("restrictions", restrictions),
            "classes": None if classes is None else _options.name("classes", classes),
            "terms": _options.truth("terms", terms),
        }
        how = _options.reading(**_keywords.pick(options, _options.reading))
        inference = _options.inference(**_keywords.pick(options, _options.inference))
        if table is not None and classes is None:
            raise _cmnet.refuse_option("table", "a table", "no table without classes: only their counts need it")
        data = None if table is None else source(table, names, how)
        return Explanation(_cmnet.explain(self._model, evidence, inference, show, data, how))

    def independent(
        self,
        variables: Sequence[str] | str,
        of: Sequence[str] | str,
        given: Sequence[str] | str = (),
        context: Given = None,
    ) -> Independence:
        """Whether variables are independent of others, given variables with any values and a
        context of variables with known levels; true in a condition when they are.

        A yes holds for every distribution of the structure, fitted or not. A no holds for
        almost every one: numbers can make more independent than the structure says. Where
        ``path["closed"]`` is False, the structure is too large to look for implied contexts.
        """
        return Independence(
            _cmnet.independent(
                self._model,
                _options.names("variables", variables),
                _options.names("of", of),
                _options.names("given", given),
                _options.given(context, None),
            )
        )


def of_each_row(
    table: Any, target: str, names: Sequence[str] | None, options: RowAsking
) -> tuple[str, dict[str, Any]]:
    """The name of a variable, and the question about it in each row of a table, as the Rust side takes it."""
    rows = _options.row_reading("drop", **_keywords.pick(options, _options.row_reading))
    data, name = source(table, names, rows["reading"], keep=["on_missing"]), _options.name("target", target)
    inference = _options.inference(**_keywords.pick(options, _options.inference))
    return name, {"data": data, "target": name, "rows": rows, "inference": inference}
