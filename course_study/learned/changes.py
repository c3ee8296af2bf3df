"""What is put in place of MPNet's table and of its absolute vectors, all in NumPy.

A bias is a function from offsets r = j − i, whole numbers (n,), to a number for each head, (heads, n). Rows are a
function from the positions 0, 1, …, (n,), to the rows of the absolute vectors that they read.
"""

import numpy as np

from course_lib import learned
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import Array
from course_lib.reference.t5 import bucket

from .mpnet import FIRST, Function

TABLE = learned.read("mpnet", "table")
FAR = 127  # the largest distance that is fitted; T5's last bucket begins at 91
ZERO = 1  # the row of padding, whose numbers are all 0
NEIGHBOURS = (TABLE[1] + TABLE[17])[:, None] / 2  # the mean of b(−1) and b(1), by head


def released(r: Array) -> Array:
    """b_h(r) = table[bucket(r), h]."""
    return TABLE[bucket(r)].T


def own_kept(b: Function, elsewhere: Function) -> Function:
    """b(0), and for every other offset what the second function says."""
    return lambda r: np.where(r == 0, b(r), elsewhere(r))


def fitted(b: Function, curve: Function) -> Function:
    """For each head and side c + s · curve(min(|r|, 127)), the least-squares fit to b over |r| = 1 … 127; own b(0)."""
    d = np.arange(1, FAR + 1)
    x = np.stack([np.ones(FAR), curve(d)], 1)
    before, after = (np.linalg.lstsq(x, b(side * d).T)[0][..., None] for side in (-1, 1))

    def fit(r: Array) -> Array:
        at = curve(np.minimum(abs(r), FAR))
        return np.where(r < 0, before[0] + before[1] * at, after[0] + after[1] * at)

    return own_kept(b, fit)


def alibi(b: Function) -> Function:
    """−m_h |r|: the head whose bias falls most from its neighbours to far away gets the steepest slope, and so on."""
    falls = b(np.array([-1, 1])).sum(1) - b(np.array([-FAR, FAR])).sum(1)
    m = np.sort(slopes(len(falls)))[falls.argsort().argsort()]
    return lambda r: -m[:, None] * abs(r)


BIAS: dict[str, Function] = {
    "table zeroed": lambda r: 0 * released(r),
    "sign of the offset flipped": lambda r: released(-r),
    "symmetric": lambda r: (released(r) + released(-r)) / 2,
    "b(0) as the mean of b(−1) and b(1)": lambda r: np.where(r == 0, NEIGHBOURS, released(r)),
    "far buckets everywhere": lambda r: released(np.where(r > 0, FAR, -FAR)),
    "log per side": fitted(released, np.log1p),
    "line per side": fitted(released, np.asarray),
    "constant per side": fitted(released, lambda d: 0.0 * d),
    "ALiBi's slopes": alibi(released),
    "ALiBi's slopes, own b(0)": own_kept(released, alibi(released)),
}
ROWS: dict[str, Function] = {
    "vectors zeroed": lambda p: 0 * p + ZERO,
    "all in the row of the first token": lambda p: 0 * p + FIRST,
    "the first token in its own row, all others in that of position 48": lambda p: FIRST + 48 * (p > 0),
}
LONGER: dict[str, Function] = {
    "last row repeated (position 511)": lambda p: p.clip(max=511) + FIRST,
    "row of position 510 repeated": lambda p: p.clip(max=510) + FIRST,
    "positions begin again at 1 after 511": lambda p: np.where(p < 512, p, p - 511) + FIRST,
    "vectors zeroed": ROWS["vectors zeroed"],
}
