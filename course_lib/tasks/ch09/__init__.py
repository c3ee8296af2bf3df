"""Fast attention

Eight tasks: tiles with a pencil and in code, what `scaled_dot_product_attention` does with what it is given, and five
bugs that live in published code. `sdpa` is that function under a short name. Write your answer in place of the `...`,
or mend the code that is there, run the cell, then the check below it. `task.NAME.hint()` gives a hint. No task uses the
function of an earlier one.
"""

# ruff: noqa: I001, RUF022 (the order of these lines is the order of the tasks)
from .tiles import two_tiles, kept_after_tiles
from .masks import sdpa_traps, padded_attention
from .decoding import decode_step
from .blocks import scores_in_blocks
from .views import cheap_mask
from .clock import fair_ratio

__all__ = [
    "two_tiles", "kept_after_tiles", "sdpa_traps", "padded_attention", "decode_step", "scores_in_blocks",
    "cheap_mask", "fair_ratio",
]  # fmt: skip

PREPARE = """\
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_lib.tasks import ch09 as task"""
