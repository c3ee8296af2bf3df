"""A vector per distance

Eight tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Three of them are bug hunts: there you mend the code that stands in the cell.
Start where you like, no task needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .index import table_rows, relative_index, position_part
from .scores import shaw_scores, key_scores
from .values import value_term, offset_profile
from .tables import random_layers

__all__ = [
    "table_rows", "relative_index", "position_part", "shaw_scores", "key_scores", "value_term", "offset_profile",
    "random_layers",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.tasks import ch03 as task"""
