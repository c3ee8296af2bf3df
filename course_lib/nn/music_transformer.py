"""Music Transformer: a learned vector for every offset, up to the end of the table."""

import torch
from torch import nn
from torch.nn.functional import pad

from ..checks import check_whole
from ..reference.absolute import check_length
from ..reference.grid import check_sizes
from .position import Position, Vectors


class MusicTransformer(Position):
    """score_ij = (q_i · k_j + q_i · e[j − i]) / √d_head, computed without the vectors of all pairs, (n, n, d).

    `table` e is (n_heads or 1, rows, d_head), learned. causal=True: max_length rows for the offsets
    −(max_length − 1) … 0; the offsets after the query have the zero vector. causal=False: 2·max_length − 1 rows, up to
    offset max_length − 1. shared=True: one table for all heads. Raises ValueError for sizes below 1, and for texts
    longer than max_length. Source: Huang et al. 2019, section 3.3, eq. 3.
    """

    def __init__(
        self, n_heads: int, d_head: int, max_length: int, *, causal: bool = True, shared: bool = False
    ) -> None:
        super().__init__()
        n_heads, d_head = check_whole("n_heads", n_heads), check_whole("d_head", d_head)
        self.max_length, self.causal = check_whole("max_length", max_length), causal
        rows = max_length if causal else 2 * max_length - 1
        self.table = nn.Parameter(torch.randn(1 if shared else n_heads, rows, d_head) * d_head**-0.5)

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors:
        n_q, n_k, past = check_sizes(n_q, n_k, past)
        check_length(past + n_q if self.causal else max(past + n_q, n_k - past), self.max_length)
        first = self.max_length - (past + n_q)  # the row of the smallest offset, −(past + n_q − 1)
        width = n_q + n_k - 1
        found = self.table[:, first : first + width]
        missing = width - found.shape[1]
        return Vectors(pad(found, (0, 0, 0, missing)) if missing else found)  # `pad` by nothing would copy
