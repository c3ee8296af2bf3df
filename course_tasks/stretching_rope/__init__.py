"""RoPE, stretched

Five tasks: turns and divisors by hand, two rules in code, a bug that was reported in published programs, and a
prediction. You may use `frequencies`, `rotate` and `scores` of the library. Write your answer in place of the `...`, or fix the code in the cell, run the cell, then run the check below it. `task.NAME.hint()` gives a hint. No
task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .stretched_by_hand import stretched_by_hand
from .new_angles import new_angles
from .by_parts import by_parts
from .tempered_scores import tempered_scores
from .short_text import short_text

__all__ = ["stretched_by_hand", "new_angles", "by_parts", "tempered_scores", "short_text"]

PREPARE = """\
import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_tasks import stretching_rope as task"""
