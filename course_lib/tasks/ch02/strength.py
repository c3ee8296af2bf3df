"""How strong the bias is: λ, linear against logarithmic, and what becomes of a neighbour."""

import math

import numpy as np

from ...example import LAMBDA
from ...reference.attention import softmax
from ...reference.bias import decay_bias
from ..engine import Answer, Axis, Case, Mistake, Task
from .common import KEY, SCORES, normal


def _row_weights(scores, i, scales):
    """Weights of query i for several bias scales: scores (n,), scales (m,), result (m, n), one row per λ."""
    distance = abs(np.arange(len(scores)) - i)
    s = scores - np.outer(scales, np.log1p(distance))
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


_SCALES = np.array([0.1, 0.5, 1.0])

row_weights = Task(
    title="How strong is the bias?",
    minutes=8,
    difficulty=2,
    words=r"""Recompute the weights of one query for several $\lambda$ at once. `scores` are its scaled scores, $i$ its
position, `scales` an array with the values of $\lambda$. Then try it:
`row_weights((Q @ K.T / 2)[0], 0, np.array([0.1, 0.5, 1.0]))` is the row *The*: as $\lambda$ grows, its attention leaves
*mat* and *on* for *cat* and for itself.""",
    solution=_row_weights,
    expected=lambda scores, i, scales: [softmax(scores + decay_bias(len(scores), scale=x)[i]) for x in scales],
    cases=[
        Case(SCORES[0], 0, _SCALES, says='query "The"', axes=(Axis("λ", ("0.1", "0.5", "1.0")), KEY)),
        Case(SCORES[2], 2, _SCALES, says='query "sat"', axes=(Axis("λ", ("0.1", "0.5", "1.0")), KEY)),
        Case(
            SCORES[4],
            4,
            np.array([0.0, 3.0]),
            says='query "mat", no bias and a strong one',
            axes=(Axis("λ", ("0", "3")), KEY),
        ),
        Case(np.zeros(1), 0, np.ones(1), says="one token alone", axes=("λ", "key")),
    ],
    draw=lambda rng: (
        normal(rng, n := int(rng.integers(2, 8))),
        int(rng.integers(0, n)),
        rng.uniform(0, 3, size=int(rng.integers(1, 5))),
    ),
    mistakes=[
        Mistake("scores - np.outer", "scores + np.outer", "Distance is rewarded: the penalty must be subtracted."),
        Mistake(
            "abs(np.arange(len(scores)) - i)",
            "np.arange(len(scores))",
            "You count distances from the first token. Count them from the query: |j − i|.",
        ),
        Mistake(
            "np.log1p(distance)", "distance", "This is the linear decay. The course's bias takes log(1 + distance)."
        ),
        Mistake(
            "np.log1p(distance)",
            "np.log(np.maximum(distance, 1))",
            "You take the logarithm of the distance itself, which makes one step as cheap as none. It is log(1 + distance).",
        ),
        Mistake(
            "np.outer(scales, np.log1p(distance))",
            "np.log1p(np.outer(scales, distance))",
            "λ has moved into the logarithm. It multiplies the logarithm from outside.",
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum(axis=0, keepdims=True)",
            "Each key is shared among the λ. Each λ is a softmax of its own: normalise along the keys, the last axis.",
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e / e.sum()",
            "All rows together sum to 1. Each λ must sum to 1 by itself: `axis=-1, keepdims=True`.",
        ),
        Mistake(
            "s - s.max(axis=-1, keepdims=True)",
            "s - s.max(axis=0)",
            "You subtract the largest score of each key. That changes the weights; the largest of each λ's row does not.",
        ),
        Mistake("e / e.sum(axis=-1, keepdims=True)", "s", "These are scores, not weights: the softmax is missing."),
        Mistake(
            "np.outer(scales,",
            "np.outer(np.full(len(scales), 0.3),",
            "λ is fixed at 0.3 in every row. Row k has the λ of `scales[k]`.",
        ),
        Mistake("s = scores -", "s = scores / 2 -", "You divide by 2 = √d_k once more: `scores` are scaled already."),
        Mistake(
            "s = scores -",
            "s = scores / np.sqrt(len(scores)) -",
            "You scale by √(number of keys), but `scores` are scaled already: take them as they are.",
        ),
    ],
    alternatives=[
        lambda scores, i, scales: [softmax(scores + decay_bias(len(scores), scale=x)[i]) for x in scales],
    ],
    hints=[
        "Write it for one λ first: scores minus λ times log(1 + |j − i|), then softmax.",
        "For several λ, a loop and a list of rows is fine. `np.outer(scales, penalty)` makes all rows at once.",
    ],
)


def _largest(row, i):
    """The λ from which token i has the largest weight of its row."""
    return max((row[j] - row[i]) / math.log1p(abs(j - i)) for j in range(len(row)) if j != i)


def _majority(row, i):
    """The λ from which token i has more than half of its row, by bisection on the reference."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        own = softmax(row + decay_bias(len(row), scale=middle)[i])[i]
        low, high = (middle, high) if own < 0.5 else (low, middle)
    return high


self_dominates = Answer(
    "self_dominates",
    title="From where on does a token look at itself most?",
    minutes=10,
    difficulty=3,
    words=r"""*Most* can mean two things. For the query *The*: from which $\lambda$ on is its **own** weight the largest
of the row, and from which $\lambda$ on is it more than half? A pencil finds the first (two scores, one logarithm). For
the second, try values with the function of the task before, or halve an interval. Three decimals are enough.""",
    expected=lambda: {"largest": _largest(SCORES[0], 0), "more than half": _majority(SCORES[0], 0)},
    digits=3,
    mistakes=[
        Mistake(
            {"largest": _majority(SCORES[0], 0), "more than half": _largest(SCORES[0], 0)},
            "The two answers have changed places: it is the largest first, and more than half later.",
        ),
        Mistake(
            {"largest": math.log(2)},
            "This is log 2 itself. The two are equal when λ · log 2 makes up the lead of 1.0: divide by log 2.",
        ),
        Mistake(
            {"largest": 1 / math.log10(2)},
            "You took the logarithm to base 10. The course's `log` is the natural one, `np.log` or `math.log`.",
        ),
        Mistake(
            {"largest": _largest(SCORES[1], 1)},
            'This is the value for the query "cat", whose rival is "The". For "The" the rival is "cat".',
        ),
        Mistake(
            {"largest": 1 / math.log(3)},
            "You divided by log 3. The rival is one step away: its penalty is λ·log(1 + 1).",
        ),
        Mistake(
            {"largest": 1.0},
            '"cat" is ahead by 1.0, and its penalty is λ·log 2. With 1.0 the logarithm is left out, or it is to base 2; '
            "the course's `log` is the natural one.",
        ),
        Mistake(
            {"largest": 0.5 / math.log(3)},
            'This is where "The" overtakes "sat". The last rival to be overtaken is "cat".',
        ),
        Mistake(
            {"largest": 0.5 / math.log(4)},
            'This is where "The" overtakes "on". The last rival to be overtaken is "cat".',
        ),
        Mistake({"largest": 2 / math.log(2)}, 'You took the raw scores. Scaled, "cat" is ahead by 1.0, not 2.0.'),
        Mistake(
            {"largest": 0.75 / math.log(5)},
            'This is where "The" overtakes "mat". The last rival to be overtaken is "cat".',
        ),
        Mistake(
            {"more than half": _largest(SCORES[0], 0)},
            "This is where it becomes the largest. There it still has only about a third.",
        ),
        Mistake({"more than half": _majority(SCORES[1], 1)}, 'This is the value for the query "cat".'),
    ],
    hints=[
        'Own score 0, no penalty. "cat" has the scaled score 1 and the penalty λ·log 2. When are the two equal?',
        "More than half: all others together have less than one half. `row_weights` for λ between 1 and 3, then closer.",
    ],
)


def _far_share(scores, scale, decay, at_least):
    """Mean share of the attention that goes to keys at distance `at_least` or more; decay is "log" or "linear"."""
    position = np.arange(len(scores))
    distance = abs(position - position[:, None])
    penalty = np.log1p(distance) if decay == "log" else distance
    e = np.exp(scores - scale * penalty)
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights * (distance >= at_least)).sum() / len(scores)


def _mean_of_far_cells(scores, scale, decay, at_least):
    distance = abs(np.subtract.outer(np.arange(len(scores)), np.arange(len(scores))))
    weights = softmax(scores + decay_bias(len(scores), scale=scale, decay=decay))
    return weights[distance >= at_least].mean()


def _far_share_expected(scores, scale, decay, at_least):
    weights = softmax(scores + decay_bias(len(scores), scale=scale, decay=decay))
    distance = abs(np.subtract.outer(np.arange(len(scores)), np.arange(len(scores))))
    return np.where(distance >= at_least, weights, 0).sum(axis=-1).mean()


def _logarithm_of_the_distance(scores, scale, decay, at_least):
    distance = abs(np.subtract.outer(np.arange(len(scores)), np.arange(len(scores))))
    penalty = np.log(np.maximum(distance, 1)) if decay == "log" else distance
    return (softmax(scores - scale * penalty) * (distance >= at_least)).sum() / len(scores)


far_share = Task(
    title="Linear or logarithmic?",
    minutes=10,
    difficulty=2,
    words=r"""Measure which decay is harsher. For all queries, add the weights of the keys whose distance is `at_least` or
more, then take the mean over the queries. `scores` are scaled, square, without bias; the bias is
$-\lambda\log(1+d)$ or $-\lambda d$, with the distance $d = |j - i|$ of each pair. Afterwards compare
`far_share(Q @ K.T / 2, 0.3, "log", 3)` with `"linear"` and with $\lambda = 0$.""",
    solution=_far_share,
    expected=_far_share_expected,
    cases=[
        Case(SCORES, LAMBDA, "log", 3, says="the five tokens, log, 3 or more"),
        Case(SCORES, LAMBDA, "linear", 3, says="the five tokens, linear, 3 or more"),
        Case(SCORES, 0.0, "log", 3, says="the five tokens without bias, 3 or more"),
        Case(SCORES, LAMBDA, "linear", 0, says="all distances: everything"),
        Case(np.zeros((64, 64)), LAMBDA, "log", 16, says="64 tokens with equal content, log, 16 or more"),
    ],
    draw=lambda rng: (
        normal(rng, n := int(rng.integers(2, 9)), n),
        float(rng.uniform(0, 2)),
        str(rng.choice(["log", "linear"])),
        int(rng.integers(0, n)),
    ),
    mistakes=[
        Mistake(
            "distance >= at_least",
            "distance > at_least",
            "Keys at a distance of exactly `at_least` count as well: `>=`.",
        ),
        Mistake(
            "distance >= at_least",
            "distance <= at_least",
            "This is the share of the near keys. Count the far ones: distance `at_least` or more.",
        ),
        Mistake(
            "distance >= at_least",
            "distance < at_least",
            "This is 1 minus the right answer: you took the near keys.",
        ),
        Mistake(
            "distance >= at_least",
            "position - position[:, None] >= at_least",
            "You count only keys after the query. Distance counts in both directions: |j − i|.",
        ),
        Mistake(
            "distance >= at_least",
            "position[:, None] - position >= at_least",
            "You count only keys before the query. Distance counts in both directions: |j − i|.",
        ),
        Mistake(
            _logarithm_of_the_distance,
            "You take the logarithm of the distance itself, which makes one step as cheap as none. It is log(1 + d).",
        ),
        Mistake(
            _mean_of_far_cells,
            "You average over the far cells. Add up the far keys of each query, then average over the queries: divide by n.",
        ),
        Mistake(
            "scores - scale * penalty",
            "scores + 0 * scale * penalty",
            "The bias comes to nothing. Does it use `at_least`? That only says which keys are counted; the penalty takes the distance |j − i| of each pair.",
        ),
        Mistake(" / len(scores)", " * 100 / len(scores)", "A share is asked for, not percent: it is at most 1."),
        Mistake(
            "np.exp(scores -", "np.exp(scores / 2 -", "You divide by 2 = √d_k once more: `scores` are scaled already."
        ),
        Mistake(
            "np.exp(scores -",
            "np.exp(scores / np.sqrt(len(scores)) -",
            "You scale by √(number of keys), but `scores` are scaled already: take them as they are.",
        ),
        Mistake(
            ".sum() / len(scores)",
            ".mean()",
            "You average over all cells. Add up the keys of a query, then average over the queries: divide by n, not n².",
        ),
        Mistake(" / len(scores)", "", "This is the total over all queries. Divide by how many there are."),
        Mistake('decay == "log"', 'decay != "log"', "The two decays are swapped."),
        Mistake(
            "scores - scale * penalty",
            "scores + scale * penalty",
            "Distance is rewarded: the penalty must be subtracted.",
        ),
        Mistake(
            "e.sum(axis=-1, keepdims=True)",
            "e.sum(axis=0, keepdims=True)",
            "The softmax runs over the queries: normalise along the keys, the last axis.",
        ),
        Mistake(
            'np.log1p(distance) if decay == "log" else distance',
            "np.log1p(distance)",
            "`decay` has no effect: the bias is logarithmic for both.",
        ),
        Mistake(
            'np.log1p(distance) if decay == "log" else distance',
            "distance",
            "`decay` has no effect: the bias is linear for both.",
        ),
        Mistake(
            "abs(position - position[:, None])",
            "(position - position[:, None])",
            "The absolute value is missing: keys before the query get a negative distance. It is |j − i|.",
        ),
        Mistake(
            "e / e.sum(axis=-1, keepdims=True)",
            "e",
            "These are no shares yet: divide the weights of each query by their sum, so that a row sums to 1.",
        ),
        Mistake(
            "e.sum(axis=-1, keepdims=True)",
            "e.sum(axis=-1)",
            "The sums of the rows have lost their axis, so that NumPy lays them along the keys: `keepdims=True` keeps it.",
        ),
        Mistake(
            "position - position[:, None]",
            "position",
            "You count distances from the first token. Each query counts from itself: |j − i|.",
        ),
    ],
    alternatives=[_far_share_expected],
    hints=[
        "`distance >= at_least` is a matrix of yes and no; multiplied by the weights it keeps the far ones.",
        "Sum along the keys (`axis=-1`), then take the mean over the queries.",
    ],
)


def _course_of_cat():
    """What really happens to the weight of cat in the row The as λ grows: computed, then put in words."""
    weight = [softmax(SCORES[0] + decay_bias(5, scale=x)[0])[1] for x in np.linspace(0, 12, 400)]
    top = int(np.argmax(weight))
    rises, falls = bool(np.all(np.diff(weight[: top + 1]) > 0)), bool(np.all(np.diff(weight[top:]) < 0))
    return "rises, then falls" if 0 < top < len(weight) - 1 and rises and falls else "something else"


neighbour = Answer(
    "neighbour",
    title="Commit to an answer",
    minutes=3,
    difficulty=1,
    words=r"""No code this time. In the row *The*, the neighbour *cat* is one step away. As $\lambda$ grows from 0 without
end, what happens to the weight that *The* gives to *cat*? Choose one of the answers beside the `...`, check it,
and only then try it in the picture of the lesson.""",
    expected=_course_of_cat,
    options={
        "rises": "At first, yes: the far keys pay more. But the token itself pays nothing at all, and in the end that decides.",
        "falls": "In the end, yes. At small λ the far keys pay more than cat does, and cat gains part of what they lose.",
        "stays": "Its factor 2^−λ is compared with the average factor of the row, and both move.",
        "falls, then rises": "The other way round. Think of λ very large: what is the only key without a penalty?",
        "rises to 1": "For λ very large only one key has no penalty at all, and that is the token itself.",
    },
    hints=[
        "Who pays more than cat? Who pays less?",
        "Small λ: far keys lose. Large λ: everyone but the token itself loses.",
    ],
)
