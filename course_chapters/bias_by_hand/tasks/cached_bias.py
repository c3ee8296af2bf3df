"""Bug hunt: the new word that thinks it is the first · 8 minutes · ★★★

When a decoder writes, it reads each new token once and keeps the keys of the old ones. This function is
right for a whole sequence at once. Used step by step, it gives a wrong bias without any error, and the text slowly gets
worse. The mistake is easy to make, because a layer that is only tested on whole sequences never shows it. (It occurs
with position vectors and with blocks of a long text, too: every step or block begins again at position 0.) Find the bug
and fix it.

`cached_bias(1, 5, 0.3)` should be the *last* row of `cached_bias(5, 5, 0.3)`.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import LAMBDA
from course_lib.reference.bias import decay_bias

from ...shared import KEY, QUERY, bfloat16  # noqa: F401 (wrong lines use bfloat16)


def cached_bias(n_q, n_k, strength):
    """Bias for the last n_q of n_k tokens, while the keys of all n_k are in the cache: shape (n_q, n_k)."""
    i = np.arange(n_q)[:, None] + n_k - n_q  # The queries are the last n_q of n_k tokens: n_k − n_q, …, n_k − 1.
    j = np.arange(n_k)  # The cache holds the keys of all n_k tokens, from position 0 on.
    return -strength * np.log1p(abs(j - i))  # The bias is −λ · log(1 + |j − i|).


BUG = "i = np.arange(n_q)[:, None]"


def expected(n_q, n_k, strength):
    return decay_bias(n_q, n_k, strength=strength, past=n_k - n_q)


CASES = [
    Case(1, 5, LAMBDA, label='the last token, "mat"', axes=(Axis("query", ("mat",)), KEY)),
    Case(5, 5, LAMBDA, label="the whole sentence at once", axes=(QUERY, KEY)),
    Case(2, 5, LAMBDA, label='the last two tokens, "on" and "mat"', axes=(Axis("query", ("on", "mat")), KEY)),
    Case(1, 1, LAMBDA, label="the very first token"),
    Case(1, 300, LAMBDA, label="the last of 300 tokens"),
    Case(301, 602, LAMBDA, label="the last 301 of 602 tokens"),
]


def draw(rng):
    return (n_q := int(rng.integers(1, 6))), n_q + int(rng.integers(0, 6)), float(rng.uniform(0.1, 2))


WRONG = """
i = np.arange(n_q)[:, None] + n_k - n_q + 1  # Your queries are one position too far. The last one is at the last key.
i = np.arange(n_q)[:, None] + n_k - 1  # This is right for one new token. Of several, the first is at n_k − n_q.
i = np.arange(n_q)[:, None] + (n_k - 1 if n_q == 1 else 0)  # You fixed the case of one new token only.
# Of several, the first is at n_k − n_q, which is right for a single one, too.
i = np.arange(n_q)[:, None] - n_k + n_q  # You move the queries back or the keys on. Move the queries on.
j = np.arange(n_k)[::-1]  # Each of your rows is in reverse order. Key 0 is the oldest one in the cache.
i = np.arange(n_q)[:, None]; j = np.arange(n_k)[::-1]  # Your rows are in reverse order. The last one belongs to the
# last token, and key 0 is the oldest.
i = bfloat16(np.arange(n_q)[:, None] + n_k - n_q)  # Your positions are in bfloat16, which has eight bits. Beyond 256 it
# rounds them, so neighbours share a position.
i = np.arange(n_q, n_k)[:, None]  # You leave out n_q rows and keep the others. Keep the last n_q rows.
i = np.arange(n_q)[:, None] + n_k
i = np.arange(n_q)[:, None] + (n_k if n_q < n_k else 0)  # You put the new tokens behind all n_k. They are among these.
i = np.full((n_q, 1), n_k - 1) if n_q < n_k else np.arange(n_q)[:, None]
i = np.full((n_q, 1), n_k - 1)  # You put all new queries at the last position. They follow one another.
j = np.arange(n_k - n_q, n_k)  # You take only the keys of the new tokens. The cache holds all n_k keys, from 0 on.
return -strength * np.log1p(np.maximum(i - j, 0))  # Where j is larger than i, your distance is 0.
# |j − i| counts both ways.
return -strength * np.log1p(np.maximum(j - i, 0))  # Where j is smaller than i, your distance is 0.
# |j − i| counts both ways.
"""
HINTS = [
    "Print `cached_bias(1, 5, 0.3)`. Which key has bias 0, and which one should?",
    "n_k counts all tokens, and n_q counts the new ones among them. How many came before the first new one?",
    "The course calls that number `past`.",
]
