"""Which one?

Five tasks and a capstone. Count what each scheme learns in a whole decoder, find the scheme that remains in a
situation, measure how far back a program names what it uses, fix the positions of a padded batch, and fix an evaluation
that announces orders which one seed would reverse. Then build a scheme that this course has not built, in two steps, from its
formula to a trained model. Write your answer in place of the `...`, or fix the code that is there, run the cell, then
the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .learned_numbers import learned_numbers
from .what_remains import what_remains
from .distance_to_definition import distance_to_definition
from .positions_with_padding import positions_with_padding
from .sure_orders import sure_orders
from .log_kernel import log_kernel
from .kerple import Kerple

__all__ = [
    "learned_numbers", "what_remains", "distance_to_definition", "positions_with_padding", "sure_orders", "log_kernel",
    "Kerple",
]  # fmt: skip

PREPARE = """\
import math

import numpy as np
import torch
from torch import nn

from course_lib import workbench
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_tasks import which_one as task"""
