"""Transformer-XL: the score of absolute positions, expanded and made relative term by term, and a memory of segments.

With absolute vectors added to the input, (x_i + p_i) W_qᵀ W_k (x_j + p_j) has four terms. Transformer-XL replaces p_j
by a vector of the distance, r_{j−i} = W_r R_{i−j}. It replaces p_i W_q by a learned vector, u or v, because the
absolute position i has no meaning any more. q = x W_q and k = x W_k (…, length, d), r (…, n_q + n_k − 1, d) in the
order of `row_offsets`, u and v (…, d); leading axes are heads. Source: Dai et al. 2019, section 3.3.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_axes, check_whole
from .absolute import sinusoidal
from .attention import Array
from .grid import row_offsets, to_grid
from .music_transformer import skew_causal


def position_keys(n_q: int, n_k: int | None, weight: ArrayLike, *, past: int = 0) -> Array:
    """r_{j−i} = R_{i−j} W_r for every offset, ascending: weight (…, d_model, d) gives (…, n_q + n_k − 1, d).

    R is sinusoidal in the distance i − j, so it needs no table and has no end. Raises ValueError for odd d_model.
    """
    weight = np.asarray(weight, float)
    check_axes(weight=(weight, "… d_model d"))
    return sinusoidal(-row_offsets(n_q, n_k, past), weight.shape[-2]) @ weight


def term_a(q: ArrayLike, k: ArrayLike) -> Array:
    """(a) content meets content: q_i · k_j, (…, n_q, n_k)."""
    q, k = np.asarray(q, float), np.asarray(k, float)
    check_axes(q=(q, "… n_q d"), k=(k, "… n_k d"))
    return q @ np.swapaxes(k, -1, -2)


def term_b(q: ArrayLike, r: ArrayLike) -> Array:
    """(b) content meets distance: q_i · r_{j−i}, (…, n_q, n_k)."""
    q, r = np.asarray(q, float), np.asarray(r, float)
    check_axes(q=(q, "… n_q d"), r=(r, "… offsets d"))
    return to_grid(q @ np.swapaxes(r, -1, -2), q.shape[-2])


def term_c(u: ArrayLike, k: ArrayLike) -> Array:
    """(c) some content is always interesting: u · k_j, the same for every query, (…, 1, n_k)."""
    u, k = np.asarray(u, float), np.asarray(k, float)
    check_axes(u=(u, "… d"), k=(k, "… n_k d"))
    return u[..., None, :] @ np.swapaxes(k, -1, -2)


def term_d(v: ArrayLike, r: ArrayLike, n_q: int) -> Array:
    """(d) some distances are always interesting: v · r_{j−i}, a number per offset, (…, n_q, n_k)."""
    v, r = np.asarray(v, float), np.asarray(r, float)
    check_axes(v=(v, "… d"), r=(r, "… offsets d"))
    return to_grid(v[..., None, :] @ np.swapaxes(r, -1, -2), n_q)


def xl_scores(q: ArrayLike, k: ArrayLike, r: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
    """All four, inside the scaling: ((a) + (b) + (c) + (d)) / √d = ((q_i + u) · k_j + (q_i + v) · r_{j−i}) / √d.

    Gives (…, n_q, n_k). Raises ValueError for other shapes. Source: Dai et al. 2019, section 3.3.
    """
    q, k, r, u, v = (np.asarray(part, float) for part in (q, k, r, u, v))
    check_axes(q=(q, "… n_q d"), k=(k, "… n_k d"))
    width = q.shape[-2] + k.shape[-2] - 1  # a row per offset
    check_axes(q=(q, "… n_q d"), k=(k, "… n_k d"), r=(r, f"… {width} d"), u=(u, "… d"), v=(v, "… d"))
    return (term_a(q, k) + term_b(q, r) + term_c(u, k) + term_d(v, r, q.shape[-2])) / math.sqrt(q.shape[-1])


def relative_shift(rows: ArrayLike) -> Array:
    """Term (b) as the paper computes it: all q_i · r in one product, then shift row i by i places.

    rows (…, n_q, n_k), n_k = past + n_q, for the distances n_k − 1 … 0. It is Huang's skew with a memory before the
    segment: right up to offset 0, junk after it. Source: Dai et al. 2019, appendix B.
    """
    return skew_causal(rows)


def update_memory(memory: ArrayLike | None, x: ArrayLike, length: int) -> Array:
    """The memory after a layer has read segment x: the last `length` rows of the old memory and x.

    memory (…, rows, d_model), or None at the start, and x (…, n, d_model) give (…, ≤ length, d_model). The memory holds
    the layer's inputs (hidden states), not keys and values, and no gradient flows into it. The next segment forms its
    keys and values from the memory and itself, with past = rows of memory.
    Raises ValueError for a negative length, and a memory of other texts.
    Source: Dai et al. 2019, section 3.2.
    """
    length = check_whole("length", length, 0)
    x = np.asarray(x, float)
    check_axes(x=(x, "… n d_model"))
    memory = x[..., :0, :] if memory is None else np.asarray(memory, float)
    if memory.ndim != x.ndim or memory.shape[:-2] != x.shape[:-2] or memory.shape[-1] != x.shape[-1]:
        raise ValueError(f"memory {memory.shape}: expected the axes of x {x.shape}, but for the rows")
    both = np.concatenate([memory, x], axis=-2)
    return both[..., max(0, both.shape[-2] - length) :, :]
