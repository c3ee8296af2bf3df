"""One claim: the sentence, the function that computes what decides it, and the rule from its value to a verdict."""

import ast
import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

VERDICTS = ("true", "half true", "false", "unsourced")


@dataclass(frozen=True)
class Claim:
    """A sentence and what decides it.

    statement: in the words in which it goes around. fact(): computes a number, or a few of them by name. verdict(fact):
    one of VERDICTS. otherwise: a value of the fact for which the verdict would be another one. because: why, with
    {fact} where computed numbers go. stated: the verdict that these words were written for. quoted: whether the fact
    begins with what the source says or its code gives, which no line here can compute. chapter: the topic of the lesson
    in which it is run; the file of the claim has the same name.
    """

    name: str
    statement: str
    fact: Callable[[], Any]
    verdict: Callable[[Any], str]
    otherwise: Any
    because: str
    stated: str
    source: str
    chapter: str
    quoted: bool = False

    @property
    def origin(self) -> str:
        """Where the value of the fact comes from, in words."""
        return "Quoted and computed" if self.quoted else "Computed"

    @property
    def code(self) -> str:
        """The fact as text that a cell can run: the imports it uses, and the function."""
        lines, function, _ = _parsed(self.fact)
        used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
        imports = _imports(self.fact.__module__, used)
        return "\n".join([*imports, *[""][: len(imports)], *lines[function.lineno - 1 :]]).rstrip()

    @property
    def rule(self) -> str:
        """The rule of the verdict as text, on one line."""
        return _parsed(self.fact)[2]


def claim(statement: str, **details: Any) -> Callable[[Callable[[], Any]], Claim]:
    """Make a Claim of the function below, with its name and chapter; `details` are the other fields of Claim."""
    return lambda fact: Claim(
        fact.__name__, statement, fact, chapter=fact.__module__.rpartition(".")[2], **details
    )


@functools.cache
def _parsed(fact: Callable[[], Any]) -> tuple[list[str], ast.FunctionDef, str]:
    """The lines of a decorated function, its tree, and the body of the `verdict` lambda in its decorator."""
    text = inspect.getsource(fact)
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    (decorator,) = function.decorator_list
    assert isinstance(decorator, ast.Call)
    (rule,) = (word.value for word in decorator.keywords if word.arg == "verdict")
    assert isinstance(rule, ast.Lambda)
    shown = " ".join((ast.get_source_segment(text, rule.body) or "").split())
    return text.split("\n"), function, shown


@functools.cache
def _module(name: str) -> list[ast.stmt]:
    return ast.parse(inspect.getsource(sys.modules[name])).body


def _imports(module: str, used: set[str]) -> list[str]:
    """The import lines at the top of a module, as far as their names are used."""
    found = []
    for node in _module(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            node = type(node)(**dict(ast.iter_fields(node)))  # the cached one stays whole
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in used]
            found += [ast.unparse(node)] if node.names else []
    return found
