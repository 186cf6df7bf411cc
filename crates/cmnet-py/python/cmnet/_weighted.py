"""Tables whose weights are real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _cmnet, _keywords, _options
from ._keywords import keywords_of
from ._source import source
from ._variables import Variables

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Weighing


class WeightedTable(Variables):
    """A table of categories whose weights are real numbers, packed.

    `cmnet.learn`, `cmnet.cross_validate`, `cmnet.bootstrap`, `Model.fit` and `Model.evaluate` take it in place of a
    table.

    Parameters
    ----------
    table, names
        As for `cmnet.Table`, and so are the options that are not named here.
    weights
        The column of weights: finite numbers, 0 or more. It must be given.
    weights_as
        ``"design"`` for weights of a survey's design, which are scaled to add up to Kish's effective
        sample size; ``"counts"`` for counts. By default weights that are all whole numbers are counts,
        and others are those of a design.
    """

    @keywords_of(_options.weighing, _options.reading)
    def __init__(self, table: Any, *, names: Sequence[str] | None = None, **options: Unpack[Weighing]) -> None:
        reading = _options.reading(**_keywords.pick(options, _options.reading))
        meaning = _options.weighing(**_keywords.pick(options, _options.weighing))["weights_as"]
        if reading["weights"] is None:
            raise _cmnet.refuse_option("weights", "None", "the column of the weights")
        data = source(table, names, reading)
        if isinstance(data, _cmnet.Table):
            raise _cmnet.refuse_option("table", "a packed Table", "a table with its column of weights")
        self._weighted = _cmnet.WeightedTable.read(data, reading, meaning)

    def _variables(self) -> list[tuple[str, list[str]]]:
        return self._weighted.levels

    @property
    def rows(self) -> int:
        """The number of observations that the weights stand for: n of kappas and BIC."""
        return self._weighted.rows

    @property
    def observations(self) -> int:
        """Rows with a positive weight."""
        return self._weighted.observations

    @property
    def sum(self) -> float:
        """The sum of the weights."""
        return self._weighted.sum

    @property
    def effective(self) -> float:
        """Kish's effective sample size."""
        return self._weighted.effective

    @property
    def weights_as(self) -> str:
        """What the weights mean: ``"design"`` or ``"counts"``."""
        return self._weighted.weights_as

    @property
    def digest(self) -> str:
        """SHA-256 of the content: names, levels, rows and weights, not the order of rows."""
        return self._weighted.digest

    @property
    def cuts(self) -> dict[str, list[float]]:
        """Where columns of numbers are cut into levels, by column; see the option ``bins``."""
        return dict(self._weighted.cuts)

    @property
    def dropped_rows(self) -> int:
        """Rows left out for missing values."""
        return self._weighted.dropped_rows

    def __repr__(self) -> str:
        return (
            f"<cmnet.WeightedTable: {self.observations} rows of {len(self.names)} variables, "
            f"effective size {self.effective:.1f}, {self.weights_as}>"
        )


def alone(names: Sequence[str] | None, reading: dict[str, Any]) -> None:
    """Refuses options of reading for a table that is packed already."""
    if names is not None:
        raise _cmnet.refuse_option("names", str(names), "nothing: the table is packed already")
    for option, value in reading.items():
        raise _cmnet.refuse_option(option, str(value), "nothing: the table is packed already")
