"""A bias by hand

Eleven tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` sets your function beside the expected one, and
`task.NAME.solution()` shows a solution. Start where you like: only tasks 6 and 10 use the function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .scores import scaled_scores, bias_matrix
from .attending import biased_attention, biased_attention_torch
from .strength import row_weights, self_dominates, neighbour, far_share
from .direction import asymmetric_bias, causal_weights
from .decoding import cached_bias

__all__ = [
    "scaled_scores", "bias_matrix", "biased_attention", "biased_attention_torch", "row_weights", "self_dominates",
    "neighbour", "far_share", "asymmetric_bias", "causal_weights", "cached_bias",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import LAMBDA, TOKENS, K, Q, V
from course_lib.tasks import ch02 as task"""
