"""Bug hunt: the wrong corner · 10 minutes · ★★★

This layer is right for a whole text. With a cache, however, the newest token looks at the *first* key and at nothing
else, and once that is fixed, it still gets the bias of the first token. The code does what `is_causal=True` does when
there are fewer queries than keys. It is wrong in two places, for one reason. The outputs of new tokens must equal the
last rows of the output for the whole text.
"""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_kit.checking import Axis, Case
from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.bias import decay_bias

from ..shared import NUMBER, QUERY, normal


def decode_step(q, k, v, strength):
    """Causal attention of the newest tokens with the log-decay bias: (heads, n_q, d).

    q (heads, n_q, d) are the queries of the last n_q of n_k tokens; k and v (heads, n_k, d)
    come from the cache, which holds all n_k.
    """
    # The lengths are axis 1 of (heads, length, d), and n_k − n_q tokens came before the new ones.
    n_q, n_k, past = q.shape[1], k.shape[1], k.shape[1] - q.shape[1]
    i = past + torch.arange(n_q)[:, None]  # The new tokens are at `past`, `past` + 1, …, where `past` is n_k − n_q.
    j = torch.arange(n_k, dtype=q.dtype)  # The keys are at 0, 1, …, n_k − 1.
    bias = -strength * torch.log1p(abs(j - i))  # The bias is −strength · log(1 + |j − i|), as in the given code.
    # Each query sees the keys up to its own position, so the triangle moves to the right by n_k − n_q.
    visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), past)
    mask = bias.masked_fill(~visible, -torch.inf)  # A pair that is not visible has −∞, because e^−∞ is 0.
    return sdpa(q, k, v, attn_mask=mask)  # SDPA takes q, k, v and the mask, as in the given code.


def expected(q, k, v, strength):
    n_q, n_k = q.shape[1], k.shape[1]
    bias, mask = decay_bias(n_q, n_k, strength=strength, past=n_k - n_q), causal_mask(n_q, n_k, n_k - n_q)
    return attention(q, k, v, bias=bias, mask=mask)[0]


def draw(rng):
    n_q = int(rng.integers(1, 5))
    return *random(rng, int(rng.integers(1, 4)), n_q, n_q + int(rng.integers(5))), float(rng.uniform(0.3, 2))


def random(rng, heads, n_q, n_k):
    """Queries, keys and values of four numbers."""
    return normal(rng, heads, n_q, 4), normal(rng, heads, n_k, 4), normal(rng, heads, n_k, 4)


def sentence(first, label, query):
    """The queries of the sentence from `first` on, with all keys."""
    return Case(Q[None, first:], K[None], V[None], LAMBDA, label=label, axes=("head", query, NUMBER))


BUG = """
n_q, n_k = q.shape[1], k.shape[1]
i = torch.arange(n_q)[:, None]
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool))
"""
TENSORS = True
CASES = [
    sentence(4, 'the newest token, "mat", after four', Axis("query", ("mat",))),
    sentence(0, "the whole sentence at once", QUERY),
    sentence(3, 'the last two tokens, "on" and "mat"', Axis("query", ("on", "mat"))),
    Case(*random(np.random.default_rng(1), 1, 1, 1), 0.5, label="the very first token"),
]
WRONG = """
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool))  # The bias is right now, but query 0 sees only key 0. The
# triangle is in the top left corner; move it to the right by the number of tokens before the new ones.
i = torch.arange(n_q)[:, None]  # The right keys are visible now, but the bias still has the first query at position 0.
visible = j < n_k  # Nothing is hidden. This is right for one new token, but of several, none must see a later one.
visible = j < n_k if n_k > n_q else j <= i  # With a cache you hide nothing. New tokens must not see later ones.
i = n_q + torch.arange(n_q)[:, None]; visible = j <= i  # You begin at the number of new tokens. How many came before?
i = n_k - 1 + torch.arange(n_q)[:, None]; visible = j <= i  # Right for one new token. Of several, how many came before?
i = n_k + torch.arange(n_q)[:, None]; visible = j <= i  # The cache has the new tokens already. How many came before?
i = torch.full((n_q, 1), n_k - 1)  # All your new tokens have the bias of the last one. Each has its own position.
bias = -strength * torch.log(abs(j - i))  # You take log d, and a token is at distance 0 from itself. `log1p` was right.
bias = 0.0 * (j - i)  # Your bias is none, or the same for all pairs, which cancels in the softmax.
bias = -strength  # Your bias is a single number. It has one for each pair, −strength · log(1 + |j − i|).
mask = bias.masked_fill(~visible, 0.0)  # You give hidden keys a bias of 0. Only −∞ hides a key.
return sdpa(q, k, v, is_causal=True)  # `is_causal=True` *is* the bug, because its triangle is in the top left corner.
return sdpa(q, k, v, attn_mask=mask, is_causal=True)  # SDPA takes a mask *or* `is_causal=True`, which is the bug.
k = k[:, -q.shape[1]:]; v = v[:, -q.shape[1]:]  # You keep only the last n_q keys. New tokens look at all n_k keys.
return (q @ k.mT + mask).softmax(-1) @ v  # You do not divide the scores by √d. SDPA does it for you.
n_q, n_k, past = q.shape[0], k.shape[1], k.shape[1] - q.shape[0]
n_q, n_k, past = q.shape[1], k.shape[0], k.shape[0] - q.shape[1]
n_q, n_k, past = q.shape[0], k.shape[0], k.shape[0] - q.shape[0]  # You take the number of heads, axis 0.
n_q, n_k, past = k.shape[1], k.shape[1], 0  # You take the number of keys for n_q. It is that of the *new* queries.
n_q, n_k, past = q.shape[1], q.shape[1], 0  # You take the number of queries for n_k. It is that of all keys.
i = past + torch.arange(n_k)[:, None]  # Your bias has a row for every key. Its rows are the new queries.
visible = torch.tril(torch.ones(n_k, n_k, dtype=torch.bool), past)  # Your triangle has too many rows, one for every key.
visible = torch.tril(torch.ones(n_q, n_q, dtype=torch.bool), past)  # Your triangle needs a column for every key.
"""
HINTS = [
    "Print `visible` for one query and five keys. Which keys should the newest token see?",
    "The cache holds n_k tokens, and the n_q new ones are among them. How many came before? Call this `past`.",
    "The first query is at position `past`. This moves the triangle (`torch.tril(…, past)`) and goes into `i`.",
]
