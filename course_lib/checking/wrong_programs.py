"""The wrong programs that a task knows, each with its message: written ones first, then those that rules make."""

from collections.abc import Callable, Iterator
from functools import cached_property

from .attempt import Attempt
from .matching import Wrong, matching
from .slips import one_change, read_pieces, read_slips, variants
from .solution_source import SolutionSource, compiled

STILL = "Your function does exactly what the given one does: the bug is still there."


class WrongPrograms:
    """What is known of a task's wrong programs: `pieces` and `slips` as text (see slips.py), and whole functions."""

    def __init__(self, source: SolutionSource, pieces: str, slips: str, starter: Callable | None) -> None:
        self.source, self.pieces, self.slips = source, read_pieces(pieces), read_slips(slips)
        self.functions: list[Wrong] = []
        self.starter: list[Wrong] = [(STILL, starter)] if starter else []

    @cached_property
    def written(self) -> list[Wrong]:
        """Slips and wrong functions that the author wrote down. Raises ValueError for a slip that does not fit."""
        return [*((slip.message, self.source.variant(slip.changes)) for slip in self.slips), *self.functions]

    @cached_property
    def made_of_pieces(self) -> list[Wrong]:
        """Every rule applied to every piece."""
        return list(self._compiled(variants(self.source.whole(), self.pieces)))

    @cached_property
    def made_of_anything(self) -> list[Wrong]:
        """Every rule applied to every expression of the solution, whether it has a piece or not."""
        return list(self._compiled(one_change(self.source.whole())))

    def by_rule(self, attempt: Attempt, begin: str) -> str:
        """A sentence that begins so, about a change of one expression that explains an attempt; or ""."""
        found = matching(attempt, self.made_of_anything)
        return f"{begin} when {found[0]}." if found else ""

    def _compiled(self, found: Iterator[tuple[str, str]]) -> Iterator[Wrong]:
        for message, text in found:
            yield message, compiled(text, self.source.name, self.source.globals)
