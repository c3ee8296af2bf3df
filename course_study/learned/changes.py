"""What is put in place of MPNet's table: other numbers per offset, computed from the table, all in NumPy.

A form is a function from offsets r = j − i, whole numbers (n,), to a bias for each head, (heads, n).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.reference.alibi import slopes
from course_lib.reference.t5 import bucket

Numbers = NDArray[Any]
Form = Callable[[Numbers], Numbers]
FAR = 127  # the largest distance that is fitted; T5's last bucket begins at 91


def as_released(table: Numbers) -> Form:
    """b_h(r) = table[bucket(r), h]."""
    return lambda r: table[bucket(r)].T


def own_entry_kept(own: Form, form: Form) -> Form:
    """The form, but b(0) is the table's."""
    return lambda r: np.where(r == 0, own(r), form(r))


def fitted(own: Form, curve: Callable[[Numbers], Numbers], near: bool = False) -> Form:
    """For each head and side c + s · curve(min(|r|, 127)), the least-squares fit to b(r) over |r| = 1 … 127; own b(0).

    Every distance counts the same, or with `near` by 1/|r|, so that the few near ones are not outweighed.
    """
    d = np.arange(1, FAR + 1)
    x = np.stack([np.ones(FAR), curve(d)], 1)
    root = d**-0.5 if near else np.ones(FAR)  # of the weights, because least squares squares it
    before, after = (np.linalg.lstsq(x * root[:, None], own(side * d).T * root[:, None])[0] for side in (-1, 1))

    def form(r: Numbers) -> Numbers:
        at = curve(np.minimum(abs(r), FAR))
        return np.where(r < 0, *(c[:, None] + s[:, None] * at for c, s in (before, after)))

    return own_entry_kept(own, form)


def alibi(own: Form) -> Form:
    """−m_h |r|: the head whose bias falls most from its neighbours to far away gets the steepest slope, and so on."""
    falls = own(np.array([-1, 1])).sum(1) - own(np.array([-FAR, FAR])).sum(1)
    m = np.empty(len(falls))
    m[np.argsort(-falls)] = np.sort(slopes(len(falls)))[::-1]
    return lambda r: -m[:, None] * abs(r)


def forms(table: Numbers) -> dict[str, Form]:
    """Each change by its name, for a table (buckets, heads)."""
    own = as_released(table)
    neighbours = own(np.array([-1, 1])).mean(1, keepdims=True)
    return {
        "table zeroed": lambda r: 0 * own(r),
        "sign of the offset flipped": lambda r: own(-r),
        "symmetric": lambda r: (own(r) + own(-r)) / 2,
        "b(0) as the mean of b(−1) and b(1)": lambda r: np.where(r == 0, neighbours, own(r)),
        "far buckets everywhere": lambda r: own(np.where(r > 0, FAR, -FAR)),
        "distances clipped at 8": lambda r: own(r.clip(-8, 8)),
        "distances from 4 on rounded down to powers of 2": lambda r: own(rounded_down(r)),
        "log per side": fitted(own, np.log1p),
        "line per side": fitted(own, np.asarray),
        "log per side, near ones weighted": fitted(own, np.log1p, near=True),
        "line per side, near ones weighted": fitted(own, np.asarray, near=True),
        "constant per side": fitted(own, lambda d: 0.0 * d),
        "ALiBi's slopes": alibi(own),
        "ALiBi's slopes, own b(0)": own_entry_kept(own, alibi(own)),
        "bias scaled, too: (q·k + b)/√d": lambda r: own(r) / 8,
        "keys after the query in bucket 0": lambda r: own(np.minimum(r, 0)),
    }


def rounded_down(r: Numbers) -> Numbers:
    """Distances from 4 on rounded down to 4, 8, 16, …"""
    power = 2 ** np.floor(np.log2(np.maximum(abs(r), 1))).astype(int)
    return np.where(abs(r) < 4, r, np.sign(r) * power)
