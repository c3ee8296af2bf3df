"""Scaled dot-product attention with room for a bias: score, mask, softmax, weighted sum."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_axes
from .grid import Array, check_sizes


def scores(q: ArrayLike, k: ArrayLike, *, scale: float | None = None) -> Array:
    """How well each key answers each query: scale · q_i · k_j.

    q (…, n_q, d_k) and k (…, n_k, d_k) give (…, n_q, n_k). `scale` is 1/√d_k unless given (T5 uses 1.0).
    Raises ValueError when the shapes do not fit. Source: Vaswani et al. 2017, section 3.2.1.
    """
    q, k = np.asarray(q, float), np.asarray(k, float)
    check_axes(q=(q, "… n_q d_k"), k=(k, "… n_k d_k"))
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    return scale * (q @ np.swapaxes(k, -1, -2))


def softmax(x: ArrayLike) -> Array:
    """Positive weights that sum to 1 along the last axis: e^{x_j} / Σ_k e^{x_k}, any shape (…, n).

    The largest score is subtracted first: the weights stay the same and e^x cannot overflow.
    A row that is −∞ throughout (nothing to look at) gives zeros. Raises ValueError for an empty row.
    """
    x = np.asarray(x, float)
    check_axes(x=(x, "… n"))
    largest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(largest), 0.0, largest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0.0, 1.0, total)


def causal_mask(n_q: int, n_k: int | None = None, past: int = 0) -> NDArray[np.bool_]:
    """True where query i may look: key j is not after position past + i. (n_q, n_k), n_k = past + n_q by default.

    Raises ValueError for sizes below 1 or a negative past.
    """
    n_q, n_k, past = check_sizes(n_q, n_k, past)
    return np.arange(n_k) <= past + np.arange(n_q)[:, None]


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike = 0.0,
    scale: float | None = None,
    mask: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Attention with a bias on its scores: softmax_j(scale · q_i·k_j + bias_ij) V.

    q (…, n_q, d_k), k (…, n_k, d_k), v (…, n_k, d_v); bias broadcasts to (…, n_q, n_k); mask, likewise, is True
    where a query may look and is applied last. Returns output (…, n_q, d_v) and weights (…, n_q, n_k).
    Raises ValueError when the shapes do not fit. Source: Vaswani et al. 2017, eq. 1; the bias as in T5, section 2.1.
    """
    q, k, v = np.asarray(q, float), np.asarray(k, float), np.asarray(v, float)
    check_axes(q=(q, "… n_q d_k"), k=(k, "… n_k d_k"), v=(v, "… n_k d_v"))
    s = scores(q, k, scale=scale)
    s = s + _fits("bias", bias, s.shape)
    if mask is not None:
        visible = _fits("mask", mask, s.shape)
        if not np.isin(visible, (0, 1)).all():
            raise ValueError(f"mask of {visible.dtype}: expected truth values, True where a query may look")
        s = np.where(visible, s, -np.inf)
    weights = softmax(s)
    return weights @ v, weights


def _fits(name: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray:
    """`value` as an array whose last two axes broadcast to `shape`, the (…, n_q, n_k) of the scores."""
    value = np.asarray(value)
    try:
        if np.broadcast_shapes(value.shape, shape)[-2:] == shape[-2:]:
            return value
    except ValueError:
        pass
    raise ValueError(f"{name} {value.shape}: does not broadcast to the scores {shape}")
