"""Longer than training

Four tasks: predict what a longer text does to each scheme and how far a bias spreads attention, fix an evaluation that
makes every scheme look good, and add a scheme of your own. No task trains a model. Write your answer in place of the
`...`, or fix the code that is there, run the cell, then the check below it. `task.NAME.hint()` gives a hint.
"""

from course_kit.checking.pages import pages

globals().update(pages(__name__))

PREPARE = """\
import numpy as np

from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_row
from course_lib.reference.t5 import bucket
from course_tasks import longer_than_training as task"""
