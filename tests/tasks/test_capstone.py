"""The capstone: a class to write, its demands, and the cells after its check."""

import ast

import pytest

from course_tasks import tasks_of
from tools.build import from_percent

from . import notebook
from .mutants import mutants

torch = pytest.importorskip("torch")
KERPLE = tasks_of("which_one")["Kerple"]
ZEROS = "self.p = nn.Parameter(torch.zeros(n_heads))\nself.q = nn.Parameter(torch.zeros(n_heads))"
INIT = "self.log_a = nn.Parameter(torch.zeros(n_heads))\nself.log_c = nn.Parameter(torch.zeros(n_heads))"
BIAS = """r = row_offsets(n_q, n_k, past, self.a.device)
return -self.a[:, None] * torch.log(1 + self.c[:, None] * r.abs())"""


def written(a="self.log_a.exp()", c="self.log_c.exp()", init=INIT, bias=BIAS):
    """The class as many will write it: two parameters, and another `__init__`, property or hook."""
    init, bias = ("\n        " + body.replace("\n", "\n        ") for body in (init, bias))
    return (
        f"class Kerple(Position):\n    def __init__(self, n_heads):\n        super().__init__(){init}\n\n"
        f"    @property\n    def a(self):\n        return {a}\n\n"
        f"    @property\n    def c(self):\n        return {c}\n\n"
        f"    def bias(self, n_q, n_k, past):{bias}\n"
    )


def defined(text):
    """The class a learner has after running the first cell of the exercises and then one with this text."""
    return notebook.defined(text, "Kerple", notebook.prepared(KERPLE))


RIGHT_CLASSES = {
    "the solution": KERPLE.solution_source(),
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
    result = KERPLE.check(defined(RIGHT_CLASSES[name]))
    assert result.passed, result


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
    scope = notebook.prepared(KERPLE)
    exec(KERPLE.stub(), scope)
    for cell in from_percent(KERPLE.after):
        exec(cell.source if cell.cell_type == "code" else "", scope)
    assert not any(scope[name].attempted for name in ("agreement", "speed", "training"))
    assert "layer 1: a" not in capsys.readouterr().out
