"""The source of a function in chunks, one per statement: a call written over four lines is one thing to click."""

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

PARTS = ast.stmt | ast.ExceptHandler | ast.match_case
INNER = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef  # what is in it runs elsewhere


@dataclass
class Chunk:
    """Lines first … last (counted from 0); `kind` is run, doc, or idle (blank, comment, `else:`)."""

    first: int
    last: int
    kind: str
    one_step: bool = False  # no loop inside: what wakes the trace twice in a row is still the same run


@dataclass
class Source:
    name: str
    lines: list[str]
    chunks: list[Chunk]
    code: CodeType
    first_line: int

    @classmethod
    def of(cls, argument: str, function: Any) -> "Source":
        """Find the source; ValueError naming the argument when there is none (built-ins, C code)."""
        name = getattr(function, "__name__", type(function).__name__)
        plain = unwrap(function)
        if not hasattr(plain, "__code__"):
            raise ValueError(f"{argument}={name}: expected a function written in Python")
        if inspect.isgeneratorfunction(plain) or inspect.iscoroutinefunction(plain):
            raise ValueError(f"{argument}={name}: expected a plain function; a generator or coroutine only runs later")
        try:
            found, first_line = inspect.getsourcelines(plain)
        except (OSError, TypeError) as error:
            raise ValueError(
                f"{argument}={name}: its source cannot be found; expected a function from a file or a cell"
            ) from error
        lines = textwrap.dedent("".join(found)).rstrip("\n").split("\n")
        return cls(name, lines, split(lines), plain.__code__, first_line)

    def chunk_at(self, line: int) -> int | None:
        """The chunk that holds a line, counted as Python counts it in its file."""
        index = line - self.first_line
        return next((n for n, c in enumerate(self.chunks) if c.first <= index <= c.last), None)

    def text(self, chunk: Chunk) -> str:
        return "\n".join(self.lines[chunk.first : chunk.last + 1])

    def can_run(self, chunk: Chunk) -> bool:
        """Whether any instruction belongs to it: `global x` or a comment has none."""
        lines = {line - self.first_line for _, _, line in self.code.co_lines() if line is not None}
        return chunk.kind == "run" and any(n in lines for n in range(chunk.first, chunk.last + 1))


def unwrap(function: Any) -> Any:
    """The plain function inside a method, a functools.partial or a decorated function."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            return function


def split(lines: list[str]) -> list[Chunk]:
    """Statements become chunks, each line between them an idle one."""
    try:
        tree = ast.parse("\n".join(lines))
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    except (SyntaxError, StopIteration):  # a lambda, perhaps in the middle of a call: every line for itself
        return [Chunk(n, n, "run" if line.strip() else "idle") for n, line in enumerate(lines)]
    chunks = [Chunk(0, max(_first(function.body[0]) - 1, 0), "run", True)]
    chunks += [chunk for node in function.body for chunk in _chunks(node)]
    if ast.get_docstring(function, clean=False) is not None:
        chunks[1].kind = "doc"
    return _fill(sorted(chunks, key=lambda chunk: chunk.first), lines)


def _chunks(node: Any) -> Iterator[Chunk]:
    """The chunk of a statement; of a compound one its head, then its parts. An inner definition is one thing."""
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, PARTS) and not isinstance(node, INNER)]
    start, last = _first(node), (min(map(_first, parts)) if parts else node.end_lineno) - 1
    several = any(isinstance(part, ast.ListComp | ast.SetComp | ast.DictComp) for part in ast.walk(node))
    yield Chunk(start, max(start, last), "run", not parts and (last > start or several))
    for part in parts:
        yield from _chunks(part)


def _first(node: Any) -> int:
    """The first line of a statement, its decorators included, counted from 0."""
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", [])]
    return min([*decorators, (node.pattern if isinstance(node, ast.match_case) else node).lineno]) - 1


def _fill(chunks: list[Chunk], lines: list[str]) -> list[Chunk]:
    """Every line in exactly one chunk; comments and blank lines at the end of a head are let go."""
    filled: list[Chunk] = []
    for chunk in chunks:
        start = filled[-1].last + 1 if filled else 0
        if chunk.first < start:  # `if x: y` on one line: the head has it already
            continue
        filled += [Chunk(n, n, "idle") for n in range(start, chunk.first)]
        while chunk.last > chunk.first and lines[chunk.last].strip()[:1] in ("", "#"):
            chunk.last -= 1
        filled.append(chunk)
    return filled + [Chunk(n, n, "idle") for n in range(filled[-1].last + 1, len(lines))]
