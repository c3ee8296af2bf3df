"""T5 buckets

Five tasks: buckets with a pencil and in code, a prediction, and two bugs that occur in published code.
`bucket(offset, bidirectional=…, num_buckets=…, max_distance=…)` is the library's rule, which you can use in all of them;
in task 2 you write it yourself. Write your answer in place of the `...`, or fix the code in the cell. Then run the cell
and the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .five_distances import five_distances
from .t5_buckets import t5_buckets
from .decoder_weights import decoder_weights
from .wrong_direction import wrong_direction
from .biases_while_learning import biases_while_learning

__all__ = ["five_distances", "t5_buckets", "decoder_weights", "wrong_direction", "biases_while_learning"]

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.grid import offsets
from course_lib.reference.t5 import bucket, t5_bias
from course_tasks import t5_buckets as task"""
