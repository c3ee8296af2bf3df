"""A bias by hand

They come in the order of the lesson.
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
