"""What the tasks of this chapter share: names for the axes, and a helper for random cases."""

from ...example import TOKENS
from ..engine import Axis

QUERY, KEY, NUMBER = Axis("query", TOKENS), Axis("key", TOKENS), Axis("number")
POSITION, CHANNEL = Axis("position"), Axis("channel")


def normal(rng, *shape):
    """Random numbers of a shape."""
    return rng.normal(size=shape)
