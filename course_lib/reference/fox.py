"""FoX, the forgetting transformer: each token decides how much of everything before it is forgotten."""

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_whole
from .attention import Array


def forgotten(gates: ArrayLike) -> Array:
    """c_i = Σ_{l=0}^{i} ln f_l, the running sum: gates f (…, n), each above 0 and at most 1, give (…, n).

    Raises ValueError for other gates. Source: Lin et al. 2025 (Forgetting Transformer).
    """
    f = np.asarray(gates, float)
    if f.ndim < 1 or not ((f > 0) & (f <= 1)).all():
        raise ValueError(f"gates {f.shape}, from {f.min()} to {f.max()}: expected (…, n), above 0 and at most 1")
    return np.cumsum(np.log(f), axis=-1)


def fox_bias(gates: ArrayLike, *, past: int = 0) -> Array:
    """B[i, j] = Σ_{l=j+1}^{i} ln f_l = c_i − c_j: how much query i has forgotten of key j, (…, n_q, n_k).

    gates (…, n_k) of all tokens; the queries are those from position `past` on. It is 0 for i = j, and the causal mask
    hides the keys after the query. With a constant gate f it is −(i − j) · (−ln f), which is ALiBi.
    Raises ValueError for a past that leaves no query.
    """
    c = forgotten(gates)
    if check_whole("past", past, 0) >= c.shape[-1]:
        n = c.shape[-1]
        raise ValueError(f"past={past}: expected a whole number from 0 to {n - 1}, before the last of {n} tokens")
    return c[..., past:, None] - c[..., None, :]


def key_form(gates: ArrayLike) -> Array:
    """−c_j, one row for all queries, (…, 1, n_k). It differs from `fox_bias` by c_i, which softmax takes away.

    The numbers grow with the text: in bfloat16 they lose the digits that tell neighbours apart.
    """
    return -forgotten(gates)[..., None, :]
