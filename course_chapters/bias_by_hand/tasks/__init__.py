"""A bias by hand

Five tasks in the order of the lesson. Write your answer in place of the `...`, or fix the code in the cell. Then run
the cell and the check below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the
expected one, and `task.NAME.solution()` shows a solution. You can start with any task, because none needs another one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.example import LAMBDA, TOKENS, K, Q, V
from course_tasks import bias_by_hand as task"""
