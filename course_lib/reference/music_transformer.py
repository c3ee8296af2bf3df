"""Music Transformer: a vector per offset, and Huang's skew, which needs no vectors for all pairs, (n, n, d).

`to_grid` defines the result. The skew gets there by padding the rows and reading the same memory with another length.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_axes
from .absolute import check_length
from .attention import Array
from .grid import check_sizes


def skew_causal(rows: ArrayLike) -> Array:
    """The published skew: put a column of zeros first, read with rows one number shorter, drop the first n_q numbers.

    rows (…, n_q, n_k): column c is offset c − (n_k − 1), from −(n_k − 1) up to 0, for queries that end where the keys
    end (past = n_k − n_q). Gives (…, n_q, n_k) with S[i, j] = rows[i, j − i + n_q − 1] up to offset 0.
    After offset 0 there is JUNK (a zero and pieces of the next row, see `skew_source`) for the causal mask to hide.
    Raises ValueError for more queries than keys. Source: Huang et al. 2019, section 3.4.1 (there n_q = n_k).
    """
    rows = np.asarray(rows)
    if rows.ndim < 2 or rows.shape[-2] > rows.shape[-1]:
        raise ValueError(f"rows {rows.shape}: expected (…, n_q, n_k) with n_q at most n_k")
    *lead, n_q, n_k = rows.shape
    padded = np.concatenate([np.zeros((*lead, n_q, 1), rows.dtype), rows], axis=-1)
    # The flat memory is cut every n_k numbers instead of every n_k + 1, so row i slips i places. n_q are left over.
    return padded.reshape(*lead, n_q * (n_k + 1))[..., n_q:].reshape(*lead, n_q, n_k)


def skew_source(n_q: int, n_k: int) -> NDArray[np.int64]:
    """Where each number of `skew_causal` comes from: (n_q, n_k, 2), row and column in `rows`; (−1, −1) for the zero.

    We find it by skewing labels instead of numbers. Raises ValueError for sizes below 1 or more queries than keys.
    """
    n_q, n_k, _ = check_sizes(n_q, n_k, 0)
    label = skew_causal(1 + np.arange(n_q * n_k).reshape(n_q, n_k)) - 1
    return np.where(label[..., None] < 0, -1, np.stack(np.divmod(label, n_k), axis=-1))


def skew(rows: ArrayLike, n_q: int) -> Array:
    """The skew for every offset, without junk: self- or cross-attention, full or causal, any n_q and n_k.

    rows (…, n_q, width), one column for each of the width = n_q + n_k − 1 offsets, ascending (`row_offsets`), gives
    `to_grid`, (…, n_q, n_k). Once a column of zeros is added at the end, cell (i, j) is number i·width + j + n_q − 1 of
    the flat memory. So skip n_q − 1 numbers, cut every `width`, and keep the first n_k of each row.
    Raises ValueError when the shape is not this. Source: Huang et al. 2019, section 3.4.1, made general.
    """
    rows = np.asarray(rows)
    if rows.ndim < 2 or rows.shape[-2] != n_q or rows.shape[-1] < n_q:
        raise ValueError(f"rows {rows.shape}: expected (…, {n_q}, {n_q} + n_k − 1) for n_q={n_q}")
    *lead, n_q, width = rows.shape
    flat = np.concatenate([rows, np.zeros((*lead, n_q, 1), rows.dtype)], axis=-1)
    flat = flat.reshape(*lead, n_q * (width + 1))
    grid = flat[..., n_q - 1 : n_q - 1 + n_q * width].reshape(*lead, n_q, width)
    return grid[..., : width - n_q + 1]


def slice_table(table: ArrayLike, n_q: int, n_k: int | None = None, *, past: int = 0, causal: bool = False) -> Array:
    """The vectors that n_q queries and n_k keys need from a table made for longer texts: (…, n_q + n_k − 1, d).

    table (…, 2·max_length − 1, d) for offsets −(max_length − 1) … max_length − 1, ascending. causal=True: table
    (…, max_length, d) for offsets up to 0; the offsets after the query get zero vectors (the causal mask hides them).
    Raises ValueError for another table, and when the text is longer than it. Source: Huang et al. 2019, section 3.3.
    """
    table = np.asarray(table, float)
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    check_axes(table=(table, "… rows d"))
    if not causal and table.shape[-2] % 2 == 0:
        raise ValueError(f"table {table.shape}: expected (…, 2·max_length − 1, d), an odd number of rows")
    max_length = table.shape[-2] if causal else (table.shape[-2] + 1) // 2
    first, last = -(past + n_q - 1), n_k - 1 - past
    check_length(past + n_q if causal else max(past + n_q, n_k - past), max_length)
    zero = max_length - 1  # the row of offset 0
    found = table[..., first + zero : last + zero + 1, :]  # with `causal` the slice ends at offset 0, with the table
    missing = np.zeros((*table.shape[:-2], n_q + n_k - 1 - found.shape[-2], table.shape[-1]))
    return np.concatenate([found, missing], axis=-2)


def music_transformer_scores(
    q: ArrayLike, table: ArrayLike, n_k: int | None = None, *, past: int = 0, causal: bool = False
) -> Array:
    """S[i, j] = q_i · e[j − i] for every pair, not yet scaled: (…, n_q, n_k).

    q (…, n_q, d), table as in `slice_table`. One product Q Eᵀ, then `skew`. S goes inside the scaling:
    softmax((Q Kᵀ + S) / √d_k). Raises ValueError as `slice_table` does. Source: Huang et al. 2019, eq. 3.
    """
    q, table = np.asarray(q, float), np.asarray(table, float)
    check_axes(q=(q, "… n_q d"), table=(table, "… rows d"))
    vectors = slice_table(table, q.shape[-2], n_k, past=past, causal=causal)
    return skew(q @ np.swapaxes(vectors, -1, -2), q.shape[-2])
