"""The same in torch, for a batch of heads."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias

from ..shared import NUMBER, QUERY, normal

BATCH = ("batch", "head", "query", NUMBER)


def _biased_attention_torch(q, k, v, bias):
    """Biased attention for a batch: q, k, v are torch tensors (batch, heads, n, d), bias is (heads, n, n).

    Returns the output, (batch, heads, n, d).
    """
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = (s + bias).softmax(dim=-1)
    return weights @ v


def _two_heads(x):
    return np.broadcast_to(x, (1, 2, *x.shape)).copy()


def _batch(rng, batch, heads, n, d):
    return (*(normal(rng, batch, heads, n, d) for _ in range(3)), normal(rng, heads, n, n))


biased_attention_torch = CodingTask(
    title="The same in torch, for a batch of heads",
    minutes=10,
    difficulty=2,
    words="""A model works on many sequences and many heads at once. Write biased attention for tensors
`(batch, heads, n, d)` with one bias per head, shared by the whole batch. No loop is needed.""",
    solution=_biased_attention_torch,
    expected=lambda q, k, v, bias: attention(q, k, v, bias=bias)[0],
    tensors=True,
    cases=[
        Case(
            *map(_two_heads, (Q, K, V)),
            np.stack([decay_bias(5, scale=0.3), decay_bias(5, scale=1.0)]),
            label="the five tokens in two heads",
            axes=("batch", "head", QUERY, NUMBER),
        ),
        Case(*_batch(np.random.default_rng(1), 3, 12, 6, 8), label="batch of 3, 12 heads", axes=BATCH),
        Case(*_batch(np.random.default_rng(2), 2, 1, 1, 4), label="one head, one token", axes=BATCH),
    ],
    draw=lambda rng: _batch(rng, *(int(x) for x in rng.integers([1, 1, 1, 2], [4, 4, 7, 9]))),
    pieces="""
bias
    the bias: It is added to the scaled scores as it is.
k.transpose(-2, -1)
    the transpose: It swaps the last two axes of k, (n, d), and leaves batch and heads alone.
q @ k.transpose(-2, -1)
    the product of queries and keys: In each head, each query meets each key.
q.shape[-1] ** 0.5
    the scaling: The product of query and key is divided by √d, before the bias is added.
q.shape[-1]
    d: It is the length of one query, the last axis of q.
s
    the scaled product of query and key: It is the content part of the score, and the bias is added to it.
dim=-1
    the softmax: Each query shares its attention among the keys, so the softmax runs over the last axis, `dim=-1`.
(s + bias).softmax(dim=-1)
    the softmax: It turns the scores of each query into weights that sum to 1.
weights @ v
    the output: It mixes the values by the weights, one row per query.
-2
    the index of the last but one axis: The transpose swaps the last two axes of k.
-1
    the index of the last axis: It is −1 for d, for the transpose and for the softmax.
""",
    slips="""
q.shape[-1] ** 0.5 → q.shape[-1]
    In all you divide by d. Divide once by its square root. `scaled_dot_product_attention` already does that for you.
q.shape[-1] ** 0.5 → q.shape[1] ** 0.5
    You divide by √(number of heads). d is the last axis, `q.shape[-1]`.
q.shape[-1] ** 0.5 → q.shape[-2] ** 0.5
    You divide by √(number of tokens). d is the last axis, `q.shape[-1]`.
k.transpose(-2, -1) → k.transpose(1, 2)
    You swap heads and tokens. Swap the last two axes: `k.transpose(-2, -1)`.
k.transpose(-2, -1) → k.permute(3, 2, 1, 0)
    With four axes, `.T` reverses all of them. Swap only the last two: `k.transpose(-2, -1)`.
q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 → q @ k.transpose(-2, -1)
weights = (s + bias) → weights = ((s + bias) / q.shape[-1] ** 0.5)
    You scale the bias along with the product, which makes it √d times weaker. Scale first, then add the bias.
(s + bias).softmax(dim=-1) → (s.softmax(dim=-1) + bias)
    You add the bias after the softmax. Add it to the scores, so that each row still sums to 1.
(s + bias) → (s + bias[:, None])
    With `bias[:, None]` the heads become batches. The shape (heads, n, n) aligns from the right by itself: `s + bias`.
(s + bias) → (s + bias[0])
    Head 0 is right. The others get `bias[0]` as well, but head h has `bias[h]`.
(s + bias) → (s + bias.mean(dim=0))
    All heads get the mean of the biases. Head h has `bias[h]`.
(s + bias) → (s + bias.flip(0))
    You reversed the order of the heads in the bias. Head h has `bias[h]`, which `s + bias` does by itself.
(s + bias) → (s + bias.transpose(-2, -1))
    You transposed the bias. Its rows belong to the queries. A symmetric bias hides this mistake.
(s + bias) → s.masked_fill(bias == 0, float("-inf"))
    You use the bias as a mask: a bias of 0 hides its key, and all other values do nothing. Add the bias to the scores,
    as `attn_mask=bias` does (without `.bool()`).
weights @ v → (weights @ v).transpose(1, 2).flatten(2)
    You merged the heads, which a layer does afterwards. Here they keep their own axis, (batch, heads, n, d).
""",
    alternatives=[lambda q, k, v, bias: ((q @ k.mT / q.size(-1) ** 0.5) + bias[None]).softmax(-1) @ v],
    hints=[
        "`k.transpose(-2, -1)` swaps the last two axes and leaves batch and heads alone.",
        "Shapes are matched from the right: (batch, heads, n, n) + (heads, n, n) gives every head its own bias.",
        "Tensors have a `softmax` method: `s.softmax(dim=-1)`.",
    ],
)
