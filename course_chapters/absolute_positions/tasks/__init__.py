"""Absolute positions

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check below
it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your function's result beside the expected one, and
`task.NAME.solution()` shows a solution. You can start anywhere, because no task needs another one.
"""

from course_kit.checking.pages import page

clocks_by_hand = page(__name__, "clocks_by_hand")
sinusoidal_table = page(__name__, "sinusoidal_table")
shift_matrix = page(__name__, "shift_matrix")
unseen_pairs = page(__name__, "unseen_pairs")

PREPARE = """\
import numpy as np

from course_chapters.absolute_positions import tasks as task"""
