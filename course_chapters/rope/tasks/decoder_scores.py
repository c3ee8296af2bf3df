"""Bug hunt: the cache that keeps turning · 10 minutes · ★★★

A decoder gets its tokens one by one and keeps their keys in a cache. RoPE rotates queries and keys. The first
two tokens have the right scores. From the third on, the scores differ from those that you get when the whole text is
read at once. Count how often the key of token 2 has been rotated when token 6 comes, then fix the code.

`rotate(x, past=p)` rotates the rows of x by the positions p, p + 1, … Without `past`, the positions are 0, 1, …
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate

from ...shared import KEY, QUERY, bfloat16, normal  # noqa: F401 (a wrong line uses bfloat16)


def decoder_scores(q, k):
    """Scores of tokens that come one by one, with RoPE: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been rotated.
    """
    # The result is (n, n), and the cache begins without a key, (0, d).
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        query = rotate(q[t : t + 1], past=t)  # The new query is row t of q, rotated by its position t.
        cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])  # Each key is rotated once, by its own position.
        found[t, : t + 1] = scores(query, cache)  # The new query meets the t + 1 keys so far, the oldest first.
    return found


def expected(q, k):
    """The whole text at once, without a cache."""
    return np.tril(scores(rotate(q), rotate(k)))


def draw(rng):
    return tuple(normal(rng, 2, rng.integers(3, 9), 2 * rng.integers(1, 5)))


BUG = "cache = rotate(np.concatenate([cache, k[t : t + 1]]))"
ON_PASS = (
    "In the given code, the key of token 2 was rotated by two positions at each of the steps 2, 3, 4, 5 and 6, so "
    "five times."
)
RNG = np.random.default_rng(0)
CASES = [
    Case(Q, K, label="the five tokens", axes=(QUERY, KEY)),
    Case(np.tile(Q[2], (6, 1)), np.tile(K[4], (6, 1)), label="six times the same content", axes=("query", "key")),
    Case(*normal(RNG, 2, 1, 4), label="one token", axes=("query", "key")),
    Case(*normal(RNG, 2, 300, 2), label="300 tokens", axes=("query", "key")),
]
WRONG = """
cache = np.concatenate([cache, k[t : t + 1]])  # Your new key is not rotated, or as at position 0. It is at position t.
query = q[t : t + 1]  # These are the scores of a query that is not rotated, or of a cache that is rotated from
# `past=t` on. The query is at position t, and the oldest key at position 0.
query = q[t : t + 1]; cache = np.concatenate([cache, k[t : t + 1]])  # These are the scores
# without any position, as if every token were at position 0. Query and key both need `past=t`.
cache = np.concatenate([cache, rotate(k[t : t + 1], past=t + 1)])  # Your keys are one position too far. Key t is at t.
cache = np.concatenate([cache, rotate(k[t : t + 1], past=2 * t)])  # Your keys are rotated twice by their angle.
query = rotate(q[t:][:1], past=int(bfloat16(t))); cache = np.r_[cache, rotate(k[t:][:1], past=int(bfloat16(t)))]
# Your positions are in bfloat16, which has eight bits. Beyond 256 it rounds them, so neighbours share a position.
cache = rotate(np.concatenate([cache, k[t : t + 1]]), past=t)  # You still rotate the whole cache
# at every step, and now by `past=t` as well. Rotate only the new key, before it joins the others.
found[t, : t + 1] = scores(q[t : t + 1], rotate(k[: t + 1], past=-t))
# `rotate` takes positions from 0 on, and here it gets one below 0. Rotate the query and each key by its own position.
found[t, : t + 1] = scores(q[t : t + 1], rotate(k[t::-1])[::-1])  # Your scores are those of keys rotated by the
# distance back, t − j. The offset is j − t, in the other direction.
found[t, : t + 1] = scores(query, rotate(k[t::-1])[::-1])  # These are the scores of a query at t with keys at their
# distance back, t − j. Give each key its own position j: the newest is at t, the oldest at 0.
cache = rotate(k[t : t + 1], past=t)
cache = rotate(k[t : t + 1])  # Your row t has one score, that of the newest key. Join that key to
# the older ones with `np.concatenate`, and take the scores of all.
cache = np.concatenate([rotate(k[t : t + 1], past=t), cache])  # In your rows the newest key comes first. It comes last.
found[t, : t + 1] = np.exp(scores(query, cache)) / np.exp(scores(query, cache)).sum()
# These are weights, and each row sums to 1. Return the scores.
found[t, : t + 1] = scores(query, cache) - np.max(scores(query, cache))  # You subtract the largest score of each row,
# which is part of the softmax. Return the plain scores.
return found[-1]  # You return only the last row. All of them are asked for.
return np.tril(found, -1)  # Your diagonal is 0, but each token sees itself. `np.tril(…)` keeps the diagonal.
return np.tril(scores(rotate(k), rotate(q)))  # Queries and keys have changed places. Row t is for query t.
return np.diag(np.diagonal(found))  # Each query meets only its own key. It should meet the older ones as well.
return scores(rotate(q), rotate(k))  # Scores with keys that have not come yet should be 0.
return np.triu(scores(rotate(q), rotate(k)))  # You keep the entries above the diagonal. Keys so far are on the left.
return np.tril(scores(rotate(q), rotate(k)[::-1]))  # Your keys are in reverse order. The oldest should come first.
return np.tril(scores(rotate(q, interleaved=True), rotate(k, interleaved=True)))  # You rotate interleaved pairs. The
# given code was right to use half-split pairs.
"""
HINTS = [
    "When the loop comes around, does `cache` hold rotated keys or keys as they came? What is done to it next?",
    "Rotate each key once, before it goes into the cache, or keep keys as they come and rotate them for use.",
    "In the first way, what is in the cache is rotated already. So rotate only the new key, by its own position.",
]
