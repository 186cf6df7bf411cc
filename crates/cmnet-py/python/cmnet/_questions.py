"""Questions to a fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _cmnet, _options
from ._answers import Completion, Explanation, Joint, Marginals
from ._table import Rows

if TYPE_CHECKING:
    from ._options import Amount


class Questions:
    """The part of a model that answers questions."""

    _model: _cmnet.Model

    def query(
        self,
        given: Mapping[str, Any] | None = None,
        target: Sequence[str] | str = (),
        *,
        soft: Mapping[str, Mapping[Any, float]] | None = None,
        memory: Amount = "1G",
        elimination: str = "best",
        method: str = "auto",
        chains: int = 4,
        sweeps: int = 4000,
        warm_up: int = 1000,
        seed: int = 1,
    ) -> Marginals:
        """The distribution of each target given evidence; all others by default.

        ``given`` has levels by name, ``soft`` weights of levels by name. ``method`` is
        ``"exact"``, ``"gibbs"``, ``"bp"`` or ``"auto"``: exact when the junction tree fits
        ``memory``, else Gibbs sampling with ``chains``, ``sweeps``, ``warm_up`` and ``seed``.
        """
        answer = _cmnet.query(
            self._model,
            _targets(target),
            _options.given(given, soft),
            _options.inference(memory, elimination),
            _options.way(method, chains, sweeps, warm_up, seed),
        )
        return Marginals(answer)

    def joint(
        self,
        given: Mapping[str, Any] | None = None,
        target: Sequence[str] | str = (),
        *,
        soft: Mapping[str, Mapping[Any, float]] | None = None,
        memory: Amount = "1G",
        elimination: str = "best",
        method: str = "auto",
        chains: int = 4,
        sweeps: int = 4000,
        warm_up: int = 1000,
        seed: int = 1,
    ) -> Joint:
        """The joint distribution of some variables given evidence.

        ``method`` and what follows it are those of ``query``; ``joint.method`` says which was used.
        """
        answer = _cmnet.joint(
            self._model,
            _targets(target),
            _options.given(given, soft),
            _options.inference(memory, elimination),
            _options.way(method, chains, sweeps, warm_up, seed),
        )
        return Joint(answer)

    def map(
        self,
        given: Mapping[str, Any] | None = None,
        target: Sequence[str] | str = (),
        *,
        soft: Mapping[str, Mapping[Any, float]] | None = None,
        memory: Amount = "1G",
        elimination: str = "best",
        method: str = "auto",
        chains: int = 4,
        sweeps: int = 4000,
        warm_up: int = 1000,
        seed: int = 1,
    ) -> Completion:
        """The most probable levels together: of all variables that are not given, or of some
        with the others summed out.

        Exact when elimination fits ``memory``; else the best that was found, and ``proven`` is
        false. ``method`` and what follows it are those of ``query``.
        """
        answer = _cmnet.most_probable(
            self._model,
            _targets(target),
            _options.given(given, soft),
            _options.inference(memory, elimination),
            _options.way(method, chains, sweeps, warm_up, seed),
        )
        return Completion(answer)

    def sample(
        self,
        rows: int,
        seed: int = 1,
        *,
        given: Mapping[str, Any] | None = None,
        soft: Mapping[str, Mapping[Any, float]] | None = None,
        memory: Amount = "1G",
        elimination: str = "best",
        method: str = "auto",
        chains: int = 4,
        sweeps: int = 4000,
        warm_up: int = 1000,
    ) -> Rows:
        """Rows drawn from the model; a seed gives the same rows on every machine."""
        drawn = _cmnet.sample(
            self._model,
            _options.number("rows", rows, 2**31),
            _options.given(given, soft),
            _options.inference(memory, elimination),
            _options.way(method, chains, sweeps, warm_up, seed),
        )
        return Rows._of(drawn)

    def explain(
        self,
        given: Mapping[str, Any] | None = None,
        *,
        soft: Mapping[str, Mapping[Any, float]] | None = None,
        memory: Amount = "1G",
        elimination: str = "best",
    ) -> Explanation:
        """Blankets and contexts in words, which edges evidence cuts, how strong the others are,
        and which groups of variables are independent."""
        inference = _options.inference(memory, elimination)
        return Explanation(_cmnet.explain(self._model, _options.given(given, soft), inference))


def _targets(target: Sequence[str] | str) -> list[str]:
    return [target] if isinstance(target, str) else [str(name) for name in target]
