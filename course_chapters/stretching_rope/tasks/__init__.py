"""RoPE, stretched

Four tasks: turns and divisors by hand, a rule in code, a bug that was reported in published programs, and a
prediction. You may use `frequencies`, `rotate` and `scores` of the library. Write your answer in place of the `...`,
or fix the code in the cell, run the cell, then run the check below it. `task.NAME.hint()` gives a hint. No task uses
the function of an earlier one.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_tasks import stretching_rope as task"""
