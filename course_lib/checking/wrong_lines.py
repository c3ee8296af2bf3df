"""The wrong programs of a page, and what is true of an attempt that differs in one line."""

import ast
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from types import ModuleType

from .attempt import Attempt, attempt
from .lines import assigned, facts, read, statements, target, with_line, wrong_lines
from .matching import Wrong, matching
from .rules import changed, is_target
from .slips import where
from .solution_source import SolutionSource, compiled
from .wrong_programs import WrongPrograms

# If a name is read once, these and another name in its place say something of the line that makes its value.
OF_A_VALUE = ("has the wrong sign", "is transposed", "is one too large", "is one too small")
MANY = 30  # rules that may explain one attempt
KINDS = {
    "Sub": "a difference", "Add": "a sum", "Mult": "a product", "Div": "a quotient", "FloorDiv": "a quotient",
    "Mod": "a remainder", "Pow": "a power", "MatMult": "a matrix product", "Call": "a function call", "Name": "a value",
    "Compare": "a comparison", "Constant": "a number", "Subscript": "an indexed array", "IfExp": "a choice",
}  # fmt: skip


class WrongLines(WrongPrograms):
    """The wrong programs of a page: its wrong lines and functions, and what the rules make of the solution's lines.

    A rule knows the learner's numbers, not what was done to get them. So a message quotes only the learner's own line,
    and only if another line in its place makes everything right. Otherwise it says what is different in the numbers, if
    all rules that fit lead to the same comment of the solution.
    """

    def __init__(self, source: SolutionSource, page: ModuleType, starter: Callable | None) -> None:
        super().__init__(source, "", "", starter)
        self.page, self.text = page, source.whole()
        self.facts, self.tree = facts(self.text), ast.parse(self.text)

    @cached_property
    def written(self) -> list[Wrong]:
        """The page's wrong lines and functions. Raises ValueError for a line that does not fit."""
        lines = wrong_lines(getattr(self.page, "WRONG", ""))
        functions = [function for name, function in vars(self.page).items() if name.startswith("wrong_")]
        return [
            *self._compiled((message, with_line(self.text, line)) for line, message in lines),
            *((" ".join(str(function.__doc__).split()), function) for function in functions),
        ]

    @cached_property
    def made_of_anything(self) -> list[Wrong]:
        """Every rule applied to every line of the solution: what was done, and what the comment says."""
        return list(self._compiled(self._by_rules()))

    def _by_rules(self) -> Iterator[tuple[str, str]]:
        reads = Counter(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and not is_target(node))
        made = {name: one for one in statements(self.tree) for name in assigned(one) if reads[name] == 1}
        for statement in statements(self.tree):
            for parent, node in where(statement, ""):
                kind = KINDS.get(type(getattr(node, "op", node)).__name__, "a term")
                for done, text in changed(self.tree, parent, node):
                    instead = re.fullmatch(r"uses `\w+` instead of `(\w+)`", done)
                    whole = node.id if isinstance(node, ast.Name) and done in OF_A_VALUE else instead and instead[1]
                    yield f"{kind} {done}. {self.fact(made.get(whole or '', statement))}", text

    def fact(self, statement: ast.stmt) -> str:
        """What the comments of a statement say."""
        numbers = range(statement.lineno, (statement.end_lineno or 0) + 1)
        return " ".join(self.facts[number] for number in numbers if number in self.facts)

    def by_rule(self, tried: Attempt, begin: str) -> str:
        for statement in statements(self.tree):
            if (fact := self.fact(statement)) and (line := mistaken_line(tried, statement, self.source)):
                return f"The mistake is in your line `{line}`. {fact}"
        arrays = [array for outcome in tried.run.outcomes for array in (outcome.value or {}).values()]
        if arrays and not any(array.dtype.kind == "U" or array.any() for array in arrays):
            return ""  # an array that was never filled may come from anything
        causes = [cause.partition(". ") for cause in matching(tried, self.made_of_anything, most=MANY)]
        if len({fact for _, _, fact in causes}) != 1:
            return ""
        known = tried.spec.signature.parameters.keys()
        said = (done for done, _, _ in causes if set(re.findall("`(.*?)`", done)) <= known)
        done = next(said, "one step is different")
        return f"{begin} when {done}. {causes[0][2]}".strip()


def mistaken_line(tried: Attempt, right: ast.stmt, source: SolutionSource) -> str:
    """The learner's line for which a statement of the solution puts everything right; or "" if there is none.

    It is the only one that assigns the same, and it reads no result of other lines that the right one does not read.
    """
    try:
        text = textwrap.dedent(inspect.getsource(tried.function))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError):
        return ""
    own = [one for one in statements(tree) if target(one) == target(right)]
    made = {name for one in statements(tree) for name in assigned(one)}
    if len(own) != 1 or not isinstance(tree.body[0], ast.FunctionDef) or not read(own[0]) & made <= read(right):
        return ""
    scope = {**source.globals, **getattr(tried.function, "__globals__", {})}
    mended = compiled(with_line(text, ast.unparse(right)), tree.body[0].name, scope)
    again = attempt(tried.spec, mended)
    is_right = again.first is None and again.complete
    return " ".join((ast.get_source_segment(text, own[0]) or "").split()) if is_right else ""
