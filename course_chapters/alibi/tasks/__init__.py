"""ALiBi

There are four: slopes with a pencil, a prediction, and two bug hunts. You can use the library's
`slopes`, `scores` and `softmax`; one task asks you to write a part of them yourself.
"""

from course_kit.checking.pages import page

slopes_by_hand = page(__name__, "slopes_by_hand")
alibi_slopes = page(__name__, "alibi_slopes")
same_weights = page(__name__, "same_weights")
encoder_weights = page(__name__, "encoder_weights")

PREPARE = """\
import math

import numpy as np

from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_chapters.alibi import tasks as task"""
