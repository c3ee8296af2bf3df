"""T5 buckets

There are four: buckets with a pencil and in code, and two bug hunts. `bucket(offset, bidirectional=…, num_buckets=…,
max_distance=…)` is the library's rule; in task 2 you write it yourself.
"""

from course_kit.checking.pages import page

five_distances = page(__name__, "five_distances")
t5_buckets = page(__name__, "t5_buckets")
decoder_weights = page(__name__, "decoder_weights")
biases_while_learning = page(__name__, "biases_while_learning")

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias
from course_chapters.t5_buckets import tasks as task"""
