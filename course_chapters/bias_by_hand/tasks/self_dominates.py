r"""From which λ on does a token look at itself most? · 10 minutes · ★★★

*Most* can mean two things. For the query *The*, from which $\lambda$ on is its **own** weight the largest
of the row, and from which $\lambda$ on is it more than half? You can find the first with a pencil (two scores, one
logarithm). For the second, try values or halve an interval: with
`e = np.exp((Q @ K.T / 2)[0] - x * np.log1p(np.arange(5)))`, the own weight at $\lambda = x$ is `e[0] / e.sum()`. Three
decimals are enough.
"""

import math

from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias

from ...shared import SCORES

THE, CAT, SAT, ON, MAT = range(5)


def overtakes(i, j):
    """The λ from which token i gives itself more weight than key j: the penalty of j is as large as its lead."""
    return (SCORES[i, j] - SCORES[i, i]) / math.log1p(abs(j - i))


def majority(i):
    """The λ from which token i has more than half of its own row, by halving an interval."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        own = softmax(SCORES + decay_bias(5, strength=middle))[i, i]
        low, high = (middle, high) if own < 0.5 else (low, middle)
    return high


LARGEST, MAJORITY = max(overtakes(THE, j) for j in (CAT, SAT, ON, MAT)), majority(THE)
ANSWER = {"largest": LARGEST, "more than half": MAJORITY}
WRONG = {
    ("largest", "more than half"): {
        (MAJORITY, LARGEST): "You swapped the two. First the own weight is the largest, and later more than half.",
    },
    "largest": {
        math.log(2): "This is log 2. The scores are equal when λ · log 2 is the lead of 1.0, so divide by log 2.",
        1.0: 'At λ = 1 the penalty of "cat" is log 2, about 0.69, but its lead is 1.0.',
        2 / math.log(2): 'This is 2 / log 2. The scaled lead of "cat" is 1.0, and the penalty λ · log 2 is not scaled.',
        1 / math.log10(2): "You took the logarithm to base 10. In this course `log` is the natural one.",
        1 / math.log(1.5): "You count distances from 1, so the token itself pays, too. Its own distance is 0.",
        1 / math.log(3): "You divided by log 3. The rival is one step away, so its penalty is λ · log(1 + 1).",
        overtakes(CAT, THE): 'It belongs to the pair "cat", "The". The query "The" is row 0, and its rival is "cat".',
        overtakes(THE, SAT): 'Here "The" overtakes "sat". The last rival that it overtakes is "cat".',
        overtakes(THE, ON): 'Here "The" overtakes "on". The last rival that it overtakes is "cat".',
        overtakes(THE, MAT): 'Here "The" overtakes "mat". The last rival that it overtakes is "cat".',
    },
    "more than half": {
        LARGEST: "Here the own weight becomes the largest of the row, but it is still only about a third.",
        2.0: "At λ = 2 the own weight is 0.488, still a little less than half.",
        0.0: 'Without a bias "The" has only 11 % of its own row, far from half of it.',
        majority(CAT): 'This is the value for the query "cat". The question is about "The".',
    },
}
OTHERWISE = {
    "largest": 'The rival is "cat", with score 1 and penalty λ · log 2. For which λ are the two scores equal?',
    "more than half": "Compute the row *The* with your λ. If the own weight is below one half, take a "
    "larger λ, and if it is above, a smaller one.",
}
HINTS = [
    '"The" has score 0 and no penalty. "cat" has the scaled score 1 and the penalty λ·log 2. When are they equal?',
    "If it has more than half, the others have less. Compute the row for λ between 1 and 3, then closer.",
]
