"""Distances in code against programs counted by hand, the definition in loops, and what Python itself compiles."""

import dis
import inspect
import re

import numpy as np
import pytest

from course_tasks.definition_distance import FUNCTIONS, _Locals, ast, distances, standard_library, tokens_of

COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code of its own before Python 3.12

COUNTED = {
    "a parameter": ("def f(a):\n    return a\n", [4]),
    "the latest definition counts": ("def f(a):\n    a = 1\n    return a + a\n", [4, 6]),
    "of a function alone": ("x = 1\nprint(x)\ndef f():\n    return x + len('x')\n", []),
    "comments and line ends are no tokens": ("def f(a):  # the a\n\n    # a\n    return (\n        a)\n", [5]),
    "the right side reads what was before": ("def f(a):\n    a = a + 1\n", [5]),
    "an augmented assignment reads, then binds": ("def f(a):\n    a += 1\n    return a\n", [3, 4]),
    "for": ("def f():\n    for k in 'abc':\n        k(k)\n", [4, 6]),
    "the row of a for is read first": ("def f(k):\n    for k in k:\n        pass\n", [6]),
    "with": ("def f():\n    with g() as x, h(x) as y:\n        y(x)\n", [4, 2, 11]),
    "except": ("def f():\n    try:\n        pass\n    except (A, B) as e:\n        e(e)\n", [2, 4]),
    "import": ("def f():\n    import o.p\n    import a.b as a\n    from c import d as d\n    o(a, d)\n", [15, 9, 5]),
    "walrus": ("def f():\n    if (m := g()):\n        m()\n", [7]),
    "def and class": ("def f():\n    def g(): pass\n    class C(g): h = g\n    C(g)\n", [8, 8, 16]),
    "a decorator and a default are outside": ("def f(a):\n    @a\n    def g(b=a): return b\n", [4, 10, 6]),
    "lambda": ("h = lambda a, *b: a + b\n", [5, 4]),
    "all kinds of parameters": ("def f(a, /, b, *c, d, **e):\n    a, b, c, d, e\n", [15, 13, 12, 12, 11]),
    "the name of an argument is no use": ("def f(a):\n    g(a=a).a\n", [7]),
    "several targets": ("def f():\n    (a, *b), c = d.e = f[0] = g\n    a, b, c\n", [18, 17, 16]),
    "a use before the definition": ("def f():\n    while g():\n        h(x)\n        x = 1\n    return x\n", [4]),
    "del is a use": ("def f(a):\n    del a\n", [4]),
    "global": ("def f():\n    global x\n    x = 1\n    return x\n", []),
    "nonlocal": ("def f(x):\n    def g():\n        nonlocal x\n        x = 1\n        return x\n    return x\n", [16]),
    "an enclosing variable": ("def f(x):\n    def g():\n        return x\n    return g\n", [7]),
    "a comprehension binds to its right": ("def f(a):\n    return [x for x in a if x]\n", [9, 4]),
    "a comprehension's variable is its own": ("def f(x):\n    return [x + 1 for x in x], x\n", [11, 14]),
    "two generators": ("def f(a):\n    return {y: z for y in a for z in y if z}\n", [11, 6, 4]),
    "a comprehension in a comprehension": ("def f(a):\n    [[x for x in y] for y in a if y]\n", [14, 4]),
    "match": (
        "def f(a):\n    match a:\n        case [x, *y] | {'k': x, **y}: x, y\n        case C(z=z) as w: z, w\n",
        [4, 6, 5, 5, 4],
    ),
    "an f-string is one token, and not looked at": ("def f(a):\n    g(f'{a} {a:>{a}}', f'a', a)\n", [9]),
    "letters of several bytes": ("def f(ä):\n    return 'ö' + ä\n", [6]),
    "nothing": ("", []),
}  # fmt: skip


@pytest.mark.parametrize(("source", "right"), COUNTED.values(), ids=COUNTED)
def test_programs_counted_by_hand(source, right):
    assert sorted(distances(source)) == sorted(right)


@pytest.mark.parametrize("seed", range(20))
def test_assignments_in_a_row_agree_with_the_definition(seed):
    """Each use looks back, token by token, for the same name at the beginning of an earlier line or in the header."""
    rng = np.random.default_rng(seed)
    lines = ["def f ( a , b ) :"]
    for _ in range(30):
        target, one, other = rng.choice(list("abcd"), size=3)
        lines.append(f"    {target} = {one} + {other}")
    right, before, bound = [], lines[0].split(), [3, 5]
    for line in lines[1:]:
        tokens = line.split()
        for place in (2, 4):
            back = [k for k in bound if before[k] == tokens[place]]
            right += [len(before) + place - back[-1]] if back else []
        bound.append(len(before))
        before += tokens
    assert distances("\n".join(lines)).tolist() == right


def test_uses_and_definitions_are_those_that_python_compiles():
    """Every plain read and write of a local in the bytecode, with its place, is one that was found."""
    asked = 0
    for module, source in standard_library(limit=12).items():
        tokens = tokens_of(source)
        found = {
            (tokens[i], binds)
            for function in ast.walk(ast.parse(source))
            if isinstance(function, FUNCTIONS)
            for i, _, binds in _Locals(tokens).of(function)
        }
        texts = dict(tokens)
        compiled = {
            (((at.lineno, at.col_offset), step.argval), step.opname == "STORE_FAST")
            for code in codes(compile(source, module, "exec"))
            for step in dis.get_instructions(code)
            if step.opname in ("LOAD_FAST", "STORE_FAST")
            and (at := step.positions).lineno
            and texts.get((at.lineno, at.col_offset)) == step.argval
        }
        # At the end of an except clause Python sets its variable to None, and says that this stands where it was read.
        compiled -= {(token, True) for token, binds in compiled if not binds}
        assert compiled <= found, (module, sorted(compiled - found)[:5])
        asked += len(compiled)
    assert asked > 3000


def codes(code, inside=False):
    """The code of every function, and of the comprehensions in functions."""
    inside = inside if code.co_name in COMPREHENSIONS else bool(code.co_flags & inspect.CO_NEWLOCALS)
    if inside:
        yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from codes(constant, inside)


def test_tokens_are_those_of_the_text():
    source = "def f(a):  # why\n    return (a +\n            'two\\n')\n"
    assert [text for _, text in tokens_of(source)] == re.findall(r"\w+|'[^']*'|[^\s\w]", source.replace("# why", ""))


def test_distances_in_the_standard_library():
    """Bounds that hold for every Python: the sources are not the same, and their style is."""
    sources = standard_library(limit=20)
    assert len(sources) == 20 and list(sources) == sorted(sources)
    found = np.concatenate([distances(source) for source in sources.values()])
    assert len(found) > 3000 and found.min() >= 1
    assert 15 < np.median(found) < 60
    assert 0.3 < (found > 32).mean() < 0.6
    assert 0.03 < (found > 128).mean() < 0.25


def test_the_modules_are_public_files_that_every_python_has():
    names = list(standard_library())
    assert {"ast", "inspect", "tokenize"} <= set(names) and not {"pathlib", "imp", "_strptime"} & set(names)
    assert len(names) > 100


def test_what_is_wrong_is_refused():
    with pytest.raises(ValueError, match=re.escape("limit=0: expected a number of modules, at least 1, or None")):
        standard_library(limit=0)
    with pytest.raises(SyntaxError):
        distances("def f(:\n")
