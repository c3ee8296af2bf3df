r"""The sinusoidal table · 12 minutes · ★★ · first

Write the table of Vaswani et al. for positions $p = 0 \dots n-1$ and an even number $d$ of channels, in
radians:

$$P_{p,\,2m} = \sin(p\,\theta_m), \qquad P_{p,\,2m+1} = \cos(p\,\theta_m), \qquad \theta_m = \text{base}^{-2m/d},
\quad m = 0 \dots d/2 - 1$$

To check: `sinusoidal_table(4, 4)[3]` is `0.1411, -0.99, 0.03, 0.9996`, the row of the lesson.
"""

import numpy as np

from course_kit.checking import Case, holds
from course_lib.reference.absolute import sinusoidal

from ...shared import FOUR_CHANNELS, POSITION


def sinusoidal_table(n, d, base=10000.0):
    """Sinusoidal vectors of positions 0 … n − 1, shape (n, d), d even.

    Sine and cosine of pair m are in channels 2m and 2m + 1.
    """
    p = np.arange(n)[:, None]  # Positions count from 0, and each has a row of its own.
    theta = base ** (-np.arange(0, d, 2) / d)  # Pair m turns by base^(−2m/d) per position, so the first turns by 1.
    table = np.zeros((n, d))  # The table has n rows, one for each position, and d columns.
    table[:, 0::2] = np.sin(p * theta)  # Channel 2m holds the sine of p · θ.
    table[:, 1::2] = np.cos(p * theta)  # Channel 2m + 1 holds the cosine of p · θ.
    return table


def expected(n, d, base=10000.0):
    """Far from position 0, only to the digits that an angle in float32 leaves."""
    return sinusoidal(np.arange(n), d, base=base).astype(np.float32 if n > 40 else float)


def draw(rng):
    return int(rng.integers(2, 40)), 2 * int(rng.integers(2, 9)), float(rng.uniform(5, 20000))


def as_exact_far_as_near(table, n, d, base=10000.0):
    """A position that float16 cannot hold shows far from 0 only."""
    gap = abs(table - sinusoidal(np.arange(n), d, base=base)).max(axis=1)
    return n < 100 or not gap[:8].max() < 0.01 < gap[n // 2 :].mean()


CASES = [
    Case(4, 4, label="four positions, d = 4", axes=(POSITION, FOUR_CHANNELS)),
    Case(6, 8, label="six positions, d = 8"),
    Case(5, 6, 100.0, label="base 100"),
    Case(3, 2, label="a single pair"),
    Case(1, 4, label="one position"),
    Case(512, 64, label="512 positions, d = 64"),
    Case(2100, 2, label="2,100 positions"),
    Case(3, 514, label="257 pairs"),
]
ALWAYS = [
    holds("Your table is right near position 0 only. Are the angles rounded, as in float16?", as_exact_far_as_near)
]
WRONG = """
theta = base ** (-np.arange(d // 2) / d)  # Your exponent is −m/d, so the clocks slow down too little. It is −2m/d.
theta = base ** (-2 * np.arange(0, d, 2) / d)  # Your exponent is −4m/d. It is −2m/d, and `np.arange(0, d, 2)` is 2m.
theta = base ** (-np.arange(d // 2) / max(d // 2 - 1, 1))  # Your last speed is 1/base, as with the
# exponent −m/(d/2 − 1). Some libraries use that, but here the exponent is −2m/d.
theta = base ** (-np.arange(2, d + 1, 2) / d)  # Each of your pairs has the speed of the next. m begins at 0, not at 1.
theta = np.ones(d // 2)  # All your pairs turn at the same speed. Does a `//` round the exponents to whole numbers?
theta = base ** (-np.arange(0, d, 2)) / d
theta = 1 / base ** 2 * np.arange(d // 2) / d  # Your power has only a part of the exponent. Put it all in parentheses.
theta = base ** (-np.arange(0, d, 2) / d) * 2 * np.pi  # You multiply by 2π. The first clock turns by 1 radian a step.
p = np.radians(np.arange(n))[:, None]  # You convert degrees to radians, but p · θ is in radians already.
p = np.degrees(np.arange(n))[:, None]  # You convert radians to degrees, but `np.sin` and `np.cos` expect radians.
p = np.arange(1, n + 1)[:, None]  # Your row 0 is position 1. Positions count from 0.
p = -np.arange(n)[:, None]  # Your clocks turn backwards, so the sines have the wrong sign. Is there a minus before p?
p = np.full(n, n - 1)[:, None]  # Every row is that of the last position. Is it the same array, appended n times?
table[:, 1::2] = np.cos(p * theta * base ** (-1 / d))
theta = base ** (-2 * np.arange(0, d, 2) / d); table[:, 1::2] = np.cos(p * theta * base ** (-2 / d))  # Every channel of
# yours has its own speed. A sine and its cosine share one, because m counts pairs, not channels.
table[:, 1::2] = np.sin(p * theta); table[:, 0::2] = np.cos(p * theta)  # Sine and cosine have changed places. The sine
# is in the even channel, so that position 0 is 0, 1, 0, 1, …
return np.hstack([np.sin(p * theta), np.cos(p * theta)])  # Your table has all sines first, then all cosines. Here the
# sine and the cosine of a pair are neighbours.
return np.stack([np.sin(p * theta), np.cos(p * theta)]).reshape(n, d)  # Your sines fill the first half of the table.
# With `np.stack(…, axis=-1)` before the `reshape`, a sine and its cosine become neighbours.
return table * (np.arange(d) < d - 2)  # The last pair is empty. m runs from 0 to d/2 − 1, and so does `range(d // 2)`.
return table * (np.arange(n * d).reshape(n, d) < 2)  # Only one pair is filled. Is the `return` inside the inner loop?
return range(d / 2)  # A length in your code is not a whole number: `d / 2` is a float. Write `d // 2`.
return table[0, d]  # Your index reaches d, but channels end at d − 1. m counts the d/2 pairs, as in `range(d // 2)`.
"""
HINTS = [
    "First the angles, a table (n, d/2) of position times frequency. `np.arange(n)[:, None] * theta` makes it.",
    "`np.arange(0, d, 2)` is 0, 2, 4, …, the 2m of all pairs.",
    "`table[:, 0::2]` are the even channels, `table[:, 1::2]` the odd ones.",
]
