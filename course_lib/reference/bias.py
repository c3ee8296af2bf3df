"""A fixed bias on the scores: the further apart query and key, the larger the penalty."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from .attention import Array
from .grid import row_offsets, to_grid

DECAYS: dict[str, Callable[[Array], Array]] = {
    "log": np.log1p,  # log(1 + d): the logarithmic kind of KERPLE, with r₂ = 1
    "linear": lambda d: d,  # d: ALiBi
}


def decay_row(
    offset: ArrayLike, *, strength: float = 0.3, decay: str = "log", forward_strength: float | None = None
) -> Array:
    """The bias as a function of the offset r = j − i: b(r) = −strength · decay(|r|), for offsets of any shape.

    `decay` is a key of DECAYS. With `forward_strength` the keys after the query (r > 0) get that strength instead,
    and the bias is no longer symmetric. Raises ValueError for an unknown decay, or a strength that is negative or not
    finite.
    """
    forward_strength = strength if forward_strength is None else forward_strength
    check_decay(decay, strength=strength, forward_strength=forward_strength)
    r = np.asarray(offset, float)
    return 0.0 - np.where(r > 0, forward_strength, strength) * DECAYS[decay](abs(r))


def decay_bias(
    n_q: int,
    n_k: int | None = None,
    *,
    strength: float = 0.3,
    decay: str = "log",
    forward_strength: float | None = None,
    past: int = 0,
) -> Array:
    """The bias matrix B[i, j] = b(j − i), (n_q, n_k), n_k = past + n_q by default: `decay_row` placed on the diagonals.

    Query i is at position past + i. Raises ValueError as `row_offsets` and `decay_row` do.
    """
    row = decay_row(row_offsets(n_q, n_k, past), strength=strength, decay=decay, forward_strength=forward_strength)
    return to_grid(row[None], n_q)


def check_decay(decay: str, **strengths: float) -> None:
    """Raises ValueError when there is no such decay, or when a strength is negative or not finite."""
    if decay not in DECAYS:
        raise ValueError(f"decay={decay!r}: expected one of {', '.join(map(repr, DECAYS))}")
    for name, value in strengths.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name}={value}: expected a finite number, 0 or more")
