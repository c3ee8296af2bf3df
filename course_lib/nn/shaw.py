"""Shaw's relative positions: a learned vector per clipped offset on the key and, if wanted, on the value."""

import torch
from torch import nn

from ..checks import check_whole
from .position import Position, Vectors


class ShawVectors(Position):
    """score_ij = q_i · (k_j + a[clip(j − i)]) / √d_head, output Σ_j w_ij (v_j + c[clip(j − i)]).

    `key_table` a and `value_table` c are (n_heads or 1, 2·clip + 1, d_head), learned; row r + clip belongs to offset r.
    shared=True: one table for all heads. values=False: keys alone, which the paper finds as good.
    Raises ValueError for sizes below 1 or a negative clip. Source: Shaw et al. 2018, section 3, eqs. 3 and 4.
    """

    def __init__(self, n_heads: int, d_head: int, clip: int, *, shared: bool = False, values: bool = True) -> None:
        super().__init__()
        n_heads, d_head = check_whole("n_heads", n_heads), check_whole("d_head", d_head)
        self.clip = check_whole("clip", clip, 0)
        shape = (1 if shared else n_heads, 2 * clip + 1, d_head)
        self.key_table = nn.Parameter(torch.randn(shape) * d_head**-0.5)
        self.value_table = nn.Parameter(torch.randn(shape) * d_head**-0.5) if values else None

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors:
        return Vectors(self.key_table, self._first(n_q, past))

    def value_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        return None if self.value_table is None else Vectors(self.value_table, self._first(n_q, past))

    def _first(self, n_q: int, past: int) -> int:
        """The row of the smallest offset, −(past + n_q − 1), if none were clipped: row r + clip belongs to offset r."""
        return self.clip - (past + n_q - 1)
