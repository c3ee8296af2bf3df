"""RoPE

Three tasks: arrows turned by hand, RoPE in code, and a bug hunt. You may use `rotate` and `scores` of the library;
one task asks you to write `rotate` yourself. Write your answer in place of the `...`, or fix the code in the cell, run
the cell, then run the check below it. `task.NAME.hint()` gives a hint. No task uses the function of an earlier one.
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
