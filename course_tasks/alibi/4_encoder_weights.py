r"""Bug hunt: a decoder's bias in an encoder · 10 minutes · ★★

This code was taken from a decoder, where it is right. It adds $m \, j$, and the softmax takes away what
is missing to $-m \, (i - j)$. In an encoder, which has no mask, it makes every token look at the end of the text. Fix
it: an encoder needs a penalty for distance on both sides. (This is an extension of ALiBi. The paper has only decoders.)
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_kit.checking.pages import holds
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import softmax

from ..shared import KEY, QUERY, SCORES


def encoder_weights(content, slopes):
    """Attention weights of an encoder with ALiBi, which looks both ways: (heads, n, n).

    content (heads, n, n) holds the scaled scores, slopes (heads,) one slope for each head.
    """
    # The penalty is subtracted from it, before the softmax. The distance of a pair is the size of key position minus
    # query position.
    position = np.arange(content.shape[-1])
    # The penalty is linear in it, and it is the same before and after the query.
    distance = abs(position - position[:, None])
    # The penalty is the slope of the head times the distance. The penalty is subtracted from the content, before the
    # softmax, and is not scaled.
    return softmax(content - slopes[:, None, None] * distance)


def expected(content, slopes):
    """Weights ∝ e^content · e^(−m |i − j|), with loops."""
    heads, n = np.shape(content)[:2]
    w = np.zeros((heads, n, n))
    for h in range(heads):
        for i in range(n):
            for j in range(n):
                w[h, i, j] = content[h][i][j] - slopes[h] * abs(j - i)
    e = np.exp(w - w.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _rows_sum_to_one(result, *_):
    return np.allclose(np.asarray(result).sum(axis=-1), 1, atol=1e-5)


def _twelve(seed, n):
    return np.random.default_rng(seed).normal(size=(12, n, n)).round(2), slopes(12)


def _axes(heads, query=QUERY, key=KEY):
    """The axes of a result, with the heads counted from 1 as in the paper."""
    return Axis("head", [str(h + 1) for h in range(heads)]), query, key


BUG = "return softmax(content + slopes[:, None, None] * position)"


CASES = [
    Case(SCORES[None], np.array([0.5]), label="the five tokens, m = 1/2", axes=_axes(1)),
    Case(np.stack([SCORES] * 4), slopes(4), label="the five tokens, four heads", axes=_axes(4)),
    Case(np.zeros((1, 5, 5)), np.array([1.0]), label="the five tokens with equal content, m = 1", axes=_axes(1)),
    Case(np.zeros((2, 1, 1)), slopes(2), label="one token alone", axes=_axes(2, "query", "key")),
    Case(*_twelve(0, 6), label="twelve heads, 6 tokens", axes=_axes(12, "query", "key")),
    Case(*_twelve(1, 12), label="twelve heads, 12 tokens", axes=_axes(12, "query", "key")),
]


def draw(rng):
    return (
        rng.normal(size=(heads := int(rng.integers(1, 6)), n := int(rng.integers(3, 8)), n)),
        rng.uniform(0.05, 1, size=heads),
    )


ALWAYS = [
    holds("The weights of one query must sum to 1 over the keys.", _rows_sum_to_one),
]


WRONG = """
distance = position[:, None] - position  # These are still the weights of m · j, because −m (i − j) differs from it
# only by a constant in each row. Without a mask, a key after the query gets a reward. Take the distance.
distance = position - position[:, None]  # Now every token looks at the beginning of the text, because −m (j − i) is −m
# · j up to a constant in each row. Take the distance, without a sign.
return softmax(content + slopes[:, None, None] * distance)  # You reward distance, so the farthest key gains most.
# Subtract the penalty.
distance = np.maximum(position[:, None] - position, 0)  # Keys after the query get no penalty. In an encoder the
# distance counts on both sides.
distance = np.maximum(position - position[:, None], 0)  # Keys before the query get no penalty. In an encoder the
# distance counts on both sides.
return softmax(content - slopes[0] * distance)  # All heads have the slope of the first. Each has its own, `slopes[:,
# None, None]`.
return softmax(content - slopes.mean() * distance)  # All heads have the mean slope. Each has its own, `slopes[:, None,
# None]`.
return softmax(content - slopes[:, None] * distance)  # `slopes[:, None]` is (heads, 1), so the heads meet the queries.
# Add one more axis at the end, `slopes[:, None, None]`.
return softmax(content - slopes * distance)  # `slopes` is (heads,), so the heads meet the keys. Add two axes at the
# end, `slopes[:, None, None]`.
return softmax(content - slopes[None, None, :] * distance)  # `slopes[None, None, :]` puts the heads last, where the
# keys are. They come first, `slopes[:, None, None]`.
return softmax(content - slopes[None, :, None] * distance)  # `slopes[None, :, None]` puts the heads where the queries
# are. They come first, `slopes[:, None, None]`.
return softmax(content - slopes[:, None, None] * np.log1p(distance))  # This is the logarithmic decay of *A bias by
# hand*. ALiBi's penalty is the distance itself.
return softmax(content - slopes[:, None, None] * distance ** 2)  # You squared the distance. ALiBi's penalty is linear,
# so it grows by the same amount with every step.
return softmax(content - slopes[:, None, None] * (distance > 0))  # All other tokens get the same penalty, however far
# they are. It grows with the distance.
return softmax(content - slopes[:, None, None] * distance / 2)  # Every penalty is half of what it should be. The bias
# is added after the scaling and is not scaled itself.
return softmax(content - slopes[:, None, None] * np.where(position > position[:, None], np.inf, distance))
# You hide the keys after the query. An encoder looks both ways, so leave out the mask.
return softmax(content - distance)  # The slopes are missing, so every head has the slope 1.
return softmax(content)  # These are the weights without any bias, or with a bias that is constant along a row, as m ·
# i is. The softmax takes such a constant away.
return softmax(content) - slopes[:, None, None] * distance  # You subtract the penalty after the softmax. It belongs to
# the scores, before the softmax.
return softmax(content * slopes[:, None, None] * distance)  # You multiply the content by the bias. Subtract the
# penalty instead.
distance = abs(position - position[:, None]) + np.eye(len(position))  # You give the token itself a penalty. Its
# distance is 0.
return softmax(content + slopes[:, None, None] * (position - distance))  # The old bias is still there beside the new
# one. Replace it.
return softmax(content.swapaxes(-1, -2) - slopes[:, None, None] * distance)  # You transposed the content. Leave it as
# it is, because its rows belong to the queries.
position = np.arange(content.shape[0])  # You count the heads. The tokens are the last axis of `content`.
return softmax(slopes[:, None, None] * distance)  # The content is missing, and you reward distance. It is content −
# slope · distance.
"""


HINTS = [
    "Print the weights for equal content, `encoder_weights(np.zeros((1, 5, 5)), np.array([0.5]))`. What is odd "
    "about the rows?",
    "`position - position[:, None]` is j − i for every pair. Its size is the distance.",
    "Subtract `slopes[:, None, None] * distance` from the content, before the softmax.",
]


def wrong_program_16(content, slopes):
    """Each of your heads looks only one way, the first half of them back and the others ahead. In an encoder every
    head looks both ways, so leave out the masks. The distance is then the same on both sides."""
    position = np.arange(content.shape[-1])
    ahead = np.arange(len(slopes))[:, None, None] >= len(slopes) // 2
    distance = abs(position - position[:, None])
    return softmax(
        -1e9 * ((position - position[:, None]) * np.where(ahead, -1, 1) > 0)
        + content
        - slopes[:, None, None] * distance
    )


def right_from_both_sides(content, slopes):
    """Right as well: two one-sided penalties."""
    i = np.arange(content.shape[-1])
    before, after = np.maximum(i[:, None] - i, 0), np.maximum(i - i[:, None], 0)
    return softmax(content - slopes.reshape(-1, 1, 1) * (before + after))


def right_row_constant(content, slopes):
    """Right as well: a constant along each row changes no weight."""
    i = np.arange(content.shape[-1])
    return softmax(content + 7.0 * i[:, None] - slopes[:, None, None] * abs(i - i[:, None]))
