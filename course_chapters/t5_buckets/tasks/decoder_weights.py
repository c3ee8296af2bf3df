"""Bug hunt: the decoder that cannot tell word order · 10 minutes · ★★

This decoder trains without an error but never learns word order: whatever is in the table, the weights are
the same as without a bias. It is the bug of [[start_here|chapter #]], in the code of a layer. Find it and fix it.

Look at `rows` for a whole sentence (`past=0`): what does it hold for the keys that a query may see? One edit is
enough.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.t5 import bucket, t5_bias

from ...shared import KEY, LAST_TWO, QUERY, normal


def decoder_weights(content, table, past):
    """Weights of a causal T5 decoder: (heads, n_q, n_k).

    content (heads, n_q, n_k) holds q·k, table (num_buckets, heads) the biases.
    Query 0 is at position past, key 0 at position 0.
    """
    i = past + np.arange(content.shape[1])[:, None]  # Queries are axis 1 of content, and query 0 is at position past.
    j = np.arange(content.shape[2])  # Keys are axis 2 of content, and key 0 is at position 0.
    rows = bucket(j - i, bidirectional=False, num_buckets=len(table))  # An offset is key minus query: −1 is one back.
    bias = np.moveaxis(table[rows], -1, 0)  # The bias of a pair is its row of the table, and the heads come first.
    scores = content + bias  # T5 adds the bias to the bare q·k.
    seen = np.where(j <= i, scores, -np.inf)  # A query sees the keys up to its own position, and no others.
    return softmax(seen)


def expected(content, table, past):
    n_q, n_k = content.shape[1:]
    bias = t5_bias(n_q, n_k, table=table, bidirectional=False, past=past)
    return softmax(np.where(causal_mask(n_q, n_k, past), content + bias, -np.inf))


def draw(rng):
    heads, n, past = int(rng.integers(1, 4)), int(rng.integers(2, 7)), int(rng.integers(4))
    return normal(rng, heads, n, n + past), normal(rng, 32, heads), past


BUG = "rows = bucket(i - j, bidirectional=False, num_buckets=len(table))"
CONTENT, RNG = (Q @ K.T)[None], np.random.default_rng(0)
CASES = [
    Case(CONTENT, normal(RNG, 32, 1), 0, label="the five tokens", axes=("head", QUERY, KEY)),
    Case(CONTENT[:, 3:], normal(RNG, 32, 1), 3, label="the last two, after three", axes=("head", LAST_TWO, KEY)),
    Case(np.zeros((1, 1, 1)), normal(RNG, 32, 1), 0, label="one token alone"),
    Case(np.zeros((1, 12, 12)), normal(RNG, 8, 1), 0, label="a table of 8 buckets"),
    Case(np.zeros((2, 40, 40)), normal(RNG, 32, 2), 0, label="40 tokens with equal content"),
    Case(
        *(normal(RNG, 2, 3, 304) - 1e10 * (np.arange(304) < 302), normal(RNG, 32, 2), 301),
        label="three queries after 301 tokens, low scores",
    ),
    Case(normal(RNG, 2, 1, 302), normal(RNG, 32, 2), 301, label="one query after 301 tokens"),
]
WRONG = """
rows = bucket(j - i, bidirectional=True, num_buckets=len(table))
# With `bidirectional=True` half of the table is for the future. This is a decoder.
rows = bucket(i - j, bidirectional=False, num_buckets=len(table))  # These are the weights without any bias. If you add
# one, all visible keys still share a bucket: print `rows` and look at the lower triangle.
rows = bucket(j - i - past, bidirectional=False, num_buckets=len(table))  # Your offsets subtract `past` twice.
rows = bucket(j - i - (past > 0), bidirectional=False, num_buckets=len(table))  # With a cache, your offsets are one
# too far back. Query 0 is at position `past` itself.
rows = bucket(j - i, bidirectional=False, num_buckets=len(table), max_distance=64)  # Your far offsets share rows too
# soon. T5 tells distances apart up to 128, which `bucket` takes unless you say otherwise.
bias = np.moveaxis(table[rows], -1, 0) * (content.shape[1] > 1)  # A single query gets no bias in your result. One new
# token needs it as much as a whole sentence does.
seen = np.where(j <= i, scores, -1e4)
seen = np.where(j <= i, scores, -1e9)  # You hide keys with a finite number. Where the scores that a query sees are
# lower still, hidden keys get the weight. Use −∞.
rows = bucket(j - i + past, bidirectional=False, num_buckets=len(table))  # Your offsets leave out `past`.
# Query 0 is at position `past`, so the keys are farther back than you count.
rows = bucket(i - j - 1, bidirectional=False, num_buckets=len(table))  # All keys before the query still share a bucket,
# and only the token itself has left it. The sign is wrong.
rows = bucket(i - j, num_buckets=len(table))  # The weights now depend on position, but you use an encoder's upper
# buckets, which are for keys *after* the query. Keep `bidirectional=False`, because the bug is in the offset.
rows = np.clip(i - j, 0, len(table) - 1)
rows = np.maximum(i - j, 0)  # You use the distance itself as the row. Far distances share rows, which `bucket` finds.
rows = bucket(j - i, bidirectional=False)
rows = bucket(j - i, bidirectional=False) % len(table)  # Right only for 32 buckets. Keep `num_buckets=len(table)`.
rows = bucket(i - j, bidirectional=False, num_buckets=len(table)).T  # The transpose of i − j is j − i only while there
# are as many queries as keys. With a past, write j − i.
bias = np.moveaxis(table[-rows], -1, 0)  # Some of your rows are negative, and these count from the end of the table.
# Offsets into the past are negative, but the rows that `bucket` finds for them are not.
bias = np.moveaxis(table[rows], -1, 0).swapaxes(1, 2)  # You transposed the bias. Its rows belong to queries.
bias = table[rows].reshape(content.shape)  # Your `reshape` mixes heads and keys. `np.moveaxis` brings the heads first.
seen = np.where(j < i, scores, -np.inf)  # Your mask hides each query's own key, too.
seen = np.where(j <= i - past, scores, -np.inf)  # Your mask forgets `past`. Query 0 sees all keys up to that position.
return np.where(j <= i, softmax(scores), 0)  # Your sums count the keys ahead, so rows do not sum to 1. Hide them first.
scores = content - bias  # You subtract the bias, and T5 adds it. The line that adds it was right.
scores = (content + bias) / 2
scores = (content + bias) / np.sqrt(8)
scores = (content + bias) / 8
scores = (content + bias) / np.sqrt(content.shape[-1])  # You divide the scores. T5 adds the bias to the bare q·k.
scores = content / 2 + bias
scores = content / 8 + bias
scores = content / np.sqrt(content.shape[-1]) + bias  # You divide the content. T5 adds to the bare q·k.
"""
HINTS = [
    "Add `print(rows)` before the `return` and run the check, which shows what you printed.",
    "In a decoder every key that is not in the past falls into bucket 0. Which sign do offsets into the past have?",
    "The offset in this course is key minus query.",
]
