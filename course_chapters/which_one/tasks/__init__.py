"""Which one?

There are two, and a capstone. You find the scheme that remains in a situation, and fix the positions of a padded
batch. Then you build a scheme that this course has not built, from its formula to a trained model.
"""

from course_kit.checking.pages import page

what_remains = page(__name__, "what_remains")
positions_with_padding = page(__name__, "positions_with_padding")

from .kerple import Kerple  # noqa: E402  (the capstone comes last)

__all__ = ["Kerple"]

PREPARE = """\
import math

import numpy as np
import torch
from torch import nn

from course_study import own_scheme
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_chapters.which_one import tasks as task"""
