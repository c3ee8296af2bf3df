r"""Shuffle back · 10 minutes · ★★

Some systems reorder tokens to compute faster, and have to restore the old order at the end. You get `q`, `k` and `v` of
tokens that were permuted. `order` (a NumPy array) says where they come from: the token in row `a` was at place
`order[a]` of the text. Compute attention without positions and return the output in the **original** order, one row per
place.

Permuting and undoing it are two different things. With `order = [3, 0, 4, 1, 2]` the first row you get belongs to place
3, and the row of place 0 comes second.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention

from ..shared import NUMBER, normal


def attend_and_restore(q, k, v, order):
    """Attention for permuted tokens, with the output put back into the original order.

    q, k, v (n, d): row a belongs to the token that was at place order[a].
    Returns (n, d), row p for the token of place p.
    """
    d = q.shape[-1]  # d is the length of a query and of a key.
    s = q @ k.T / np.sqrt(d)  # Row i is query i, and column j is key j. The scores are divided by √d.
    e = np.exp(s)  # The softmax takes e to each score.
    weights = e / e.sum(axis=-1, keepdims=True)  # Each row is divided by its own sum, because it belongs to a query.
    rows = weights @ v  # The values are averaged with the weights: row i belongs to query i.
    output = np.zeros(v.shape)  # The output has a row per token, as wide as v.
    output[order] = rows  # Row a is sent to place order[a].
    return output


def expected(q, k, v, order):
    """Place by place: which token was there, and what it gets."""
    rows = attention(q, k, v)[0]
    return np.array([rows[list(order).index(place)] for place in range(len(order))])


def draw(rng):
    n, d = int(rng.integers(3, 8)), int(rng.integers(1, 5))
    order = rng.permutation(n)
    while np.array_equal(order[order], np.arange(n)):  # its own inverse: undoing and doing again would look alike
        order = rng.permutation(n)
    return normal(rng, n, d), normal(rng, n, d), normal(rng, n, int(rng.integers(1, 5))), order


def case(order, label):
    order = np.array(order)
    return Case(Q[order], K[order], V[order], order, label=label, axes=(Axis("place", TOKENS), NUMBER))


CASES = [
    case([3, 0, 4, 1, 2], "the five tokens, shuffled"),
    Case(Q[:1], K[:1], V[:1], np.array([0]), label="one token alone"),
    Case(Q[[1, 2, 0]], K[[1, 2, 0]], V[[1, 2, 0], :2], np.array([1, 2, 0]), label="values of two numbers"),
]
BACK = np.argsort  # the permutation that undoes another
WRONG = """
return rows[order]  # You permute once more instead of back. Row a of the result belongs at place order[a].
return rows  # The rows are right but still in the permuted order. Send row a to place order[a].
return rows[::-1]  # You reverse the rows. That undoes only an order that reversed them.
return rows[:, BACK(order)]  # You index the columns with `order`. It names tokens, which are the rows.
rows = weights @ v[BACK(order)]
return weights @ v[BACK(order)]  # You put back only the values, so each of them gets the weight of another token.
return weights[BACK(order)][:, BACK(order)] @ v
s = q[BACK(order)] @ k[BACK(order)].T / np.sqrt(d)  # You put back q and k, but not v. So they no longer fit together.
output[order] = np.where(np.arange(len(rows))[:, None], 0, rows)  # Only one row is filled. Is the `return` in the loop?
return attention(*(x[BACK(order)] for x in (q, k, v)))[0][BACK(order)]  # You put the tokens back twice. Once is enough.
return attention(q, k, v)[BACK(order)]  # `attention` returns the output and the weights. Take the first, `[0]`.
output = np.zeros(q.shape)  # Your output is as wide as q. It holds averages of values, so it is as wide as v.
d = len(k)  # You scale by the number of tokens. d is the length of a query and of a key.
d = 4  # You divide by 2, which is √d for the five tokens only. d is the length of a query and of a key.
e = np.exp(s - s.max(axis=-1))  # The maxima of the rows have lost their axis. Keep it with `keepdims=True`.
e = np.exp(s - s.max(axis=0))  # You subtract the largest score of each key. Subtract that of each query instead.
weights = e / e.sum(axis=-1)  # Your sums have lost their axis. Keep it with `keepdims=True`.
weights = s  # You average with the scores. The softmax is missing.
s = q @ k.T; weights = e / e.sum(axis=-1, keepdims=True) / np.sqrt(d)
weights = e / e.sum(axis=-1, keepdims=True) / np.sqrt(d)  # You divide the weights by √d. Divide only the scores.
"""
HINTS = [
    "Attention itself does not depend on the order. Compute it as usual, then move the rows of the output.",
    "`result[order] = rows` sends row a to place order[a]. `rows[order]` does the opposite.",
    "`np.argsort(order)` is the permutation that undoes `order`.",
]


def wrong_in_place(q, k, v, order):
    """You overwrite rows that you still need. Write into a new array."""
    output = attention(q, k, v)[0]
    for a in range(len(order)):
        output[order[a]] = output[a]
    return output


def wrong_swaps(q, k, v, order):
    """You swap rows, so a row that is in its place may have to leave it again. Write into a new array."""
    output = attention(q, k, v)[0]
    for a, place in enumerate(order):
        output[[a, place]] = output[[place, a]]
    return output
