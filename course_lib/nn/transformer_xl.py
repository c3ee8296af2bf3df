"""Transformer-XL's four terms, by three hooks of `Position`: a changed query, a vector per offset and a bias.

(q_i + u) · k_j + (q_i + v) · r_{j−i} = q'_i · (k_j + r_{j−i}) + (v − u) · r_{j−i}  with q' = q + u.
"""

import torch
from torch import Tensor, nn

from ..checks import check_whole
from ..reference.absolute import check_pairs
from ..reference.grid import check_sizes
from .absolute import sinusoidal
from .grid import row_offsets
from .kept import kept
from .places import Places
from .position import Position, Vectors


class TransformerXL(Position):
    """score_ij = ((q_i + u) · k_j + (q_i + v) · r_{j−i}) / √d_head, with r_{j−i} = W_r R_{i−j} and R sinusoidal.

    Learned: u and v (n_heads, d_head), and W_r, the Linear `relative`. Use it with `SegmentMemory` for the recurrence.
    Raises ValueError when d_model is odd or no multiple of n_heads. Source: Dai et al. 2019, section 3.3.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.d_model, self.n_heads = check_pairs("d_model", d_model), check_whole("n_heads", n_heads)
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads}: d_model must be a multiple of n_heads")
        self.d_head = d_model // n_heads
        self.u, self.v = (nn.Parameter(0.02 * torch.randn(n_heads, self.d_head)) for _ in range(2))
        self.relative = nn.Linear(d_model, d_model, bias=False)

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        return q + self.u[:, None], k

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        return self.prepare(q, k, 0)

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors:
        r = self.relative(self._distances(n_q, n_k, past))
        return Vectors(r.unflatten(-1, (self.n_heads, -1)).transpose(0, 1))

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        # (v − u) · W_r R = (W_rᵀ (v − u)) · R: one vector per head is projected, so R need not be projected again.
        w_r = self.relative.weight.unflatten(0, (self.n_heads, -1))
        projected = torch.einsum("hd,hdm->hm", self.v - self.u, w_r)
        return self.d_head**-0.5 * projected @ self._distances(n_q, n_k, past).mT

    def _distances(self, n_q: int, n_k: int, past: int) -> Tensor:
        """R_{i−j} for every offset, ascending: (n_q + n_k − 1, d_model)."""
        n_q, n_k, past = check_sizes(n_q, n_k, past)
        end = max(past + n_q, n_k - past)
        if not torch.compiler.is_compiling():
            end = 1 << (end - 1).bit_length()  # a cache that grows token by token seldom needs another table
        weight, first = self.relative.weight, end - (past + n_q)
        return _sinusoids(end, self.d_model, weight.dtype, weight.device)[first : first + n_q + n_k - 1]


@kept
def _sinusoids(end: int, d: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """R of all offsets below `end` in size, ascending."""
    with torch.inference_mode(False):  # what is kept must serve training, too
        return sinusoidal(-row_offsets(end, end, device=device), d, dtype=dtype)
