"""A scale that grows with the query's position: more keys share the softmax, so scores must spread further.

One key that scores 4 above n − 1 equal ones gets the weight e⁴ / (e⁴ + n − 1): 0.46 of 64 keys, 0.10 of 512.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_whole
from .attention import Array


def log_scale(positions: ArrayLike, *, length: int) -> Array:
    """ln(p + 1) / ln(length), by which the query at position p is multiplied: 1 for the last query of `length` tokens.

    A causal query at position p sees p + 1 keys. Position 0 gets 0, which changes nothing where it sees one key only.
    positions (…), gives (…). Raises ValueError for positions below 0 and a length below 2.
    Source: Nakanishi 2025 (Scalable-Softmax), where 1 / ln(length) is a learned s.
    """
    p = np.asarray(positions, float)
    if not (p >= 0).all():
        raise ValueError(f"positions: the smallest is {p.min()}, expected 0 or more")
    return np.log1p(p) / math.log(check_whole("length", length, 2))


def scaled(q: ArrayLike, factors: ArrayLike) -> Array:
    """Each query times its factor: q (…, n_q, d), factors (n_q,). Its scores are multiplied by the same number.

    Raises ValueError for another number of factors.
    """
    q, factors = np.asarray(q, float), np.asarray(factors, float)
    if factors.shape != q.shape[-2:-1]:
        raise ValueError(f"factors {factors.shape}: expected {q.shape[-2:-1]}, a number for each query")
    return q * factors[:, None]
