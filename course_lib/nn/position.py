"""A scheme as attention sees it: the four places where it may enter."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Vectors:
    """A vector per offset, in the order of `row_offsets`: offset number c reads row c + first of a table.

    table (heads or 1, rows, d). Beyond its two ends the outermost rows repeat, row = min(max(c + first, 0), rows − 1),
    as Shaw's clipping does. With 5 rows and first = −1, the seven offsets −3 … 3 read the rows 0, 0, 1, 2, 3, 4, 4.
    first=None: the table has exactly one row per offset. For any other choice of rows, give `table[:, index]`.
    """

    table: Tensor
    first: int | None = None

    def per_offset(self, width: int) -> Tensor:
        """The vectors of `width` = n_q + n_k − 1 offsets: (heads or 1, width, d)."""
        if self.first is None:
            return self.table
        row = torch.arange(self.first, self.first + width, device=self.table.device)
        return self.table[:, row.clamp(0, self.table.shape[1] - 1)]


class Position(nn.Module):
    """What a scheme tells attention about offsets. The base class adds nothing; a scheme overrides the hooks it needs.

    Each hook is called for n_q queries at positions past … past + n_q − 1 and n_k keys at positions 0 … n_k − 1.
    A bias and vectors have one entry for each of the n_q + n_k − 1 offsets, in the order of `row_offsets`.
    """

    scale: float | None = None  # of q·k; None is 1/√d_head

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        """Queries and keys (batch, heads, length, d_head), which begin at positions `past` and `first_key`, changed.

        first_key=None means `past`: with a cache, only the new keys are passed.
        """
        return q, k

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor | None:
        """A number per offset, added to the scaled score: (heads or 1, n_q + n_k − 1)."""
        return None

    def key_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        """A vector per offset, added to the key inside the scaling."""
        return None

    def value_vectors(self, n_q: int, n_k: int, past: int) -> Vectors | None:
        """A vector per offset, added to the value."""
        return None
