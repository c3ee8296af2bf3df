"""RoPE

Three tasks: arrows turned by hand, RoPE in code, and a bug hunt. You may use `rotate` and `scores` of the library;
one task asks you to write `rotate` yourself. Write your answer in place of the `...`, or fix the code in the cell, run
the cell, then run the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import math

import numpy as np

from course_lib.example import K, Q
from course_lib.reference.attention import scores, softmax
from course_lib.reference.rope import rotate
from course_tasks import rope as task"""
