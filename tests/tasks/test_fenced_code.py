"""The code in the words of a task runs as it is printed, with the solution in place of the learner's function."""

import functools
import re

import numpy as np
import pytest

from course_tasks import tasks_of, topics

from .notebook import defined, prepared

BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
SHOWN = {
    f"{topic}/{name}": (task, BLOCK.findall(task.words))
    for topic in topics()
    for name, task in tasks_of(topic).items()
    if "```python" in task.words
}


@pytest.mark.parametrize("key", SHOWN)
def test_the_code_shown_runs(key, monkeypatch, capsys):
    study = pytest.importorskip("course_study")
    monkeypatch.setattr(study, "Settings", functools.partial(study.Settings, steps=2, test_texts=2))
    monkeypatch.setattr(study.schemes, "PLAIN", dict(study.schemes.PLAIN))  # a block may add a scheme of its own
    task, blocks = SHOWN[key]
    scope = prepared(task)
    scope[task.name] = defined(task.solution_source(), task.name, scope)
    for block in blocks:
        exec(block, scope)
    if key == "diagonals/grid_steps":
        grid, rows = scope["grid"], scope["rows"]
        assert np.array_equal(grid, [[1, 2, 3, 4], [5, 6, 7, 8]]) and np.shares_memory(grid, rows)
    else:
        assert "square-root" in capsys.readouterr().out
