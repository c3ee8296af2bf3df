"""What every exercise has, whether a function is to be written or an answer given: words, hints, a guarded check."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .earlier import earlier_answer
from .record import record
from .results import Result

MISSING: Any = object()  # stands for an argument that was not given; None is something a learner may give


class Exercise:
    """Title, minutes, difficulty (1, 2 or 3), words and hints of one exercise, under the name the learner uses.

    `module` names the file it is written in, and so the chapter. The hints are in its notebook, below the check.
    `after`, where an exercise has it, is what the notebook shows then: further cells, written as those of a lesson are.
    `first` marks the tasks to begin with.
    """

    after = ""
    first = False

    def __init__(
        self, name: str, title: str, *, module: str, minutes: int, difficulty: int, words: str, hints: Sequence[str]
    ) -> None:
        self.name, self.title, self.minutes, self.difficulty = name, title, minutes, difficulty
        self.words, self.hints, self.module = words, tuple(hints), module

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name}: {self.title}"

    def solution_source(self) -> str:
        """The source of a right answer, under the name the learner uses."""
        raise NotImplementedError

    def stub(self) -> str:
        """What the learner finds in the cell of the answer."""
        raise NotImplementedError

    def check(self, given: Any = MISSING) -> Result:
        """What is right or wrong about the learner's object; never raises."""
        result = self.guarded(self._check, given)
        if result.passed:
            record(self.module, self.name)
        earlier = earlier_answer(self.name)
        return replace(result, facts=(earlier, *result.facts)) if earlier else result

    def _check(self, given: Any) -> Result:
        raise NotImplementedError

    def guarded(self, look: Callable, given: Any) -> Any:
        """look(given), or a Result that says why not: a check never adds an error of its own to the learner's page."""
        if given is MISSING:
            call = f"task.{self.name}.{look.__name__.lstrip('_')}({self.name})"
            return Result("not attempted", self.title, (f"Hand over what you made: write `{call}`.",))
        try:
            return look(given)
        except KeyboardInterrupt:
            return Result("did not finish", self.title, ("Interrupted before the check was done.",))
        except ModuleNotFoundError as error:
            return Result("raised", self.title, (f"This task needs {error.name}, which is not installed here.",))
        except BaseException as error:
            return Result(
                "raised", self.title, (f"The check could not read what it was given ({type(error).__name__}).",)
            )
