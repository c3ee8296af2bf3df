"""A vector per distance

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the expected one, and
`task.NAME.solution()` shows a solution. One task is a bug hunt, in which you fix the code in the cell. You can
start with any task, because none needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .relative_index import relative_index
from .shaw_scores import shaw_scores
from .key_scores import key_scores
from .value_term import value_term

__all__ = ["relative_index", "shaw_scores", "key_scores", "value_term"]

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_tasks import vector_per_distance as task"""
