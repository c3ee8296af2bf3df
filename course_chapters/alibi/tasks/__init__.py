"""ALiBi

There are four: slopes with a pencil, a prediction, a bug hunt, and a fit to a learned table. You can use the library's
`slopes`, `scores` and `softmax`.
"""

from course_kit.checking.pages import page

slopes_by_hand = page(__name__, "slopes_by_hand")
same_weights = page(__name__, "same_weights")
encoder_weights = page(__name__, "encoder_weights")
log_strength = page(__name__, "log_strength")

PREPARE = """\
import numpy as np

from course_lib import learned
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import scores, softmax
from course_lib.reference.t5 import bucket
from course_chapters.alibi import tasks as task

table = learned.read("mpnet", "table")"""
