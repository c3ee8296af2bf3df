"""A cell that failed leaves the answer before it, and the check says which one it judges."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_kit.checking import Prediction

from .common import BASICS, SLOPE, right

COUNT = Prediction("count", "Count", expected=lambda: {"a": 2}, **BASICS)


@pytest.fixture
def after(monkeypatch):
    """A function that checks an answer after a cell of a notebook."""
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)

    def checked(cell, task, given):
        shell.run_cell(cell)
        return task.check(given)

    return checked


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("def slope(n, strength)\n    return 0", "SyntaxError"),
        ("1 / 0\ndef slope(n, strength):\n    return 0", "ZeroDivisionError"),
        ("class slope(Nothing):\n    pass", "NameError"),
        ("slope = lambda n, strength 0", "SyntaxError"),
    ],
)
def test_after_a_cell_without_a_new_answer_the_check_says_that_it_judges_the_one_before(after, cell, error):
    for given, status in ((right, "passed"), (lambda n, strength: 0, "wrong shape")):
        result = after(cell, SLOPE, given)
        assert result.status == status
        assert result.facts[0] == f"Your last cell stopped ({error}), so this is about the answer that you had before."


def test_the_same_of_an_answer_that_is_no_function(after):
    assert "stopped (NameError)" in after("count = {'a': two}", COUNT, {"a": 2}).facts[0]


@pytest.mark.parametrize(
    "cell",
    [
        "def slope(n, strength):\n    return 0",
        "def slope(n, strength):\n    return 0\nslope(1)",  # it is defined before the cell stops
        "slope(1)",
        "print('slope' 1)",
        "other = 1 / 0",
    ],
)
def test_nothing_is_said_where_the_answer_is_the_newest_one(after, cell):
    assert "stopped" not in repr(after(cell, SLOPE, right))
