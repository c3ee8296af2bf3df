"""A function's source in two pieces, head and body, from which stub and solution are made."""

import ast
import dis
import inspect
import re
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from .runner import Elsewhere

IDLE = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
SILENT = {"RESUME", "NOP", "CACHE", "PUSH_NULL", "PRECALL", "EXTENDED_ARG"}
SAME = {"LOAD_METHOD": "LOAD_ATTR"}


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


def not_attempted(function: Any, given: Any = None) -> bool:
    """Whether the learner has not begun: `...`, nothing, an empty body, or still the code that was given."""
    if function is None or function is Ellipsis:
        return True
    if type(function) is not FunctionType:  # isinstance would ask the object itself
        return False
    if given is None:
        return _empty(function)
    return _alike(function, given)


def methods_of(given: type) -> dict[str, FunctionType]:
    """The functions of a class by name, properties among them."""
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
    if issubclass(type(function), Elsewhere):
        return list(function.unused)  # type: ignore[attr-defined]
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


def _alike(mine: FunctionType, theirs: FunctionType) -> bool:
    """Equal code, wherever it was written and whatever its docstring says."""
    return _steps(mine.__code__, mine.__name__) == _steps(theirs.__code__, theirs.__name__)


def _steps(code: CodeType, own_name: str) -> list[tuple[str, Any]]:
    """What a code does, step by step. A method is called in other steps when the same cell imports its module."""
    steps: list[tuple[str, Any]] = [("arguments", code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])]
    told = [step for step in dis.get_instructions(code) if step.opname not in SILENT]
    for step in told:
        if isinstance(step.argval, CodeType):
            steps += _steps(step.argval, own_name)
            continue
        value = step.argval
        if step.opcode in (*dis.hasjrel, *dis.hasjabs):  # a line moved out of an `if` changes no more than this
            value = sum(other.offset < step.argval for other in told)
        steps.append((SAME.get(step.opname, step.opname), "" if value == own_name else (type(value), value)))
    return steps
