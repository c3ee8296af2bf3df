"""FIRE: the distance as a share of the query's position, which a small network turns into a bias (nn/fire.py)."""

import numpy as np
from numpy.typing import ArrayLike

from .attention import Array
from .grid import offsets


def log_distance(x: ArrayLike, c: float) -> Array:
    """ψ(x) = ln(c·x + 1), which draws large distances together; ψ(0) = 0. x (…), none below 0."""
    return np.log1p(c * np.asarray(x, float))


def shares(n_q: int, n_k: int | None = None, *, c: float, threshold: float, past: int = 0) -> Array:
    """ψ(|i − j|) / ψ(max(i, τ)): each distance as a share of the query's position i, (n_q, n_k).

    Up to the threshold τ, the share depends on the distance alone. Beyond τ, the same distance is a smaller share of a
    later position, so the grid is not Toeplitz: no row of offsets holds it. A key before its query has a share of at
    most 1, so a longer text brings no larger share if training went past τ.
    Raises ValueError unless c and the threshold are above 0. Source: Li et al. 2023 (FIRE); its code takes |i − j|.
    """
    for name, value in (("c", c), ("threshold", threshold)):
        if not 0 < value < np.inf:
            raise ValueError(f"{name}={value}: expected a number above 0")
    distance = abs(offsets(n_q, n_k, past))
    i = past + np.arange(n_q)[:, None]
    return log_distance(distance, c) / log_distance(np.maximum(i, threshold), c)
