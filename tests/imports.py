"""Which files of the course a file needs: what it imports, what that imports, and so on, read from the text alone."""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def needed(*paths: Path) -> set[Path]:
    """These files and all that they need in the end. An import is seen wherever it stands, but not one by a string."""
    found, left = set(), set(paths)
    while left:
        path = left.pop()
        found.add(path)
        left |= imported(path) - found
    return found


@cache
def imported(path: Path) -> frozenset[Path]:
    """The files of the course that one file imports, with the __init__.py of every package on the way."""
    package = path.relative_to(ROOT).parts[:-1]
    names = {package}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(aliases):
                names |= {tuple(alias.name.split(".")) for alias in aliases}
            case ast.ImportFrom(module, aliases, level):
                base = (*(package[: len(package) - level + 1] if level else ()), *(module.split(".") if module else ()))
                names |= {(*base, alias.name) for alias in aliases}
    ways = {name[:length] for name in names for length in range(1, len(name) + 1)}
    files = {ROOT.joinpath(*way[:-1], end) for way in ways for end in (f"{way[-1]}.py", f"{way[-1]}/__init__.py")}
    return frozenset(file for file in files if file.is_file())


def digest(paths: Iterable[Path], *more: str) -> str:
    """Changes with the name or the content of any of these files, and with what is said besides."""
    found = hashlib.sha256(repr(more).encode())
    for path in sorted(paths):
        found.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()
