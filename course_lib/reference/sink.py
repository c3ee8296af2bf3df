"""An attention sink: one more key without a value, so that a head need not give all of its weight away."""

import numpy as np
from numpy.typing import ArrayLike

from ..checks import check_whole
from .attention import Array, softmax


def softmax_with_sink(s: ArrayLike, sink: ArrayLike) -> Array:
    """w_j = e^{s_j} / (e^a + Σ_k e^{s_k}): the softmax of the scores and of the sink a, without the sink's own weight.

    s (…, n) and a (…), a number for each row or one for all of them; gives (…, n). Each row sums to less than 1.
    In attention, s are the scores after scaling, bias and mask, which all leave the sink alone. a = −∞ is the plain
    softmax; a = 0 adds 1 to the denominator. Raises ValueError when a does not fit the rows.
    Source: the code of gpt-oss (OpenAI 2025).
    """
    s, a = _of_rows(s, sink)
    column = np.broadcast_to(a[..., None], (*s.shape[:-1], 1))
    return softmax(np.concatenate([s, column], axis=-1))[..., :-1]


def kept_share(s: ArrayLike, sink: ArrayLike) -> Array:
    """What the keys keep of each query's weight: σ(lse − a) with lse = ln Σ_j e^{s_j}, (…) for scores (…, n).

    The plain softmax times this share is the softmax with the sink. A kernel that returns lse needs nothing more.
    Raises ValueError as `softmax_with_sink` does.
    """
    s, a = _of_rows(s, sink)
    lse = np.logaddexp.reduce(s, axis=-1)
    return np.exp(lse - np.logaddexp(lse, a))


def sink_positions(text: int, *, first: int, w: int) -> tuple[list[int], list[int]]:
    """StreamingLLM: which tokens of a text are still in the cache, and the position each of them is given.

    The first `first` tokens and the last w are kept, and they are numbered by their place in the cache.
    Raises ValueError for sizes below 1. Source: Xiao et al. 2023, “Rolling KV cache with attention sinks”.
    """
    text, first, w = check_whole("text", text), check_whole("first", first), check_whole("w", w)
    kept = [p for p in range(text) if p < first or p >= text - w]
    return kept, list(range(len(kept)))


def _of_rows(s: ArrayLike, sink: ArrayLike) -> tuple[Array, Array]:
    """Scores and sink as arrays, or a ValueError when the sink does not fit the rows."""
    s, a = np.asarray(s, float), np.asarray(sink, float)
    if s.ndim < 1 or a.ndim >= s.ndim or any(m not in (1, n) for m, n in zip(a.shape[::-1], s.shape[-2::-1])):
        raise ValueError(f"sink {a.shape}: expected a number for each row of the scores {s.shape}, or one for all")
    return s, a
