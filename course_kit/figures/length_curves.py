"""How good a model is beyond the length it was trained at: one curve per scheme, from the worst seed to the best."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..display.colours import LINES, signed_colour
from ..display.formatting import escape, number
from ..display.picture import SUPPRESS, Picture
from .frames import Cell, Table, still_table
from .plot import png_image

MARKS = "os^Dvp"
MOST_SCHEMES = 2 * len(LINES)  # each colour twice: filled marks on a full line, hollow marks on a dashed one

Curves = Mapping[str, Sequence[Sequence[float]]]  # scheme: (mean, low, high) at each length


def length_curves(
    lengths: Sequence[int],
    panels: Mapping[str, Curves],
    *,
    trained: int,
    y: str = "loss",
    alt: str = "",
) -> Picture:
    """The loss (or whatever `y` names) of each scheme, trained at one length and tested at several: a plot and a table
    for each panel, {panel: {scheme: [(mean, low, high) for each length]}}; low and high are the best and worst seed.

    Raises ValueError for more than 12 schemes, and a training length that is not tested.
    """
    schemes = list(dict.fromkeys(scheme for curves in panels.values() for scheme in curves))
    if len(schemes) > MOST_SCHEMES:
        raise ValueError(f"panels: {len(schemes)} schemes, expected at most {MOST_SCHEMES}")
    heading = f"{y.capitalize()} beyond the training length {trained}"
    words = alt or f"{heading}: {len(schemes)} schemes, tested at {', '.join(map(str, lengths))}"
    apart = '<div style="display:inline-block;vertical-align:top;margin:0 16px 12px 0;max-width:100%">'
    drawn = []
    for name, curves in panels.items():
        image = png_image(_plot(name, curves, schemes, lengths, trained, y), f"{words}: {name}; its numbers are below")
        table = _table(name, curves, lengths, trained, y)
        summary = f"<summary {SUPPRESS}>{escape(name)}: the numbers</summary>"
        drawn.append(f"{apart}{image}<details>{summary}{table}</details></div>")
    return Picture("length-curves", f"<p><b>{escape(heading)}</b></p>{''.join(drawn)}", alt=words, title=heading)


def _plot(name: str, curves: Curves, schemes: list[str], lengths: Sequence[int], trained: int, y: str) -> Any:
    """A matplotlib figure of one panel: a scheme has the same look in every panel."""
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(3.1, 4), layout="constrained")
    for scheme, points in curves.items():
        again, k = divmod(schemes.index(scheme), len(LINES))
        mean, low, high = np.transpose(points)
        line, face = ("--", "#ffffff") if again else ("-", LINES[k])
        look: dict[str, Any] = {"color": LINES[k], "marker": MARKS[k], "linestyle": line, "markerfacecolor": face}
        size: dict[str, Any] = {"capsize": 2, "elinewidth": 0.8, "markersize": 5}
        ax.errorbar(lengths, mean, [mean - low, high - mean], label=scheme, **look, **size)
    ax.axvline(trained, color="#57606a", linestyle=":")
    ax.set(title=name, xscale="log", xlabel=f"test length (dotted: trained at {trained})", ylabel=y)
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()
    fig.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return fig


def _table(name: str, curves: Curves, lengths: Sequence[int], trained: int, y: str) -> str:
    """Mean, best and worst seed for each scheme and length, coloured by the rise over the training length."""
    home = list(lengths).index(trained)
    rises = {scheme: [mean - points[home][0] for mean, _, _ in points] for scheme, points in curves.items()}
    top = max(abs(rise) for found in rises.values() for rise in found) or 1.0

    def cell(point: Sequence[float], rise: float) -> Cell:
        mean, low, high = point
        text = f"{number(float(mean), 3)} ({number(float(low), 3)} to {number(float(high), 3)})"
        return Cell(text, colour=signed_colour(rise / top))

    table = Table(
        f"{name}: {y} at each test length, the mean over seeds (lowest to highest)",
        rows=list(curves),
        columns=[f"{n} (trained)" if n == trained else str(n) for n in lengths],
        cells=[list(map(cell, curves[scheme], rises[scheme])) for scheme in curves],
        corner="scheme",
        note=f"orange: higher than at length {trained}; blue: lower",
    )
    return still_table(table)
