"""A scheme of one's own, right and with any slip, and what the bench says of it."""

import math

import torch
from torch import nn

from course_lib import workbench
from course_lib.nn.position import Position

torch.set_num_threads(1)
SAY_NOTHING = ("none", "T5, cross-attention")  # schemes that add nothing to any score


class PerHead(Position):
    """b_h(r) = −s_h √|r|, with a strength for each head."""

    def __init__(self, n_heads):
        super().__init__()
        self.strength = nn.Parameter(torch.ones(n_heads))

    def bias(self, n_q, n_k, past):
        return -self.strength[:, None] * self.offsets(n_q, n_k, past).abs().sqrt()

    def offsets(self, n_q, n_k, past):
        return torch.arange(-(past + n_q - 1), n_k - past, dtype=self.strength.dtype)


def number(module, head, r):
    return -module.strength[head] * math.sqrt(abs(r))


def verdict(cls, backends=("eager", "sdpa")):
    return workbench.agrees(lambda n_heads, d_head: cls(n_heads), workbench.with_bias(number), backends)


def changed(**hooks):
    """A `PerHead` with other methods."""
    return type("Changed", (PerHead,), hooks)
