"""Where every cell of a skew comes from: the numbers stay where they are in memory, and only the cuts move."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from course_lib.example import TOKENS

from ..display.formatting import check_choice, number, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

# One light colour per query, in turn; neighbours differ in brightness too, and black reads on each of them.
QUERIES = ["#a8d4f7", "#f8cf84", "#bfe3c4", "#e3c3ee", "#f4ee9d", "#8fd3d1", "#f7c0b4", "#d3d7dd"]
TITLES = {
    "skew": "Huang’s skew: where every cell comes from",
    "shift": "Transformer-XL’s relative shift: where every cell comes from",
}
STEPS = {
    "product": "One product gives each query a number for each of its columns.",
    "zeros": "Every row gets a zero. In memory the rows lie one behind the other.",
    "new cuts": "The numbers stay where they are; only the cuts move. The new rows are one shorter, so each of them "
    "starts a place earlier in its query’s numbers than the row above.",
    "grid": "What is left out was marked “out”. Row i is query i, column j is key j.",
}
JUNK = "They hold a zero or a number of another query (✗), and the causal mask must hide them."
NO_JUNK = "Every cell holds its own query and its own offset; nothing has to be hidden."


class Cuts(NamedTuple):
    """The sizes of a skew: n_q rows of n_k numbers, with a zero in front of each row.

    In their memory n_q numbers are left out, and the rest is cut every n_k: this is the grid.
    """

    how: str
    n_q: int
    past: int

    @property
    def n_k(self) -> int:
        return self.past + self.n_q

    @property
    def grid(self) -> NDArray:
        """The place in memory of the number that arrives in each cell, (n_q, n_k)."""
        return np.arange(self.n_q, self.n_q * (self.n_k + 1)).reshape(self.n_q, self.n_k)

    def number(self, place: int) -> tuple[int, int | None]:
        """The query of the number at this place of memory, and its offset; None for a zero."""
        query, column = divmod(place, self.n_k + 1)
        return query, column - self.n_k if column else None

    @property
    def junk(self) -> set[int]:
        """The places of what arrives in the grid and is a zero or a number of another query."""
        row = {int(place): i for (i, _), place in np.ndenumerate(self.grid)}
        return {place for place, i in row.items() if self.number(place)[0] != i or self.number(place)[1] is None}


SIZES: dict[str, dict[str, range]] = {"skew": {"n": range(1, 9)}, "shift": {"n": range(1, 5), "memory": range(5)}}
USUAL: dict[str, dict[str, int]] = {"skew": {"n": 5}, "shift": {"n": 3, "memory": 2}}


def provenance(how: str = "skew") -> Picture:
    """Where every cell of a skew comes from. Alive: go through the steps, choose the sizes, and point at a number to
    find it in every step.

    how="skew": Huang's causal skew, `reference.music_transformer.skew_causal`.
    how="shift": `reference.transformer_xl.relative_shift`, n queries after the memory.
    Raises ValueError for another `how`. Sources: Huang et al. 2019, section 3.4.1; Dai et al. 2019, appendix B.
    """
    check_choice("how", how, TITLES)
    alt = (
        f"{TITLES[how]}, in {len(STEPS)} steps: a row of numbers per query, a column of zeros, the same line of "
        "numbers cut into rows that are one shorter, and the grid of queries and keys."
    )

    @live(alt, TITLES[how], step=list(STEPS), **SIZES[how])
    def draw(step: str, n: int, memory: int = 0) -> Frame:
        cuts = Cuts(how, n, memory)
        says = [STEPS[step]]
        if step == "grid":
            says += [f"Junk: {len(cuts.junk)} of {cuts.grid.size} cells.", JUNK if cuts.junk else NO_JUNK]
        return Frame(_stages(cuts)[: list(STEPS).index(step) + 1], says)

    return draw(step="grid", **USUAL[how])


def _stages(cuts: Cuts) -> list[Table]:
    """The numbers as they are computed, with the zeros, with the new cuts, and as the grid."""

    def named(position: int) -> str:
        return TOKENS[position] if position < len(TOKENS) else f"x{position}"

    def shown(offset: int) -> str:
        return number(-offset) if cuts.how == "shift" else with_sign(offset)

    n_q, n_k, junk = cuts.n_q, cuts.n_k, cuts.junk
    keys = [named(j) for j in range(n_k)]
    queries = keys[cuts.past :]
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
        return Table(f"{step}. {caption} {places.shape}", heads, columns, drawn, says="{text}")

    padded = np.arange(n_q * (n_k + 1)).reshape(n_q, n_k + 1)
    above = -n_q % n_k  # numbers are missing in front of the first cut
    recut = np.pad(padded.ravel(), (above, 0), constant_values=-1).reshape(-1, n_k)
    out = [*["out"] * (len(recut) - n_q), *map(str, range(n_q))]
    offsets = [shown(c + 1 - n_k) for c in range(n_k)]
    return [
        table(1, matrix, queries, offsets, padded[:, 1:]),
        table(2, "with zeros", queries, ["zero", *offsets], padded),
        table(3, f"{padded.size} numbers, cut every {n_k}", out, [*map(str, range(n_k))], recut),
        table(4, "the grid", queries, keys, cuts.grid),
    ]
