"""RoPE, stretched: rules that change the speeds of a trained model's pairs, so that it can read longer texts.

θ_m is the speed of pair m in radians per position; `frequencies(d, base)` gives those a model was trained with. L is
the length of its training texts (`length`), n the length of the text it reads now, s = n / L how far it is stretched.
A rule returns new speeds for `rotate(…, speeds=…)`. Two of them have a factor as well, for `rotate(…, factor=…)`.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_whole
from .absolute import frequencies
from .attention import Array


def turns(speeds: ArrayLike, length: float) -> Array:
    """How often each pair turns full circle within a text: ρ_m = L θ_m / 2π, (pairs,).

    A pair with ρ_m ≥ 1 went round the whole circle in training. A slower one meets new angles in a longer text.
    Raises ValueError for speeds that are not a row of finite numbers, and a length below 1.
    Source: Peng et al. 2023 (YaRN), section 3.2, where ρ is r.
    """
    return check_least("length", length) * check_row(speeds) / (2 * np.pi)


# --- the same for every length ------------------------------------------------------------------------------------


def interpolated(speeds: ArrayLike, s: float) -> Array:
    """Position interpolation: θ'_m = θ_m / s, (pairs,), as if all positions moved s times closer together.

    Raises ValueError for s below 1. Source: Chen et al. 2023, section 2.3, eq. 4.
    """
    return check_row(speeds) / check_least("s", s)


def ntk(speeds: ArrayLike, s: float) -> Array:
    """NTK-aware: θ'_m = θ_m / s^(m / (M − 1)) for M pairs, (M,).

    The fastest pair keeps its speed and the slowest is divided by s; the divisor grows by the same factor from pair to
    pair. With θ_m = base^(−2m/d), these are the speeds of a larger base, base · s^(d / (d − 2)).
    Raises ValueError for s below 1, and a single pair. Source: Peng et al. 2023 (YaRN), section 3.1, Definition 1.
    """
    theta = check_row(speeds)
    if len(theta) < 2:
        raise ValueError(f"speeds={theta.tolist()}: expected 2 or more, NTK leaves the first and divides the last by s")
    m = np.arange(len(theta))
    return theta / check_least("s", s) ** (m / m[-1])


def by_parts(speeds: ArrayLike, s: float, length: float, *, low: float = 1.0, high: float = 32.0) -> Array:
    """NTK by parts: θ'_m = (1 − γ_m) θ_m / s + γ_m θ_m, (pairs,), where γ_m rises with the turns ρ_m of the pair.

        γ_m = (ρ_m − low) / (high − low), clipped to 0 … 1

    A pair that makes more than `high` turns in training keeps its speed. One that makes fewer than `low` is divided
    by s. With low = high, no pair is between the two.
    Raises ValueError for s or length below 1, and unless 0 ≤ low ≤ high.
    Source: Peng et al. 2023 (YaRN), section 3.2, Definition 2, where low is α and high is β.
    """
    if not 0 <= low <= high < math.inf:
        raise ValueError(f"low={low}, high={high}: expected turns with 0 ≤ low ≤ high")
    return _blended(speeds, s, ramp(turns(speeds, length), low, high))


def llama3(speeds: ArrayLike, s: float, length: float, *, low: float = 1.0, high: float = 4.0) -> Array:
    """Llama 3's rule, (pairs,): `by_parts` with a ramp from 1 turn to 4, and no factor.

    Raises ValueError as `by_parts` does.
    Source: Llama 3.1's code, `apply_scaling` in meta-llama/llama-models, models/llama3/model.py.
    """
    return by_parts(speeds, s, length, low=low, high=high)


def yarn(
    d: int,
    s: float,
    length: float,
    *,
    base: float = 10000.0,
    fast: float = 32.0,
    slow: float = 1.0,
    truncate: bool = True,
) -> Array:
    """YaRN as published code computes it, (d/2,): like `by_parts`, but γ_m falls with the number m of the pair.

        θ'_m = (1 − γ_m) θ_m / s + γ_m θ_m,    γ_m = 1 − (m − m_fast) / (m_slow − m_fast), clipped to 0 … 1

    m_fast and m_slow are the pairs that make `fast` and `slow` turns in training. They are rounded outwards unless
    truncate=False, and kept within 0 … d − 1. In the equations of the paper γ_m is a straight line over turns instead:
    `by_parts` computes those. The factor of YaRN is `yarn_factor(s)`. d is the number of channels that turn.
    Raises ValueError for odd d, s or length below 1, a base that is not above 1, and unless 0 < slow ≤ fast.
    Source: the authors' code, jquesnelle/yarn; its issue 60 asks about the two ramps.
    """
    theta, length = frequencies(d, base), check_least("length", length)
    if not base > 1:
        raise ValueError(f"base={base}: expected a number above 1, so that the pairs have different speeds")
    if not 0 < slow <= fast < math.inf:
        raise ValueError(f"slow={slow}, fast={fast}: expected turns with 0 < slow ≤ fast")
    # Pair m makes ρ = L base^(−2m/d) / 2π turns. Solved for m:
    m_fast, m_slow = (d * math.log(length / (2 * math.pi * rho)) / (2 * math.log(base)) for rho in (fast, slow))
    if truncate:
        m_fast, m_slow = math.floor(m_fast), math.ceil(m_slow)
    return _blended(theta, s, 1 - ramp(np.arange(d // 2), max(m_fast, 0), min(m_slow, d - 1)))


def by_factors(speeds: ArrayLike, factors: ArrayLike) -> Array:
    """θ'_m = θ_m / factors[m], (pairs,): each pair has its own factor, which LongRoPE finds by a search.

    Raises ValueError unless there is one factor above 0 for each pair. Source: Ding et al. 2024 (LongRoPE).
    """
    theta = check_row(speeds)
    return theta / check_factors("factors", factors, len(theta))


def dynamic_ntk(speeds: ArrayLike, n: int, length: float, *, strength: float = 1.0) -> Array:
    """Dynamic NTK: `ntk` with s = 1 + strength · (n / L − 1) for texts of n > L tokens, else θ_m unchanged; (pairs,).

    strength=1 gives s = n / L. `transformers` calls the strength "factor".
    Raises ValueError unless n is a whole number, for a length below 1, and a strength that is negative or not finite.
    Source: Peng et al. 2023 (YaRN), section 3.3; the strength is in its code, jquesnelle/yarn.
    """
    beyond = max(0.0, check_whole("n", n) / check_least("length", length) - 1)
    return ntk(speeds, 1 + check_least("strength", strength, 0) * beyond)


def longrope(speeds: ArrayLike, n: int, length: float, *, short: ArrayLike, long: ArrayLike) -> Array:
    """LongRoPE, (pairs,): `by_factors` with the factors `long` for texts of n > L tokens, else with `short`.

    Its factor is `longrope_factor(s, length)`, for short texts as well.
    Raises ValueError unless each list has one factor above 0 for each pair and n is a whole number, and for a length
    below 1.
    Source: Ding et al. 2024 (LongRoPE).
    """
    theta = check_row(speeds)
    short, long = check_factors("short", short, len(theta)), check_factors("long", long, len(theta))
    return by_factors(theta, long if check_whole("n", n) > check_least("length", length) else short)


# --- factors on cos and sin, so that a score is multiplied by their square ----------------------------------------


def yarn_factor(s: float, *, mscale: float = 1.0) -> float:
    """√(1/t) = 0.1 · mscale · ln s + 1, where t is the temperature by which YaRN divides the scores.

    DeepSeek takes the quotient of two: yarn_factor(s, mscale=mscale) / yarn_factor(s, mscale=mscale_all_dim).
    Raises ValueError for s below 1, and mscale that is negative or not finite.
    Source: Peng et al. 2023 (YaRN), section 3.4; mscale: DeepSeek-V2's code.
    """
    return 0.1 * check_least("mscale", mscale, 0) * math.log(check_least("s", s)) + 1


def longrope_factor(s: float, length: float) -> float:
    """√(1 + ln s / ln L). Raises ValueError for s below 1 and a length below 2.

    Source: the authors' code, microsoft/LongRoPE, where it is called "su". Its issue 21: found by experiment.
    """
    return math.sqrt(1 + math.log(check_least("s", s)) / math.log(check_least("length", length, 2)))


# --- the pieces ---------------------------------------------------------------------------------------------------


def ramp(x: ArrayLike, start: float, end: float) -> Array:
    """0 up to `start`, 1 from `end` on, and a straight line between them; with start ≥ end a step after `start`."""
    x = np.asarray(x, float)
    return np.clip((x - start) / (end - start), 0, 1) if start < end else np.where(x > start, 1.0, 0.0)


def _blended(speeds: ArrayLike, s: float, gamma: Array) -> Array:
    """(1 − γ_m) θ_m / s + γ_m θ_m: between a pair that is divided by s and one that keeps its speed."""
    return (1 - gamma) * interpolated(speeds, s) + gamma * check_row(speeds)


def check_row(speeds: ArrayLike) -> Array:
    """The speeds as an array, or a ValueError unless they are one row of finite numbers."""
    theta = np.asarray(speeds, float)
    if theta.ndim != 1 or not len(theta) or not np.isfinite(theta).all():
        raise ValueError(f"speeds={theta.tolist()}: expected one row of finite numbers")
    return theta


def check_factors(name: str, factors: ArrayLike, pairs: int) -> Array:
    """The factors as an array, or a ValueError that names them unless each pair has one, finite and above 0."""
    found = np.asarray(factors, float)
    if found.shape != (pairs,) or not ((found > 0) & np.isfinite(found)).all():
        raise ValueError(f"{name}={found.tolist()}: expected {pairs} finite numbers above 0, one for each pair")
    return found


def check_least(name: str, value: float, least: float = 1) -> float:
    """`value` as a float, or a ValueError that names it when it is below `least` or not finite."""
    if not least <= value < math.inf:
        raise ValueError(f"{name}={value}: expected a finite number, {least} or more")
    return float(value)
