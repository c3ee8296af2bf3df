"""Linear or logarithmic?"""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import LAMBDA
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias

from ..shared import SCORES, normal


def _far_share(scores, scale, decay, at_least):
    """Mean share of the attention that goes to keys at distance `at_least` or more; decay is "log" or "linear"."""
    position = np.arange(len(scores))
    distance = abs(position - position[:, None])
    penalty = np.log1p(distance) if decay == "log" else distance
    e = np.exp(scores - scale * penalty)
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights * (distance >= at_least)).sum() / len(scores)


def _far_share_expected(scores, scale, decay, at_least):
    weights = softmax(scores + decay_bias(len(scores), scale=scale, decay=decay))
    distance = abs(np.subtract.outer(np.arange(len(scores)), np.arange(len(scores))))
    return np.where(distance >= at_least, weights, 0).sum(axis=-1).mean()


def _draw(rng):
    n = int(rng.integers(2, 9))
    return normal(rng, n, n), float(rng.uniform(0, 2)), str(rng.choice(["log", "linear"])), int(rng.integers(0, n))


far_share = CodingTask(
    title="Linear or logarithmic?",
    minutes=10,
    difficulty=2,
    words=r"""Which decay is harsher? Measure it. For each query, add the weights of the keys whose distance is
`at_least` or more, then take the mean over the queries. `scores` are scaled, square and without a bias. The bias is
$-\lambda\log(1+d)$ or $-\lambda d$, with the distance $d = |j - i|$ of each pair. Afterwards compare
`far_share(Q @ K.T / 2, 0.3, "log", 3)` with `"linear"` and with $\lambda = 0$.""",
    solution=_far_share,
    expected=_far_share_expected,
    cases=[
        Case(SCORES, LAMBDA, "log", 3, label="the five tokens, log, 3 or more"),
        Case(SCORES, LAMBDA, "linear", 3, label="the five tokens, linear, 3 or more"),
        Case(SCORES, 0.0, "log", 3, label="the five tokens without bias, 3 or more"),
        Case(SCORES, LAMBDA, "linear", 0, label="all distances: everything"),
        Case(np.zeros((64, 64)), LAMBDA, "log", 16, label="64 tokens with equal content, log, 16 or more"),
    ],
    draw=_draw,
    pieces="""
np.arange(len(scores))
    the list of positions: Queries and keys are at 0, 1, …, n − 1.
len(scores)
    the number of tokens n: Positions run from 0 to n − 1, and the total of the n queries is divided by n.
np.log1p(distance)
    the logarithm: With "log" the bias is −λ · log(1 + d), where d is the distance.
np.log1p(distance) if decay == "log" else distance
    the choice of the decay: `decay` is "log" for log(1 + d), or "linear" for d itself.
scale * penalty
    the penalty: It is λ · log(1 + d) or λ · d, and it is subtracted from the scores.
scale
    the scale: The bias is −λ times the penalty, and `scale` is λ.
penalty
    the penalty: It is multiplied by λ, and the product is subtracted from the scores.
scores - scale * penalty
    the biased score: It is the score minus the penalty, and the softmax takes it as it is.
np.exp(scores - scale * penalty)
    the exponential: The softmax takes e^x of each score and divides it by the sum of its row.
weights
    the weight of each key: Far keys count with their weight, and near keys do not count.
distance >= at_least
    the choice of the far keys: Far keys count with their weight, and near keys do not count.
(weights * (distance >= at_least)).sum()
    the total: It adds up the weights of the far keys of all queries.
keepdims=True
    `keepdims`: With `keepdims=True` the sum of a row keeps its axis, so it stays with its row.
e.sum(axis=-1, keepdims=True)
    the sum over the keys: Each row is divided by its own sum, once, so its weights are shares and sum to 1.
position[:, None]
    the position of the query: Each query counts distances from itself, |j − i|.
position
    the position of the key: Each query counts distances from itself, |j − i|.
abs(position - position[:, None])
    the absolute value: The distance is |j − i|, so it is never negative.
""",
    slips="""
np.log1p(distance) if → np.log(np.maximum(distance, 1)) if
    You take the logarithm of the distance, so one step costs nothing. Add 1 first: log(1 + d).
scores - scale * penalty → scores
    Your bias has no effect. A penalty that is the same for all keys changes nothing. It should grow with the distance
    |j − i| of each pair. (`at_least` only says which keys are counted.)
np.exp(scores - → np.exp(scores / 2 -
    You divide by √d_k = 2 again. `scores` are already scaled.
np.exp(scores - → np.exp(scores / np.sqrt(len(scores)) -
    You divide by √(number of keys), but `scores` are already scaled. Take them as they are.
e.sum(axis=-1, keepdims=True) → e.sum(axis=0, keepdims=True)
    Your softmax runs over the queries. Each query shares its attention among the keys, so it runs over the last axis.
distance >= at_least → distance > at_least
    You leave out the keys at a distance of exactly `at_least`. They count as well.
distance >= at_least → distance <= at_least
    You count the near keys. Count the far ones, at distance `at_least` or more.
distance >= at_least → distance < at_least
    You count the near keys, so your result is 1 minus the right one.
distance >= at_least → position - position[:, None] >= at_least
    You count only the keys after the query. Distance counts in both directions, |j − i|.
distance >= at_least → position[:, None] - position >= at_least
    You count only the keys before the query. Distance counts in both directions, |j − i|.
.sum() / len(scores) → .mean()
    You take the mean over all pairs. Add up the keys of each query, then average over the queries: divide by n, not n².
(weights * (distance >= at_least)).sum() / len(scores) → weights[distance >= at_least].mean()
    You take the mean over the far pairs. Add up the far keys of each query, then average over the queries.
.sum() / len(scores) → .sum()
    This is the total over all queries. Divide it by the number of queries.
.sum() / len(scores) → .sum() / (distance >= at_least).any(axis=-1).sum()
    You leave out the queries that have no far key. Their share is 0, and it counts in the mean.
""",
    alternatives=[_far_share_expected],
    hints=[
        "`distance >= at_least` is a matrix of True and False. Multiplied by the weights, it keeps the far ones.",
        "Sum along the keys (`axis=-1`), then take the mean over the queries.",
    ],
)
