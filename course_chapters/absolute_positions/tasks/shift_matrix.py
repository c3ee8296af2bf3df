r"""A shift is a rotation · 12 minutes · ★★★

Build the matrix $R$ that moves a sinusoidal vector by $s$ positions: `R @ P[p]` is `P[p + s]` for every
$p$. `P[p]` has the layout of the task before: $\sin p\theta_0, \cos p\theta_0, \sin p\theta_1, \cos p\theta_1, \dots$
with $\theta_m = \text{base}^{-2m/d}$. The shift $s$ may be negative, and no $p$ may occur in $R$.

To check: the first row of `shift_matrix(1, 2)` is `0.5403, 0.8415`, the cosine and the sine of 1.
"""

import numpy as np

from course_kit.checking import Axis, Case, holds
from course_lib.reference.absolute import frequencies, sinusoidal

from ...shared import FOUR_CHANNELS


def shift_matrix(s, d, base=10000.0):
    """The matrix R, (d, d), with R @ P[p] = P[p + s] for every position p."""
    R = np.zeros((d, d))  # Each of the d/2 pairs has a 2×2 block on the diagonal, and everything else is 0.
    for m in range(d // 2):
        pair = slice(2 * m, 2 * m + 2)  # Pair m has the rows and columns 2m and 2m + 1.
        angle = s * base ** (-2 * m / d)  # Pair m turns by s · base^(−2m/d), so the first pair turns by s.
        cos, sin = np.cos(angle), np.sin(angle)
        # The rows are sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b − sin a sin b.
        block = [[cos, sin], [-sin, cos]]
        R[pair, pair] = block
    return R


def expected(s, d, base=10000.0):
    angle = s * frequencies(d, base)
    return np.kron(np.diag(np.cos(angle)), np.eye(2)) + np.kron(np.diag(np.sin(angle)), [[0, 1], [-1, 0]])


def draw(rng):
    return int(rng.integers(1, 60)), 2 * int(rng.integers(2, 7)), float(rng.uniform(5, 20000))


def moves_far_as_near(R, s, d, base=10000.0):
    """A matrix that is fitted to some positions moves those, but not the others."""
    p = np.array([0, 1, 1000])
    right = np.isclose(sinusoidal(p, d, base=base) @ R.T, sinusoidal(p + s, d, base=base), atol=1e-6).all(axis=1)
    return right.all() or not right[:2].all()


LABELS = FOUR_CHANNELS.labels
CASES = [
    Case(1, 2, label="one pair, one place on", axes=(Axis("row", LABELS[:2]), Axis("column", LABELS[:2]))),
    Case(2, 4, label="two pairs, two places on", axes=(Axis("row", LABELS), Axis("column", LABELS))),
    Case(-3, 4, label="three places back", axes=(Axis("row", LABELS), Axis("column", LABELS))),
    Case(0, 4, label="no shift at all"),
    Case(5, 8, 100.0, label="four pairs, base 100"),
]
ALWAYS = [
    holds(
        "Your R moves the first positions by s, but not all of them. If it is a fit, write down the blocks instead.",
        moves_far_as_near,
    )
]
WRONG = """
block = [[cos, -sin], [sin, cos]]  # Your R is transposed, so it shifts by −s. The row of the sine is cos, +sin.
block = [[sin, cos], [-sin, cos]]  # The entries of the sine's row have changed places: the cosine comes first.
block = [[cos, sin], [cos, -sin]]  # The entries of the cosine's row have changed places: the cosine comes second.
block = [[sin, cos], [-cos, sin]]  # Sine and cosine have changed places. For s = 0 nothing moves, so R is the identity.
block = [[cos, sin], [0, cos]]
block = [[cos, 0], [-sin, cos]]
block = [[cos, 0], [0, cos]]  # Your blocks have zeros. Both rows need both: sin(a + b) = sin a cos b + cos a sin b.
angle = abs(s) * base ** (-2 * m / d)  # Your R for −3 is that of 3, but −3 is a turn in the other direction.
angle = max(s, 0) * base ** (-2 * m / d)  # A negative s moves nothing in your R. It is a turn in the other direction.
angle = s  # All your pairs turn by the same angle. Pair m turns by s·θ_m, each by less than the one before.
angle = s * base ** (-m / d)  # The exponent of your frequencies is −m/d. It is −2m/d.
angle = s * base ** (-4 * m / d)  # The exponent of your frequencies is −4m/d. It is −2m/d, and m counts pairs.
angle = s * base ** (-2 * (m + 1) / d)  # Each of your pairs turns by the angle of the next. m begins at 0, not at 1.
angle = s * base ** (-2 * m) / d  # Here d divides the power. Put the whole exponent in parentheses.
angle = np.radians(s * base ** (-2 * m / d))  # You convert degrees to radians, but s·θ is in radians already.
pair = slice(m, m + 2)  # Your blocks overlap. The block of pair m begins at row and column 2m.
pair = slice(d, d + 2)  # You have a block that begins after the last row. There are d/2 blocks, as in `range(d // 2)`.
R = np.ones((d, d))  # There are ones outside the blocks, where zeros should be. Does R begin as an array of ones?
return R * (np.arange(d) < 2)  # Only the first pair is filled. There are d/2 blocks.
return np.where(np.arange(d) < 2, R, np.eye(d))  # Only the first pair turns. Each of the d/2 pairs needs its own block.
return [[np.cos(s), np.sin(s)], [-np.sin(s), np.cos(s)]]  # This is the block of one pair. R has one for every pair.
return [R[m : m + 2, m : m + 2] for m in range(0, d, 2)]  # These are the blocks. Put them on one diagonal.
return R.reshape(d // 2, 2, d // 2, 2).transpose(1, 0, 3, 2).reshape(d, d)
return R.T.reshape(d // 2, 2, d // 2, 2).transpose(1, 0, 3, 2).reshape(d, d)  # Your R is for a table with all sines
# first. Here the channels of a pair are neighbours, so R has 2×2 blocks along its diagonal.
return np.tile(R.reshape(d, -1, 2).sum(axis=1), d // 2)  # Your pairs mix. Outside the blocks everything is 0.
return R + np.pad((R - np.diag(np.diag(R)))[:-1, :-1], ((1, 0), (1, 0)))  # Your sines fill both lines beside the
# diagonal, so each pair also mixes with the next. Fill the blocks only.
return np.eye(d, k=s)
return np.eye(d, k=-s)
return np.roll(np.eye(d), s, axis=1)  # Your ones move channels. No channel moves: each pair turns by its own angle.
"""
HINTS = [
    "One pair first: sin((p+s)θ) = sin pθ · cos sθ + cos pθ · sin sθ. What does that put into its row?",
    "cos((p+s)θ) = cos pθ · cos sθ − sin pθ · sin sθ is the row of the cosine. Which column is that of the sine?",
    "Pair m fills rows and columns 2m and 2m + 1, and everything else is 0. Its angle is s·θ_m.",
]
