r"""The index matrix · 8 minutes · ★ · first

Now do this for all pairs. Query $i$ is at position `past + i` and key $j$ at position $j$, so the offset
is $j - (\text{past} + i)$. Clip it to $[-k, k]$ and turn it into a row of the table, $0 \dots 2k$ (`clip` is $k$).

`relative_index(2, 4, 1, 1)` has two queries, at positions 1 and 2. It is `[[0, 1, 2, 2], [0, 0, 1, 2]]`.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

from ..shared import KEY, QUERY
from .common import LAST_TWO, sizes


def relative_index(n_q, n_k, clip, past):
    """Row of the table for every query and key: (n_q, n_k). Query i is at past + i."""
    i = past + np.arange(n_q)[:, None]  # Query i is at position past + i, and it has row i of the result.
    offset = np.arange(n_k) - i  # The offset is the position of the key minus that of the query.
    clipped = np.clip(offset, -clip, clip)  # Offsets are limited to −clip … clip, both included.
    return clipped + clip  # Offset −clip takes row 0, so clip is added once.


def expected(n_q, n_k, clip, past):
    return clip_index(offsets(n_q, n_k, past), clip)


INDEX = True
CASES = [
    Case(5, 5, 2, 0, label="the five tokens", axes=(QUERY, KEY)),
    Case(2, 5, 2, 3, label="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
    Case(2, 4, 1, 1, label="the example above"),
    Case(6, 3, 2, 0, label="more queries than keys"),
    Case(3, 3, 8, 0, label="a clip that nothing reaches"),
    Case(3, 3, 0, 0, label="clip 0, one row for everything"),
]
draw = sizes
WRONG = """
i = np.arange(n_q)[:, None]  # `past` has no effect in your result. It moves the queries, and not the keys.
i = -past + np.arange(n_q)[:, None]  # You move the queries back by `past`, or the keys on. Move the queries on.
i = n_k - n_q + np.arange(n_q)[:, None]  # You take n_k − n_q for `past`. There may be keys after the last query, too.
offset = np.arange(n_q)[:, None] - np.arange(n_k)  # The offset is key minus query, and the first query is at `past`.
offset = np.arange(n_k) - past + np.arange(n_q)[:, None]  # `j - past + i` adds i again. Put `past + i` in parentheses.
offset = np.arange(past + n_k) - i  # You add `past` to the number of keys. n_k counts those of the past as well.
offset = np.arange(1 - n_q - past, n_k - past)  # This is one row per offset, but every pair needs one, (n_q, n_k).
offset = i - np.arange(n_k)  # You subtract the key from the query. The offset is key minus query.
offset = i + np.arange(n_k)  # You add the two positions. The offset is key minus query.
offset = abs(np.arange(n_k) - i)  # You use the distance |j − i|. The table has different rows for before and after.
offset = np.minimum(np.arange(n_k), clip) - np.minimum(i, clip)  # You clip the two positions. Clip their difference.
offset = i  # You clip the position of the query. The offset is the position of the key minus that of the query.
clip = min(clip, n_k - 1)
return clipped - clipped.min()  # Your rows begin too low if no key is `clip` away. Row 0 is that of offset −clip.
clipped = np.clip(offset, clip, -clip)  # You exchanged the two ends of the clipping. The lower end is −clip.
clipped = np.clip(offset, 0, clip)  # You clip every offset before the query to 0. The lower end is −clip, not 0.
clipped = max(-clip, min(clip, offset))  # `min` and `max` compare two numbers. For a whole array, use `np.clip`.
return np.triu(clipped + clip)  # Below the diagonal everything of yours is 0. Keys before the query have rows, too.
return np.clip(offset + clip, -clip, clip)  # You shift first and clip to −clip … clip afterwards. Clip first.
return np.clip(offset + clip, 0, clip)  # All keys ahead have one row. The largest row is 2·clip, not clip.
return (offset + clip) % (2 * clip + 1)  # With `%`, far offsets begin again at the other end. Clip them.
return clipped % (2 * clip + 1)  # Your table begins with offset 0. Row 0 belongs to offset −clip, so add clip.
"""
HINTS = [
    "Write it for one pair first: the position of the key minus that of the query, clipped, plus clip.",
    "`np.arange(n_q)[:, None]` is a column of queries, and `np.arange(n_k)` is a row of keys. Subtract the column.",
    "`np.clip(x, -clip, clip)` clips a whole array. The `+ clip` comes after it.",
]
