"""Reading the diagonals

They come in the order of the lesson.
"""

from course_kit.checking.pages import page

to_grid = page(__name__, "to_grid")
from_grid = page(__name__, "from_grid")
skew_causal = page(__name__, "skew_causal")
relative_scores = page(__name__, "relative_scores")
grid_steps = page(__name__, "grid_steps")

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_chapters.diagonals import tasks as task"""
