"""Two dimensions

Five tasks: a window to work out by hand, its index in code, two bugs that occur when code like Swin's is carried
over, and a prediction about a table whose window grows. `partition`, `reverse`, `shift_mask` and `window_index`
are the library's, and you may use them in all tasks. Write your answer in place of the `...`, or fix the
given code, then run the cell and the check below it. `task.NAME.hint()` gives a hint. Start where you like, because no task
needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .one_window import one_window
from .window_rows import window_rows
from .seam_mask import seam_mask
from .shifted_layer import shifted_layer
from .larger_window import larger_window

__all__ = ["one_window", "window_rows", "seam_mask", "shifted_layer", "larger_window"]

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.window import partition, reverse, shift_mask, window_index
from course_tasks import two_dimensions as task"""
