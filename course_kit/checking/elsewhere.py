"""A learner's function that ran in another process: `tools/recheck.py` judges hand-ins by what it did there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .runner import Run


class Elsewhere:
    """Stands for a function that ran in another process: what it did in the cases, and which parameters it ignores."""

    def __init__(self, done: "Run", unused: Sequence[str]) -> None:
        self.done, self.unused = done, unused

    def run(self, *asked: Any) -> "Run":
        """What `runner.run` answers."""
        return self.done

    def __call__(self, *args: Any) -> Any:
        raise TypeError("this function ran in another process and cannot be called")
