"""How good a model is beyond the length it was trained at: one curve per scheme, with its interval over seeds."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..display.colours import LINES, signed_colour
from ..display.formatting import check_number, check_whole, decimals, escape, number
from ..display.picture import Picture
from .heatmap import table_html

MOST_SCHEMES = 2 * len(LINES)  # each colour twice: filled marks on a full line, hollow marks on a dashed one
MOST_LENGTHS, MOST_PANELS, MOST_LETTERS = 8, 6, 20

Point = tuple[float, float, float]


class Panel(NamedTuple):
    """One task: its name, the points of every scheme, and which of the points belongs to the training length."""

    name: str
    curves: dict[str, list[Point]]
    home: int

    def rise(self, scheme: str, index: int = -1) -> float:
        """The mean at a length minus the mean at the training length."""
        return self.curves[scheme][index][0] - self.curves[scheme][self.home][0]


def length_curves(
    lengths: Sequence[int],
    panels: Mapping[str, Mapping[str, Sequence[Sequence[float]]]],
    *,
    trained: int,
    y: str = "loss",
    alt: str | None = None,
    title: str | None = None,
) -> Picture:
    """The loss (or whatever `y` names) of each scheme, trained at one length and tested at several, alive: choose the
    panel, switch schemes on and off, read any point with its interval and its rise over the training length.

    lengths: 2 to 8 ascending whole numbers. panels: {panel: {scheme: [(mean, low, high) for each length]}}, up to 6
    panels and 12 schemes. trained: the training length, one of `lengths` and not the last.
    Raises ValueError for anything else, for a number that is not finite, and unless low ≤ mean ≤ high.
    """
    tested = _lengths(lengths)
    if check_whole("trained", trained, 1, tested[-1]) not in tested[:-1]:
        raise ValueError(
            f"trained={trained!r}: expected one of the lengths {tuple(tested)}, with a longer one after it"
        )
    if not isinstance(y, str) or not y.strip():
        raise ValueError(f"y={y!r}: expected what the numbers are, such as 'loss'")
    shown = _panels(panels, tested, tested.index(trained))
    schemes = list(dict.fromkeys(scheme for panel in shown for scheme in panel.curves))
    if len(schemes) > MOST_SCHEMES:
        raise ValueError(f"panels: {len(schemes)} schemes, {schemes!r}; expected at most {MOST_SCHEMES}")
    points = [point for panel in shown for curve in panel.curves.values() for point in curve]
    digits = decimals((value for point in points for value in (*point, _half(point))), 3)
    heading = title or f"{y[0].upper()}{y[1:]} beyond the training length {trained}"
    words = [_words(panel, y, trained, tested[-1], digits) for panel in shown]
    alt = alt or (
        f"{heading}: {len(schemes)} scheme{'s' * (len(schemes) > 1)}, tested at {', '.join(map(str, tested))}. "
        + " ".join(f"{panel.name}: {sentence}" for panel, sentence in zip(shown, words, strict=True))
    )
    body = f'<p style="margin:0 0 6px"><b>{escape(heading)}</b></p>' + "".join(
        f"{_table(panel, tested, y, digits)}<p>{escape(sentence)}</p>"
        for panel, sentence in zip(shown, words, strict=True)
    )
    data = {
        "lengths": tested,
        "home": tested.index(trained),
        "y": y,
        "digits": digits,
        "colours": LINES,
        "schemes": schemes,
        "panels": [
            [panel.name, [[schemes.index(scheme), curve] for scheme, curve in panel.curves.items()]] for panel in shown
        ],
    }
    styles = ["controls", "curves"]
    return Picture("length-curves", body, alt=alt, title=title, styles=styles, script="length_curves.js", data=data)


def _lengths(lengths: Any) -> list[int]:
    if isinstance(lengths, str) or not hasattr(lengths, "__len__") or not 2 <= len(lengths) <= MOST_LENGTHS:
        raise ValueError(f"lengths={lengths!r}: expected 2 to {MOST_LENGTHS} ascending whole numbers")
    whole = [check_whole(f"lengths[{index}]", length, 1, 10**7) for index, length in enumerate(lengths)]
    if any(a >= b for a, b in pairwise(whole)):
        raise ValueError(f"lengths={tuple(whole)!r}: expected ascending numbers, each larger than the one before")
    return whole


def _panels(panels: Any, lengths: list[int], home: int) -> list[Panel]:
    if not isinstance(panels, Mapping) or not 1 <= len(panels) <= MOST_PANELS:
        raise ValueError(f"panels={panels!r}: expected a dictionary of 1 to {MOST_PANELS} panels")
    shown = []
    for name, curves in panels.items():
        _check_name("panels", name)
        if not isinstance(curves, Mapping) or not curves:
            raise ValueError(f"panels[{name!r}]={curves!r}: expected a dictionary from scheme to points")
        read = {}
        for scheme, points in curves.items():
            where = f"panels[{name!r}][{scheme!r}]"
            _check_name(f"panels[{name!r}]", scheme)
            count = len(points) if hasattr(points, "__len__") else 0
            if count != len(lengths):
                raise ValueError(f"{where}: {count} points, expected {len(lengths)}, one for each length")
            read[scheme] = [_point(f"{where} at {n}", point) for n, point in zip(lengths, points, strict=True)]
        shown.append(Panel(name, read, home))
    return shown


def _check_name(where: str, name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > MOST_LETTERS:
        raise ValueError(f"{where}: the name {name!r}, expected 1 to {MOST_LETTERS} letters")


def _point(where: str, point: Any) -> Point:
    """(mean, low, high), with the digits that a picture can show."""
    if isinstance(point, str) or not hasattr(point, "__len__") or len(point) != 3:
        raise ValueError(f"{where}={point!r}: expected (mean, low, high)")
    mean, low, high = (float(f"{check_number(where, value, -1e6, 1e6):.5g}") for value in point)
    if not low <= mean <= high:
        raise ValueError(f"{where}={tuple(point)!r}: expected (mean, low, high) with low ≤ mean ≤ high")
    return mean, low, high


def _half(point: Point) -> float:
    return (point[2] - point[1]) / 2


def _words(panel: Panel, y: str, trained: int, longest: int, digits: int) -> str:
    """Which scheme changes most and which least. Neither is called good: a low loss is, but so is a high accuracy."""
    by_change = sorted(panel.curves, key=lambda scheme: abs(panel.rise(scheme)))

    def change(scheme: str) -> str:
        return f"{'+' if panel.rise(scheme) > 0 else ''}{number(panel.rise(scheme), digits)}"

    least, most = by_change[0], by_change[-1]
    opening = f"From length {trained} to {longest} the mean {y} changes"
    if len(by_change) == 1:
        return f"{opening} by {change(most)} for {most}."
    return f"{opening} most for {most} ({change(most)}) and least for {least} ({change(least)})."


def _table(panel: Panel, lengths: list[int], y: str, digits: int) -> str:
    grid = [[(*p, panel.rise(scheme, i)) for i, p in enumerate(points)] for scheme, points in panel.curves.items()]
    top = max(abs(cell[3]) for row in grid for cell in row) or 1.0
    trained = lengths[panel.home]
    table = table_html(
        grid,
        list(panel.curves),
        [f"{n} (trained)" if n == trained else str(n) for n in lengths],
        name=f"{panel.name}: {y} of each scheme at each length",
        caption=f"<b>{escape(panel.name)}</b>: {escape(y)} at each test length, mean ± half of the interval over seeds"
        f'<br><span class="rp-note" style="color:#57606a">orange: higher than at length {trained}; blue: lower</span>',
        paint=lambda cell: signed_colour(round(20 * cell[3] / top) / 20),
        show=lambda cell: f"{number(cell[0], digits)} ±\u00a0{number(_half(cell[:3]), digits)}",
        corner="scheme",
    )
    return table.replace(' style="background-color:#ffffff"', "")  # the rows are white already
