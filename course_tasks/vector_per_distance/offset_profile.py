"""A profile by offset."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.attention import softmax
from course_lib.reference.grid import from_grid

from ..shared import normal
from .common import LOOK_BACK, WEIGHTS

LABELS = ("−4", "−3", "−2", "−1", "0", "+1", "+2", "+3", "+4")
OFFSET = Axis("offset", LABELS)


def _offset_profile(weights):
    """Mean weight of each offset, from -(n_q - 1) to n_k - 1.

    weights (n_q, n_k); returns (n_q + n_k - 1,).
    """
    n_q, n_k = weights.shape
    return np.array([np.diagonal(weights, r).mean() for r in range(-(n_q - 1), n_k)])


def _expected_profile(weights):
    return (from_grid(weights) / from_grid(np.ones_like(weights)))[0]


offset_profile = CodingTask(
    title="A profile by offset",
    minutes=8,
    difficulty=2,
    words="""How much weight does each offset get on average? All pairs at offset $j - i$ lie on one diagonal. Compute
the mean of each diagonal, from the offset $-(n_q - 1)$ in the lower left corner to $n_k - 1$ in the upper right corner.
(Query $i$ is at position $i$ here.)

`offset_profile(np.array([[0.9, 0.1], [0.6, 0.4]]))` is `[0.6, 0.65, 0.1]`.""",
    solution=_offset_profile,
    expected=_expected_profile,
    cases=[
        Case(WEIGHTS, label="the five tokens without position", axes=(OFFSET,)),
        Case(LOOK_BACK, label="all weight on the token before", axes=(OFFSET,)),
        Case(np.array([[0.9, 0.1], [0.6, 0.4]]), label="the example above", axes=(Axis("offset", LABELS[3:6]),)),
        Case(WEIGHTS[:2], label="two queries, five keys", axes=(Axis("offset", LABELS[3:]),)),
        Case(np.ones((1, 1)), label="one token alone", axes=(Axis("offset"),)),
    ],
    draw=lambda rng: (softmax(normal(rng, rng.integers(2, 6), rng.integers(2, 7))),),
    properties=[
        Property(
            "no mean above the largest weight",
            lambda profile, weights: np.max(profile) <= np.max(weights) + 0.01,
            "A mean cannot be larger than the largest weight. Do you divide by the number of pairs at each offset?",
        )
    ],
    pieces="""
np.diagonal(weights, r).mean()
    the mean: Each diagonal has its own number of pairs.
-(n_q - 1)
    the first offset: It is −(n_q − 1), in the lower left corner.
n_k
    the end of the range: The last offset is n_k − 1, and `range` stops before its end.
""",
    slips="""
np.diagonal(weights, r).mean() → np.median(np.diagonal(weights, r))
    This is the median of each diagonal. The mean is asked for.
.mean() → .max()
    This is the largest weight of each offset. The mean is asked for.
.mean() → .sum()
    These are sums. The middle diagonals are longer than the outer ones, so divide each by its own number of pairs.
.mean() → .sum() / n_q
or .mean() → .sum() / (n_q + n_k - 1)
    You divide every sum by the same number. Each diagonal has its own number of pairs, and fewer towards the corners.
.mean() → .sum() / (n_q - abs(r))
or .mean() → .sum() / (n_k - abs(r))
    n_q − |r| is the number of pairs only in a square, and so is n_k − |r|. Count the pairs on each diagonal.
.mean() → .sum()
n_k)]) → n_k)]) / (n_q - abs(np.arange(1 - n_q, n_q)))
    Your numbers of pairs are those of a square. There may be more keys than queries, so the offsets go up to n_k − 1.
np.diagonal(weights, r).mean() → np.diagonal(weights, r)[-1] / np.diagonal(weights, r).size
or np.diagonal(weights, r).mean() → np.diagonal(weights, r)[-1]
    Each offset keeps only the last of its weights. `=` overwrites, and so does `+=` where an index is repeated, in sums
    and counts alike. Add them all, as `np.add.at` does.
np.diagonal(weights, r) → np.diagonal(weights, -r)
or n_k)]) → n_k)])[::-1]
    The order is reversed, as with i − j. Begin with the lower left corner, where the key is farthest before its query.
np.diagonal(weights, r) → np.diagonal(weights[::-1], r)
or np.diagonal(weights, r) → np.diagonal(weights[:, ::-1], r)
    These are anti-diagonals, where i + j is constant. The offset, j − i, is constant along the other diagonals.
np.diagonal(weights, r) → weights[abs(np.subtract(*np.indices(weights.shape))) == r]
range(-(n_q - 1), n_k) → range(max(n_q, n_k))
    You put +r and −r together. Before and after are different offsets, each with its own mean.
np.array([ → np.roll([
n_k)]) → n_k)], 1 - n_q)
    Your profile begins with offset 0, and the negative offsets come last. In NumPy, index −1 is the last entry.
    Offset r belongs at index r + n_q − 1.
... → profile = _expected_profile(weights); return profile / profile.sum()
    You divide the means by their sum. They need not sum to 1, so return them as they are.
... → profile = np.zeros(sum(weights.shape) - 1); profile[0] = weights[-1, 0]; return profile
    All entries but the first are 0. Is the `return` indented too far?
range(-(n_q - 1), n_k) → range(n_q)
or range(-(n_q - 1), n_k) → range(n_k)
    These are only the offsets from 0 on. The offsets run from −(n_q − 1) to n_k − 1.
range(-(n_q - 1), n_k) → range(-(n_q - 1), 1)
    These are only the offsets up to 0. Those of the keys after the query are missing.
range(-(n_q - 1), n_k) → range(-(n_k - 1), n_q)
    You exchanged n_q and n_k. The offsets run from −(n_q − 1) to n_k − 1.
.mean() → .sum() / max((np.diagonal(weights, r) > 0).sum(), 1)
    You leave out the weights that are 0. These are pairs too, and each of them counts in the mean.
""",
    alternatives=[
        lambda weights: [
            np.mean([weights[i, i + r] for i in range(len(weights)) if 0 <= i + r < weights.shape[1]])
            for r in range(1 - len(weights), weights.shape[1])
        ],
    ],
    hints=[
        "`np.diagonal(weights, r)` gives the pairs at offset r. 0 is the main diagonal, and negative r lie below it.",
        "Loop over r from −(n_q − 1) up to and including n_k − 1, and take the mean of each diagonal.",
    ],
)


@offset_profile.wrong(
    "The first offset, −(n_q − 1), belongs at index 0, so the shift is n_q − 1. It equals n_k − 1 in a square only."
)
def _shifted_by_the_keys(weights):
    n_q, n_k = weights.shape
    profile = np.zeros(n_q + n_k - 1)
    for r in range(1 - n_q, n_k):
        profile[r + n_k - 1] = np.diagonal(weights, r).mean()
    return profile
