"""Transformer-XL

Three tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result next to the expected one, and
`task.NAME.solution()` shows a solution. Start where you like, because no task uses the function of an earlier one.
"""

from course_kit.checking.pages import pages

from .given import attend as attend

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.example import K, Q
from course_tasks import transformer_xl as task

attend = task.attend  # a Transformer-XL layer, for `read_segments`"""
