"""RoPE: a query and a key as arrows, rotated pair by pair by their positions, and the pairs as clocks."""

import math
from cmath import phase, rect
from collections.abc import Sequence

from numpy.typing import NDArray

from course_lib.example import K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate

from ..display.colours import LINES
from ..display.formatting import MINUS, escape, number, with_sign
from ..display.picture import Picture
from ..display.svg import svg_image
from .frames import Cell, Drawing, Frame, Table, live

SAT, MAT = Q[2], K[4]
SIZE, RADIUS, SECTOR = 150, 66, 30  # pixels: a drawing, its circle, and the shaded angle
MIDDLE = f'<g transform="translate({SIZE // 2} {SIZE // 2})" stroke-width="2.5">'
FACE, RIM = "#f0f2f4", "#57606a"
PURPLE, ORANGE, SHADE = "#5b1f8a", "#b35a00", "#d9c6ea"
CLOCKS = "RoPE's pairs of channels as clocks"
COLUMNS = ("θ per step", "q rotates by iθ", "k rotates by jθ", "rotated q", "rotated k", "angle q to k", "product")


@live(
    "A query and a key, rotated pair by pair by their positions: the angles between them, their products, and the sum "
    "of the products.",
    query_position_i=range(5),
    key_position_j=range(5),
    move_both_by=(0, 1, 5, 20, 100),
    base=(100, 10000),
)
def rope_rotation(
    query_position_i: int = 2, key_position_j: int = 4, move_both_by: int = 0, base: int = 10000
) -> Frame:
    """The query of "sat" and the key of "mat", rotated by RoPE: for each pair of channels (half-split) the two arrows,
    the angle between them and the product, and the sum of the products, q·k. Alive: move the query, the key, or both,
    and change the base. The angle between two arrows depends on j − i alone.

    Source: Su et al. 2021, section 3.2.2.
    """
    i, j = query_position_i + move_both_by, key_position_j + move_both_by
    before, after = list(zip(arrows(SAT), arrows(MAT))), list(zip(arrows(SAT, i, base), arrows(MAT, j, base)))
    products = [meeting(*pair).real for pair in after]
    table = Table(
        "RoPE: two arrows, each rotated by its position",
        rows=[str(m) for m in range(len(after))],
        columns=COLUMNS,
        cells=[row(*each, i, j) for each in zip(before, after, frequencies(len(SAT), base).tolist())],
        corner="pair",
        note="purple: the query; orange: the key; pale: before its rotation; angles in radians, above 0 to the left",
        says="Pair {row}, {column}: {text}.",
    )
    drawings = [circle(m, *pairs) for m, pairs in enumerate(zip(before, after))]
    total = " + ".join(map(number, products)).replace(f"+ {MINUS}", f"{MINUS} ")
    says = [f"Query at {i},", f"key at {j},", f"offset j − i = {with_sign(j - i)}."]
    return Frame([*drawings, table], [*says, f"Rotated q · rotated k = {total} = {number(sum(products))}."])


def arrows(x: NDArray, position: int = 0, base: float = 10000) -> list[complex]:
    """The pairs of channels (m, m + d/2) at a position, each as one complex number: the tip of its arrow."""
    turned, half = rotate(x[None], past=position, base=base)[0], len(x) // 2
    return (turned[:half] + 1j * turned[half:]).tolist()


def meeting(q: complex, k: complex) -> complex:
    """A number whose angle is that from q to k, and whose real part is their product."""
    product = q.conjugate() * k
    return complex(round(product.real, 12) + 0, round(product.imag, 12) + 0)  # so −π and −0.0 do not come and go


def row(before: tuple[complex, complex], after: tuple[complex, complex], theta: float, i: int, j: int) -> list[Cell]:
    """The numbers of one pair, and how each comes about."""
    step, met = number(theta, 4 if theta >= 0.01 else 7), meeting(*after)
    at_first = phase(before[1]) - phase(before[0])
    angle, lengths = at_first + (j - i) * theta, [number(abs(arrow)) for arrow in before]
    apart = "" if math.isclose(angle, phase(met), abs_tol=1e-6) else f", whole turns apart from {number(phase(met))}"
    turns = [Cell(number(p * theta), says=f"{p} · {step} = {number(p * theta)}") for p in (i, j)]
    tips = [Cell(f"({number(tip.real)}, {number(tip.imag)})") for tip in after]
    between = f"{number(at_first)} before any rotation, plus {with_sign(j - i)} · {step}: {number(angle)}{apart}"
    cosine = f"|q| |k| cos = {lengths[0]} · {lengths[1]} · {number(math.cos(angle))} = {number(met.real)}"
    return [
        Cell(number(theta, 6)),
        *turns,
        *tips,
        Cell(number(phase(met)), says=between),
        Cell(number(met.real), says=cosine),
    ]


def circle(m: int, before: tuple[complex, complex], after: tuple[complex, complex]) -> Drawing:
    """The two arrows of a pair before and after their rotation, and the angle from query to key."""
    angle, scale = phase(meeting(*after)), RADIUS / math.sqrt(2)  # √2 is the length of the longest
    pale, clear = ([arrow(scale * tip, ink) for tip, ink in zip(pair, (PURPLE, ORANGE))] for pair in (before, after))
    face = (
        f'<text x="2" y="12" font-size="12">pair {m}</text>{MIDDLE}'
        f'<circle r="{RADIUS}" fill="none" stroke="#8c959f" stroke-width="1"/><g opacity="0.3">{"".join(pale)}</g>'
    )
    turned = f'<g transform="rotate({-math.degrees(phase(after[0])):.1f})" stroke="none">'  # SVG turns to the right
    arc = f"M0 0h{SECTOR}A{SECTOR} {SECTOR} 0 0 {int(angle < 0)} {at(rect(SECTOR, angle))}z"
    parts = [face, turned, f'<path d="{arc}" fill="{SHADE}"/></g>', *clear, "</g>"]
    return Drawing(parts, f"Pair {m}: the arrows of query and key before and after their rotation", SIZE, SIZE)


def arrow(tip: complex, colour: str) -> str:
    """An arrow from the middle to its tip, in pixels to the right and up."""
    back = tip * (1 - 9 / abs(tip))
    side = (tip - back) * 0.5j
    head = f"M{at(tip)}L{at(back + side)}L{at(back - side)}z"
    return f'<path d="M0 0L{at(back)}{head}" fill="{colour}" stroke="{colour}"/>'


def at(point: complex) -> str:
    """A place as SVG writes it: there y grows downwards."""
    return f"{point.real:.1f} {-point.imag:.1f}"


def rope_clocks(positions: Sequence[int], *, d: int = 8) -> Picture:
    """A clock for each pair of channels: a hand for each position p, rotated to the left by p θ_m, θ_m = 10000^(−2m/d).

    All hands start at three o'clock, and later ones in `positions` are longer. Raises ValueError for more positions
    than there are colours, or an odd d.
    """
    if len(positions) > len(LINES):
        raise ValueError(f"positions={positions}: expected at most {len(LINES)} of them, a hand for each")
    speeds = frequencies(d).tolist()
    key = ", ".join(f'<span style="color:{LINES[k]}"><b>{p}</b></span>' for k, p in enumerate(positions))
    body = (
        f'<p style="margin:0 0 6px"><b>{escape(CLOCKS)}</b><br>'
        f"Hands from short to long: position {key}. All start at three o'clock and rotate to the left.</p>"
        + "".join(_clock(m, speed, positions) for m, speed in enumerate(speeds))
    )
    turns = ", ".join(f"pair {m} {number(positions[-1] * speed / math.tau, 3)}" for m, speed in enumerate(speeds))
    alt = (
        f"{len(speeds)} clocks, one for each pair of channels, with hands for the positions "
        f"{', '.join(map(str, positions))}. Turns made at position {positions[-1]}: {turns}."
    )
    return Picture("rope-clocks", body, alt=alt, title=CLOCKS)


def _clock(m: int, speed: float, positions: Sequence[int]) -> str:
    lengths = [(RADIUS - 2) * (0.45 + 0.55 * k / len(positions)) for k in range(1, len(positions) + 1)]
    hands = [arrow(rect(length, p * speed), ink) for length, p, ink in zip(lengths, positions, LINES)]
    drawn = (
        f'{MIDDLE}<circle r="{RADIUS}" fill="{FACE}" stroke="{RIM}" stroke-width="1"/>'
        f'<path d="M{RADIUS - 6} 0h12" stroke="{RIM}" stroke-width="2"/>'
        f"{''.join(reversed(hands))}</g>"  # short hands lie on long ones
    )
    image = svg_image(drawn, width=SIZE, height=SIZE, alt=f"The clock of pair {m}")
    return (
        f'<div style="display:inline-block;text-align:center;margin:0 6px 6px 0">{image}'
        f"<br><b>pair {m}</b><br>θ = {_short(speed)}<br>one turn: {_short(math.tau / speed)} steps</div>"
    )


def _short(value: float) -> str:
    """Three digits of a number: 1, 0.1, 6.28, 6,283."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
