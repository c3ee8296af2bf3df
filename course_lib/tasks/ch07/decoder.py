"""Decoding with RoPE: what is in the cache, and how often it was turned."""

import numpy as np

from ...example import K, Q
from ...reference.attention import scores, softmax
from ...reference.rope import rotate
from ..engine import Case, Mistake, Property, Task
from .common import KEY, QUERY


def _decoder_scores(q, k):
    """Scores of tokens that come one by one, with RoPE: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been turned.
    """
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        query = rotate(q[t : t + 1], past=t)
        cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])
        found[t, : t + 1] = scores(query, cache)
    return found


def _decoder_scores_given(q, k):
    """Scores of tokens that come one by one, with RoPE: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been turned.
    """
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        query = rotate(q[t : t + 1], past=t)
        cache = rotate(np.concatenate([cache, k[t : t + 1]]))
        found[t, : t + 1] = scores(query, cache)
    return found


def _all_at_once(q, k):
    """Right as well: what the loop amounts to."""
    return np.tril(scores(rotate(q), rotate(k)))


def _expected(q, k):
    """q_i · R_{j−i} k_j, pair by pair: no turn of a single vector anywhere."""
    n, d = np.shape(q)
    theta = 10000.0 ** (-2 * np.arange(d // 2) / d)
    wanted = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            z = np.conj(q[i][: d // 2] + 1j * q[i][d // 2 :]) * (k[j][: d // 2] + 1j * k[j][d // 2 :])
            wanted[i, j] = (z * np.exp(1j * (j - i) * theta)).real.sum() / np.sqrt(d)
    return wanted


def _bare_cache(q, k):
    """Right as well: bare keys in the cache, turned for use."""
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        cache = np.concatenate([cache, k[t : t + 1]])
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), rotate(cache))
    return found


def _everything_at(position_q, position_k):
    """A mistake: the new query and the new key turned as if they stood elsewhere."""

    def wrong(q, k):
        n = len(q)
        turned_q = np.array([rotate(q[t : t + 1], past=position_q(t))[0] for t in range(n)])
        turned_k = np.array([rotate(k[t : t + 1], past=position_k(t))[0] for t in range(n)])
        return np.tril(scores(turned_q, turned_k))

    return wrong


def _turned_twice(q, k):
    n = len(q)
    turned = np.array([rotate(rotate(k[t : t + 1], past=t), past=t)[0] for t in range(n)])
    return np.tril(scores(rotate(q), turned))


def _kept_turning(q, k):
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        cache = rotate(np.concatenate([cache, k[t : t + 1]]), past=t)
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), cache)
    return found


def _weights(q, k):
    seen = np.tril(np.ones((len(q), len(q)), bool))
    return softmax(np.where(seen, scores(rotate(q), rotate(k)), -np.inf))


def _last_key_only(q, k):
    return np.diag(np.diagonal(scores(rotate(q), rotate(k))))


def _future_is_empty(result, *_):
    return np.allclose(np.triu(np.asarray(result, float), 1), 0)


def _diagonal_is_plain(result, q, k):
    plain = np.array([np.dot(a, b) for a, b in zip(q, k)]) / np.sqrt(np.shape(q)[-1])
    return np.allclose(np.diagonal(np.asarray(result, float)), plain, atol=1e-4)


def _made(seed, n, d):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)).round(2), rng.normal(size=(n, d)).round(2)


decoder_scores = Task(
    title="Bug hunt: the cache that keeps turning",
    minutes=10,
    difficulty=3,
    words="""Tokens come one by one. Their keys are kept in a cache, and RoPE turns what must be turned. For the first two tokens all
is well; from the third on the scores drift away from those of the whole text at once. Find out how often the key of
token 2 has been turned when token 6 comes, and mend the code.

`rotate(x, past=p)` turns the rows of x as at positions p, p + 1, …; without `past` as at 0, 1, …""",
    solution=_decoder_scores,
    given=_decoder_scores_given,
    expected=_expected,
    cases=[
        Case(Q, K, says="the five tokens", axes=(QUERY, KEY)),
        Case(np.tile(Q[2], (6, 1)), np.tile(K[4], (6, 1)), says="six times the same content", axes=("query", "key")),
        Case(*_made(0, 1, 4), says="one token", axes=("query", "key")),
        Case(*_made(1, 3, 2), says="one pair of channels", axes=("query", "key")),
        Case(*_made(2, 12, 8), says="twelve tokens, eight channels", axes=("query", "key")),
    ],
    draw=lambda rng: (
        rng.normal(size=(n := int(rng.integers(3, 9)), d := 2 * int(rng.integers(1, 5)))),
        rng.normal(size=(n, d)),
    ),
    properties=[
        Property(
            "nothing above the diagonal",
            _future_is_empty,
            "Some entry above the diagonal is not 0: those keys have not come yet.",
        ),
        Property(
            "the diagonal is q·k",
            _diagonal_is_plain,
            "The diagonal must be the bare q·k/√d: a token is at offset 0 from itself. Are query and new key turned by the same angle?",
        ),
    ],
    mistakes=[
        Mistake(
            _everything_at(lambda t: 0, lambda t: 0),
            "These are the scores without any position: every new token is turned as if it stood at 0. Give `past=t` to both.",
        ),
        Mistake(
            "rotate(k[t : t + 1], past=t)",
            "rotate(k[t : t + 1])",
            "The new key is not turned, or turned as if it stood at position 0, which is the same. It stands at t: `past=t`.",
        ),
        Mistake(
            "rotate(q[t : t + 1], past=t)",
            "rotate(q[t : t + 1])",
            "The new query is not turned, or turned as if it stood at position 0, which is the same. It stands at t: `past=t` was right. (Or are the old keys turned from t on, as if the oldest key stood at position t?)",
        ),
        Mistake(
            "rotate(k[t : t + 1], past=t)",
            "rotate(k[t : t + 1], past=t + 1)",
            "The key stands one place too far: the token at position t has seen t tokens before it.",
        ),
        Mistake(
            "query = rotate(q[t : t + 1], past=t)",
            "query = rotate(q[t : t + 1], past=t + 1)",
            "The query stands one place too far: before it came t tokens.",
        ),
        Mistake(
            _turned_twice,
            "Each key is turned twice by its own angle. Once is enough.",
        ),
        Mistake(
            "cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])",
            "cache = rotate(k[t : t + 1], past=t)",
            "Only the newest key is left, and its score fills the row: the cache has lost the older ones. Join them: `np.concatenate([cache, …])`.",
        ),
        Mistake(
            "cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])",
            "cache = rotate(k[t : t + 1])",
            "Only the newest key is left, and it is turned as at position 0. Join it to the cache, `np.concatenate([cache, …])`, turned by its own position.",
        ),
        Mistake(_weights, "These are weights: each row sums to 1. The scores are wanted, without the softmax."),
        Mistake(
            lambda q, k: np.tril(scores(rotate(q), rotate(k)), -1),
            "The diagonal is 0, and should not be: the token sees itself, too. `np.tril(…)` keeps it, `np.tril(…, -1)` does not.",
        ),
        Mistake(
            lambda q, k: np.tril(scores(rotate(k), rotate(q))),
            "Queries and keys have changed places: row t belongs to the query of token t, and the cache holds keys.",
        ),
        Mistake(
            "scores(query, cache)",
            "scores(cache, query)",
            "Query and keys have changed places: `scores(query, cache)` has one row, for the new query, and a column for each key.",
        ),
        Mistake(
            _last_key_only,
            "Each query meets only its own key: the old keys have gone from the cache.",
        ),
        Mistake(
            "np.concatenate([cache, rotate(k[t : t + 1], past=t)])",
            "np.concatenate([rotate(k[t : t + 1], past=t), cache])",
            "The new key comes first in the cache. Column j belongs to the token at position j.",
        ),
        Mistake(
            "np.concatenate([cache, rotate(k[t : t + 1], past=t)])",
            "np.concatenate([cache, rotate(q[t : t + 1], past=t)])",
            "There are queries in the cache. It holds keys.",
        ),
        Mistake(
            "query = rotate(q[t : t + 1], past=t)",
            "query = rotate(k[t : t + 1], past=t)",
            "The keys meet the keys: the new query is made of q.",
        ),
        Mistake(
            "scores(query, cache)",
            "scores(query, cache, scale=1.0)",
            "The scores are not scaled any more: `scores` divides by √d by itself.",
        ),
        Mistake(
            lambda q, k: scores(rotate(q), rotate(k)),
            "The scores are right, but those with keys that have not come yet must be 0.",
        ),
        Mistake(
            lambda q, k: np.triu(scores(rotate(q), rotate(k))),
            "You keep what lies above the diagonal. Row t has its t + 1 numbers on the left.",
        ),
        Mistake(
            lambda q, k: np.tril(scores(rotate(q, past=0), rotate(k, past=0)[::-1])),
            "The keys run backwards: the oldest comes first.",
        ),
        Mistake(
            lambda q, k: np.tril(scores(rotate(q, interleaved=True), rotate(k, interleaved=True))),
            "These are interleaved pairs. The code was half-split, and that was right.",
        ),
        Mistake(
            "return found",
            "return found[-1]",
            "Only the last row is returned. All of them are wanted.",
        ),
        Mistake(
            "found[t, : t + 1] = scores(query, cache)",
            "found[t, : t + 1] = (scores(query, cache) - np.max(scores(query, cache)))",
            "The largest score of each row is subtracted. That belongs to the softmax; here the bare scores are wanted.",
        ),
        Mistake(
            _kept_turning,
            "The whole cache is turned at every step, and now by `past=t` on top of it. Only the new key is to be turned, before it joins the others.",
        ),
    ],
    alternatives=[_all_at_once, _bare_cache, _expected],
    hints=[
        "What is in `cache` when the loop comes around: bare keys or turned ones? And what happens to them next?",
        "Either turn each key once, before it goes into the cache, or keep bare keys and turn them for use.",
        "What joins the cache is then turned already, and is not touched again: turn only the new key, by its own position.",
    ],
)
