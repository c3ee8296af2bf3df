"""The same in torch, for a batch of heads · 10 minutes · ★★

A model works on many sequences and many heads at once. Write biased attention for tensors
`(batch, heads, n, d)` with one bias per head, shared by the whole batch. No loop is needed.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias

from ..shared import NUMBER, QUERY, normal


def biased_attention_torch(q, k, v, bias):
    """Biased attention for a batch: q, k, v are torch tensors (batch, heads, n, d), bias is (heads, n, n).

    Returns the output, a tensor (batch, heads, n, d).
    """
    products = q @ k.transpose(-2, -1)  # With the last two axes of k swapped, each query meets each key of its head.
    s = products / q.shape[-1] ** 0.5 + bias  # The products are divided by √d, and then each head adds its own bias.
    return s.softmax(dim=-1) @ v  # The softmax runs over the keys, the last axis, and its weights mix the values.


def expected(q, k, v, bias):
    return attention(q, k, v, bias=bias)[0]


def batch(rng, batch, heads, n, d):
    return *(normal(rng, batch, heads, n, d) for _ in range(3)), normal(rng, heads, n, n)


TENSORS = True
AXES = ("batch", "head", "query", NUMBER)
CASES = [
    Case(
        *(np.stack([x, x])[None] for x in (Q, K, V)),
        np.stack([decay_bias(5, strength=0.3), decay_bias(5, strength=1.0)]),
        label="the five tokens in two heads",
        axes=("batch", "head", QUERY, NUMBER),
    ),
    Case(*batch(np.random.default_rng(1), 3, 12, 6, 8), label="batch of 3, 12 heads"),
    Case(*batch(np.random.default_rng(2), 2, 1, 1, 4), label="one head, one token"),
]


def draw(rng):
    return batch(rng, *(int(x) for x in rng.integers([1, 1, 1, 2], [4, 4, 7, 9])))


WRONG = """
products = q @ k  # The numbers of a query meet the tokens of k. Swap the last two axes: `k.transpose(-2, -1)`.
products = q @ k.transpose(1, 2)  # You swap heads and tokens. Swap the last two axes: `k.transpose(-2, -1)`.
products = q @ k.permute(3, 2, 1, 0)  # `.T` reverses all four axes. Swap only the last two: `k.transpose(-2, -1)`.
products = q @ k.reshape(*k.shape[:2], k.shape[3], -1)  # You reshaped k, which mixes the keys. Swap
# its last two axes instead: `k.transpose(-2, -1)`.
s = products / q.shape[-1] + bias  # In all you divide by d. Divide once by √d, as `scaled_dot_product_attention` does.
s = products / q.shape[1] ** 0.5 + bias  # You divide by √(number of heads). d is the last axis, `q.shape[-1]`.
s = products / q.shape[-2] ** 0.5 + bias  # You divide by √(number of tokens). d is the last axis, `q.shape[-1]`.
s = products / (q.shape[1] * q.shape[-1]) ** 0.5 + bias  # You divide by √(heads · d). The width of one head is d.
s = (products + bias) / q.shape[-1] ** 0.5  # You divide the bias by √d, too. Divide the products, then add the bias.
return ((s - bias).softmax(dim=-1) + bias) @ v  # You add the bias after the softmax. Add it to the scores.
s = products / q.shape[-1] ** 0.5 + bias[:, None]  # The heads of your bias lie along the batch. `s + bias` aligns
# (heads, n, n) from the right by itself.
s = products / q.shape[-1] ** 0.5 + bias[0]  # Head 0 is right. The others get `bias[0]`, but head h has `bias[h]`.
s = products / q.shape[-1] ** 0.5 + bias.mean(dim=0)  # All heads get the mean of the biases. Head h has `bias[h]`.
s = products / q.shape[-1] ** 0.5 + bias.repeat_interleave(len(q), 0).reshape(products.shape)  # You repeat the bias of
# each head before the next one comes, so it meets other heads. `s + bias` lines the heads up by itself.
s = products / q.shape[-1] ** 0.5 + bias.flip(0)  # You reversed the heads of the bias. Head h has `bias[h]`.
s = products / q.shape[-1] ** 0.5 + bias.mT  # You transposed the bias. Its rows belong to the queries.
return (s - bias).masked_fill(bias == 0, float("-inf")).softmax(dim=-1) @ v  # You use the bias as a mask, in which 0
# hides a key. Add it to the scores, as `attn_mask=bias` does without `.bool()`.
return (s.softmax(dim=-1) @ v).transpose(1, 2).flatten(2)  # You merged the heads. Here they keep their own axis.
"""
HINTS = [
    "`k.transpose(-2, -1)` swaps the last two axes and leaves batch and heads alone.",
    "Shapes are matched from the right: (batch, heads, n, n) + (heads, n, n) gives every head its own bias.",
    "Tensors have a `softmax` method: `s.softmax(dim=-1)`.",
]
