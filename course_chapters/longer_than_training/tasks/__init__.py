"""Longer than training

There are four. You predict what a longer text does to each scheme and how far a bias spreads attention, fix an
evaluation that makes every scheme look good, and add a scheme of your own. No task trains a model.
"""

from course_kit.checking.pages import page

rises_more = page(__name__, "rises_more")
grows_with_n = page(__name__, "grows_with_n")
loss_by_length = page(__name__, "loss_by_length")
square_root_decay = page(__name__, "square_root_decay")

PREPARE = """\
import numpy as np

from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket
from course_chapters.longer_than_training import tasks as task"""
