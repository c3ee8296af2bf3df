"""Reading the diagonals

Six tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: no task uses the function of another.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .to_grid import to_grid
from .from_grid import from_grid
from .stored_megabytes import stored_megabytes
from .skew_causal import skew_causal
from .relative_scores import relative_scores
from .grid_steps import grid_steps

__all__ = ["to_grid", "from_grid", "stored_megabytes", "skew_causal", "relative_scores", "grid_steps"]

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_tasks import diagonals as task"""
