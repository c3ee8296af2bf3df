"""Attention is blind to distance

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check below it.
`task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your function's result beside the expected one, and
`task.NAME.solution()` shows a solution. You can start anywhere, because no task needs another one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .row_of_on import row_of_on
from .attend_and_restore import attend_and_restore
from .after_a_shuffle import after_a_shuffle
from .positions_from_output import positions_from_output

__all__ = ["row_of_on", "attend_and_restore", "after_a_shuffle", "positions_from_output"]

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import softmax
from course_tasks import blind_to_distance as task"""
