"""Bug hunt: the padding everybody looks at · 10 minutes · ★★

The texts of a batch are filled up to one length, and `padding` says where. This code was written for a library that
takes a mask of truth values, and then moved to one that takes numbers. It runs, but all that is left of the mask is a
bias of 1 in favour of the padding. Fix the code: hidden keys must get no weight at all, and all other keys keep their
bias. The bias may hold −∞ already, as in a decoder, and a text may be padding only. The output of a query that sees no
key is 0.

To show a leak at once, most cases have 10,000 as the last number of each padded value, and 0 in all other values.
"""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from course_kit.checking import Case, holds
from course_lib.example import K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias

from ...shared import NUMBER, QUERY


def padded_attention(q, k, v, bias, padding):
    """Attention with a bias over texts of unequal length: (batch, heads, n_q, d).

    q (batch, heads, n_q, d), k and v (batch, heads, n_k, d), bias (heads, n_q, n_k).
    padding (batch, n_k) is True where a key only fills up the text and must be hidden.
    """
    hidden = padding[:, None, None]  # With new axes for heads and queries, the padding lines up with batch and keys.
    # A hidden key has a bias of −∞, because e^−∞ is 0; the others keep theirs. (−10⁹ would be too large for float16.)
    mask = bias.masked_fill(hidden, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)  # SDPA takes q, k, v and the mask, and scales by 1/√d itself.


def expected(q, k, v, bias, padding):
    return attention(q, k, v, bias=bias, mask=~padding[:, None, None, :])[0]


def draw(rng):
    seed, lengths = int(rng.integers(1000)), rng.integers(1, 6, size=int(rng.integers(1, 4)))
    return texts(seed, lengths, int(rng.integers(1, 4)), 6, 4, left=bool(rng.integers(2)))


def texts(seed, lengths, heads, n, d, left=False, loud=1.0):
    """Random texts. The last number of each vector is 0 in q and k, and in v it is large in the padding, else 0."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.normal(size=(3, len(lengths), heads, n, d))
    place = np.arange(n)[::-1] if left else np.arange(n)
    padding = place >= np.array(lengths)[:, None]
    k[np.broadcast_to(padding[:, None], k.shape[:-1])] *= loud
    q[..., -1] = k[..., -1] = 0
    v[..., -1] = 1e4 * padding[:, None]
    return q, k, v, rng.normal(size=(heads, n, n)), padding


def causal(case):
    """The same texts in a decoder, whose bias is −∞ where a key comes after the query."""
    *qkv, bias, padding = case
    return *qkv, np.where(np.tri(*bias.shape[-2:]) > 0, bias, -np.inf), padding


def last_query(case):
    """The same texts with their last query alone."""
    q, k, v, bias, padding = case
    return q[..., -1:, :], k, v, bias[:, -1:], padding


def blind_to_padding(result, q, k, v, bias, padding):
    """Whether the output contains nothing of a number that only the padding's values have."""
    marked = not np.where(padding[:, None], 0, v[..., -1]).any()
    return not marked or np.allclose(np.asarray(result)[..., -1], 0, atol=1e-6)


BUG = "mask = bias + hidden"
TENSORS = True
MAT = np.arange(5)[None] == 4
LOUD = "two texts of 3 and 5 tokens; the last number of a value is 10,000 in the padding and 0 elsewhere"
CASES = [
    Case(
        *(x[None, None] for x in (Q, K, V)), decay_bias(5)[None], MAT,
        label='the five tokens, "mat" is padding', axes=("batch", "head", QUERY, NUMBER),
    ),
    Case(*texts(0, [3, 5], 2, 5, 4), label=LOUD),
    Case(*texts(1, [4], 3, 4, 4), label="no padding"),
    Case(*texts(2, [1, 2, 3], 3, 3, 3), label="three texts, three heads, three tokens"),
    Case(*texts(3, [2, 4], 2, 5, 4, left=True), label="padding on the left"),
    Case(*texts(4, [3, 4], 2, 5, 4, loud=1e5), label="padding with huge keys"),
    Case(*texts(5, [0, 4], 2, 5, 4), label="a text of padding only"),
    Case(*causal(texts(6, [5, 2], 2, 5, 4, left=True)), label="padding on the left, a bias of −∞ for later keys"),
    Case(*last_query(texts(7, [4, 2], 2, 5, 4, left=True)), label="one query, padding on the left"),
    Case(*last_query(texts(8, [1, 2], 1, 2, 4, left=True)), label="one query, two keys"),
]  # fmt: skip
LEAK = (
    "The values of the padding reach the output. Do you hide the right padding, in each text, and with −∞? With a "
    "finite number the padding keeps weight where the scores are large."
)
ALWAYS = [holds(LEAK, blind_to_padding)]
WRONG = """
mask = bias + hidden  # The bias of your padding is larger by 1, so it is preferred. Which x has e^x = 0?
mask = bias + hidden * -torch.inf  # Your output is nan, as when 0 · −∞ is added for visible keys. Use `masked_fill`.
mask = bias.masked_fill(~hidden, -torch.inf)  # You hide the text. True in `padding` means *hide*.
mask = ~hidden  # You hide the padding, but the bias is missing. Put −∞ into the bias, which is a mask of numbers.
mask = hidden  # To SDPA, True means that a query may look, so only the padding is visible. The bias is missing, too.
mask = bias.masked_fill(hidden, 0.0)  # You give the padding a bias of 0, which is a number like any other.
mask = bias - hidden.to(bias.dtype)
mask = bias.masked_fill(hidden, -10.0)
mask = bias - 100.0 * hidden  # You give the padding a finite bias, which hides only low scores. Use −∞.
mask = bias.masked_fill(hidden, -1e4)
mask = bias.masked_fill(hidden, -1e9)
mask = bias.masked_fill(hidden, torch.finfo(bias.dtype).min)  # You hide the padding with a finite number. Where
# nothing else can be seen, as in a text of padding only, the padding gets all the weight. Use −∞.
hidden = padding[:, None, :, None]
# You hide the *queries* that are padding, and the others still see the padding. Hide keys, the last axis of the mask.
mask = bias.masked_fill(hidden | padding[:, None, :, None], -torch.inf)
mask = bias.masked_fill(hidden | padding[:, None, :, None], -1e9)  # You also change the output of padded queries. Hide
# keys only, because that output is never used.
hidden = (torch.arange(padding.shape[1]) >= (~padding).sum(-1, keepdim=True))[:, None, None]  # You hide the right
# number of keys, but always the last ones. Padding may be on the left, as in decoders; `padding` says where it is.
mask = bias.masked_fill(hidden | ~torch.ones(q.shape[2], q.shape[2]).tril().bool(), -torch.inf)  # You also hide the
# keys after their query. This task has no causal mask.
mask = (2 * bias).masked_fill(hidden, -torch.inf)
mask = (bias / 2).masked_fill(hidden, -torch.inf)  # You hide the padding, but change the bias. Add it as it is.
mask = bias.repeat_interleave(len(q), 0).reshape(len(q), *bias.shape).masked_fill(hidden, -torch.inf)  # Batch and heads
# have changed places in your bias. A list of batch · heads has all heads of text 0 first, then those of text 1.
mask = bias[:1].masked_fill(hidden, -torch.inf)  # Every head gets the bias of the first one. Keep the heads' axis.
return (q @ k.mT / q.shape[-1] ** 0.5 + mask).softmax(-1) @ v  # Where a query sees no key, your weights are 0/0, nan.
# The output is 0 there, as SDPA gives it. `.nan_to_num()` makes 0 of nan.
return sdpa(q, k, v, attn_mask=mask.exp())  # SDPA takes the exponential itself. Pass the bias and −∞ as they are.
return sdpa(q, v, k, attn_mask=mask)  # You exchanged keys and values. The order is `sdpa(q, k, v)`.
k = k.masked_fill(padding[:, None, :, None], 0); v = v.masked_fill(padding[:, None, :, None], 0); mask = bias
# Your padding has the score 0, as with keys of 0, plus the bias. That takes weight, because e⁰ = 1. Use −∞.
return sdpa(q, k, v.masked_fill(padding[:, None, :, None], 0), attn_mask=bias)  # The padding adds nothing to your
# output, but its keys still take weight from the others. Hide the keys before the softmax, with −∞ in the mask.
"""
HINTS = [
    "A mask of numbers is added to the scores. What does adding True do?",
    "To hide a key means that its weight is 0, and e^{−∞} = 0.",
    "`bias.masked_fill(hidden, -torch.inf)` puts −∞ wherever `hidden` is True and leaves the bias elsewhere.",
]
