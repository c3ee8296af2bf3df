"""ALiBi

Four tasks in the order of the lesson: slopes with a pencil, a prediction, and two bug hunts.
You can use the library's `slopes`, `scores` and `softmax`; one task asks you to write a part of them yourself. Write your
answer in place of the `...`, or fix the code in the cell. Run the cell, then the check below it. `task.NAME.hint()` gives
a hint. No task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .slopes_by_hand import slopes_by_hand
from .alibi_slopes import alibi_slopes
from .same_weights import same_weights
from .encoder_weights import encoder_weights

__all__ = ["slopes_by_hand", "alibi_slopes", "same_weights", "encoder_weights"]

PREPARE = """\
import math

import numpy as np

from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_tasks import alibi as task"""
