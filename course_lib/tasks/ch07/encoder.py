"""A decoder's bias in an encoder: what softmax takes away leaves no distance."""

import numpy as np

from ...reference.alibi import slopes
from ...reference.attention import attention, softmax
from ..engine import Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, SCORES


def _encoder_weights(content, slopes):
    """Attention weights of an encoder with ALiBi, which looks both ways: (heads, n, n).

    content (heads, n, n) holds the scaled scores, slopes (heads,) one slope for each head.
    """
    position = np.arange(content.shape[-1])
    distance = abs(position - position[:, None])
    return softmax(content - slopes[:, None, None] * distance)


def _encoder_weights_given(content, slopes):
    """Attention weights of an encoder with ALiBi, which looks both ways: (heads, n, n).

    content (heads, n, n) holds the scaled scores, slopes (heads,) one slope for each head.
    """
    position = np.arange(content.shape[-1])
    return softmax(content + slopes[:, None, None] * position)


def _expected(content, slopes):
    """Four loops' worth: weights ∝ e^content · e^(−m |i − j|)."""
    heads, n = np.shape(content)[:2]
    w = np.zeros((heads, n, n))
    for h in range(heads):
        for i in range(n):
            for j in range(n):
                w[h, i, j] = content[h][i][j] - slopes[h] * abs(j - i)
    e = np.exp(w - w.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _from_both_sides(content, slopes):
    """Right as well: two one-sided penalties."""
    i = np.arange(content.shape[-1])
    before, after = np.maximum(i[:, None] - i, 0), np.maximum(i - i[:, None], 0)
    return softmax(content - slopes.reshape(-1, 1, 1) * (before + after))


def _row_constant(content, slopes):
    """Right as well: what is constant along a row does not count."""
    i = np.arange(content.shape[-1])
    bias = 7.0 * i[:, None] - slopes[:, None, None] * abs(i - i[:, None])
    return attention(np.zeros((1, len(i), 1)), np.zeros((1, len(i), 1)), np.zeros((1, len(i), 1)), bias=content + bias)[
        1
    ]


def _masked(content, slopes):
    i = np.arange(content.shape[-1])
    bias = -slopes[:, None, None] * abs(i - i[:, None])
    return softmax(np.where(i <= i[:, None], content + bias, -np.inf))


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


def _twelve(seed, n):
    return np.random.default_rng(seed).normal(size=(12, n, n)).round(2), slopes(12)


_HEADS = [str(h) for h in range(1, 13)]
_AXES = ("head", QUERY, KEY)
_PLAIN = ("head", "query", "key")


def _with_heads(count, axes):
    """The axes of a result with `count` heads, counted from 1 as in the paper."""
    return (Axis("head", _HEADS[:count]), *axes[1:])


encoder_weights = Task(
    title="Bug hunt: a decoder's bias in an encoder",
    minutes=10,
    difficulty=2,
    words="""This code was taken from a decoder. There it is right: it adds $m \\, j$, and what is missing to $-m \\, (i - j)$ the softmax
takes away. In an encoder, which has no mask, it makes every token look at the end of the text. Mend it: an encoder wants
a penalty for distance on both sides. (Which is an extension of ALiBi; the paper has decoders only.)""",
    solution=_encoder_weights,
    given=_encoder_weights_given,
    expected=_expected,
    cases=[
        Case(SCORES[None], np.array([0.5]), says="the five tokens, m = 1/2", axes=_with_heads(1, _AXES)),
        Case(np.stack([SCORES] * 4), slopes(4), says="the five tokens, four heads", axes=_with_heads(4, _AXES)),
        Case(
            np.zeros((1, 5, 5)),
            np.array([1.0]),
            says="the five tokens with equal content, m = 1",
            axes=_with_heads(1, _AXES),
        ),
        Case(np.zeros((2, 1, 1)), slopes(2), says="one token alone", axes=_with_heads(2, _PLAIN)),
        Case(*_twelve(0, 6), says="twelve heads, 6 tokens", axes=_with_heads(12, _PLAIN)),
        Case(*_twelve(1, 12), says="twelve heads, 12 tokens", axes=_with_heads(12, _PLAIN)),
    ],
    draw=lambda rng: (
        rng.normal(size=(heads := int(rng.integers(1, 6)), n := int(rng.integers(3, 8)), n)),
        rng.uniform(0.05, 1, size=heads),
    ),
    properties=[
        Property(
            "weights of a query sum to 1", _rows_sum_to_one, "The weights of one query must sum to 1 over the keys."
        ),
    ],
    mistakes=[
        Mistake(
            "abs(position - position[:, None])",
            "(position[:, None] - position)",
            "These are still the weights of m · j: −m (i − j) differs from it by a constant in each row only. Without a mask, a key after the query gets a reward. Take the distance.",
        ),
        Mistake(
            "abs(position - position[:, None])",
            "(position - position[:, None])",
            "Now every token looks at the beginning of the text: −m (j − i) is −m · j up to a constant in each row. Take the distance, without a sign.",
        ),
        Mistake(
            "content - slopes",
            "content + slopes",
            "Distance is rewarded: the farthest key gains most. Subtract.",
        ),
        Mistake(_masked, "You hide the keys after the query. An encoder looks both ways: no mask."),
        Mistake(
            "abs(position - position[:, None])",
            "np.maximum(position[:, None] - position, 0)",
            "Keys after the query go without any penalty. In an encoder the distance counts on both sides.",
        ),
        Mistake(
            "abs(position - position[:, None])",
            "np.maximum(position - position[:, None], 0)",
            "Keys before the query go without any penalty. In an encoder the distance counts on both sides.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[0] * distance",
            "All heads have the slope of the first. Each has its own: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes.mean() * distance",
            "All heads have the mean slope. Each has its own: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None] * distance",
            "`slopes[:, None]` is (heads, 1), and meets the queries. Two axes more are wanted: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes * distance",
            "`slopes` is (heads,), and meets the keys. It must stand before queries and keys: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[None, None, :] * distance",
            "`slopes[None, None, :]` puts the heads last, where the keys are. They come first: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[None, :, None] * distance",
            "`slopes[None, :, None]` puts the heads where the queries are. They come first: `slopes[:, None, None]`.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "distance",
            "The slopes are missing: every head has the slope 1.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None, None] * np.log1p(distance)",
            "This is the logarithmic decay of chapter 02. ALiBi's penalty is the distance itself.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None, None] * distance**2",
            "The distance is squared. ALiBi's penalty is a straight line.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None, None] * (distance > 0)",
            "All other tokens get the same penalty, however far they are. It grows with the distance.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "2 * slopes[:, None, None] * distance",
            "Every penalty is doubled: is the distance counted on both sides of the same pair?",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None, None] * distance / 2",
            "Every penalty is halved. The bias is added after the scaling and is not scaled itself.",
        ),
        Mistake(
            "content - slopes[:, None, None] * distance",
            "content",
            "These are the weights without any bias. (Or with one that is constant along a row, as m · i is: the softmax takes it away.)",
        ),
        Mistake(
            "content - slopes[:, None, None] * distance",
            "-slopes[:, None, None] * distance",
            "These are the weights of the bias alone: add the content.",
        ),
        Mistake(
            "softmax(content - slopes[:, None, None] * distance)",
            "content - slopes[:, None, None] * distance",
            "These are the scores. The weights are their softmax.",
        ),
        Mistake(
            "softmax(content - slopes[:, None, None] * distance)",
            "softmax(content) - slopes[:, None, None] * distance",
            "The penalty comes after the softmax. It belongs to the scores, before it.",
        ),
        Mistake(
            "softmax(content - slopes[:, None, None] * distance)",
            "softmax(content * slopes[:, None, None] * distance)",
            "The bias is multiplied with the content. It is subtracted.",
        ),
        Mistake(
            "abs(position - position[:, None])",
            "abs(position - position[:, None]) + np.eye(len(position))",
            "The token itself gets a penalty. Its distance is 0.",
        ),
        Mistake(
            "content - slopes[:, None, None] * distance",
            "content + slopes[:, None, None] * (position - distance)",
            "The old bias is still there, beside the new one. Replace it.",
        ),
        Mistake(
            "content - slopes",
            "content.swapaxes(-1, -2) - slopes",
            "The content is transposed: its rows belong to the queries. Leave it as it is.",
        ),
        Mistake(
            "content.shape[-1]",
            "content.shape[0]",
            "You count the heads. The tokens are the last axis of `content`.",
        ),
        Mistake(
            "content - slopes[:, None, None] * distance",
            "slopes[:, None, None] * distance",
            "The content is missing, and the distance is rewarded. It is content − slope · distance.",
        ),
        Mistake(
            "slopes[:, None, None] * distance",
            "slopes[:, None, None] ** 2 * distance",
            "The slopes are squared: are they multiplied in twice?",
        ),
    ],
    alternatives=[_expected, _from_both_sides, _row_constant],
    hints=[
        "Print the weights for equal content, `encoder_weights(np.zeros((1, 5, 5)), np.array([0.5]))`. What is odd about the rows?",
        "`position - position[:, None]` is j − i for every pair. Its size is the distance.",
        "Subtract `slopes[:, None, None] * distance` from the content, before the softmax.",
    ],
)
