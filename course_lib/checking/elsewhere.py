"""A learner's function that ran in another process: `tools/recheck.py` judges hand-ins by what it did there."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .case import Case

if TYPE_CHECKING:
    from .runner import Run


class Elsewhere:
    """Stands for a function of another process. `unused` names the parameters that it never reads."""

    unused: Sequence[str] = ()

    def run(self, cases: Sequence[Case], read: Callable[[Any], Any], seconds: float) -> "Run":
        """What `runner.run` answers, from the other process."""
        raise NotImplementedError

    def __call__(self, *args: Any) -> Any:
        """It cannot be called, but a check takes only what could be."""
        raise TypeError("this function ran in another process; expected a use of `run`")
