"""A learner's function in another process: a check calls it there, and what comes back is data.

`tools/recheck.py` judges hand-ins with it. The function's code never runs in the process that compares and diagnoses.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .case import Case

if TYPE_CHECKING:
    from .runner import Run

CAUGHT = (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError)  # what some check catches


class Elsewhere:
    """Stands for a function of another process. `unused` names the parameters that it never reads."""

    unused: Sequence[str] = ()

    def run(self, cases: Sequence[Case], read: Callable[[Any], Any], seconds: float) -> "Run":
        """What `runner.run` answers, from the other process."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One call. An error there is raised here as `raised_elsewhere` makes it."""
        raise NotImplementedError


class RaisedElsewhere(Exception):
    """An error of another process. `line` is the learner's own line in which it arose."""

    line = ""

    def __str__(self) -> str:
        return str(self.args[0])


def raised_elsewhere(name: str, message: str, line: str) -> RaisedElsewhere:
    """The error under its own name, of a class that a check would catch."""
    kinds = [kind for kind in CAUGHT if kind.__name__ == name]
    error = type(name, (RaisedElsewhere, *kinds), {})(message)
    error.line = line
    return error
