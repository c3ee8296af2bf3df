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

    def __repr__(self) -> str:
        rows, columns, tables, wrong, slab = self._tables()
        lines = [self._says(wrong), slab] if slab else [self._says(wrong)]
        width = max(len(cell) for table in tables.values() for row in table for cell in row) + 2
        width = max(width, *(len(label) + 1 for label in columns))
        margin = max(len(label) for label in rows)
        for name, table in tables.items():
            lines += [name, " " * (margin + 2) + "".join(f"{label:>{width}}" for label in columns)]
            lines += [
                f"  {label:<{margin}}" + "".join(f"{cell:>{width}}" for cell in row) for label, row in zip(rows, table)
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows, columns, tables, wrong, slab = self._tables()
        ground, ink, _ = GREY
        blocks = "".join(self._table(name, rows, columns, table) for name, table in tables.items())
        words = f"<b>{rich(self._says(wrong))}</b>" + (f"<br>{escape(slab)}" if slab else "")
        style = f"background:{ground};color:{ink};padding:8px 14px;line-height:1.6"
        reach = 'role="group" aria-label="yours beside the expected" tabindex="0" data-lm-suppress-shortcuts="true"'
        inner = f'<div {reach} style="display:flex;flex-wrap:wrap;gap:18px;overflow-x:auto">{blocks}</div>'
        return f'<div class="rp-result" style="{style}">{words}{inner}</div>'

    def _says(self, wrong: int) -> str:
        many = f"{wrong} of {self.expected.size} entries differ" if wrong else "all entries agree"
        return f"{self.title}: {self.call}: {many}"

    def _tables(self) -> tuple[list[str], list[str], dict[str, list[list[str]]], int, str]:
        """Row labels, column labels, the three tables as text, how many entries differ, and which part is shown."""
        bad = ~close(self.yours, self.expected)
        first = tuple(int(k) for k in np.argwhere(bad)[0]) if bad.any() else (0,) * bad.ndim
        lead, ndim = first[:-2], bad.ndim
        sizes = (1, 1, *bad.shape)[-2:]
        top, left = (max(0, min(at - MOST // 2, size - MOST)) for at, size in zip((0, 0, *first)[-2:], sizes))
        cut = slice(top, top + MOST), slice(left, left + MOST)
        y, e, b = (np.atleast_2d(array[lead])[cut] for array in (self.yours, self.expected, bad))
        tables = {
            "yours": [[f"{_cell(v)} ✗" if w else _cell(v) for v, w in zip(*pair)] for pair in zip(y, b)],
            "expected": [[_cell(v) for v in row] for row in e],
        }
        if "U" not in (y.dtype.kind, e.dtype.kind):
            with np.errstate(all="ignore"):
                gap = np.where(b, y.astype(float) - e.astype(float), 0)
            tables["difference"] = [[_cell(v) if w else "0" for v, w in zip(*pair)] for pair in zip(gap, b)]
        rows = [self.axes[-2].label(top + k, sizes[0]) for k in range(len(e))] if ndim > 1 else [""]
        columns = [self.axes[-1].label(left + k, sizes[1]) for k in range(e.shape[1])] if ndim else [""]
        slab = ", ".join(axis.at(k, size) for axis, k, size in zip(self.axes, lead, bad.shape))
        if max(sizes) > MOST:
            window = f"rows {top} to {top + len(e) - 1}, columns {left} to {left + e.shape[1] - 1}"
            slab = f"{slab}; {window}" if slab else window
        return rows, columns, tables, int(bad.sum()), slab

    def _table(self, name: str, rows: list[str], columns: list[str], table: list[list[str]]) -> str:
        def cell(tag: str, text: str, colours: tuple[str, str, str]) -> str:
            style = f"background:{colours[0]};color:{colours[1]};padding:2px 7px;text-align:right;white-space:nowrap"
            tag = tag if text else "td"  # an empty heading would be read aloud
            return f'<{tag} style="{style}">{escape(text)}</{tag}>'

        head = "".join(cell("th", label, GREY) for label in ["", *columns])
        body = ""
        for label, row in zip(rows, table):
            shades = [
                AMBER if text.endswith("✗") else GREEN if name == "yours" else ("#ffffff", "#202124", "")
                for text in row
            ]
            body += f"<tr>{cell('th', label, GREY)}{''.join(map(cell, ['td'] * len(row), row, shades))}</tr>"
        caption = f'<caption style="color:{GREY[1]};text-align:left;font-weight:bold">{name}</caption>'
        style = "border-collapse:collapse;font-size:13px;margin:4px 0"
        return f'<table style="{style}">{caption}<tr>{head}</tr>{body}</table>'


def _cell(value: object) -> str:
    if isinstance(value, (np.str_, np.bool_)):
        return str(value)
    return number(value, 0 if isinstance(value, np.integer) else 4)
