"""ALiBi's slopes for any number of heads, alive: both formulas in circulation, and each head's bias by distance."""

import math

from course_lib.reference.alibi import slopes

from ..display.colours import weight_colour
from ..display.formatting import number
from .frames import Cell, Frame, Table, live

DISTANCES = (1, 4, 16, 64, 256, 1024)
FORMULAS = CODE, PLAIN = "the authors' code", "2^(−8h/H) for every H"


@live(
    f"Table of ALiBi's slopes by two formulas, and each head's bias at the distances {', '.join(map(str, DISTANCES))}.",
    heads=range(1, 17),
    formula=FORMULAS,
)
def alibi_slopes(heads: int = 12, formula: str = CODE) -> Frame:
    """ALiBi's slope of every head by both formulas, where it comes from, and its bias −m · distance at six distances.
    Alive: move the number of heads (1–16), choose the formula.

    The authors' code: the slopes of the next lower power of two, then every other one of the next higher. The other
    formula is 2^(−8h/H) for every number of heads H. For a power of two they are the same.
    """
    lines = []
    both = list(zip(slopes(heads).tolist(), plain_slopes(heads), strict=True))
    for h, (code, plain) in enumerate(both, 1):
        m = code if formula == CODE else plain
        source = origin(h, heads) if formula == CODE else f"2^(−8·{h}/{heads})"
        biases = [Cell(number(-m * d, 2), colour=weight_colour(math.exp(-m * d))) for d in DISTANCES]
        facts = number(code), number(plain), source, number(1 / m, 1)
        lines.append([*map(Cell, facts), *biases])
    table = Table(
        "ALiBi: a slope for each head",
        rows=[str(h) for h in range(1, heads + 1)],
        columns=["m, code", "m, formula", "from", "1/m", *(f"d = {d}" for d in DISTANCES)],
        cells=lines,
        corner="head",
        note=f"bias −m · d at the distance d, by {formula}; the darker, the more of the weight is left",
        says="Head {row}, {column}: {text}.",
    )
    differ = sum(not math.isclose(*pair) for pair in both)
    difference = f"{heads} is a power of two: both formulas give the same slopes."
    if differ:
        difference = f"{heads} is not a power of two: the two formulas differ in {differ} of {heads} heads."
    return Frame(
        [table], [difference, "A key 1/m tokens back loses 1 in its score: its weight shrinks to 1/e, 36.8 %."]
    )


def plain_slopes(n_heads: int) -> list[float]:
    """m_h = 2^(−8h/H), h = 1 … H, whatever the number of heads H: the formula without the rule for other numbers."""
    return [2.0 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def origin(h: int, n_heads: int) -> str:
    """Where the authors' code takes the slope of head h from: a power of two of heads, or twice as many."""
    lower = 2 ** math.floor(math.log2(n_heads))
    return f"2^(−8·{h}/{lower})" if h <= lower else f"2^(−8·{2 * (h - lower) - 1}/{2 * lower})"
