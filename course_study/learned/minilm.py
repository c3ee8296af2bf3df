"""What absolute vectors alone make of a head: the part of MiniLM's first attention scores that only positions give.

All in NumPy and float64. BERT adds a vector per position to the word's, normalises the sum, and projects it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from course_lib.reference.attention import Array

HEADS, FAR = 12, 64
ABOUT = """Layer 0, positions 1 … 255. x_p is the mean over the first 400 tokens of the text `alice` of \
LayerNorm(word + vector of position p + type 0). The score of query i and key j is q(x_i)·k(x_j)/√32, less its mean \
over the keys of the query. """


def entries(t: Mapping[str, Array], alice: Array) -> dict[str, dict[str, Any]]:
    """The entries of learned.toml, from all tensors and the tokens of the text `alice`."""
    word, position, kind = (t[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type"))
    x = word[alice[:400]].astype(float) + position[1:256, None] + kind[0]
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    x = (x * t["embeddings.LayerNorm.weight"] + t["embeddings.LayerNorm.bias"]).mean(1)
    part = {}
    for name in ("query", "key"):
        weight, bias = (t[f"encoder.layer.0.attention.self.{name}.{kind}"] for kind in ("weight", "bias"))
        part[name] = (x @ weight.T + bias).reshape(len(x), HEADS, -1).transpose(1, 0, 2)
    s = part["query"] @ part["key"].transpose(0, 2, 1) / np.sqrt(part["key"].shape[-1])
    s -= s.mean(-1, keepdims=True)
    before = (s.argmax(-1)[:, 1:] == np.arange(len(x) - 1)).mean(-1)
    rows = "The share of the queries, from position 2 on, whose largest score is at the offset −1, for each head."
    about = f"{ABOUT}The mean by offset −64 … 64, for each head."
    return {
        "profiles": {"about": about, "values": by_offset(s, FAR).round(3).tolist()},
        "before": {"about": ABOUT + rows, "values": before.round(3).tolist()},
    }


def by_offset(grids: Array, far: int) -> Array:
    """The mean of each diagonal from −far to far: (heads, n, n) gives (heads, 2 · far + 1)."""
    return np.stack([np.diagonal(grids, r, 1, 2).mean(-1) for r in range(-far, far + 1)], -1)
