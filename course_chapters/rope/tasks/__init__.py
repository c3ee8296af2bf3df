"""RoPE

There are three: arrows turned by hand, RoPE in code, and a bug hunt. You may use `rotate` and `scores` of the library;
one task asks you to write `rotate` yourself.
"""

from course_kit.checking.pages import page

turned_by_hand = page(__name__, "turned_by_hand")
rope = page(__name__, "rope")
decoder_scores = page(__name__, "decoder_scores")

PREPARE = """\
import math

import numpy as np

from course_lib.example import K, Q
from course_lib.reference.attention import scores, softmax
from course_lib.reference.rope import rotate
from course_chapters.rope import tasks as task"""
