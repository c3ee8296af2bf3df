"""A function's source in two pieces, head and body, from which stub and solution are made."""

import ast
import dis
import inspect
import re
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

IDLE = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


class SolutionSource:
    """The source of `function` under a public `name`: `head` up to the docstring, `body` after it."""

    def __init__(self, function: Callable, name: str) -> None:
        text = textwrap.dedent(inspect.getsource(function))
        node = ast.parse(text).body[0]
        if not isinstance(node, ast.FunctionDef) or ast.get_docstring(node) is None or len(node.body) < 2:
            raise ValueError(f"{name}: expected a def with a docstring and a body below it")
        lines = re.sub(rf"\b{re.escape(function.__name__)}\b", name, text).rstrip().splitlines()
        end = node.body[0].end_lineno or 0
        self.name, self.globals = name, getattr(function, "__globals__", {})
        self.file = inspect.getsourcefile(function) or ""
        self.head = "\n".join(lines[node.lineno - 1 : end])
        self.body = "\n".join(lines[end:])

    def stub(self) -> str:
        return f"{self.head}\n    ..."

    def whole(self) -> str:
        return f"{self.head}\n{self.body}"


def compiled(text: str, name: str, scope: dict[str, Any], file: str = "") -> Callable:
    """The function `name` that `text` defines, in a copy of `scope`."""
    scope = dict(scope)
    exec(compile(text, file or f"<{name}>", "exec"), scope)
    return scope[name]


def source_of(function: Callable) -> str:
    """The source of a function that was written with `def`, or "" if there is none to be had."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
        return text if isinstance(ast.parse(text).body[0], ast.FunctionDef) else ""
    except (OSError, TypeError, SyntaxError, IndexError):
        return ""


def not_attempted(function: Any, given: str = "") -> bool:
    """Whether the learner has not begun: `...`, nothing, an empty body, or still the code that was given."""
    if function is None or function is Ellipsis:
        return True
    if type(function) is not FunctionType:  # isinstance would ask the object itself
        return False
    return _without_words(source_of(function)) == _without_words(given) if given else _empty(function)


def _without_words(source: str) -> str:
    """What a function does, whatever its docstring and its comments say."""
    tree = ast.parse(source)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and ast.get_docstring(function) is not None:
            del function.body[0]
    return ast.dump(tree)


def methods_of(given: type) -> dict[str, FunctionType]:
    """The functions that its author wrote in a class by name, properties among them."""
    found = {name: value.fget if isinstance(value, property) else value for name, value in vars(given).items()}
    return {name: value for name, value in found.items() if type(value) is FunctionType}


def blank_class(given: Any) -> bool:
    """Whether a class has methods, and none of them but `__init__` has a body."""
    if not issubclass(type(given), type):
        return False
    bodies = {name: f for name, f in methods_of(given).items() if name != "__init__"}
    return bool(bodies) and all(map(not_attempted, bodies.values()))


def unused_parameters(function: Callable) -> list[str]:
    """The parameters that a plain function never reads."""
    if type(function) is not FunctionType:
        return []
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    read: set[Any] = set(code.co_cellvars)
    for step in dis.get_instructions(code):
        if step.opname.startswith("LOAD_FAST") or "_LOAD_FAST" in step.opname:
            read.update(step.argval if isinstance(step.argval, tuple) else (step.argval,))
    return [name for name in names if name not in read]


def _empty(function: Callable) -> bool:
    steps = list(dis.get_instructions(function))
    consts = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    return all(step.opname in IDLE for step in steps) and consts[-1] in (None, Ellipsis)
