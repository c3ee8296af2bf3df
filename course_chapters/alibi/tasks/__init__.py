"""ALiBi

Four tasks in the order of the lesson: slopes with a pencil, a prediction, and two bug hunts. You can use the library's
`slopes`, `scores` and `softmax`; one task asks you to write a part of them yourself. Write your answer in place of the
`...`, or fix the code in the cell. Run the cell, then the check below it. `task.NAME.hint()` gives a hint. No task uses
the function of an earlier one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import math

import numpy as np

from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_tasks import alibi as task"""
