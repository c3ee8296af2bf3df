"""Huang's skew: from a vector per offset to the grid without ever building (n, n, d), by padding and reading again.

`to_grid` says what should come out; the tricks here get there by moving whole blocks of memory.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .absolute import check_length
from .attention import Array
from .grid import check_sizes


def skew_causal(rows: ArrayLike) -> Array:
    """The published trick: a column of zeros in front, read again with rows one number shorter, drop the first row.

    rows (…, n_q, n_k): column c is offset c − (n_k − 1), from −(n_k − 1) up to 0, for queries that end where the keys
    end (past = n_k − n_q). Gives (…, n_q, n_k) with S[i, j] = rows[i, j − i + n_q − 1] up to offset 0.
    Beyond it stands JUNK, a zero and pieces of the next row (`skew_source` shows whose): the causal mask must hide it.
    Raises ValueError for more queries than keys. Source: Huang et al. 2019, section 3.4.1 (there n_q = n_k).
    """
    rows = np.asarray(rows)
    if rows.ndim < 2 or rows.shape[-2] > rows.shape[-1]:
        raise ValueError(f"rows {rows.shape}: expected (…, n_q, n_k) with n_q at most n_k")
    *lead, n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((*lead, n_q, 1), rows.dtype), rows], axis=-1)
    # The flat memory is cut every n_k numbers instead of every n_k + 1: row i slips i places, and n_q are left over.
    return padded.reshape(*lead, -1)[..., n_q:].reshape(*lead, n_q, n_k)


def skew_source(n_q: int, n_k: int) -> NDArray[np.int64]:
    """Where each number of `skew_causal` comes from: (n_q, n_k, 2), row and column in `rows`; (−1, −1) for the zero.

    Found by sending labels instead of numbers through the same trick.
    """
    n_q, n_k, _ = check_sizes(n_q, n_k, 0)
    label = skew_causal(1 + np.arange(n_q * n_k).reshape(n_q, n_k)) - 1
    return np.where(label[..., None] < 0, -1, np.stack(np.divmod(label, n_k), axis=-1))


def skew(rows: ArrayLike, n_q: int) -> Array:
    """The same for every offset, so that nothing is junk: self or cross, full or causal, any n_q and n_k.

    rows (…, n_q, n_q + n_k − 1), one column per offset, ascending (`row_offsets`), gives (…, n_q, n_k) = `to_grid`.
    With a column of anything behind, cell (i, j) stands in flat memory at i·width + j + n_q − 1: skip n_q − 1
    numbers, cut every `width`, keep the first n_k. Raises ValueError when the shape is not this.
    """
    rows = np.asarray(rows)
    if rows.ndim < 2 or rows.shape[-2] != n_q or rows.shape[-1] < n_q:
        raise ValueError(f"rows {rows.shape}: expected (…, {n_q}, {n_q} + n_k − 1) for n_q={n_q}")
    *lead, n_q, width = rows.shape
    flat = np.concatenate([rows, np.zeros((*lead, n_q, 1), rows.dtype)], axis=-1).reshape(*lead, -1)
    grid = flat[..., n_q - 1 : n_q - 1 + n_q * width].reshape(*lead, n_q, width)
    return grid[..., : width - n_q + 1]


def take_offsets(table: ArrayLike, n_q: int, n_k: int | None = None, *, past: int = 0, causal: bool = False) -> Array:
    """The vectors that n_q queries and n_k keys need from a table made for longer texts: (…, n_q + n_k − 1, d).

    table (…, 2·max_length − 1, d) for offsets −(max_length − 1) … max_length − 1, ascending; with `causal`
    (…, max_length, d) for offsets up to 0, and the offsets after the query get zero vectors (their mask hides them).
    Raises ValueError when the text is longer than the table. Source: Huang et al. 2019, section 3.4.
    """
    table = np.asarray(table, float)
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    max_length = table.shape[-2] if causal else (table.shape[-2] + 1) // 2
    first, last = -(past + n_q - 1), n_k - 1 - past
    check_length(past + n_q if causal else max(past + n_q, n_k - past), max_length)
    zero = max_length - 1  # the row of offset 0
    found = table[..., first + zero : last + zero + 1, :]  # with `causal` the slice ends at offset 0, with the table
    missing = np.zeros((*table.shape[:-2], n_q + n_k - 1 - found.shape[-2], table.shape[-1]))
    return np.concatenate([found, missing], axis=-2)


def huang_scores(
    q: ArrayLike, table: ArrayLike, n_k: int | None = None, *, past: int = 0, causal: bool = False
) -> Array:
    """S[i, j] = q_i · e[j − i] for every pair, not yet scaled: q (…, n_q, d), table as in `take_offsets`.

    (…, n_q, n_k) from one product Q Eᵀ, then `skew`. It belongs inside the scaling: softmax((Q Kᵀ + S) / √d_k).
    Source: Huang et al. 2019, eq. 3.
    """
    q = np.asarray(q, float)
    vectors = take_offsets(table, q.shape[-2], n_k, past=past, causal=causal)
    return skew(q @ np.swapaxes(vectors, -1, -2), q.shape[-2])
