"""A check-up as a picture: what each layer's heads add by position, what a gap costs, and every finding in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from course_lib.checks import check_array

from ..contents import TOPICS
from ..display.colours import LINES
from ..display.formatting import MINUS, escape, with_sign
from ..display.picture import Picture
from ..display.svg import svg_image

if TYPE_CHECKING:  # a check-up needs torch, its picture does not
    from course_lib.checkup import Check, Report

COLUMNS, PANEL, GAP = 5, (128, 92), 12
POINTS = 64  # of a line
FLAT = 2e-6  # a curve that moves less sees no position
COLOURS = {"fault": "#a40e26", "know": "#7a4b00", "fine": "#0b6e65", "skipped": "#57606a"}


def position_curves(curves: Sequence[ArrayLike], layers: Sequence[int] | None = None) -> Picture:
    """What position alone adds to a score: ln(w_ij / w_ii) by the distance i − j, a panel for each layer, a line for
    each head. Read off a text of one token, repeated, as `Report.curves` has it.

    curves (heads, reach), one for each layer; layers: their numbers, 0, 1, … by default. Each panel has its own scale,
    which is written below it. Raises ValueError for other shapes, and unless there are as many numbers as curves.
    """
    arrays = [check_array("curves", curve, 2, "(heads, reach) for each layer") for curve in curves]
    numbers = list(range(len(arrays)) if layers is None else layers)
    if not arrays or len(numbers) != len(arrays):
        raise ValueError(f"layers={numbers}: expected a number for each of {len(arrays)} curves, one or more")
    longest = max(curve.shape[1] for curve in arrays)
    width = min(COLUMNS, len(arrays)) * (PANEL[0] + GAP)
    height = -(-len(arrays) // COLUMNS) * (PANEL[1] + 34)
    panels = [panel(layer, curve, longest, *place(at)) for at, (layer, curve) in enumerate(zip(numbers, arrays))]
    words = [f"layer {layer} {described(curve, longest) or 'sees all'}" for layer, curve in zip(numbers, arrays)]
    alt = f"Curves by distance, over {longest} tokens, of {len(arrays[0])} heads in each layer: {'; '.join(words)}."
    image = svg_image("".join(panels), width=width, height=height, alt=alt)
    note = "Across: distance i − j. Up: ln(w_ij / w_ii), what position adds to the score."
    scroll = f'<div class="rp-scroll">{image}</div>' if len(arrays) > 3 else image
    return Picture("curves", f'{scroll}<p class="rp-note">{note}</p>', alt=alt)


def place(at: int) -> tuple[int, int]:
    """The upper left corner of a panel."""
    return (at % COLUMNS) * (PANEL[0] + GAP) + GAP // 2, (at // COLUMNS) * (PANEL[1] + 34) + 16


def panel(layer: int, curve: np.ndarray, longest: int, x: int, y: int) -> str:
    """The frame, the lines and the words of one layer."""
    low, high = min(0.0, float(curve.min())), max(0.0, float(curve.max()))
    scale = max(high - low, FLAT)
    width, height = PANEL
    across = x + np.arange(curve.shape[1]) * width / max(longest - 1, 1)
    up = y + height - (curve - low) / scale * height
    some = np.unique(np.linspace(0, curve.shape[1] - 1, POINTS).round().astype(int))
    lines = [
        f'<polyline fill="none" stroke="{LINES[head % len(LINES)]}" points="'
        + " ".join(f"{across[at]:.1f},{row[at]:.1f}" for at in some)
        + '"/>'
        for head, row in enumerate(up)
    ]
    zero = y + height + low / scale * height
    frame = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="#d0d7de"/>'
    frame += f'<path d="M{x} {zero:.0f}h{width}" stroke="#57606a" stroke-dasharray="3 3"/>'
    title = f"layer {layer}: {described(curve, longest)}".removesuffix(": ")
    below = f"{low:.2g} to {high:.2g}".replace("-", MINUS) if high - low > FLAT else ""
    return (
        f'<text x="{x}" y="{y - 4}" font-size="11">{title}</text>{frame}{"".join(lines)}'
        f'<text x="{x}" y="{y + height + 13}" font-size="10" fill="#57606a">{below}</text>'
    )


def described(curve: np.ndarray, longest: int) -> str:
    """A layer in two words: flat, a window, or nothing to say."""
    if abs(curve).max() < FLAT:
        return "flat"
    return f"window {curve.shape[1]}" if curve.shape[1] < longest else ""


def gap_curve(gaps: Sequence[tuple[int, Check]]) -> Picture:
    """What a gap of so many positions costs beyond hiding the tokens before it, in nats, with its standard error."""
    if not gaps:
        raise ValueError("gaps: expected some, of a check-up with a text")
    width, height, left = 520, 200, 44
    means = [(check.number or 0.0, check.error or 0.0) for _, check in gaps]
    low, high = min(0.0, *(m - e for m, e in means)) - 0.1, max(0.0, *(m + e for m, e in means)) + 0.1
    at = [left + (width - left) * (place + 0.5) / len(gaps) for place in range(len(gaps))]

    def up(value: float) -> float:
        return 10 + (high - value) / (high - low) * (height - 45)

    line = " ".join(f"{x:.1f},{up(mean):.1f}" for x, (mean, _) in zip(at, means))
    parts = [
        f'<path d="M{left} {up(0):.1f}H{width}" stroke="#57606a" stroke-dasharray="4 3"/>',
        f'<text x="{width}" y="{up(0) - 4:.1f}" font-size="11" text-anchor="end">as if hidden</text>',
        f'<polyline fill="none" stroke="{LINES[0]}" points="{line}"/>',
    ]
    for x, (mean, error), (gap, _) in zip(at, means, gaps):
        parts += [
            f'<path d="M{x:.1f} {up(mean - error):.1f}V{up(mean + error):.1f}" stroke="#1b1f24"/>',
            f'<circle cx="{x:.1f}" cy="{up(mean):.1f}" r="4" fill="{LINES[0]}"/>',
            f'<text x="{x:.1f}" y="{height - 22}" font-size="11" text-anchor="middle">{gap:,}</text>',
            f'<text x="{x + 8:.1f}" y="{up(mean) - 6:.1f}" font-size="11">{with_sign(mean, 2)}</text>',
        ]
    parts.append(f'<text x="{width / 2}" y="{height - 6}" font-size="11" text-anchor="middle">gap, in positions</text>')
    parts.append('<text x="0" y="12" font-size="11">nats</text>')
    listed = "; ".join(f"{gap:,}: {with_sign(mean, 2)} ± {error:.2f}" for (gap, _), (mean, error) in zip(gaps, means))
    alt = f"The cost of a gap beyond hiding the first half, in nats, by the size of the gap: {listed}."
    note = '<p class="rp-note">Up: what a gap costs beyond hiding the tokens before it, ± its standard error.</p>'
    return Picture("gaps", svg_image("".join(parts), width=width, height=height, alt=alt) + note, alt=alt)


def checkup_report(report: Report) -> Picture:
    """A check-up, or a comparison, on one page: what the file says, every finding, and the two pictures."""
    rows = [
        f'<tr><td style="color:{COLOURS[check.verdict]}"><b>{check.verdict}</b></td>'
        f'<th scope="row">{escape(check.name)}</th><td>{escape(check.shown)}</td><td>{escape(advice(check))}</td></tr>'
        for check in report.ordered
    ]
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("verdict", "check", "number", "what it says"))
    body = [f"<p><b>{escape(report.title)}</b></p>", *(f"<p>{escape(line)}</p>" for line in report.words)]
    count = len(report.faults)
    caption = f"{count} fault{'s' * (count != 1)} in {len(report.checks)} checks"
    body.append(f'<table style="color:#1b1f24"><caption>{caption}</caption><thead><tr>{heads}</tr></thead>')
    body.append(f"<tbody>{''.join(rows)}</tbody></table>")
    body += [f'<p class="rp-note"><b>{word}</b>: {escape(says)}.</p>' for word, says in report.verdicts.items()]
    if report.curves:
        body += ["<p><b>What position adds, by distance</b></p>", position_curves(report.curves)._body]
    if report.gaps:
        body += ["<p><b>What a gap costs</b></p>", gap_curve(report.gaps)._body]
    alt = f"{report.title}: {caption}."
    return Picture("checkup", "".join(body), alt=alt, title=report.title, styles=["checkup"])


def advice(check: Check) -> str:
    """What a check says, and for a fault or a know where it is explained."""
    topic, _, heading = check.section.partition(": ")
    if check.verdict not in ("fault", "know") or topic not in TOPICS:
        return check.says
    end = "" if check.says.endswith("?") else "."
    return f"{check.says}{end} See chapter {TOPICS[topic].number}, “{heading.replace('`', '')}”."
