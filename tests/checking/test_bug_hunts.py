"""Bug hunts: code with a bug to find."""

import inspect
import textwrap

import numpy as np

from course_kit.checking.solution_source import not_attempted

from .common import cell, slope_task


def _slope_given(n, scale):
    """Slope: B[i, j] = -scale * |j - i|, shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -scale * (j - i)


def test_a_bug_hunt_is_not_attempted_while_its_code_is_untouched():
    task = slope_task(starter=_slope_given, wrong="")
    for before in ("", "import numpy as np\n\n"):
        assert task.check(cell(before + task.stub())).status == "not attempted"
    assert task.check(cell(task.stub().replace("(n, n)", "(n, n)!"))).status == "not attempted", (
        "a docstring is no change"
    )
    changed = cell(task.stub().replace("-scale", "scale"))
    assert task.check(changed).status == "wrong values"
    rewritten = task.check(lambda n, scale: -scale * np.subtract.outer(np.arange(n), np.arange(n)).T)
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
        assert not_attempted(cell(source, "f"), textwrap.dedent(inspect.getsource(given)).replace("given", "f")) is same
