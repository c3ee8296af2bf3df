r"""Bug hunt: a decoder's bias in an encoder · 10 minutes · ★★ · first

This code was taken from a decoder, where it is right. It adds $m \, j$, and the softmax takes away what
is missing to $-m \, (i - j)$. In an encoder, which has no mask, it makes every token look at the end of the text. Fix
it: an encoder needs a penalty for distance on both sides. (This is an extension of ALiBi. The paper has only decoders.)
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.reference.alibi import slopes
from course_lib.reference.attention import softmax

from ...shared import KEY, QUERY, SCORES, bfloat16  # noqa: F401 (wrong lines use bfloat16)


def encoder_weights(content, slopes):
    """Attention weights of an encoder with ALiBi, which looks both ways: (heads, n, n).

    content (heads, n, n) holds the scaled scores, slopes (heads,) one slope for each head.
    """
    position = np.arange(content.shape[-1])  # There is a position for each token, and the tokens are the last axis.
    offset = position - position[:, None]  # The offset of a pair is the position of the key minus that of the query.
    distance = abs(offset)  # The distance is the size of the offset, the same before and after the query.
    m = slopes[:, None, None]  # Each head has its own slope, and the heads are the first axis.
    penalty = m * distance  # The penalty is the slope times the distance, linear in it and not scaled.
    return softmax(content - penalty)  # The penalty is subtracted from the scaled scores, before the softmax.


def given(content, slopes):
    position = np.arange(content.shape[-1])
    return softmax(content + slopes[:, None, None] * position)


def expected(content, slopes):
    n = content.shape[-1]
    distance = [[abs(j - i) for j in range(n)] for i in range(n)]
    return softmax(content - np.multiply.outer(slopes, distance))


def draw(rng):
    heads, n = rng.integers((1, 3), (6, 8))
    return rng.normal(size=(heads, n, n)), rng.uniform(0.05, 1, size=heads)


def axes(heads, query=QUERY, key=KEY):
    """The axes of a result, with the heads counted from 1 as in the paper."""
    return Axis("head", [str(h + 1) for h in range(heads)]), query, key


TWELVE = np.random.default_rng(0).normal(size=(12, 6, 6)).round(2)
CASES = [
    Case(SCORES[None], np.array([0.5]), label="the five tokens, m = 1/2", axes=axes(1)),
    Case(np.stack([SCORES] * 4), slopes(4), label="the five tokens, four heads", axes=axes(4)),
    Case(np.zeros((1, 5, 5)), np.array([1.0]), label="the five tokens with equal content, m = 1", axes=axes(1)),
    Case(np.zeros((2, 1, 1)), slopes(2), label="one token alone", axes=axes(2, "query", "key")),
    Case(np.tile(TWELVE, (2, 2)), slopes(12), label="twelve heads, 12 tokens", axes=axes(12, "query", "key")),
    Case(1000 + SCORES[None], np.array([0.5]), label="large scores"),
    Case(np.zeros((1, 300, 300)), np.array([0.02]), label="300 tokens with equal content"),
]
WRONG = """
distance = -offset  # These are still the weights of m · j: without a mask a later key gets a reward. Take the distance.
distance = offset  # Now every token looks at the beginning of the text. Take the distance, without a sign.
return np.exp(content - penalty) / np.exp(content - penalty).sum(axis=-1, keepdims=True)  # e^x overflowed. Subtract the
# largest score of each row first, which leaves the weights the same.
distance = bfloat16(abs(offset))  # Your distances are in bfloat16, which has eight bits. Beyond 256 it rounds them.
distance = np.maximum(-offset, 0)  # Keys after the query get no penalty. Here the distance counts on both sides.
distance = np.maximum(offset, 0)  # Keys before the query get no penalty. Here the distance counts on both sides.
distance = abs(offset) + np.eye(len(position))  # Here a neighbour is as cheap as the token itself. Its distance is 1.
distance = (offset != 0)  # All other tokens get the same penalty, however far they are. It grows with the distance.
distance = offset**2  # You squared the distance. ALiBi's penalty grows by the same amount with every step.
distance = np.log1p(abs(offset))  # This is the logarithmic decay of *A bias by hand*. ALiBi takes the distance itself.
distance = np.where(offset > 0, np.inf, -offset)  # You hide the keys after the query. An encoder looks both ways.
distance = np.where([offset > 0 if 2 * h < len(slopes) else offset < 0 for h in range(len(slopes))], 1e9, abs(offset))
# Half of your heads look to the left only, the others to the right only. Here every head looks both ways.
m = slopes[0]
m = slopes.mean()  # All heads have the same slope. Each has its own, `slopes[:, None, None]`.
m = slopes[:, None]
m = slopes[None, :, None]  # The heads of your slopes meet the queries. They come first, `slopes[:, None, None]`.
m = slopes
m = slopes[None, None, :]  # The heads of your slopes meet the keys. They come first, `slopes[:, None, None]`.
penalty = m * distance / 2  # Every penalty is half of what it should be. The bias is not scaled.
return softmax(content + penalty)  # You reward distance, so the farthest key gains most. Subtract the penalty.
return softmax((content - penalty) / np.sqrt(len(position)))  # You divide the scores. The content is scaled already.
return softmax(content)  # These are the weights without a bias, or with one that is constant along a row, as m · i is.
return softmax(content) - penalty  # You subtract the penalty after the softmax. It belongs to the scores, before it.
return softmax(content + m * position - penalty)  # Here earlier keys cost double and later ones nothing. Is
# the old bias still there beside the new one? Replace it.
return softmax(content.swapaxes(-1, -2) - penalty)  # You transposed the content. Its rows belong to the queries.
"""
HINTS = [
    "Print the weights for equal content, `encoder_weights(np.zeros((1, 5, 5)), np.array([0.5]))`. What is odd "
    "about the rows?",
    "`position - position[:, None]` is j − i for every pair. Its size is the distance.",
    "Subtract `slopes[:, None, None] * distance` from the content, before the softmax.",
]
