"""An attention sink: one more key without a value, so that a head need not give all of its weight away."""

import torch
from torch import Tensor, nn

from ..checks import check_whole
from .position import Position


class Sink(Position):
    """w_ij = e^{s_ij} / (e^{a_h} + Σ_k e^{s_ik}), with a learned number a_h per head; it says nothing about offsets.

    A query then gives the share σ(lse_i − a_h) of its weight to the keys, lse_i = ln Σ_k e^{s_ik}, and the rest to
    nothing. At the start a = 0, which adds 1 to the denominator. Put it beside other schemes with `Combined`.
    Raises ValueError for fewer than 1 head. Source: the code of gpt-oss (OpenAI 2025).
    """

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.zeros(check_whole("n_heads", n_heads)))

    def sink(self) -> Tensor:
        return self.a
