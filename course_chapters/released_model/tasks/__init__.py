"""A released model

There are four: from the bytes of a file to numbers, a bug that other projects have had, two scores for all heads, and a
prediction. None of them needs the model.
"""

from course_kit.checking.pages import page

decode_block = page(__name__, "decode_block")
gguf_rows = page(__name__, "gguf_rows")
head_scores = page(__name__, "head_scores")
moved_positions = page(__name__, "moved_positions")

PREPARE = """\
import numpy as np

from course_lib.reference.attention import causal_mask, scores, softmax
from course_lib.reference.grid import from_grid
from course_lib.reference.rope import rotate, to_half_split, to_interleaved
from course_chapters.released_model import tasks as task"""
