r"""A shift is a rotation · 12 minutes · ★★★

Build the matrix $R$ that moves a sinusoidal vector by $s$ positions: `R @ P[p]` is `P[p + s]` for every
$p$. `P[p]` has the layout of the task before: $\sin p\theta_0, \cos p\theta_0, \sin p\theta_1, \cos p\theta_1, \dots$
with $\theta_m = \text{base}^{-2m/d}$. The shift $s$ may be negative, and no $p$ may occur in $R$.

To check: the first row of `shift_matrix(1, 2)` is `0.5403, 0.8415`, the cosine and the sine of 1.
"""

import math

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.reference.absolute import frequencies, sinusoidal

from .common import FOUR_CHANNELS


def shift_matrix(s, d, base=10000.0):
    """The matrix R, (d, d), with R @ P[p] = P[p + s] for every position p."""
    even = np.arange(0, d, 2)  # Each pair has two channels, so its block has two rows and two columns.
    # The even channels are 0, 2, 4, …, which is 2m for each pair. Each odd channel follows the even channel of its
    # pair.
    odd = even + 1
    angle = s * base ** (-even / d)  # The exponent is −2m/d, so the first pair turns by s and every later pair less.
    R = np.zeros((d, d))  # The angle of pair m is s · θ_m, so a shift by 0 moves nothing.
    # The cosine is on the diagonal of each block, so that a shift by 0 moves nothing.
    R[even, even] = R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)  # sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b − sin a sin b.
    # The sine in the second row of a block has a minus, because cos(a + b) = cos a cos b − sin a sin b.
    R[odd, even] = -np.sin(angle)
    return R


LABELS = FOUR_CHANNELS.labels


TWO, FOUR = ((Axis("row", labels), Axis("column", labels)) for labels in (LABELS[:2], LABELS))


def expected(s, d, base=10000.0):
    theta = frequencies(d, base)
    R = np.zeros((d, d))
    for row in range(d):
        for column in range(d):
            if row // 2 == column // 2:
                angle = s * theta[row // 2]
                R[row, column] = math.cos(angle) if row == column else (-1) ** row * math.sin(angle)
    return R


def _block(angle):
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def _moves_every_position(result, s, d, base=10000.0):
    p = np.array([*range(12), 50, 1000])
    return np.allclose(sinusoidal(p, d, base=base) @ np.asarray(result).T, sinusoidal(p + s, d, base=base), atol=1e-6)


CASES = [
    Case(1, 2, label="one pair, one place on", axes=TWO),
    Case(2, 4, label="two pairs, two places on", axes=FOUR),
    Case(-3, 4, label="three places back", axes=FOUR),
    Case(0, 4, label="no shift at all", axes=FOUR),
    Case(5, 8, 100.0, label="four pairs, base 100"),
]


AXES = ("row", "column")


def draw(rng):
    return (int(rng.integers(1, 60)), 2 * int(rng.integers(2, 7)), float(rng.uniform(5, 20000)))


ALWAYS = [
    holds(
        "Your R does not move every position by s: `R @ P[p]` should be `P[p + s]` for every p.", _moves_every_position
    ),
]


WRONG = """
return R.T  # Your R shifts by −s, because it is transposed. With `R @ P[p]` the row of the sine is cos, +sin.
angle = abs(s) * base ** (-even / d)  # You use |s|, but three places back is a turn in the other direction.
angle = np.full(d // 2, float(s))  # All your pairs turn by the same angle. Pair m turns by s·θ_m, each by less than
# the one before.
angle = s * base ** (-even / 2 / d)  # Your frequencies have the exponent −m/d. It is −2m/d.
angle = s * base ** (-2 * even / d)  # You multiply by 2 twice, because `np.arange(0, d, 2)` is already 2m.
angle = s * base ** (-(even + 2) / d)  # Each of your pairs turns by the angle of the next, because m begins at 1. It
# begins at 0: the first pair turns by s.
angle = s * 10000.0 ** (-even / d)  # You wrote 10000 into the formula, so `base` has no effect. Use the argument.
angle = np.radians(s * base ** (-even / d))  # You convert degrees to radians, but s·θ is in radians already.
angle = s * base ** (-even) / d  # Without parentheses, `base ** a / d` is `(base ** a) / d`. Write `base ** (a / d)`.
return _block(s)  # This is the block of one pair. R has such a 2×2 block for every pair on its diagonal, each with its
# own angle.
return np.array([_block(s * theta) for theta in frequencies(d, base)])  # These are the d/2 blocks. Put them on the
# diagonal of one (d, d) matrix of zeros.
return np.eye(d, k=s)
return np.eye(d, k=-s)  # Your ones move channels. No channel moves, but each pair of channels turns, by an angle of
# its own.
return np.roll(np.eye(d), s, axis=1)
return np.roll(np.eye(d), s, axis=0)  # `np.roll` moves channels. No channel moves, but each pair of channels turns, by
# an angle of its own.
return np.roll(np.eye(d), s)  # Without `axis=`, `np.roll` moves all numbers of the matrix in one line. And no channel
# should move, but each pair of channels should turn, by an angle of its own.
"""


HINTS = [
    "One pair first: sin((p+s)θ) = sin pθ · cos sθ + cos pθ · sin sθ. What does that put into its row?",
    "cos((p+s)θ) = cos pθ · cos sθ − sin pθ · sin sθ is the row of the cosine. Which column is that of the sine?",
    "Pair m fills rows and columns 2m and 2m + 1, and everything else is 0. Its angle is s·θ_m.",
]


def wrong_program_1(s, d, base=10000.0):
    """In the first row of each block sine and cosine have changed places: sin(a + b) = sin a · cos b + cos a · sin
    b."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, odd] = R[odd, odd] = np.cos(angle)
    R[even, even] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    return R


def wrong_program_2(s, d, base=10000.0):
    """In the second row of each block the entries have changed places. The first column multiplies the sine, the
    second the cosine."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, even] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, odd] = -np.sin(angle)
    return R


def wrong_program_3(s, d, base=10000.0):
    """Sine and cosine have changed places in all blocks. For s = 0 nothing moves, so R should be the identity."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.sin(angle)
    R[even, odd] = np.cos(angle)
    R[odd, even] = -np.cos(angle)
    return R


def wrong_program_4(s, d, base=10000.0):
    """The cosine is missing in the row of the sine: sin(a + b) = sin a cos b + cos a sin b."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    return R


def wrong_program_5(s, d, base=10000.0):
    """The cosine is missing in the row of the cosine: cos(a + b) = cos a cos b − sin a sin b."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    return R


def wrong_program_6(s, d, base=10000.0):
    """Half of each block is missing. The row of the cosine needs the sine too: cos(a + b) = cos a cos b − sin a sin
    b."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    pass
    return R


def wrong_program_7(s, d, base=10000.0):
    """Half of each block is missing. The row of the sine needs the cosine too: sin(a + b) = sin a cos b + cos a sin
    b."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.cos(angle)
    pass
    R[odd, even] = -np.sin(angle)
    return R


def wrong_program_8(s, d, base=10000.0):
    """Your R has only the cosines. To turn a clock, its sine needs some of its cosine, and its cosine some of its
    sine."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.cos(angle)
    pass
    pass
    return R


def wrong_program_17(s, d, base=10000.0):
    """This is right for a table with all sines first and then all cosines. Here the two channels of a pair are
    neighbours, so R has 2×2 blocks along its diagonal."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    first, second = even // 2, (even + d) // 2
    R[first, first] = R[second, second] = np.cos(angle)
    R[first, second] = np.sin(angle)
    R[second, first] = -np.sin(angle)
    return R


def wrong_program_18(s, d, base=10000.0):
    """Your R is for a table with all sines first, but here the channels of a pair are neighbours. It also shifts by
    −s."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    first, second = even // 2, (even + d) // 2
    R[first, first] = R[second, second] = np.cos(angle)
    R[second, first] = np.sin(angle)
    R[first, second] = -np.sin(angle)
    return R


def wrong_program_19(s, d, base=10000.0):
    """You fill every block, because `R[0::2, 0::2] = …` writes to all even rows and columns. Outside the 2×2 blocks on
    the diagonal everything is 0, so write `np.diag(…)` there."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[0::2, 0::2] = R[1::2, 1::2] = np.cos(angle)
    R[0::2, 1::2] = np.sin(angle)
    R[1::2, 0::2] = -np.sin(angle)
    return R


def wrong_program_20(s, d, base=10000.0):
    """Your pairs mix with each other. Outside the 2×2 blocks on the diagonal everything is 0."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[0::2, 0::2] = R[1::2, 1::2] = np.cos(angle)[:, None]
    R[0::2, 1::2] = np.sin(angle)[:, None]
    R[1::2, 0::2] = -np.sin(angle)[:, None]
    return R


def wrong_program_21(s, d, base=10000.0):
    """There are ones outside the blocks, where zeros should be. Does R begin as an array of ones?"""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    R[np.arange(d)[:, None] // 2 != np.arange(d) // 2] = 1
    return R


def wrong_program_24(s, d, base=10000.0):
    """Only the first pair turns, and the others stay as they are. Each of the d/2 pairs needs its own block."""
    R = np.eye(d)
    R[:2, :2] = _block(s)
    return R


def wrong_program_25(s, d, base=10000.0):
    """Only the first pair is filled. There are d/2 blocks."""
    R = np.zeros((d, d))
    R[:2, :2] = _block(s)
    return R


def wrong_program_26(s, d, base=10000.0):
    """Your m counts too far. It counts the pairs, one block each, and there are d/2 of them: `range(d // 2)`."""
    R = np.zeros((d, d))
    R[d:, d:] = _block(s)
    return R


def wrong_program_27(s, d, base=10000.0):
    """Your blocks overlap. The block of pair m begins at row and column 2m."""
    R = np.zeros((d, d))
    for m, t in enumerate(frequencies(d, base)):
        R[m : m + 2, m : m + 2] = _block(s * t)
    return R


def wrong_program_28(s, d, base=10000.0):
    """You fit R to the first d positions. There the slow pairs have hardly turned, so the fit is not exact and fails
    at distant positions. Write down the block of each pair instead, from cos sθ and sin sθ."""
    p = np.arange(d)
    X, Y = (sinusoidal(x, d, base=base) for x in (p, p + s))
    return np.linalg.lstsq(X, Y, 1e-6)[0].T


def wrong_program_34(s, d, base=10000.0):
    """Your sines fill both lines beside the diagonal, so each pair also mixes with the next. Outside the 2×2 blocks
    all entries are 0."""
    even = np.arange(0, d, 2)
    odd = even + 1
    angle = s * base ** (-even / d)
    R = np.zeros((d, d))
    R[even, even] = R[odd, odd] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    R[odd[:-1], even[1:]], R[even[1:], odd[:-1]] = np.sin(angle[:-1]), -np.sin(angle[:-1])
    return R


def right_with_kron(s, d, base=10000.0):
    c, t = np.cos(s * frequencies(d, base)), np.sin(s * frequencies(d, base))
    return np.kron(np.diag(c), np.eye(2)) + np.kron(np.diag(t), [[0, 1], [-1, 0]])
