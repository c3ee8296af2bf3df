"""ALiBi and RoPE

Eight tasks: slopes and turned arrows with a pencil, RoPE in code, four bugs that live in published code, and a
prediction. `slopes`, `rotate`, `scores` and `softmax` are the library's, ready to use in all of them; two tasks ask you
to write a part of them yourself. Write your answer in place of the `...`, or mend the code that is there, run the cell,
then the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .pencil import slopes_by_hand
from .slopes import alibi_slopes
from .encoder import encoder_weights
from .arrows import turned_by_hand
from .turning import rope
from .channels import half_split_rows
from .decoder import decoder_scores
from .shifted import moved

__all__ = [
    "slopes_by_hand", "alibi_slopes", "encoder_weights", "turned_by_hand", "rope", "half_split_rows", "decoder_scores",
    "moved",
]  # fmt: skip

PREPARE = """\
import math

import numpy as np

from course_lib.example import K, Q
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_lib.reference.rope import rotate
from course_lib.tasks import ch07 as task"""
