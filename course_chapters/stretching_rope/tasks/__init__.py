"""RoPE, stretched

There are four: turns and divisors by hand, a rule in code, a bug that was reported in published programs, and a
prediction. You may use `frequencies`, `rotate` and `scores` of the library.
"""

from course_kit.checking.pages import page

stretched_by_hand = page(__name__, "stretched_by_hand")
by_parts = page(__name__, "by_parts")
tempered_scores = page(__name__, "tempered_scores")
short_text = page(__name__, "short_text")

PREPARE = """\
import numpy as np

from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_chapters.stretching_rope import tasks as task"""
