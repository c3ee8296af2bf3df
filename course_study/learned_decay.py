"""A decay whose strength each head learns."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from course_lib.nn.bias import CURVES
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position


class LearnedDecay(Position):
    """b_h(r) = −a_h · decay(|r|), where a_h = exp(s_h) is above 0 and s_h is learned.

    strengths: a_h at the start, one per head. decay: a name of `course_lib.nn.bias`. Source: KERPLE (Chi et al. 2022).
    With "log" it is their logarithmic kind with r₂ = 1, with "linear" their power kind with exponent 1.
    """

    def __init__(self, strengths: Sequence[float], decay: str) -> None:
        super().__init__()
        self.decay, self.log_strengths = CURVES[decay], nn.Parameter(torch.tensor(strengths).log())

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        distance = row_offsets(n_q, n_k, past, self.log_strengths.device).abs()
        return -self.log_strengths.exp()[:, None] * self.decay(distance.to(self.log_strengths.dtype))
