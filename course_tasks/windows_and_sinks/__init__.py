"""Windows, sinks and layers without positions

One task so far: a ring by hand. Write your answer in place of the `...`, run the cell, then the check below it.
`task.NAME.hint()` gives a hint.
"""

from .ring_by_hand import ring_by_hand

__all__ = ["ring_by_hand"]

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_tasks import windows_and_sinks as task"""
