r"""Bug hunt: one model right, another wrong · 8 minutes · ★★ · first

This function prepares $W_q$ and $W_k$ for a file: within each head of $d$ channels, the rows of channels $m$ and $m +
d/2$ become neighbours. With grouped-query attention several query heads share one key head, so $W_k$ has fewer rows.

The code is simplified from a converter of llama.cpp that had this bug. Llama-2-70B, with 64 query heads and 8 key
heads, came out right. TinyLlama, with 32 and 4, wrote nonsense, without an error. Find the bug and fix it. Would
SmolLM2, with 9 and 3, have shown it?

The rows of the cases are numbered: row `r` of head `h` begins with the number 100 h + r.
"""

import numpy as np

from course_kit.checking import Case, holds
from course_lib.reference.rope import to_interleaved

from ...shared import normal, numbered


def gguf_rows(w_q, w_k, n_heads, n_kv_heads):
    """W_q (n_heads * d, d_model) and W_k (n_kv_heads * d, d_model) with the rows of each pair as neighbours."""
    q_heads = n_heads  # W_q has the rows of n_heads heads.
    k_heads = n_kv_heads  # W_k has the rows of n_kv_heads heads, however many query heads share each of them.
    # A half-split head has the axes (2, d/2). Exchanged, they put the two rows of a pair beside each other.
    q = w_q.reshape(q_heads, 2, -1, w_q.shape[1]).swapaxes(1, 2).reshape(w_q.shape)
    # A half-split key head has the axes (2, d/2), too. It has as many rows as a query head.
    k = w_k.reshape(k_heads, 2, -1, w_k.shape[1]).swapaxes(1, 2).reshape(w_k.shape)
    return q, k  # The result is both matrices, that of the queries first.


def expected(w_q, w_k, n_heads, n_kv_heads):
    order = to_interleaved(len(w_q) // n_heads)
    by_head = [np.split(w, len(w) // len(order)) for w in (w_q, w_k)]
    return tuple(np.concatenate([rows[order] for rows in heads]) for heads in by_head)


def draw(rng):
    kv, group, d = (int(n) for n in (*rng.permutation((2, 3, 4))[:2], 2 * rng.integers(3, 6)))
    return normal(rng, kv * group * d, 3), normal(rng, kv * d, 3), kv * group, kv


def case(n_heads, n_kv_heads, d, label):
    """Matrices of three columns with numbered rows."""
    w = numbered(n_heads, d, 3)
    return Case(w, w[: n_kv_heads * d].copy(), n_heads, n_kv_heads, label=label)


BUG = "k_heads = n_heads // n_kv_heads"
RETURNS = ("q", "k")
CASES = [
    case(8, 2, 8, "8 query heads, 2 key heads"),
    case(9, 3, 8, "9 query heads, 3 key heads, as SmolLM2"),
    case(4, 4, 8, "as many key heads as query heads"),
    case(4, 1, 8, "one key head"),
]
ALWAYS = [
    holds(
        "Your rows of k are not those of w_k in another order.",
        lambda result, w_q, w_k, *_: np.allclose(np.sort(result[1], axis=0), np.sort(w_k, axis=0), atol=1e-4),
    )
]
WRONG = """
k_heads = n_heads  # You reorder the keys as if they had as many heads as the queries. W_k has n_kv_heads heads.
k_heads = n_heads // n_kv_heads if n_kv_heads != n_heads else n_heads  # You still divide the two numbers of heads.
# Their quotient is how many query heads share a key head, not how many key heads there are.
k_heads = 1  # You reorder the rows of all key heads together. Each head has its own pairs.
q_heads = n_kv_heads  # You reorder the queries with the number of key heads. W_q has n_heads heads.
q_heads = n_heads // n_kv_heads  # You divide the number of query heads. W_q has the rows of all n_heads heads.
k = np.repeat(w_k.reshape(k_heads, 2, -1, w_k.shape[1]).swapaxes(1, 2), n_heads // k_heads, 0).reshape(w_q.shape)
# You repeat each key head for its query heads. The result has the rows of each key head once.
k = w_k  # Your keys keep their rows as they were. Queries and keys must have the same order, or the scores are wrong.
q = w_q.reshape(q_heads, -1, 2, w_q.shape[1]).swapaxes(1, 2).reshape(w_q.shape)
k = w_k.reshape(k_heads, -1, 2, w_k.shape[1]).swapaxes(1, 2).reshape(w_k.shape)  # You reorder the rows the other way.
# The axes of a half-split head are (2, d/2).
"""
HINTS = [
    "Print `w_k[:, 0]` and `gguf_rows(w_q, w_k, 8, 2)[1][:, 0]` for the first case. Which rows have left their head?",
    "How many heads does W_k have? How many does the function split it into for 64 and 8, for 32 and 4, for 9 and 3?",
]
ON_PASS = (
    "SmolLM2 would not have shown the bug, because 9 / 3 = 3, just as 64 / 8 = 8. The wrong division gives the right "
    "number of key heads exactly when n_heads = n_kv_heads². A test needs a model in which the two differ."
)
