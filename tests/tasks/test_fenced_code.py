"""The code that a task shows runs as it is printed: in its words, and in the cells after its check."""

import functools
import re
from unittest.mock import patch

import numpy as np
import pytest

from tools.build import from_percent
from tools.notebook import defined, prepared
from tools.transcript import exercises

BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
TASKS = exercises()


@pytest.mark.parametrize("key", [key for key, task in TASKS.items() if "```python" in task.words])
def test_the_code_shown_runs_with_the_solution(key, monkeypatch, capsys):
    study = pytest.importorskip("course_study")
    monkeypatch.setattr(study, "Settings", functools.partial(study.Settings, steps=2, test_texts=2))
    task = TASKS[key]
    scope = prepared(task)
    scope[task.name] = defined(task.solution_source(), task.name, scope)
    with patch.dict(study.VARIANTS):  # a block may add one of its own
        for block in BLOCK.findall(task.words):
            exec(block, scope)
    if key == "diagonals/grid_steps":
        grid, rows = scope["grid"], scope["rows"]
        assert np.array_equal(grid, [[1, 2, 3, 4], [5, 6, 7, 8]]) and np.shares_memory(grid, rows)
    else:
        assert "square-root" in capsys.readouterr().out


def test_the_cells_after_the_capstones_check_run_before_anything_is_written():
    task = TASKS["which_one/Kerple"]
    scope = prepared(task)
    exec(task.stub(), scope)
    for cell in from_percent(task.after):
        exec(cell.source if cell.cell_type == "code" else "", scope)
    assert not any(scope[name].attempted for name in ("agreement", "speed", "training"))
