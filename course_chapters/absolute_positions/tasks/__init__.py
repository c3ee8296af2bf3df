"""Absolute positions

They come in the order of the lesson.
"""

from course_kit.checking.pages import page

clocks_by_hand = page(__name__, "clocks_by_hand")
sinusoidal_table = page(__name__, "sinusoidal_table")
shift_matrix = page(__name__, "shift_matrix")
unseen_pairs = page(__name__, "unseen_pairs")

PREPARE = """\
import numpy as np

from course_chapters.absolute_positions import tasks as task"""
