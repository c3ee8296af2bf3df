"""What a released model learned: T5's table of MPNet, a small drawing for each head, and the numbers of one of them."""

import functools

import numpy as np
from numpy.typing import NDArray

from course_lib import learned
from course_lib.reference.t5 import bucket

from ..display.colours import LINES
from ..display.formatting import number
from .frames import Cell, Drawing, Frame, Table, bar, live

FAR, LOWEST, HIGHEST = 127, -12.0, 4.0  # the largest offset that is drawn, and the ends of the axis of the bias
WIDTH, HEIGHT, TOP, BOTTOM = 148, 118, 20, 98  # pixels: a drawing, and the frame of its curve
TICKS = (-127, -7, 0, 7, 127)
DISTANCES = (1, 2, 3, 4, 8, 16, 32, 64, 127)
HEADS = learned.read("mpnet", "table").shape[1]


@live(
    f"The table that MPNet learned: what each of its {HEADS} heads adds to a score, by the offset −{FAR} … {FAR} on a "
    "logarithmic axis, and the numbers of one head.",
    head=range(HEADS),
)
def learned_table(head: int = 0) -> Frame:
    """The bias of each head of all-mpnet-base-v2 by offset: a drawing for each, and a table for one. Alive: choose it.

    The model has T5's encoder buckets, and one table for all its layers. All drawings have the same axes.
    """
    b = biases()[:, head]
    before, after = b[FAR - np.array(DISTANCES)], b[FAR + np.array(DISTANCES)]
    table = Table(
        f"Head {head}: added to the score",
        rows=["0", *map(str, DISTANCES)],
        columns=["key before", "key after"],
        cells=[[drawn(b[FAR]), Cell("")], *([drawn(x), drawn(y)] for x, y in zip(before, after))],
        corner="distance",
        note="0 is the token itself; grey lines in the drawings: no bias, and offset 0",
        says="Distance {row}, {column}: {text}.",
    )
    own, left, right = (number(float(x), 1) for x in (b[FAR], before[0], after[0]))
    says = [f"Head {head} adds {own} for the token itself,", f"{left} for the one before it", f"and {right} after it."]
    return Frame([*(curve(h, h == head) for h in range(HEADS)), table], says)


@functools.cache
def biases() -> NDArray[np.float64]:
    """A row for each offset −127 … 127, a column for each head."""
    return learned.read("mpnet", "table")[bucket(np.arange(-FAR, FAR + 1))]


def drawn(value: float) -> Cell:
    return bar(float(value), number(float(value), 1), -LOWEST)


@functools.cache
def curve(head: int, chosen: bool) -> Drawing:
    """The bias of a head as steps, one for each bucket; the chosen head has a frame."""
    b = biases()[:, head]
    ends = np.flatnonzero(np.diff(b))  # the last place of each step but the last
    steps = [f"V{y(b[end]):.1f}H{x(end - FAR + 0.5):.1f}" for end in ends]
    path = f"M{x(-FAR):.1f} {y(b[0]):.1f}{''.join(steps)}V{y(b[-1]):.1f}H{x(FAR):.1f}"
    zero = f'<path d="M{x(-FAR):.0f} {y(0):.1f}H{x(FAR):.0f}M{x(0):.0f} {TOP}V{BOTTOM}" stroke="#d0d7de"/>'
    names = "".join(f'<text x="{x(r):.0f}" y="{HEIGHT - 7}">{number(r)}</text>' for r in TICKS)
    frame = f'<path d="M1 1H{WIDTH - 1}V{HEIGHT - 1}H1z" fill="none" stroke="#b35a00" stroke-width="2"/>'
    parts = [
        f'{zero}<g font-size="10" text-anchor="middle">{names}</g>',
        f'<text x="7" y="16" font-size="12">head {head}</text>',
        f'<path d="{path}" fill="none" stroke="{LINES[0]}" stroke-width="2"/>',
        frame * chosen,
    ]
    own, left, right = (number(float(b[FAR + r]), 1) for r in (0, -1, 1))
    return Drawing(parts, f"Head {head} by offset: {left} at −1, {own} at 0, {right} at +1", WIDTH, HEIGHT)


def x(offset: float) -> float:
    """The pixel of an offset, to the right of the middle for keys after the query."""
    return WIDTH / 2 + (WIDTH / 2 - 20) * np.sign(offset) * np.log2(1 + abs(offset)) / np.log2(1 + FAR)


def y(bias: float) -> float:
    """The pixel of a bias; SVG counts downwards."""
    return TOP + (BOTTOM - TOP) * (HIGHEST - bias) / (HIGHEST - LOWEST)
