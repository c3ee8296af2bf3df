"""What tasks of several topics share: names for axes, helpers for random cases, the scores of the five tokens."""

from course_kit.checking import Axis
from course_lib.example import TOKENS, K, Q
from course_lib.reference.attention import scores

QUERY, KEY, NUMBER = Axis("query", TOKENS), Axis("key", TOKENS), Axis("number")
POSITION, CHANNEL = Axis("position"), Axis("channel")
SCORES = scores(Q, K)  # of the five tokens, scaled


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)


def one_of_two(one, other, answer, why):
    """`WRONG` where each answer is one of two: what to say to the other one, in the order of the fields."""
    return {
        name: {other if right == one else one: words} for (name, right), words in zip(answer.items(), why, strict=True)
    }
