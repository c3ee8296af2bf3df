"""Small mistakes made by machine: every solution with one thing in it changed, to see whether the check notices.

mutants("def f(i, j):\n    return j - i\n")  →  [Mutant("line 2.11: j - i → j + i", …), Mutant("… → i - j", …), …]
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

# What is there, and what may stand there instead; a and b are any expressions.
CHANGES = {
    "a + b": ["a - b", "a", "b"],
    "a - b": ["a + b", "b - a", "a", "b"],
    "-a": ["a"],
    "a * b": ["a / b", "a", "b", "a * a * b"],
    "a / b": ["a * b", "a", "a / b / b"],
    "a // b": ["a / b", "a % b"],
    "a % b": ["a"],
    "a**b": ["a"],
    "a < b": ["a > b", "a <= b"],
    "a <= b": ["a >= b", "a < b"],
    "a > b": ["a < b", "a >= b"],
    "a >= b": ["a <= b", "a > b"],
    "a == b": ["a != b"],
    "a != b": ["a == b"],
    "a in b": ["a not in b"],
    "a not in b": ["a in b"],
    "a.log": ["a.log1p"],
    "a.log1p": ["a.log"],
    "a.triu": ["a.tril"],
    "a.tril": ["a.triu"],
    "a.T": ["a"],
    "a.mT": ["a"],
}
RULES = [
    (ast.parse(old, mode="eval").body, [ast.parse(n, mode="eval").body for n in new]) for old, new in CHANGES.items()
]
PARTNERS = (("i", "j"), ("q", "k"), ("n_q", "n_k"), ("rows", "columns"))
MODULES = {"np", "math", "torch", "F"}


@dataclass(frozen=True)
class Mutant:
    """A changed source, and in a few words what was changed, beginning with the place (which makes the name unique)."""

    name: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Every source that differs from `source` by one change below the docstring, each once."""
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    known = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {a.arg for a in function.args.args}
    partner = {a: b for pair in PARTNERS if known.issuperset(pair) for a, b in (pair, pair[::-1])}
    found = {ast.unparse(tree): ""}
    for node in (node for line in function.body[1:] for node in ast.walk(line)):
        for new in changes(node, partner):
            text = ast.unparse(copy.deepcopy(tree, {id(node): new}))  # the copy has `new` where `node` was
            place = f"line {getattr(node, 'lineno', 0)}.{getattr(node, 'col_offset', 0)}"
            found.setdefault(text, f"{place}: {ast.unparse(node)} → {ast.unparse(new)}")
    return [Mutant(name, text) for text, name in found.items() if name]


def changes(node: ast.AST, partner: dict[str, str]) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    for pattern, replacements in RULES:
        parts: dict[str, ast.AST] = {}
        if fits(pattern, node, parts):
            yield from (Filled(parts).visit(copy.deepcopy(new)) for new in replacements)
    match node:
        case ast.Name(name, ast.Load()) if name in partner:
            yield ast.Name(partner[name], ast.Load())
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
            yield ast.UnaryOp(ast.USub(), ast.Constant(1)) if value == 0 else ast.Constant(value - 1)
        case ast.keyword("axis" | "dim" as name, value):
            others = {"-1": -2, "-2": -1, "0": 1, "1": 0}
            if (other := others.get(ast.unparse(value))) is not None:
                yield ast.keyword(name, ast.Constant(other))
        case ast.Call(f, [value, *more]):
            turns = (
                "np.transpose",
                "np.swapaxes",
                "np.moveaxis",
                "torch.transpose",
                "torch.swapaxes",
                "torch.moveaxis",
            )
            if not more or ast.unparse(f) in turns:  # f(x) → x
                yield value
            if isinstance(f, ast.Attribute) and f.attr in ("triu", "tril") and not more and not node.keywords:
                yield from (ast.Call(f, [value, ast.Constant(offset)], []) for offset in (1, -1))
    match node:  # x.f() → x
        case ast.Call(ast.Attribute(value, name), more):
            is_method = not isinstance(value, ast.Name) or value.id not in MODULES
            if is_method and (not more or name in ("transpose", "swapaxes", "permute")):
                yield value


def fits(pattern: object, node: object, parts: dict[str, ast.AST]) -> bool:
    """Whether a node has the form of a pattern; `parts` becomes what a and b are in it."""
    if isinstance(pattern, ast.Name) and isinstance(node, ast.AST):
        parts[pattern.id] = node
        return True
    if isinstance(pattern, list) and isinstance(node, list):
        return len(pattern) == len(node) and all(fits(*pair, parts) for pair in zip(pattern, node))
    if not isinstance(pattern, ast.AST) or type(pattern) is not type(node):
        return pattern == node
    return all(fits(getattr(pattern, name), getattr(node, name), parts) for name in pattern._fields if name != "ctx")


class Filled(ast.NodeTransformer):
    """Puts the parts in the places of a and b."""

    def __init__(self, parts: dict[str, ast.AST]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.parts[node.id])
