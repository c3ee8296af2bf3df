"""A scale that grows with the query's position: more keys share the softmax, so scores must spread further."""

import math

import torch
from torch import Tensor, nn

from ..checks import check_whole
from .places import Places, check_from_0, counted
from .position import Position


class LogScale(Position):
    """Queries times s_h · ln(p + 1) at position p, with a learned s per head.

    At the start s = 1 / ln(length), so that the last query of `length` tokens stays as it is. The query at position 0
    becomes 0: in a causal layer it sees one key, so nothing changes.
    Raises ValueError for fewer than 1 head and a length below 2. Source: Nakanishi 2025 (Scalable-Softmax).
    """

    def __init__(self, n_heads: int, length: int) -> None:
        super().__init__()
        start = 1 / math.log(check_whole("length", length, 2))
        self.s = nn.Parameter(torch.full((check_whole("n_heads", n_heads),), start))

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        return self._scaled(q, counted(check_whole("past", past, 0), q)), k

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        check_from_0(places.i, "the logarithm of LogScale")
        return self._scaled(q, places.i[:, None]), k

    def _scaled(self, q: Tensor, positions: Tensor) -> Tensor:
        """q (…, heads, n_q, d_head), at positions that broadcast to (…, heads, n_q), times its factors."""
        if q.shape[-3] != len(self.s):
            raise ValueError(f"q {tuple(q.shape)}: expected (…, {len(self.s)}, n_q, d_head), the heads of this scale")
        dtype = torch.promote_types(q.dtype, torch.float32)  # bfloat16 has no position 257
        factors = self.s[:, None] * positions.to(dtype).log1p()
        return q * factors[..., None].to(q.dtype)
