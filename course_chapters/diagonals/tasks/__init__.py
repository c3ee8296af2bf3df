"""Reading the diagonals

Five tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: no task uses the function of another.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_tasks import diagonals as task"""
