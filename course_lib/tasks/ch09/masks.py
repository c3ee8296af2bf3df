"""What SDPA does with its mask: a prediction, and a padding mask on the wrong side."""

import numpy as np

from ...example import K, Q, V
from ...reference.attention import attention
from ...reference.bias import decay_bias
from ..engine import Answer, Axis, Case, Mistake, Property, Task
from .common import QUERY, sdpa, torch

_NEWEST, _THIRD, _BOOL, _FLOAT = (
    "keys seen by the newest query",
    "keys seen by the last of three queries",
    "keys with weight, padding as it is",
    "keys with weight, padding as numbers",
)
_LEARNS, _AXES, _DROPPED = (
    "a mask that learns is fused",
    "a fixed mask of three axes is fused",
    "weights set to 0, of 1000",
)


def _weighted(queries, **options):
    """How many of 8 keys the last of the queries gives weight to, in a real call."""
    q, k = torch.zeros(1, 1, queries, 8), torch.zeros(1, 1, 8, 8)
    return int((sdpa(q, k, torch.eye(8)[None, None], **options)[0, 0, -1] > 0).sum())


def _sdpa_traps():
    padding = torch.arange(8) >= 6
    return {
        _NEWEST: _weighted(1, is_causal=True),
        _THIRD: _weighted(3, is_causal=True),
        _BOOL: _weighted(1, attn_mask=padding[None]),
        _FLOAT: _weighted(1, attn_mask=padding[None].float()),
        _LEARNS: False,
        _AXES: False,
        _DROPPED: 100,
    }


class _About(Answer):
    """The last question asks *about how many*: what a run may well come to counts as the mean of many runs."""

    def _fields(self, value):
        fields = super()._fields(value)
        dropped = fields.get(_DROPPED)
        if dropped is not None and dropped.ndim == 0 and dropped.dtype.kind in "iuf" and abs(dropped - 100) <= 30:
            fields[_DROPPED] = np.array(100)  # three standard deviations, √(1000 · 0.1 · 0.9) = 9.5 each
        return fields


sdpa_traps = _About(
    "sdpa_traps",
    title="Prediction: what SDPA makes of it",
    minutes=8,
    difficulty=2,
    words="""All keys are alike here, so that every key that may be seen gets weight. Commit to an answer before you run anything.

A decoder has 8 keys in its cache.

- One new query and `is_causal=True`: how many keys does it see? Three new queries: how many does the last of
  the three see?
- The last 2 of 8 keys are padding. `padding` is `True` for these two and `False` for six. With
  `attn_mask=padding`, how many keys get weight? With `attn_mask=padding.float()`?
- On a CPU, is SDPA fused (`True`) or does it fall back to the formula (`False`) when its mask learns? And when a fixed
  mask has the axes (heads, n_q, n_k)?
- A layer passes `dropout_p=0.1`, and the model is in `eval()`. Of 1000 weights, about how many are set to 0?""",
    expected=_sdpa_traps,
    mistakes=[
        *(
            Mistake({_NEWEST: x}, says)
            for x, says in {
                8: "So it should be. But `is_causal` counts queries from 0, as it counts keys: where does it think this query stands?",
                7: "A query may see its own key as well; and `is_causal` does not know that seven tokens came before.",
                0: "A query always sees the key of its own number.",
            }.items()
        ),
        *(
            Mistake({_THIRD: x}, says)
            for x, says in {
                8: "So it should be. `is_causal` takes the last of three queries for position 2.",
                1: "That is the first of the three. The triangle goes on: one key more per query.",
                2: "Positions count from 0: the third query stands at position 2 and sees keys 0, 1 and 2.",
                6: "Nothing counts from the end of the keys here. The triangle lies in the top left corner.",
            }.items()
        ),
        *(
            Mistake({_BOOL: x}, says)
            for x, says in {
                6: "To SDPA, `True` means *look*. This mask says True for the padding.",
                8: "A mask of truth values hides what is False.",
                0: "Two keys are marked True, and True means look.",
            }.items()
        ),
        *(
            Mistake({_FLOAT: x}, says)
            for x, says in {
                6: "Only −∞ hides. Floating-point masks are added: 0 and 1 are a bias.",
                2: "A mask of numbers is added to the scores. Adding 0 hides nobody.",
            }.items()
        ),
        Mistake(
            {_LEARNS: True}, "The fused kernel returns gradients of q, k and v only. Who would give the mask its own?"
        ),
        Mistake(
            {_AXES: True},
            "The numbers would do. The kernel wants two axes or four, and says nothing when it gets three.",
        ),
        *(
            Mistake({_DROPPED: x}, says)
            for x, says in {
                0: "`eval()` reaches modules. `dropout_p` is a number in a call: nobody told it.",
                900: "That many are kept (and made larger). One in ten goes.",
                10: "0.1 is a tenth, not a hundredth.",
                0.1: "That is the share. How many is it, of 1000?",
            }.items()
        ),
    ],
    hints=[
        "Draw the triangle for three queries and eight keys, as `is_causal` lays it: from the top left corner.",
        "True: look. Numbers: added.",
        "The lesson asks the fused kernel itself, in the section “When the fused kernel steps aside”.",
    ],
)


def _padded_attention(q, k, v, bias, padding):
    """Attention with a bias over texts of unequal length: (batch, heads, n_q, d).

    q, k, v (batch, heads, n, d), bias (heads, n_q, n_k).
    padding (batch, n_k) is True where a key only fills up the text and must be hidden.
    """
    hidden = padding[:, None, None]
    mask = bias.masked_fill(hidden, -torch.inf)
    return sdpa(q, k, v, attn_mask=mask)


def _padded_attention_given(q, k, v, bias, padding):
    """Attention with a bias over texts of unequal length: (batch, heads, n_q, d).

    q, k, v (batch, heads, n, d), bias (heads, n_q, n_k).
    padding (batch, n_k) is True where a key only fills up the text and must be hidden.
    """
    hidden = padding[:, None, None]
    mask = bias + hidden
    return sdpa(q, k, v, attn_mask=mask)


def _padded_expected(q, k, v, bias, padding):
    return attention(q, k, v, bias=bias, mask=~padding[:, None, None, :])[0]


def _texts(seed, lengths, heads, n, d, left=False, loud=1.0):
    """Random texts. The last number of each vector is 0 in q and k, and in v it is large in the padding, else 0."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.normal(size=(3, len(lengths), heads, n, d))
    place = np.arange(n)[::-1] if left else np.arange(n)
    padding = place >= np.array(lengths)[:, None]
    k[np.broadcast_to(padding[:, None], k.shape[:-1])] *= loud
    q[..., -1] = k[..., -1] = 0
    v[..., -1] = 1e4 * padding[:, None]
    return q, k, v, rng.normal(size=(heads, n, n)), padding


def _five(length):
    q, k, v = (np.array(x)[None, None] for x in (Q, K, V))
    return q, k, v, decay_bias(5)[None], np.arange(5)[None] >= length


def _blind_to_padding(result, q, k, v, bias, padding):
    """Nothing of a number that only the padding's values have reaches the output."""
    marked = not np.where(padding[:, None], 0, v[..., -1]).any()
    return not marked or np.allclose(np.asarray(result)[..., -1], 0, atol=1e-6)


_BATCH = ("batch", "head", "query", "number")
padded_attention = Task(
    title="Bug hunt: the padding everybody looks at",
    minutes=10,
    difficulty=2,
    words="""Texts of a batch are filled up to one length, and `padding` says where. This code was written for a library that
takes a mask of truth values, and moved to one that takes numbers. It runs. A bias of 1 in favour of the padding is all
that is left of the mask. Mend it: hidden keys must get no weight at all, all others the bias.""",
    solution=_padded_attention,
    given=_padded_attention_given,
    expected=_padded_expected,
    tensors=True,
    cases=[
        Case(*_five(4), says='the five tokens, "mat" is padding', axes=("batch", "head", QUERY, Axis("number"))),
        Case(
            *_texts(0, [3, 5], 2, 5, 4),
            says="two texts of 3 and 5 tokens; the last number of a value is 10,000 in the padding and 0 elsewhere",
            axes=_BATCH,
        ),
        Case(*_texts(1, [4], 3, 4, 4), says="no padding", axes=_BATCH),
        Case(*_texts(2, [1, 2, 3], 3, 3, 3), says="three texts, three heads, three tokens", axes=_BATCH),
        Case(*_texts(3, [2, 4], 2, 5, 4, left=True), says="padding on the left", axes=_BATCH),
        Case(*_texts(4, [3, 4], 2, 5, 4, loud=1e5), says="padding with huge keys", axes=_BATCH),
    ],
    draw=lambda rng: _texts(
        int(rng.integers(1000)),
        rng.integers(1, 6, size=int(rng.integers(1, 4))),
        int(rng.integers(1, 4)),
        6,
        4,
        left=bool(rng.integers(2)),
    ),
    properties=[
        Property(
            "padding has no say",
            _blind_to_padding,
            "The values of the padding reach the output: is the right padding hidden, in each text, and with −∞? A finite number leaves it a weight where the scores are large.",
        ),
    ],
    mistakes=[
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias + hidden",
            "True counts as 1 in a sum: the padding is preferred by 1, not hidden. What must stand there so that e to the power of it is 0?",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias - hidden",
            "Torch does not subtract truth values, and a bias of −1 would not hide anybody: only −∞ does.",
        ),
        Mistake(
            "masked_fill(hidden, -torch.inf)",
            "masked_fill(~hidden, -torch.inf)",
            "Now the text is hidden and the padding seen. In `padding` True means *hide*; `masked_fill` fills where True stands.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "~hidden",
            "The padding is hidden, and the bias is gone: a mask of truth values leaves no room for numbers. Put −∞ into the bias.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "hidden",
            "To SDPA True means *look*: only the padding is seen. And the bias is gone.",
        ),
        Mistake(
            "-torch.inf",
            "-10.0",
            "With a bias of −10 something is left of the padding, e^{−10} of what it was: only −∞ hides.",
        ),
        Mistake(
            "-torch.inf",
            "-100.0",
            "A number such as −100 hides only while the scores are small: a padded key that is ahead by more still wins. Only −∞ hides for sure.",
        ),
        Mistake(
            "    hidden = padding[:, None, None]",
            "    hidden = (torch.arange(padding.shape[1]) >= (~padding).sum(-1, keepdim=True))[:, None, None]",
            "You hide as many keys as are padding, and always the last ones. Padding may stand on the left, as decoders have it: `padding` says where.",
        ),
        Mistake("-torch.inf", "0.0", "The padding gets a bias of 0. That is a number like any other: only −∞ hides."),
        Mistake("-torch.inf", "torch.inf", "+∞ makes nan of everything. What is hidden gets −∞."),
        Mistake(
            "-torch.inf", "-1.0", "A bias of −1 makes the padding less likely, and it is still seen. Only −∞ hides."
        ),
        Mistake(
            "padding[:, None, None]",
            "padding[:, None, :, None]",
            "You hide the *queries* that are padding (and their rows become empty). Hide keys: the last axis of the mask.",
        ),
        *(
            Mistake(
                lambda q, k, v, bias, padding, low=low: sdpa(
                    q, k, v, attn_mask=bias.masked_fill(padding[:, None, None] | padding[:, None, :, None], low)
                ),
                f"You also hide padded queries, and {says}. Hide keys only: what a padded query gives is thrown away later.",
            )
            for low, says in {-np.inf: "nothing is left that they may see", -1e9: "they see all keys alike"}.items()
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "(-bias).masked_fill(hidden, -torch.inf)",
            "The padding is hidden, and the bias has lost its sign: it is added as it comes.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "(2 * bias).masked_fill(hidden, -torch.inf)",
            "The padding is hidden, and the bias is added twice. Once, in the mask, is enough.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "(bias / 2).masked_fill(hidden, -torch.inf)",
            "The padding is hidden, and the bias counts half. It is added as it comes.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias[:1].masked_fill(hidden, -torch.inf)",
            "Every head gets the bias of the first. Keep the axis of the heads.",
        ),
        Mistake(
            "sdpa(q, k, v, attn_mask=mask)",
            "sdpa(q, v, k, attn_mask=mask)",
            "Keys and values have changed places: `sdpa(q, k, v)`.",
        ),
        Mistake(
            "return sdpa(",
            "mask = mask.masked_fill(~torch.ones(q.shape[2], q.shape[2]).tril().bool(), -torch.inf)\n    return sdpa(",
            "Keys after the query are hidden as well. Nobody asked for a causal mask here.",
        ),
        Mistake(
            "padding[:, None, None]",
            "padding[:1, None, None]",
            "Every text gets the padding of the first. Keep the batch axis.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias",
            "Nothing is hidden now: the padding must get −∞.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias.masked_fill(hidden, -torch.inf) / q.shape[-1] ** 0.5",
            "The bias is scaled. SDPA adds the mask to scores that are scaled already.",
        ),
        Mistake(
            "attn_mask=mask)",
            "attn_mask=mask.exp())",
            "The mask is added before the exponential: hand over the bias and −∞ themselves.",
        ),
        Mistake(
            "sdpa(q, k, v, attn_mask=mask)",
            "sdpa(q, k, v, attn_mask=mask, is_causal=False, scale=1.0)",
            "The scores are not scaled any more. SDPA's own 1/√d was right.",
        ),
        Mistake("sdpa(q, k, v, attn_mask=mask)", "sdpa(q, k, v)", "The mask is not handed over at all."),
        Mistake(
            "sdpa(q, k, v, attn_mask=mask)",
            "sdpa(k, q, v, attn_mask=mask)",
            "Queries and keys have changed places.",
        ),
        Mistake(
            "bias.masked_fill(hidden, -torch.inf)",
            "bias.mT.masked_fill(hidden, -torch.inf)",
            "The bias is transposed: left has become right. It was right as it was.",
        ),
        Mistake(
            "padding[:, None, None]",
            "padding[:, None]",
            "`padding[:, None]` has three axes, (batch, 1, n_k): the batch stands where the heads belong. It was right as it was.",
        ),
        Mistake(
            "padding[:, None, None]",
            "padding",
            "`padding` has two axes, (batch, n_k): beside (heads, n_q, n_k) the batch stands where the queries belong. It was right as it was.",
        ),
        Mistake(
            lambda q, k, v, bias, padding: sdpa(q, k, v, attn_mask=bias - padding[:, None, None].to(bias.dtype)),
            "The padding is liked less by 1 than it was, and still seen. Only −∞ hides.",
        ),
    ],
    alternatives=[
        lambda q, k, v, bias, padding: sdpa(
            q, k, v, attn_mask=torch.where(padding[:, None, None, :], -torch.inf, bias[None])
        ),
        lambda q, k, v, bias, padding: (
            (q @ k.mT / q.shape[-1] ** 0.5 + bias).masked_fill(padding[:, None, None], -torch.inf).softmax(-1) @ v
        ),
    ],
    hints=[
        "A mask of numbers is added to the scores. What does adding True do?",
        "e^{−∞} = 0: that is what hiding means.",
        "`bias.masked_fill(hidden, -torch.inf)` puts −∞ wherever `hidden` is True and leaves the bias elsewhere.",
    ],
)
