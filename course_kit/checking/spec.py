"""What a task asks for: a right function, cases to try it on, names for axes; and one attempt at it."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import Outputs, as_outputs
from .axes import Axes, unlabelled
from .case import Case
from .difference import Difference, first_difference
from .runner import Outcome, Run, run, run_once

SEEDS = 3  # random cases in every check


Property = tuple[str, Callable[..., Any]]


def holds(message: str, test: Callable[..., Any]) -> Property:
    """A property of every right result: test(result, *arguments), and what to say of a result without it."""
    return message, test


@dataclass
class Spec:
    """One function to write, as its author declares it.

    `expected(*arguments)` gives the right result, from the reference and never from the solution. `draw(rng)` gives a
    random case: a tuple of arguments, or a Case. `properties` are what every right result has. `returns` names the
    parts of a tuple. `axes` names the axes of all cases that do not name their own; without it, those of the first case
    do. With `tensors` the function gets the arrays of a case as torch tensors and has to return one; torch is imported
    then. With `index` the result says which entries of an array are meant, so right values as floats are refused.
    `seconds` of processor time are allowed for all cases together.
    """

    name: str
    solution: Callable
    expected: Callable[..., Any]
    cases: Sequence[Case]
    draw: Callable[[np.random.Generator], Any] | None = None
    properties: Sequence[Property] = ()
    returns: Sequence[str] = ()
    axes: Axes = ()
    tensors: bool = False
    index: bool = False
    seconds: float = 10.0
    signature: inspect.Signature = field(init=False)

    def __post_init__(self) -> None:
        self.signature = inspect.signature(self.solution)

    # ---------------------------------------------------------------- cases

    @cached_property
    def all_cases(self) -> tuple[Case, ...]:
        """The cases of every check: those that are written down, and random ones."""
        return (*self.cases, *(self.random_case(seed) for seed in range(SEEDS if self.draw else 0)))

    def random_case(self, seed: int) -> Case:
        """A random case; the same seed gives the same case."""
        assert self.draw is not None
        drawn = self.draw(np.random.default_rng(seed))
        return drawn if isinstance(drawn, Case) else Case(*drawn, label="a random case")

    def call(self, k: int) -> str:
        """Case k in a line: the five tokens, `bias_matrix(n=5, strength=0.3)`."""
        return self.all_cases[k].describe(self.name, self.signature)

    def arguments(self, k: int) -> dict[str, Any]:
        """The arguments of case k by name."""
        return self.all_cases[k].arguments(self.signature)

    def numbers(self, k: int) -> dict[str, float]:
        """The numbers of case k by which a result may be off: scalars, and √ and length of the arrays' last axes."""
        numbers: dict[str, float] = {}
        for name, value in self.arguments(k).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                numbers[f"`{name}`"] = float(value)
            if shape := getattr(value, "shape", ()):
                numbers[f"√(last axis of `{name}`)"] = float(shape[-1]) ** 0.5
                numbers[f"(last axis of `{name}`)"] = float(shape[-1])
        return numbers

    def axes_of(self, k: int) -> Axes:
        """The names for the axes of case k."""
        return self.all_cases[k].axes or self.axes or unlabelled(self.cases[0].axes)

    # ---------------------------------------------------------------- results

    @cached_property
    def right(self) -> list[Outputs]:
        """The right result of every case."""
        return [self.right_outputs(case) for case in self.all_cases]

    def right_outputs(self, case: Case) -> Outputs:
        return as_outputs(self.expected(*case.args), self.returns)

    def run(self, function: Callable, cases: Sequence[Case] | None = None) -> Run:
        """The function run on all cases, or on others, in a thread that can be stopped."""
        return run(function, [self.handed(case) for case in cases or self.all_cases], self.read, self.seconds)

    def outcome(self, function: Callable, k: int) -> Outcome:
        """The function called on case k, in this thread."""
        return run_once(function, self.handed(self.all_cases[k]), self.read)

    def handed(self, case: Case) -> Case:
        return case.as_tensors() if self.tensors else case

    def read(self, value: Any) -> Outputs:
        """A result as arrays. Raises Unusable for what cannot be one, Blank for `...`."""
        return as_outputs(value, self.returns, self.stacked)

    @cached_property
    def stacked(self) -> int:
        """The axes of an array that holds all parts of a result, or 0 where these differ and cannot be stacked."""
        axes = {array.ndim for array in self.right[0].values()}
        return 1 + axes.pop() if len(axes) == 1 else 0

    def difference(self, k: int, outcome: Outcome) -> Difference | None:
        """What is wrong with the outcome of case k, or None."""
        if outcome.blank:
            return Difference("not attempted", ("A `...` is still in what it returns.",))
        if outcome.unusable:
            return Difference("wrong type", (f"`{self.name}` returned {outcome.unusable}",))
        if outcome.value is None:
            return Difference("raised", (outcome.error,))
        return first_difference(outcome.value, self.right[k], self.axes_of(k), self.numbers(k))

    def broken(self, k: int, value: Outputs) -> str:
        """The message of the first property that a result of case k does not have, or ""."""
        result: Any = tuple(value.values()) if self.returns else value.get("", value)
        case = self.all_cases[k]
        for message, test in self.properties:
            try:
                if not test(result, *case.args):
                    return message
            except Exception:  # a result so odd that the question cannot be asked
                return message
        return ""


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
    def difference(self) -> Difference:
        """The first difference of an attempt that is wrong."""
        return next(difference for difference in self.differences if difference)

    def in_part(self, k: int, part: str) -> Difference | None:
        """What is wrong with one part of the result of case k, if there is one."""
        spec, value = self.spec, self.run.outcomes[k].value
        if not value or part not in value:
            return Difference("raised", ())
        return first_difference({part: value[part]}, {part: spec.right[k][part]}, spec.axes_of(k), spec.numbers(k))

    @property
    def complete(self) -> bool:
        """Whether every case has an outcome."""
        return len(self.run.outcomes) == len(self.spec.all_cases)


def attempt(spec: Spec, function: Callable) -> Attempt:
    """Run a function on all cases of a task and look for the first difference in each."""
    done = spec.run(function)
    return Attempt(spec, function, done, tuple(spec.difference(k, outcome) for k, outcome in enumerate(done.outcomes)))
