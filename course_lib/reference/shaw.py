"""Shaw's relative positions: a learned vector per clipped offset, added to the key and, if wanted, to the value."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_axes, check_whole, check_wholes
from .attention import Array, attention
from .grid import from_grid, row_offsets, to_grid


def clip_index(offset: ArrayLike, clip: int) -> NDArray[np.int64]:
    """The table row of each offset r = j − i: min(max(r, −clip), clip) + clip, from 0 to 2·clip, of any shape.

    Raises ValueError for a negative clip and offsets that are not whole. Source: Shaw et al. 2018, section 3.2.
    """
    clip = check_whole("clip", clip, 0)
    return np.clip(check_wholes("offset", offset), -clip, clip) + clip


def key_term(q: ArrayLike, key_table: ArrayLike, n_k: int | None = None, *, past: int = 0) -> Array:
    """S[i, j] = q_i · a[clip(j − i)], the part of the score that knows the offset: not yet scaled, (…, n_q, n_k).

    q (…, n_q, d_k), key_table a (2·clip + 1, d_k) or (heads, 2·clip + 1, d_k). Each query meets each vector of the
    table once, n_q (2·clip + 1) products; the rest is looking up. Source: Shaw et al. 2018, eq. 4.
    """
    q, a = np.asarray(q, float), check_table("key_table", key_table)
    check_axes(q=(q, "… n_q d_k"), key_table=(a, "… rows d_k"))
    n_q = q.shape[-2]
    products = q @ np.swapaxes(a, -1, -2)
    return to_grid(products[..., clip_index(row_offsets(n_q, n_k, past), a.shape[-2] // 2)], n_q)


def value_term(weights: ArrayLike, value_table: ArrayLike, *, past: int = 0) -> Array:
    """Σ_j w_ij · c[clip(j − i)], what the offsets add to the output: (…, n_q, d_v).

    weights (…, n_q, n_k), value_table c (2·clip + 1, d_v) or (heads, 2·clip + 1, d_v). First how much weight each
    query gives to each offset, `from_grid`; then one product with the vectors. Source: Shaw et al. 2018, eq. 3.
    """
    weights, c = np.asarray(weights, float), check_table("value_table", value_table)
    check_axes(weights=(weights, "… n_q n_k"), value_table=(c, "… rows d_v"))
    n_q, n_k = weights.shape[-2:]
    vectors = c[..., clip_index(row_offsets(n_q, n_k, past), c.shape[-2] // 2), :]
    return from_grid(weights, shared=False) @ vectors


def shaw_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    key_table: ArrayLike,
    value_table: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    past: int = 0,
) -> tuple[Array, Array]:
    """w_ij = softmax_j(q_i · (k_j + a[clip(j − i)]) / √d_k), output Σ_j w_ij (v_j + c[clip(j − i)]).

    The position is inside the scaling. Shapes as in `attention`, tables as in `key_term` and `value_term`.
    Source: Shaw et al. 2018, eqs. 3 and 4; the paper's own ablation finds keys alone as good as both.
    """
    q, k, v = np.asarray(q, float), np.asarray(k, float), np.asarray(v, float)
    check_axes(q=(q, "… n_q d_k"), k=(k, "… n_k d_k"), v=(v, "… n_k d_v"))
    if value_table is not None:
        check_axes(v=(v, "… n_k d_v"), value_table=(np.asarray(value_table), "… rows d_v"))
    position = key_term(q, key_table, k.shape[-2], past=past) / np.sqrt(q.shape[-1])
    output, weights = attention(q, k, v, bias=position, mask=mask)
    if value_table is not None:
        output = output + value_term(weights, value_table, past=past)
    return output, weights


def check_table(name: str, table: ArrayLike) -> Array:
    """The table as an array (…, 2·clip + 1, d), or a ValueError: offsets −clip … clip are an odd number of rows."""
    table = np.asarray(table, float)
    if table.ndim < 2 or table.shape[-2] % 2 == 0:
        raise ValueError(f"{name} {table.shape}: expected (…, 2·clip + 1, d)")
    return table
