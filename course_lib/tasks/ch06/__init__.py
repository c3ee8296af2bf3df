"""T5 buckets

Nine tasks: buckets with a pencil and in code, four bugs that live in published code, a prediction, and what it all
costs. `bucket(offset, bidirectional=…, num_buckets=…, max_distance=…)` is the library's rule, ready to use in all of
them; task 2 is to write it yourself. Write your answer in place of the `...`, or mend the code that is there, run the
cell, then the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .distances import five_distances
from .buckets import t5_buckets
from .never import never_reached
from .decoder import decoder_weights, wrong_direction
from .stack import biases_while_learning, stack_scores
from .shapes import t5_scores, memory

__all__ = [
    "five_distances", "t5_buckets", "never_reached", "decoder_weights", "wrong_direction", "biases_while_learning",
    "stack_scores", "t5_scores", "memory",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import K, Q
from course_lib.reference.attention import softmax
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias
from course_lib.tasks import ch06 as task"""
