"""What learners do to an expression, anywhere: leave it out, reverse it, take another argument, miss by one, …

A rule looks at one expression, or at the place where it is used, and yields what is different, which expression goes,
and the code that comes in its place. What is different is said of the numbers: another way to them has other code.
"""

import ast
import copy
from collections.abc import Iterator

Change = tuple[str, ast.AST, str]
UNLIKE = "one step is different"  # where more would be in names that the learner need not have
MODULES = ("np", "math", "torch")
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


def changed(tree: ast.Module, parent: ast.AST, node: ast.expr) -> Iterator[tuple[str, str]]:
    """(what is different, source) for each rule that fits an expression and its place."""
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    given = [argument.arg for argument in function.args.args]
    names = given + [inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name) and is_target(inner)]
    changes = [*in_its_place(parent, node), *of_itself(node)]
    if isinstance(node, ast.Name) and node.id in names:  # one name of the function where another belongs
        for other in dict.fromkeys(names):
            known = {other, node.id} <= set(given)  # the learner's own names may be others
            done = f"a value is `{other}` instead of `{node.id}`" if known else UNLIKE
            changes.append((done, node, other))
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
            yield "a value is missing", parent, f"-{rest}" if minus and first else rest
            if minus and first:
                yield "a value is missing, and so is the minus sign", parent, rest
            if first:
                yield "a value has the wrong sign", parent, f"-{here} {'-' if minus else '+'} {rest}"
            else:
                done = "a value is added instead of subtracted" if minus else "a value is subtracted instead of added"
                yield done, parent, f"{rest} {'+' if minus else '-'} {here}"
            done = f"a value is multiplied instead of {'subtracted' if minus else 'added'}"
            yield done, parent, f"{code(left)} * {code(right)}"
            yield "a value is counted twice", node, f"2 * {here}"
        case ast.BinOp(left, ast.Mult(), right):
            rest = code(right if node is left else left)
            yield "a factor is missing", parent, rest
            yield "a value divides instead of multiplying", parent, f"{rest} / {here}"
            yield "a value is applied twice", node, f"{here} * {here}"
            yield "a value is added instead of multiplied", parent, f"{code(left)} + {code(right)}"
        case ast.BinOp(left, ast.Div(), right) if node is right:
            yield "a value is missing", parent, code(left)
            yield "a value multiplies instead of dividing", parent, f"{code(left)} * {here}"
            yield "a value is applied twice", node, f"{here} * {here}"
        case ast.BinOp(left, ast.FloorDiv() | ast.Mod() | ast.Pow() | ast.MatMult(), right) if node is right:
            yield "a value is missing", parent, code(left)
        case ast.keyword("axis" | "dim"):
            yield from (("a step runs along another axis", node, str(k)) for k in (0, 1, 2, -1, -2, -3))
        case ast.Subscript(ast.Attribute(attr="shape")) if node is parent.slice:
            yield from (("a length is that of another axis", node, str(k)) for k in (0, 1, -1, -2))
        case ast.Slice():
            yield "one end of a slice is missing", node, "None"
        case ast.BoolOp(_, [first, second]):
            yield "a condition is missing", parent, code(second if node is first else first)
        case ast.Tuple([first, second]) if node is first:
            yield "two values are exchanged", parent, f"({code(second)}, {here})"


def of_itself(node: ast.expr) -> Iterator[Change]:
    """What may become of a difference, a product, a call, a comparison, a number."""
    here = code(node)
    if is_fragment(node):
        return
    match node:
        case ast.BinOp(left, ast.Sub(), right):
            yield "a difference is reversed", node, f"{code(right)} - {code(left)}"
            yield "a difference has lost its sign", node, f"abs({here})"
        case ast.BinOp(left, ast.Div(), right):
            yield "a quotient is rounded down", node, f"{code(left)} // {code(right)}"
        case ast.BinOp(left, ast.MatMult(), right):
            yield "a product is reversed", node, f"{code(right)} @ {code(left)}"
        case ast.Compare(left, [operator], [right]):
            for done, symbol in COMPARISONS.get(type(operator), {}).items():
                yield f"a comparison {done}", node, f"{code(left)} {symbol} {code(right)}"
        case ast.IfExp(_, body, orelse):
            yield "the first of two cases is always taken", node, code(body)
            yield "the second of two cases is always taken", node, code(orelse)
            yield "two cases are exchanged", node, f"{code(orelse)} if {code(node.test)} else {code(body)}"
        case ast.Subscript(value, ast.Tuple([ast.Slice(None, None, None), ast.Constant(None)])):
            yield "a new axis is missing", node, code(value)
        case ast.Subscript(value):
            yield "an index is missing", node, code(value)
        case ast.Constant(bool(value)):
            yield f"a value is {not value}", node, str(not value)
        case ast.Call():
            yield from ((done, node, text) for done, text in calls(node))
    if isinstance(node, (ast.BinOp, ast.Call, ast.Name, ast.Subscript, ast.Attribute)):
        yield "a value has the wrong sign", node, f"-{here}"
    if isinstance(node, ast.Name):
        yield "a value is transposed", node, f"{here}.T"
    is_number = not isinstance(node, ast.Constant) or type(node.value) in (int, float)
    if is_number and not isinstance(node, (ast.Compare, ast.BoolOp, ast.Tuple, ast.List, ast.Lambda, ast.JoinedStr)):
        yield "a value is one too large", node, f"{here} + 1"
        yield "a value is one too small", node, f"{here} - 1"


def calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    """What may become of `f(x)`, `x.f()` and `module.f(x, y, z)`."""
    given, options = [*map(ast.unparse, node.args)], [ast.unparse(keyword) for keyword in node.keywords]
    function = ast.unparse(node.func)
    owner = code(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else function

    def call(function: str, *arguments: str) -> str:
        return f"{function}({', '.join((*arguments, *options))})"

    if owner and owner not in MODULES:
        yield "a step is missing", owner
    elif given and not isinstance(node.args[0], ast.Starred):
        yield "a step is missing", f"({given[0]})"
    if name == "where" and len(given) == 3:
        yield "two cases are exchanged", call(function, given[0], given[2], given[1])
    if name == "clip" and len(given) == 3:
        yield "an upper limit is missing", f"np.maximum({given[0]}, {given[1]})"
        yield "a lower limit is missing", f"np.minimum({given[0]}, {given[2]})"
    if name in ("triu", "tril") and len(given) == 1:
        yield "the diagonal is left out", call(function, given[0], "1" if name == "triu" else "-1")
    if name in TWINS:
        twin = f"{owner}.{TWINS[name]}" if owner else TWINS[name]
        yield UNLIKE, call(twin, *given)
    for keyword in node.keywords:
        rest = [text for text in options if not text.startswith(f"{keyword.arg}=")]
        if keyword.arg:
            yield "an option is missing", f"{function}({', '.join((*given, *rest))})"


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
