"""ALiBi's slopes for any number of heads, alive: both formulas in circulation, and each head's bias by distance."""

import math

from course_lib.reference.alibi import slopes

from ..display.colours import weight_colour
from ..display.formatting import check_choice, check_whole, number
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

DISTANCES = (1, 4, 16, 64, 256, 1024)
LARGEST = 64  # heads
HEADS = range(1, 17)
FORMULAS = {"code": "the authors' code", "formula": "2^(−8h/H) for every H"}


def alibi_slopes(n_heads: int = 12, formula: str = "code", *, title: str | None = None) -> Picture:
    """ALiBi's slope of every head by both formulas, where it comes from, and its bias −m · distance at six distances.
    Alive: move the number of heads (1–16, and the one given), choose the formula.

    formula "code": the slopes of the next lower power of two, then every other one of the next higher (the authors'
    code). "formula": 2^(−8h/H) for every number of heads H. For a power of two they are the same.
    Raises ValueError for a number of heads outside 1 … 64 or an unknown formula.
    """
    n_heads = check_whole("n_heads", n_heads, 1, LARGEST)
    formula = check_choice("formula", formula, FORMULAS)

    @live(heads=sorted({*HEADS, n_heads}), formula=FORMULAS.values())
    def draw(heads: int, formula: str) -> Frame:
        from_code = formula == FORMULAS["code"]
        lines = []
        for h, (code, plain) in enumerate(zip(slopes(heads).tolist(), plain_slopes(heads)), 1):
            m = code if from_code else plain
            source = origin(h, heads) if from_code else f"2^(−8·{h}/{heads})"
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
        says = "A key 1/m tokens back loses 1 in its score: its weight shrinks to 1/e, 36.8 %."
        return Frame([table], [difference(heads), says])

    largest, smallest = (number(find(slopes(n_heads).tolist())) for find in (max, min))
    alt = (
        f"Table of ALiBi's slopes for {n_heads} heads by two formulas, from {largest} down to {smallest}, "
        f"and each head's bias at the distances {', '.join(map(str, DISTANCES))}. {difference(n_heads)}"
    )
    return draw(alt=alt, title=title, heads=n_heads, formula=FORMULAS[formula])


def plain_slopes(n_heads: int) -> list[float]:
    """m_h = 2^(−8h/H), h = 1 … H, whatever the number of heads H: the formula without the rule for other numbers."""
    return [2.0 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def origin(h: int, n_heads: int) -> str:
    """Where the authors' code takes the slope of head h from: a power of two of heads, or twice as many."""
    lower = 2 ** math.floor(math.log2(n_heads))
    return f"2^(−8·{h}/{lower})" if h <= lower else f"2^(−8·{2 * (h - lower) - 1}/{2 * lower})"


def difference(n_heads: int) -> str:
    """A sentence: for how many heads the two formulas differ."""
    pairs = zip(slopes(n_heads).tolist(), plain_slopes(n_heads), strict=True)
    differ = sum(not math.isclose(code, plain) for code, plain in pairs)
    if not differ:
        return f"{n_heads} is a power of two: both formulas give the same slopes."
    return f"{n_heads} is not a power of two: the two formulas differ in {differ} of {n_heads} heads."
