"""Two dimensions

Eight tasks: a window with a pencil, the index and the bias in code, four bugs of the kind that code like Swin's meets when
it is carried over, and what becomes of a table when its window grows. `partition`, `reverse`, `shift_mask`, `window_index` and
`window_bias` are the library's, ready to use in all of them. Write your answer in place of the `...`, or mend the code
that is there, run the cell, then the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an
earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .pencil import one_window
from .index import window_rows, grid_bias
from .squares import sliding_square
from .weights import masked_weights
from .shifting import seam_mask, shifted_layer
from .growing import larger_window

__all__ = [
    "one_window", "window_rows", "grid_bias", "sliding_square", "masked_weights", "seam_mask", "shifted_layer",
    "larger_window",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.window import partition, reverse, shift_mask, window_bias, window_index
from course_lib.tasks import ch08 as task"""
