"""A coding task, whole in one place, and its four verbs: check, hint, compare, solution."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .cause import known_cause, narrowed_cause, nearly_known_cause, partly_known_cause
from .comparison import Comparison
from .exercise import MISSING, Exercise
from .faces import Note, Result
from .judge import Fault, judge
from .parts import Axes, Case, Mistake, Property, completed, named, unlabelled
from .run import Outcome, Run, run
from .source import Source, untouched
from .values import Parts, check_tensor, fit, kind, parts

SEEDS = 3  # random cases in every check
NOT_A_NUMBER = "Yours holds nan: the logarithm of 0 or of a negative number, 0 · ∞, 0/0, ∞ − ∞?"
NUMBERS = (
    "Yours holds the numbers 0 and 1. They agree with True and False, which were wanted; but `~` does not turn numbers "
    "round: of 1 it makes −2. A comparison gives True and False, and so does `.astype(bool)`."
)
WRITES = "Right the first time, but your function writes into `{}`, and the layer calls it again and again."
STILL = "Your function does just what the given one did: the bug is still there."


class Task(Exercise):
    """One function to write. Its name is the solution's, without the leading underscore.

    `expected(*arguments)` gives the right result, from the reference and never from the solution; with None the task
    is open and its properties decide. `draw(rng)` gives a random case: a tuple of arguments, or a Case.
    `returns` names the parts of a tuple; `axes` names the axes of all cases that do not name their own (without it,
    those of the first case do); `given` is what the learner starts from in a bug hunt; with `tensors` the learner's
    code gets the arrays of a case as torch tensors, and torch is imported then. A hook, which a layer calls many
    times, must return a torch tensor and not write into its module: `hook` says what that holds, such as "self.table".
    `then` is told once all is right. Raises ValueError for a task that is not whole.
    """

    def __init__(
        self,
        title: str,
        *,
        minutes: int,
        difficulty: int,
        words: str,
        solution: Callable,
        expected: Callable[..., Any] | None,
        cases: Sequence[Case],
        hints: Sequence[str],
        draw: Callable[[np.random.Generator], Any] | None = None,
        properties: Sequence[Property] = (),
        mistakes: Sequence[Mistake] = (),
        alternatives: Sequence[Callable] = (),
        returns: Sequence[str] = (),
        axes: Axes = (),
        given: Callable | None = None,
        tensors: bool = False,
        hook: str = "",
        then: str = "",
        seconds: float = 2.0,
    ) -> None:
        name = solution.__name__.lstrip("_")
        super().__init__(name, title, home=solution, minutes=minutes, difficulty=difficulty, words=words, hints=hints)
        self.need(len(cases) > 0, "cases", cases, "at least one Case")
        self.need(expected is not None or len(properties) > 0, "expected", expected, "a function, or some properties")
        self.need(seconds > 0, "seconds", seconds, "a positive number")
        self.right, self.expected, self.cases, self.draw = solution, expected, tuple(cases), draw
        self.properties, self.mistakes, self.alternatives = tuple(properties), tuple(mistakes), tuple(alternatives)
        self.returns, self.axes, self.given, self.seconds = tuple(returns), axes, given, seconds
        self.tensors, self.hook, self.then = tensors or bool(hook), hook, then
        self.signature = inspect.signature(solution)

    # ---------------------------------------------------------------- what the build and the tests ask for

    def stub(self) -> str:
        """What the learner starts from: signature, docstring and `...`, or the code with the bug."""
        return Source(self.given, self.name).whole() if self.given else Source(self.right, self.name).stub()

    def solution_source(self) -> str:
        return Source(self.right, self.name).whole()

    def variant(self, mistake: Mistake) -> Callable:
        """The wrong function a mistake stands for. Raises ValueError when its text is not found exactly once."""
        if len(mistake.what) == 1:
            return mistake.what[0]
        return Source(self.right, self.name).variant(*mistake.what)

    def random_case(self, seed: int) -> Case:
        """A random case; the same seed gives the same case."""
        assert self.draw is not None
        drawn = self.draw(np.random.default_rng(seed))
        return drawn if isinstance(drawn, Case) else Case(*drawn, says="a random case")

    @cached_property
    def all_cases(self) -> tuple[Case, ...]:
        return (*self.cases, *(self.random_case(seed) for seed in range(SEEDS if self.draw else 0)))

    def right_parts(self, case: Case) -> Parts:
        assert self.expected is not None
        return parts(self.expected(*case.args, **case.kwargs), self.returns)

    def outcomes(self, function: Callable, cases: Sequence[Case] | None = None) -> Run:
        """The function run on the cases of the check, or on others."""
        handed = cases or self.all_cases
        if self.tensors:
            handed = [case.as_tensors() for case in handed]
        return run(function, handed, self._read, self.seconds)

    def _read(self, value: Any) -> Parts:
        if self.hook and value is not None and value is not Ellipsis:
            check_tensor(value)
        return parts(value, self.returns)

    # ---------------------------------------------------------------- the verbs

    def compare(self, given: Any = MISSING) -> Comparison | Result | Note:
        """Yours beside the expected, in the first case where they differ."""
        return self.missing("compare") if given is MISSING else self.guarded(self._compare, given)

    def _compare(self, function: Any) -> Comparison | Result:
        result = self._no_function(function, "compare") or self._check(function)
        if self.expected is None or not (result.passed or result.status in ("wrong values", "property broken")):
            return result
        done = self.outcomes(function)
        faults = [self.fault(k, outcome) for k, outcome in enumerate(done.outcomes)]
        k = next((k for k, fault in enumerate(faults) if fault), 0)
        fault, case, right, yours = faults[k], self.all_cases[k], self._right[k], done.outcomes[k].value or {}
        part = fault.part if fault else next(iter(right))
        axes = named(self.axes_of(k), part, right[part].ndim)
        fitted = fit(yours[part], right[part])
        if fitted is None:
            return result
        title = f"{self.title}, {part}" if part else self.title
        return Comparison(title, case.told(self.name, self.signature), fitted, right[part], axes)

    def _check(self, given: Any) -> Result:
        if untouched(given, self.given):
            begin = "Find the bug and mend it" if self.given else "Write the body in place of the `...`"
            return Result("not attempted", self.title, (f"{begin}, run the cell, then check again.",))
        if strange := self._no_function(given, "check"):
            return strange
        done = self.outcomes(given)
        faults = [self.fault(k, outcome) for k, outcome in enumerate(done.outcomes)]
        bad = next((k for k, fault in enumerate(faults) if fault), len(faults))
        notes = self._notes(done, bad)
        if done.stopped == "interrupted":
            return Result("did not finish", self.title, (done.why(),), notes=notes)
        if bad == len(self.all_cases):
            notes = (*notes, self.then) if self.then else notes
            return Result("passed", self.title, (f"right in all {bad} cases" if bad > 1 else "right",), notes=notes)
        told = self.all_cases[bad].told(self.name, self.signature)
        if bad == len(faults):
            return Result("did not finish", self.title, (told, done.why()), notes=notes)
        return self._explained(given, done, faults, bad, told, notes)

    def _no_function(self, given: Any, verb: str) -> Result | None:
        """What to say when something else than a function was handed over."""
        if untouched(given, self.given) or (not issubclass(type(given), type) and callable(given)):
            return None  # isinstance would ask the object itself
        what = f"the class {given.__name__}" if issubclass(type(given), type) else kind(given)
        text = f"`{verb}` was given {what}; it takes the function itself: `{verb}({self.name})`, without calling it."
        return Result("wrong type", self.title, (text,))

    def _explained(
        self, given: Callable, done: Run, faults: list[Fault | None], bad: int, told: str, notes: tuple[str, ...]
    ) -> Result:
        """The result for a wrong function: its first fault, and the cause when it can be found."""
        first, outcome = faults[bad], done.outcomes[bad]
        assert first is not None
        status, cause = first.status, "" if done.stopped else known_cause(done.outcomes, self._mistaken)
        known = bool(cause)
        if not cause and not done.stopped:
            cause = nearly_known_cause(done.outcomes, faults, self._mistaken)
            if not cause and self.expected and len(self.returns) > 1:
                cause = partly_known_cause(done.outcomes, self._right, first.part, self._mistaken)
            known = bool(cause)
        if not cause:
            status, cause = narrowed_cause(self, given, done.outcomes, faults, first)
        facts = first.facts
        if not cause and status == "property broken":  # an open task: what its property says is the cause
            facts, cause = (), first.facts[-1]
        if not cause and status == "wrong values":
            notes = (*notes, f"`.compare({self.name})` sets yours beside the expected.")
        return Result(status, self.title, (told, *facts), cause, outcome.line, notes, known)

    # ---------------------------------------------------------------- one case

    def fault(self, k: int, outcome: Outcome) -> Fault | None:
        """What is wrong with the outcome of case k, or None."""
        if outcome.blank:
            return Fault("not attempted", ("A `...` is still in what it returns.",))
        if outcome.unusable:
            return Fault("wrong type", (f"`{self.name}` returned {outcome.unusable}",))
        if outcome.value is None:
            return Fault("raised", (outcome.error,))
        if self.expected is not None:
            fault = judge(outcome.value, self._right[k], self.axes_of(k))
            if not fault and self.hook and outcome.changed:
                return Fault("property broken", (WRITES.format(self.hook),))
            return fault
        undefined = any(np.isnan(array).any() for array in outcome.value.values() if array.dtype.kind in "fc")
        broken = NOT_A_NUMBER if undefined else self.broken(k, outcome.value)
        return Fault("property broken", (broken,)) if broken else None

    def axes_of(self, k: int) -> Axes:
        """The names for the axes of case k."""
        return completed(self.all_cases[k].axes, self.axes or unlabelled(self.cases[0].axes))

    def broken(self, k: int, value: Parts) -> str:
        """The message of the first property that a result does not have, or ""."""
        result: Any = tuple(value.values()) if self.returns else value.get("", value)
        case = self.all_cases[k]
        for one in self.properties:
            try:
                holds = bool(one.holds(result, *case.args, **case.kwargs))
            except Exception:  # a result so odd that the question cannot be asked
                holds = False
            if not holds:
                return one.message
        return ""

    def _notes(self, done: Run, bad: int) -> tuple[str, ...]:
        notes = [done.printed()] if done.printed() else []
        if bad == len(self.all_cases) and any(
            outcome.value[part].dtype.kind != "b"
            for outcome, right in zip(done.outcomes, self._right if self.expected else [])
            for part in right
            if outcome.value and right[part].dtype.kind == "b"
        ):
            notes.append(NUMBERS)
        for k, outcome in enumerate(done.outcomes):
            if outcome.changed and not self.hook:
                name = self._argument(k, outcome.changed[0])
                right = "The values are right, but your" if bad == len(self.all_cases) else "Your"
                return (
                    *notes,
                    f"{right} function writes into its argument `{name}`: work on a copy, the caller keeps it.",
                )
        return tuple(notes)

    def _argument(self, k: int, number: int) -> str:
        """The name of an argument of case k."""
        case = self.all_cases[k]
        return [*list(self.signature.parameters)[: len(case.args)], *case.kwargs][number]

    @cached_property
    def _right(self) -> list[Parts]:
        return [self.right_parts(case) for case in self.all_cases]

    @cached_property
    def _mistaken(self) -> list[tuple[str, list[Outcome]]]:
        """Each known mistake: its message and what it comes to in all cases."""
        wrong = [(mistake.message, self.variant(mistake)) for mistake in self.mistakes]
        wrong += [(STILL, self.given)] if self.given else []
        return [(message, self.outcomes(function).outcomes) for message, function in wrong]
