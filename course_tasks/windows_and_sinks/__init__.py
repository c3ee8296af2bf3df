"""Windows, sinks and layers without positions

Seven tasks: a ring by hand, three bugs of a kind that was reported in well-known libraries, a scale that grows with the
position, a test of use, and a prediction. Write your answer in place of the `...`, or fix the code that is there, run the
cell, then the check below it. `task.NAME.hint()` gives a hint. Start where you like, because no task needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .ring_by_hand import ring_by_hand
from .seen_keys import seen_keys
from .ring_step import ring_step
from .sink_output import sink_output
from .log_scaled import log_scaled
from .use_of_far_keys import use_of_far_keys
from .without_far_keys import without_far_keys

__all__ = ["ring_by_hand", "seen_keys", "ring_step", "sink_output", "log_scaled", "use_of_far_keys", "without_far_keys"]

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_tasks import windows_and_sinks as task"""
