"""What the checks of this topic hand to a learner's function."""

import numpy as np

from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.transformer_xl import position_keys, xl_scores

_WEIGHTS = np.random.default_rng(5).normal(size=(6, 4, 4)) / 2  # W_q, W_k, W_v, W_r, and u and v in the last two


def attend(segment, memory):
    """One Transformer-XL layer: segment (n, 4) looks at memory (past, 4) and itself, causally; gives (n, 4)."""
    if np.ndim(memory) != 2:
        raise ValueError("attend: the memory must be (past, 4), and `x[:0]` when it is empty")
    segment, memory = np.asarray(segment, float), np.asarray(memory, float)
    if not len(segment):
        raise ValueError("attend: the segment is empty. The order is attend(segment, memory), with at least one token")
    return seen(segment, np.concatenate([memory, segment]), causal_mask(len(segment), past=len(memory)))


def seen(x, keys, mask):
    """What `attend` computes, with any mask: queries x are the last rows of keys."""
    w_q, w_k, w_v, w_r, (u, *_), (v, *_) = _WEIGHTS
    r = position_keys(len(x), len(keys), w_r, past=len(keys) - len(x))
    scores = xl_scores(x @ w_q, keys @ w_k, r, u, v)
    return softmax(np.where(mask, scores, -np.inf)) @ keys @ w_v
