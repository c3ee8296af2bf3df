"""A sliding window: every query sees only the keys near it, the same number of them however long the text is."""

import numpy as np
from numpy.typing import NDArray

from ..checks import check_whole
from .attention import Array, causal_mask
from .grid import offsets, row_offsets


def window_row(n_q: int, n_k: int | None = None, *, w: int, past: int = 0) -> Array:
    """The window as a bias: 0 for offsets |r| < w, −∞ beyond. Shape (n_q + n_k − 1,), in the order of `row_offsets`.

    It depends on the offset alone, so one row serves all queries. Raises ValueError for w below 1.
    Source: Beltagy et al. 2020 (Longformer).
    """
    r = row_offsets(n_q, n_k, past)
    return np.where(abs(r) < check_whole("w", w), 0.0, -np.inf)


def window_mask(n_q: int, n_k: int | None = None, *, w: int, past: int = 0) -> NDArray[np.bool_]:
    """True where a decoder's query looks: at the last w keys, its own included, (n_q, n_k).

    A window of w looks w − 1 tokens back. Source: Jiang et al. 2023 (Mistral 7B), “Sliding window attention”. The text
    says i − w to i, one key more, as did the mask in the first version of Mistral's code. Its ring and `transformers`
    take w.
    """
    return (abs(offsets(n_q, n_k, past)) < check_whole("w", w)) & causal_mask(n_q, n_k, past)


def reach(layers: int, w: int) -> int:
    """How far back a token can have an influence after that many layers with this window: layers · (w − 1)."""
    return check_whole("layers", layers) * (check_whole("w", w) - 1)
