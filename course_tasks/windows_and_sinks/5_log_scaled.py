r"""Queries that grow with their position · 10 minutes · ★★

When more keys share a row, the best key needs a larger lead to keep its weight. The length-aware scale
gives it one. Here the scale is not learned: the query at position $p$ is multiplied by $\ln(p + 1) / \ln(L)$, where $L$ is
the training length, `length` in the code. A causal query at position $p$ sees $p + 1$ keys. So the factor is 1 for the last
query of a training text, and larger for all later ones.

The factor must depend on the query's own position, not on the length of the text. Otherwise a query would get another
factor when the model writes token by token than when it reads everything at once. Only queries are scaled. The query at
position 0 becomes 0, which does no harm, because it sees one key only.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import Q
from course_lib.reference.query_scale import log_scale, scaled

from ..shared import NUMBER, QUERY, normal


def log_scaled(q, past, length):
    """Queries q (n_q, d), each times ln(p + 1) / ln(length), where p is its position.

    The first query is at position `past`.
    """
    p = past + np.arange(len(q))  # The queries are at past, past + 1, …
    keys = p + 1  # A causal query at position p sees p + 1 keys, its own included.
    factor = np.log(keys) / np.log(length)  # The factor is ln(p + 1) / ln(length), so it is 1 at the training length.
    return q * factor[:, None]  # Each query is multiplied by its own factor, in all of its channels.


def expected(q, past, length):
    return scaled(q, log_scale(past + np.arange(len(q)), length=length))


def draw(rng):
    return normal(rng, int(rng.integers(1, 5)), 3), int(rng.integers(0, 50)), int(rng.integers(3, 40))


CASES = [
    Case(Q, 0, 5, label="the five tokens, trained on five", axes=(QUERY, NUMBER)),
    Case(Q[:1], 511, 64, label="one query at position 511, trained on 64"),
    Case(np.ones((3, 2)), 62, 64, label="three queries of ones around the training length"),
    Case(np.ones((2, 1)), 0, 2, label="trained on two"),
]
WRONG = """
p = np.full(len(q), past)  # All your queries get the factor of the first. They are at past, past + 1, …
p = np.full(len(q), past + len(q) - 1)  # All queries get the factor of the last. Each has that of its own position.
p = past  # You have one number for all queries. Each has a position of its own: past, past + 1, …
p = past + np.arange(len(q))[::-1]  # Your positions run backwards. The first query is at position `past`.
keys = p + 2  # You count one key too many. A query at position p sees p + 1 keys, and `log1p(p)` is ln(p + 1).
keys = np.maximum(p, 1)  # You take ln(p). A query at position p sees p + 1 keys.
factor = np.where(p > 0, np.log(keys) / np.log(length), 1)  # Your query at position 0 has the factor 1. It is ln(1), 0.
factor = np.log(keys) / np.log(past + len(q))  # You divide by the logarithm of this text's length, not the training's.
factor = 1 + np.log(keys / length)
factor = np.log(keys / length)  # You take the logarithm of a quotient. It should be a quotient of two logarithms.
factor = np.maximum(1, np.log(keys) / np.log(length))  # You keep the factor at 1 up to `length`. It also applies below.
factor = np.minimum(1, np.log(keys) / np.log(length))  # Your factor never exceeds 1. Beyond `length` it should.
factor = np.sqrt(np.log(keys) / np.log(length))  # You take the root of the factor. The query alone gets all of it.
factor = keys / length  # Your factor grows in proportion to the position. It should grow with its logarithm.
factor = 1 + np.log(keys) / np.log(length)  # You add 1 to the factor. Llama 4 does so, with another formula.
return q / factor[:, None]  # You divide by the factor. It multiplies the query, so later queries get larger.
return q * factor  # Your factors are a row, so NumPy aligns them with the channels. `[:, None]` makes a column.
return factor  # You return the factors. Multiply each query by its factor.
return q * np.log(past + np.arange(q.shape[1]) + 1) / np.log(length)  # Each query has one factor, for all its channels.
"""
HINTS = [
    "The positions of the queries are `past + np.arange(len(q))`.",
    "The factors are one number per query. `factors[:, None]` makes a column of them, which multiplies each row of q.",
]
