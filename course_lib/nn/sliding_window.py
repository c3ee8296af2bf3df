"""A sliding window: every query sees the keys at most w − 1 positions away, and so the far past costs nothing."""

import math

import torch
from torch import Tensor

from ..checks import check_whole
from .grid import row_offsets
from .position import Position


class SlidingWindow(Position):
    """b(r) = 0 for |r| < w, −∞ beyond: in a causal layer, the last w keys, the query's own among them.

    It is a row of biases like any other. `reach` tells the fast path that it need not read the keys beyond.
    Raises ValueError for w below 1. Sources: Beltagy et al. 2020 (Longformer); Jiang et al. 2023 (Mistral 7B),
    “Sliding window attention”, whose ring takes w keys, too.
    """

    def __init__(self, w: int) -> None:
        super().__init__()
        self.reach: int = check_whole("w", w)
        self.register_buffer("like", torch.empty(0), persistent=False)  # where the layer lives, and in what precision

    like: Tensor

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        r = row_offsets(n_q, n_k, past, self.like.device)
        return self.like.new_zeros(1, len(r)).masked_fill(r.abs() >= self.reach, -math.inf)
