"""Which head is it? · 10 minutes · ★★

`table` is what training made of the table of MPNet: a row for each of the 32 encoder buckets, a column for each
of the 12 heads, which are counted from 0. `figures.learned_table()` draws it. $b(r)$ is the number that a head adds at
offset $r$. Which head fits each description? Give six numbers.

- `the word before`: b(−1) is larger than every other number of this head, by at least 2.
- `the word after`: b(+1) is larger than every other number of this head, by at least 2.
- `everything before`: each key before the query, near or far, gets more than each key after it.
- `far keys`: on both sides, the farthest keys get at least 1 more than the neighbour.
- `both sides alike`: b(−d) and b(+d) never differ by more than 0.2. This head is not flat: on both sides, the neighbour
  gets at least 3 more than the farthest keys.
- `flat`: the smallest difference between its largest and its smallest number, b(0) left out.

The picture shows most of it. Where two heads look alike, compute.
"""

import numpy as np

from course_lib import learned

TABLE = learned.read("mpnet", "table")
LEFT, RIGHT = TABLE[1:16], TABLE[17:]  # distance 1 first; row 0 is the token itself, row 16 is never read


def only(fits):
    """The one head of which this is true. Raises ValueError if there is another, or none."""
    [head] = np.flatnonzero(fits)
    return int(head)


def leads(row):
    """By how much a row is larger than all others, for each head."""
    others = np.delete(TABLE, [row, 16], axis=0)
    return TABLE[row] - others.max(axis=0)


ANSWER = {
    "the word before": only(leads(1) >= 2),
    "the word after": only(leads(17) >= 2),
    "everything before": only(LEFT.min(axis=0) > RIGHT.max(axis=0)),
    "far keys": only((LEFT[-1] - LEFT[0] >= 1) & (RIGHT[-1] - RIGHT[0] >= 1)),
    "both sides alike": only(
        (abs(LEFT - RIGHT).max(axis=0) <= 0.2) & (np.minimum(LEFT[0] - LEFT[-1], RIGHT[0] - RIGHT[-1]) >= 3)
    ),
    "flat": int(np.ptp(np.concatenate([LEFT, RIGHT]), axis=0).argmin()),
}
FROM_ONE = tuple(head + 1 for head in ANSWER.values())
WRONG = {
    tuple(ANSWER): {FROM_ONE: "You count the heads from 1. The first column of the table is head 0."},
    ("the word before", "the word after"): {
        (11, 6): "You exchanged before and after. An offset is key minus query, so −1 is the word before the query.",
    },
    "the word before": {
        11: "This head prefers the word after. −1 is the word before, and bucket 1 is its row.",
        4: "This head prefers all keys before the query, and b(−2) is even larger than b(−1).",
        7: "b(−1) is the largest number of this head, but b(−2) is only 0.5 smaller.",
        8: "This head prefers both neighbours alike.",
        10: "b(−1) is the largest number of this head, but b(−2) is only 0.1 smaller.",
    },
    "the word after": {
        6: "This head prefers the word before. +1 is the word after, and bucket 17 is its row.",
        0: "b(+1) is the largest number of this head, but b(+2) is only 0.3 smaller.",
        8: "This head prefers both neighbours alike.",
    },
    "everything before": {
        0: "This head prefers the keys after the query.",
        6: "This head prefers the nearest keys before the query. The farthest ones get less than some after it.",
        10: "This is nearly so, but the farthest keys before the query get a little less than some keys after it.",
    },
    "far keys": {
        0: "This is so before the query. After it, this head prefers near keys.",
        1: "The far keys get more on both sides, but by less than 1.",
        4: "This is so after the query. Before it, this head prefers near keys.",
        6: "This is so after the query. Before it, this head prefers near keys.",
    },
    "both sides alike": {
        1: "Its sides are alike, but it is flat: the neighbours get no more than the farthest keys.",
        5: "Its sides are alike, but it is flat: the neighbours get hardly more than the farthest keys.",
        7: "Both sides fall, but b(−1) is more than 1 larger than b(+1).",
        9: "Both sides fall, but b(+1) is 0.6 larger than b(−1).",
    },
    "flat": {
        2: "This head is nearly flat, but its numbers without b(0) differ by up to 1.0.",
        5: "This is close. Compare it with head 1: `np.ptp` gives the largest number minus the smallest.",
        11: "This head has the largest b(0), and that does not count here.",
    },
}
HINTS = [
    "Move the slider of `figures.learned_table()`. Offsets below 0 are keys before the query.",
    "Rows 1 to 15 of the table are keys before the query, rows 17 to 31 keys after it. Each begins at distance 1.",
    "For example, `table[1:16].min(axis=0) > table[17:].max(axis=0)` tests all heads for `everything before`.",
]
