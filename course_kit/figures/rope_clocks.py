"""RoPE's pairs of channels as clocks side by side: fast hands, slow hands, and where they point at some positions."""

import math
from collections.abc import Iterable

from course_lib.reference.absolute import frequencies

from ..display.colours import LINES
from ..display.formatting import check_number, check_whole, escape, number
from ..display.picture import Picture
from ..display.svg import svg_image
from .rope_rotation import PAIRS

SIZE, RADIUS = 150, 66
FACE, RIM = "#f0f2f4", "#57606a"


def rope_clocks(
    positions: Iterable[int] = (0, 1, 2, 3),
    *,
    d: int = 8,
    base: float = 10000.0,
    pairs: Iterable[int] | None = None,
    title: str | None = None,
) -> Picture:
    """A clock for each pair of channels: a hand for each position p, turned to the left by p θ_m, θ_m = base^(−2m/d).

    All hands start at three o'clock, and later ones in `positions` are longer. `pairs` are those to draw, by default
    all d/2. Raises ValueError unless there are 1 to 6 positions, whole numbers from 0 to 10⁶, d is even and from 2 to
    16, the base lies between 2 and 10⁷, and the pairs are one or more of 0 … d/2 − 1.
    """
    asked = [check_whole("positions", p, 0, 10**6) for p in positions]
    if not 1 <= len(asked) <= len(LINES):
        raise ValueError(f"positions={asked}: expected 1 to {len(LINES)} of them, a hand for each")
    theta = frequencies(check_whole("d", d, 2, 2 * PAIRS), check_number("base", base, 2, 1e7)).tolist()
    drawn = range(len(theta)) if pairs is None else [check_whole("pairs", m, 0, len(theta) - 1) for m in pairs]
    if not drawn:
        raise ValueError(f"pairs={drawn}: expected one or more of 0 … {len(theta) - 1}")
    speeds = {m: theta[m] for m in drawn}
    heading = title or "RoPE's pairs of channels as clocks"
    key = ", ".join(f'<span style="color:{LINES[k]}"><b>{p}</b></span>' for k, p in enumerate(asked))
    body = (
        f'<p style="margin:0 0 6px"><b>{escape(heading)}</b><br>'
        f"Hands from short to long: position {key}. All start at three o'clock and turn to the left.</p>"
        + "".join(_clock(m, speed, asked) for m, speed in speeds.items())
    )
    turns = ", ".join(f"pair {m} {number(asked[-1] * speed / math.tau, 3)}" for m, speed in speeds.items())
    alt = (
        f"{len(speeds)} clocks, one for each pair of channels, with hands for the positions "
        f"{', '.join(map(str, asked))}. Turns made at position {asked[-1]}: {turns}."
    )
    return Picture("rope-clocks", body, alt=alt, title=heading)


def _clock(m: int, speed: float, positions: list[int]) -> str:
    centre = SIZE / 2
    face = f'<circle cx="{centre}" cy="{centre}" r="{RADIUS}" fill="{FACE}" stroke="{RIM}"/>'
    start = f'<path d="M{centre + RADIUS - 6} {centre}h12" stroke="{RIM}" stroke-width="2"/>'
    hands = [_hand(k, p * speed, (k + 1) / len(positions)) for k, p in enumerate(positions)]
    drawn = f'<g stroke-width="3" stroke-linecap="round">{"".join(reversed(hands))}</g>'  # short hands lie on long ones
    image = svg_image(face + start + drawn, width=SIZE, height=SIZE, alt=f"The clock of pair {m}")
    wave = math.tau / speed
    return (
        f'<div style="display:inline-block;text-align:center;margin:0 6px 6px 0">{image}'
        f"<br><b>pair {m}</b><br>θ = {_short(speed)}<br>one turn: {_short(wave)} steps</div>"
    )


def _hand(k: int, angle: float, share: float) -> str:
    """The k-th hand, from the middle to a dot; the longest ends inside the rim."""
    centre, length = SIZE / 2, (RADIUS - 6) * (0.45 + 0.55 * share)
    x, y = centre + length * math.cos(angle), centre - length * math.sin(angle)
    return (
        f'<path d="M{centre} {centre}L{x:.2f} {y:.2f}" stroke="{LINES[k]}"/>'
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="5" fill="{LINES[k]}"/>'
    )


def _short(value: float) -> str:
    """Three digits of a number: 1, 0.1, 6.28, 6,283."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
