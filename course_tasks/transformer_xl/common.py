"""What the tasks of this topic share: names for the axes, the five tokens' vectors, one layer, and who sees whom."""

import numpy as np

from course_lib.checking import Axis
from course_lib.example import TOKENS
from course_lib.reference.attention import causal_mask, softmax
from course_lib.reference.transformer_xl import position_keys, xl_scores

from ..shared import KEY, QUERY, normal

LAST_TWO = Axis("query", TOKENS[3:])
U, V = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.5, 1.0, 0.0, 0.0])  # as in the lesson
W_R = np.eye(6, 4)
_WEIGHTS = np.random.default_rng(5).normal(size=(6, 4, 4)) / 2  # W_q, W_k, W_v, W_r, and u and v in the last two

__all__ = ["KEY", "LAST_TWO", "QUERY", "U", "V", "attend", "normal", "seen", "vectors", "windows"]


def vectors(n_q, n_k, past=0):
    """r of the lesson for every offset, (n_q + n_k − 1, 4)."""
    return position_keys(n_q, n_k, W_R, past=past)


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


def windows(n, size, length):
    """Which keys each query sees: from `length` tokens before its segment up to itself."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return causal_mask(n) & (j >= i // size * size - length)
