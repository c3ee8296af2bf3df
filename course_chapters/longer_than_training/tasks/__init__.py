"""Longer than training

There are four. You predict what a longer text does to each scheme, name the faults behind three reports, fix an
evaluation that makes every scheme look good, and add a scheme of your own. No task trains a model.
"""

from course_kit.checking.pages import page

rises_more = page(__name__, "rises_more")
three_reports = page(__name__, "three_reports")
loss_by_length = page(__name__, "loss_by_length")
square_root_decay = page(__name__, "square_root_decay")

PREPARE = """\
import numpy as np

from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_chapters.longer_than_training import tasks as task"""
