"""What learners do to an expression, anywhere: leave it out, reverse it, take another argument, miss by one, …

A rule looks at one expression, or at the place where it is used, and yields what was done, which expression goes, and
the code that comes in its place.
"""

import ast
import copy
from collections.abc import Iterator

Change = tuple[str, ast.AST, str]
MODULES = ("np", "math", "torch", "F", "oracle")
TWINS = {
    "log": "log1p", "log1p": "log", "log2": "log", "exp": "log", "sqrt": "square", "sin": "cos", "cos": "sin",
    "triu": "tril", "tril": "triu", "floor": "ceil", "ceil": "floor", "min": "max", "max": "min", "any": "all",
    "all": "any", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "sum": "mean",
    "mean": "sum", "repeat": "tile", "tile": "repeat", "zeros": "ones", "ones": "zeros",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], dict[str, str]] = {
    ast.Lt: {"includes the case of equality": "<=", "is reversed": ">", "is negated": ">="},
    ast.LtE: {"leaves out the case of equality": "<", "is reversed": ">=", "is negated": ">"},
    ast.Gt: {"includes the case of equality": ">=", "is reversed": "<", "is negated": "<="},
    ast.GtE: {"leaves out the case of equality": ">", "is reversed": "<=", "is negated": "<"},
    ast.Eq: {"is negated": "!="},
    ast.NotEq: {"is negated": "=="},
}
BY_NAME = {"sqrt", "log", "log1p", "exp", "abs", "arange", "len", "int", "float"}  # what a call does is in its name


def changed(tree: ast.Module, parent: ast.AST, node: ast.expr) -> Iterator[tuple[str, str]]:
    """(what was done, source) for each rule that fits an expression and its place."""
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    names += [inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name) and is_target(inner)]
    changes = [*in_its_place(parent, node), *of_itself(node)]
    if isinstance(node, ast.Name) and node.id in names:  # one name of the function where another belongs
        changes += [(f"is `{other}` instead of `{node.id}`", node, other) for other in dict.fromkeys(names)]
    for done, old, code in changes:
        new = ast.parse(code, mode="eval").body
        text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree, {id(old): new})))
        if text != ast.unparse(tree):
            yield done, text


def in_its_place(parent: ast.AST, node: ast.expr) -> Iterator[Change]:
    """What may become of a summand, a factor, a divisor, an axis, an end of a slice."""
    here = code(node)
    if is_fragment(node) or (isinstance(parent, ast.Tuple) and is_fragment(parent)):
        return
    match parent:
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            minus, first = isinstance(sign, ast.Sub), node is left
            rest = code(right if first else left)
            yield "is missing", parent, f"-{rest}" if minus and first else rest
            if minus and first:
                yield "is missing, and so is the minus sign", parent, rest
            if first:
                yield "has the wrong sign", parent, f"-{here} {'-' if minus else '+'} {rest}"
            else:
                done = "is added instead of subtracted" if minus else "is subtracted instead of added"
                yield done, parent, f"{rest} {'+' if minus else '-'} {here}"
            done = f"is multiplied instead of {'subtracted' if minus else 'added'}"
            yield done, parent, f"{code(left)} * {code(right)}"
            yield "is counted twice", node, f"2 * {here}"
        case ast.BinOp(left, ast.Mult(), right):
            rest = code(right if node is left else left)
            yield "is missing", parent, rest
            yield "divides instead of multiplying", parent, f"{rest} / {here}"
            yield "is applied twice", node, f"{here} * {here}"
            yield "is added instead of multiplied", parent, f"{code(left)} + {code(right)}"
        case ast.BinOp(left, ast.Div(), right) if node is right:
            yield "is missing", parent, code(left)
            yield "multiplies instead of dividing", parent, f"{code(left)} * {here}"
            yield "is applied twice", node, f"{here} * {here}"
        case ast.BinOp(left, ast.FloorDiv() | ast.Mod() | ast.Pow() | ast.MatMult(), right) if node is right:
            yield "is missing", parent, code(left)
        case ast.keyword("axis" | "dim"):
            yield from (("runs along another axis", node, str(k)) for k in (0, 1, 2, -1, -2, -3))
        case ast.Slice():
            yield "is missing", node, "None"
        case ast.BoolOp(_, [first, second]):
            yield "is missing", parent, code(second if node is first else first)
        case ast.Tuple([first, second]) if node is first:
            yield "comes second instead of first", parent, f"({code(second)}, {here})"


def of_itself(node: ast.expr) -> Iterator[Change]:
    """What may become of a difference, a product, a call, a comparison, a number."""
    here = code(node)
    if is_fragment(node):
        return
    match node:
        case ast.BinOp(left, ast.Sub(), right):
            yield "is reversed", node, f"{code(right)} - {code(left)}"
            yield "has lost its sign", node, f"abs({here})"
        case ast.BinOp(left, ast.Div(), right):
            yield "is rounded down", node, f"{code(left)} // {code(right)}"
        case ast.BinOp(left, ast.MatMult(), right):
            yield "is reversed", node, f"{code(right)} @ {code(left)}"
        case ast.Compare(left, [operator], [right]):
            for done, symbol in COMPARISONS.get(type(operator), {}).items():
                yield done, node, f"{code(left)} {symbol} {code(right)}"
        case ast.IfExp(_, body, orelse):
            yield "always takes its first branch", node, code(body)
            yield "always takes its second branch", node, code(orelse)
        case ast.Subscript(value, ast.Tuple([ast.Slice(None, None, None), ast.Constant(None)])):
            yield "has lost its new axis", node, code(value)
        case ast.Subscript(value):
            yield "has lost its index", node, code(value)
        case ast.Constant(bool(value)):
            yield f"is {not value}", node, str(not value)
        case ast.Call():
            yield from ((done, node, text) for done, text in calls(node))
    if isinstance(node, (ast.BinOp, ast.Call, ast.Name, ast.Subscript, ast.Attribute)):
        yield "has the wrong sign", node, f"-{here}"
    if isinstance(node, ast.Name):
        yield "is transposed", node, f"{here}.T"
    is_number = not isinstance(node, ast.Constant) or type(node.value) in (int, float)
    if is_number and not isinstance(node, (ast.Compare, ast.BoolOp, ast.Tuple, ast.List, ast.Lambda, ast.JoinedStr)):
        yield "is one too large", node, f"{here} + 1"
        yield "is one too small", node, f"{here} - 1"


def calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    """What may become of `f(x)`, `x.f()` and `module.f(x, y, z)`."""
    given, options = [*map(ast.unparse, node.args)], [ast.unparse(keyword) for keyword in node.keywords]
    function = ast.unparse(node.func)
    owner = code(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else function
    missing = f"has lost its `{name}`" if name in BY_NAME else "is missing"

    def call(function: str, *arguments: str) -> str:
        return f"{function}({', '.join((*arguments, *options))})"

    if owner and owner not in MODULES:
        yield missing, owner
    elif given and not isinstance(node.args[0], ast.Starred):
        yield missing, f"({given[0]})"
    if name == "where" and len(given) == 3:
        yield "has its two branches exchanged", call(function, given[0], given[2], given[1])
    if name == "clip" and len(given) == 3:
        yield "has no upper end", f"np.maximum({given[0]}, {given[1]})"
        yield "has no lower end", f"np.minimum({given[0]}, {given[2]})"
    if name in ("triu", "tril") and len(given) == 1:
        yield "leaves out the diagonal", call(function, given[0], "1" if name == "triu" else "-1")
    if name in TWINS:
        twin = f"{owner}.{TWINS[name]}" if owner else TWINS[name]
        yield f"uses `{TWINS[name]}` instead of `{name}`", call(twin, *given)
    for keyword in node.keywords:
        rest = [text for text in options if not text.startswith(f"{keyword.arg}=")]
        if keyword.arg:
            yield f"goes without `{keyword.arg}=`", f"{function}({', '.join((*given, *rest))})"


def is_target(node: ast.AST) -> bool:
    """Whether a name or the like is written to, not read."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def is_fragment(node: ast.AST) -> bool:
    """Whether a node is `a:b` or `*a`, or a tuple with one in it: no expression by itself."""
    fragment = isinstance(node, (ast.Slice, ast.Starred))
    return fragment or (isinstance(node, ast.Tuple) and any(map(is_fragment, node.elts)))


def code(node: ast.AST) -> str:
    """An expression as code that keeps its meaning inside any other."""
    simple = isinstance(node, (ast.Name, ast.Constant, ast.Call, ast.Subscript, ast.Attribute))
    return ast.unparse(node) if simple else f"({ast.unparse(node)})"
