"""T5 buckets

There are four: buckets with a pencil and in code, a bug hunt, and the heads of a released model. `bucket(offset,
bidirectional=…, num_buckets=…, max_distance=…)` is the library's rule; in task 2 you write it yourself.
"""

from course_kit.checking.pages import page

five_distances = page(__name__, "five_distances")
t5_buckets = page(__name__, "t5_buckets")
decoder_weights = page(__name__, "decoder_weights")
which_head = page(__name__, "which_head")

PREPARE = """\
import numpy as np

from course_kit import figures
from course_lib import learned
from course_lib.reference.attention import softmax
from course_lib.reference.t5 import bucket
from course_chapters.t5_buckets import tasks as task

table = learned.read("mpnet", "table")"""
