"""Sinusoidal positions: the table, and the rotation that moves along it."""

import math

import numpy as np

from ...reference.absolute import frequencies, sinusoidal
from ..engine import Axis, Case, Mistake, Property, Task
from .common import CHANNEL, POSITION

PAIRS = ("sin 0", "cos 0", "sin 1", "cos 1")
BASE = 10000.0


def _sinusoidal_table(n, d, base=10000.0):
    """Sinusoidal vectors of positions 0 … n − 1, shape (n, d), d even.

    Sine and cosine of pair m are in channels 2m and 2m + 1.
    """
    p = np.arange(n)[:, None]
    theta = base ** (-np.arange(0, d, 2) / d)
    table = np.zeros((n, d))
    table[:, 0::2] = np.sin(p * theta)
    table[:, 1::2] = np.cos(p * theta)
    return table


def _table_by_loop(n, d, base=10000.0):
    table = []
    for p in range(n):
        row = []
        for m in range(d // 2):
            angle = p / base ** (2 * m / d)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return table


def _halves(n, d, base=10000.0):
    table = sinusoidal(np.arange(n), d, base=base)
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def _last_frequency_one_over_base(n, d, base=10000.0):
    pairs = d // 2
    angle = np.arange(n)[:, None] * base ** (-np.arange(pairs) / max(pairs - 1, 1))
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


def _without_last_pair(n, d, base=BASE):
    table = sinusoidal(np.arange(n), d, base=base)
    table[:, -2:] = 0
    return table


def _first_pair_of_first_row(n, d, base=BASE):
    """What is filled when the `return` is inside the inner loop."""
    table = np.zeros((n, d))
    table[0, 1] = 1
    return table


def _channels_counted_as_pairs(n, d, base=BASE):
    table = np.zeros((n, d))
    for p in range(n):
        for m in range(d):
            table[p, 2 * m] = math.sin(p * base ** (-2 * m / d))
            table[p, 2 * m + 1] = math.cos(p * base ** (-2 * m / d))
    return table


def _one_row_many_times(n, d, base=BASE):
    """One array, filled anew for each position and appended n times."""
    return sinusoidal(np.full(n, n - 1), d, base=base)


def _each_channel_its_own(n, d, base=10000.0):
    angle = np.arange(n)[:, None] * base ** (-2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


def _each_channel_own_half(n, d, base=10000.0):
    angle = np.arange(n)[:, None] * base ** (-np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


def _expected_table(n, d, base=BASE):
    """Far from position 0 to the digits that an angle in float32 leaves."""
    return sinusoidal(np.arange(n), d, base=base).astype(np.float32 if n > 40 else float)


def _as_exact_far_as_near(result, n, d, base=BASE):
    """A position that float16 cannot hold shows far from 0 only."""
    gap = abs(np.asarray(result, float) - sinusoidal(np.arange(n), d, base=base)).max(axis=1)
    return n < 100 or not gap[:8].max() < 0.01 < gap.max()


sinusoidal_table = Task(
    title="The sinusoidal table",
    minutes=12,
    difficulty=2,
    words=r"""Write the table of Vaswani et al. for positions $p = 0 \dots n-1$ and an even number $d$ of channels, in
radians:

$$P_{p,\,2m} = \sin(p\,\theta_m), \qquad P_{p,\,2m+1} = \cos(p\,\theta_m), \qquad \theta_m = \text{base}^{-2m/d},
\quad m = 0 \dots d/2 - 1$$

To check: `sinusoidal_table(4, 4)[3]` is `0.1411, -0.99, 0.03, 0.9996`, the row of the lesson.""",
    solution=_sinusoidal_table,
    expected=_expected_table,
    cases=[
        Case(4, 4, says="four positions, d = 4", axes=(POSITION, Axis("channel", PAIRS))),
        Case(6, 8, says="six positions, d = 8", axes=(POSITION, CHANNEL)),
        Case(5, 6, 100.0, says="base 100", axes=(POSITION, CHANNEL)),
        Case(3, 2, says="a single pair", axes=(POSITION, CHANNEL)),
        Case(1, 4, says="one position", axes=(POSITION, CHANNEL)),
        Case(512, 64, says="512 positions, d = 64", axes=(POSITION, CHANNEL)),
    ],
    axes=(POSITION, CHANNEL),
    draw=lambda rng: (int(rng.integers(2, 40)), 2 * int(rng.integers(2, 9)), float(rng.uniform(5, 20000))),
    properties=[
        Property(
            "as exact far from position 0 as near it",
            _as_exact_far_as_near,
            "Right near position 0, and worse the further from it: are the angles held in few digits, as in float16? "
            "Compute them in float64, or at least in float32.",
        )
    ],
    mistakes=[
        Mistake(
            _halves,
            "All sines come first, then all cosines. Those are the right numbers in another layout: "
            "here channel 2m holds the sine and channel 2m + 1 the cosine of pair m.",
        ),
        Mistake(
            "np.arange(0, d, 2) / d",
            "np.arange(d // 2) / d",
            "Your exponent is −m/d, so the clocks slow down half as fast as they should. It is −2m/d.",
        ),
        Mistake(
            "np.arange(0, d, 2) / d",
            "2 * np.arange(0, d, 2) / d",
            "The 2 of 2m comes in twice: `np.arange(0, d, 2)` is 2m already.",
        ),
        Mistake(
            _each_channel_its_own,
            "Every channel has a frequency of its own. A sine and its cosine share one: m counts pairs, not channels.",
        ),
        Mistake(
            _each_channel_own_half,
            "Sine and cosine of a pair turn at different speeds: you put the channel c itself where 2m belongs. "
            "Channel 2m + 1 uses 2m, too.",
        ),
        Mistake(
            _last_frequency_one_over_base,
            "You divide by d/2 − 1, which makes the last frequency exactly 1/base. Some libraries do; the formula here has 2m/d.",
        ),
        Mistake(
            "base ** (-np.arange",
            "base ** (np.arange",
            "Your clocks get faster from pair to pair, and should get slower: the exponent lost its minus, "
            "or you divide by θ where you should multiply.",
        ),
        Mistake("np.sin(p * theta)", "np.cos(p * theta)", "Channel 2m holds a cosine as well. It should be the sine."),
        Mistake(
            "table[:, 1::2] = np.cos",
            "table[:, 0::2] = np.cos",
            "Your cosines overwrite the sines. They belong into the odd channels, `table[:, 1::2]`.",
        ),
        Mistake(
            "np.cos(p * theta)", "np.sin(p * theta)", "Channel 2m + 1 holds a sine as well. It should be the cosine."
        ),
        Mistake(
            "table[:, 0::2] = np.sin(p * theta)\n    table[:, 1::2] = np.cos(p * theta)",
            "table[:, 1::2] = np.sin(p * theta)\n    table[:, 0::2] = np.cos(p * theta)",
            "Sine and cosine have changed places: the sine is in the even channel, so that position 0 is 0, 1, 0, 1, …",
        ),
        Mistake(
            "p = np.arange(n)[:, None]",
            "p = np.arange(1, n + 1)[:, None]",
            "Your first position is 1. Positions count from 0, and P[0] is 0, 1, 0, 1, …",
        ),
        Mistake(
            "p = np.arange(n)[:, None]",
            "p = np.radians(np.arange(n))[:, None]",
            "You turn degrees into radians, but p·θ is in radians already: use it as it is.",
        ),
        Mistake(
            "p = np.arange(n)[:, None]",
            "p = 2 * np.pi * np.arange(n)[:, None]",
            "There is no 2π in the formula: the first clock turns by 1 radian per position.",
        ),
        Mistake("base **", "10000.0 **", "`base` has no effect: 10000 is written into your formula. Use the argument."),
        Mistake(
            "base ** (-np.arange(0, d, 2) / d)",
            "np.arange(0, d, 2) / d",
            "Your angle is p·2m/d: the power of `base` is missing.",
        ),
        Mistake(
            "base ** (-np.arange(0, d, 2) / d)",
            "np.ones(d // 2)",
            "All pairs turn at the same speed. Pair m has the frequency base^(−2m/d). "
            "If that is what you wrote: is there a `//`, which rounds to whole numbers?",
        ),
        Mistake(
            "base ** (-np.arange(0, d, 2) / d)",
            "1 / (base * np.arange(0, d, 2) / d + (np.arange(0, d, 2) == 0))",
            "You multiply the base by 2m/d. It is a power: base^(2m/d).",
        ),
        Mistake(
            "np.arange(0, d, 2) / d",
            "np.arange(0, d, 2) // d",
            "`//` rounds the exponents down to whole numbers. Divide with `/`.",
        ),
        Mistake(
            "base ** (-np.arange(0, d, 2) / d)",
            "base ** -np.arange(0, d, 2) / d",
            "Without parentheses `base ** a / d` is `(base ** a) / d`. Write `base ** (a / d)`.",
        ),
        Mistake(
            _first_pair_of_first_row,
            "Only channels 0 and 1 of position 0 are filled: is the `return` inside the inner loop?",
        ),
        Mistake(_channels_counted_as_pairs, "m counts pairs, and there are d/2 of them: `range(d // 2)`."),
        Mistake(
            _one_row_many_times,
            "Every row is that of the last position. The same array, appended n times? Make a new one for each position.",
        ),
        Mistake(
            "p = np.arange(n)[:, None]",
            "p = -np.arange(n)[:, None]",
            "Your clocks turn backwards: the sines have the wrong sign. Is there a minus before p?",
        ),
        Mistake(
            "base ** (-np.arange(0, d, 2) / d)",
            "1 / base**2 * np.arange(d // 2) / d",
            "Python reads `1 / base**2*m/d` from the left: m / (d · base²). Put the whole exponent into parentheses.",
        ),
        Mistake(
            _without_last_pair,
            "The last pair of channels is empty: m runs from 0 to d/2 − 1, and `range(d // 2)` gives just that.",
        ),
        Mistake(
            "return table",
            "return table.T",
            "The table lies on its side: one row per position, one column per channel, (n, d).",
        ),
        Mistake(
            "p * theta)\n    table[:, 1::2]",
            "theta)\n    table[:, 1::2]",
            "The sine does not use the position: its angle is p·θ.",
        ),
        Mistake("np.cos(p * theta)", "np.cos(theta)", "The cosine does not use the position: its angle is p·θ."),
    ],
    alternatives=[
        _table_by_loop,
        lambda n, d, base=BASE: np.sin(
            np.arange(n)[:, None] * np.repeat(base ** (-2 * np.arange(d // 2) / d), 2) + np.arange(d) % 2 * np.pi / 2
        ),
    ],
    hints=[
        "First the angles: a table (n, d/2), position times frequency. `np.arange(n)[:, None] * theta` makes it.",
        "`np.arange(0, d, 2)` is 0, 2, 4, …: the 2m of all pairs.",
        "`table[:, 0::2]` are the even channels, `table[:, 1::2]` the odd ones.",
    ],
)


def _shift_matrix(s, d, base=10000.0):
    """The matrix R, (d, d), with R @ P[p] = P[p + s] for every position p."""
    angle = s * base ** (-np.arange(0, d, 2) / d)
    R = np.zeros((d, d))
    R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(angle))
    R[0::2, 1::2] = np.diag(np.sin(angle))
    R[1::2, 0::2] = np.diag(-np.sin(angle))
    return R


def _rotation(s, d, base=BASE):
    """Entry by entry, from what the products must be."""
    theta = frequencies(d, base)
    R = np.zeros((d, d))
    for row in range(d):
        for column in range(d):
            if row // 2 == column // 2:
                angle = s * theta[row // 2]
                R[row, column] = math.cos(angle) if row == column else (-1) ** row * math.sin(angle)
    return R


def _block_diagonal(s, d, base=BASE):
    c, t = np.cos(s * frequencies(d, base)), np.sin(s * frequencies(d, base))
    R = np.diag(np.repeat(c, 2))
    even = np.arange(0, d, 2)
    R[even, even + 1], R[even + 1, even] = t, -t
    return R


def _half_split(s, d, base=BASE):
    c, t = np.diag(np.cos(s * frequencies(d, base))), np.diag(np.sin(s * frequencies(d, base)))
    return np.block([[c, t], [-t, c]])


def _full_blocks(s, d, base=BASE):
    """The 2×2 block of every pair of channels filled, not only those on the diagonal."""
    R = np.zeros((d, d))
    for m, angle in enumerate(s * frequencies(d, base)):
        R[2 * m, :] = np.tile([math.cos(angle), math.sin(angle)], d // 2)
        R[2 * m + 1, :] = np.tile([-math.sin(angle), math.cos(angle)], d // 2)
    return R


def _half_split_back(s, d, base=BASE):
    return _half_split(-s, d, base)


def _one_block(s, d, base=BASE):
    return np.array([[math.cos(s), math.sin(s)], [-math.sin(s), math.cos(s)]])


def _first_pair_in_identity(s, d, base=BASE):
    R = np.eye(d)
    R[:2, :2] = _one_block(s, d)
    return R


def _channels_as_blocks(s, d, base=BASE):
    R = np.zeros((d, d))
    for m in range(d):
        R[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = _one_block(s * base ** (-2 * m / d), d)
    return R


def _ones_outside(s, d, base=BASE):
    R = _rotation(s, d, base)
    R[np.arange(d)[:, None] // 2 != np.arange(d) // 2] = 1
    return R


def _next_frequency(s, d, base=BASE):
    return _rotation(s * base ** (-2 / d), d, base)


def _moved_channels(s, d, base=BASE):
    return np.eye(d, k=s)


def _moved_channels_back(s, d, base=BASE):
    return np.eye(d, k=-s)


def _list_of_blocks(s, d, base=BASE):
    return np.array([_one_block(s * theta, d) for theta in frequencies(d, base)])


def _overlapping(s, d, base=BASE):
    R = np.zeros((d, d))
    for m, angle in enumerate(s * frequencies(d, base)):
        R[m : m + 2, m : m + 2] = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
    return R


def _first_pair_only(s, d, base=BASE):
    R = np.zeros((d, d))
    R[:2, :2] = [[math.cos(s), math.sin(s)], [-math.sin(s), math.cos(s)]]
    return R


def _moves_every_position(result, s, d, base=BASE):
    p = np.arange(12)
    return np.allclose(sinusoidal(p, d, base=base) @ np.asarray(result).T, sinusoidal(p + s, d, base=base), atol=1e-6)


shift_matrix = Task(
    title="A shift is a rotation",
    minutes=12,
    difficulty=3,
    words=r"""Build the matrix $R$ that moves a sinusoidal vector by $s$ positions: `R @ P[p]` is `P[p + s]`, for every $p$.
`P[p]` has the layout of the task before: $\sin p\theta_0, \cos p\theta_0, \sin p\theta_1, \cos p\theta_1, \dots$ with
$\theta_m = \text{base}^{-2m/d}$. $s$ may be negative, and no $p$ may occur in $R$. To check: in
`shift_matrix(1, 2)` the first row is `0.5403, 0.8415`, the cosine and the sine of 1.""",
    solution=_shift_matrix,
    expected=_rotation,
    cases=[
        Case(1, 2, says="one pair, one place on", axes=(Axis("row", PAIRS[:2]), Axis("column", PAIRS[:2]))),
        Case(2, 4, says="two pairs, two places on", axes=(Axis("row", PAIRS), Axis("column", PAIRS))),
        Case(-3, 4, says="three places back", axes=(Axis("row", PAIRS), Axis("column", PAIRS))),
        Case(0, 4, says="no shift at all", axes=(Axis("row", PAIRS), Axis("column", PAIRS))),
        Case(5, 8, 100.0, says="four pairs, base 100"),
    ],
    axes=("row", "column"),
    draw=lambda rng: (int(rng.integers(1, 60)), 2 * int(rng.integers(2, 7)), float(rng.uniform(5, 20000))),
    properties=[
        Property(
            "it moves every position by s",
            _moves_every_position,
            "`R @ P[p]` is not `P[p + s]` for every p.",
        )
    ],
    mistakes=[
        Mistake(
            "return R",
            "return R.T",
            "This turns back: R is transposed, which is the shift by −s. With `R @ P[p]` the sine row is cos, +sin.",
        ),
        Mistake(
            _half_split,
            "This is right for a table with all sines first and then all cosines. "
            "Here the two channels of a pair stand side by side: 2×2 blocks along the diagonal.",
        ),
        Mistake(
            "-np.sin",
            "np.sin",
            "Both sines have the same sign. In cos(a + b) = cos a cos b − sin a sin b one has a minus.",
        ),
        Mistake(
            "R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(angle))\n    R[0::2, 1::2] = np.diag(np.sin(angle))",
            "R[0::2, 1::2] = R[1::2, 1::2] = np.diag(np.cos(angle))\n    R[0::2, 0::2] = np.diag(np.sin(angle))",
            "In the first row of a block sine and cosine have changed places: sin(a + b) = sin a · cos b + cos a · sin b.",
        ),
        Mistake(
            "R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(angle))\n    R[0::2, 1::2] = np.diag(np.sin(angle))\n"
            "    R[1::2, 0::2]",
            "R[0::2, 0::2] = R[1::2, 0::2] = np.diag(np.cos(angle))\n    R[0::2, 1::2] = np.diag(np.sin(angle))\n"
            "    R[1::2, 1::2]",
            "The second row of a block has changed places: its first column multiplies the sine, its second the cosine.",
        ),
        Mistake(
            "R[1::2, 0::2] = np.diag(-np.sin(angle))",
            "pass",
            "Half of each block is missing: the cosine's row needs the sine too, cos(a + b) = cos a cos b − sin a sin b.",
        ),
        Mistake(
            "R[0::2, 1::2] = np.diag(np.sin(angle))",
            "pass",
            "Half of each block is missing: the sine's row needs the cosine too, sin(a + b) = sin a cos b + cos a sin b.",
        ),
        Mistake("s * base", "base", "The shift has no effect: the angle of pair m is s·θ_m."),
        Mistake(
            "s * base ** (-np.arange(0, d, 2) / d)",
            "np.full(d // 2, float(s))",
            "All pairs turn by the same angle. Pair m turns by s·θ_m, each more slowly than the one before.",
        ),
        Mistake(
            "np.arange(0, d, 2) / d",
            "np.arange(d // 2) / d",
            "Your frequencies have the exponent −m/d. It is −2m/d.",
        ),
        Mistake(
            "np.arange(0, d, 2) / d",
            "2 * np.arange(0, d, 2) / d",
            "The 2 of 2m comes in twice: `np.arange(0, d, 2)` is 2m already.",
        ),
        Mistake(
            "base ** (-np.arange",
            "base ** (np.arange",
            "The exponent of the frequencies lost its minus: they slow down from pair to pair.",
        ),
        Mistake("base ** (-", "10000.0 ** (-", "`base` has no effect: 10000 is written into your formula."),
        Mistake(
            "s * base ** (-np.arange(0, d, 2) / d)",
            "np.radians(s * base ** (-np.arange(0, d, 2) / d))",
            "You turn degrees into radians, but s·θ is in radians already.",
        ),
        Mistake(
            _full_blocks,
            "A pair must not mix with the others: outside the 2×2 blocks on the diagonal everything is 0.",
        ),
        Mistake("s * base", "abs(s) * base", "You lost the sign of s: three places back turns the other way round."),
        Mistake("s * base", "s + base", "The angle is s times θ, not s plus θ."),
        Mistake(
            _first_pair_in_identity,
            "Only the first pair turns, the others stay as they are. Each of the d/2 pairs needs its own block.",
        ),
        Mistake(_channels_as_blocks, "m counts the pairs, one block each, and there are d/2 of them: `range(d // 2)`."),
        Mistake(_ones_outside, "Outside the blocks there must be zeros: does R begin as an array of ones?"),
        Mistake(
            _next_frequency,
            "The first pair should turn by s · 1, and each of your pairs turns by the angle of the next: m begins at 0.",
        ),
        Mistake("s * base", "(s + 1) * base", "One place too far. For s = 0 nothing moves, and R is the identity."),
        Mistake(
            _moved_channels,
            "Your ones move the channels along. No channel moves: each pair of channels turns, by an angle of its own.",
        ),
        Mistake(
            _moved_channels_back,
            "Your ones move the channels. No channel moves: each pair of channels turns, by an angle of its own.",
        ),
        Mistake(
            lambda s, d, base=BASE: np.roll(np.eye(d), s, axis=1),
            "The ones move every channel to another place (as `np.roll` does). "
            "No channel moves: each pair of channels turns, by an angle of its own.",
        ),
        Mistake(
            lambda s, d, base=BASE: np.roll(np.eye(d), s, axis=0),
            "The rows of the identity are moved on, and with them the channels. "
            "No channel moves: each pair of channels turns, by an angle of its own.",
        ),
        Mistake(
            lambda s, d, base=BASE: np.roll(np.eye(d), s),
            "Without an `axis`, `np.roll` moves all numbers of the matrix in one line. And no channel is to move: "
            "each pair of channels turns, by an angle of its own.",
        ),
        Mistake(
            _list_of_blocks,
            "These are the d/2 blocks. Put them on the diagonal of one (d, d) matrix of zeros.",
        ),
        Mistake(
            "R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.cos(angle))\n    R[0::2, 1::2] = np.diag(np.sin(angle))\n"
            "    R[1::2, 0::2] = np.diag(-np.sin(angle))",
            "R[0::2, 0::2] = R[1::2, 1::2] = np.diag(np.sin(angle))\n    R[0::2, 1::2] = np.diag(np.cos(angle))\n"
            "    R[1::2, 0::2] = np.diag(-np.cos(angle))",
            "Sine and cosine have changed places in the blocks. Try s = 0: nothing moves, so R must be the identity.",
        ),
        Mistake(
            "R[0::2, 1::2] = np.diag(np.sin(angle))",
            "R[0::2, 1::2] = np.diag(-np.sin(angle))",
            "Both sines of a block are negative. Only one of them has a minus: look at cos(a + b) and sin(a + b).",
        ),
        Mistake(
            _half_split_back,
            "Two things: this is the layout with all sines first, where here the two channels of a pair stand side by side; "
            "and it turns back.",
        ),
        Mistake(
            _one_block,
            "This is the block of one pair. R has one such 2×2 block per pair, each with its own angle, on its diagonal.",
        ),
        Mistake(
            _overlapping,
            "Your blocks overlap: the block of pair m begins at row and column 2m.",
        ),
        Mistake(
            "R[0::2, 1::2] = np.diag(np.sin(angle))\n    R[1::2, 0::2] = np.diag(-np.sin(angle))",
            "pass",
            "Only the cosines are there. To turn a clock, its sine needs some of its cosine and the other way round.",
        ),
        Mistake(
            "s * base ** (-np.arange(0, d, 2) / d)",
            "s * base ** -np.arange(0, d, 2) / d",
            "Without parentheses `base ** a / d` is `(base ** a) / d`. Write `base ** (a / d)`.",
        ),
        Mistake(
            _first_pair_only,
            "Only the first pair is filled: there are d/2 blocks.",
        ),
    ],
    alternatives=[
        _block_diagonal,
        lambda s, d, base=BASE: (
            np.kron(np.diag(np.cos(s * frequencies(d, base))), np.eye(2))
            + np.kron(np.diag(np.sin(s * frequencies(d, base))), [[0, 1], [-1, 0]])
        ),
    ],
    hints=[
        "One pair first: sin((p+s)θ) = sin pθ · cos sθ + cos pθ · sin sθ. Which two numbers does that put into the sine's row?",
        "cos((p+s)θ) = cos pθ · cos sθ − sin pθ · sin sθ is the cosine's row. Mind which column is the sine.",
        "Pair m fills rows and columns 2m and 2m + 1; everything else is 0. Its angle is s·θ_m.",
    ],
)
