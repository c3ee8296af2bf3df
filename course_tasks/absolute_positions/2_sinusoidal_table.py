r"""The sinusoidal table · 12 minutes · ★★

Write the table of Vaswani et al. for positions $p = 0 \dots n-1$ and an even number $d$ of channels, in
radians:

$$P_{p,\,2m} = \sin(p\,\theta_m), \qquad P_{p,\,2m+1} = \cos(p\,\theta_m), \qquad \theta_m = \text{base}^{-2m/d},
\quad m = 0 \dots d/2 - 1$$

To check: `sinusoidal_table(4, 4)[3]` is `0.1411, -0.99, 0.03, 0.9996`, the row of the lesson.
"""

import math

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.absolute import sinusoidal

from ..shared import CHANNEL, POSITION
from .common import FOUR_CHANNELS


def sinusoidal_table(n, d, base=10000.0):
    """Sinusoidal vectors of positions 0 … n − 1, shape (n, d), d even.

    Sine and cosine of pair m are in channels 2m and 2m + 1.
    """
    p = np.arange(n)[:, None]  # Positions count from 0, and each has a row of its own.
    # The exponent is −2m/d, so the first pair turns by 1 radian per position and every later pair more slowly.
    theta = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((n, d))  # The angle is p · θ, in both channels of a pair.
    # Channel 2m is the sine of p · θ. The angle is p · θ, in both channels of a pair. The sines are in channels 0, 2,
    # 4, …, and 2m counts in the same way. Each pair has two channels, so 2m grows in steps of 2.
    table[:, 0::2] = np.sin(p * theta)
    table[:, 1::2] = np.cos(p * theta)  # Channel 2m + 1 is the cosine of p · θ. The cosines are in channels 1, 3, 5, …
    return table


def expected(n, d, base=10000.0):
    """Far from position 0, only to the digits that an angle in float32 leaves."""
    return sinusoidal(np.arange(n), d, base=base).astype(np.float32 if n > 40 else float)


def _as_exact_far_as_near(result, n, d, base=10000.0):
    """A position that float16 cannot hold shows far from 0 only."""
    gap = abs(np.asarray(result, float) - sinusoidal(np.arange(n), d, base=base)).max(axis=1)
    return n < 100 or not gap[:8].max() < 0.01 < gap.max()


CASES = [
    Case(4, 4, label="four positions, d = 4", axes=(POSITION, FOUR_CHANNELS)),
    Case(6, 8, label="six positions, d = 8"),
    Case(5, 6, 100.0, label="base 100"),
    Case(3, 2, label="a single pair"),
    Case(1, 4, label="one position"),
    Case(512, 64, label="512 positions, d = 64"),
]


AXES = (POSITION, CHANNEL)


def draw(rng):
    return (int(rng.integers(2, 40)), 2 * int(rng.integers(2, 9)), float(rng.uniform(5, 20000)))


ALWAYS = [
    holds(
        (
            "Your table is right near position 0 and gets worse with the distance from it. Are the angles held in few "
            "digits, as in float16? Compute them in float64, or at least in float32."
        ),
        _as_exact_far_as_near,
    ),
]


WRONG = """
theta = base ** (-np.arange(d // 2) / d)  # Your exponent is −m/d, so the clocks slow down half as fast as they should.
# It is −2m/d.
theta = base ** (-2 * np.arange(0, d, 2) / d)  # You multiply by 2 twice, because `np.arange(0, d, 2)` is already 2m.
theta = base ** (-np.arange(d // 2) / max(d // 2 - 1, 1))  # You divide by d/2 − 1, which makes the last frequency
# exactly 1/base. Some libraries do, but here it is 2m/d.
theta = 10000.0 ** (-np.arange(0, d, 2) / d)  # You wrote 10000 into the formula, so `base` has no effect. Use the
# argument.
theta = np.arange(0, d, 2) / d  # Your angle is p · 2m/d, because the power of `base` is missing.
theta = np.ones(d // 2)  # All your pairs turn at the same speed. Pair m has the frequency base^(−2m/d). If that is
# what you wrote, is there a `//`, which rounds to whole numbers?
theta = 1 / (base * np.arange(0, d, 2) / d + (np.arange(0, d, 2) == 0))  # You multiply the base by 2m/d. It is a
# power, base^(2m/d).
theta = base ** (-np.arange(0, d, 2)) / d  # Without parentheses, `base ** a / d` is `(base ** a) / d`. Write `base **
# (a / d)`.
theta = 1 / base ** 2 * np.arange(d // 2) / d  # Python reads `1 / base**2*m/d` from the left, as m / (d · base²). Put
# the whole exponent into parentheses.
p = np.radians(np.arange(n))[:, None]  # You convert degrees to radians, but p · θ is in radians already.
p = 2 * np.pi * np.arange(n)[:, None]  # You multiply by 2π, which is not in the formula. The first clock turns by 1
# radian per position.
p = -np.arange(n)[:, None]  # Your clocks turn backwards, so the sines have the wrong sign. Is there a minus before p?
p = np.full(n, n - 1)[:, None]  # Every row is that of the last position. If you append the same array n times, make a
# new one for each position.
table[:, 1::2] = np.sin(p * theta); table[:, 0::2] = np.cos(p * theta)  # Sine and cosine have changed places. The sine
# is in the even channel, so that position 0 is 0, 1, 0, 1, …
theta = base ** (-2 * np.arange(0, d, 2) / d); table[:, 1::2] = np.cos(p * theta * base ** (-2 / d))
# Every channel of yours has its own frequency. A sine and its cosine share one, because m counts pairs, not channels.
table[:, 1::2] = np.cos(p * theta * base ** (-1 / d))  # Sine and cosine of a pair turn at different speeds, because
# you put the number of the channel where 2m belongs. Channel 2m + 1 uses 2m, too.
return np.zeros((n, d))[0, d]  # Your m counts too far. It counts pairs, and there are d/2 of them: `range(d // 2)`.
"""


HINTS = [
    "First the angles, a table (n, d/2) of position times frequency. `np.arange(n)[:, None] * theta` makes it.",
    "`np.arange(0, d, 2)` is 0, 2, 4, …, the 2m of all pairs.",
    "`table[:, 0::2]` are the even channels, `table[:, 1::2]` the odd ones.",
]


def wrong_program_13(n, d, base=10000.0):
    """Your cosines overwrite the sines. They belong in the odd channels, `table[:, 1::2]`."""
    p = np.arange(n)[:, None]
    theta = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2] = np.sin(p * theta)
    table[:, 0::2] = np.cos(p * theta)
    return table


def wrong_program_15(n, d, base=10000.0):
    """Your table has all sines first, then all cosines. Here channel 2m holds the sine and channel 2m + 1 the cosine
    of pair m."""
    p = np.arange(n)[:, None]
    theta = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, : d // 2] = np.sin(p * theta)
    table[:, d // 2 :] = np.cos(p * theta)
    return table


def wrong_program_18(n, d, base=10000.0):
    """The last pair of channels is empty. m runs from 0 to d/2 − 1, and so does `range(d // 2)`."""
    p = np.arange(n)[:, None]
    theta = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2] = np.sin(p * theta)
    table[:, 1::2] = np.cos(p * theta)
    table[:, -2:] = 0
    return table


def wrong_program_19(n, d, base=10000.0):
    """Only channels 0 and 1 of position 0 are filled. Is the `return` inside the inner loop?"""
    table = np.zeros((n, d))
    table[0, 1] = 1
    return table


def right_by_loops(n, d, base=10000.0):
    table = []
    for p in range(n):
        row = []
        for m in range(d // 2):
            angle = p / base ** (2 * m / d)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return table


def right_with_a_phase(n, d, base=10000.0):
    theta = np.repeat(base ** (-2 * np.arange(d // 2) / d), 2)
    return np.sin(np.arange(n)[:, None] * theta + np.arange(d) % 2 * np.pi / 2)
