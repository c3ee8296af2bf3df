"""The bias of a decoder that keeps its keys."""

import numpy as np

from ...example import LAMBDA
from ...reference.bias import decay_bias
from ..engine import Axis, Case, Mistake, Task
from .common import KEY, QUERY


def _cached_bias(n_q, n_k, scale):
    """Bias for the last n_q of n_k tokens, while the keys of all n_k are in the cache: shape (n_q, n_k)."""
    i = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)
    return -scale * np.log1p(abs(j - i))


def _cached_bias_given(n_q, n_k, scale):
    """Bias for the last n_q of n_k tokens, while the keys of all n_k are in the cache: shape (n_q, n_k)."""
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    return -scale * np.log1p(abs(j - i))


cached_bias = Task(
    title="Bug hunt: the new word that thinks it is the first",
    minutes=8,
    difficulty=3,
    words="""When a decoder writes, it reads each new token once and keeps the keys of the old ones. This function is right
for a whole sequence at once. Step by step it gives the wrong bias without any error, and the text slowly gets worse.
It is easy to write: a layer that is only tested on whole sequences never shows it. Find the bug and mend it.

`cached_bias(1, 5, 0.3)` should be the *last* row of `cached_bias(5, 5, 0.3)`.""",
    solution=_cached_bias,
    given=_cached_bias_given,
    expected=lambda n_q, n_k, scale: decay_bias(n_q, n_k, scale=scale, past=n_k - n_q),
    cases=[
        Case(1, 5, LAMBDA, says='the last token, "mat"', axes=(Axis("query", ("mat",)), KEY)),
        Case(5, 5, LAMBDA, says="the whole sentence at once", axes=(QUERY, KEY)),
        Case(2, 5, LAMBDA, says='the last two tokens, "on" and "mat"', axes=(Axis("query", ("on", "mat")), KEY)),
        Case(1, 1, LAMBDA, says="the very first token", axes=("query", "key")),
    ],
    draw=lambda rng: (n_q := int(rng.integers(1, 6)), n_q + int(rng.integers(0, 6)), float(rng.uniform(0.1, 2))),
    mistakes=[
        Mistake(
            " + n_k - n_q",
            "",
            "Query 0 still stands at position 0. Where does it stand when older tokens came before it?",
        ),
        Mistake(
            " + n_k - n_q",
            " + n_k",
            "One step too far for each new token: the first new query stands at n_k − n_q, because its own key is in the cache already.",
        ),
        Mistake(
            " + n_k - n_q",
            " + n_k - 1",
            "Right for a single new token. With several, the first of them stands at n_k − n_q.",
        ),
        Mistake(
            " + n_k - n_q",
            " + n_k - n_q + 1",
            "One position too far: the last query must meet its own key, the last one, at distance 0.",
        ),
        Mistake(
            " + n_k - n_q",
            " - n_k + n_q",
            "The shift has the wrong sign: queries stand at the end of the keys, not before their beginning.",
        ),
        Mistake(
            "[:, None]",
            "",
            "Your queries lie in a row, as the keys do, so that query 0 meets key 0 only. `[:, None]` makes a column of them.",
        ),
        Mistake(
            "np.arange(n_k)",
            "np.arange(n_k - n_q, n_k)",
            "These are the keys of the new tokens alone. The cache holds all n_k keys, from position 0 on.",
        ),
        Mistake(
            "np.arange(n_q)[:, None] + n_k - n_q",
            "np.arange(n_q, n_k)[:, None]",
            "You leave out n_q rows and keep n_k − n_q. The last n_q of n_k tokens stand at n_k − n_q, …, n_k − 1.",
        ),
        Mistake(
            "np.arange(n_q)[:, None] + n_k - n_q",
            "np.full((n_q, 1), n_k - 1)",
            "All queries stand at the last position. They follow one another: n_k − n_q, n_k − n_q + 1, …",
        ),
    ],
    alternatives=[
        lambda n_q, n_k, scale: decay_bias(n_k, scale=scale)[n_k - n_q :],
        lambda n_q, n_k, scale: decay_bias(n_q, n_k, scale=scale, past=n_k - n_q),
    ],
    hints=[
        "Print `cached_bias(1, 5, 0.3)`. Which key has bias 0, and which one should?",
        "n_k counts all tokens, n_q the new ones among them. How many came before the first new one?",
        "The course calls that number `past`.",
    ],
)
