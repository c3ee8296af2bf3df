"""A vector per distance

Three tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the expected one, and
`task.NAME.solution()` shows a solution. One task is a bug hunt, in which you fix the code in the cell. You can
start with any task, because none needs an earlier one.
"""

from course_kit.checking.pages import page

shaw_scores = page(__name__, "shaw_scores")
key_scores = page(__name__, "key_scores")
value_term = page(__name__, "value_term")

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_chapters.vector_per_distance import tasks as task"""
