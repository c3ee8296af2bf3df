"""Bug hunt: a window with one key too many · 8 minutes · ★ · first

This function makes the mask of a sliding window. It runs without an error, and the model hardly gets worse. But
the cache of this model has room for w keys, and the mask lets a query see more. Find the line and fix it.

The same mistake was reported for `transformers`
([29623](https://github.com/huggingface/transformers/issues/29623),
[39408](https://github.com/huggingface/transformers/issues/39408)) and for Megatron-Bridge
([2656](https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/2656)). Some kernels take the number of keys, others the
largest distance, and both call it the window size.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.reference.sliding_window import window_mask

from ...shared import KEY, QUERY


def seen_keys(n_q, n_k, w):
    """True where a query sees a key, (n_q, n_k): the last w keys, its own included.

    The queries are the last n_q of n_k tokens.
    """
    i = np.arange(n_q)[:, None] + n_k - n_q  # The queries are the last n_q of n_k tokens, so the first is at n_k − n_q.
    j = np.arange(n_k)  # There are n_k keys, and the last query is at the last of them.
    return (j <= i) & (j > i - w)  # A query sees its own key and none after it. The last w keys are i − w + 1 … i.


def expected(n_q, n_k, w):
    return window_mask(n_q, n_k, w=w, past=n_k - n_q)


def draw(rng):
    n_q = int(rng.integers(1, 6))
    return n_q, n_q + int(rng.integers(0, 7)), int(rng.integers(1, 6))


CASES = [
    Case(5, 5, 2, label="the five tokens, a window of two", axes=(QUERY, KEY)),
    Case(6, 6, 3, label="six tokens, a window of three"),
    Case(1, 6, 3, label="one new query after five", axes=(Axis("query", ("5",)), "key")),
    Case(4, 4, 1, label="a window of one: each token sees itself"),
    Case(3, 3, 9, label="a window longer than the text"),
    Case(1, 6, 1, label="one new query, a window of one"),
    Case(1, 3, 9, label="one new query, a window longer than the text"),
    Case(301, 602, 3, label="301 new queries after 301 tokens"),
]
WRONG = """
return (j <= i) & (abs(j - i) <= w)  # Your window still shows w + 1 keys: the query's own, and w before it.
return abs(j - i) < w
return j > i - w  # Your queries now see later keys, too. Keep the causal part.
return (j <= i + 1) & (j > i - w)  # Your queries also see the key after their own. They should see none after it.
return abs(j - i) <= w // 2  # You show half of the window on each side. A query sees no later key.
return (j >= i) & (j < i + w)  # Your window looks ahead. It shows the query's own key and those before it.
return (j <= i) & (j >= n_k - w)  # You show the last w keys of the text to every query. Each has its own window.
return np.ones((n_q, n_k), bool)  # Your mask hides no key. Both conditions must hold, j ≤ i and j > i − w.
return np.zeros((n_q, n_k), bool)  # Your mask hides every key. A query sees the last w keys, its own included.
return (j <= i) & ((j > i - w) | (n_q == 1))  # A single query has no window in your result. One new token has it as
# well.
return (j <= i) & ((j > i - w) | (n_q > 1))  # Only a single query has a window in your result. Several have theirs as
# well.
return j <= i  # Your mask has no window. A query sees the last w keys only.
return (j < i) & (j >= i - w)  # You show w keys, but the wrong ones: the query's own belongs to them, i − w does not.
return ~((j <= i) & (j > i - w))  # You exchanged True and False. True means that a query sees the key.
return np.where((j <= i) & (j > i - w), 0, -np.inf)  # These are biases, 0 and −∞. The task asks for True and False.
return (j <= i) & (i // w == j // w)  # You cut the text into chunks of w tokens. A window moves with each query.
return (j <= i) & (j > i - w) & (i >= w - 1)  # A query with fewer than w keys up to its own sees none. It sees those.
return [np.isin(j, j[p - w + 1 : p + 1]) for p in i.flat]  # Below 0 a slice counts from the end. Begin at `max(0, …)`.
i = np.arange(n_q)[:, None]  # Your first query is at position 0. The queries are the last n_q of n_k tokens, so the
# first is at n_k − n_q.
i = np.arange(n_q)[:, None] + n_k - n_q + 1  # Your window ends one key after the query's own.
i = np.arange(n_q)[:, None] + n_q - n_k  # You move the queries back by the n_k − n_q earlier tokens. Move them on.
i = np.arange(n_q)[:, None] + 2 * (n_k - n_q)  # You add the n_k − n_q earlier tokens twice.
"""
HINTS = [
    "Print `seen_keys(6, 6, 3).sum(axis=1)`. How many keys should the last query see?",
    "The last w keys of query i are i − w + 1 … i. Is the key i − w among them?",
]
