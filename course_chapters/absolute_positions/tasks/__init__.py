"""Absolute positions

Four tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check below
it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your function's result beside the expected one, and
`task.NAME.solution()` shows a solution. You can start anywhere, because no task needs another one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_tasks import absolute_positions as task"""
