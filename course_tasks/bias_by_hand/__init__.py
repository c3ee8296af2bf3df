"""A bias by hand

Eleven tasks in the order of the lesson. Write your answer in place of the `...`, run the cell, then run the check
below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the expected one, and
`task.NAME.solution()` shows a solution. You can start with any task, because only tasks 6 and 10 use the function of an
earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .scaled_scores import scaled_scores
from .bias_matrix import bias_matrix
from .biased_attention import biased_attention
from .biased_attention_torch import biased_attention_torch
from .row_weights import row_weights
from .self_dominates import self_dominates
from .neighbour import neighbour
from .far_share import far_share
from .asymmetric_bias import asymmetric_bias
from .causal_weights import causal_weights
from .cached_bias import cached_bias

__all__ = [
    "scaled_scores", "bias_matrix", "biased_attention", "biased_attention_torch", "row_weights", "self_dominates",
    "neighbour", "far_share", "asymmetric_bias", "causal_weights", "cached_bias",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import LAMBDA, TOKENS, K, Q, V
from course_tasks import bias_by_hand as task"""
