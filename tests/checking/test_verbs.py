"""The other verbs of a task: hint, solution, compare."""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.results import Result

from .common import SLOPE, _softmax, array_task, broken_in_a_file, endless, right, slope_task


def test_hints_come_one_by_one_and_any_can_be_asked_for():
    task = slope_task()
    last = "Hint 2 of 2 (the last one; after it there is `.solution()`): second"
    assert [repr(task.hint()) for _ in range(3)] == ["Hint 1 of 2: first", "Hint 2 of 2: second", last]
    assert repr(task.hint(1)) == "Hint 1 of 2: first"
    assert repr(task.hint(9)) == last and repr(task.hint(-3)) == "Hint 1 of 2: first"


def test_the_solution_is_shown_under_the_learners_name():
    assert repr(SLOPE.solution()).startswith("def slope(n, scale):\n")
    assert SLOPE.stub() == 'def slope(n, scale):\n    """Slope: B[i, j] = -scale * |j - i|, shape (n, n)."""\n    ...'


def test_compare_sets_yours_beside_the_expected():
    def off(n, scale):
        b = right(n, scale)
        b[0, n - 1] += 1 * (n > 1)
        return b

    lines = repr(SLOPE.compare(off)).splitlines()
    assert lines[0] == "Slope: three tokens, `slope(n=3, scale=0.5)`: 1 of 9 entries differ"
    assert [line.split() for line in lines if line.startswith("  The")] == [
        ["The", "0.0000", "−0.5000", "0.0000", "✗"],
        ["The", "0.0000", "−0.5000", "−1.0000"],
        ["The", "0", "0", "1.0000"],
    ]
    assert "all entries agree" in repr(SLOPE.compare(right))
    assert isinstance(SLOPE.compare(None), Result) and isinstance(SLOPE.compare(broken_in_a_file), Result)
    assert SLOPE.compare(lambda n, scale: right(n, scale)[0]).status == "wrong shape"
    assert not SLOPE.compare(endless).passed


def test_compare_shows_a_window_of_what_is_large():
    task = array_task(_softmax, expected=lambda x: np.zeros((2, 40, 50)), cases=[Case(1)])

    def off(x):
        b = np.zeros((2, 40, 50))
        b[1, 30, 45] = 1
        return b

    text = repr(task.compare(off))
    assert "1 of 4000 entries differ" in text and "rows 26 to 33, columns 41 to 48" in text
    assert len(text) < 4000
