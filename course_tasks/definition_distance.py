"""How far back does a program name the variable it uses? Tokens from a use of a local to its latest definition.

from course_tasks.definition_distance import distances, standard_library
distances("def f(a):\\n    return a\\n")          [4], over `) : return a`
for name, source in standard_library(limit=40).items():
    print(name, np.median(distances(source)))
"""

import ast
import io
import os
import tokenize
from bisect import bisect_left
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
FIRST = ("iter", "value")  # what Python evaluates before the fields that stand left of it
# Modules of Python 3.11 that 3.12 or 3.13 has no longer, or has as a folder.
NOT_EVERYWHERE = {
    "aifc", "asynchat", "asyncore", "cgi", "cgitb", "chunk", "crypt", "imghdr", "imp", "mailcap", "nntplib", "pathlib",
    "pipes", "smtpd", "sndhdr", "sunau", "sysconfig", "telnetlib", "uu", "xdrlib", "zipfile",
}  # fmt: skip

Place = tuple[int, int]  # a line and the bytes before it in that line, as ast counts
Token = tuple[Place, str]  # where it begins, and its text


def distances(source: str) -> NDArray[np.int64]:
    """Tokens from each use of a local variable back to its latest definition in the same function: whole numbers ≥ 1.

    The definition must stand before the use. Parameters are definitions, and so is whatever else binds a name: =, for,
    with, except, import, :=, def, class, case. In `x = x + 1` the x on the right is the one defined before; the
    variables of a comprehension are its own. Globals, built-ins, attributes and what comes from an enclosing function
    do not count. Tokens are Python's, without comments, line ends and indentation; an f-string is one token, and what
    is in it is not looked at. Functions come in the order of `ast.walk`. Raises SyntaxError for what is no Python.
    """
    found = []
    tree, tokens = ast.parse(source), tokens_of(source)
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            last: dict[str, int] = {}
            for i, name, binds in _Locals(tokens).of(function):
                if binds:
                    last[name] = i
                elif last.get(name, i) < i:
                    found.append(i - last[name])
    return np.array(found, dtype=np.int64)


def standard_library(limit: int | None = None) -> dict[str, str]:
    """The sources of Python's standard library by module: the first `limit` in alphabetical order, or all.

    These are the public modules of one file that every Python from 3.11 to 3.13 has; their sources are those of the
    Python that runs. Raises ValueError for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit!r}: expected a number of modules, at least 1, or None for all")
    files = sorted(Path(os.__file__).parent.glob("[a-z]*.py"))
    return {file.stem: _read(file) for file in [f for f in files if f.stem not in NOT_EVERYWHERE][:limit]}


def tokens_of(source: str) -> list[Token]:
    """The tokens of a program in order, each with where it begins."""
    found: list[Token] = []
    lines = source.split("\n")
    depth = 0  # of f-strings, which Python 3.12 and later take apart
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind, (line, column) = tokenize.tok_name[token.type], token.start
        if not depth and token.type not in LAYOUT:
            text = lines[line - 1]
            found.append(((line, column if text.isascii() else len(text[:column].encode())), token.string))
        depth += kind.endswith("STRING_START") - kind.endswith("STRING_END")
    return found


def _read(file: Path) -> str:
    with tokenize.open(file) as text:
        return text.read()


class _Locals:
    """Where the variables of one function occur: `found` has (token, name, whether it is bound there).

    They come in the order in which Python gets to them. A variable of a comprehension is renamed, to keep it apart.
    """

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.outside = tokens, set[str]()
        self.found: list[tuple[int, str, bool]] = []

    def of(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[tuple[int, str, bool]]:
        given = function.args
        for one in (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg):
            if one is not None:
                self.bind(one.arg, _start(one))
        for node in function.body if isinstance(function.body, list) else [function.body]:
            self.read(node, {})
        own = {name for _, name, binds in self.found if binds} - self.outside
        return [occurrence for occurrence in self.found if occurrence[1] in own]

    def bind(self, name: str, place: Place) -> None:
        """The name gets its value at the first token from `place` on that reads so."""
        i = bisect_left(self.tokens, (place, ""))
        while self.tokens[i][1] != name:
            i += 1
        self.found.append((i, name, True))

    def read(self, node: ast.AST, renamed: dict[str, str]) -> None:
        """Add what occurs in a node; `renamed` are the variables of the comprehensions around it."""
        match node:
            case ast.JoinedStr():
                return  # where Python 3.11 puts the names of an f-string is not where they stand
            case ast.Name(name, context):
                i = bisect_left(self.tokens, (_start(node), ""))
                self.found.append((i, renamed.get(name, name), isinstance(context, ast.Store)))
            case ast.AugAssign(ast.Name(name) as target, _, value):
                self.read(value, renamed)
                self.found.append((bisect_left(self.tokens, (_start(target), "")), name, False))
                self.read(target, renamed)
            case ast.Global(names) | ast.Nonlocal(names):
                self.outside.update(names)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self.comprehension(node, renamed)
            case ast.Lambda():
                self.children(node, renamed, skip=("body",))
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                self.children(node, renamed, skip=("body", "type_params"))
                self.bind(name, _start(node))
            case ast.alias(name, None):
                self.bind(name.partition(".")[0], _start(node))
            case ast.alias(_, str(name)):
                self.bind(name, _end(node, name))
            case ast.ExceptHandler(ast.AST() as kind, str(name)):
                self.read(kind, renamed)
                self.bind(name, _end(kind))
                self.children(node, renamed, skip=("type",))
            case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                self.children(node, renamed)
                self.bind(name, _end(node, name))
            case ast.MatchMapping(_, patterns, str(name)):
                self.children(node, renamed)
                self.bind(name, _end(patterns[-1]) if patterns else _start(node))
            case _:
                self.children(node, renamed)

    def children(self, node: ast.AST, renamed: dict[str, str], skip: tuple[str, ...] = ()) -> None:
        for field in sorted(node._fields, key=lambda field: field not in FIRST):
            value = () if field in skip else getattr(node, field, ())
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.read(child, renamed)

    def comprehension(self, node: Any, renamed: dict[str, str]) -> None:
        first, *others = node.generators
        targets = [name for part in node.generators for name in ast.walk(part.target) if isinstance(name, ast.Name)]
        inner = {name.id: f"{name.id} {node.lineno}:{node.col_offset}" for name in targets}
        self.read(first.iter, renamed)  # the only part that does not see the new variables
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in (first.target, *first.ifs, *others, *results):
            self.read(part, renamed | inner)


def _start(node: Any) -> Place:
    return node.lineno, node.col_offset


def _end(node: Any, name: str = "") -> Place:
    """Where a node ends, or where the name begins that it ends with."""
    return node.end_lineno, node.end_col_offset - len(name.encode())
