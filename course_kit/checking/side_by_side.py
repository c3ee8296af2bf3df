"""Yours, expected and difference side by side, as text and as coloured tables."""

from dataclasses import dataclass
from html import escape

import numpy as np

from ..display.box import AMBER, GREEN, GREY, rich
from .arrays import Array, close
from .axes import Axis
from .difference import number

MOST = 8  # rows and columns shown


@dataclass
class SideBySide:
    """One result beside the expected one; entries that differ are marked with ✗ and amber, not by colour alone."""

    title: str
    call: str
    yours: Array
    expected: Array
    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        """Three tables of texts, around the first entry that differs, their labels, and the words above them."""
        bad = ~close(self.yours, self.expected)
        first = tuple(int(k) for k in np.argwhere(bad)[0]) if bad.any() else (0,) * bad.ndim
        lead, sizes = first[:-2], (1, 1, *bad.shape)[-2:]
        top, left = (max(0, min(at - MOST // 2, size - MOST)) for at, size in zip((0, 0, *first)[-2:], sizes))
        cut = slice(top, top + MOST), slice(left, left + MOST)
        y, e, b = (np.atleast_2d(array[lead])[cut] for array in (self.yours, self.expected, bad))
        self.tables = {"yours": np.where(b, _cells(y) + " ✗", _cells(y)), "expected": _cells(e)}
        if "U" not in (y.dtype.kind, e.dtype.kind):
            with np.errstate(all="ignore"):
                self.tables["difference"] = np.where(b, _cells(y.astype(float) - e.astype(float)), "0")
        self.rows = [self.axes[-2].label(top + k, sizes[0]) for k in range(len(e))] if bad.ndim > 1 else [""]
        self.columns = [self.axes[-1].label(left + k, sizes[1]) for k in range(e.shape[1])] if bad.ndim else [""]
        many = f"{bad.sum()} of {bad.size} entries differ" if bad.any() else "all entries agree"
        shown = [axis.at(k, size) for axis, k, size in zip(self.axes, lead, bad.shape)]
        window = f"rows {top} to {top + len(e) - 1}, columns {left} to {left + e.shape[1] - 1}"
        slab = "; ".join(filter(None, (", ".join(shown), window if max(sizes) > MOST else "")))
        self.said = [f"{self.title}: {self.call}: {many}", *([slab] if slab else [])]

    def __repr__(self) -> str:
        cells = [cell for table in self.tables.values() for cell in table.flat]
        width = max(*(len(cell) + 2 for cell in cells), *(len(label) + 1 for label in self.columns))
        margin = max(map(len, self.rows))
        lines = list(self.said)
        for name, table in self.tables.items():
            lines.append(name)
            for label, row in zip(["", *self.rows], [self.columns, *table]):
                lines.append(f"  {label:<{margin}}" + "".join(f"{cell:>{width}}" for cell in row))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        ground, ink, _ = GREY
        blocks = "".join(self._table(name, table) for name, table in self.tables.items())
        words = f"<b>{rich(self.said[0])}</b>" + "".join(f"<br>{escape(slab)}" for slab in self.said[1:])
        style = f"background:{ground};color:{ink};padding:8px 14px;line-height:1.6"
        reach = 'role="group" aria-label="yours beside the expected" tabindex="0" data-lm-suppress-shortcuts="true"'
        inner = f'<div {reach} style="display:flex;flex-wrap:wrap;gap:18px;overflow-x:auto">{blocks}</div>'
        return f'<div class="rp-result" style="{style}">{words}{inner}</div>'

    def _table(self, name: str, table: Array) -> str:
        def cell(text: str, colours: tuple[str, ...] = GREY, tag: str = "td") -> str:
            style = f"background:{colours[0]};color:{colours[1]};padding:2px 7px;text-align:right;white-space:nowrap"
            tag = tag if text else "td"  # an empty heading would be read aloud
            return f'<{tag} style="{style}">{escape(text)}</{tag}>'

        right = GREEN if name == "yours" else ("#ffffff", "#202124")
        body = "".join(cell(label, tag="th") for label in ["", *self.columns])
        for label, row in zip(self.rows, table):
            cells = "".join(cell(text, AMBER if text.endswith("✗") else right) for text in row)
            body += f"</tr><tr>{cell(label, tag='th')}{cells}"
        caption = f'<caption style="color:{GREY[1]};text-align:left;font-weight:bold">{name}</caption>'
        style = "border-collapse:collapse;font-size:13px;margin:4px 0"
        return f'<table style="{style}">{caption}<tr>{body}</tr></table>'


@np.vectorize(otypes=[object])
def _cells(value: object) -> str:
    """Each entry as a text."""
    return str(value) if isinstance(value, (str, bool)) else number(value, 0 if isinstance(value, int) else 4)
