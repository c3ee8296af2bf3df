"""Fast attention

Five tasks: tiles by hand and in code, a prediction of what `scaled_dot_product_attention` does with its arguments, and
two bugs that occur in published code. `sdpa` is that function under a short name. Write your answer in place of the `...`,
or fix the given code, then run the cell and the check below it. `task.NAME.hint()` gives a hint. Start where you like,
because no task needs an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .two_tiles import two_tiles
from .kept_after_tiles import kept_after_tiles
from .sdpa_traps import sdpa_traps
from .padded_attention import padded_attention
from .decode_step import decode_step

__all__ = ["two_tiles", "kept_after_tiles", "sdpa_traps", "padded_attention", "decode_step"]

PREPARE = """\
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_tasks import fast_attention as task"""
