"""Shuffle back."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention

from ..shared import NUMBER, normal

PLACE = Axis("place", TOKENS)


def _attend_and_restore(q, k, v, order):
    """Attention for permuted tokens, with the output put back into the original order.

    q, k, v (n, d): row a belongs to the token that was at place order[a].
    Returns (n, d), row p for the token of place p.
    """
    s = q @ k.T / np.sqrt(q.shape[-1])
    e = np.exp(s)
    weights = e / e.sum(axis=-1, keepdims=True)
    output = np.zeros(v.shape)
    output[order] = weights @ v
    return output


def _restored(q, k, v, order):
    """Place by place: which token was there, and what it gets."""
    rows = attention(q, k, v)[0]
    return np.array([rows[list(order).index(place)] for place in range(len(order))])


def _restored_before(q, k, v, order):
    back = np.argsort(order)
    return attention(q[back], k, v)[0]


def _case(order, label):
    order = np.array(order)
    return Case(Q[order], K[order], V[order], order, label=label, axes=(PLACE, NUMBER))


def _draw(rng):
    n, d = int(rng.integers(3, 8)), int(rng.integers(1, 5))
    order = rng.permutation(n)
    while np.array_equal(order[order], np.arange(n)):  # its own inverse: undoing and doing again would look alike
        order = rng.permutation(n)
    return normal(rng, n, d), normal(rng, n, d), normal(rng, n, int(rng.integers(1, 5))), order


attend_and_restore = CodingTask(
    title="Shuffle back",
    minutes=10,
    difficulty=2,
    words="""Some systems reorder tokens to compute faster, and have to give back the old order at the end. You get `q`,
`k` and `v` of tokens that were permuted: row `a` belongs to the token that was at place `order[a]`. Compute attention
without positions and return the output in the **original** order, one row per place. (`order` is a NumPy array.)

Permuting and undoing it are two different things. With `order = [3, 0, 4, 1, 2]` the first row you get belongs to place
3, and the row of place 0 comes second.""",
    solution=_attend_and_restore,
    expected=_restored,
    cases=[
        _case([3, 0, 4, 1, 2], "the five tokens, shuffled"),
        _case([1, 2, 3, 4, 0], "the five tokens, moved round by one"),
        _case([0, 1, 2, 3, 4], "the five tokens in their own order"),
        Case(Q[:1], K[:1], V[:1], np.array([0]), label="one token alone"),
        Case(Q[[1, 2, 0]], K[[1, 2, 0]], V[[1, 2, 0], :2], np.array([1, 2, 0]), label="values of two numbers"),
    ],
    axes=(Axis("place"), NUMBER),
    draw=_draw,
    pieces="""
k.T
    `k.T`: It has one column per key, so that each query meets each key.
q @ k.T
    the score: Row i belongs to query i, and column j to key j.
np.sqrt(q.shape[-1])
    the scaling: The scores are divided by √d, and d is the length of the last axis of q.
np.exp(s)
    the exponential: The softmax takes e to each score.
e.sum(axis=-1, keepdims=True)
    the sum of each row: It keeps its axis, and every row is divided by its own sum.
axis=-1
    the softmax: Each query shares its attention among the keys, which are the last axis.
weights @ v
    the average of the values: Row i of the weights belongs to query i, and column j to value j.
""",
    slips="""
output[order] = weights @ v → output = (weights @ v)[order]
    You permute once more instead of back. `rows[order]` fetches row order[a] for a, but row a should be sent to place
    order[a].
output[order] = weights @ v → output = weights @ v
    The rows are right but still in the permuted order. Send row a to place order[a].
output[order] = weights @ v → output = (weights @ v)[::-1]
    You reverse the rows. That undoes only an order that reversed them.
output[order] = weights @ v → output = (weights @ v)[:, np.argsort(order)]
    You index the columns with `order`. It names tokens, which are the rows.
output[order] = weights @ v → output[order] = weights @ v[np.argsort(order)]
    You put the values back before the average, but the columns of the weights are still in the permuted order. So each
    value gets the weight of another token.
output[order] = weights @ v → output = weights @ v[np.argsort(order)]
    You put back only the values. So each of them gets the weight of another token, and the rows are still permuted.
output[order] = weights @ v → output = weights[np.argsort(order)][:, np.argsort(order)] @ v
    You put back the rows and columns of the weights, but not the values. So column j of the weights and row j of `v`
    belong to different tokens.
q @ k.T → q[np.argsort(order)] @ k[np.argsort(order)].T
    You put back queries and keys, but not the values. So column j of the weights and row j of `v` belong to different
    tokens. Compute first, then put back the output.
output[order] = weights @ v → output[order[0]] = (weights @ v)[0]
    Only one row is filled. Is the `return` inside the loop?
output = np.zeros(v.shape) → output = weights @ v
output[order] = weights @ v → for a in range(len(order)): output[order[a]] = output[a]
    You overwrite rows that you still need. Write into a new array.
... → return _restored_before(q, k, v, order)[np.argsort(order)]
    You put the tokens back twice, before and after. Once is enough, because the output follows its queries.
... → return attention(q, k, v)[np.argsort(order)]
    `attention` returns two things, the output and the weights. Take the first, `[0]`.
output = np.zeros(v.shape) → output = np.zeros(q.shape)
    Your output is as wide as q. It holds averages of values, so it is as wide as v.
np.sqrt(q.shape[-1]) → q.shape[-1]
    You divide the scores by d. Divide by its square root.
np.sqrt(q.shape[-1]) → np.sqrt(len(k))
    You scale by the number of tokens. d is the length of the last axis of q.
np.sqrt(q.shape[-1]) → 2
    You divide by 2, which is √d for the five tokens only. d is the length of the last axis of q.
q @ k.T → k @ q.T
    Your scores are transposed. Row i belongs to query i, and column j to key j.
np.exp(s) → np.exp(s - s.max(axis=-1))
    The maxima of the rows have lost their axis, so NumPy aligns them with the keys. Keep it with `keepdims=True`.
np.exp(s) → np.exp(s - s.max(axis=0))
    You subtract the largest score of each key, which changes the weights. The largest score of each query does not.
np.exp(s) → np.exp(s - s.max(axis=-1, keepdims=True))
e.sum(axis=-1, keepdims=True) → e.sum(axis=0, keepdims=True)
    You divide by the sums of the columns. Each query shares its attention among the keys, which are the last axis.
np.exp(s) → np.exp(s - s.max(axis=-1, keepdims=True))
e.sum(axis=-1, keepdims=True) → e.sum(axis=-1)
    Your maxima have kept their axis, but the sums have not. They need `keepdims=True` as well.
weights = e / e.sum(axis=-1, keepdims=True) → weights = s
    You average with the scores. The softmax is missing.
weights @ v → weights.T @ v
    You average with `weights.T`, which takes one row per key. Row i of the weights belongs to query i.
np.exp(s) → np.exp(s * np.sqrt(q.shape[-1]))
keepdims=True) → keepdims=True) / np.sqrt(q.shape[-1])
    You divide by √d after the softmax, so the weights no longer sum to 1. Divide the scores, before it.
keepdims=True) → keepdims=True) / np.sqrt(q.shape[-1])
    You divide the weights by √d as well, so they no longer sum to 1. Divide only the scores, before the softmax.
""",
    alternatives=[
        _restored_before,
        lambda q, k, v, order: attention(q, k, v)[0][np.argsort(order)],
        lambda q, k, v, order: np.eye(len(order))[order].T @ attention(q, k, v)[0],
    ],
    hints=[
        "Attention itself does not depend on the order. Compute it as usual, then move the rows of the output.",
        "`result[order] = rows` sends row a to place order[a]. `rows[order]` does the opposite.",
        "`np.argsort(order)` is the permutation that undoes `order`.",
    ],
)
