"""Attention is blind to distance

They come in the order of the lesson.
"""

from course_kit.checking.pages import page

row_of_on = page(__name__, "row_of_on")
after_a_shuffle = page(__name__, "after_a_shuffle")
positions_from_output = page(__name__, "positions_from_output")

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import softmax
from course_chapters.blind_to_distance import tasks as task"""
