"""A bias by hand

Seven tasks in the order of the lesson. Write your answer in place of the `...`, or fix the code in the cell. Then run the
cell and the check below it. `task.NAME.hint()` gives a hint, `task.NAME.compare(NAME)` shows your result beside the
expected one, and `task.NAME.solution()` shows a solution. You can start with any task, because none needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .scaled_scores import scaled_scores
from .bias_matrix import bias_matrix
from .biased_attention import biased_attention
from .biased_attention_torch import biased_attention_torch
from .self_dominates import self_dominates
from .causal_weights import causal_weights
from .cached_bias import cached_bias

__all__ = [
    "scaled_scores", "bias_matrix", "biased_attention", "biased_attention_torch", "self_dominates", "causal_weights",
    "cached_bias",
]  # fmt: skip

PREPARE = """\
import numpy as np

from course_lib.example import LAMBDA, TOKENS, K, Q, V
from course_tasks import bias_by_hand as task"""
