r"""What the mask gives away · 8 minutes · ★★ · first

A causal layer without any positions gives the same score to every key. The token at position 0 has the
value `first`, and every other token has the value `rest`, which is a different number. So the token at position $i$
gives the weight $1/(i+1)$ to each of its keys, and its output is the average of the values it sees.

You get the outputs of some tokens, in any order. Return the position of each. For `first = 1` and `rest = 0` the output
0.25 belongs to position 3.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import TOKENS
from course_lib.reference.attention import attention, causal_mask

from ...shared import normal


def positions_from_output(output, first, rest):
    """The positions, (n,), of tokens whose outputs (n,) come from causal attention with equal scores.

    The token at position 0 has the value `first`, and all others have the value `rest`.
    """
    weight = (output - rest) / (first - rest)  # The first token's weight is how far the output is from `rest`.
    keys = 1 / weight  # The weight is 1/(i + 1), one divided by the number of keys.
    return keys - 1  # Position i has i + 1 keys, because it sees itself as well.


def expected(output, first, rest):
    return abs(np.asarray(output)[:, None] - outputs(600, first, rest)).argmin(axis=1)


def draw(rng):
    first, rest = normal(rng, 2).round(2) + np.array([2, -2])
    return outputs(600, first, rest)[rng.permutation(40)[: int(rng.integers(2, 7))]], float(first), float(rest)


def outputs(n, first, rest):
    """The outputs of n tokens: causal attention in which every score is 0."""
    values = np.full((n, 1), float(rest))
    values[0] = first
    return attention(np.zeros((n, 1)), np.zeros((n, 1)), values, mask=causal_mask(n))[0][:, 0]


def case(positions, first, rest, label, axes=()):
    return Case(outputs(600, first, rest)[positions], first, rest, label=label, axes=axes)


CASES = [
    case([0, 1, 2, 3, 4], 1.0, 0.0, "the five tokens, values 1, 0, 0, 0, 0", (Axis("token", TOKENS),)),
    case([3, 0, 4, 1, 2], 1.0, 0.0, "the five tokens in another order"),
    case([0, 1, 2, 3, 4], 0.0, 1.0, "values 0, 1, 1, 1, 1"),
    case([5, 1, 9], -1.0, 2.5, "values −1, 2.5, 2.5, …"),
    case([0], 3.0, 1.0, "the first token alone"),
    case([501, 20], 4.0, 0.5, "far from the beginning"),
]
WRONG = """
return np.arange(len(output))  # You count the outputs. They may come in any order, and some tokens may be missing.
return np.argsort(-output)  # You sort the outputs, but some tokens may be missing. Compute each position by itself.
return np.argsort(np.argsort(-output))
return np.argsort(np.argsort(abs(output - first)))  # You rank the outputs, but some tokens may be missing between them.
return abs(output[:, None] - outputs(len(output), first, rest)).argmin(axis=1)  # Your positions end at n − 1
# for n outputs, but some tokens may be missing. Compute each position from its output alone.
return keys  # You return 1/w, the number of keys, i + 1. Subtract 1: each position is one smaller.
return np.floor(keys - 1)  # You round down. 2.9999999 should become 3, so round to the nearest number, or not at all.
return weight  # These are the weights of the first token, 1/(i + 1). Solve for i.
weight = output  # You take the output for the weight of the first token. So it is with `first = 1` and `rest = 0` only.
weight = output / first  # You leave out what the other tokens contribute. Their values are `rest`, not always 0.
weight = output - rest
weight = (output - rest) / first  # You measure only the output from `rest`. Measure `first` from it as well:
# first − rest.
weight = (output - rest) / (first + rest)  # You add `rest` to `first`. Measure both from `rest`: subtract it.
weight = output - rest / first - rest  # Your brackets are missing, so only `rest` is divided by `first`.
weight = (output + rest) / (first + rest)  # You add `rest`. The weight is how far the output is *from* it: subtract.
return 1 - weight
weight = (first - output) / (first - rest)  # You use the weight of all the other tokens. Take that of the first.
return first / 0.0  # You divide by 0 in every case. Is it the number of a position? Position i has i + 1 keys.
"""
HINTS = [
    "Write down the output at position 2 with its three values: (first + rest + rest) / 3.",
    "With weight w for the first token, the output is w · first + (1 − w) · rest. Solve for w.",
    "At position i the weight w is 1/(i + 1). Solve for i.",
]
