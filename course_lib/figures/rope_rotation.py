"""RoPE, alive: a query and a key as arrows, turned pair by pair by their positions."""

import math
from collections.abc import Sequence
from typing import Any

from ..display.formatting import check_number, check_whole, escape, number
from ..display.picture import TABLE, Picture
from ..example import K, Q
from ..reference.absolute import frequencies
from .heatmap import ROW

LARGEST = 64  # position of the slider
PAIRS = 8
BASES = (10, 100, 10000, 500000)


def rope_rotation(
    q: Sequence[float] | None = None,
    k: Sequence[float] | None = None,
    *,
    query: int = 2,
    key: int = 4,
    pair: int = 0,
    base: float = 10000,
    title: str | None = None,
) -> Picture:
    """A query and a key, turned by RoPE: for each pair of channels (half-split) the two arrows, the angle between them
    and the product, and their sum, q·k. Alive: move the query, the key, or both; choose the pair and the base. What
    the angle between the arrows depends on is j − i alone.

    q and k are lists of 2 to 16 numbers, of the same even length: the query of "sat" and the key of "mat" by default,
    at their positions 2 and 4. Raises ValueError for other vectors, a position outside 0 … 64, a pair there is not, or
    a base outside 2 … 10⁷.
    """
    if (q is None) != (k is None):
        raise ValueError(f"q={q!r}, k={k!r}: expected both or none")
    q, k = (
        vector(name, value)
        for name, value in (("q", Q[2].tolist() if q is None else q), ("k", K[4].tolist() if k is None else k))
    )
    if len(q) != len(k):
        raise ValueError(f"q {len(q)} numbers, k {len(k)}: expected the same")
    query, key = check_whole("query", query, 0, LARGEST), check_whole("key", key, 0, LARGEST)
    pair = check_whole("pair", pair, 0, len(q) // 2 - 1)
    base = check_number("base", base, 2, 1e7)
    base = int(base) if base == int(base) else base
    heading = title or "RoPE: two arrows, each turned by its position"
    parts = turned(q, k, query, key, base)
    total = sum(part["product"] for part in parts)
    lines = "".join(
        f'<tr {ROW}><th scope="row">{m}</th><td>{number(part["theta"], 6)}</td><td>{_arrow(part["q"])}</td>'
        f"<td>{_arrow(part['k'])}</td><td>{number(part['between'])}</td><td>{number(part['product'])}</td></tr>"
        for m, part in enumerate(parts)
    )
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("pair m", "angle per step θ", "q turned by iθ", "k turned by jθ", "angle q to k", "product")
    )
    body = (
        f'<table {TABLE}><caption style="text-align:left"><b>{escape(heading)}</b><br>query at position i = {query}, '
        f"key at j = {key}, offset j − i = {'+' if key > query else ''}{number(key - query)}; "
        f"base {number(base, 2)}; angles in radians</caption>"
        f"<thead><tr {ROW}>{heads}</tr></thead><tbody>{lines}</tbody></table>"
        f"<p>turned q · turned k = {' + '.join(number(part['product']) for part in parts).replace('+ −', '− ')} = "
        f"{number(total)}, the same for all positions with this j − i.</p>"
    )
    alt = (
        f"A query at position {query} and a key at position {key}, turned pair by pair: angles between them "
        f"{', '.join(number(part['between'], 2) for part in parts)} radians, and the sum of the products "
        f"{number(total)}."
    )
    data: dict[str, Any] = {"q": q, "k": k, "i": query, "j": key, "pair": pair, "base": base}
    data |= {"bases": sorted({*BASES, base}), "largest": LARGEST, "title": heading}
    return Picture(
        "rope-rotation", body, alt=alt, title=title, styles=["controls", "rope"], script="rope_rotation.js", data=data
    )


def vector(name: str, value: Any) -> list[float]:
    """The numbers of a query or a key, or a ValueError."""
    try:
        numbers = [float(x) for x in value]
    except (TypeError, ValueError):
        numbers = []
    if not 2 <= len(numbers) <= 2 * PAIRS or len(numbers) % 2 or not all(math.isfinite(x) for x in numbers):
        raise ValueError(f"{name}={value!r}: expected 2, 4, … or {2 * PAIRS} finite numbers")
    return numbers


def turned(q: list[float], k: list[float], i: int, j: int, base: float) -> list[dict[str, Any]]:
    """For each pair of channels (m, m + d/2): its θ, both arrows after the turn, the angle from q to k, the product."""
    half, result = len(q) // 2, []
    for m, theta in enumerate(frequencies(len(q), base).tolist()):
        arrows = []
        for x, p in ((q, i), (k, j)):
            a, b, angle = x[m], x[m + half], p * theta
            arrows.append((a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)))
        (a, b), (c, d) = arrows
        product, cross = a * c + b * d, a * d - b * c
        result.append(
            {"theta": theta, "q": arrows[0], "k": arrows[1], "product": product, "between": math.atan2(cross, product)}
        )
    return result


def _arrow(xy: tuple[float, float]) -> str:
    return f"({number(xy[0])}, {number(xy[1])})"
