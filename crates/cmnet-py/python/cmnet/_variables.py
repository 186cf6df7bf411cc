"""What models and tables have alike: variables with levels."""

from __future__ import annotations


class Variables:
    """Something over variables that have levels."""

    def _variables(self) -> list[tuple[str, list[str]]]:
        """Each variable with its levels."""
        raise NotImplementedError

    @property
    def names(self) -> list[str]:
        """The names of the variables."""
        return [name for name, _ in self._variables()]

    @property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each variable, in order."""
        return dict(self._variables())
