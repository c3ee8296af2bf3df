"""What tasks share: names for axes, the scores of the five tokens, and helpers for cases."""

import numpy as np

from course_kit.checking import Axis
from course_lib.example import TOKENS, K, Q
from course_lib.reference.attention import scores

QUERY, KEY, NUMBER = Axis("query", TOKENS), Axis("key", TOKENS), Axis("number")
LAST_TWO = Axis("query", TOKENS[3:])  # "on" and "mat", after three tokens
POSITION, CHANNEL = Axis("position"), Axis("channel")
FOUR_CHANNELS = Axis("channel", ("sin 0", "cos 0", "sin 1", "cos 1"))  # of two pairs
SCORES = scores(Q, K)  # of the five tokens, scaled


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)


def bfloat16(x):
    """Numbers with the eight significant bits that bfloat16 keeps, as it rounds them."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(256 * mantissa) / 256, exponent)


def labels(n_q, width):
    """A number that tells its place: ten times the query, counted from 1, plus the column, all divided by ten."""
    return (10.0 * (1 + np.arange(n_q))[:, None] + np.arange(width)) / 10


def numbered(heads, d, columns):
    """The rows of the heads of a matrix: row r of head h begins with 100 h + r, and grows by a tenth a column."""
    head, row = np.divmod(np.arange(heads * d), d)
    return (100.0 * head + row)[:, None] + np.arange(columns) / 10


def one_of_two(one, other, answer, why):
    """`WRONG` where each answer is one of two: what to say to the other one, in the order of the fields."""
    return {
        name: {other if right == one else one: words} for (name, right), words in zip(answer.items(), why, strict=True)
    }
