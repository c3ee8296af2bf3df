"""The bias explorer: the matrix B[i, j] = −scale · decay(|j − i|), with sliders and each cell's calculation."""

import math
from collections.abc import Sequence

import numpy as np

from ..display.colours import signed_colour
from ..display.formatting import MINUS, check_choice, check_number, check_whole, escape, number
from ..display.picture import Picture
from ..example import LAMBDA, TOKENS
from ..reference.bias import DECAYS, decay_bias
from .heatmap import table_html

LARGEST_N = 16
FORMULAS = {"log": "log(1 + {d})", "linear": "{d}", "square root": "√{d}", "quadratic": "{d}²"}


def bias_heatmap(
    n: int = 5, scale: float = LAMBDA, decay: str = "log", tokens: Sequence[str] = TOKENS, *, title: str | None = None
) -> Picture:
    """The bias of n tokens, alive: sliders for scale (0–2) and n (2–16), a choice of decay, and in each cell how it
    was calculated (point at it, tap it, or walk with the arrow keys).

    `tokens` name the first positions; those after them go by their number. A colour says what the bias does to a
    weight before the row is normalised: white leaves it, full blue takes all of it, e^B in between.
    Raises ValueError for an n, a scale or a decay outside these.
    """
    n = check_whole("n", n, 2, LARGEST_N)
    scale = check_number("scale", scale, 0, 2)
    decay = check_choice("decay", decay, DECAYS)
    words = [str(token) for token in tokens][:LARGEST_N]
    labels = [words[i] if i < len(words) else str(i) for i in range(n)]
    body = table_html(
        decay_bias(n, scale=scale, decay=decay).tolist(),
        labels,
        labels,
        name="bias matrix",
        caption=f"<b>{escape(title or 'A bias for every pair of positions')}</b><br>"
        f"B[i, j] = {MINUS}{scale:g} · {formula(decay, '|j − i|')}",
        paint=factor_colour,
        show=lambda value: number(value, 4 if n <= 8 else 2),
        corner="query ↓ key →",
    )
    data = {
        "n": n,
        "scale": scale,
        "decay": decay,
        "tokens": words,
        "title": title or "A bias for every pair of positions",
        "decays": decay_tables(LARGEST_N),
    }
    alt = (
        f"Bias matrix of {n} tokens, minus {scale:g} times the {decay} decay of the distance: zero on the diagonal, "
        "more negative with every step away from it, equal along each diagonal."
    )
    return Picture(
        "bias-heatmap", body, alt=alt, title=title, styles=["controls", "bias"], script="bias_heatmap.js", data=data
    )


def factor_colour(bias: float) -> str:
    """White where e^bias is 1, full blue where it is 0: one scale for every setting of the sliders."""
    return signed_colour(math.exp(min(bias, 0.0)) - 1)


def formula(decay: str, distance: str) -> str:
    """The decay of a distance as one writes it: log(1 + 2), √2 …"""
    return FORMULAS.get(decay, decay + "({d})").replace("{d}", distance)


def decay_tables(n: int) -> dict[str, dict[str, object]]:
    """Every decay for the distances 0 … n − 1 with its formula: the script looks up and needs no second definition."""
    distances = np.arange(n, dtype=float)
    return {
        name: {"formula": FORMULAS.get(name, name + "({d})"), "values": [float(f"{v:.9g}") for v in decay(distances)]}
        for name, decay in DECAYS.items()
    }
