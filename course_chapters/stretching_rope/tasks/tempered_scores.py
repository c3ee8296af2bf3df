r"""Bug hunt: the temperature that misses some channels · 10 minutes · ★★

DeepSeek-V3 rotates only some channels of a head and compares the others as they are. YaRN divides *every score* by its
temperature $t$, so it multiplies them by $1/t = (0.1 \ln s + 1)^2$. This code puts the factor on cos and sin, as other
models do. Why is that not enough here? Fix the code. Two programs were reported in which the factor on the whole score
was missing:
[transformers, pull request 47435](https://github.com/huggingface/transformers/pull/47435) and
[onnxruntime/mobius, pull request 548](https://github.com/onnxruntime/mobius/pull/548).

`rotate(x, speeds=theta, factor=f)` multiplies by f what it turns, and only that.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.attention import scores
from course_lib.reference.rope import rotate
from course_lib.reference.speeds import yarn_factor

from ...shared import KEY, QUERY, normal


def tempered_scores(q, k, turning, s):
    """Scores (n, n) with RoPE and YaRN's temperature: every score is multiplied by 1/t = (0.1 ln s + 1)².

    q, k (n, d). Only the first `turning` channels are rotated, and the others are compared as they are.
    """
    f = 0.1 * np.log(s) + 1  # The factor f is 0.1 · ln s + 1, with the natural logarithm.
    theta = frequencies(turning)  # The speeds are those of a small RoPE with `turning` channels.
    query = rotate(q, speeds=theta)  # The query is rotated in its first channels, without a factor.
    key = rotate(k, speeds=theta)  # The key is rotated in its first channels, without a factor.
    return f**2 * scores(query, key)  # Every score is multiplied by f², whether its channels turn or not.


def expected(q, k, turning, s):
    """The product of the turning channels by themselves, plus the plain product of the others."""
    turned = rotate(q[:, :turning]) @ rotate(k[:, :turning]).T
    return yarn_factor(s) ** 2 * (turned + q[:, turning:] @ k[:, turning:].T) / np.sqrt(q.shape[-1])


def draw(rng):
    d, n = 2 * int(rng.integers(2, 6)), int(rng.integers(2, 7))
    return normal(rng, n, d), normal(rng, n, d), 2 * int(rng.integers(1, d // 2)), float(rng.uniform(2, 40))


BUG = """
query = rotate(q, speeds=theta, factor=f)
key = rotate(k, speeds=theta, factor=f)
return scores(query, key)
"""
RNG = np.random.default_rng(3)
SOME = normal(RNG, 2, 6, 8).round(2)
CASES = [
    Case(Q, K, 2, 8.0, label="the five tokens, two of four channels turn", axes=(QUERY, KEY)),
    Case(SOME[0], SOME[1], 4, 40.0, label="six tokens, four of eight channels turn", axes=("query", "key")),
    Case(SOME[0], SOME[1], 8, 8.0, label="all channels turn", axes=("query", "key")),
    Case(SOME[0], SOME[1], 2, 1.0, label="s = 1: no temperature", axes=("query", "key")),
    Case(SOME[0][:1], SOME[1][:1], 4, 16.0, label="one token", axes=("query", "key")),
]
WRONG = """
query = rotate(q, speeds=theta, factor=f); key = rotate(k, speeds=theta, factor=f)  # The channels that turn now have
# the temperature twice, f⁴. Is the factor of `rotate` still there?
query = rotate(q, speeds=theta, factor=f); return f * scores(query, key)  # The channels that turn now have f², but the
# others have only f. A score is multiplied by f² in all its channels.
query, key = (rotate(x, speeds=theta, factor=f**2) for x in (q, k)); return scores(query, key)  # The channels that turn
# now have f⁴, and the others still have no factor. All should have f².
return f * scores(query, key)  # You multiply by f, as if only the query carried it. The key does as well, so it is f².
return 2 * f * scores(query, key)  # You multiply by 2f. The factor of query times the factor of key is f².
return scores(query, key)  # Your scores have no temperature at all.
return scores(query, key) + (f**2 - 1) * q[:, turning:] @ k[:, turning:].T / q.shape[-1] ** 0.5  # Only the channels
# that do not turn have f² now. A score is multiplied by f² in all its channels.
return f**2 * scores(query, key, scale=1 / np.sqrt(turning))  # You scale by √turning. A score has all d channels.
return f**2 * scores(query, key) / np.sqrt(turning)  # You scale the scores twice. `scores` divides by √d itself.
return f**2 * scores(query[:, :turning], key[:, :turning])
return f**2 * scores(query[:, :turning], key[:, :turning], scale=1 / np.sqrt(q.shape[-1]))  # You left out the channels
# that do not turn. They belong to the score as well.
query, key = (rotate(x, speeds=theta, interleaved=True) for x in (q, k))  # You pair neighbouring channels. The given
# code pairs channel m with m + turning/2.
return f**2 * scores(query * np.where(np.arange(len(q[0])) < turning, turning, len(q[0]) - turning)**-0.5, key, scale=1)
# You scale the two parts of a score by roots of their own lengths. Both belong to one score, divided by √d.
query, key = rotate(q), rotate(k)  # You rotate all channels. Only the first `turning` ones are rotated.
query, key = q, k  # Nothing is rotated any more. The first `turning` channels should be.
query, key = (rotate(np.roll(x, turning, -1), speeds=theta) for x in (q, k))  # You rotate the last channels.
query, key = rotate(q, speeds=theta, factor=f**2), k; return scores(query, key)
# Your keys are not rotated. The first `turning` channels of query and key both are.
f = 0.1 * np.log10(s) + 1
f = 0.1 * np.log2(s) + 1  # Your logarithm has another base. It is the natural one, `np.log`.
f = 0.1 * (np.log(s) + 1)  # You multiply ln s + 1 by 0.1. Only the logarithm is multiplied by 0.1.
f = 0.1 * np.log(s + 1)  # You take the logarithm of s + 1. The 1 is added outside.
theta = frequencies(turning) / s  # You divide the speeds by s as well. This task asks for the temperature alone.
theta = frequencies(q.shape[-1])[:turning // 2]  # These speeds are those of all d channels. Use `frequencies(turning)`.
theta = np.append(frequencies(turning), np.zeros((q.shape[-1] - turning) // 2))  # You pair m with m + d/2, as
# `rotate` does with further speeds of 0. The pairs are m and m + turning/2.
"""
HINTS = [
    "Let all channels turn: are the scores right then? And if hardly any do?",
    "A score is a sum over channels. Which summands get f² in the given code?",
    "Leave the rotation without a factor, and multiply the whole score.",
]
