"""A whole class to write: demands are asked of it one by one, and the first that is broken is told."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from course_kit.checking import Case, Exercise, Result
from course_kit.checking.arrays import describe_type
from course_kit.checking.error_hints import explain_error
from course_kit.checking.exercise import MISSING
from course_kit.checking.results import Note
from course_kit.checking.runner import run
from course_kit.checking.solution_source import blank_class, methods


class ClassTask(Exercise):
    """One class to write. `source` is the file with the solution, under the name the learner uses.

    first_broken(cls): the fact and the cause of the first demand that the class does not meet, or None. prepare() comes
    before the learner's time begins. explain(error): what an error means in this class, or "". `after` are further cells of the notebook, in jupytext's percent text.
    """

    seconds = 20.0

    def __init__(
        self, name: str, title: str, *, source: Path, first_broken: Callable[[type], tuple[str, str] | None],
        prepare: Callable[[], Any], explain: Callable[[str], str], then: str, after: str, **words: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, title, home=first_broken, **words)
        self.text, self.first_broken, self.explain = source.read_text(encoding="utf-8"), first_broken, explain
        self.prepare = prepare
        self.then, self.after = then, after
        self.node = next(node for node in ast.parse(self.text).body if isinstance(node, ast.ClassDef))

    def solution_source(self) -> str:
        return ast.get_source_segment(self.text, self.node) or ""

    def stub(self) -> str:
        """The class with `...` in place of every body; a docstring and `super().__init__()` stay."""
        lines, first = self.solution_source().splitlines(), self.node.lineno
        for method in reversed([node for node in self.node.body if isinstance(node, ast.FunctionDef)]):
            begin = method.body[0]
            start, end = (node.end_lineno + 1 - first for node in (begin, method) if node.end_lineno)
            lines[start:end] = [" " * begin.col_offset + "..."]
        return "\n".join(lines)

    def compare(self, given: Any = MISSING) -> Note:
        """A class has no table of entries: check says all there is to say."""
        text = f"There is nothing to set side by side here: `task.{self.name}.check({self.name})` tells what is right."
        return Note(self.title, text)

    def _check(self, given: Any) -> Result:
        if given is None or given is Ellipsis or blank_class(given):
            text = "Write the class: put your code in place of each `...`, run the cell, then check again."
            return Result("not attempted", self.title, (text,))
        if not issubclass(type(given), type):
            text = f"`check` was given {describe_type(given)}; it takes the class itself: `check({self.name})`."
            return Result("wrong type", self.title, (text,))
        self.prepare()
        found: list[tuple[str, str] | None] = []
        asked = Asked(lambda: found.append(self.first_broken(given)), given)
        done = run(asked, [Case()], lambda _: {"": np.zeros(1)}, self.seconds)
        notes = (done.printed(),) if done.printed() else ()
        if done.stopped:
            return Result("did not finish", self.title, (done.why(),), notes=notes)
        if error := done.outcomes[0].error:
            known = self.explain(error)
            cause, line = known or explain_error(error), done.outcomes[0].line
            return Result("raised", self.title, (error,), cause, line, notes, known=bool(known))
        if broken := found[0]:
            fact, cause = broken
            return Result("property broken", self.title, (fact,), cause, notes=notes, known=bool(cause))
        return Result("passed", self.title, ("right in all demands",), notes=(*notes, self.then))


class Asked:
    """A call whose errors are shown with the line of the class in which they arose."""

    def __init__(self, ask: Callable[[], None], given: type) -> None:
        self.ask, self.__globals__ = ask, next((f.__globals__ for f in methods(given).values()), {})

    def __call__(self) -> None:
        self.ask()
