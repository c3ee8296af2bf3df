"""The lines of a function and their comments: what a comment says, and one line put in the place of another."""

import ast
import textwrap
from collections.abc import Iterator


def split(line: str) -> tuple[str, str]:
    """The code of a line and its comment."""
    code, _, words = f"  {line.strip()}".partition("  # ")
    return code.strip(), words.strip()


def facts(source: str) -> dict[int, str]:
    """What the comments say of a line, by its number: behind it, or on lines of their own above it."""
    found: dict[int, str] = {}
    above: list[str] = []
    for number, (code, words) in enumerate(map(split, source.splitlines()), 1):
        above += [words] * bool(words)
        if code and above:
            found[number], above = " ".join(above), []
    return found


def bare(source: str) -> str:
    """A source without its comments."""
    lines = [line for line in source.splitlines() if split(line)[0] or not line.strip()]
    return "\n".join(line.partition("  # ")[0].rstrip() for line in lines)


def messages(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line of code with its number in the text, from 0, and its message: the comment behind it.

    Further lines may continue a comment. A line without one has the message of the next, or "" if there is none.
    """
    waiting: list[tuple[int, str]] = []
    message = ""
    for number, (code, words) in enumerate(map(split, text.splitlines())):
        if code and message:
            yield from ((*line, message) for line in waiting)
            waiting, message = [], ""
        waiting += [(number, code)] * bool(code)
        message = f"{message} {words}".strip()
    yield from ((*line, message) for line in waiting)


def with_line(source: str, line: str) -> str:
    """A function with each statement of `line` in the place of the one that assigns the same, or that returns.

    If none has just this target, those that assign one of its names go. A statement that reads what it assigns comes
    after the old one, unless the old one does so as well, and one that assigns a parameter comes first. Raises
    ValueError if there is no place for it.
    """
    for new in ast.parse(line).body:
        tree, lines = ast.parse(source), source.splitlines()
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)
        old = [one for one in statements(function) if target(one) == target(new)]
        old = old or [one for one in statements(function) if assigned(one) & assigned(new)]
        if not old and not assigned(new) <= {argument.arg for argument in function.args.args}:
            raise ValueError(f"{function.name}: no line of the function assigns {target(new)}")
        place = max(old, key=lambda one: one.lineno, default=function.body[:2][-1])
        text = textwrap.indent(ast.get_source_segment(line, new) or "", " " * place.col_offset)
        lines.insert(place.end_lineno or 0 if old else place.lineno - 1, text)
        after = assigned(new) & read(new)
        for one in sorted((one for one in old if not after or after & read(one)), key=lambda one: -one.lineno):
            del lines[one.lineno - 1 : one.end_lineno]
        source = "\n".join(lines)
    return source


def statements(tree: ast.AST) -> list[ast.stmt]:
    """The statements that assign or return, wherever they are."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and target(node)]


def target(statement: ast.stmt) -> str:
    """What a statement assigns, as code; `return`; or "" for any other."""
    match statement:
        case ast.Return():
            return "return"
        case ast.Assign(targets=[one]) | ast.AugAssign(target=one) | ast.AnnAssign(target=one):
            return ast.unparse(one)
    return ""


def assigned(statement: ast.stmt) -> set[str]:
    """The names that a statement assigns, whole or in part: `output` in `output[order] = rows`."""
    if isinstance(statement, ast.Return):
        return {"return"}
    targets = ast.parse(target(statement), mode="eval").body
    parts = targets.elts if isinstance(targets, ast.Tuple) else [targets]
    return {ast.unparse(part).partition("[")[0] for part in parts}


def read(statement: ast.stmt) -> set[str]:
    """The names in the value of a statement, and for `x += 1` the `x`."""
    value = getattr(statement, "value", None) or ast.Constant(None)
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return names | (assigned(statement) if isinstance(statement, ast.AugAssign) else set())
