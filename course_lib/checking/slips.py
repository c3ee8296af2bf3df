"""Pieces and slips: the wrong programs of a task, written as text.

A task writes its pieces and its slips as text. An entry is a line of code and, indented below it, a sentence:

    np.arange(len(k)) - i
        the offset: It is key minus query, j − i.
    np.sqrt(q.shape[-1]) → 2
        √d is fixed at 2, which is right for four channels only.

The first is a piece: an expression of the solution, its name, and one fact about it. Every rule of rules.py that fits
makes a wrong program of it: "The offset is reversed. It is key minus query, j − i." The second is a slip that only this
task has: a text of the solution's body, what is written in its place, and the whole message. Several lines of code are
replaced together, and `... → return x` replaces the whole body. A line that begins with `or ` starts another wrong
program with the same message:

    max(a) → a[-1]
    or max(a) → sorted(a)[0]
        A smaller loss is better, so the worst loss is the largest.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from .rules import changed, is_target

ARROW = " → "
OR = "or "


@dataclass(frozen=True)
class Piece:
    """An expression of the solution, what it is called, and what is true of it."""

    code: str
    name: str
    fact: str = ""

    def says(self, done: str) -> str:
        return f"{self.name[0].upper()}{self.name[1:]} {done}. {self.fact}".rstrip()


@dataclass(frozen=True)
class Slip:
    """Texts of the solution's body, each with what is written in its place, and the message for that."""

    changes: tuple[tuple[str, str], ...]
    message: str


def read_pieces(text: str) -> list[Piece]:
    """The pieces that a text lists. Raises ValueError for an entry without a name."""
    found = []
    for lines, words in entries(text):
        name, colon, fact = words.partition(": ")
        if len(lines) != 1 or not colon:
            raise ValueError(f"piece {' / '.join(lines)!r}: expected one line of code, and below it `name: fact`")
        found.append(Piece(lines[0], name, fact))
    return found


def read_slips(text: str) -> list[Slip]:
    """The slips that a text lists. Raises ValueError for a line of code without an arrow."""
    found = []
    for lines, words in entries(text):
        for one in alternatives(lines):
            changes = tuple(tuple(part.strip() for part in f"{line} ".split(ARROW, 1)) for line in one)
            if not words or any(len(change) != 2 for change in changes):
                raise ValueError(f"slip {' / '.join(one)!r}: expected `old → new`, and below it a sentence")
            found.append(Slip(changes, words))  # type: ignore[arg-type]
    return found


def alternatives(lines: list[str]) -> list[list[str]]:
    """The lines of each wrong program of an entry: a line that begins with `or ` starts another one."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(OR):
            found.append([])
        found[-1].append(line.removeprefix(OR))
    return found


def entries(text: str) -> Iterator[tuple[list[str], str]]:
    """(lines of code, words) of each entry: what is indented belongs to the code above it."""
    code: list[str] = []
    words: list[str] = []
    for line in textwrap.dedent(text).splitlines():
        if line.startswith(" "):
            words.append(line.strip())
        elif line.strip():
            if words:
                yield code, " ".join(words)
                code, words = [], []
            code.append(line.rstrip())
    if code:
        yield code, " ".join(words)


def variants(source: str, pieces: list[Piece]) -> Iterator[tuple[str, str]]:
    """(message, source) of every wrong program that a rule makes of a piece.

    Raises ValueError for a piece that the source does not have.
    """
    for piece in pieces:
        tree = ast.parse(source)
        places = list(where(tree, piece.code))
        if not places:
            raise ValueError(f"piece {piece.code!r}: not in the solution")
        for parent, node in places:
            for done, text in changed(tree, parent, node):
                yield piece.says(done), text


def one_change(source: str) -> Iterator[tuple[str, str]]:
    """(what was done, source) of every wrong program that a rule makes of any expression of a source."""
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    for statement in function.body:
        for parent, node in where(statement, ""):
            name = ast.unparse(node)
            for done, text in changed(tree, parent, node):
                yield f"`{name}` {done}", text


def where(tree: ast.AST, code: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Each (parent, node) that reads like `code`, such as `j - i` or `axis=1`, or every one if `code` is empty."""
    is_keyword = re.match(r"\w+=[^=]", code)
    wanted = code if is_keyword or not code else ast.unparse(ast.parse(code, mode="eval"))
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            reads = ast.unparse(parent if is_keyword else node) if isinstance(node, ast.expr) else ""
            if isinstance(node, ast.expr) and not is_target(node) and wanted in ("", reads):
                yield parent, node
