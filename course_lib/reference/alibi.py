"""ALiBi: a linear penalty on distance, with a slope per head that nobody has to learn."""

import math

import numpy as np

from ..checks import check_whole
from .attention import Array
from .grid import row_offsets, to_grid


def slopes(n_heads: int) -> Array:
    """m_h = 2^(−8h / n_heads) for h = 1 … n_heads when n_heads is a power of two, (n_heads,).

    Otherwise the slopes of the next lower power of two, then every other slope of the next higher one, until there
    are enough. Raises ValueError for fewer than 1 head. Source: Press et al. 2022, section 3, and their code.
    """
    n_heads = check_whole("n_heads", n_heads)
    lower = 2 ** math.floor(math.log2(n_heads))
    m = _geometric(lower)
    return m if lower == n_heads else np.concatenate([m, _geometric(2 * lower)[::2][: n_heads - lower]])


def alibi_bias(n_q: int, n_k: int | None = None, *, n_heads: int, past: int = 0) -> Array:
    """B[h, i, j] = −m_h · |j − i|, shape (n_heads, n_q, n_k), n_k = past + n_q by default: the symmetric form.

    Under a causal mask this is the paper's −m_h (i − j). Added after the scaling. Query i is at position past + i.
    Raises ValueError for sizes below 1. Source: Press et al. 2022, section 3 (footnote 10: the bias is not scaled).
    """
    distance = abs(row_offsets(n_q, n_k, past))
    return to_grid(-slopes(n_heads)[:, None, None] * distance, n_q)


def key_form(n_k: int, *, n_heads: int) -> Array:
    """m_h · j, shape (n_heads, 1, n_k): what BLOOM adds, one row for all queries.

    It differs from −m_h (i − j) by m_h · i, the same along a row, which softmax takes away. Only under a causal mask:
    without one it rewards the keys after the query. Raises ValueError for sizes below 1.
    """
    return slopes(n_heads)[:, None, None] * np.arange(check_whole("n_k", n_k))


def _geometric(n: int) -> Array:
    """2^(−8/n), 2^(−16/n), … 2^(−8): n slopes."""
    return 2.0 ** (-8 * np.arange(1, n + 1) / n)
