"""Prediction: what SDPA makes of it · 8 minutes · ★★

A decoder has 8 keys in its cache. All keys are equal here, so every key that a query may see gets weight. Predict
before you run anything.

- You pass one new query with `is_causal=True`. How many keys does it see? You pass three new queries. How many keys
  does the last of the three see?
- The last 2 of 8 keys are padding. `padding` is `True` for these two and `False` for six. With
  `attn_mask=padding`, how many keys get weight? With `attn_mask=padding.float()`?
- On a CPU, does SDPA use the fused kernel (`True`) or fall back to the formula (`False`) when its mask is learned? And
  when a fixed mask has the axes (heads, n_q, n_k)?
- A layer passes `dropout_p=0.1`, and the model is in `eval()`. Of 1000 weights, about how many are set to 0?
"""

import warnings

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa


def seen(queries, **options):
    """How many of 8 keys the last of the queries gives weight to, in a real call."""
    q, k = torch.zeros(1, 1, queries, 8), torch.zeros(1, 1, 8, 8)
    return int((sdpa(q, k, torch.eye(8)[None, None], **options)[0, 0, -1] > 0).sum())


def fused(mask):
    """Whether the fused kernel takes a mask for three heads and eight tokens."""
    q = torch.zeros(1, 3, 8, 8)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            sdpa(q, q, q, attn_mask=mask)
        except RuntimeError:
            return False
    return True


PADDING = torch.arange(8)[None] >= 6
ANSWER = {
    "keys seen by the newest query": seen(1, is_causal=True),
    "keys seen by the last of three queries": seen(3, is_causal=True),
    "keys with weight, padding as it is": seen(1, attn_mask=PADDING),
    "keys with weight, padding as numbers": seen(1, attn_mask=PADDING.float()),
    "a mask that learns is fused": fused(torch.zeros(8, 8, requires_grad=True)),
    "a fixed mask of three axes is fused": fused(torch.zeros(3, 8, 8)),
    "weights set to 0, of 1000": round(0.1 * 1000),
}
ABOUT = {"weights set to 0, of 1000": 30}
WRONG = {
    "keys seen by the newest query": {
        8: "It should see all 8, but `is_causal` counts queries from 0, as keys. Where does it place this one?",
        7: "A query may also see its own key. And `is_causal` does not know that seven tokens came before.",
        0: "A query always sees at least the key with its own number.",
    },
    "keys seen by the last of three queries": {
        8: "It should see all 8, but `is_causal` places the last of three queries at position 2.",
        1: "This is what the first of the three sees. Each further query sees one key more.",
        2: "Positions count from 0, so the third query is at position 2 and sees the keys 0, 1 and 2.",
        6: "`is_causal` does not count from the end of the keys. Its triangle lies in the top left corner.",
    },
    "keys with weight, padding as it is": {
        6: "To SDPA, `True` means that a query may look. This mask is True for the padding.",
        8: "A mask of truth values hides the keys for which it is False.",
        0: "The mask is True for two keys, and True means that a query may look.",
    },
    "keys with weight, padding as numbers": {
        6: "Only −∞ hides a key. A mask of numbers is added to the scores, so 0 and 1 are a bias here.",
        2: "A mask of numbers is added to the scores, and adding 0 hides nothing.",
    },
    "a mask that learns is fused": {
        True: "A learned mask needs a gradient, but the fused CPU kernel returns gradients of q, k and v only.",
    },
    "a fixed mask of three axes is fused": {
        True: "The numbers would be right, but the CPU kernel needs two or four axes. With three, SDPA falls back.",
    },
    "weights set to 0, of 1000": {
        0: "`eval()` changes modules. `dropout_p` is a number in a function call, which `eval()` does not reach.",
        900: "This is how many are kept (and scaled up). One in ten is set to 0.",
        10: "0.1 is a tenth, not a hundredth.",
        0.1: "This is the share. How many of 1000 are that?",
    },
}
HINTS = [
    "Draw the triangle of `is_causal` for three queries and eight keys. It begins in the top left corner.",
    "In a mask of truth values, True means *look*. A mask of numbers is added.",
    "At the end of the lesson, “Deeper · When the fused kernel steps aside” asks the fused kernel itself.",
]
