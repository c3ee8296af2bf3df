"""What the tasks of this chapter share: names for axes, and the scaled scores of the five tokens."""

from ...example import TOKENS, K, Q
from ...reference.attention import scores
from ..engine import Axis

QUERY, KEY = Axis("query", TOKENS), Axis("key", TOKENS)
SCORES = scores(Q, K)  # of the five tokens, scaled
