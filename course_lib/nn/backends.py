"""Attention, computed in different ways: the same numbers at different cost.

| backend | what it is | its limits |
|---|---|---|
| eager | `attention`, as the formula reads | the whole grid in memory, several times |
| sdpa | `fast_attention`: the fused kernel of `scaled_dot_product_attention` and views | no second derivatives |
| auto | sdpa, but eager for small grids, where the calls cost more than the numbers | |

For outputs of size about 1 they agree to 1e-10 in float64, to 1e-5 in float32, and to 0.04 in bfloat16.
"""

import math

from torch import Tensor

from .attention import attention
from .fast import fast_attention
from .terms import Terms

BACKENDS = ("auto", "eager", "sdpa")
SMALL_GRID = 2**16  # cells of all heads and texts: below, eager needs less time than sdpa (measured on a CPU)


def check_backend(backend: str) -> str:
    """The name, or a ValueError that lists the backends."""
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r}: expected one of {', '.join(map(repr, BACKENDS))}")
    return backend


def attend(backend: str, q: Tensor, k: Tensor, v: Tensor, terms: Terms) -> Tensor:
    """The output of `attention` by the backend of that name.

    Raises ValueError for an unknown backend and for shapes that do not fit.
    """
    small = math.prod(q.shape[:-1]) * math.prod(k.shape[-2:-1]) < SMALL_GRID
    if check_backend(backend) == "eager" or (backend == "auto" and small):
        return attention(q, k, v, terms)[0]
    return fast_attention(q, k, v, terms)
