"""One attempt at a task: the learner's function run on every case, and what is wrong with each result."""

from collections.abc import Callable
from dataclasses import dataclass

from .difference import Difference
from .runner import Run
from .spec import Spec


@dataclass(frozen=True)
class Attempt:
    """What a function did in the cases of a task. There are fewer outcomes than cases if it had to be stopped."""

    spec: Spec
    function: Callable
    run: Run
    differences: tuple[Difference | None, ...]

    @property
    def first(self) -> int | None:
        """The first case with something wrong, or None."""
        return next((k for k, difference in enumerate(self.differences) if difference), None)

    @property
    def complete(self) -> bool:
        """Whether every case has an outcome."""
        return len(self.run.outcomes) == len(self.spec.all_cases)


def attempt(spec: Spec, function: Callable) -> Attempt:
    """Run a function on all cases of a task and look for the first difference in each."""
    done = spec.run(function)
    return Attempt(spec, function, done, tuple(spec.difference(k, outcome) for k, outcome in enumerate(done.outcomes)))
