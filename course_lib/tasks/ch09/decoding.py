"""Decoding with a cache: the wrong corner of the triangle, and a bias that starts at 0."""

import numpy as np

from ...example import LAMBDA, K, Q, V
from ...reference.attention import attention, causal_mask
from ...reference.bias import decay_bias
from ..engine import Axis, Case, Mistake, Task
from .common import LAST_TWO, QUERY, sdpa, torch


def _decode_step(q, k, v, scale):
    """Causal attention of the newest tokens with the log-decay bias: (heads, n_q, d).

    q (heads, n_q, d) are the queries of the last n_q of n_k tokens; k and v (heads, n_k, d)
    come from the cache, which holds all n_k.
    """
    n_q, n_k = q.shape[1], k.shape[1]
    past = n_k - n_q
    i = past + torch.arange(n_q)[:, None]
    j = torch.arange(n_k, dtype=q.dtype)
    bias = -scale * torch.log1p(abs(j - i))
    visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool), past)
    mask = bias.masked_fill(~visible, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)


def _decode_step_given(q, k, v, scale):
    """Causal attention of the newest tokens with the log-decay bias: (heads, n_q, d).

    q (heads, n_q, d) are the queries of the last n_q of n_k tokens; k and v (heads, n_k, d)
    come from the cache, which holds all n_k.
    """
    n_q, n_k = q.shape[1], k.shape[1]
    i = torch.arange(n_q)[:, None]
    j = torch.arange(n_k, dtype=q.dtype)
    bias = -scale * torch.log1p(abs(j - i))
    visible = torch.tril(torch.ones(n_q, n_k, dtype=torch.bool))
    mask = bias.masked_fill(~visible, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)


def _expected(q, k, v, scale):
    n_q, n_k = q.shape[1], k.shape[1]
    past = n_k - n_q
    bias = decay_bias(n_q, n_k, scale=scale, past=past)
    return attention(q, k, v, bias=bias, mask=causal_mask(n_q, n_k, past))[0]


def _made(seed, heads, n_q, n_k, d=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(heads, n_q, d)), rng.normal(size=(heads, n_k, d)), rng.normal(size=(heads, n_k, d))


_NAMES = ("head", "query", "number")
_I = "past + torch.arange(n_q)[:, None]"
decode_step = Task(
    title="Bug hunt: the wrong corner",
    minutes=10,
    difficulty=3,
    words="""This layer is right for a whole text. With a cache, the newest token looks at the *first* key and at nothing else,
and when that is mended, its bias is still that of the first token. It is what `is_causal=True` does when there are fewer
queries than keys, written out. Two places are wrong, for one reason. New tokens must come out as the last rows of the whole
text.""",
    solution=_decode_step,
    given=_decode_step_given,
    expected=_expected,
    tensors=True,
    cases=[
        Case(
            np.array(Q)[None, 4:],
            np.array(K)[None],
            np.array(V)[None],
            LAMBDA,
            says='the newest token, "mat", after four',
            axes=("head", Axis("query", ("mat",)), "number"),
        ),
        Case(
            *(np.array(x)[None] for x in (Q, K, V)),
            LAMBDA,
            says="the whole sentence at once",
            axes=("head", QUERY, "number"),
        ),
        Case(
            np.array(Q)[None, 3:],
            np.array(K)[None],
            np.array(V)[None],
            LAMBDA,
            says='the last two tokens, "on" and "mat"',
            axes=("head", LAST_TWO, "number"),
        ),
        Case(*_made(0, 2, 3, 9), 1.0, says="three tokens after six, two heads", axes=_NAMES),
        Case(*_made(1, 1, 1, 1), 0.5, says="the very first token", axes=_NAMES),
    ],
    draw=lambda rng: (
        *_made(
            int(rng.integers(1000)), int(rng.integers(1, 4)), n_q := int(rng.integers(1, 5)), n_q + int(rng.integers(5))
        ),
        float(rng.uniform(0.3, 2)),
    ),
    mistakes=[
        Mistake(
            ", past)",
            ")",
            "The bias is right, and the triangle still lies in the top left corner: query 0 sees key 0 only. It has to move right by `past`.",
        ),
        Mistake(
            _I,
            "torch.arange(n_q)[:, None]",
            "The right keys are seen, and the bias still takes the first query for position 0. It stands at position `past`.",
        ),
        Mistake(
            ", past)",
            ", past + 1)",
            "Each query sees one key too many: the triangle ends at its own key, `torch.tril(…, past)`.",
        ),
        Mistake(
            ", past)",
            ", past - 1)",
            "The own key of each query is hidden: a token may look at itself.",
        ),
        Mistake(
            ", past)",
            ", n_k)",
            "Nothing is hidden any more. Right for one new token; of several, the first must not see the later ones.",
        ),
        Mistake("torch.tril(", "torch.triu(", "The triangle is turned round: queries see the future, not the past."),
        Mistake(
            ", past)",
            ", -past)",
            "The triangle moves to the left. With older tokens in the cache, each query sees *more* keys.",
        ),
        Mistake(", past)", ", n_q)", "The triangle moves by the number of new tokens. How many came *before* them?"),
        Mistake(
            "past = n_k - n_q",
            "past = n_k - 1",
            "Right for one new token. With several, the first of them stands at n_k − n_q.",
        ),
        Mistake(
            "past = n_k - n_q",
            "past = n_k",
            "One step too far for each new token: their own keys are in the cache already. The first stands at n_k − n_q.",
        ),
        Mistake(
            "past = n_k - n_q",
            "past = n_q",
            "`past` is the number of tokens before the new ones: all n_k less the n_q new.",
        ),
        Mistake("past = n_k - n_q", "past = n_k + n_q", "`past` is n_k *less* n_q: the cache holds the new ones, too."),
        Mistake("past = n_k - n_q", "past = n_q - n_k", "`past` is turned round: n_k is the larger one."),
        Mistake(
            "past = n_k - n_q",
            "past = 0",
            "Triangle and bias both take the first new token for token 0. How many tokens came before it?",
        ),
        Mistake("past = n_k - n_q", "past = n_k - n_q + 1", "The queries stand one position too far."),
        Mistake(
            "past = n_k - n_q",
            "past = n_k - n_q - 1",
            "The queries stand one position too early: they do not see their own keys.",
        ),
        Mistake(
            "past + torch.arange(n_q)",
            "past + 1 + torch.arange(n_q)",
            "The triangle is right; in the bias the queries stand one position too far. Positions count from 0.",
        ),
        Mistake(
            "past + torch.arange(n_q)",
            "past - 1 + torch.arange(n_q)",
            "The triangle is right; in the bias the queries stand one position too early.",
        ),
        Mistake(
            "past + torch.arange(n_q)",
            "past - torch.arange(n_q)",
            "The queries run backwards. They stand at past, past + 1, …",
        ),
        Mistake(
            "past + torch.arange(n_q)",
            "torch.arange(n_q) - past",
            "The shift of the bias has the wrong sign: the queries stand *after* the old tokens.",
        ),
        Mistake(
            _I, "past + torch.zeros(n_q, 1)", "All new queries get the position of the first. They follow one another."
        ),
        Mistake("-scale *", "scale *", "The bias now rewards distance. Its sign was right."),
        Mistake(
            "torch.log1p(abs(j - i))",
            "torch.log1p(abs(j + i))",
            "Positions are added. The distance is their difference, |j − i|.",
        ),
        Mistake("torch.log1p(abs(j - i))", "abs(j - i)", "The logarithm is gone: the decay was right as it was."),
        Mistake(
            "torch.log1p(abs(j - i))",
            "torch.log(abs(j - i))",
            "log(d) is −∞ for the token itself. It was log(1 + d), `log1p`.",
        ),
        Mistake(
            "torch.log1p(abs(j - i))",
            "torch.log1p(j - i)",
            "Without the absolute value the logarithm meets 0 and negative numbers: keys in the past have j − i < 0.",
        ),
        Mistake("-scale * torch.log1p(abs(j - i))", "-torch.log1p(abs(j - i))", "`scale` has gone from the bias."),
        Mistake(
            "-scale * torch.log1p(abs(j - i))",
            "-torch.log1p(abs(j - i)) / scale",
            "You divide by `scale`. It multiplies the logarithm.",
        ),
        Mistake(
            "-scale * torch.log1p(abs(j - i))", "-scale * scale * torch.log1p(abs(j - i))", "`scale` counts twice."
        ),
        Mistake(
            "-scale * torch.log1p(abs(j - i))",
            "-scale + 0.0 * abs(j - i)",
            "The bias is gone: nothing is added any more, or one constant for all pairs, which cancels in the softmax.",
        ),
        Mistake("~visible", "visible", "`visible` is turned round: −∞ belongs where a query may *not* look."),
        Mistake("-torch.inf", "0.0", "Hidden keys get a bias of 0. Only −∞ hides."),
        Mistake("-torch.inf", "torch.inf", "+∞ makes nan of everything. What is hidden gets −∞."),
        Mistake(
            "attn_mask=mask",
            "is_causal=True",
            "`is_causal=True` *is* the bug: its triangle lies in the top left corner. And the bias is gone.",
        ),
        Mistake(
            "attn_mask=mask",
            "attn_mask=mask, is_causal=True",
            "SDPA takes a mask *or* `is_causal=True`. Yours is in the mask already, and `is_causal` is the bug.",
        ),
        Mistake(
            "sdpa(q, k, v, attn_mask=mask)",
            "(q @ k.mT + mask).softmax(-1) @ v",
            "Your own formula does not scale: q·k / √d, with d = `q.shape[-1]`. SDPA does it for you.",
        ),
        Mistake(
            lambda q, k, v, scale: _cropped(q, k, v, scale),
            "Only the last n_q keys are left. The new tokens look at all n_k keys of the cache.",
        ),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[0], k.shape[0]",
            "Axis 0 counts heads. The axes are (heads, length, d): both lengths are axis 1.",
        ),
        Mistake("q.shape[1], k.shape[1]", "k.shape[1], k.shape[1]", "n_q is the number of *new* queries: axis 1 of q."),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[1], q.shape[1]",
            "n_k is the number of all keys in the cache: axis 1 of k.",
        ),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[2], k.shape[1]",
            "The axes are (heads, length, d): the number of new queries is axis 1, not d.",
        ),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[1], k.shape[2]",
            "The axes are (heads, length, d): the number of keys is axis 1, not d.",
        ),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[0], k.shape[1]",
            "The axes are (heads, length, d): axis 0 counts heads, the new queries are axis 1.",
        ),
        Mistake(
            "q.shape[1], k.shape[1]",
            "q.shape[1], k.shape[0]",
            "The axes are (heads, length, d): axis 0 counts heads, the keys are axis 1.",
        ),
        Mistake(
            "torch.arange(n_q)",
            "torch.arange(n_k)",
            "There is a row of the bias for every key. The rows belong to the new queries: arange(n_q).",
        ),
        Mistake(
            "torch.arange(n_k,",
            "torch.arange(n_q,",
            "The bias has a column per new token. The columns belong to all keys of the cache: arange(n_k).",
        ),
        Mistake(
            "torch.ones(n_q, n_k",
            "torch.ones(n_k, n_k",
            "The triangle has a row per key. Its rows belong to the new queries, (n_q, n_k).",
        ),
        Mistake(
            "torch.ones(n_q, n_k",
            "torch.ones(n_q, n_q",
            "The triangle has a column per new token. Its columns belong to all keys, (n_q, n_k).",
        ),
        Mistake(
            "-scale * torch.log1p(abs(j - i))",
            "-scale / torch.log1p(abs(j - i))",
            "You divide by the logarithm, which is 0 for the token itself. `scale` multiplies it.",
        ),
        Mistake(
            "-scale * torch.log1p(abs(j - i))",
            "-scale",
            "The logarithm is gone, and with it the shape: the bias is one number.",
        ),
        Mistake(
            "-scale * torch.log1p(abs(j - i))",
            "scale * scale * torch.log1p(abs(j - i))",
            "`scale` counts twice and the sign is gone: the bias rewards distance.",
        ),
        Mistake(
            "abs(j - i)", "abs(j)", "The distance is taken from position 0, the same for all queries. It is |j − i|."
        ),
        Mistake("sdpa(q, k,", "sdpa(k, k,", "The keys stand in for the queries. The first argument is q."),
        Mistake("sdpa(q, k,", "sdpa(q, q,", "The queries stand in for the keys. The second argument is k."),
    ],
    alternatives=[
        lambda q, k, v, scale: sdpa(
            q,
            k,
            v,
            attn_mask=torch.as_tensor(
                np.where(
                    causal_mask(q.shape[1], k.shape[1], k.shape[1] - q.shape[1]),
                    decay_bias(q.shape[1], k.shape[1], scale=scale, past=k.shape[1] - q.shape[1]),
                    -np.inf,
                )
            ),
        ),
        lambda q, k, v, scale: _with_flipped_row(q, k, v, scale),
    ],
    hints=[
        "Print `visible` for one query and five keys. Which keys should the newest token see?",
        "n_k tokens are in the cache, and the n_q new ones are among them. How many came before? Call it `past`.",
        "Query number 0 stands at position `past`: so does the triangle (`torch.tril(…, past)`), and so does `i`.",
    ],
)


def _cropped(q, k, v, scale):
    """As many keys as queries, the last of them."""
    n = q.shape[1]
    k, v = k[:, -n:], v[:, -n:]
    i = torch.arange(n)
    bias = -scale * torch.log1p(abs(i - i[:, None]).to(q.dtype))
    return sdpa(q, k, v, attn_mask=bias.masked_fill(i > i[:, None], -np.inf))


def _with_flipped_row(q, k, v, scale):
    """The end of one row, read through a view with the queries flipped."""
    n_q, n_k = q.shape[1], k.shape[1]
    r = torch.arange(-(n_k - 1), n_q)
    row = (-scale * torch.log1p(abs(r))).to(q.dtype).masked_fill(r > 0, -torch.inf)
    return sdpa(q.flip(-2), k, v, attn_mask=row.unfold(-1, n_k, 1)).flip(-2)
