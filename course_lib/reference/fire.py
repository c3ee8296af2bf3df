"""FIRE: a small network turns the distance, as a share of the query's position, into a bias."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .attention import Array
from .grid import offsets


def log_distance(x: ArrayLike, c: float) -> Array:
    """ψ(x) = ln(c·x + 1), which draws large distances together; ψ(0) = 0. x (…), none below 0."""
    return np.log1p(c * np.asarray(x, float))


def shares(n_q: int, n_k: int | None = None, *, c: float, threshold: float, past: int = 0) -> Array:
    """ψ(|i − j|) / ψ(max(i, L)): each distance as a share of the query's position i, (n_q, n_k).

    Up to the threshold L, the share depends on the distance alone. Beyond L, the same distance is a smaller share of a
    later position, so the grid is not Toeplitz: no row of offsets holds it. A key before its query has a share of at
    most 1, so a longer text brings no larger share if training went past L.
    Raises ValueError unless c and the threshold are above 0. Source: Li et al. 2023 (FIRE); its code takes |i − j|.
    """
    for name, value in (("c", c), ("threshold", threshold)):
        if not 0 < value < np.inf:
            raise ValueError(f"{name}={value}: expected a number above 0")
    distance = abs(offsets(n_q, n_k, past))
    i = past + np.arange(n_q)[:, None]
    return log_distance(distance, c) / log_distance(np.maximum(i, threshold), c)


def fire_bias(
    n_q: int,
    n_k: int | None = None,
    *,
    network: Callable[[float], ArrayLike],
    c: float,
    threshold: float,
    past: int = 0,
) -> Array:
    """B[h, i, j] = network(share[i, j])[h], (heads, n_q, n_k). The network gives a number per head for one share.

    Raises ValueError as `shares` does.
    """
    found = shares(n_q, n_k, c=c, threshold=threshold, past=past)
    return np.moveaxis(np.array([[network(x) for x in row] for row in found], float), -1, 0)


def mlp(x: float, w_in: ArrayLike, b_in: ArrayLike, w_out: ArrayLike, b_out: ArrayLike) -> Array:
    """The paper's network: W_out relu(w_in x + b_in) + b_out, with w_in and b_in (hidden,), W_out (heads, hidden)."""
    w_in, b_in, w_out, b_out = (np.asarray(part, float) for part in (w_in, b_in, w_out, b_out))
    return w_out @ np.maximum(w_in * x + b_in, 0.0) + b_out
