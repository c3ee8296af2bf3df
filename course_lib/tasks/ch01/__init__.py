"""Attention is blind to distance

Seven tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: no task needs another one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .order import row_of_on, attend_and_restore, after_a_shuffle
from .sinusoids import sinusoidal_table, shift_matrix
from .lengths import unseen_pairs
from .decoding import decode_step

__all__ = [
    "row_of_on", "attend_and_restore", "after_a_shuffle", "sinusoidal_table", "shift_matrix", "unseen_pairs", "decode_step",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import softmax
from course_lib.tasks import ch01 as task"""
