r"""Two scores for every head · 12 minutes · ★★

A sequence of `n` random tokens is given twice, so there are $2n$ positions. You get the attention weights of all heads,
`(heads, 2n, 2n)`, one row per query. Give each head two scores:

- `previous`: the mean weight on the token just before the query, over all queries that have one;
- `induction`: the mean weight on the token that *followed* the query's token in the first copy, over the queries of the
  second copy. The token of query $n + t$ is at position $t$ of the first copy, so the query should look at $t + 1$. The
  last query counts, too: it should look at $n$, the first token of the second copy.

In the lesson, the best of 270 heads have 0.76 (previous, on *Alice*) and 0.90 (induction, in a *Deeper* section).
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.reference.attention import causal_mask, softmax


def head_scores(weights):
    """previous and induction, each (heads,), from weights (heads, 2n, 2n) over n tokens given twice."""
    n = weights.shape[-1] // 2  # The n tokens are given twice, so n is half of the positions.
    before = np.diagonal(weights, -1, axis1=1, axis2=2)  # The token before query i is key i − 1, below the diagonal.
    second = weights[:, n:]  # Only the queries of the second copy, from n on, have an earlier copy to look at.
    # Query n + t should look at key t + 1. In the rows of the second copy this is the diagonal that begins at key 1.
    after = np.diagonal(second, 1, axis1=1, axis2=2)
    return before.mean(axis=1), after.mean(axis=1)  # A score is the mean over the queries, for each head by itself.


def expected(weights):
    n = len(weights[0]) // 2
    previous = [np.mean([head[i][i - 1] for i in range(1, 2 * n)]) for head in weights]
    return previous, [np.mean([head[n + t][t + 1] for t in range(n)]) for head in weights]


def draw(rng):
    return (random(rng, int(rng.integers(2, 6)), int(rng.integers(2, 7))),)


def causal(scores):
    return softmax(np.where(causal_mask(scores.shape[-1]), scores, -np.inf))


def random(rng, heads, n):
    return causal(2 * rng.normal(size=(heads, 2 * n, 2 * n)))


RETURNS = ("previous", "induction")
AXES = dict.fromkeys(RETURNS, (Axis("head"),))
EACH = causal(np.stack([4 * np.eye(10, k=-distance) for distance in (1, 4, 0)]))
CASES = [
    Case(EACH, label="a previous-token head, an induction head, a head that looks at its own token; n = 5"),
    Case(random(np.random.default_rng(1), 3, 4), label="three heads without a pattern, n = 4"),
]
WRONG = """
before = np.diagonal(weights, 1, axis1=1, axis2=2)  # Your `previous` is 0, as it is for the token *after* the query,
# which a causal layer cannot see. Key i − 1 is below the diagonal.
before = np.diagonal(weights, -1); after = np.diagonal(weights, 1 - n)
before = np.diagonal(weights, -1)  # You take heads for queries, as `np.diagonal` does without axes. Use axes 1 and 2.
before = np.diagonal(weights[:, n:], n - 1, axis1=1, axis2=2)  # You count `previous` over the second copy only. Every
# query but the first one has a token before it.
before = np.pad(np.diagonal(weights, -1, axis1=1, axis2=2), ((0, 0), (1, 0)))  # You divide the sum of `previous` by 2n.
# Query 0 has no token before it, so there are 2n − 1 weights.
after = np.diagonal(weights, -n, axis1=1, axis2=2)  # Your `induction` is the weight on the earlier copy of the query's
# own token, at distance n. What followed it is at distance n − 1.
after = np.diagonal(weights, -n - 1, axis1=1, axis2=2)  # Your `induction` looks at the token *before* the earlier copy.
# It should be the one after it, at distance n − 1.
after = np.diagonal(weights, 1 - n, axis1=1, axis2=2)  # You take the whole diagonal at distance n − 1. It begins with
# the last query of the first copy, which has no earlier copy. Leave it out.
after = np.diagonal(weights, 1 - n, axis1=1, axis2=2)[:, :-1]  # You leave out the last query. The one to leave out is
# the first on the diagonal, the last query of the first copy, which has no earlier copy.
after = np.diagonal(second, 1, axis1=1, axis2=2)[:, : n - 1]  # You leave out the last query. Its token was followed by
# the first token of the second copy, at position n.
"""
HINTS = [
    "Write it for one head and one query first: `weights[0, i, i - 1]`, and `weights[0, n + t, t + 1]`.",
    "`np.diagonal(weights, -1, axis1=1, axis2=2)` has one row per head: the weights at distance 1.",
    "For `induction` take the rows of the second copy first, `weights[:, n:]`. The keys begin at 1 and move on by one.",
]
ON_PASS = (
    "Random tokens given twice are the usual test for induction heads. In an ordinary text, a token may have no "
    "earlier copy, or several."
)
