"""The source of a function in chunks, one per statement: a call written over four lines is one thing to click."""

import ast
import inspect
import textwrap
from dataclasses import dataclass
from types import CodeType
from typing import Any

PARTS = ast.stmt | ast.ExceptHandler
INNER = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef  # what is in it runs elsewhere


@dataclass
class Chunk:
    """Lines first … last (counted from 0): a statement, the head of one, or something else (a comment, `else:`)."""

    first: int
    last: int
    doc: bool = False
    one_step: bool = False  # no loop inside: what wakes the trace twice in a row is still the same run


@dataclass
class Source:
    name: str
    lines: list[str]
    chunks: list[Chunk]
    code: CodeType
    first_line: int

    @classmethod
    def of(cls, function: Any) -> "Source":
        """Find the source; ValueError for what is not written in Python, OSError where its file is missing."""
        name = getattr(function, "__name__", type(function).__name__)
        if not hasattr(function, "__code__"):
            raise ValueError(f"function={name}: expected a function written in Python")
        found, first_line = inspect.getsourcelines(function)
        lines = textwrap.dedent("".join(found)).rstrip("\n").split("\n")
        return cls(name, lines, split(lines), function.__code__, first_line)

    def chunk_at(self, line: int) -> int | None:
        """The chunk that holds a line, counted as Python counts it in its file."""
        index = line - self.first_line
        return next((n for n, c in enumerate(self.chunks) if c.first <= index <= c.last), None)

    def text(self, chunk: Chunk) -> str:
        return "\n".join(self.lines[chunk.first : chunk.last + 1])

    def can_run(self, chunk: Chunk) -> bool:
        """Whether any instruction belongs to it: `global x` or a comment has none."""
        lines = {line - self.first_line for _, _, line in self.code.co_lines() if line is not None}
        return any(n in lines for n in range(chunk.first, chunk.last + 1))


def split(lines: list[str]) -> list[Chunk]:
    """Statements become chunks, and so does each line between them. An inner definition is one thing."""
    try:
        tree = ast.parse("\n".join(lines))
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    except (SyntaxError, StopIteration):  # a lambda, perhaps in the middle of a call: every line for itself
        return [Chunk(n, n) for n in range(len(lines))]
    doc = _first(function.body[0]) if ast.get_docstring(function) is not None else None
    heads: dict[int, Any] = {}
    for node in ast.walk(function):  # from the outside in: of `if x: y` on one line, the head comes first
        if isinstance(node, PARTS):
            heads.setdefault(_first(node), node)
    chunks: list[Chunk] = []
    while (start := chunks[-1].last + 1 if chunks else 0) < len(lines):
        head = heads.get(start)
        inside = [] if isinstance(head, INNER) and head is not function else getattr(head, "body", [])
        last = max(start, _first(inside[0]) - 1 if inside else getattr(head, "end_lineno", start + 1) - 1)
        while last > start and lines[last].strip()[:1] in ("", "#"):  # comments and blank lines at the end of a head
            last -= 1
        chunks.append(Chunk(start, last, start == doc, one_step=head is function or not inside))
    return chunks


def _first(node: Any) -> int:
    """The first line of a statement, its decorators included, counted from 0."""
    return min(part.lineno for part in (*getattr(node, "decorator_list", []), node)) - 1
