"""A function to write: what it should do, what learners do wrong, and the verbs check and compare."""

from collections.abc import Callable, Sequence
from typing import Any

from ..display.picture import Picture
from .arrays import describe_type, fit_shape
from .axes import named
from .beside_expected import beside_expected
from .causes import WrongPrograms, diagnose
from .exercise import MISSING, Exercise
from .results import Result
from .solution_source import SolutionSource, not_attempted
from .spec import Attempt, Spec, attempt

FLOATS = (
    "The values are right, but they are floats. They say which entry of an array is meant, and that takes a whole "
    "number: `table[2.0]` is an error. `.astype(int)` makes whole numbers, and so does `//` in place of `/`."
)
NO_TENSOR = (
    "The values are right, but what you return is not a torch tensor, so nothing in front of it in a model can learn. "
    "Compute with torch from end to end, without `.numpy()` or `.tolist()`."
)


class CodingTask(Exercise):
    """One function to write. Its name is the solution's, without the leading underscore.

    What is right: `solution` and the other options of `Spec`. What is wrong: `wrong` has wrong lines (see `lines.py`),
    and `wrong_functions` whole functions, each after its message. `starter` is what the learner starts from in a bug
    hunt. `afterwards(function)` is asked once all values are right, and answers None or a status, a fact and a cause.
    `on_pass` is added to the result that says so.
    """

    def __init__(
        self,
        title: str,
        *,
        module: str,
        minutes: int,
        difficulty: int,
        words: str,
        hints: Sequence[str],
        solution: Callable,
        starter: Callable | None = None,
        wrong: str = "",
        wrong_functions: Sequence[tuple[str, Callable]] = (),
        afterwards: Callable[[Callable], tuple[str, str, str] | None] | None = None,
        on_pass: str = "",
        **asked: Any,
    ) -> None:
        name = solution.__name__.lstrip("_")
        super().__init__(name, title, module=module, minutes=minutes, difficulty=difficulty, words=words, hints=hints)
        self.spec = Spec(name, solution, **asked)
        self.starter = starter
        self.afterwards, self.on_pass = afterwards, on_pass
        self.source = SolutionSource(solution, name)
        self.wrong_programs = WrongPrograms(self.source, wrong, wrong_functions, starter)

    # ---------------------------------------------------------------- what the build asks for

    def stub(self) -> str:
        """What the learner starts from: signature, docstring and `...`, or the code with the bug."""
        return SolutionSource(self.starter, self.name).whole() if self.starter else self.source.stub()

    def solution_source(self) -> str:
        return self.source.whole()

    # ---------------------------------------------------------------- the verbs

    def _check(self, given: Any) -> Result:
        return self._unfit(given, "check") or self._result(attempt(self.spec, given))

    def compare(self, given: Any = MISSING) -> Picture | Result:
        """Yours beside the expected, in the first case where they differ; never raises."""
        return self.guarded(self._compare, given)

    def _compare(self, given: Any) -> Picture | Result:
        if unfit := self._unfit(given, "compare"):
            return unfit
        tried = attempt(self.spec, given)
        result = self._result(tried)
        if not (result.passed or result.status in ("wrong values", "property broken")):
            return result
        k = tried.first or 0
        difference, right, yours = tried.differences[k], self.spec.right[k], tried.run.outcomes[k].value or {}
        part = difference.part if difference else next(iter(right))
        fitted = fit_shape(yours[part], right[part])
        if fitted is None:
            return result
        title = f"{self.title}, {part}" if part else self.title
        axes = named(self.spec.axes_of(k), part, right[part].ndim)
        return beside_expected(title, self.spec.call(k), fitted, right[part], axes)

    def _unfit(self, given: Any, verb: str) -> Result | None:
        """What to say if nothing has been done yet, or if something else than a function was handed over."""
        if not_attempted(given, self.stub() if self.starter else ""):
            begin = "Find the bug and fix it" if self.starter else "Write the body in place of the `...`"
            return Result("not attempted", self.title, (f"{begin}, run the cell, then check again.",))
        if not issubclass(type(given), type) and callable(given):  # isinstance would ask the object itself
            return None
        what = f"the class {given.__name__}" if issubclass(type(given), type) else describe_type(given)
        text = f"`{verb}` was given {what}; it takes the function itself: `{verb}({self.name})`, without calling it."
        return Result("wrong type", self.title, (text,))

    # ---------------------------------------------------------------- from an attempt to a result

    def _result(self, tried: Attempt) -> Result:
        done, spec = tried.run, self.spec
        notes = self._notes(tried)
        if done.stopped == "interrupted":
            return Result("did not finish", self.title, (done.why(),), notes=notes)
        if tried.first is None and not tried.complete:
            return Result("did not finish", self.title, (spec.call(len(done.outcomes)), done.why()), notes=notes)
        if tried.first is None:
            return self._passed(tried, notes)
        found = diagnose(tried, self.wrong_programs)
        k = tried.first if found.case is None else found.case
        outcome, difference = done.outcomes[k], tried.differences[k] or tried.difference
        facts, cause = (spec.call(k), *difference.facts), found.cause
        if not cause and found.status == "wrong values":
            notes = (*notes, f"`.compare({self.name})` shows yours beside the expected.")
        return Result(found.status, self.title, facts, cause, outcome.line, notes, named=found.named)

    def _passed(self, tried: Attempt, notes: tuple[str, ...]) -> Result:
        outputs = [array for outcome in tried.run.outcomes for array in (outcome.value or {}).values()]
        if self.spec.index and any(array.dtype.kind == "f" for array in outputs):
            return Result("wrong type", self.title, (FLOATS,), notes=notes)
        if self.spec.tensors and not all(outcome.tensor for outcome in tried.run.outcomes):
            return Result("wrong type", self.title, (NO_TENSOR,), notes=notes)
        if self.afterwards and (broken := self.afterwards(tried.function)):
            status, fact, cause = broken
            return Result(status, self.title, (fact,) if fact else (), cause, notes=notes, named=bool(cause))
        count = len(tried.differences)
        facts = (f"right in all {count} cases" if count > 1 else "right",)
        return Result("passed", self.title, facts, notes=(*notes, self.on_pass) if self.on_pass else notes)

    def _notes(self, tried: Attempt) -> tuple[str, ...]:
        """Remarks beside the cause: what was printed, and an argument written into."""
        notes = [tried.run.printed()] if tried.run.printed() else []
        for k, outcome in enumerate(tried.run.outcomes):
            if outcome.changed:
                name = list(self.spec.arguments(k))[outcome.changed[0]]
                notes.append(f"Your function writes into its argument `{name}`. Work on a copy: the caller keeps it.")
                break
        return tuple(notes)
