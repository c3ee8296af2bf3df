"""The wrong programs that a task knows: those of its page, and those that rules make of the solution's lines."""

import ast
import linecache
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from ..lines import assigned, facts, messages, read, statements, target, with_line
from ..solution_source import SolutionSource, compiled, source_of
from ..spec import Attempt, attempt
from .matching import Wrong, matching
from .rules import UNLIKE, changed, is_target
from .two_slips import pairs

# These say something of a value, however it is computed. If it is a name that is read once, the line that makes it is
# meant. The last two are another name in its place.
OF_A_VALUE = ("a value has the wrong sign", "a value is transposed", "a value is one too ", "a value is `", UNLIKE)
REARRANGING = {"pad", "ravel", "reshape", "roll"}  # what is true of these is not true of another way to the result
MANY = 30  # rules that may explain one attempt
STILL = "Your function is wrong where the given one is, and in the same way: the bug is still there."
BESIDES = "The bug of the given code is still there."


class Written(NamedTuple):
    """A wrong program that the author wrote down: the line of the page where it begins, its code, its message."""

    line: int
    code: str
    message: str
    program: Callable


class WrongPrograms:
    """Wrong lines as a text (see `lines.py`), whole wrong functions with their messages, and what the rules make.

    A rule knows the learner's numbers, not what was done to get them. So a message quotes only the learner's own line,
    and only if another line in its place makes everything right. Otherwise it says what is different in the numbers, if
    all rules that fit lead to the same comment of the solution.
    """

    def __init__(
        self, source: SolutionSource, lines: str, functions: Iterable[Wrong], starter: Callable | None
    ) -> None:
        self.source, self.text, self.lines, self.functions = source, source.whole(), lines, list(functions)
        self.starter: list[Wrong] = [(STILL, starter)] if starter else []
        self.facts, self.tree = facts(self.text), ast.parse(self.text)

    @cached_property
    def on_page(self) -> list[Written]:
        """Those that the author wrote down. Raises ValueError for a line that does not fit, with its file and line."""
        first = self._first_line()
        lines = (self._from_line(first + number, code, message) for number, code, message in messages(self.lines))
        functions = (
            Written(function.__code__.co_firstlineno, function.__name__, message, function)
            for message, function in self.functions
        )
        return [*lines, *functions]

    @cached_property
    def written(self) -> list[Wrong]:
        """The programs of the page, each after its message."""
        return [(one.message, one.program) for one in self.on_page]

    @cached_property
    def two_at_once(self) -> list[Wrong]:
        """Each two of those that the author wrote down, where they change different places."""
        whole = [*self.functions, *((BESIDES, bug) for _, bug in self.starter)]
        readable = [(message, one.__name__, text) for message, one in whole if (text := source_of(one))]
        functions = [(message, text.replace(name, self.source.name, 1)) for message, name, text in readable]
        return list(self._compiled(pairs(self.text, [*self._with_lines(), *functions])))

    @cached_property
    def made_by_rules(self) -> list[Wrong]:
        """Every rule applied to every line of the solution: what was done, and what the comment says."""
        return list(self._compiled(self._by_rules()))

    def _compiled(self, found: Iterable[tuple[str, str]]) -> Iterator[Wrong]:
        for message, text in found:
            yield message, compiled(text, self.source.name, self.source.globals)

    def _first_line(self) -> int:
        """The line of the page on which the text with the wrong lines begins."""
        page = "".join(linecache.getlines(self.source.file))
        return page.count("\n", 0, max(page.find(self.lines), 0)) + 1

    def _from_line(self, number: int, code: str, message: str) -> Written:
        place = f"{self.source.file}:{number}: {code!r}"
        if not message:
            raise ValueError(f"{place}: expected `code  # message`")
        try:
            program = compiled(with_line(self.text, code), self.source.name, self.source.globals)
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"{place}: {error}") from None
        return Written(number, code, message, program)

    def _with_lines(self) -> Iterator[tuple[str, str]]:
        return ((message, with_line(self.text, code)) for _, code, message in messages(self.lines))

    def _by_rules(self) -> Iterator[tuple[str, str]]:
        reads = Counter(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and not is_target(node))
        made = {name: one for one in statements(self.tree) for name in assigned(one) if reads[name] == 1}
        for statement in statements(self.tree):
            for parent, node in expressions(statement):
                for done, text in changed(self.tree, parent, node):
                    name = node.id if isinstance(node, ast.Name) and done.startswith(OF_A_VALUE) else ""
                    yield f"{done}. {self.fact(made.get(name, statement))}", text

    def fact(self, statement: ast.stmt) -> str:
        """What the comments of a statement say."""
        numbers = range(statement.lineno, (statement.end_lineno or 0) + 1)
        return " ".join(self.facts[number] for number in numbers if number in self.facts)

    def line(self, tried: Attempt) -> str:
        """The learner's own line, if another one in its place makes everything right, or ""."""
        for statement in statements(self.tree):
            if (fact := self.fact(statement)) and (line := mistaken_line(tried, statement, self.source)):
                return f"The mistake is in your line `{line}`. {fact}"
        return ""

    def numbers(self, tried: Attempt) -> str:
        """What is different in the numbers, if it is what one changed line of the solution does, or ""."""
        if all_alike(tried):
            return ""
        causes = [cause.partition(". ") for cause in matching(tried, self.made_by_rules, most=MANY)]
        theirs = REARRANGING - called(ast.parse(source_of(tried.function)))  # ways to go that are the solution's alone
        foreign = {self.fact(statement) for statement in statements(self.tree) if called(statement) & theirs}
        if len(facts := {fact for _, _, fact in causes}) != 1 or facts & foreign:
            return ""
        (fact,) = facts
        done = next((done for done, _, _ in causes if done != UNLIKE), UNLIKE)
        yours = f"`{tried.difference.part}`" if tried.difference.part else "result"  # the others may differ from it
        return f"Your {yours} is what you get when {done}. {fact}" if fact else ""


def all_alike(tried: Attempt) -> bool:
    """Whether the wrong results have but one number, or nan: as what was never filled, it may come from anything."""
    pairs = [found.pair for found in tried.differences if found and found.part == tried.difference.part and found.pair]
    numbers = {number for pair in pairs for number in pair.yours.ravel().tolist()}
    return len([number for number in numbers if number == number]) < 2


def called(tree: ast.AST) -> set[str]:
    """The names of all functions and methods that are called."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {getattr(function, "attr", getattr(function, "id", "")) for function in functions}


def expressions(statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Each expression in a statement that is not assigned, with its parent."""
    for parent in ast.walk(statement):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.expr) and not is_target(node):
                yield parent, node


def mistaken_line(tried: Attempt, right: ast.stmt, source: SolutionSource) -> str:
    """The learner's line for which a statement of the solution puts everything right; or "" if there is none.

    It is the only one that assigns the same, and it reads no result of other lines that the right one does not read.
    """
    text = source_of(tried.function)
    tree = ast.parse(text)
    own = [one for one in statements(tree) if target(one) == target(right)]
    made = {name for one in statements(tree) for name in assigned(one)}
    if len(own) != 1 or not read(own[0]) & made <= read(right):
        return ""
    known = {name: source.globals[name] for name in read(right) & source.globals.keys()}  # no others of the page
    scope = {**known, **getattr(tried.function, "__globals__", {})}
    one_a_line = ast.unparse(tree)  # the learner may write two statements on one
    mended = compiled(with_line(one_a_line, ast.unparse(right)), tried.function.__name__, scope)
    again = attempt(tried.spec, mended)
    is_right = again.first is None and again.complete
    return " ".join((ast.get_source_segment(text, own[0]) or "").split()) if is_right else ""
