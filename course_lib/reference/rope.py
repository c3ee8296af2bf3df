"""RoPE: turn each pair of channels by an angle that grows with position, so that q·k sees only the difference."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .absolute import check_pairs, frequencies
from .attention import Array
from .grid import check_whole


def rotate(x: ArrayLike, *, past: int = 0, base: float = 10000.0, interleaved: bool = False) -> Array:
    """Row i, at position p = past + i, turned pair by pair by the angle p θ_m, θ_m = base^(−2m/d); (…, n, d).

        (a, b) → (a cos p θ_m − b sin p θ_m,  a sin p θ_m + b cos p θ_m)

    Pair m is channels (m, m + d/2), half-split (GPT-NeoX, Llama), or (2m, 2m + 1) with `interleaved` (RoFormer, GPT-J).
    Rotate queries and keys, not values: (R_i q_i) · (R_j k_j) = q_i · (R_{j−i} k_j) depends on j − i alone.
    Raises ValueError for odd d. Source: Su et al. 2021, section 3.2.2, eq. 34.
    """
    x = np.asarray(x, float)
    if x.ndim < 2:
        raise ValueError(f"x {x.shape}: expected (…, length, d)")
    n, d = x.shape[-2:]
    first, second = pairs(d, interleaved=interleaved)
    angle = (check_whole("past", past, 0) + np.arange(n))[:, None] * frequencies(d, base)
    a, b = x[..., first], x[..., second]
    y = np.empty_like(x)
    y[..., first] = a * np.cos(angle) - b * np.sin(angle)
    y[..., second] = a * np.sin(angle) + b * np.cos(angle)
    return y


def pairs(d: int, *, interleaved: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second channel of each of the d/2 pairs. Raises ValueError for odd d."""
    m = np.arange(check_pairs("d", d) // 2)
    return (2 * m, 2 * m + 1) if interleaved else (m, m + d // 2)


def to_half_split(d: int) -> NDArray[np.int64]:
    """The order of channels that turns interleaved into half-split: [0, 2, 4, …, 1, 3, 5, …].

    With P = to_half_split(d): rotate(x, interleaved=True)[…, P] = rotate(x[…, P]). Permute the rows of W_q and W_k
    like this and weights made for one form run in the other. Raises ValueError for odd d.
    """
    return np.concatenate(pairs(d, interleaved=True))


def to_interleaved(d: int) -> NDArray[np.int64]:
    """The way back: to_half_split(d)[to_interleaved(d)] = 0, 1, …, d − 1. Raises ValueError for odd d."""
    return np.argsort(to_half_split(d))
