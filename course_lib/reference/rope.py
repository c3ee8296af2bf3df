"""RoPE: turn each pair of channels by an angle that grows with position, so that q·k sees only the difference."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_whole
from .absolute import check_pairs, frequencies
from .attention import Array


def rotate(
    x: ArrayLike,
    *,
    past: int = 0,
    base: float = 10000.0,
    interleaved: bool = False,
    speeds: Iterable[float] | None = None,
    factor: float = 1.0,
) -> Array:
    """Row i, at position p = past + i, turned pair by pair by the angle p θ_m, θ_m = base^(−2m/d); (…, n, d).

        (a, b) → factor · (a cos p θ_m − b sin p θ_m,  a sin p θ_m + b cos p θ_m)

    Pair m is channels (m, m + d/2), half-split (GPT-NeoX, Llama), or (2m, 2m + 1) with `interleaved` (RoFormer, GPT-J).
    Rotate queries and keys, not values: (R_i q_i) · (R_j k_j) = q_i · (R_{j−i} k_j) depends on j − i alone.

    `speeds` are other θ_m, in radians per position: `reference.speeds` has the rules. With 0 a pair does not turn.
    With fewer than d/2 of them, only the first 2·len(speeds) channels are paired and turned, the others stay as they
    are. `factor` multiplies what is turned; a score of queries and keys turned in full is multiplied by its square.
    Raises ValueError for odd d, more than d/2 speeds or none, and a factor that is not above 0.
    Source: Su et al. 2021, sections 3.2.2 and 3.4.2, eq. 34.
    """
    x = np.asarray(x, float)
    if x.ndim < 2:
        raise ValueError(f"x {x.shape}: expected (…, length, d)")
    n, d = x.shape[-2:]
    theta = frequencies(d, base) if speeds is None else np.array(check_speeds(speeds, check_pairs("d", d)))
    first, second = pairs(2 * len(theta), interleaved=interleaved)
    angle = (check_whole("past", past, 0) + np.arange(n))[:, None] * theta
    cos, sin = check_factor(factor) * np.cos(angle), factor * np.sin(angle)
    a, b = x[..., first], x[..., second]
    y = x.copy()
    y[..., first] = a * cos - b * sin
    y[..., second] = a * sin + b * cos
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


def check_speeds(speeds: Iterable[float], d: int) -> tuple[float, ...]:
    """The speeds as numbers, or a ValueError unless there are 1 to d/2 of them, all finite."""
    found = tuple(float(speed) for speed in speeds)
    if not 1 <= len(found) <= d // 2:
        raise ValueError(f"speeds: {len(found)} of them, expected 1 to {d // 2} for d={d}, one for each pair")
    for m, speed in enumerate(found):
        if not abs(speed) < np.inf:
            raise ValueError(f"speeds[{m}]={speed}: expected a finite number of radians per position")
    return found


def check_factor(factor: float) -> float:
    """`factor`, or a ValueError unless it is a finite number above 0."""
    if not 0 < factor < np.inf:
        raise ValueError(f"factor={factor}: expected a finite number above 0")
    return factor
