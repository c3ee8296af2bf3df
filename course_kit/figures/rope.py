"""RoPE: a query and a key as arrows, turned pair by pair by their positions, and the pairs as clocks."""

import math
from cmath import phase
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.example import K, Q
from course_lib.reference.absolute import frequencies
from course_lib.reference.rope import rotate

from ..display.colours import LINES
from ..display.formatting import MINUS, check_number, check_whole, escape, number, with_sign
from ..display.picture import Picture
from ..display.svg import svg_image
from .frames import Cell, Drawing, Frame, Table, live

PAIRS, LARGEST = 8, 64  # pairs of channels, and the last position
POSITIONS, TOGETHER, BASES = range(5), (0, 1, 5, 20, 100), (100, 10000)  # stops, beside those at which it starts
SIZE, RADIUS, SECTOR = 150, 66, 30  # pixels: a drawing, its circle, and the shaded angle
FACE, RIM = "#f0f2f4", "#57606a"
PURPLE, ORANGE, SHADE = "#5b1f8a", "#b35a00", "#d9c6ea"
COLUMNS = ("θ per step", "q turns by iθ", "k turns by jθ", "turned q", "turned k", "angle q to k", "product")


def rope_rotation(
    q: Any = None,
    k: Any = None,
    *,
    query: int = 2,
    key: int = 4,
    base: float = 10000,
    title: str | None = None,
) -> Picture:
    """A query and a key, turned by RoPE: for each pair of channels (half-split) the two arrows, the angle between them
    and the product, and the sum of the products, q·k. Alive: move the query, the key, or both, and change the base.
    The angle between two arrows depends on j − i alone.

    q and k are 2 to 16 numbers, of the same even length: the query of "sat" and the key of "mat" by default, at their
    positions 2 and 4. Raises ValueError for other vectors, a position outside 0 … 64, or a base outside 2 … 10⁷.
    Source: Su et al. 2021, section 3.2.2.
    """
    if (q is None) != (k is None):
        raise ValueError(f"q={q!r}, k={k!r}: expected both or none")
    q, k = check_vector("q", Q[2] if q is None else q), check_vector("k", K[4] if k is None else k)
    if len(q) != len(k):
        raise ValueError(f"q {len(q)} numbers, k {len(k)}: expected the same")
    query, key = check_whole("query", query, 0, LARGEST), check_whole("key", key, 0, LARGEST)
    base = check_number("base", base, 2, 1e7)
    before = list(zip(arrows(q), arrows(k)))
    scale = RADIUS / (max(abs(arrow) for pair in before for arrow in pair) or 1.0)

    @live(
        query_position_i=sorted({*POSITIONS, query}),
        key_position_j=sorted({*POSITIONS, key}),
        move_both_by=TOGETHER,
        base=sorted({*BASES, base}),
    )
    def draw(query_position_i: int, key_position_j: int, move_both_by: int, base: float) -> Frame:
        i, j = query_position_i + move_both_by, key_position_j + move_both_by
        after = list(zip(arrows(q, i, base), arrows(k, j, base)))
        products = [meeting(*pair).real for pair in after]
        table = Table(
            "RoPE: two arrows, each turned by its position",
            rows=[str(m) for m in range(len(after))],
            columns=COLUMNS,
            cells=[row(*each, i, j) for each in zip(before, after, frequencies(len(q), base).tolist())],
            corner="pair",
            note="purple: the query; orange: the key; pale: before its turn; angles in radians, above 0 to the left",
            says="Pair {row}, {column}: {text}.",
        )
        drawings = [circle(m, *pairs, scale) for m, pairs in enumerate(zip(before, after))]
        total = " + ".join(map(number, products)).replace(f"+ {MINUS}", f"{MINUS} ")
        says = [f"Query at {i},", f"key at {j},", f"offset j − i = {with_sign(j - i)}."]
        return Frame([*drawings, table], [*says, f"Turned q · turned k = {total} = {number(sum(products))}."])

    met = [meeting(*pair) for pair in zip(arrows(q, query, base), arrows(k, key, base))]
    alt = (
        f"A query at position {query} and a key at position {key}, turned pair by pair: angles between them "
        f"{', '.join(number(phase(z), 2) for z in met)} radians, and the sum of the products "
        f"{number(sum(z.real for z in met))}."
    )
    return draw(alt=alt, title=title, query_position_i=query, key_position_j=key, base=base)


def arrows(x: NDArray[np.float64], position: int = 0, base: float = 10000) -> list[complex]:
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
    between = f"{number(at_first)} before any turn, plus {with_sign(j - i)} · {step}: {number(angle)}{apart}"
    cosine = f"|q| |k| cos = {lengths[0]} · {lengths[1]} · {number(math.cos(angle))} = {number(met.real)}"
    return [
        Cell(number(theta, 6)),
        *turns,
        *tips,
        Cell(number(phase(met)), says=between),
        Cell(number(met.real), says=cosine),
    ]


def circle(m: int, before: tuple[complex, complex], after: tuple[complex, complex], scale: float) -> Drawing:
    """The two arrows of a pair before and after their turns, and the angle from query to key."""
    angle = phase(meeting(*after))
    x, y = SECTOR * math.cos(angle), -SECTOR * math.sin(angle)
    sector = f'<path d="M0 0h{SECTOR}A{SECTOR} {SECTOR} 0 0 {int(angle < 0)} {x:.1f} {y:.1f}z" fill="{SHADE}"/>'
    still = "".join(turned(arrow) + shape(arrow, scale, colour) for arrow, colour in zip(before, (PURPLE, ORANGE)))
    face = (
        f'<text x="2" y="12" font-size="12">pair {m}</text><g transform="translate({SIZE // 2} {SIZE // 2})">'
        f'<circle r="{RADIUS}" fill="none" stroke="#8c959f"/><g opacity="0.3">{still}</g>'
    )
    q, k = after
    parts = [face, turned(q), sector, shape(before[0], scale, PURPLE), turned(k), shape(before[1], scale, ORANGE)]
    says = f"Pair {m}: the arrows of query and key before and after their turns"
    return Drawing([*parts, "</g>"], says, SIZE, SIZE)


def turned(arrow: complex) -> str:
    """What comes next points where the arrow does. In SVG a positive angle turns to the right."""
    return f'<g transform="rotate({-math.degrees(phase(arrow)):.1f})">'


def shape(arrow: complex, scale: float, colour: str) -> str:
    """An arrow of this length to the right."""
    length = abs(arrow) * scale
    if length < 1:
        return "</g>"
    path = f"M0 0H{max(length - 9, 0):.1f}m0 -4.5l9 4.5l-9 4.5z"
    return f'<path d="{path}" fill="{colour}" stroke="{colour}" stroke-width="2.5"/></g>'


def check_vector(name: str, value: Any) -> NDArray[np.float64]:
    """The numbers of a query or a key, or a ValueError."""
    try:
        x = np.array([float(number) for number in value])
    except (TypeError, ValueError):
        x = np.array([])
    if not 2 <= len(x) <= 2 * PAIRS or len(x) % 2 or not np.isfinite(x).all():
        raise ValueError(f"{name}={value!r}: expected 2, 4, … or {2 * PAIRS} finite numbers")
    return x


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
