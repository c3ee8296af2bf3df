"""The capstone, beside its recorded answers: its demands notice small changes, and the cells after its check run."""

import ast

import pytest

from course_tasks import tasks_of
from tools.build import from_percent

from . import notebook
from .mutants import mutants

torch = pytest.importorskip("torch")
KERPLE = tasks_of("which_one")["Kerple"]


def defined(text):
    """The class a learner has after running the first cell of the exercises and then one with this text."""
    return notebook.defined(text, "Kerple", notebook.prepared(KERPLE))


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
