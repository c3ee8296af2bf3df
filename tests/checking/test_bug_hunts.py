"""Bug hunts, and open tasks which are decided by properties."""

import numpy as np

from course_kit.checking import Property
from course_kit.checking.solution_source import not_attempted

from .common import _softmax, array_task, cell, slope_task


def _slope_given(n, strength):
    """Slope: B[i, j] = -strength * |j - i|, shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -strength * (j - i)


def test_a_bug_hunt_is_not_attempted_while_its_code_is_untouched():
    task = slope_task(starter=_slope_given, wrong="")
    for before in ("", "import numpy as np\n\n"):
        assert task.check(cell(before + task.stub())).status == "not attempted"
    assert task.check(cell(task.stub().replace("(n, n)", "(n, n)!"))).status == "not attempted", (
        "a docstring is no change"
    )
    changed = cell(task.stub().replace("-strength", "strength"))
    assert task.check(changed).status == "wrong values"
    rewritten = task.check(lambda n, strength: -strength * np.subtract.outer(np.arange(n), np.arange(n)).T)
    assert "the bug is still there" in rewritten.cause
    assert task.check(cell(task.solution_source())).passed


def test_untouched_tells_small_changes_apart():
    def given(n):
        """Words."""
        return [n + 1 for _ in range(n)]

    for source, same in [
        ("def f(n):\n    'Other words.'\n    return [n + 1 for _ in range(n)]", True),
        ("def f(n):\n    return [n + 1.0 for _ in range(n)]", False),
        ("def f(n):\n    return [n + 2 for _ in range(n)]", False),
        ("def f(n):\n    return [n - 1 for _ in range(n)]", False),
        ("def f(m):\n    return [m + 1 for _ in range(m)]", False),
    ]:
        assert not_attempted(cell(source, "f"), given) is same, source


def test_an_open_task_is_decided_by_its_properties():
    task = array_task(
        _softmax,
        expected=None,
        properties=[
            Property("sums to 1", lambda result, x: np.isclose(np.sum(result), 1), "It must sum to 1."),
            Property(
                "keeps the order", lambda result, x: (np.argsort(result) == np.argsort(x)).all(), "Keep the order."
            ),
        ],
    )
    assert task.check(_softmax).passed
    assert task.check(lambda x: x / x.sum()).passed
    assert "It must sum to 1." in repr(task.check(lambda x: x))
    assert task.check(lambda x: "odd").status == "property broken"
    assert "contains nan" in repr(task.check(lambda x: np.log(-x)))
