"""Absolute positions

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check below it.
`task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your function's result beside the expected one, and
`task.NAME.solution()` shows a solution. You can start anywhere, because no task needs another one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .clocks_by_hand import clocks_by_hand
from .sinusoidal_table import sinusoidal_table
from .shift_matrix import shift_matrix
from .unseen_pairs import unseen_pairs

__all__ = ["clocks_by_hand", "sinusoidal_table", "shift_matrix", "unseen_pairs"]

PREPARE = """\
import numpy as np

from course_tasks import absolute_positions as task"""
