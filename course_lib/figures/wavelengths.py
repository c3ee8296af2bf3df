"""The wavelength of every pair of channels before and after a repair of RoPE, and the pairs that meet new angles."""

import math

import numpy as np
from numpy.typing import ArrayLike

from ..display.colours import LINES
from ..display.formatting import check_whole, escape
from ..display.picture import Picture
from ..display.svg import svg_image
from ..reference.speeds import check_row, turns

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 700, 300, 64, 16, 240
SLOWED, NEW, PALE = LINES[0], LINES[2], "#6e7781"
PAIRS = 16  # more of them would not leave room for their divisors


def wavelengths(
    before: ArrayLike, after: ArrayLike, *, trained: int = 128, n: int = 1024, title: str | None = None
) -> Picture:
    """Pair by pair, how many positions a full turn takes before and after a repair, on a log scale.

    before, after: the speeds θ_m and θ'_m in radians per position, fastest first. A square marks a pair that meets new
    angles in a text of n tokens: it made no full turn in the `trained` tokens, ρ_m < 1, and n θ'_m > trained · θ_m. A
    pair with θ'_m = 0 is drawn at the upper edge. Raises ValueError unless there are 1 to 16 speeds of each, as many
    after as before, none negative and no 0 before, and for lengths outside 2 … 10⁶.
    """
    old, new = check_row(before), check_row(after)
    if len(old) != len(new) or len(old) > PAIRS or (old <= 0).any() or (new < 0).any():
        raise ValueError(f"{len(old)} speeds before, {len(new)} after: expected as many, 1 to {PAIRS}, none below 0")
    check_whole("trained", trained, 2, 10**6)
    check_whole("n", n, 2, 10**6)
    fresh = (turns(old, trained) < 1) & (turns(new, n) > turns(old, trained) * (1 + 1e-9))
    finite = [math.tau / speed for speed in (*old, *new) if speed > 0]
    low, high = math.log10(min(finite)), max(math.log10(max(*finite, n)), math.log10(min(finite)) + 1) + 0.25

    def y(wave: float) -> float:
        return TOP if math.isinf(wave) else BOTTOM - (BOTTOM - TOP - 8) * (math.log10(wave) - low) / (high - low)

    heading = title or "The wavelengths of the pairs, before and after"
    drawn = [_level(y(length), name) for length, name in ((trained, f"{trained:,}"), (n, f"{n:,}"))]
    step = (WIDTH - LEFT - 20) / len(old)
    divisors = [_divisor(theta, slowed) for theta, slowed in zip(old, new, strict=True)]
    for m, divisor in enumerate(divisors):
        waves = [math.tau / speed if speed > 0 else math.inf for speed in (old[m], new[m])]
        drawn.append(_pair(m, LEFT + (m + 0.5) * step, y(waves[0]), y(waves[1]), bool(fresh[m]), divisor))
    drawn += [_label(8, BOTTOM + 22, "pair"), _label(8, BOTTOM + 44, "divisor")]
    named = ", ".join(str(m) for m in np.flatnonzero(fresh)) or "none"
    alt = (
        f"{len(old)} pairs of channels, trained on {trained:,} tokens, in a text of {n:,}. Divisors of their speeds: "
        f"{', '.join(divisors)}. Pairs that meet new angles: {named}."
    )
    key = (
        f'<span style="color:{PALE}">○</span> before, <span style="color:{SLOWED}">●</span> after, '
        f'<span style="color:{NEW}">■</span> after, and meets <b style="color:{NEW}">new angles</b> (pairs: {named}). '
        f"The higher, the longer the wave; dashed: {trained:,} tokens of training, {n:,} of the text."
    )
    image = svg_image("".join(drawn), width=WIDTH, height=HEIGHT, alt=alt)
    body = f'<p style="margin:0 0 6px"><b>{escape(heading)}</b><br>{key}</p>{image}'
    return Picture("wavelengths", body, alt=alt, title=heading)


def _level(height: float, name: str) -> str:
    """A dashed line at a length, with its number on the left."""
    line = f'<path d="M{LEFT} {height:.1f}H{WIDTH - 12}" stroke="#57606a" stroke-dasharray="5 4"/>'
    return line + f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end" font-size="12">{name}</text>'


def _pair(m: int, x: float, before: float, after: float, new: bool, divisor: str) -> str:
    """An open dot before, a line to a full dot or square after, and the divisor below."""
    colour = NEW if new else SLOWED
    mark = (
        f'<rect x="{x - 6:.1f}" y="{after - 6:.1f}" width="12" height="12" fill="{NEW}"/>'
        if new
        else f'<circle cx="{x:.1f}" cy="{after:.1f}" r="5" fill="{SLOWED}"/>'
    )
    return (
        f'<path d="M{x:.1f} {before:.1f}V{after:.1f}" stroke="{colour}" stroke-width="2"/>'
        f'<circle cx="{x:.1f}" cy="{before:.1f}" r="7" fill="none" stroke="{PALE}" stroke-width="2"/>{mark}'
        f'<text x="{x:.1f}" y="{BOTTOM + 22}" text-anchor="middle" font-size="13">{m}</text>'
        f'<text x="{x:.1f}" y="{BOTTOM + 44}" text-anchor="middle" font-size="12" fill="{colour}">{divisor}</text>'
    )


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="12">{text}</text>'


def _divisor(before: float, after: float) -> str:
    """By how much a speed is divided, with three digits; a pair that stopped is divided by ∞."""
    return "∞" if after == 0 else f"{before / after:.3g}"
