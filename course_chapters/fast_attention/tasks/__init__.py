"""Fast attention

There are three: tiles in code, a prediction of what `scaled_dot_product_attention` does with its arguments, and a bug
that occurs in published code. `sdpa` is that function under a short name.
"""

from course_kit.checking.pages import page

kept_after_tiles = page(__name__, "kept_after_tiles")
sdpa_traps = page(__name__, "sdpa_traps")
padded_attention = page(__name__, "padded_attention")

PREPARE = """\
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_chapters.fast_attention import tasks as task"""
