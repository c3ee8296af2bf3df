"""What absolute vectors alone make of a head: the part of MiniLM's first attention scores that only positions give.

All in NumPy and float64. BERT adds a vector per position to the word's, normalises the sum, and projects it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from course_lib.reference.attention import Array

N, HEADS, REACH = 256, 12, 64
CORNER, HEAD = 100, 5  # the position where the printed grid of one head begins, and that head
ABOUT = f"""Layer 0, positions 1 … {N - 1}. x_p is the mean over 400 tokens of the text `alice` (drawn with seed 0) of \
LayerNorm(word + vector of position p + type 0). The score of query i and key j is q(x_i)·k(x_j)/√32, less its mean \
over the keys of the query. """


def inputs(t: Mapping[str, Array], words: Array) -> Array:
    """LayerNorm(word + position + type 0) for each of these words at each of the positions 1 … N − 1."""
    word, position, kind = (t[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type"))
    x = word[words].astype(float) + position[1:N, None] + kind[0]
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * t["embeddings.LayerNorm.weight"] + t["embeddings.LayerNorm.bias"]


def scores(t: Mapping[str, Array], x: Array) -> Array:
    """q_i·k_j/√d_head in layer 0, less the mean over the keys: x (n, d) gives (heads, n, n)."""
    part = {}
    for name in ("query", "key"):
        weight, bias = (t[f"encoder.layer.0.attention.self.{name}.{kind}"] for kind in ("weight", "bias"))
        part[name] = (x @ weight.T + bias).reshape(len(x), HEADS, -1).transpose(1, 0, 2)
    s = part["query"] @ part["key"].transpose(0, 2, 1) / np.sqrt(part["key"].shape[-1])
    return s - s.mean(-1, keepdims=True)


def by_offset(grids: Array, reach: int) -> Array:
    """The mean of each diagonal from −reach to reach: (heads, n, n) gives (heads, 2 · reach + 1)."""
    return np.stack([np.diagonal(grids, r, 1, 2).mean(-1) for r in range(-reach, reach + 1)], -1)


def at_peak(s: Array, peak: Sequence[int] | Array, first: int = 4) -> Array:
    """For each head, the share of the queries from `first` on whose largest score is at this offset."""
    return (s.argmax(-1)[:, first:] - np.arange(s.shape[-1])[first:] == np.asarray(peak)[:, None]).mean(-1)


def entries(t: Mapping[str, Array], alice: Array) -> dict[str, dict[str, Any]]:
    """The entries of learned.toml, from all tensors and the tokens of the text `alice`."""
    rng = np.random.default_rng(0)
    words = rng.choice(alice, 400, replace=False)
    x = inputs(t, words)
    s = scores(t, x.mean(1))
    profiles = by_offset(s, REACH)
    peak = profiles.argmax(-1) - REACH
    read = scores(t, x[np.arange(len(x)), rng.integers(400, size=len(x))])  # one word at each position
    square, end = CORNER - 1, CORNER + 31
    rows = "The share of the queries, from position 5 on, whose largest score is at the peak of the head's profile."
    numbers = {
        "profiles": (f"{ABOUT}The mean by offset −{REACH} … {REACH}, for each head.", profiles),
        "at_peak": (ABOUT + rows, at_peak(s, peak)),
        "with_words": ("As `at_peak`, with one of the 400 words at each position, not the mean.", at_peak(read, peak)),
        "scores": (f"{ABOUT}Of head {HEAD}, positions {CORNER} … {end}.", s[HEAD, square:end, square:end]),
    }
    return {name: {"about": about, "values": values.round(3)} for name, (about, values) in numbers.items()}
