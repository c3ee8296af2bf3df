"""Bug hunt: the decoder that cannot tell word order · 10 minutes · ★★

This decoder trains without an error but never learns word order: whatever is in the table, the weights are
the same as without a bias. It is the bug of [[start_here|chapter #]], in the code of a layer. Find it and fix it.

Look at `rows` for a whole sentence (`past=0`): what does it hold for the keys that a query may see? One edit is
enough.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.t5 import bucket, t5_bias

from ..shared import KEY, QUERY, normal
from .common import CONTENT, table


def decoder_weights(content, table, past):
    """Weights of a causal T5 decoder: (heads, n_q, n_k).

    content (heads, n_q, n_k) holds q·k, table (num_buckets, heads) the biases.
    Query 0 is at position past, key 0 at position 0.
    """
    # The position of query 0 is `past`, which is above 0 with a cache. Queries are on axis 1 of content, and their
    # positions are past, past + 1, … The count of the queries is a column, and the positions of the queries are past,
    # past + 1, … Query 0 is at position past, so that the token itself has offset 0.
    i = past + np.arange(content.shape[1])[:, None]
    # Keys are on axis 2 of content, and key 0 is at position 0. Each score is q·k plus the bias.
    j = np.arange(content.shape[2])
    # A decoder gives all of its buckets to the past. The token itself has offset 0, and one step back is −1. The
    # number of buckets is the number of rows of the table.
    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))
    # The bias is added to the bare q·k, as it was. `table[rows]` is (query, key, head), and the heads should come
    # first, as they did. The heads come first, as they did. In `table[rows]` the heads come last, so their axis is −1.
    bias = np.moveaxis(table[rows], -1, 0)
    # The score of a hidden key is −∞, so that the softmax gives it the weight 0. The mask hides the keys with j > i,
    # and it was right as it was.
    return softmax(np.where(j <= i, content + bias, -np.inf))


AXES = ("head", "query", "key")


def expected(content, table, past):
    n_q, n_k = np.shape(content)[1:]
    bias = t5_bias(n_q, n_k, table=table, bidirectional=False, past=past)
    return softmax(np.where(causal_mask(n_q, n_k, past), content + bias, -np.inf))


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


def _future_is_hidden(result, content, table, past):
    n_q, n_k = np.shape(content)[1:]
    hidden = ~causal_mask(n_q, n_k, past)
    return np.allclose(np.asarray(result)[:, hidden], 0)


def draw(rng):
    heads, n, past = int(rng.integers(1, 4)), int(rng.integers(2, 7)), int(rng.integers(4))
    return normal(rng, heads, n, n + past), normal(rng, 32, heads), past


BUG = "rows = bucket(i - j, bidirectional=False, num_buckets=len(table))"


CASES = [
    Case(CONTENT[None], table(0, 1), 0, label="the five tokens", axes=("head", QUERY, KEY)),
    Case(np.stack([CONTENT, CONTENT]), table(1, 2), 0, label="two heads", axes=("head", QUERY, KEY)),
    Case(
        CONTENT[None, 3:],
        table(2, 1),
        3,
        label='the last two tokens, "on" and "mat", after three',
        axes=("head", Axis("query", ("on", "mat")), KEY),
    ),
    Case(np.zeros((1, 1, 1)), table(3, 1), 0, label="one token alone"),
    Case(np.zeros((1, 12, 12)), table(5, 1, 8), 0, label="a table of 8 buckets", axes=AXES),
    Case(np.zeros((2, 40, 40)), table(4, 2), 0, label="40 tokens with equal content", axes=AXES),
]


ALWAYS = [
    holds("The weights of a query should sum to 1 over the keys.", _rows_sum_to_one),
    holds(
        "Some key after its query gets weight. Leave the mask as it was, because it lets j ≤ i through.",
        _future_is_hidden,
    ),
]


WRONG = """
return softmax(np.where(j <= i, content + bias.swapaxes(-1, -2), -np.inf))  # You transposed the bias. Its rows already
# belong to the queries, so leave that line alone.
rows = bucket(i - j, bidirectional=False, num_buckets=len(table))  # These are the weights without any bias, because
# all visible keys still share a bucket. Print `rows` and look at the lower triangle.
rows = bucket(j - i - past, bidirectional=False, num_buckets=len(table))  # Your offsets subtract `past` twice. It is
# already in the position of the query, i, so the offset is j − i.
rows = bucket(i - j - 1, bidirectional=False, num_buckets=len(table))  # All keys before the query still share a
# bucket, and only the token itself has left it. The sign is wrong.
rows = bucket(i - j, bidirectional=True, num_buckets=len(table))  # The weights now depend on position, but you use an
# encoder's upper buckets, which are for keys *after* the query. Keep `bidirectional=False`, because the bug is in the
# offset.
rows = np.clip(i - j, 0, len(table) - 1)  # You use the distance itself as the row. Far distances share rows, so let
# `bucket` find them.
rows = np.maximum(i - j, 0)  # You use the distance itself as the row, which runs past the end of the table. Far
# distances share rows, so let `bucket` find them.
rows = bucket(j - i, bidirectional=False)  # Your result is right only for tables of 32 rows. Keep
# `num_buckets=len(table)`, as it was.
bias = np.moveaxis(table[-rows], -1, 0)  # Some of your rows are negative, and these count from the end of the table.
# Offsets into the past are negative, but the rows that `bucket` finds for them are not.
return softmax(np.where(j >= i, content + bias, -np.inf))  # You reversed the mask, so each query sees only the future.
# The mask was right. Look at what `bucket` is given.
return softmax(np.where(j <= i - past, content + bias, -np.inf))  # Your mask forgets `past`. Query 0 is at position
# past, so it sees all keys up to there.
return np.where(j <= i, softmax(content + bias), 0)  # You hide the future after the softmax, when it has already taken
# its share. Put −∞ into the scores, as before.
rows = bucket(i - j, bidirectional=False, num_buckets=len(table)).T  # The transpose of i − j is j − i only while there
# are as many queries as keys. With a past, write j − i.
return softmax(np.where(j < i, content + bias, -np.inf))  # You hide the diagonal. A token may look at itself, and the
# mask was right as it was.
return softmax(np.where(j <= i, content / 2 + bias, -np.inf))  # You divide the content by 2. T5 adds the bias to the
# bare q·k, and `content` was right as it was.
return softmax(np.where(j <= i, content / np.sqrt(content.shape[-1]) + bias, -np.inf))  # You divide the content by a
# root. T5 does not scale, and `content` was right as it was.
return softmax(np.where(j <= i, (content + bias) / 2, -np.inf))  # You divide the scores by 2. T5 does not scale, and
# nothing was scaled before.
return softmax(np.where(j <= i, (content + bias) / np.sqrt(content.shape[-1]), -np.inf))  # You divide the scores by a
# root. T5 does not scale, and nothing was scaled before.
"""


HINTS = [
    "Add `print(rows)` before the `return` and run the check, which shows what you printed.",
    "In a decoder every key that is not in the past falls into bucket 0. Which sign do offsets into the past have?",
    "The offset in this course is key minus query.",
]


def right_through_the_distance(content, table, past):
    """A key at distance d in the past has offset −d, and what the mask hides may have any bias."""
    i = past + np.arange(content.shape[1])[:, None]
    j = np.arange(content.shape[2])
    bias = np.moveaxis(table[bucket(-abs(i - j), bidirectional=False, num_buckets=len(table))], -1, 0)
    return softmax(np.where(j <= i, content + bias, -np.inf))
