"""A bias by hand

Five tasks in the order of the lesson. Write your answer in place of the `...`, or fix the code in the cell. Then run
the cell and the check below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the
expected one, and `task.NAME.solution()` shows a solution. You can start with any task, because none needs another one.
"""

from course_kit.checking.pages import page

bias_matrix = page(__name__, "bias_matrix")
biased_attention = page(__name__, "biased_attention")
self_dominates = page(__name__, "self_dominates")
causal_weights = page(__name__, "causal_weights")
cached_bias = page(__name__, "cached_bias")

PREPARE = """\
import numpy as np

from course_lib.example import LAMBDA, TOKENS, K, Q, V
from course_chapters.bias_by_hand import tasks as task"""
