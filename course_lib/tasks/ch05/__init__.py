"""Transformer-XL

Seven tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: no task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .terms import one_score, four_terms
from .shift import relative_shift, full_shift
from .segments import read_segments, earliest
from .gradients import gradients
from .common import attend

__all__ = [
    "attend", "one_score", "four_terms", "relative_shift", "full_shift", "read_segments", "earliest", "gradients",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q
from course_lib.tasks import ch05 as task

attend = task.attend  # a Transformer-XL layer, for task 5"""
