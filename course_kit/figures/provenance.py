"""Where every cell of a skew comes from: the numbers stay where they are in memory, and only the cuts move."""

import numpy as np
from numpy.typing import NDArray

from course_lib.checks import check_choice
from course_lib.example import TOKENS

from ..display.formatting import number, with_sign
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
        tables, junk = stages(how, n, memory)
        says = [STEPS[step]]
        if step == "grid":
            says += [f"Junk: {junk} of {n * (memory + n)} cells.", JUNK if junk else NO_JUNK]
        return Frame(tables[: list(STEPS).index(step) + 1], says)

    return draw(step="grid", **USUAL[how])


def stages(how: str, n_q: int, past: int) -> tuple[list[Table], int]:
    """The numbers as they are computed, with the zeros, with the new cuts, and as the grid; and how much of it is junk.

    In memory, n_q rows of n_k numbers with a zero before each lie in a line. Its first n_q places are left out, and the
    rest is cut every n_k: this is the grid.
    """
    n_k = past + n_q
    keys = [TOKENS[j] if j < len(TOKENS) else f"x{j}" for j in range(n_k)]
    queries = keys[past:]
    padded = np.arange(n_q * (n_k + 1)).reshape(n_q, n_k + 1)  # the place of each number in memory
    grid = padded.ravel()[n_q:].reshape(n_q, n_k)
    arrives = {int(place): at for at, place in np.ndenumerate(grid)}
    its_query, column = np.divmod(grid, n_k + 1)
    junk = grid[(its_query != np.arange(n_q)[:, None]) | (column == 0)].tolist()
    word, matrix = ("distance", "(Q + v) rᵀ") if how == "shift" else ("offset", "Q Eᵀ")

    def shown(offset: int) -> str:
        return number(-offset) if how == "shift" else with_sign(offset)

    def cell(place: int, step: int) -> Cell:
        if place < 0:
            return Cell("", says="No number.")
        query, column = divmod(place, n_k + 1)
        text, what = "0", f"the zero of {queries[query]}"
        if column:
            text, what = f"{queries[query]}\n{shown(column - n_k)}", f"{queries[query]}, {word} {shown(column - n_k)}"
        end = "left out."
        if found := arrives.get(place):
            i, j = found
            end = f"in the grid query {queries[i]}, key {keys[j]}"
            end += f", where {word} {shown(j - past - i)} belongs: junk." if place in junk else "."
        white = column == 0 or (step == 3 and not found)
        return Cell(
            "✗ " * (step == 4 and place in junk) + text,
            colour="#ffffff" if white else QUERIES[query],
            says=f"{what}: place {place} of the line; {end}",
            group=str(place),
        )

    def table(step: int, caption: str, heads: list[str], columns: list[str], places: NDArray) -> Table:
        drawn = [[cell(place, step) for place in row] for row in places.tolist()]
        return Table(f"{step}. {caption} {places.shape}", heads, columns, drawn, says="{text}")

    above = -n_q % n_k  # numbers are missing in front of the first cut
    recut = np.pad(padded.ravel(), (above, 0), constant_values=-1).reshape(-1, n_k)
    out = [*["out"] * (len(recut) - n_q), *map(str, range(n_q))]
    offsets = [shown(c + 1 - n_k) for c in range(n_k)]
    tables = [
        table(1, matrix, queries, offsets, padded[:, 1:]),
        table(2, "with zeros", queries, ["zero", *offsets], padded),
        table(3, f"{padded.size} numbers, cut every {n_k}", out, [*map(str, range(n_k))], recut),
        table(4, "the grid", queries, keys, grid),
    ]
    return tables, len(junk)
