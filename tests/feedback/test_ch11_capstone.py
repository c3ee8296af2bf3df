"""Chapter 11: what a learner reads after a slip."""

# ruff: noqa: E501 (a slip reads best in one piece)

import ast
import linecache
from pathlib import Path

import nbformat
import pytest

from course_lib.tasks import ch11, tasks_of
from course_lib.tasks.ch11.log_kernel import numbers
from tools.build import from_percent

from ..mutants import mutants
from .slips import each, told

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
CH11 = tasks_of("ch11")
KERPLE = CH11["Kerple"]

# ---------------------------------------------------------------- the hook


HOOK = """
    distance = {distance}
    return {bias}
"""
RIGHT = {
    "distance": "row_offsets(n_q, n_k, past).abs()",
    "bias": "-self.a[:, None] * torch.log1p(self.c[:, None] * distance)",
}


def hook(**changed):
    return HOOK.format(**{**RIGHT, **changed})


LOG_KERNEL = {
    "untouched": ("    ...", "not attempted"),
    "prints": ("    print(self.a)", "is there a `return`?"),
    "never reads past": (hook(distance="row_offsets(n_q, n_k).abs()"), "The first query stands at position `past`"),
    "positions": (hook(distance="torch.arange(n_q + n_k - 1)"), "count up from 0"),
    "keys alone": (hook(distance="(torch.arange(n_k) - past).abs()"), "offsets of the first query alone"),
    "log without 1": (hook(bias="-self.a[:, None] * torch.log(self.c[:, None] * distance)"), "The 1 is missing"),
    "c outside": (hook(bias="-self.a[:, None] * self.c[:, None] * distance.log1p()"), "outside of the logarithm"),
    "c plus": (hook(bias="-self.a[:, None] * torch.log(1 + self.c[:, None] + distance)"), "c is added"),
    "c on the 1": (hook(bias="-self.a[:, None] * torch.log(self.c[:, None] * (1 + distance))"), "multiplies the 1"),
    "a inside": (hook(bias="-torch.log(1 + self.a[:, None] * self.c[:, None] * distance)"), "come under the logarithm"),
    "a and c swapped": (hook(bias="-self.c[:, None] * torch.log1p(self.a[:, None] * distance)"), "changed places"),
    "rewarded": (hook(bias="self.a[:, None] * torch.log1p(self.c[:, None] * distance)"), "The sign is wrong"),
    "signed": (hook(distance="row_offsets(n_q, n_k, past)"), "no logarithm (nan)"),
    "no axis": (hook(bias="-self.a * torch.log1p(self.c * distance)"), "give a and c a second axis"),
    "axis at the wrong end": (hook(bias="-self.a[None] * torch.log1p(self.c[None] * distance)"), "second axis"),
    "math.log": (hook(bias="-self.a[:, None] * math.log(1 + self.c[:, None] * distance)"), "`torch.log` takes a tensor"),
    "numpy": (hook(bias="(-self.a[:, None] * torch.log1p(self.c[:, None] * distance)).numpy()"), "is computed by torch alone"),
    "grid": ("    i, j = torch.arange(n_q)[:, None] + past, torch.arange(n_k)\n    return -self.a[:, None, None] * "
             "torch.log1p(self.c[:, None, None] * (j - i).abs())", "one number per *offset*"),
    "causal": (hook(bias="torch.where(row_offsets(n_q, n_k, past) > 0, -torch.inf, "
               "-self.a[:, None] * torch.log1p(self.c[:, None] * distance))"), "the mask's business"),
    "0 for the future": (hook(distance="(-row_offsets(n_q, n_k, past)).clamp(min=0)"), "The decay looks both ways"),
    "head 0": (hook(bias="-self.a[0] * torch.log1p(self.c[0] * distance)[None]"), "each"),
    "writes": ("    self.c *= 2\n    return -self.a[:, None] * torch.log1p(self.c[:, None] / 2 * "
               "row_offsets(n_q, n_k, past).abs())", "writes into"),
    "base 2": (hook(bias="-self.a[:, None] * torch.log2(1 + self.c[:, None] * distance)"), "base 2"),
    "another name": (hook(bias="-self.strength[:, None] * torch.log1p(self.c[:, None] * distance)"), "no `strength`"),
    "whole, then size": (hook(distance="row_offsets(n_q, n_k, past)", bias="-self.a[:, None] * torch.log((1 + self.c[:, None] * distance).abs())"),
                         "The size is taken too late"),
    "exp of both": (hook(bias="-self.a.exp()[:, None] * torch.log1p(self.c.exp()[:, None] * distance)"), "are the numbers themselves"),
    "exp of a": (hook(bias="-self.a.exp()[:, None] * torch.log1p(self.c[:, None] * distance)"), "`self.a` is the number itself"),
    "clamped": (hook(distance="row_offsets(n_q, n_k, past).clamp(min=0)"), "Keys before the query get 0"),
    "an exponent": (hook(bias="-self.a[:, None] * torch.log(1 + distance ** self.c[:, None])"), "c is an exponent in yours"),
    "power": (hook(bias="-self.a[:, None] * distance ** self.c[:, None]"), "a power of the distance"),
    "a matrix for one head": ("    i, j = torch.arange(n_q)[:, None] + past, torch.arange(n_k)\n    return -self.a[0] * "
                              "torch.log1p(self.c[0] * (j - i).abs())", "the matrix (n_q, n_k) of one head"),
    "one more": (hook(bias="-self.a[:, None] * torch.log1p(self.c[:, None] * (distance + 1))"), "A 1 is added to the distance"),
    "writes into a": ("    return self.a.neg_()[:, None] * torch.log1p(self.c[:, None] * row_offsets(n_q, n_k, past).abs())",
                      "writes into `self.a` or `self.c`"),
    # right in every value, and wrong when it learns
    "detached": (hook(bias="-self.a.detach()[:, None] * torch.log1p(self.c[:, None] * distance)"), "no gradient gets to `self.a`"),
    "data": (hook(bias="-self.a[:, None] * torch.log1p(self.c.data[:, None] * distance)"), "no gradient gets to `self.c`"),
    "no_grad": ("    with torch.no_grad():\n        return -self.a[:, None] * torch.log1p(self.c[:, None] * row_offsets(n_q, n_k, past).abs())",
                "no gradient gets to `self.a`"),
    "item": (hook(bias="torch.stack([-a.item() * torch.log1p(c.item() * distance) for a, c in zip(self.a, self.c)])"),
             "no gradient gets to `self.a`"),
    "a list": (hook(bias="[[-float(a) * math.log(1 + float(c) * int(r)) for r in distance] for a, c in zip(self.a, self.c)]"),
               "is computed by torch alone"),
    "a tensor of lists": (hook(bias="torch.tensor([[-a * math.log(1 + c * r) for r in distance.tolist()] for a, c in "
                               "zip(self.a.tolist(), self.c.tolist())])"), "no gradient gets to `self.a`"),
    "from_numpy": (hook(bias="torch.from_numpy(-self.a.numpy()[:, None] * np.log1p(self.c.numpy()[:, None] * distance.numpy()))"),
                   "NumPy knows nothing of gradients"),
    "detached numpy": (hook(bias="-self.a[:, None] * torch.from_numpy(np.log1p(self.c.detach().numpy()[:, None] * distance.numpy()))"),
                       "no gradient gets to `self.c`"),
    "np.log": (hook(bias="-self.a[:, None] * np.log1p(self.c[:, None] * distance)"), "NumPy knows nothing of gradients"),
    "kept": ("    if not hasattr(self, 'row'):\n        self.row = -self.a[:, None] * torch.log1p(self.c[:, None] * "
             "row_offsets(n_q, n_k, past).abs())\n    return self.row", "answers as before"),
    "rebound": ("    self.a = self.a[:, None]\n    return -self.a * torch.log1p(self.c[:, None] * row_offsets(n_q, n_k, past).abs())",
                "puts something else into `self.a`"),
    "a batch": (hook(bias="(-self.a[:, None] * torch.log1p(self.c[:, None] * distance))[None]"), "no axis for a batch"),
    "library's": ("    from course_lib.nn.bias import DecayBias\n    return DecayBias(1.0).bias(n_q, n_k, past)",
                  "log decay of chapter 02"),
}  # fmt: skip


@each({"log_kernel": LOG_KERNEL})
def test_what_a_learner_reads(name, body, words):
    assert words in told(CH11[name], body)


# ---------------------------------------------------------------- the class


def changed(*pairs):
    """The solution with some of its text replaced."""
    text = KERPLE.solution_source()
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def written(a="self.log_a.exp()", c="self.log_c.exp()", init=None, bias=None):
    """The class as many will write it: two parameters, and another `__init__`, property or hook."""
    init = init or "self.log_a = nn.Parameter(torch.zeros(n_heads))\nself.log_c = nn.Parameter(torch.zeros(n_heads))"
    bias = bias or (
        "r = row_offsets(n_q, n_k, past, self.a.device)\n"
        "return -self.a[:, None] * torch.log(1 + self.c[:, None] * r.abs())"
    )
    indented = ("\n        " + body.replace("\n", "\n        ") for body in (init, bias))
    init, bias = indented
    return (
        f"class Kerple(Position):\n    def __init__(self, n_heads):\n        super().__init__(){init}\n\n"
        f"    @property\n    def a(self):\n        return {a}\n\n    @property\n    def c(self):\n        return {c}\n\n"
        f"    def bias(self, n_q, n_k, past):{bias}\n"
    )


def prepared():
    """The names that the first cell of the exercises makes."""
    scope = {"__name__": "__main__"}
    exec(ch11.PREPARE, scope)
    return scope


def defined(text):
    """The class a learner has after running the first cell of the exercises and then one with this text."""
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope = prepared()
    exec(compile(text, file, "exec"), scope)
    return scope["Kerple"]


def said(text):
    return repr(KERPLE.check(defined(text)))


TENSORS = "self.log_a = torch.zeros(n_heads)\nself.log_c = torch.zeros(n_heads)"
ONES = "self.p = nn.Parameter(torch.ones(n_heads))\nself.q = nn.Parameter(torch.ones(n_heads))"
ZEROS = "self.p = nn.Parameter(torch.zeros(n_heads))\nself.q = nn.Parameter(torch.zeros(n_heads))"
FORMULA = "-self.a[:, None] * torch.log1p(self.c[:, None] * row_offsets(n_q, n_k, past, self.a.device).abs())"
CACHED = f"""key = (n_q, n_k, past)
if key not in self.rows:
    self.rows[key] = {FORMULA}
return self.rows[key]"""
RIGHT_CLASSES = {
    "the solution": changed(),
    "two parameters": written(),
    "softplus": written(
        a="nn.functional.softplus(self.p)", c="nn.functional.softplus(self.q)",
        init=ZEROS.replace("torch.zeros(n_heads)", "torch.full((n_heads,), math.log(math.e - 1))"),
    ),
    "a list of parameters": written(
        a="self.both[0].exp()", c="self.both[1].exp()",
        init="self.both = nn.ParameterList([nn.Parameter(torch.zeros(n_heads)) for _ in 'ac'])",
    ),
    "falling": written(a="(-self.log_a).exp()"),
    "a floor that nobody notices": written(c="1e-6 + (1 - 1e-6) * self.log_c.exp()"),
    "a hyperbola": written(c="self.log_c + (1 + self.log_c ** 2).sqrt()"),
    "an embedding": written(a="self.e.weight[0].exp()", c="self.e.weight[1].exp()",
                            init="self.e = nn.Embedding(2, n_heads)\nnn.init.zeros_(self.e.weight)"),
    "by the base class": written(init="self.n = n_heads\nfor name in ('log_a', 'log_c'):\n"
                                      "    self.register_parameter(name, nn.Parameter(torch.zeros(n_heads)))"),
    "offsets kept, as they do not learn": written(
        init=ZEROS + "\nself.register_buffer('far', torch.arange(600.0), persistent=False)",
        a="self.p.exp()", c="self.q.exp()",
        bias="r = row_offsets(n_q, n_k, past, self.p.device).abs()\n"
             "return -self.a[:, None] * torch.log1p(self.c[:, None] * self.far[r])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT_CLASSES)
def test_right_classes_pass(name):
    assert KERPLE.check(defined(RIGHT_CLASSES[name])).passed, said(RIGHT_CLASSES[name])


CLASS = {
    # what it is
    "no Position": (changed(("class Kerple(Position)", "class Kerple(nn.Module)")), "is no `Position`"),
    "no base class": (changed(("class Kerple(Position)", "class Kerple")), "is no `Position`"),
    "super forgotten": (changed(("        super().__init__()\n", "")), "`super().__init__()` comes first"),
    "super last": (written(init="pass").replace("super().__init__()", "self.log_a = nn.Parameter(torch.zeros(n_heads))"
                   "\n        self.log_c = nn.Parameter(torch.zeros(n_heads))\n        super().__init__()"), "comes first"),
    "no n_heads": (changed(("__init__(self, n_heads)", "__init__(self)"), ("torch.zeros(2, n_heads)", "torch.zeros(2, 4)")),
                   "made with the number of heads"),
    # a and c
    "only the hook": (changed(("self.table[0].exp()", "..."), ("self.table[1].exp()", "...")), "`a` is an ellipsis"),
    "no return": (changed(("return self.table[0].exp()", "self.table[0].exp()")), "is there a `return`?"),
    "no property": (written().replace("@property", "# property"), "without parentheses, and made anew: `@property`"),
    "set a property": (written(init="self.a = nn.Parameter(torch.zeros(n_heads))\nself.c = 1"), "keep what is learned under another name"),
    "a misspelled name": (written(a="self.loga.exp()"), "under this name"),
    "shared by all heads": (written(init=ZEROS.replace("n_heads", "1"), a="self.p.exp()", c="self.q.exp()"),
                            "The heads share it"),
    "shared, in disguise": (written(init=ZEROS.replace("n_heads", "1") + "\nself.n = n_heads", a="self.p.exp().expand(self.n)",
                            c="self.q.exp().expand(self.n)"), "2 numbers are learned for 3 heads, expected 6"),
    "a column": (written(a="self.log_a.exp()[:, None]"), "has shape (3, 1)"),
    # learned
    "plain tensors": (written(init=TENSORS), "`self.log_a` is a plain tensor"),
    "plain tensors with gradients": (written(init=TENSORS.replace("n_heads)", "n_heads, requires_grad=True)")),
                                     "`self.log_a` is a plain tensor"),
    "one plain tensor": (written(init="self.log_a = nn.Parameter(torch.zeros(n_heads))\nself.log_c = torch.zeros(n_heads)"),
                         "`self.log_c` is a plain tensor"),
    "buffers": (written(init="self.register_buffer('log_a', torch.zeros(n_heads))\n"
                             "self.register_buffer('log_c', torch.zeros(n_heads))"), "is a buffer"),
    "frozen": (written(init="self.log_a = nn.Parameter(torch.zeros(n_heads), requires_grad=False)\n"
                            "self.log_c = nn.Parameter(torch.zeros(n_heads))"), "requires_grad=False"),
    "a Python list": (written(init="self.p = [nn.Parameter(torch.zeros(n_heads)) for _ in 'ac']", a="self.p[0].exp()",
                      c="self.p[1].exp()"), "is a Python list"),
    "constants": (written(init="self.n = n_heads", a="torch.ones(self.n)", c="torch.ones(self.n)"), "has no parameter"),
    "detach": (written(a="self.log_a.detach().exp()"), "no gradient gets from `a`"),
    "data": (written(c="self.log_c.data.exp()"), "no gradient gets from `c`"),
    "torch.tensor": (written(a="torch.tensor(self.log_a.exp().tolist())"), "no gradient gets from `a`"),
    "exp in __init__": (written(init=ZEROS + "\nself.start = self.p.exp()", a="self.start", c="self.q.exp()"),
                        "`self.start` was computed once, in `__init__`"),
    "one for both": (written(c="self.log_a.exp()", init="self.log_a = nn.Parameter(torch.zeros(n_heads))"), "expected 6"),
    "the same row": (changed(("self.table[1]", "self.table[0]")), "always equal"),
    "a third one": (written(init=ZEROS + "\nself.scale_ = nn.Parameter(torch.ones(n_heads))", a="self.p.exp()",
                    c="self.q.exp()"), "9 numbers are learned"),
    # the start, and above 0
    "e at the start": (changed(("torch.zeros(2, n_heads)", "torch.ones(2, n_heads)")), "the parameter begins at 0"),
    "random start": (changed(("torch.zeros(2, n_heads)", "torch.randn(2, n_heads)")), "Both begin at 1"),
    "exp forgotten": (written(init=ONES, a="self.p", c="self.q"), "below 0. Learn something"),
    "exp forgotten once": (written(init="self.p = nn.Parameter(torch.ones(n_heads))\n"
                           "self.q = nn.Parameter(torch.zeros(n_heads))", a="self.p", c="self.q.exp()"), "`a` is −1"),
    "abs": (written(init=ONES, a="self.p.abs()", c="self.q.abs()"), "stops learning when the parameters are 0"),
    "square": (written(init=ONES, a="self.p ** 2", c="self.q ** 2"), "stops learning when the parameters are 0"),
    "relu": (written(init=ONES, a="self.p.relu()", c="self.q.relu()"), "stops learning when the parameters are −1"),
    "clamp": (written(init=ONES, a="self.p.clamp(min=0.01)", c="self.q.clamp(min=0.01)"), "stops learning"),
    "tanh": (written(init=ZEROS, a="1 + self.p.tanh()", c="1 + self.q.tanh()"), "at most 2, whatever the parameters"),
    "a floor": (written(c="0.1 + 0.9 * self.log_c.exp()"), "`c` is at least 0.1, whatever the parameters"),
    "sigmoid": (written(init=ZEROS, a="2 * self.p.sigmoid()", c="2 * self.q.sigmoid()"), "at most 2, whatever the parameters"),
    # the hook
    "hook without return": (written(bias=FORMULA), "returned nothing (None)"),
    "grid": (written(bias="i, j = torch.arange(n_q)[:, None] + past, torch.arange(n_k)\n"
             "return -self.a[:, None, None] * torch.log1p(self.c[:, None, None] * (j - i).abs())"), "per *offset*"),
    "turned": (written(bias=f"return ({FORMULA}).T"), "The heads come first"),
    "for one text length": (written(bias=f"return ({FORMULA})[:, -n_k:]"), "how many offsets are there?"),
    "sign": (written(bias=f"return -({FORMULA})"), "The sign is wrong"),
    "abs missing": (changed((".abs()", "")), "no logarithm (nan)"),
    "c outside": (written(bias=f"return {FORMULA.replace('self.c[:, None] * ', '')} * self.c[:, None]"), "outside of"),
    "exp again": (written(bias=f"return {FORMULA.replace('self.a[', 'self.log_a.exp().exp()[')}"), "`self.a` is the number itself"),
    "log a itself": (written(bias=f"return {FORMULA.replace('-self.a[', '-self.log_a[')}"), "With its own a and c"),
    "past forgotten": (changed(("n_k, past, self", "n_k, 0, self")), "The first query stands at position `past`"),
    "causal": (written(bias="r = row_offsets(n_q, n_k, past, self.a.device)\n"
               f"return ({FORMULA}).masked_fill(r > 0, -math.inf)"), "the mask's business"),
    "flipped heads": (written(bias=f"return ({FORMULA}).flip(0)"), "With its own a and c"),
    "no second axis": (changed(("self.a[:, None]", "self.a")), "a needs a second axis"),
    "math.log of numbers": (written(bias="rows = [[-a * math.log(1 + c * abs(r)) for r in range(-(past + n_q - 1), n_k - past)] "
                            "for a, c in zip(self.a.tolist(), self.c.tolist())]\nreturn torch.tensor(rows)"),
                            "cut inside `bias`"),
    "detached hook": (written(bias=f"return ({FORMULA}).detach()"), "cut inside `bias`"),
    "no_grad": (written(bias=f"with torch.no_grad():\n    return {FORMULA}"), "cut inside `bias`"),
    "only c detached": (written(bias=f"return {FORMULA.replace('self.c[', 'self.c.detach()[')}"),
                        "from `bias` to all of `log_c`"),
    # between the calls
    "kept by length": (written(init=ZEROS + "\nself.rows = {}", a="self.p.exp()", c="self.q.exp()", bias=CACHED),
                       "`bias` answers as before"),
    "made in __init__": (written(init=ZEROS + "\nself.row = -self.p.exp()[:, None] * (self.q.exp()[:, None] * "
                         "torch.arange(-99, 100).abs()).log1p()", a="self.p.exp()", c="self.q.exp()",
                         bias="first = 99 - (past + n_q - 1)\nreturn self.row[:, first : first + n_q + n_k - 1]"),
                         "`bias` answers as before"),
    "distances pile up": (written(init=ZEROS + "\nself.rows = {}", a="self.p.exp()", c="self.q.exp()",
                          bias="key = (n_q, n_k, past)\nself.rows[key] = row_offsets(n_q, n_k, past, self.p.device).abs()\n"
                          "return -self.a[:, None] * torch.log1p(self.c[:, None] * self.rows[key])"), "numbers more"),
    # where it lives
    "no device": (changed((", self.table.device", "")), "`row_offsets(n_q, n_k, past, device)` takes a device"),
    "float": (written(bias=f"return ({FORMULA}).float()"), "no `.float()`"),
    "numpy": (written(bias="r = np.abs(row_offsets(n_q, n_k, past).numpy())\nreturn r").replace("np.", "__import__('numpy')."),
              "A hook returns a tensor"),
    "detached numpy": (written(bias="return -self.a[:, None] * torch.from_numpy(__import__('numpy').log1p("
                       "self.c[:, None].numpy() * row_offsets(n_q, n_k, past).abs().numpy()))"), "NumPy knows nothing of gradients"),
    # what else newcomers wrote
    "cached property": (
        written().replace("@property", "@__import__('functools').cached_property"), "`a` is a cached_property"
    ),
    "as the authors do": (written(init=ONES, a="self.p", c="self.q", bias="self.p.data = self.p.data.clamp(min=0.01)\n"
                          "self.q.data = self.q.data.clamp(min=0.01)\n" + f"return {FORMULA}"), "below 0. Learn something"),
    "no properties at all": (written(init=ONES).replace("self.p", "self.a").replace("self.q", "self.c").replace(
        "@property\n    def a", "def _a").replace("@property\n    def c", "def _c"), "`a` is −1 when the parameters are −1"),
    "super with the heads": (changed(("super().__init__()", "super().__init__(n_heads)")), "`super().__init__()` with nothing"),
    "a hook of another name": (changed(("def bias", "def biases")), "has no `bias` of its own"),
    "a hook without past": (changed(("n_k, past):", "n_k):"), ("n_k, past, self", "n_k, 0, self")), "`bias(n_q, n_k, past)`"),
    "kept by a decorator": (written().replace("    def bias", "    @__import__('functools').lru_cache\n    def bias"),
                            "`bias` answers as before"),
    "whole numbers": (written(init="self.log_a = nn.Parameter(torch.tensor([0] * n_heads))"), "A parameter holds floats"),
    "bare exp": (written(a="exp(self.log_a)"), "By its full name: `torch.exp`"),
    "a with parentheses": (written(bias=f"return {FORMULA.replace('-self.a[', '-self.a()[')}"), "read without parentheses"),
    "one plus": (written(init=ZEROS, a="1 + self.p", c="1 + self.q"), "`a` is −4 when the parameters are −5"),
    "one plus, cut off": (written(a="(1 + self.log_a).clamp(min=0)"), "`a` is 0 when the parameters are −1"),
    "one mean row": (written(bias=f"return ({FORMULA}).mean(0, keepdim=True)"), "One row for all heads"),
    "log decay inside": (written(bias="from course_lib.nn.bias import DecayBias\n"
                         "return self.a[:, None] * DecayBias(1.0).bias(n_q, n_k, past)"), "c is missing"),
    "own offsets": (written(bias="r = torch.arange(-(past + n_q - 1), n_k - past)\n"
                    "return -self.a[:, None] * torch.log1p(self.c[:, None] * r.abs())"), "Some tensor is made on the CPU"),
    "a scale": (written(init=ZEROS + "\nself.scale = 1.0", a="self.p.exp()", c="self.q.exp()"), "is `scale` set"),
    "the usual scale of other heads": (written(init=ZEROS + "\nself.scale = 0.5", a="self.p.exp()", c="self.q.exp()"), "is `scale` set"),
    "a bias in float64": (written(bias=f"return ({FORMULA}).double()"), "in a layer of float32 `bias` is float64"),
    "parameters in float64": (written(init="self.p = nn.Parameter(torch.zeros(n_heads, dtype=torch.double))\nself.q = nn.Parameter("
                              "torch.zeros(n_heads))", a="self.p.exp()", c="self.q.exp()"), "`p` is float64"),
    "clamped when read": (written(init=ONES, a="self.p.data.clamp_(min=0.01)", c="self.q").replace("return self.p.data", "self.p.data").replace(
        "clamp_(min=0.01)", "clamp_(min=0.01)\n        return self.p"), "reading `a` changes the parameters"),
    "clamped under no_grad": (written(init=ONES, a="self.p", c="self.q").replace("        return self.q",
        "        with torch.no_grad():\n            self.q.clamp_(max=5)\n        return self.q"), "reading `c` changes the parameters"),
    "a property that reads itself": (written(init="self.a = nn.Parameter(torch.zeros(n_heads))\nself.c = nn.Parameter(torch.zeros(n_heads))",
                                     a="self.a.exp()", c="self.c.exp()"), "A property that reads itself asks without end"),
    "one number": (written(init=ZEROS.replace("torch.zeros(n_heads)", "torch.tensor(0.0)"), a="self.p.exp()", c="self.q.exp()"), "The heads share it"),
    "a batch": (written(bias=f"return ({FORMULA})[None]"), "and no batch"),
    "the first offsets kept": (written(init=ZEROS + "\nself.r = None", a="self.p.exp()", c="self.q.exp()", bias="if self.r is None:\n"
        "    self.r = row_offsets(n_q, n_k, past, self.p.device).abs()\nreturn -self.a[:, None] * torch.log1p(self.c[:, None] * self.r)"),
        "What `self.r` holds is that of the first call"),
    "a table for 64 tokens": (written(init=ZEROS + "\nself.register_buffer('far', torch.arange(64.0), persistent=False)", a="self.p.exp()",
        c="self.q.exp()", bias="r = row_offsets(n_q, n_k, past, self.p.device).abs()\n"
        "return -self.a[:, None] * torch.log1p(self.c[:, None] * self.far[r])"), "in the trial with 2 heads, 1 token, after 250"),
    "a dataclass": ("from dataclasses import dataclass\n@dataclass\nclass Kerple(Position):\n    n_heads: int\n    def __post_init__(self):\n"
        "        super().__init__()\n        self.log_a = nn.Parameter(torch.zeros(self.n_heads))\n        self.log_c = nn.Parameter("
        "torch.zeros(self.n_heads))\n" + written().split("log_c = nn.Parameter(torch.zeros(n_heads))\n")[1], "a dataclass that compares by value"),
    # not a class, or no end
    "endless": (written(bias="while True:\n    pass"), "does the loop end?"),
    "prints": (changed(("        distance", "        print('here')\n        distance")), "Your code printed"),
}  # fmt: skip


@pytest.mark.parametrize("slip", CLASS)
def test_what_a_learner_reads_of_the_class(slip, monkeypatch):
    monkeypatch.setattr(KERPLE, "seconds", 1.0 if slip == "endless" else KERPLE.seconds)
    text, words = CLASS[slip]
    assert words in said(text), said(text)
    assert ("✓ passed" in said(text)) == (slip == "prints")


@pytest.mark.parametrize(("odd", "words"), [
    (print, "a function"), ("Kerple", "a str"), (3, "an int"), (lambda n_heads: None, "a function"),
])  # fmt: skip
def test_what_is_no_class_is_told_so(odd, words):
    result = KERPLE.check(odd)
    assert result.status == "wrong type" and words in result.facts[0]


def class_mutants():
    """The solution with one small change in one of its methods."""
    tree = ast.parse(KERPLE.solution_source())
    for k, method in enumerate(tree.body[0].body):
        for mutant in mutants(ast.unparse(method)) if isinstance(method, ast.FunctionDef) else ():
            other = ast.parse(KERPLE.solution_source())
            other.body[0].body[k] = ast.parse(mutant.source).body[0]
            yield pytest.param(ast.unparse(other), id=f"{method.name} {mutant.name}")


@pytest.mark.parametrize("text", list(class_mutants()))
def test_small_changes_are_noticed(text):
    result = KERPLE.check(defined(text))
    assert not result.passed and (result.cause or result.code), result


def test_the_cells_after_the_check_run_before_anything_is_written(capsys):
    scope = prepared()
    exec(KERPLE.stub(), scope)
    for cell in cells():
        exec(cell, scope)
    assert not any(scope[name].attempted for name in ("agreement", "speed", "training"))
    assert "layer 1: a" not in capsys.readouterr().out


def test_the_cells_after_the_check_have_timed_and_trained_the_solution():
    """nbval runs them again with their assertions, but does not compare what the last two of them print."""
    (path,) = ROOT.glob("solutions/11_*.ipynb")
    outputs = {cell.source: str(cell.outputs) for cell in nbformat.read(path, as_version=4).cells if "outputs" in cell}
    words = "agrees with its definition in 66 trials", "forward and backward", "layer 1: a"
    assert all(word in outputs[cell] for cell, word in zip(cells(), words, strict=True))


WRONG = KERPLE.solution_source().replace("return -self.a", "return self.a")


def cells():
    return [cell.source for cell in from_percent(KERPLE.after) if cell.cell_type == "code"]


@pytest.mark.slow("capstone")
def test_a_wrong_class_is_told_in_the_error():
    """The report stands after the assertion, so the assertion holds it."""
    scope = prepared()
    exec(WRONG, scope)
    with pytest.raises(AssertionError, match="What is added has the opposite sign"):
        exec(cells()[0], scope)


@pytest.mark.slow("capstone")
def test_a_class_may_have_another_name(monkeypatch):
    """The row of a training is found by the name of the class."""
    scope = prepared()
    exec(KERPLE.solution_source().replace("class Kerple", "class Mine") + "\nKerple = Mine\n", scope)
    exec(cells()[0], scope)
    train = scope["workbench"].train
    monkeypatch.setattr(
        scope["workbench"], "train", lambda make, against: train(make, "copy-back", ["log-1", "log-3"], steps=2)
    )
    try:
        exec(cells()[2], scope)
    except AssertionError as error:  # two steps teach nothing; the report is in the error all the same
        assert "Mine after 2 steps" in str(error)
    assert scope["training"].name == "Mine" and scope["yours"] == scope["training"].rows[0]["loss"]


def test_one_family_reaches_from_the_log_decay_to_alibi_s_line():
    """What is told once the hook is right."""
    torch = pytest.importorskip("torch")
    hook, distance = CH11["log_kernel"].right, torch.arange(-9.0, 10, dtype=torch.double).abs()
    assert torch.allclose(hook(numbers([0.3], [1.0]), 10, 10, 0)[0], -0.3 * distance.log1p())
    assert torch.allclose(hook(numbers([2.5e4], [1e-5]), 10, 10, 0)[0], -0.25 * distance, rtol=1e-3)
