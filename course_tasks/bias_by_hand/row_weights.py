"""How strong is the bias?"""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias

from ..shared import KEY, SCORES, normal
from .common import SOFTMAX

SCALES, LAMBDAS = np.array([0.1, 0.5, 1.0]), Axis("λ", ("0.1", "0.5", "1.0"))


def _row_weights(scores, i, scales):
    """Weights of query i for several bias scales: scores (n,), scales (m,), result (m, n), one row per λ."""
    distance = abs(np.arange(len(scores)) - i)
    s = scores - np.outer(scales, np.log1p(distance))
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _softmax_for_each(scores, i, scales):
    return [softmax(scores + decay_bias(len(scores), scale=x)[i]) for x in scales]


def _draw(rng):
    n = int(rng.integers(2, 8))
    return normal(rng, n), int(rng.integers(0, n)), rng.uniform(0, 3, size=int(rng.integers(1, 5)))


row_weights = CodingTask(
    title="How strong is the bias?",
    minutes=8,
    difficulty=2,
    words=r"""Recompute the weights of one query for several $\lambda$ at once. `scores` are its scaled scores, $i$ is
its position, and `scales` is an array with the values of $\lambda$. Then try it:
`row_weights((Q @ K.T / 2)[0], 0, np.array([0.1, 0.5, 1.0]))` is the row *The*. As $\lambda$ grows, its attention moves
from *mat* and *on* to *cat* and to *The* itself.""",
    solution=_row_weights,
    expected=_softmax_for_each,
    cases=[
        Case(SCORES[0], 0, SCALES, label='query "The"', axes=(LAMBDAS, KEY)),
        Case(SCORES[2], 2, SCALES, label='query "sat"', axes=(LAMBDAS, KEY)),
        Case(
            *(SCORES[4], 4, np.array([0.0, 3.0])),
            label='query "mat", no bias and a strong one',
            axes=(Axis("λ", ("0", "3")), KEY),
        ),
        Case(np.zeros(1), 0, np.ones(1), label="one token alone", axes=("λ", "key")),
    ],
    draw=_draw,
    pieces="""
i
    the position of the query: Distances are counted from the query, |j − i|.
np.log1p(distance)
    the logarithm: The bias is −λ · log(1 + d), where d is the distance.
abs(np.arange(len(scores)) - i)
    the absolute value: The distance is |j − i|, so it is never negative.
np.arange(len(scores))
    the list of key positions: The keys are at 0, 1, 2, …, and each has its own distance.
np.outer(scales, np.log1p(distance))
    the penalty: It is λ · log(1 + d), and it is subtracted from the scores.
len(scores)
    the number of keys: It is `len(scores)`, and the keys are at 0, 1, 2, …
scores
    the content part of the score: The penalty is subtracted from it.
"""
    + SOFTMAX,
    slips="""
np.log1p(distance) → np.log(distance)
    You take the logarithm of the distance, and the token itself is at distance 0. Add 1 first: log(1 + distance).
np.log1p(distance) → np.log(np.maximum(distance, 1))
    You take the logarithm of the distance, so one step costs nothing. Add 1 first: log(1 + distance).
np.log1p(distance) → abs(np.log1p(np.arange(len(scores)) - i))
    You take the absolute value after the logarithm. Keys before the query have negative offsets, and log(1 + offset) is
    −∞ or nan there. Take |j − i| first.
abs(np.arange(len(scores)) - i) → np.maximum(i - np.arange(len(scores)), 0)
    Keys after the query have no penalty in your result. The distance |j − i| counts in both directions.
abs(np.arange(len(scores)) - i) → np.maximum(np.arange(len(scores)) - i, 0)
    Keys before the query have no penalty in your result. The distance |j − i| counts in both directions.
np.outer(scales, np.log1p(distance)) → np.log1p(np.outer(scales, distance))
    You put λ inside the logarithm. It multiplies the logarithm from outside.
np.outer(scales, → np.outer(np.full(len(scales), 0.3),
    You use λ = 0.3 in every row. Row k has the λ of `scales[k]`.
e.sum(axis=-1, keepdims=True) → e.sum(axis=0, keepdims=True)
    Your sum runs over the values of λ. Each λ has a softmax of its own, over the keys, the last axis.
s.max(axis=-1, keepdims=True) → s.max()
e.sum(axis=-1, keepdims=True) → e.sum(axis=-1)
    The sum of each row has lost its axis, so its shape (m,) is lined up with the keys of e, (m, n). With
    `keepdims=True` it is (m, 1), and each sum stays with its row.
s = scores - → s = scores / 2 -
    You divide by √d_k = 2 again. `scores` are already scaled.
s = scores - → s = scores / np.sqrt(len(scores)) -
    You divide by √(number of keys), but `scores` are already scaled. Take them as they are.
""",
    alternatives=[_softmax_for_each],
    hints=[
        "Write it for one λ first: scores minus λ times log(1 + |j − i|), then softmax.",
        "For several λ, a loop and a list of rows is fine. `np.outer(scales, penalty)` makes all rows at once.",
    ],
)
