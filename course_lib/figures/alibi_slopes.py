"""ALiBi's slopes for any number of heads, alive: both formulas in circulation, and each head's bias by distance."""

import math

from ..display.colours import weight_colour
from ..display.formatting import check_choice, check_whole, escape, number
from ..display.picture import Picture
from ..reference.alibi import slopes
from .heatmap import ROW, cell

DISTANCES = (1, 4, 16, 64, 256, 1024)
LARGEST = 64  # heads
FORMULAS = {"code": "the authors' code", "formula": "2^(−8h/H) for every H"}


def alibi_slopes(n_heads: int = 12, formula: str = "code", *, title: str | None = None) -> Picture:
    """ALiBi's slope of every head by both formulas, and its bias −m · distance at six distances, alive: move the number
    of heads (1–64), choose the formula, choose a head (point, tap, arrow keys) and read where its slope comes from.

    formula "code": the slopes of the next lower power of two, then every other one of the next higher (the authors'
    code). "formula": 2^(−8h/H) for every number of heads H. For a power of two they are the same.
    Raises ValueError for another number of heads or an unknown formula.
    """
    n_heads = check_whole("n_heads", n_heads, 1, LARGEST)
    formula = check_choice("formula", formula, FORMULAS)
    both = slopes(n_heads).tolist(), plain_slopes(n_heads)
    chosen = both[0 if formula == "code" else 1]
    heading = title or "ALiBi: a slope for each head"
    lines = []
    for h, (code, plain, m) in enumerate(zip(*both, chosen, strict=True), 1):
        biases = "".join(cell(math.exp(-m * d), number(-m * d, 2), weight_colour) for d in DISTANCES)
        mark = "" if math.isclose(code, plain) else ' style="font-weight:700"'
        lines.append(
            f'<tr {ROW}><th scope="row">{h}</th><td{mark}>{number(code)}</td><td{mark}>{number(plain)}</td>'
            f"{biases}</tr>"
        )
    heads = "".join(f'<th scope="col">d = {d}</th>' for d in DISTANCES)
    body = (
        '<table class="rp-tight" style="color:#1b1f24"><caption style="text-align:left">'
        f"<b>{escape(heading)}</b><br>{n_heads} heads; bias −m · d at the distance d, with the slopes of "
        f"{escape(FORMULAS[formula])}; the darker, the more of the weight is left</caption>"
        f'<thead><tr {ROW}><th scope="col">head h</th><th scope="col">m, code</th><th scope="col">m, formula</th>'
        f"{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table><p>{escape(difference(n_heads))}</p>"
    )
    alt = (
        f"Table of ALiBi's slopes for {n_heads} heads by two formulas, from {number(max(both[0]))} down to "
        f"{number(min(both[0]))}, and each head's bias at the distances {', '.join(map(str, DISTANCES))}. "
        f"{difference(n_heads)}"
    )
    data = {"heads": n_heads, "formula": formula, "formulas": FORMULAS, "distances": DISTANCES, "title": heading}
    return Picture(
        "alibi-slopes", body, alt=alt, title=title, styles=["controls", "alibi"], script="alibi_slopes.js", data=data
    )


def plain_slopes(n_heads: int) -> list[float]:
    """m_h = 2^(−8h/H), h = 1 … H, whatever the number of heads H: the formula without the rule for other numbers."""
    return [2.0 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def difference(n_heads: int) -> str:
    """A sentence: for how many heads the two formulas differ."""
    pairs = zip(slopes(n_heads).tolist(), plain_slopes(n_heads), strict=True)
    differ = sum(not math.isclose(code, plain) for code, plain in pairs)
    if not differ:
        return f"{n_heads} is a power of two: both formulas give the same slopes."
    return f"{n_heads} is not a power of two: the two formulas differ in {differ} of {n_heads} heads."
