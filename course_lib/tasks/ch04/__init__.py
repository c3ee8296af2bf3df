"""Reading the diagonals

Eight tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: no task uses the function of another.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .grid import to_grid, from_grid
from .views import stored_megabytes
from .skewing import skewed_cell, skew_causal, relative_scores
from .recipe import stacked_scores
from .views import grid_steps

__all__ = [
    "to_grid", "from_grid", "stored_megabytes", "skewed_cell", "skew_causal", "relative_scores", "stacked_scores",
    "grid_steps",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.tasks import ch04 as task"""
