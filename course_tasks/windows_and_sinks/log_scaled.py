"""Queries that grow with their position."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.example import Q
from course_lib.reference.query_scale import log_scale, scaled

from ..shared import NUMBER, QUERY, normal


def _log_scaled(q, past, length):
    """Queries q (n_q, d), each times ln(p + 1) / ln(length), where p is its position.

    The first query is at position `past`.
    """
    p = past + np.arange(len(q))
    return q * (np.log(p + 1) / np.log(length))[:, None]


def _expected(q, past, length):
    return scaled(q, log_scale(past + np.arange(len(q)), length=length))


def _by_loop(q, past, length):
    return [[x * np.log(past + i + 1) / np.log(length) for x in row] for i, row in enumerate(q)]


log_scaled = CodingTask(
    title="Queries that grow with their position",
    minutes=10,
    difficulty=2,
    words=r"""When more keys share a row, the best key needs a larger lead to keep its weight. The length-aware scale
gives it one. Here the scale is not learned: the query at position $p$ is multiplied by $\ln(p + 1) / \ln(L)$, where $L$ is
the training length, `length` in the code. A causal query at position $p$ sees $p + 1$ keys. So the factor is 1 for the last
query of a training text, and larger for all later ones.

The factor must depend on the query's own position, not on the length of the text. Otherwise a query would get another
factor when the model writes token by token than when it reads everything at once. Only queries are scaled. The query at
position 0 becomes 0, which does no harm, because it sees one key only.""",
    solution=_log_scaled,
    expected=_expected,
    cases=[
        Case(Q, 0, 5, label="the five tokens, trained on five", axes=(QUERY, NUMBER)),
        Case(Q[:1], 511, 64, label="one query at position 511, trained on 64", axes=("query", NUMBER)),
        Case(np.ones((3, 2)), 62, 64, label="three queries of ones around the training length"),
        Case(np.ones((2, 1)), 0, 2, label="trained on two"),
        Case(Q[3:], 3, 10, label='"on" and "mat" after three tokens'),
    ],
    axes=("query", "number"),
    draw=lambda rng: (normal(rng, int(rng.integers(1, 5)), 3), int(rng.integers(0, 50)), int(rng.integers(3, 40))),
    pieces="""
past + np.arange(len(q))
    the list of positions: The queries are at past, past + 1, …
np.arange(len(q))
    the number of each query: Query 0 is at `past`, query 1 at past + 1, and so on.
p + 1
    the number of keys: A causal query at position p sees p + 1 keys, its own included.
np.log(p + 1)
    the logarithm: The factor grows with ln(p + 1).
np.log(length)
    the divisor: It is ln of the training length, so the factor is 1 there.
np.log(p + 1) / np.log(length)
    the factor: It is ln(p + 1) / ln(length).
(np.log(p + 1) / np.log(length))[:, None]
    the column of factors: Each query has one factor, for all of its channels.
q * (np.log(p + 1) / np.log(length))[:, None]
    the product: Each query is multiplied by its factor.
""",
    slips="""
past + np.arange(len(q)) → np.arange(len(q))
    You count positions from 0. With a cache, the first query is at position `past`.
past + np.arange(len(q)) → np.full(len(q), past)
    All your queries get the factor of the first. They are at past, past + 1, …
past + np.arange(len(q)) → np.full(len(q), past + len(q) - 1)
    All your queries get the factor of the last. It depends on the query's own position, not on the length of the text.
past + np.arange(len(q)) → past
    You have one number for all queries. Each has a position of its own: past, past + 1, …
past + np.arange(len(q)) → past + np.arange(len(q))[::-1]
    Your positions run backwards. The first query is at position `past`.
np.log(p + 1) → np.log(p + 2)
    You count one key too many. A query at position p sees p + 1 keys, and `log1p(p)` is already ln(p + 1).
np.log(p + 1) → np.where(p > 0, np.log(p + 1), np.log(length))
    You give the query at position 0 the factor 1. Its factor is ln(1) / ln(length), which is 0.
np.log(length) → np.log(length + 1)
    You divide by ln(length + 1). The last query of a training text is at p + 1 = length, and its factor should be 1.
np.log(length) → np.log(past + len(q))
    You divide by the logarithm of this text's length. It should be that of the training length.
np.log(p + 1) → np.log(np.maximum(p, 1))
    You take ln(p). A query at position p sees p + 1 keys.
np.log(p + 1) / np.log(length) → np.log((p + 1) / length)
    Your factor is ln((p + 1) / length), which is a difference of two logarithms. It should be their quotient.
np.log(p + 1) / np.log(length) → np.maximum(1, np.log(p + 1) / np.log(length))
    You keep the factor at 1 up to the training length. Here it also applies below it, as in training.
np.log(p + 1) / np.log(length) → np.minimum(1, np.log(p + 1) / np.log(length))
    Your factor never exceeds 1. Beyond the training length it should.
np.log(p + 1) / np.log(length) → np.sqrt(np.log(p + 1) / np.log(length))
    You take the root of the factor. The query is multiplied by all of it, because the keys are not scaled.
np.log(p + 1) / np.log(length) → (p + 1) / length
    Your factor grows in proportion to the position. It should grow with its logarithm.
np.log(p + 1) / np.log(length) → 1 + np.log(p + 1) / np.log(length)
    You add 1 to the factor. Llama 4 does so, with another formula. Here it is the quotient alone.
q * (np.log(p + 1) / np.log(length))[:, None] → np.log(p + 1) / np.log(length)
    You return the factors. Multiply each query by its factor.
... → return q * np.log(past + np.arange(q.shape[1]) + 1) / np.log(length)
    Your factors run along the channels. Each query has one factor, for all of its channels.
q * (np.log(p + 1) / np.log(length))[:, None] → q + (np.log(p + 1) / np.log(length))[:, None]
    You add the factor. It multiplies the query, and so all of its scores.
""",
    alternatives=[_by_loop, _expected],
    hints=[
        "The positions of the queries are `past + np.arange(len(q))`.",
        "The factors are one number per query. `factors[:, None]` makes a column of them, which multiplies each row of q.",
    ],
)
