"""The bias explorer: the matrix B[i, j] = −λ · decay(|j − i|), with sliders and each cell's calculation."""

import math
from collections.abc import Sequence

from course_lib.example import LAMBDA, TOKENS
from course_lib.reference.bias import DECAYS, decay_row

from ..display.colours import signed_colour
from ..display.formatting import check_choice, check_number, check_whole, number, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

LARGEST_N = 16
STRENGTHS = (0, 0.1, 0.3, 1, 3)  # stops, beside the one at which it starts
FORMULAS = {"log": "log(1 + {d})", "linear": "{d}", "square root": "√{d}", "quadratic": "{d}²"}


def bias_heatmap(
    n: int = 5,
    strength: float = LAMBDA,
    decay: str = "log",
    tokens: Sequence[str] = TOKENS,
    *,
    title: str | None = None,
) -> Picture:
    """The bias of n tokens. Alive: move the strength λ (0–3), choose the decay, and read at each cell how it was
    calculated; its whole diagonal is outlined, because it shares one offset and one value.

    `tokens` name the first positions; those after them go by their number. A colour says what the bias does to a
    weight before the row is normalised: white leaves it, full blue takes all of it, e^B in between.
    Raises ValueError for an n outside 2 … 16, a strength outside 0 … 3, or an unknown decay.
    """
    n, strength = check_whole("n", n, 2, LARGEST_N), check_number("strength", strength, 0, 3)
    words = [str(token) for token in tokens][:n]
    words += [str(i) for i in range(len(words), n)]
    digits = 4 if n <= 8 else 2

    @live(strength_λ=sorted({*STRENGTHS, strength}), decay=DECAYS)
    def draw(strength_λ: float, decay: str) -> Frame:
        cells = {}
        for offset in range(1 - n, n):
            bias = float(decay_row(offset, strength=strength_λ, decay=decay))
            factor = math.exp(bias)  # white where the weight stays, blue where it goes: one scale at every stop
            says = f"{formula(decay, str(abs(offset)))} = {number(bias)}, e^B = {number(factor)}"
            colour = signed_colour(factor - 1)
            cells[offset] = Cell(number(bias, digits), colour=colour, says=says, group=with_sign(offset))
        matrix = Table(
            "A bias for every pair of positions",
            rows=words,
            columns=words,
            cells=[[cells[j - i] for j in range(n)] for i in range(n)],
            corner="query\u00a0↓ key\u00a0→",
            note="white: B leaves the weight as it is; full blue: it takes all of it",
            says=f"Query {{row}}, key {{column}}: offset {{group}}, B = −{strength_λ:g} · {{text}}.",
        )
        says = f"B[i, j] = −{strength_λ:g} · {formula(decay, '|j − i|')}."
        return Frame([matrix], [says, "Before a row is normalised, B multiplies its weights by e^B."])

    alt = (
        f"Bias matrix of {n} tokens, minus {strength:g} times the {decay} decay of the distance: zero on the diagonal, "
        "more negative with every step away from it, equal along each diagonal."
    )
    return draw(alt=alt, title=title, strength_λ=strength, decay=check_choice("decay", decay, DECAYS))


def formula(decay: str, distance: str) -> str:
    """The decay of a distance as one writes it: log(1 + 2), √2 …"""
    return FORMULAS.get(decay, decay + "({d})").replace("{d}", distance)
