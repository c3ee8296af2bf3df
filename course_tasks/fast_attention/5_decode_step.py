"""Bug hunt: the wrong corner · 10 minutes · ★★★

This layer is right for a whole text. With a cache, however, the newest token looks at the *first* key and at nothing
else, and once that is fixed, it still gets the bias of the first token. The code does what `is_causal=True` does when there
are fewer queries than keys. It is wrong in two places, for one reason. The outputs of new tokens must equal the last rows
of the output for the whole text.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.example import LAMBDA, K, Q, V
from course_lib.reference.attention import attention, causal_mask
from course_lib.reference.bias import decay_bias

from .common import LAST_TWO, NUMBER, QUERY, sdpa, torch


def decode_step(q, k, v, scale):
    """Causal attention of the newest tokens with the log-decay bias: (heads, n_q, d).

    q (heads, n_q, d) are the queries of the last n_q of n_k tokens; k and v (heads, n_k, d)
    come from the cache, which holds all n_k.
    """
    n_q, n_k = q.shape[1], k.shape[1]  # The axes are (heads, length, d), so both lengths are axis 1.
    # `past` is the number of tokens before the new ones, n_k − n_q. The queries begin at position `past`, and the
    # triangle moves to the right by `past`.
    past = n_k - n_q
    i = past + torch.arange(n_q)[:, None]  # The new tokens are at past, past + 1, …
    j = torch.arange(n_k, dtype=q.dtype)
    # The offset is key minus query, as in the given code. The distance is |j − i|, as in the given code. The decay is
    # −scale · log(1 + |j − i|), as in the given code.
    bias = -scale * torch.log1p(abs(j - i))
    # Each query sees the keys up to its own position.
    visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), past)
    # −∞ is for the pairs that are not visible. The score of hidden keys is −∞, because e^−∞ is 0.
    mask = bias.masked_fill(~visible, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)  # SDPA takes q, k, v and the mask, as in the given code.


def expected(q, k, v, scale):
    n_q, n_k = q.shape[1], k.shape[1]
    past = n_k - n_q
    bias = decay_bias(n_q, n_k, scale=scale, past=past)
    return attention(q, k, v, bias=bias, mask=causal_mask(n_q, n_k, past))[0]


def _random(rng, heads, n_q, n_k, d=4):
    return rng.normal(size=(heads, n_q, d)), rng.normal(size=(heads, n_k, d)), rng.normal(size=(heads, n_k, d))


def draw(rng):
    inner, heads, n_q = np.random.default_rng(int(rng.integers(1000))), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    return *_random(inner, heads, n_q, n_q + int(rng.integers(5))), float(rng.uniform(0.3, 2))


def _sentence(first, label, query):
    """The queries of the sentence from `first` on, with all keys."""
    q, k, v = (np.array(x)[None] for x in (Q, K, V))
    return Case(q[:, first:], k, v, LAMBDA, label=label, axes=("head", query, NUMBER))


BUG = "i = torch.arange(n_q)[:, None]; visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool))"


TENSORS = True


CASES = [
    _sentence(4, 'the newest token, "mat", after four', Axis("query", ("mat",))),
    _sentence(0, "the whole sentence at once", QUERY),
    _sentence(3, 'the last two tokens, "on" and "mat"', LAST_TWO),
    Case(*_random(np.random.default_rng(0), 2, 3, 9), 1.0, label="three tokens after six, two heads"),
    Case(*_random(np.random.default_rng(1), 1, 1, 1), 0.5, label="the very first token"),
]


AXES = ("head", "query", "number")


WRONG = """
bias = -scale * torch.log(abs(j - i))  # You take the logarithm of the distance, and a token is at distance 0 from
# itself. The given code has `log1p`.
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool))  # The bias is right now, but the triangle is still in the
# top left corner, so query 0 sees only key 0. Move it to the right by `past`.
i = torch.arange(n_q)[:, None]  # The right keys are visible now, but the bias still takes the first query for position
# 0. It is at position `past`.
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), n_k)  # Nothing is hidden. This is right for one new
# token, but of several, the first must not see the later ones.
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), n_k if past else 0)  # With a cache you hide nothing. This
# is right for one new token, but of several, the first must not see the later ones.
visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), n_q)  # You move the triangle by the number of new tokens.
# How many came *before* them?
past = n_k - 1  # This is right for one new token. With several, the first of them is at n_k − n_q.
past = n_q  # You use the number of new tokens. `past` is the number of tokens before them, n_k − n_q.
past = 0  # Triangle and bias still take the first new token for token 0. How many tokens came before it?
i = past + torch.zeros(n_q, 1)  # All new queries get the position of the first. They follow one another.
bias = -torch.log1p(abs(j - i))  # Your bias does not use `scale`.
bias = -torch.log1p(abs(j - i)) / scale  # You divide by `scale`. It multiplies the logarithm.
bias = -scale * scale * torch.log1p(abs(j - i))  # You multiply by `scale` twice.
bias = -scale + 0.0 * abs(j - i)  # Your bias has no effect, because there is none or it is the same for all pairs,
# which cancels in the softmax.
bias = -scale  # Your bias is a single number, because the logarithm is missing.
mask = bias.masked_fill(~visible, 0.0)  # You give hidden keys a bias of 0. Only −∞ hides a key.
return sdpa(q, k, v, is_causal=True)  # `is_causal=True` *is* the bug, because its triangle is in the top left corner.
# The bias is missing, too.
return sdpa(q, k, v, attn_mask=mask, is_causal=True)  # SDPA takes a mask *or* `is_causal=True`. Your mask has the
# triangle already, and `is_causal` is the bug.
return (q @ k.mT + mask).softmax(-1) @ v  # You do not scale the scores, q·k / √d with d = `q.shape[-1]`. SDPA does it
# for you.
n_q, n_k = (q.shape[0], k.shape[0])  # You take the number of heads, axis 0. The axes are (heads, length, d), so both
# lengths are axis 1.
n_q, n_k = (k.shape[1], k.shape[1])  # You take the number of keys for n_q. It is the number of *new* queries, axis 1
# of q.
n_q, n_k = (q.shape[1], q.shape[1])  # You take the number of queries for n_k. It is the number of all keys in the
# cache, axis 1 of k.
i = past + torch.arange(n_k)[:, None]  # Your bias has a row for every key. Its rows belong to the new queries,
# arange(n_q).
j = torch.arange(n_q, dtype=q.dtype)  # Your bias has a column for every new token. Its columns belong to all keys of
# the cache, arange(n_k).
visible = torch.tril(torch.ones(n_k, n_k, dtype=torch.bool), past)  # Your triangle has a row for every key. Its rows
# belong to the new queries, (n_q, n_k).
visible = torch.tril(torch.ones(n_q, n_q, dtype=torch.bool), past)  # Your triangle has a column for every new token.
# Its columns belong to all keys, (n_q, n_k).
"""


HINTS = [
    "Print `visible` for one query and five keys. Which keys should the newest token see?",
    "The cache holds n_k tokens, and the n_q new ones are among them. How many came before? Call this `past`.",
    "The first query is at position `past`. This moves the triangle (`torch.tril(…, past)`) and goes into `i`.",
]


def wrong_program_8(q, k, v, scale):
    """You fill up the queries with zeros *behind* them, so of the last n_q rows, which you return, some or all belong
    to zeros. The queries are those of the *last* tokens. Fill up in front, or move `i` and the triangle by `past`,
    without zeros."""
    n_q, n_k = q.shape[1], k.shape[1]
    past = n_k - n_q
    q = torch.nn.functional.pad(q, (0, 0, 0, past))[:, -n_q:]
    i = past + torch.arange(n_q)[:, None]
    j = torch.arange(n_k, dtype=q.dtype)
    bias = -scale * torch.log1p(abs(j - i))
    visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), past)
    mask = bias.masked_fill(~visible, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)


def wrong_cropped(q, k, v, scale):
    """You keep only the last n_q keys. The new tokens look at all n_k keys of the cache."""
    n = q.shape[1]
    k, v = k[:, -n:], v[:, -n:]
    i = torch.arange(n)
    bias = -scale * torch.log1p(abs(i - i[:, None]).to(q.dtype))
    return sdpa(q, k, v, attn_mask=bias.masked_fill(i > i[:, None], -np.inf))


def right_as_numpy(q, k, v, scale):
    n_q, n_k = q.shape[1], k.shape[1]
    bias = decay_bias(n_q, n_k, scale=scale, past=n_k - n_q)
    return sdpa(q, k, v, attn_mask=torch.as_tensor(np.where(causal_mask(n_q, n_k, n_k - n_q), bias, -np.inf)))


def right_with_flipped_row(q, k, v, scale):
    """The end of one row, read through a view with the queries flipped."""
    n_q, n_k = q.shape[1], k.shape[1]
    r = torch.arange(-(n_k - 1), n_q)
    row = (-scale * torch.log1p(abs(r))).to(q.dtype).masked_fill(r > 0, -torch.inf)
    return sdpa(q.flip(-2), k, v, attn_mask=row.unfold(-1, n_k, 1)).flip(-2)
