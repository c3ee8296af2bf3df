"""The same in torch, for a batch of heads · 10 minutes · ★★

A model works on many sequences and many heads at once. Write biased attention for tensors
`(batch, heads, n, d)` with one bias per head, shared by the whole batch. No loop is needed.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias

from ..shared import NUMBER, QUERY, normal


def biased_attention_torch(q, k, v, bias):
    """Biased attention for a batch: q, k, v are torch tensors (batch, heads, n, d), bias is (heads, n, n).

    Returns the output, (batch, heads, n, d).
    """
    # The transpose swaps the last two axes of k, (n, d), and leaves batch and heads alone. In each head, each query
    # meets each key. The product of query and key is divided by √d, before the bias is added. D is the length of one
    # query, the last axis of q. The transpose swaps the last two axes of k.
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    # The bias is added to the scaled scores as it is. Each query shares its attention among the keys, so the softmax
    # runs over the last axis, `dim=-1`. The softmax turns the scores of each query into weights that sum to 1. The
    # index of the last axis is −1 for d, for the transpose and for the softmax.
    weights = (s + bias).softmax(dim=-1)
    # The scaled product of query and key is the content part of the score, and the bias is added to it. The output
    # mixes the values by the weights, one row per query.
    return weights @ v


BATCH = ("batch", "head", "query", NUMBER)


def _two_heads(x):
    return np.broadcast_to(x, (1, 2, *x.shape)).copy()


def _batch(rng, batch, heads, n, d):
    return (*(normal(rng, batch, heads, n, d) for _ in range(3)), normal(rng, heads, n, n))


def expected(q, k, v, bias):
    return attention(q, k, v, bias=bias)[0]


TENSORS = True


CASES = [
    Case(
        *map(_two_heads, (Q, K, V)),
        np.stack([decay_bias(5, scale=0.3), decay_bias(5, scale=1.0)]),
        label="the five tokens in two heads",
        axes=("batch", "head", QUERY, NUMBER),
    ),
    Case(*_batch(np.random.default_rng(1), 3, 12, 6, 8), label="batch of 3, 12 heads", axes=BATCH),
    Case(*_batch(np.random.default_rng(2), 2, 1, 1, 4), label="one head, one token", axes=BATCH),
]


def draw(rng):
    return _batch(rng, *(int(x) for x in rng.integers([1, 1, 1, 2], [4, 4, 7, 9])))


WRONG = """
s = q @ k.transpose(-2, -1) / q.shape[-1]  # In all you divide by d. Divide once by its square root.
# `scaled_dot_product_attention` already does that for you.
s = q @ k.transpose(-2, -1) / q.shape[1] ** 0.5  # You divide by √(number of heads). d is the last axis, `q.shape[-1]`.
s = q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5  # You divide by √(number of tokens). d is the last axis,
# `q.shape[-1]`.
s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5  # You swap heads and tokens. Swap the last two axes: `k.transpose(-2,
# -1)`.
s = q @ k.permute(3, 2, 1, 0) / q.shape[-1] ** 0.5  # With four axes, `.T` reverses all of them. Swap only the last
# two: `k.transpose(-2, -1)`.
s = q @ k.transpose(-2, -1); weights = ((s + bias) / q.shape[-1] ** 0.5).softmax(dim=-1)  # You scale the bias along
# with the product, which makes it √d times weaker. Scale first, then add the bias.
weights = s.softmax(dim=-1) + bias  # You add the bias after the softmax. Add it to the scores, so that each row still
# sums to 1.
weights = (s + bias[:, None]).softmax(dim=-1)  # With `bias[:, None]` the heads become batches. The shape (heads, n, n)
# aligns from the right by itself: `s + bias`.
weights = (s + bias[0]).softmax(dim=-1)  # Head 0 is right. The others get `bias[0]` as well, but head h has `bias[h]`.
weights = (s + bias.mean(dim=0)).softmax(dim=-1)  # All heads get the mean of the biases. Head h has `bias[h]`.
weights = (s + bias.flip(0)).softmax(dim=-1)  # You reversed the order of the heads in the bias. Head h has `bias[h]`,
# which `s + bias` does by itself.
weights = (s + bias.transpose(-2, -1)).softmax(dim=-1)  # You transposed the bias. Its rows belong to the queries. A
# symmetric bias hides this mistake.
weights = s.masked_fill(bias == 0, float('-inf')).softmax(dim=-1)  # You use the bias as a mask: a bias of 0 hides its
# key, and all other values do nothing. Add the bias to the scores, as `attn_mask=bias` does (without `.bool()`).
return (weights @ v).transpose(1, 2).flatten(2)  # You merged the heads, which a layer does afterwards. Here they keep
# their own axis, (batch, heads, n, d).
"""


HINTS = [
    "`k.transpose(-2, -1)` swaps the last two axes and leaves batch and heads alone.",
    "Shapes are matched from the right: (batch, heads, n, n) + (heads, n, n) gives every head its own bias.",
    "Tensors have a `softmax` method: `s.softmax(dim=-1)`.",
]


def right_in_one_line(q, k, v, bias):
    return ((q @ k.mT / q.size(-1) ** 0.5) + bias[None]).softmax(-1) @ v
