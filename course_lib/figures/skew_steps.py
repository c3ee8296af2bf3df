"""A skew as cuts through flat memory: where each number is, and the words for it. (The picture: provenance.py.)"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..display.formatting import number

# The words of every step, shared with the script: {names} are filled in from `facts`, there and here.
STAGES = {
    "skew": [
        "Q Eᵀ ({n_q},\u00a0{width}): a row per query, a column per offset",
        "A column of zeros in front ({n_q},\u00a0{line})",
        "The same {size} numbers, cut every {width} ({more},\u00a0{width})",
        "Without the first row: the grid ({n_q},\u00a0{n_k})",
    ],
    "general": [
        "The table: {rows} vectors. Offsets {taken} are needed: ✓ taken, – not needed",
        "Q Eᵀ ({n_q},\u00a0{width}): a row per query, a column per offset",
        "A column of zeros behind ({n_q},\u00a0{line})",
        "The same {size} numbers: skip {skip}, cut every {width}",
        "The first {n_k} of every row: the grid ({n_q},\u00a0{n_k})",
    ],
    "shift": [
        "Q Rᵀ ({n_q},\u00a0{width}): a row per query, a column per distance",
        "A column of zeros in front ({n_q},\u00a0{line})",
        "The same {size} numbers: skip {skip}, cut every {width}",
        "What was skipped is left out: the grid ({n_q},\u00a0{n_k})",
    ],
}
SAYS = {
    "skew": [
        "One product gives each query a number for every offset. Each row has the same offsets in the same columns.",
        "A zero goes in front of every row. In memory the rows lie one behind the other, {line} numbers each.",
        "The numbers stay where they are; only the cuts move. Rows are now {width} long, so each one starts a place "
        "earlier in its query’s numbers than the row above.",
        "The first row is left out. Row i is query i, column j is key j, and every cell up to the query holds its "
        "offset j − i.",
    ],
    "general": [
        "Offset o is in row o + {longest} − 1 of the table. {n_q} queries and {n_k} keys have {n_q} + {n_k} − 1 = "
        "{width} offsets, and those rows lie together.",
        "One product gives each query a number for every offset, {width} of them.",
        "A zero goes behind every row. In memory the rows lie one behind the other, {line} numbers each.",
        "The numbers stay where they are; only the cuts move. After {skip} skipped numbers a row is {width} long, so "
        "each one starts a place earlier in its query’s numbers than the row above.",
        "Of every row the first {n_k} stay. Row i is query i, column j is key j, the offset is j − i − past.",
    ],
    "shift": [
        "One product gives each query a number for every distance i − j, from {before_all} down to 0.",
        "A zero goes in front of every row. In one line, the rows lie one behind the other, {line} numbers each.",
        "The numbers stay where they are; only the cuts move. After {skip} skipped numbers a row is {width} long, so "
        "each one starts a place earlier in its query’s numbers than the row above.",
        "Row i is query i, column j is key j, memory first, and every cell up to the query holds its distance.",
    ],
}
JUNK = (
    "Junk (✗): n(n − 1)/2 = {n_q} · {before} / 2 = {junk} of {cells} cells hold a zero or a number of the next query. "
    "They all belong to keys after the query, and the causal mask must hide them."
)
NO_JUNK = "Junk: 0 of {cells} cells. Every cell holds its own query and its own offset; nothing has to be hidden."
SHORT = (
    "Too short, and slice_table says so: length {least}: the table ends at max_length={longest}, it has no vector "
    "further on. Missing offsets (✗): {missing}."
)
HINT = "Point at a number, tap it, or walk with the arrow keys: it is the same number in every step."


@dataclass(frozen=True)
class Cuts:
    """Rows of numbers, one per query, and how their flat memory is cut again.

    A column of zeros is put in front of the rows (or behind them); then `skip` numbers are left out, the rest is cut
    every `width`, and the first n_k of each row are the grid.
    """

    how: str
    n_q: int
    n_k: int
    past: int

    @property
    def front(self) -> int:
        """Columns in front of the numbers: 1 or 0."""
        return int(self.how != "general")

    @property
    def width(self) -> int:
        """Numbers per query, and the distance of the new cuts."""
        return self.n_k if self.front else self.n_q + self.n_k - 1

    @property
    def skip(self) -> int:
        return self.n_q - 1 + self.front

    @property
    def size(self) -> int:
        """Numbers in flat memory, with the column of zeros."""
        return self.n_q * (self.width + 1)

    def source(self, place: int) -> tuple[int, int] | None:
        """Query and column of the number at this place of flat memory, None for a zero."""
        query, column = divmod(place, self.width + 1)
        column -= self.front
        return (query, column) if 0 <= column < self.width else None

    def offset(self, column: int) -> int:
        """Columns are offsets in ascending order."""
        return column - (self.past + self.n_q - 1)

    def place(self, i: int, j: int) -> int:
        """The place in flat memory of cell (i, j) of the grid."""
        return self.skip + i * self.width + j

    def is_junk(self, i: int, j: int) -> bool:
        """Whether the cell holds a zero or a number of another query."""
        found = self.source(self.place(i, j))
        return found is None or found[0] != i

    @property
    def junk(self) -> int:
        return sum(self.is_junk(i, j) for i in range(self.n_q) for j in range(self.n_k))


def needed(cuts: Cuts) -> int:
    """The shortest table that has every offset: it must reach the first key and the last one."""
    return max(cuts.past + cuts.n_q, cuts.n_k - cuts.past)


def query_name(cuts: Cuts, words: Sequence[str], i: int) -> str:
    if cuts.how == "general" and not words:
        return f"q{i}"
    return position_name(words, cuts.past + i)


def key_name(cuts: Cuts, words: Sequence[str], j: int) -> str:
    return f"k{j}" if cuts.how == "general" and not words else position_name(words, j)


def position_name(words: Sequence[str], position: int) -> str:
    return words[position] if position < len(words) else f"x{position}"


def offset_name(cuts: Cuts, column: int) -> str:
    """The offset with its sign; Transformer-XL writes the distance i − j instead."""
    offset = cuts.offset(column)
    return str(-offset) if cuts.how == "shift" else signed(offset)


def label(cuts: Cuts, words: Sequence[str], place: int) -> str:
    """What a cell says of its number: whose it is, and which offset."""
    found = cuts.source(place)
    return "0" if found is None else f"{query_name(cuts, words, found[0])} {offset_name(cuts, found[1])}"


def span(first: int, last: int) -> str:
    """−4 … +2, or one number."""
    return signed(first) if first == last else f"{signed(first)} … {signed(last)}"


def signed(offset: int) -> str:
    """−2, 0, +2."""
    return ("+" if offset > 0 else "") + number(offset)


def facts(cuts: Cuts, longest: int) -> dict[str, int | str]:
    """What the words of the steps may name."""
    low, high = cuts.offset(0), cuts.offset(cuts.width - 1)
    gaps = [(low, min(high, -longest)), (max(low, longest), high)]
    return {
        "n_q": cuts.n_q, "n_k": cuts.n_k, "width": cuts.width, "line": cuts.width + 1, "size": cuts.size,
        "skip": cuts.skip, "more": cuts.n_q + 1, "before": cuts.n_q - 1, "before_all": cuts.n_k - 1,
        "cells": cuts.n_q * cuts.n_k, "junk": cuts.junk, "least": needed(cuts), "longest": longest,
        "rows": 2 * longest - 1, "taken": span(low, high),
        "missing": " and ".join(span(*gap) for gap in gaps if gap[0] <= gap[1]),
    }  # fmt: skip
