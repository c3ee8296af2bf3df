r"""The index matrix · 8 minutes · ★

Now do this for all pairs. Query $i$ is at position `past + i` and key $j$ at position $j$, so the offset
is $j - (\text{past} + i)$. Clip it to $[-k, k]$ and turn it into a row of the table, $0 \dots 2k$ (`clip` is $k$).

`relative_index(2, 4, 1, 1)` has two queries, at positions 1 and 2. It is `[[0, 1, 2, 2], [0, 0, 1, 2]]`.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from ..shared import KEY, QUERY
from .common import LAST_TWO, sizes


def relative_index(n_q, n_k, clip, past):
    """Row of the table for every query and key: (n_q, n_k). Query i is at past + i."""
    # Query i is at position past + i. There are n_q queries, and query i is at past + i. The queries are the rows of
    # the result, so they need `[:, None]`.
    i = past + np.arange(n_q)[:, None]
    j = np.arange(n_k)  # There are n_k keys, at 0, 1, 2, …
    # The offset is the position of the key minus that of the query, j − i. The lower end of the clipping is −clip. The
    # row is the clipped offset plus clip, so offset −clip takes row 0. Keys farther away than the clip share the first
    # or the last row.
    return np.clip(j - i, -clip, clip) + clip


INDEX = True


def expected(n_q, n_k, clip, past):
    return clip_index(offsets(n_q, n_k, past), clip)


CASES = [
    Case(5, 5, 2, 0, label="the five tokens", axes=(QUERY, KEY)),
    Case(2, 5, 2, 3, label="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
    Case(2, 4, 1, 1, label="the example above", axes=("query", "key")),
    Case(1, 10, 4, 5, label="one query at position 5", axes=("query", "key")),
    Case(6, 3, 2, 0, label="more queries than keys", axes=("query", "key")),
    Case(3, 3, 8, 0, label="a clip that nothing reaches", axes=("query", "key")),
    Case(3, 3, 0, 0, label="clip 0, one row for everything", axes=("query", "key")),
    Case(1, 1, 2, 0, label="one token alone", axes=("query", "key")),
]


draw = sizes


ALWAYS = [
    holds(
        "Your result asks for rows that the table does not have. Its 2·clip + 1 rows are numbered from 0.",
        lambda rows, n_q, n_k, clip, past: np.min(rows) >= 0 and np.max(rows) <= 2 * clip,
    ),
    holds(
        "Two pairs at the same offset get different rows. The row should depend on j − i alone.",
        lambda rows, *_: np.array_equal(np.asarray(rows)[..., 1:, 1:], np.asarray(rows)[..., :-1, :-1]),
    ),
]


WRONG = """
i = np.arange(n_q)[:, None]; return np.clip(i - j, -clip, clip) + clip  # Two things are wrong here. The offset is key
# minus query, and the first query is at position past.
i = np.arange(n_q)[:, None]  # `past` has no effect. Query i is at position past + i, and key j at position j.
i = -past + np.arange(n_q)[:, None]  # `past` has the wrong sign, or it moves the keys. The queries are `past`
# positions further on, not the keys.
i = n_k - n_q + np.arange(n_q)[:, None]  # You work out `past` as n_k − n_q. It is given and may be smaller, because
# there may be keys after the last query.
j = np.arange(past + n_k)  # You add `past` to the number of keys. There are n_k in all, those of the past among them,
# at 0, 1, …, n_k − 1.
clip = min(clip, n_k - 1)  # You make the clip smaller where there are few keys. The table keeps its 2·clip + 1 rows,
# and offset 0 is row clip.
return np.clip(j - past + np.arange(n_q)[:, None], -clip, clip) + clip  # `j - past + i` adds i again. Subtract the
# position of the query as a whole: put `past + i` in parentheses.
return np.clip(abs(j - i), -clip, clip) + clip  # You use the distance |j − i|. The table has different rows for before
# and after.
return np.clip(i, -clip, clip) + clip  # You clip the position of the query. The offset is the position of the key
# minus that of the query, j − i.
return np.clip(np.arange(1 - n_q - past, n_k - past), -clip, clip) + clip  # This is one row per offset, but every pair
# needs one, (n_q, n_k). Start from a matrix of j − (past + i).
return np.clip(j - i, clip, -clip) + clip  # You exchanged the two ends of the clipping, so every pair gets row 0. The
# lower end is −clip, the upper end clip.
return np.clip(j - i, 0, clip) + clip  # You clip every offset before the query to 0, as if it were the query itself.
# The lower end is −clip, not 0.
return np.clip(j - i, -clip, clip - 1) + clip  # The upper end of the clipping is one too small. Offset +clip has a row
# of its own, 2·clip.
return np.clip(j - i, -clip, clip + 1) + clip  # The upper end of the clipping is one too large. The last row of the
# table is 2·clip.
return np.maximum(j - i, -clip) + clip  # The clipping has no upper end. Keys farther away than the clip share the
# first or the last row.
return np.clip(j - i, -clip, clip)  # These are clipped offsets. Rows are counted from 0, so add clip after clipping.
return np.clip(j - i, -clip, clip) + 2 * clip  # You shift by twice the clip. Offset −clip should take row 0, so add
# clip once.
return np.clip(j - i + clip, -clip, clip)  # You shift first and clip to [−clip, clip] afterwards. Clip the offset
# first, then shift it.
return np.clip(j - i + clip, 0, clip)  # You give one row to everything ahead of the query. After the shift the largest
# row is 2·clip, not clip.
return (j - i + clip) % (2 * clip + 1)  # With `%`, far offsets start again at the other end of the table. They should
# stay in its first or last row.
return max(-clip, min(clip, j - i)) + clip  # `min` and `max` compare two numbers. For all entries of an array at once,
# use `np.clip`.
return np.clip(j - i, -clip, clip) % (2 * clip + 1)  # Your table begins with offset 0, and the negative offsets come
# last. Row 0 belongs to offset −clip, so add clip.
"""


HINTS = [
    "Write it for one pair first: the position of the key minus that of the query, clipped, plus clip.",
    "`np.arange(n_q)[:, None]` is a column of queries, and `np.arange(n_k)` is a row of keys. Their difference is "
    "a matrix.",
    "`np.clip(x, -clip, clip)` clips a whole array. The `+ clip` comes after it.",
]


def right_in_one_line(n_q, n_k, clip, past):
    return np.clip(np.arange(n_k) - (past + np.arange(n_q))[:, None] + clip, 0, 2 * clip)


def right_in_another_way(n_q, n_k, clip, past):
    return [[max(-clip, min(clip, j - past - i)) + clip for j in range(n_k)] for i in range(n_q)]
