"""The source of a function in chunks, one per statement: a call written over four lines is one thing to click."""

import ast
import functools
import inspect
import textwrap
from dataclasses import dataclass
from types import CodeType
from typing import Any


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
    chunks = [Chunk(0, max(function.body[0].lineno - 2, 0), "run", True)]
    doc = ast.get_docstring(function, clean=False) is not None
    for number, node in enumerate(function.body):
        _add(node, chunks, is_doc=doc and number == 0)
    return _fill(sorted(chunks, key=lambda chunk: chunk.first), lines)


def _add(node: Any, chunks: list[Chunk], is_doc: bool = False) -> None:
    """The chunk of a statement; of a compound one its head, then its parts."""
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
    parts = [part for name in ("body", "handlers", "orelse", "finalbody", "cases") for part in getattr(node, name, [])]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        parts = []  # what stands in an inner function runs elsewhere; its definition is one thing
    if not parts:
        last = node.end_lineno - 1
        several = last > start or any(isinstance(n, ast.ListComp | ast.SetComp | ast.DictComp) for n in ast.walk(node))
        chunks.append(Chunk(start, last, "doc" if is_doc else "run", several))
        return
    first_part = min(_line(part) for part in parts) - 1
    chunks.append(Chunk(start, max(first_part - 1, start), "run"))
    for part in parts:
        if isinstance(part, ast.match_case):
            chunks.append(Chunk(_line(part) - 1, max(part.body[0].lineno - 2, _line(part) - 1), "run"))
            for inner in part.body:
                _add(inner, chunks)
        else:
            _add(part, chunks)


def _line(node: Any) -> int:
    return int(node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno)


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
