"""Two colour maps that colour-blind readers can use, light enough for black text.

Signed numbers: blue below zero, white at zero, orange above. Weights: white at zero, teal at the largest. The ends
are of middle brightness, so that black numbers on them stay easy to read: 4.5 is the contrast that WCAG 2.2 asks for.
Both are straight lines between a few fixed colours.
"""

import math
from collections.abc import Callable, Iterable

MAPS = {
    "signed": ["#4a94dd", "#b5d5f4", "#ffffff", "#fbd3a2", "#ee8f2f"],  # from −1 over 0 to +1
    "weight": ["#ffffff", "#b9e2da", "#38a696"],  # from 0 to 1
}
# Lines and their names: dark enough to be read on white, and far apart for colour-blind eyes too (a test measures it).
LINES = ["#0066cc", "#552200", "#bb4477", "#777700", "#440066", "#111122"]
NO_NUMBER = "#d9d9d9"  # grey for what has no place on a scale: ±∞ and nan

Paint = Callable[[float], str]


def blend(stops: list[str], t: float) -> str:
    """The colour at t (0 to 1, clipped) on the line through the stops, as #rrggbb."""
    x = min(max(t, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(x), len(stops) - 2)
    channels = (
        round(int(stops[left][c : c + 2], 16) * (1 - x + left) + int(stops[left + 1][c : c + 2], 16) * (x - left))
        for c in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def signed_colour(t: float) -> str:
    """Blue at −1, white at 0, orange at +1."""
    return blend(MAPS["signed"], (t + 1) / 2)


def weight_colour(t: float) -> str:
    """White at 0, teal at 1."""
    return blend(MAPS["weight"], t)


def painter(values: Iterable[float], signed: bool | None = None, limit: float | None = None) -> Paint:
    """A function from a number to its colour, scaled so that the largest magnitude (or `limit`) has the full colour."""
    finite = [float(v) for v in values if math.isfinite(v)]
    top = limit or max((abs(v) for v in finite), default=0.0) or 1.0
    scale = signed_colour if is_signed(finite, signed) else weight_colour
    return lambda value: scale(value / top) if math.isfinite(value) else NO_NUMBER


def is_signed(values: Iterable[float], signed: bool | None = None) -> bool:
    """What the caller says, or else whether any number is below zero (−∞, a masked score, has no colour)."""
    return any(-math.inf < v < 0 for v in values) if signed is None else signed
