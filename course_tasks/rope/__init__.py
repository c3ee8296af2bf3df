"""RoPE

Five tasks: arrows turned by hand, RoPE in code, two bugs that occur in published code, and a prediction. You may use
`rotate`, `scores` and `softmax` of the library; one task asks you to write `rotate` yourself. Write your answer in place
of the `...`, or fix the code in the cell, run the cell, then run the check below it. `task.NAME.hint()` gives a hint. No
task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .turned_by_hand import turned_by_hand
from .rope import rope
from .half_split_rows import half_split_rows
from .decoder_scores import decoder_scores
from .moved import moved

__all__ = ["turned_by_hand", "rope", "half_split_rows", "decoder_scores", "moved"]

PREPARE = """\
import math

import numpy as np

from course_lib.example import K, Q
from course_lib.reference.attention import scores, softmax
from course_lib.reference.rope import rotate
from course_tasks import rope as task"""
