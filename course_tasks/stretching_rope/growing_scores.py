"""Bug hunt: keys with the angles of yesterday."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.example import K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import dynamic_ntk

from ..shared import KEY, QUERY, normal


def _growing_scores(q, k, length):
    """Scores of tokens that come one by one, with dynamic NTK: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been rotated. length: tokens of training.
    """
    theta = frequencies(q.shape[-1])
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        speeds = dynamic_ntk(theta, t + 1, length)
        cache = np.concatenate([cache, k[t : t + 1]])
        query, keys = rotate(q[t : t + 1], past=t, speeds=speeds), rotate(cache, speeds=speeds)
        found[t, : t + 1] = scores(query, keys)
    return found


def _with_the_bug(q, k, length):
    """Scores of tokens that come one by one, with dynamic NTK: (n, n), 0 where a query cannot look yet.

    Row t of q and k (n, d) belongs to the token at position t, and has not been rotated. length: tokens of training.
    """
    theta = frequencies(q.shape[-1])
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        speeds = dynamic_ntk(theta, t + 1, length)
        cache = np.concatenate([cache, rotate(k[t : t + 1], past=t, speeds=speeds)])
        query = rotate(q[t : t + 1], past=t, speeds=speeds)
        found[t, : t + 1] = scores(query, cache)
    return found


def _pair_by_pair(q, k, length):
    """Row i has the speeds of a text of i + 1 tokens; in complex numbers, so no vector is rotated."""
    n, d = np.shape(q)
    wanted, half = np.zeros((n, n)), d // 2
    for i in range(n):
        stretched = max(1.0, (i + 1) / length)
        theta = 10_000.0 ** (-2 * np.arange(half) / d) / stretched ** (np.arange(half) / (half - 1))
        for j in range(i + 1):
            z = np.conj(q[i][:half] + 1j * q[i][half:]) * (k[j][:half] + 1j * k[j][half:])
            wanted[i, j] = (z * np.exp(1j * (j - i) * theta)).real.sum() / np.sqrt(d)
    return wanted


def _turned_on(q, k, length):
    """Also right: the cache holds rotated keys, and each step rotates them on by the difference of the speeds."""
    theta = frequencies(q.shape[-1])
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    before = theta
    for t in range(len(q)):
        speeds = dynamic_ntk(theta, t + 1, length)
        cache = np.concatenate([rotate(cache, speeds=speeds - before), rotate(k[t : t + 1], past=t, speeds=speeds)])
        before = speeds
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t, speeds=speeds), cache)
    return found


def _draw(rng, n=None, d=None):
    n, d = n or int(rng.integers(5, 9)), d or 2 * int(rng.integers(2, 5))
    return normal(rng, n, d), normal(rng, n, d), int(rng.integers(2, 4))


def _made(seed, n, d):
    return [x.round(2) if isinstance(x, np.ndarray) else x for x in _draw(np.random.default_rng(seed), n, d)]


growing_scores = CodingTask(
    title="Bug hunt: keys with the angles of yesterday",
    minutes=12,
    difficulty=3,
    words="""With dynamic NTK the speeds depend on the length of the text so far. Tokens come one by one, and their keys
are kept in a cache. When token t has come, the text has t + 1 tokens. Its query and *all* keys up to its own should then
be rotated with the speeds for t + 1 tokens. This code gives the right scores up to the training length, and wrong ones
beyond it. Fix it.

`rotate(x, past=t, speeds=…)` rotates the rows of x as tokens at the positions t, t + 1, … Without `past` they begin at 0.

This was reported in 2023 as
[transformers, issue 25104](https://github.com/huggingface/transformers/issues/25104). An author of the method answered in
[pull request 24653](https://github.com/huggingface/transformers/pull/24653) that such a model "works without problems" all
the same. The angles are wrong, but they change slowly from token to token.""",
    solution=_growing_scores,
    starter=_with_the_bug,
    expected=_pair_by_pair,
    cases=[
        Case(Q, K, 2, label="the five tokens, trained on two", axes=(QUERY, KEY)),
        Case(Q, K, 5, label="the five tokens, trained on five", axes=(QUERY, KEY)),
        Case(np.tile(Q[2], (8, 1)), np.tile(K[4], (8, 1)), 2, label="eight times the same content", axes=("query", "key")),
        Case(*_made(0, 1, 4), label="one token", axes=("query", "key")),
        Case(*_made(1, 12, 8), label="twelve tokens, eight channels", axes=("query", "key")),
    ],
    draw=_draw,
    properties=[
        Property(
            "nothing above the diagonal",
            lambda result, *_: np.allclose(np.triu(np.asarray(result, float), 1), 0),
            "Some entry above the diagonal is not 0. Those keys have not come yet.",
        ),
        Property(
            "the diagonal is q·k/√d",
            lambda result, q, k, _: np.allclose(np.diagonal(result), (q * k).sum(-1) / np.sqrt(q.shape[-1]), atol=1e-4),
            "The diagonal should be q·k/√d without any rotation, because a token is at offset 0 from itself. Do you "
            "rotate the query and the new key by the same angle?",
        ),
    ],
    pieces="""
scores(query, keys)
    the call of `scores`: It takes the new query and all keys, which gives a row with a column per key.
dynamic_ntk(theta, t + 1, length)
    the list of speeds: When token t has come, the text has t + 1 tokens.
frequencies(q.shape[-1])
    the list of speeds in training: It is that of d channels.
rotate(cache, speeds=speeds)
    the rotation of the keys: All keys are rotated from position 0 on, by the speeds of this step.
query
    the query: It is row t of q, rotated by its position t with the speeds of this step.
t + 1
    the number t + 1: Token t makes a text of t + 1 tokens.
""",
    slips="""
np.concatenate([cache, k[t : t + 1]]) → np.concatenate([cache, rotate(k[t : t + 1], past=t, speeds=speeds)])
    Your cache still holds rotated keys, and then you rotate them again. Put the keys into it as they come.
np.concatenate([cache, k[t : t + 1]]) → np.concatenate([cache, rotate(k[t : t + 1], past=t, speeds=speeds)])
rotate(cache, speeds=speeds) → cache
    The keys in your cache keep the angles of the step in which they came. Queries use the speeds of today.
np.concatenate([cache, k[t : t + 1]]) → rotate(np.concatenate([cache, k[t : t + 1]]), speeds=speeds)
rotate(cache, speeds=speeds) → cache
    You rotate the whole cache at every step and keep the result, so old keys are rotated again and again. Keep the keys
    as they come, and rotate a copy of them.
rotate(cache, speeds=speeds) → cache
    Your keys are not rotated at all. They go into the cache as they are, but `scores` needs them rotated.
rotate(cache, speeds=speeds) → rotate(cache)
    Your keys are rotated with the speeds of training. They need the same speeds as the query.
rotate(cache, speeds=speeds) → rotate(cache, speeds=dynamic_ntk(theta, len(q), length))
    Your keys have the speeds of the whole text. At step t it has t + 1 tokens.
dynamic_ntk(theta, t + 1, length) → dynamic_ntk(theta, len(q), length)
    You use the speeds of the whole text at every step. At step t the text has t + 1 tokens.
dynamic_ntk(theta, t + 1, length) → dynamic_ntk(theta, length, t + 1)
    You exchanged two arguments of `dynamic_ntk`. First comes the length of the text, t + 1, and then that of training.
speeds = dynamic_ntk(theta, t + 1, length) → speeds = theta = dynamic_ntk(theta, t + 1, length)
    You stretch speeds that were stretched at the step before. Each step begins with the speeds of training.
dynamic_ntk(theta, t + 1, length) → theta / ((t + 1) / length) ** (np.arange(len(theta)) / (len(theta) - 1))
    Your s is below 1 for texts shorter than those of training, which makes the pairs faster. Up to `length` tokens the
    speeds do not change.
dynamic_ntk(theta, t + 1, length) → theta / max(1, (t + 1) / length)
    You divide all speeds by the same number, which is position interpolation. Dynamic NTK leaves pair 0 as it is.
dynamic_ntk(theta, t + 1, length) → theta
    You use the speeds of training at every step, which is RoPE without a repair.
dynamic_ntk(theta, t + 1, length) → dynamic_ntk(theta, t, length) if t else theta
    You count one token too few. When token t has come, the text has t + 1 tokens.
rotate(q[t : t + 1], past=t, speeds=speeds) → rotate(q[t : t + 1], past=t)
    Your query is rotated with the speeds of training. It needs those of this step, as the keys do.
rotate(q[t : t + 1], past=t, speeds=speeds) → rotate(q[t : t + 1], speeds=speeds)
    Your query is not rotated, or rotated as at position 0, which is the same. It is at position t, so it needs
    `past=t`. (The same scores come out if you rotate the query by t and the keys from position t on.)
rotate(q[t : t + 1], past=t, speeds=speeds) → rotate(q[t : t + 1], past=t + 1, speeds=speeds)
    The angle between query and keys is one position too large. Token t is at position t, and the keys begin at 0.
rotate(cache, speeds=speeds) → np.concatenate([cache[:-1], rotate(cache[-1:], past=t, speeds=speeds)])
    You rotate only the newest key. All keys in the cache are rotated, each by its own position.
found[t, : t + 1] = scores(query, keys) → found[t, :t] = scores(query, keys[:-1])
    Your queries do not look at the key of their own token. Query t looks at keys 0 to t.
scores(query, keys) → np.exp(scores(query, keys)) / np.exp(scores(query, keys)).sum()
    You applied a softmax. The task asks for the numbers before it.
np.concatenate([cache, k[t : t + 1]]) → k[: t + 1][::-1]
    Your keys are in reverse order. The oldest should come first.
np.concatenate([cache, k[t : t + 1]]) → np.concatenate([cache, q[t : t + 1]])
rotate(q[t : t + 1], past=t, speeds=speeds) → rotate(k[t : t + 1], past=t, speeds=speeds)
    Queries and keys have changed places. Rows belong to queries, columns to keys.
np.concatenate([cache, k[t : t + 1]]) → np.concatenate([cache, q[t : t + 1]])
    Your cache holds queries. It should hold keys.
return found → return found[-1]
    You return only the last row. All of them are asked for.
... → return scores(rotate(q), rotate(k))
    These are the scores of plain RoPE for a text that is read at once, with keys that have not come yet.
... → return np.tril(scores(rotate(q), rotate(k)))
    You use the speeds of training at every step, which is RoPE without a repair.
""",
    alternatives=[_pair_by_pair, _turned_on],
    hints=[
        "Let L = 2. Which speeds does the key of token 1 have in the cache, and which has the query of token 7?",
        "The angle between query and key should be (j − i) θ′ with *one* list of speeds.",
        "Keep the keys as they come, and rotate the whole cache with the speeds of this step.",
    ],
)


@growing_scores.wrong(
    "Each score has the speeds of the step in which its key came. Query and key need the speeds of the query's step."
)
def _speeds_of_the_key(q, k, length):
    theta, found = frequencies(q.shape[-1]), np.zeros((len(q), len(k)))
    for j in range(len(k)):
        speeds = dynamic_ntk(theta, j + 1, length)
        found[j:, j] = scores(rotate(q, speeds=speeds), rotate(k, speeds=speeds))[j:, j]
    return found
