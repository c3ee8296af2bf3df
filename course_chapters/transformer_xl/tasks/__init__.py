"""Transformer-XL

They come in the order of the lesson.
"""

from course_kit.checking.pages import page

from .given import attend as attend

one_score = page(__name__, "one_score")
four_terms = page(__name__, "four_terms")
read_segments = page(__name__, "read_segments")

PREPARE = """\
import numpy as np

from course_lib.example import K, Q
from course_chapters.transformer_xl import tasks as task

attend = task.attend  # a Transformer-XL layer, for `read_segments`"""
