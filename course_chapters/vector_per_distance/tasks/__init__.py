"""A vector per distance

They come in the order of the lesson. One is a bug hunt.
"""

from course_kit.checking.pages import page

shaw_scores = page(__name__, "shaw_scores")
key_scores = page(__name__, "key_scores")
value_term = page(__name__, "value_term")

PREPARE = """\
import numpy as np

from course_lib.example import TOKENS, K, Q, V
from course_chapters.vector_per_distance import tasks as task"""
