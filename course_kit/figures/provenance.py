"""Where every cell of a skew comes from: the numbers stay where they are in memory, and only the cuts move."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from course_lib.example import TOKENS
from course_lib.reference.music_transformer import slice_table

from ..display.formatting import check_choice, number, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

# One light colour per query, in turn; neighbours differ in brightness too, and black reads on each of them.
QUERIES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#e3c3ee", "#f4ee9d", "#8fd3d1", "#f7c0b4", "#d3d7dd"]
TAKEN, MISSING = "#b9e2da", "#f7c0b4"  # vectors of the table
TITLES = {
    "skew": "Huang’s skew: where every cell comes from",
    "general": "The general skew: every offset, no junk",
    "shift": "Transformer-XL’s relative shift: where every cell comes from",
}
STEPS = {
    "table": "The vectors of the needed offsets lie together in the table: ✓ taken, – not needed.",
    "product": "One product gives each query a number for each of its columns.",
    "zeros": "Every row gets a zero. In memory the rows lie one behind the other.",
    "new cuts": "The numbers stay where they are; only the cuts move. The new rows are one shorter, so each of them "
    "starts a place earlier in its query’s numbers than the row above.",
    "grid": "What is left out was marked “out”. Row i is query i, column j is key j.",
}
JUNK = "They hold a zero or a number of another query (✗), and the causal mask must hide them."
NO_JUNK = "Every cell holds its own query and its own offset; nothing has to be hidden."


class Cuts(NamedTuple):
    """The sizes of a skew: one row of numbers per query, in whose memory other rows are cut.

    A column of zeros is put in front of the rows, or behind them in the general form. Then `skip` numbers are left
    out, the rest is cut every `width`, and the first n_k of each new row are the grid.
    """

    how: str
    n_q: int
    n_k: int
    past: int = 0
    longest: int = 0  # of the table of vectors, in the general form

    @property
    def front(self) -> int:
        return int(self.how != "general")

    @property
    def width(self) -> int:
        return self.n_k if self.front else self.n_q + self.n_k - 1

    @property
    def skip(self) -> int:
        return self.n_q - 1 + self.front

    @property
    def grid(self) -> NDArray:
        """The place in memory of the number that arrives in each cell, (n_q, n_k)."""
        memory = np.arange(self.n_q * (self.width + 1))[self.skip :][: self.n_q * self.width]
        return memory.reshape(self.n_q, self.width)[:, : self.n_k]

    def number(self, place: int) -> tuple[int, int | None]:
        """The query of the number at this place of memory, and its offset; None for a zero."""
        query, column = divmod(place, self.width + 1)
        column -= self.front
        return query, column - self.past - self.n_q + 1 if 0 <= column < self.width else None

    @property
    def junk(self) -> set[int]:
        """The places of what arrives in the grid and is a zero or a number of another query."""
        row = {int(place): i for (i, _), place in np.ndenumerate(self.grid)}
        return {place for place, i in row.items() if self.number(place)[0] != i or self.number(place)[1] is None}


GENERAL = {
    "3 queries, 5 keys, past 2": Cuts("general", 3, 5, 2, 5),
    "3 queries, 5 keys, past 2, table of length 4": Cuts("general", 3, 5, 2, 4),
    "5 queries, 5 keys, past 0": Cuts("general", 5, 5, 0, 5),
    "6 queries, 4 keys, past 0": Cuts("general", 6, 4, 0, 6),
    "1 query, 6 keys, past 5": Cuts("general", 1, 6, 5, 6),
}
SIZES: dict[str, dict[str, Any]] = {
    "skew": {"n": range(1, 9)},
    "general": {"setting": GENERAL},
    "shift": {"n": range(1, 5), "memory": range(5)},
}
USUAL: dict[str, dict[str, int]] = {"skew": {"n": 5}, "general": {}, "shift": {"n": 3, "memory": 2}}


def provenance(how: str = "skew") -> Picture:
    """Where every cell of a skew comes from. Alive: go through the steps, choose the sizes, and point at a number to
    find it in every step.

    how="skew": Huang's causal skew, `reference.music_transformer.skew_causal`.
    how="general": `slice_table` and `skew`, from the same file. One table is too short, and the picture says so.
    how="shift": `reference.transformer_xl.relative_shift`, n queries after the memory.
    Raises ValueError for another `how`. Sources: Huang et al. 2019, section 3.4.1; Dai et al. 2019, appendix B.
    """
    check_choice("how", how, TITLES)
    steps = list(STEPS)[how != "general" :]
    alt = (
        f"{TITLES[how]}, in {len(steps)} steps: a row of numbers per query, a column of zeros, the same line of "
        "numbers cut into rows that are one shorter, and the grid of queries and keys."
    )

    @live(alt, TITLES[how], step=steps, **SIZES[how])
    def draw(step: str, setting: str = "", n: int = 0, memory: int = 0) -> Frame:
        cuts = GENERAL[setting] if setting else Cuts(how, n, memory + n, memory)
        tables = [] if cuts.front else [_vectors(cuts)]
        try:
            if setting:
                slice_table(np.zeros((2 * cuts.longest - 1, 1)), cuts.n_q, cuts.n_k, past=cuts.past)
        except ValueError as refusal:
            return Frame(tables, ["✗ Too short, and slice_table says so:", f"{refusal}."])
        tables += _stages(cuts)
        says = [STEPS[step]]
        if step == "grid":
            says += [f"Junk: {len(cuts.junk)} of {cuts.grid.size} cells.", JUNK if cuts.junk else NO_JUNK]
        return Frame(tables[: steps.index(step) + 1], says)

    return draw(step="grid", **USUAL[how])


def _vectors(cuts: Cuts) -> Table:
    """The table of vectors: which of its rows are taken, which are not needed, and which are missing."""
    length, first = cuts.longest, 1 - cuts.past - cuts.n_q
    needed = range(first, first + cuts.width)
    offsets = range(min(first, 1 - length), max(needed[-1], length - 1) + 1)
    marks = [("✓" if o in needed else "–") if abs(o) < length else "✗" if o in needed else "" for o in offsets]
    return Table(
        f"1. The table: {2 * length - 1} vectors",
        rows=["row", "taken"],
        columns=[with_sign(offset) for offset in offsets],
        cells=[
            [Cell(str(offset + length - 1) if abs(offset) < length else "") for offset in offsets],
            [Cell(mark, colour={"✓": TAKEN, "✗": MISSING}.get(mark, "#ffffff")) for mark in marks],
        ],
        corner="offset",
        note=f"offset o is in row o + {length} − 1",
        says="Offset {column}, {row}: {text}.",
    )


def _stages(cuts: Cuts) -> list[Table]:
    """The numbers as they are computed, with the zeros, with the new cuts, and as the grid."""

    def named(position: int, letter: str) -> str:
        """A token of the example, or in the general form q0, q1 … and k0, k1 …"""
        if not cuts.front:
            return f"{letter}{position}"
        return TOKENS[position] if position < len(TOKENS) else f"x{position}"

    def shown(offset: int) -> str:
        return number(-offset) if cuts.how == "shift" else with_sign(offset)

    n_q, width, skip, junk = cuts.n_q, cuts.width, cuts.skip, cuts.junk
    queries = [named(i + cuts.past * cuts.front, "q") for i in range(n_q)]
    keys = [named(j, "k") for j in range(cuts.n_k)]
    word, matrix = ("distance", "(Q + v) rᵀ") if cuts.how == "shift" else ("offset", "Q Eᵀ")
    arrives = {int(place): at for at, place in np.ndenumerate(cuts.grid)}

    def cell(place: int, step: int) -> Cell:
        if place < 0:
            return Cell("", says="No number.")
        query, offset = cuts.number(place)
        what = f"the zero of {queries[query]}" if offset is None else f"{queries[query]}, {word} {shown(offset)}"
        end = "left out."
        if found := arrives.get(place):
            i, j = found
            end = f"in the grid query {queries[i]}, key {keys[j]}"
            end += f", where {word} {shown(j - cuts.past - i)} belongs: junk." if place in junk else "."
        text = "0" if offset is None else f"{queries[query]}\n{shown(offset)}"
        out = offset is None or (step == 3 and not found)
        return Cell(
            "✗ " * (step == 4 and place in junk) + text,
            colour="#ffffff" if out else QUERIES[query],
            says=f"{what}: place {place} of the line; {end}",
            group=str(place),
        )

    def table(step: int, caption: str, heads: list[str], columns: list[str], places: NDArray) -> Table:
        drawn = [[cell(place, step) for place in row] for row in places.tolist()]
        return Table(f"{step + 1 - cuts.front}. {caption} {places.shape}", heads, columns, drawn, says="{text}")

    memory, above = np.arange(n_q * (width + 1)), -skip % width  # numbers are missing in front of the first cut
    recut = np.pad(memory, (above, -(above + memory.size) % width), constant_values=-1).reshape(-1, width)
    before = (skip + above) // width
    out = [*["out"] * before, *map(str, range(n_q)), *["out"] * (len(recut) - before - n_q)]
    padded = memory.reshape(n_q, width + 1)
    offsets = [shown(c + 1 - cuts.past - n_q) for c in range(width)]
    zeros = ["zero", *offsets] if cuts.front else [*offsets, "zero"]
    kept = [str(c) if c < cuts.n_k else "out" for c in range(width)]
    return [
        table(1, matrix, queries, offsets, padded[:, cuts.front :][:, :width]),
        table(2, "with zeros", queries, zeros, padded),
        table(3, f"{memory.size} numbers, cut every {width}", out, kept, recut),
        table(4, "the grid", queries, keys, cuts.grid),
    ]
