"""The four places where a scheme may enter attention."""

from dataclasses import dataclass

from torch import Tensor, nn


@dataclass(frozen=True)
class Vectors:
    """A vector per offset: a table (heads or 1, m, d), and the table row that each of the n_q + n_k − 1 offsets takes.

    `index` (n_q + n_k − 1,) lets many offsets share a row, as Shaw's clipping does; None: one row per offset, in order.
    """

    table: Tensor
    index: Tensor | None = None

    def dot(self, x: Tensor) -> Tensor:
        """x_i · vector_r for every row of x (…, heads, n_q, d) and every offset: (…, heads, n_q, n_q + n_k − 1)."""
        products = x @ self.table.mT
        return products if self.index is None else products[..., self.index]

    def mix(self, rows: Tensor) -> Tensor:
        """Σ_r rows_r · vector_r for rows (…, heads, n_q, n_q + n_k − 1): (…, heads, n_q, d)."""
        if self.index is None:
            return rows @ self.table
        shared = rows.new_zeros(*rows.shape[:-1], self.table.shape[-2])
        return shared.index_add(-1, self.index, rows) @ self.table


class Position(nn.Module):
    """What a scheme tells attention about offsets. The base class says nothing; a scheme overrides what it needs.

    The hooks are asked for n_q queries at positions past … past + n_q − 1 and n_k keys at positions 0 … n_k − 1.
    Whatever is known per offset comes as a row of n_q + n_k − 1 entries in the order of `row_offsets`.
    """

    scale: float | None = None  # of q·k; None is 1/√d_head

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        """Change queries and keys (batch, heads, length, d_head), which begin at positions `past` and `first_key`.

        first_key is `past` when None: with a cache only the new keys come here.
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
