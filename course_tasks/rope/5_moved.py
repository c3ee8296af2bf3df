"""Prediction: the text moves by 1,000 places · 8 minutes · ★★

Five tokens are at positions 0 to 4, and then the same five at 1000 to 1004. They attend only to each other,
under a causal mask unless the name says otherwise. For each of seven results, predict `"same"` or `"changes"` before
you run anything. Two of the seven contain a bug that this test does not show; the message after a right answer names
them.
"""

import numpy as np

from course_lib.example import K, Q, V
from course_lib.reference.alibi import alibi_bias, slopes
from course_lib.reference.attention import attention, causal_mask, softmax
from course_lib.reference.rope import rotate

from ..shared import one_of_two


def bfloat16(x):
    """Rounded to 8 significant bits."""
    mantissa, exponent = np.frexp(np.asarray(x, float))
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


def rotated(x, positions):
    return np.array([rotate(row[None], past=int(p))[0] for row, p in zip(x, positions)])


def results(past):
    """The seven results for five tokens that begin at position `past`."""
    p, mixed = past + np.arange(5), [0, 2, 1, 3]

    def with_rope(q, k, positions, v=V):
        return attention(rotated(q, positions), rotated(k, positions), v, mask=causal_mask(5))

    bias = alibi_bias(5, past + 5, n_heads=8, past=past)[0][:, past:]
    return {
        "weights, ALiBi": attention(Q, K, V, bias=bias, mask=causal_mask(5))[1],
        "weights, m · j without a mask": softmax(slopes(8)[0] * np.broadcast_to(p, (5, 5))),
        "weights, RoPE": with_rope(Q, K, p)[1],
        "a turned key in the cache": rotated(K, p),
        "output, values turned as well": with_rope(Q, K, p, rotated(V, p))[0],
        "weights, interleaved weights in half-split code": with_rope(Q[:, mixed], K[:, mixed], p)[1],
        "weights, RoPE with positions in bfloat16": with_rope(Q, K, bfloat16(p))[1],
    }


def answer():
    at_0, at_1000 = results(0), results(1000)
    return {name: "same" if np.allclose(at_0[name], at_1000[name], atol=1e-6) else "changes" for name in at_0}


ANSWER = answer()
WHY = [  # what a wrong answer overlooks, in the same order
    "Both i and j grow by 1000, so i − j stays the same, and ALiBi uses nothing else.",
    "Every score of a row grows by m · 1000, and the softmax removes what all scores of a row share. "
    "(A result that stays the same when the text moves does not prove that the scheme sees distances.)",
    "Query and key turn by the same additional angle, so the angle between them stays the same.",
    "A key is rotated by its position, so at a position 1,000 later it points in another direction. Only its products "
    "with queries stay the same.",
    "A value is multiplied with no other vector that turns along with it. So the average of the values turns when the "
    "text moves.",
    "The wrong channels turn together, but each pair still turns by p · θ. So the weights depend on distances alone, even "
    "though they are wrong.",
    "From 256 on, bfloat16 has no odd numbers, and near 1000 only every fourth number. So neighbours share a position "
    "there, but not near 0.",
]
WRONG = one_of_two("same", "changes", ANSWER, WHY)
HINTS = [
    "For each: does the position enter alone, or only as a difference of two?",
    "The softmax removes what is added to all scores of a row.",
    "bfloat16 has 8 significant bits. Which numbers between 1000 and 1004 can it hold?",
]
ON_PASS = (
    "Two bugs stay hidden. `m · j` without a mask does not depend on distances, and interleaved weights in "
    "half-split code rotate the wrong pairs. Moving the text changes neither."
)
