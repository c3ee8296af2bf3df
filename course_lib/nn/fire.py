"""FIRE: a small network turns the distance, as a share of the query's position, into a bias."""

import torch
from torch import Tensor, nn

from ..reference.grid import check_sizes
from .position import Position


class FIRE(Position):
    """b_h(i, j) = MLP_h(ψ(i − j) / ψ(max(i, L))), ψ(x) = log(c·x + 1), with learned c and L; 0 distance for later keys.

    The same offset gets another number from a later query, so no row of offsets holds this bias: it is a whole grid.
    Every distance is a share of the position, so a longer text brings no share that training has not seen.
    threshold: L at the start. Raises ValueError for a threshold that is not above 0.
    Source: Li et al. 2023 (FIRE), section 3.
    """

    def __init__(self, n_heads: int, *, hidden: int = 32, threshold: float = 512.0) -> None:
        super().__init__()
        if not 0 < threshold < float("inf"):
            raise ValueError(f"threshold={threshold}: expected a number above 0")
        self.threshold = threshold
        self.c = nn.Parameter(torch.tensor(0.1))
        self.multiplier = nn.Parameter(torch.tensor(1.0))  # L = |multiplier| · threshold
        self.network = nn.Sequential(nn.Linear(1, hidden), nn.ReLU(), nn.Linear(hidden, n_heads))

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        n_q, n_k, past = check_sizes(n_q, n_k, past)
        i = torch.arange(past, past + n_q, device=self.c.device)[:, None]
        distance = (i - torch.arange(n_k, device=i.device)).clamp(min=0)
        limit = torch.maximum(i.to(self.c.dtype), self.multiplier.abs() * self.threshold)
        share = torch.log1p(self.c.abs() * distance) / torch.log1p(self.c.abs() * limit)
        return self.network(share[..., None]).movedim(-1, 0)
