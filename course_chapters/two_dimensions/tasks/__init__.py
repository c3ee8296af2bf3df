"""Two dimensions

There are four: a window to work out by hand, its index in code, the two parts of an axial RoPE score, and a bug in
shifted windows (*Deeper · Shifted windows* in the lesson). `partition`, `reverse`, `shift_mask` and `window_index`
are the library's, and you may use them in all tasks.
"""

from course_kit.checking.pages import page

one_window = page(__name__, "one_window")
window_rows = page(__name__, "window_rows")
two_parts = page(__name__, "two_parts")
shifted_layer = page(__name__, "shifted_layer")

PREPARE = """\
import numpy as np

from course_lib.reference.attention import softmax
from course_lib.reference.window import partition, reverse, shift_mask, window_index
from course_chapters.two_dimensions import tasks as task"""
