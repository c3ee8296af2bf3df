"""Attention is blind to distance

Three tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check below
it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your function's result beside the expected one,
and `task.NAME.solution()` shows a solution. You can start anywhere, because no task needs another one.
"""

from course_kit.checking.pages import page

row_of_on = page(__name__, "row_of_on")
after_a_shuffle = page(__name__, "after_a_shuffle")
positions_from_output = page(__name__, "positions_from_output")

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import softmax
from course_chapters.blind_to_distance import tasks as task"""
