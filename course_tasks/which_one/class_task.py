"""A whole class to write: what it must be is asked of it demand by demand, and the first that fails is told."""

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from course_lib.checking import Case, Exercise, Result
from course_lib.checking.arrays import Outputs, describe_type
from course_lib.checking.error_hints import explain_error
from course_lib.checking.exercise import MISSING
from course_lib.checking.results import Note
from course_lib.checking.runner import run
from course_lib.checking.solution_source import blank_class, methods


class Broken(NamedTuple):
    """What a demand found: the fact, and the cause in words."""

    fact: str
    cause: str
    status: str = "property broken"

    code: str = ""  # the learner's own line


WORDS = {  # errors that only a module has, said again in plain words
    r"before Module\.__init__": (
        "`super().__init__()` comes first in `__init__`: it prepares the module to keep its parameters."
    ),
    r"has no setter|can't set attribute": (
        "A property is computed each time it is asked for, and nothing can be put into it: keep what is learned under "
        "another name."
    ),
    r"^TypeError: .*__init__\(\) (takes|missing)": (
        "A scheme is made with the number of heads, `def __init__(self, n_heads)`, and `super().__init__()` with nothing."
    ),
    r"^TypeError: \w+\.bias\(\) (takes|missing)": "The layer calls `bias(n_q, n_k, past)`, so your method needs all three.",
    r"^TypeError: 'Tensor' object is not callable": "A property is read without parentheses: `self.a`.",
    r"^RecursionError": (
        "A property that reads itself never ends. What `__init__` keeps needs another name than the property."
    ),
    r"unhashable type": (
        "torch looks modules up by their identity, and a dataclass that compares by value has none: write a plain class."
    ),
    r"Only Tensors of floating point": "A parameter holds floats: `torch.zeros(…)` makes some.",
    r"^AttributeError: '\w+' object has no attribute": (
        "Does `__init__` make what is read here, and under this name? (torch says the same of a property in which "
        "something else is misspelled.)"
    ),
    r"Can't call numpy\(\)": "NumPy does not compute gradients, so use torch (`torch.log1p`, `.exp()`).",
    r"^NameError: name '(torch|nn|row_offsets|Position)'": "Run the first cell of the notebook again.",
    r"^NameError: name '(exp|log|log1p|zeros|ones|Parameter)'": "Use its full name, such as `torch.exp` or `nn.Parameter`.",
    r"backward through the graph a second time": "Something was computed once, in `__init__`, and is used in every call.",
}
Demand = Callable[[type], Broken | None]


class ClassTask(Exercise):
    """One class to write. `source` is the file with the solution, under the name the learner uses.

    `demands()` gives the demands in the order in which they are put (it may import torch); each looks at the class and
    returns None or what is broken. `after` are further cells of the notebook, in jupytext's percent text.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        home: Callable,
        source: Path,
        demands: Callable[[], Sequence[Demand]],
        minutes: int,
        difficulty: int,
        words: str,
        hints: Sequence[str],
        then: str = "",
        after: str = "",
        seconds: float = 20.0,
    ) -> None:
        super().__init__(name, title, home=home, minutes=minutes, difficulty=difficulty, words=words, hints=hints)
        self.source, self.demands, self.then, self.after, self.seconds = source, demands, then, after, seconds

    def solution_source(self) -> str:
        return ast.get_source_segment(self._text, self._class) or ""

    def stub(self) -> str:
        """The class with `...` in place of every body; a docstring and `super().__init__()` stay."""
        lines, first = self.solution_source().splitlines(), self._class.lineno
        for method in reversed([node for node in self._class.body if isinstance(node, ast.FunctionDef)]):
            begin, *rest = method.body
            assert begin.end_lineno and method.end_lineno and rest
            lines[begin.end_lineno + 1 - first : method.end_lineno + 1 - first] = [" " * begin.col_offset + "..."]
        return "\n".join(lines)

    @property
    def _text(self) -> str:
        return self.source.read_text(encoding="utf-8")

    @property
    def _class(self) -> ast.ClassDef:
        found = (node for node in ast.parse(self._text).body if isinstance(node, ast.ClassDef))
        return next(node for node in found if node.name == self.name)

    def compare(self, given: Any = MISSING) -> Note:
        """A class has no table of entries: check says all there is to say."""
        text = f"There is nothing to set side by side here: `task.{self.name}.check({self.name})` tells what is right."
        return Note(self.title, text)

    def _check(self, given: Any) -> Result:
        if given is None or given is Ellipsis or blank_class(given):
            text = "Write the class: put your code in place of each `...`, run the cell, then check again."
            return Result("not attempted", self.title, (text,))
        if not issubclass(type(given), type):
            called = issubclass(type(type(given)), type) and type(given).__name__ == self.name
            what = f"a {self.name} that is made already" if called else describe_type(given)
            text = f"`check` was given {what}; it takes the class itself: `check({self.name})`."
            return Result("wrong type", self.title, (text,))
        return self._asked(given)

    def _asked(self, given: type) -> Result:
        found: list[Broken | None] = []

        def ask() -> int:
            found.append(next((broken for demand in self.demands() if (broken := demand(given))), None))
            return 0

        done = run(OfTheClass(ask, given), [Case()], as_parts, self.seconds)
        notes = (done.printed(),) if done.printed() else ()
        if done.stopped:
            return Result("did not finish", self.title, (done.why(),), notes=notes)
        outcome = done.outcomes[0]
        if outcome.error:
            return Result("raised", self.title, (outcome.error,), said_again(outcome.error), outcome.line, notes)
        if broken := found[0]:
            return Result(broken.status, self.title, (broken.fact,), broken.cause, broken.code, notes, known=True)
        facts = (f"right in all {len(self.demands())} demands",)
        return Result("passed", self.title, facts, notes=(*notes, self.then) if self.then else notes)


class OfTheClass:
    """A call whose errors are shown with the line of the class in which they arose."""

    def __init__(self, ask: Callable, given: type) -> None:
        self.ask, self.__globals__ = ask, next((f.__globals__ for f in methods(given).values()), {})

    def __call__(self, *args: Any) -> Any:
        return self.ask(*args)


def said_again(error: str) -> str:
    """What an error means here, or ""."""
    return next((words for pattern, words in WORDS.items() if re.search(pattern, error)), "") or explain_error(error)


def as_parts(value: int) -> Outputs:
    return {"": np.array(value)}
