"""Transformer-XL

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result next to the expected one, and
`task.NAME.solution()` shows a solution. Start where you like, because no task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .one_score import one_score
from .four_terms import four_terms
from .relative_shift import relative_shift
from .read_segments import read_segments
from .given import attend

__all__ = ["attend", "one_score", "four_terms", "relative_shift", "read_segments"]

PREPARE = """\
import numpy as np

from course_lib.example import K, Q
from course_tasks import transformer_xl as task

attend = task.attend  # a Transformer-XL layer, for `read_segments`"""
