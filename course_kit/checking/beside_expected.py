"""Yours, the expected and their difference as tables beside each other."""

from collections.abc import Sequence

import numpy as np

from ..display.box import AMBER, GREEN
from ..display.formatting import any_number
from ..display.picture import Picture
from ..figures.frames import Cell, Frame, Table, still
from .arrays import Array, close
from .axes import Axis

MOST = 8  # rows and columns shown


def beside_expected(title: str, call: str, yours: Array, expected: Array, axes: Sequence[Axis]) -> Picture:
    """One result beside the expected one, cut around the first entry that differs.

    Entries that differ are marked with ✗ and amber, not by colour alone.
    """
    bad = ~close(yours, expected)
    first = tuple(int(k) for k in np.argwhere(bad)[0]) if bad.any() else (0,) * bad.ndim
    lead, sizes = first[:-2], (1, 1, *bad.shape)[-2:]
    top, left = (max(0, min(at - MOST // 2, size - MOST)) for at, size in zip((0, 0, *first)[-2:], sizes))
    cut = slice(top, top + MOST), slice(left, left + MOST)
    y, e, b = (np.atleast_2d(array[lead])[cut] for array in (yours, expected, bad))
    texts = {"yours": np.where(b, _texts(y) + " ✗", _texts(y)), "expected": _texts(e)}
    if "U" not in (y.dtype.kind, e.dtype.kind):
        with np.errstate(all="ignore"):
            texts["difference"] = np.where(b, _texts(y.astype(float) - e.astype(float)), "0")
    rows = [axes[-2].label(top + k, sizes[0]) for k in range(len(e))] if bad.ndim > 1 else []
    columns = [axes[-1].label(left + k, sizes[1]) for k in range(e.shape[1])] if bad.ndim else ["value"]
    tables = []
    for name, table in texts.items():
        colours = np.where(b, AMBER[0], GREEN[0]) if name == "yours" else np.full(b.shape, "#ffffff")
        cells = [[Cell(text, colour=str(colour)) for text, colour in zip(*lines)] for lines in zip(table, colours)]
        tables.append(Table(name, rows, columns, cells))
    many = f"{bad.sum()} of {bad.size} entries differ" if bad.any() else "all entries agree"
    shown = [axis.at(k, size) for axis, k, size in zip(axes, lead, bad.shape)]
    window = f"rows {top} to {top + len(e) - 1}, columns {left} to {left + e.shape[1] - 1}"
    shown += [window] if max(sizes) > MOST else []
    said = [f"{call.replace('`', '')}: {many}.", *[f"Shown: {', '.join(shown)}."] * bool(shown)]
    return Picture("side-by-side", still(Frame(tables, said), title), alt=f"{title}: {' '.join(said)}", title=title)


@np.vectorize(otypes=[object])
def _texts(value: object) -> str:
    """Each entry as a text."""
    return str(value) if isinstance(value, (str, bool)) else any_number(value, 0 if isinstance(value, int) else 4)
