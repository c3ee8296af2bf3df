"""FIRE: a small network turns the distance, as a share of the query's position, into a bias."""

import torch
from torch import Tensor, nn

from ..checks import check_whole
from ..reference.grid import check_sizes
from .places import Places, check_from_0
from .position import Position

HIDDEN = 32


class FIRE(Position):
    """b_h(i, j) = MLP_h(ψ(|i − j|) / ψ(max(i, τ))), ψ(x) = ln(|c|·x + 1), with learned c and τ.

    The same offset gets another number from a later query, so no row of offsets holds this bias: it is a whole grid.
    A distance is a share of the query's position, so no share of an earlier key exceeds 1; training sees all
    shares if it goes past τ.
    The MLP is HIDDEN wide. `threshold`: τ at the start, from where on positions count; learned is a factor on it.
    Raises ValueError for n_heads below 1 and a threshold that is not above 0.
    Source: Li et al. 2023 (FIRE), and the code of its authors, which also takes |i − j|.
    """

    def __init__(self, n_heads: int, *, threshold: float = 512.0) -> None:
        super().__init__()
        if not 0 < threshold < float("inf"):
            raise ValueError(f"threshold={threshold}: expected a number above 0")
        self.threshold = threshold
        self.c = nn.Parameter(torch.tensor(0.1))
        self.multiplier = nn.Parameter(torch.tensor(1.0))  # τ = |multiplier| · threshold
        n_heads = check_whole("n_heads", n_heads)
        self.network = nn.Sequential(nn.Linear(1, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, n_heads))

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        n_q, n_k, past = check_sizes(n_q, n_k, past)
        i, j = torch.arange(past, past + n_q, device=self.c.device), torch.arange(n_k, device=self.c.device)
        return self._numbers(i[:, None], j)

    def bias_at(self, places: Places) -> Tensor:
        check_from_0(places.i, "the share of FIRE")
        return self._numbers(places.i[:, :, None], places.j[:, None]).transpose(0, 1)

    def _numbers(self, i: Tensor, j: Tensor) -> Tensor:
        """The network's numbers for queries i (…, n_q, 1) and keys j (…, 1, n_k): (heads, …, n_q, n_k)."""
        c, multiplier = (x.to(torch.promote_types(x.dtype, torch.float32)).abs() for x in (self.c, self.multiplier))
        distance = (i - j).abs()
        limit = torch.maximum(i.to(c.dtype), multiplier * self.threshold)  # bfloat16 cannot hold position 257
        share = torch.log1p(c * distance) / torch.log1p(c * limit)
        return self.network(share[..., None].to(self.c.dtype)).movedim(-1, 0)
