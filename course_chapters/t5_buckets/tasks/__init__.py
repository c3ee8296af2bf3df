"""T5 buckets

Four tasks: buckets with a pencil and in code, and two bug hunts. `bucket(offset, bidirectional=…, num_buckets=…,
max_distance=…)` is the library's rule; in task 2 you write it yourself. Write your answer in place of the `...`, or fix
the code in the cell. Then run the cell and the check below it. `task.NAME.hint()` gives a hint.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias
from course_tasks import t5_buckets as task"""
