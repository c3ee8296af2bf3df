"""Bug hunt: four axes at once."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.reference.attention import scores

from ..shared import normal

AXES = ("batch", "head", "query", "key")


def _t5_scores(q, k, bias):
    """T5's scores of a batch: (batch, heads, n_q, n_k).

    q (batch, heads, n_q, d), k (batch, heads, n_k, d), bias (heads, n_q, n_k).
    """
    products = q @ k.swapaxes(-1, -2)
    return products + bias


def _t5_scores_given(q, k, bias):
    """T5's scores of a batch: (batch, heads, n_q, n_k).

    q (batch, heads, n_q, d), k (batch, heads, n_k, d), bias (heads, n_q, n_k).
    """
    products = q @ k.T
    return products + bias[:, None]


def _batch(rng, batch, heads, n_q, n_k, d):
    return normal(rng, batch, heads, n_q, d), normal(rng, batch, heads, n_k, d), normal(rng, heads, n_q, n_k)


def _case(seed, *sizes, label):
    return Case(*_batch(np.random.default_rng(seed), *sizes), label=label, axes=AXES)


t5_scores = CodingTask(
    title="Bug hunt: four axes at once",
    minutes=8,
    difficulty=2,
    words="""This function has two bugs. The first raises an error. The second is silent: if the batch has as many texts
as there are heads, the function runs and adds the wrong numbers. Fix both. It helps to write the shape of every array
beside it.""",
    solution=_t5_scores,
    starter=_t5_scores_given,
    expected=lambda q, k, bias: scores(q, k, scale=1.0) + bias,
    cases=[
        _case(0, 2, 3, 4, 4, 5, label="2 texts, 3 heads"),
        _case(1, 3, 3, 4, 4, 5, label="3 texts, 3 heads"),
        _case(2, 1, 2, 1, 6, 4, label="one text, a new token with 6 keys"),
        _case(3, 2, 1, 3, 3, 2, label="2 texts, one head"),
        _case(4, 4, 4, 4, 4, 4, label="all sizes 4"),
    ],
    draw=lambda rng: _batch(rng, *(int(x) for x in rng.integers([2, 2, 1, 1, 2], [5, 5, 6, 6, 7]))),
    pieces="""
q
    the left factor: It should hold the queries, because the rows of the result belong to them.
k
    the right factor: It should hold the keys, because the columns of the result belong to them.
k.swapaxes(-1, -2)
    the transpose: Only the last two axes of k change places, so (n_q, d) meets (d, n_k).
-1
    the first axis of the swap: The last two axes of k, −1 and −2, change places.
-2
    the second axis of the swap: The last two axes of k, −1 and −2, change places.
bias
    the bias: It is added to the bare products, and every text gets the same.
products
    the product part: Each score is q·k plus the bias.
""",
    slips="""
k.swapaxes(-1, -2) → k.T
    `k.T` reverses all four axes, to (d, n_k, heads, batch). Swap only the last two.
k.swapaxes(-1, -2) → k.transpose(-1, -2)
    NumPy's `transpose` needs all four axes, (0, 1, 3, 2). `swapaxes(-1, -2)` takes only the two to swap.
k.swapaxes(-1, -2) → k.swapaxes(1, 2)
    You swap heads and tokens. Swap tokens and numbers, which are the last two axes.
k.swapaxes(-1, -2) → k.transpose(1, 0, 3, 2)
    The last two axes are right, but you swap batch and heads as well. Leave the first two alone.
k.swapaxes(-1, -2) → k.reshape(*k.shape[:2], k.shape[3], k.shape[2])
    `reshape` keeps the numbers in their old order, so it does not transpose. Swap the last two axes.
q @ k.swapaxes(-1, -2) → np.dot(q, k.swapaxes(-1, -2))
    `np.dot` pairs every text and head with every other. `@` multiplies text by text and head by head.
q @ k.swapaxes(-1, -2) → q * k
    `*` multiplies entry by entry. A score is a sum over d, so use `@`.
q @ k.swapaxes(-1, -2) → k @ q.swapaxes(-1, -2)
    You exchanged queries and keys. The rows of the result belong to the queries.
q @ k.swapaxes(-1, -2) → np.einsum('bhid,bhjd->bhij', q, k).swapaxes(0, 1)
    Batch and head have changed places in your result. It should be (batch, heads, n_q, n_k).
products + bias → products + bias[:, None]
    With `bias[:, None]` the heads are where the batch should be. (heads, n_q, n_k) aligns from the right by itself.
products + bias → products + bias[:, :, None]
    No new axis is needed. With `bias[:, :, None]` the heads are where the batch should be, and the queries where
    the heads should be. (heads, n_q, n_k) aligns from the right by itself.
products + bias → products + bias[None, :, None]
    No new axis is needed. `bias[None, :, None]` adds a fifth axis, and the queries are where the heads should be.
    (heads, n_q, n_k) aligns from the right by itself.
products + bias → products + bias[..., None]
    No new axis is needed. `bias[..., None]` adds an axis of 1 at the end, which moves heads, queries and keys one
    place too far to the left. (heads, n_q, n_k) aligns from the right by itself.
products + bias → products + bias.swapaxes(-1, -2)
    You transposed the bias. Its rows already belong to the queries, so leave it as it is.
products + bias → products + bias.T
    `.T` reverses all axes of the bias as well. (heads, n_q, n_k) fits as it is.
products + bias → products + bias[0]
    All heads get the bias of head 0. Keep the head axis.
products + bias → products + bias.mean(axis=0)
    All heads get the same, averaged bias. Head h gets bias[h].
... → return np.stack([a @ b.swapaxes(-1, -2) + c for a, b, c in zip(q, k, bias)])
    You choose the bias by the text. The bias has no batch axis: every text gets the same, and head h gets bias[h].
products + bias → products / np.sqrt(q.shape[-1]) + bias
    You divide by √d. T5 does not scale: the bias is added to the bare q·k.
""",
    alternatives=[
        lambda q, k, bias: np.einsum("bhid,bhjd->bhij", q, k) + bias[None],
        lambda q, k, bias: q @ np.transpose(k, (0, 1, 3, 2)) + bias,
        lambda q, k, bias: q @ k.mT + bias,
    ],
    hints=[
        "`np.zeros((2, 3, 4, 5)).T.shape` shows what `.T` does to four axes.",
        "`k.swapaxes(-1, -2)`, or `k.mT`, swaps the last two axes and leaves batch and heads alone.",
        "NumPy matches shapes from the right. `bias[:, None]` is (heads, 1, n_q, n_k). Compare it with (batch, heads, "
        "n_q, n_k): where are the heads, and where should they be?",
    ],
)
