"""Bug hunt: the cache that keeps turning · 10 minutes · ★★★

A decoder gets its tokens one by one and keeps their keys in a cache. RoPE rotates queries and keys. The first
two tokens have the right scores. From the third on, the scores differ from those that you get when the whole text is
read at once. Count how often the key of token 2 has been rotated when token 6 comes, then fix the code.

`rotate(x, past=p)` rotates the rows of x by the positions p, p + 1, … Without `past`, the positions are 0, 1, …
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.example import K, Q
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate

from ..shared import KEY, QUERY, normal


def decoder_scores(q, k):
    """Scores of tokens that come one by one, with RoPE: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been rotated.
    """
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        # The query is row t of q, rotated by its position t. Token t is the row t : t + 1, and its query meets t + 1
        # keys.
        query = rotate(q[t : t + 1], past=t)
        cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])
        # The call of `scores` takes the new query, which gives one row, and the cache, which gives a column per key.
        # The cache keeps all keys so far in the order of their positions, each rotated once.
        found[t, : t + 1] = scores(query, cache)
    return found


def expected(q, k):
    """q_i · R_{j−i} k_j / √d in complex numbers: no single vector is rotated."""
    n, d = np.shape(q)
    theta = 10000.0 ** (-2 * np.arange(d // 2) / d)
    wanted = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            z = np.conj(q[i][: d // 2] + 1j * q[i][d // 2 :]) * (k[j][: d // 2] + 1j * k[j][d // 2 :])
            wanted[i, j] = (z * np.exp(1j * (j - i) * theta)).real.sum() / np.sqrt(d)
    return wanted


def draw(rng, n=None, d=None):
    n, d = n or int(rng.integers(3, 9)), d or 2 * int(rng.integers(1, 5))
    return normal(rng, n, d), normal(rng, n, d)


def _made(seed, n, d):
    return [x.round(2) for x in draw(np.random.default_rng(seed), n, d)]


BUG = "cache = rotate(np.concatenate([cache, k[t:t + 1]]))"


ON_PASS = (
    "In the given code, the key of token 2 was rotated by two positions at each of the steps 2, 3, 4, 5 and 6, so "
    "five times."
)


CASES = [
    Case(Q, K, label="the five tokens", axes=(QUERY, KEY)),
    Case(np.tile(Q[2], (6, 1)), np.tile(K[4], (6, 1)), label="six times the same content", axes=("query", "key")),
    Case(*_made(0, 1, 4), label="one token", axes=("query", "key")),
    Case(*_made(1, 3, 2), label="one pair of channels", axes=("query", "key")),
    Case(*_made(2, 12, 8), label="twelve tokens, eight channels", axes=("query", "key")),
]


ALWAYS = [
    holds(
        "Some entry above the diagonal is not 0. Those keys have not come yet.",
        lambda result, *_: np.allclose(np.triu(np.asarray(result, float), 1), 0),
    ),
    holds(
        (
            "The diagonal should be q·k/√d without any rotation, because a token is at offset 0 from itself. Do you "
            "rotate the query and the new key by the same angle?"
        ),
        lambda result, q, k: np.allclose(np.diagonal(result), (q * k).sum(-1) / np.sqrt(q.shape[-1]), atol=1e-4),
    ),
]


WRONG = """
cache = np.concatenate([cache, k[t:t + 1]])  # Your new key is not rotated, or rotated as at position 0, which is the
# same. It is at position t, so it needs `past=t`.
query = q[t:t + 1]  # Your new query is not rotated, or rotated as at position 0, which is the same. It is at position
# t, and `past=t` was right. (The same scores come out if you rotate the query by t and the keys of the cache from
# position t on.)
query = q[t:t + 1]; cache = np.concatenate([cache, k[t:t + 1]])  # These are the scores without any position, because
# every new token is rotated as at position 0. Query and key both need `past=t`.
cache = np.concatenate([cache, rotate(k[t:t + 1], past=t + 1)])  # Your keys are one position too far. Token t is at
# position t, because t tokens came before it.
query = rotate(q[t:t + 1], past=t + 1)  # Your queries are one position too far. Token t is at position t, because t
# tokens came before it.
cache = np.concatenate([cache, rotate(k[t:t + 1], past=2 * t)])  # You rotate each key twice by its own angle. Once is
# enough.
cache = rotate(np.concatenate([cache, k[t:t + 1]]), past=t)  # You still rotate the whole cache at every step, and now
# by `past=t` as well. Rotate only the new key, before it joins the others.
cache = rotate(k[t:t + 1], past=t)  # Only the newest key is left, and its score fills the row. Join it to the older
# ones with `np.concatenate`.
cache = rotate(k[t:t + 1])  # Only the newest key is left, and it is rotated as at position 0. Rotate it by its own
# position, and join it to the older ones with `np.concatenate`.
cache = np.concatenate([rotate(k[t:t + 1], past=t), cache])  # Your new key comes first in the cache. Column j belongs
# to the token at position j, so the new key comes last.
cache = np.concatenate([cache, rotate(q[t:t + 1], past=t)])  # Your cache holds queries. It should hold keys.
query = rotate(k[t:t + 1], past=t)  # You compare keys with keys. The new query is made of q.
found[t, :t + 1] = scores(query, cache, scale=1.0)  # Your scores are not scaled any more. The function `scores`
# divides by √d by itself.
found[t, :t + 1] = np.exp(scores(query, cache)) / np.exp(scores(query, cache)).sum()  # These are weights, and each row
# sums to 1. The scores before the softmax are asked for.
found[t, :t + 1] = scores(query, cache) - np.max(scores(query, cache))  # You subtract the largest score of each row.
# That is part of the softmax, and the plain scores are asked for.
return found[-1]  # You return only the last row. All of them are asked for.
return np.tril(scores(rotate(q), rotate(k)), -1)  # Your diagonal is 0, but each token sees itself. `np.tril(…)` keeps
# the diagonal, and `np.tril(…, -1)` does not.
return np.tril(scores(rotate(k), rotate(q)))  # Queries and keys have changed places. Row t belongs to the query of
# token t, and the cache holds keys.
return np.diag(np.diagonal(scores(rotate(q), rotate(k))))  # Each query meets only its own key. The older keys should
# be in the cache as well.
return scores(rotate(q), rotate(k))  # The scores are right, but those with keys that have not come yet should be 0.
return np.where(np.tri(len(q)) > 0, scores(rotate(q), rotate(k)), -np.inf)  # The scores are right, but you write −∞
# where the key has not come yet. It should be 0 there.
return np.triu(scores(rotate(q), rotate(k)))  # You keep the entries above the diagonal. The t + 1 numbers of row t are
# on the left.
return np.tril(scores(rotate(q), rotate(k)[::-1]))  # Your keys are in reverse order. The oldest should come first.
return np.tril(scores(rotate(q, interleaved=True), rotate(k, interleaved=True)))  # You rotate interleaved pairs. The
# given code was right to use half-split pairs.
"""


HINTS = [
    "When the loop comes around, does `cache` hold rotated keys or keys as they came? What is done to it next?",
    "Rotate each key once, before it goes into the cache, or keep keys as they come and rotate them for use.",
    "In the first way, what is in the cache is rotated already. So rotate only the new key, by its own position.",
]


def wrong_program_22(q, k):
    """Seen from its query, each of your keys is turned by the distance i − j. It should be turned the other way, by
    the offset, key minus query, j − i. `rotate` does this if it gets the positions themselves."""
    swapped = (np.roll(x, x.shape[-1] // 2, axis=-1) for x in (q, k))
    return np.tril(scores(*map(rotate, swapped)))


def right_in_one_line(q, k):
    return np.tril(scores(rotate(q), rotate(k)))


def right_unrotated_cache(q, k):
    """Also right: the cache keeps keys as they come, and they are rotated for each use."""
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        cache = np.concatenate([cache, k[t : t + 1]])
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), rotate(cache))
    return found
