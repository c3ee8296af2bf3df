"""Small mistakes made by machine: every solution with one thing in it changed, to see whether the check notices.

    mutants("def f(i, j):\n    return j - i\n")  →  [Mutant("− for +", …), Mutant("i for j", …), …]

A rule looks at one node of the syntax tree and yields (name, what stands there instead).
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = tuple[str, ast.AST]
PARTNERS = (("i", "j"), ("q", "k"), ("n_q", "n_k"), ("rows", "columns"))
MODULES = {"np", "math", "torch", "F"}
TWINS = {"log": "log1p", "log1p": "log", "triu": "tril", "tril": "triu"}
TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.Gt, ast.LtE), ast.LtE: (ast.GtE, ast.Lt), ast.Gt: (ast.Lt, ast.GtE), ast.GtE: (ast.LtE, ast.Gt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip


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
    found = {ast.unparse(tree): ""}
    for node in (node for line in function.body[1:] for node in ast.walk(line)):
        for name, new in [change for rule in (*RULES, swapped(known)) for change in rule(node)]:
            text = ast.unparse(copy.deepcopy(tree, {id(node): new}))  # the copy has `new` where `node` was
            place = f"line {getattr(node, 'lineno', 0)}.{getattr(node, 'col_offset', 0)}"
            found.setdefault(text, f"{place}: {name}: {ast.unparse(node)}")
    return [Mutant(name, text) for text, name in found.items() if name]


def signs(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(left, ast.Add(), right):
            yield "− for +", ast.BinOp(left, ast.Sub(), right)
        case ast.BinOp(left, ast.Sub(), right):
            yield "+ for −", ast.BinOp(left, ast.Add(), right)
            yield "difference turned round", ast.BinOp(right, ast.Sub(), left)
        case ast.UnaryOp(ast.USub(), operand):
            yield "minus dropped", operand


def summands(node: ast.AST) -> Iterator[Change]:
    """The + past that is forgotten, and every other summand."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), right):
            yield "summand dropped", left
            yield "first summand dropped", right


def factors(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            yield "/ for *", ast.BinOp(left, ast.Div(), right)
            yield "factor dropped", left
            yield "first factor dropped", right
            yield "factor squared", ast.BinOp(ast.BinOp(left, ast.Mult(), left), ast.Mult(), right)
        case ast.BinOp(left, ast.Div(), right):
            yield "* for /", ast.BinOp(left, ast.Mult(), right)
            yield "divisor dropped", left
            yield "divisor squared", ast.BinOp(ast.BinOp(left, ast.Div(), right), ast.Div(), right)
        case ast.BinOp(left, ast.Pow(), _):
            yield "power dropped", left
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield "/ for //", ast.BinOp(left, ast.Div(), right)
            yield "% for //", ast.BinOp(left, ast.Mod(), right)
        case ast.BinOp(left, ast.Mod(), right):
            yield "% dropped", left


def swapped(known: set[str]) -> Callable[[ast.AST], Iterator[Change]]:
    """The rule that takes one name for its partner, where both are known."""
    partner = {a: b for pair in PARTNERS if known.issuperset(pair) for a, b in (pair, pair[::-1])}

    def names(node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Name(name, ast.Load()) if name in partner:
                yield f"{partner[name]} for {name}", ast.Name(partner[name], ast.Load())

    return names


def constants(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Constant(bool(value)):
            yield f"{not value} for {value}", ast.Constant(not value)
        case ast.Constant(int(value)):
            yield "1 too many", ast.Constant(value + 1)
            yield "1 too few", ast.UnaryOp(ast.USub(), ast.Constant(1)) if value == 0 else ast.Constant(value - 1)


def axes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.keyword("axis" | "dim" as name, value):
            others = {"-1": -2, "-2": -1, "0": 1, "1": 0}
            if (other := others.get(ast.unparse(value))) is not None:
                yield "another axis", ast.keyword(name, ast.Constant(other))


def twins(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Attribute(value, name) if name in TWINS:
            yield f"{TWINS[name]} for {name}", ast.Attribute(value, TWINS[name], ast.Load())
        case ast.Call(ast.Attribute(_, "triu" | "tril") as f, [x], []):
            yield "offset 1", ast.Call(f, [x, ast.Constant(1)], [])
            yield "offset -1", ast.Call(f, [x, ast.Constant(-1)], [])


def comparisons(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left, [operator], right):
            for other in TURNED.get(type(operator), ()):
                yield f"{other.__name__} for {type(operator).__name__}", ast.Compare(left, [other()], right)


def turns(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Attribute(value, "T" | "mT"):
            yield "transpose dropped", value
        case ast.Call(ast.Attribute(value, "transpose" | "swapaxes" | "permute")) if not is_module(value):
            yield "transpose dropped", value
        case ast.Call(ast.Attribute(_, "transpose" | "swapaxes" | "moveaxis"), [value, *_]):
            yield "transpose dropped", value


def calls(node: ast.AST) -> Iterator[Change]:
    """f(x) → x, abs among them, and x.f() → x."""
    match node:
        case ast.Call(ast.Attribute(value, name), []) if not is_module(value):
            yield f"{name} dropped", value
        case ast.Call(ast.Name(name) | ast.Attribute(_, name), [value]):
            yield f"{name} dropped", value


def is_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in MODULES


RULES: tuple[Callable[[ast.AST], Iterator[Change]], ...] = (
    signs, summands, factors, constants, axes, twins, comparisons, turns, calls,
)  # fmt: skip
