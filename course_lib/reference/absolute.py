"""A vector per absolute position, added to the input: the baselines that know where, not how far."""

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_axes, check_whole
from .attention import Array


def frequencies(d: int, base: float = 10000.0) -> Array:
    """How fast each pair of channels turns, in radians per position: base^(−2m/d) for m = 0 … d/2 − 1.

    Raises ValueError when d is odd (channels come in pairs). Source: Vaswani et al. 2017, section 3.5.
    """
    return check_base(base) ** (-np.arange(0, check_pairs("d", d), 2) / d)


def sinusoidal(positions: ArrayLike, d: int, *, base: float = 10000.0) -> Array:
    """P[p, 2m] = sin(p · base^(−2m/d)), P[p, 2m + 1] = cos(p · base^(−2m/d)).

    positions (…), any numbers, negative ones too; gives (…, d). Raises ValueError when d is odd.
    Source: Vaswani et al. 2017, section 3.5.
    """
    angle = np.asarray(positions, float)[..., None] * frequencies(d, base)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(*angle.shape[:-1], d)


def learned(n: int, table: ArrayLike, *, past: int = 0) -> Array:
    """The rows of a learned table for positions past … past + n − 1: table (max_length, d) gives (n, d).

    Raises ValueError past the table's length: there is no vector for a position never trained.
    Source: Gehring et al. 2017, section 3.1.
    """
    table = np.asarray(table, float)
    check_axes(table=(table, "max_length d"))
    n, past = check_whole("n", n), check_whole("past", past, 0)
    check_length(past + n, table.shape[0])
    return table[past : past + n]


def check_pairs(name: str, d: int) -> int:
    """`d` when it is even and positive, else a ValueError that names it."""
    if check_whole(name, d) % 2:
        raise ValueError(f"{name}={d}: expected an even number, channels are taken in pairs")
    return d


def check_base(base: float) -> float:
    """`base` when it is above 0 and finite, else a ValueError."""
    if not 0 < base < np.inf:
        raise ValueError(f"base={base}: expected a finite number above 0")
    return base


def check_length(length: int, max_length: int) -> None:
    """Raises ValueError when `length` positions are asked of a table that has `max_length`."""
    if length > max_length:
        raise ValueError(f"length {length}: the table ends at max_length={max_length}, it has no vector further on")
