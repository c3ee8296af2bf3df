"""The pair of primitives: onto the diagonals, and back."""

import numpy as np

from ...example import K, Q
from ...reference import grid as reference
from ...reference.attention import attention
from ...reference.grid import row_offsets
from ..engine import Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, labels, normal, offset_axis

WEIGHTS = attention(Q, K, np.eye(5))[1]


def _to_grid(rows, n_q):
    """What is known per offset, laid on the grid: rows (1 or n_q, n_q + n_k − 1) give (n_q, n_k)."""
    n_k = rows.shape[1] - n_q + 1
    grid = np.zeros((n_q, n_k))
    for i in range(n_q):
        own = rows[i % len(rows)]
        for j in range(n_k):
            grid[i, j] = own[j - i + n_q - 1]
    return grid


def _by_windows(rows, n_q):
    n_k = rows.shape[1] - n_q + 1
    return np.stack([rows[i if len(rows) > 1 else 0, n_q - 1 - i :][:n_k] for i in range(n_q)])


def _by_index(rows, n_q):
    i, j = np.arange(n_q)[:, None], np.arange(rows.shape[1] - n_q + 1)
    return np.broadcast_to(rows, (n_q, rows.shape[1]))[i, j - i + n_q - 1]


def _cut_off(rows, n_q):
    """Negative columns replaced by the first: `max(j − i, 0)`."""
    i, j = np.arange(n_q)[:, None], np.arange(rows.shape[1] - n_q + 1)
    return np.broadcast_to(rows, (n_q, rows.shape[1]))[i, np.maximum(j - i, 0)]


def _no_window(rows, n_q):
    return np.broadcast_to(rows, (n_q, rows.shape[1]))[:, : rows.shape[1] - n_q + 1]


def _shared_windows(rows, n_q):
    """All windows of the first row, in their natural order."""
    return np.lib.stride_tricks.sliding_window_view(rows[0], rows.shape[1] - n_q + 1)


def _one_list(rows, n_q):
    """The list of a query is never begun anew, so it holds all queries' numbers in the end."""
    return np.tile(np.ravel(_to_grid(rows, n_q)), (n_q, 1))


def _drawn_rows(rng):
    n_q, n_k = (int(x) for x in rng.integers(1, 6, size=2))
    return normal(rng, n_q if rng.random() < 0.6 else 1, n_q + n_k - 1), n_q


to_grid = Task(
    title="Onto the diagonals",
    minutes=10,
    difficulty=2,
    words=r"""Write `to_grid` from its definition, $\text{grid}_{ij} = \text{rows}_{i,\; j - i + n_q - 1}$. `rows` has one row for
all queries, or one row per query; its columns are the offsets in ascending order, $n_q + n_k - 1$ of them. So the number
of keys follows from the width. Loops are fine. One row of three numbers for two queries:
`to_grid(np.array([[-1, 0, 1]]), 2)` is `[[0, 1], [-1, 0]]`.""",
    solution=_to_grid,
    expected=lambda rows, n_q: reference.to_grid(rows, n_q),
    cases=[
        Case(row_offsets(5)[None] / 2, 5, says="the five tokens, one row for all", axes=(QUERY, KEY)),
        Case(labels(5, 9), 5, says="the five tokens, a row per query", axes=(QUERY, KEY)),
        Case(labels(2, 6), 2, says="two queries, five keys", axes=(Axis("query"), KEY)),
        Case(labels(1, 5), 1, says="one query, five keys", axes=(Axis("query"), KEY)),
        Case(labels(4, 5), 4, says="four queries, two keys", axes=("query", "key")),
        Case(labels(1, 1), 1, says="one token alone", axes=("query", "key")),
    ],
    draw=_drawn_rows,
    mistakes=[
        Mistake(
            "j - i + n_q - 1",
            "i - j + n_q - 1",
            "Past and future are swapped: your column grows with the query. The offset is j − i, key minus query.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q - 2",
            "Every number is one offset too low, and the corner wraps round to the end of the row. Where does offset 0 stand?",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q",
            "One column too far: the last cell reads beyond the row. Query n_q − 1 and key 0 meet in column 0.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i",
            "Your column is j − i, as it also is after `np.roll(row, i)`: below 0 it comes from the end of the row. "
            "The row starts at the offset −(n_q − 1), so the column is j − i + n_q − 1.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_k - 1",
            "You count from the number of keys, which fits square grids only. The row starts at −(n_q − 1): shift by n_q − 1.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j + i",
            "Your windows move to the right going down. Each query further down sees one offset *less*, so they move left.",
        ),
        Mistake(
            "own[j - i + n_q - 1]",
            "own[::-1][j - i + n_q - 1]",
            "Your rows are read backwards: their columns ascend, from the far past to the far future.",
        ),
        Mistake(
            "rows[i % len(rows)]",
            "rows[0]",
            "All queries get the first row. With a row per query, query i has row i; a single row is shared.",
        ),
        Mistake(
            "rows[i % len(rows)]",
            "rows[-1 - i % len(rows)]",
            "The queries are in reverse: query i gets the row of query n_q − 1 − i.",
        ),
        Mistake(
            "own = rows[i % len(rows)]",
            "own = rows[i]",
            "This fails for a single row that all queries share: it has index 0 for everyone.",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = rows.shape[1] - n_q",
            "One key is missing: width = n_q + n_k − 1, so n_k = width − n_q + 1.",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = n_q",
            "You take n_k = n_q, and cut or miss keys when there are more or fewer. It follows from the width: n_q + n_k − 1.",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = (rows.shape[1] + 1) // 2",
            "Half the width is the number of keys only where n_q = n_k. In general width = n_q + n_k − 1: what is n_k?",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = rows.shape[1] // 2 + 1",
            "Half the width and one is the number of keys only where n_q = n_k. In general width = n_q + n_k − 1.",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = 5",
            "n_k is not always 5: it follows from the width, which is n_q + n_k − 1.",
        ),
        Mistake(
            "n_k = rows.shape[1] - n_q + 1",
            "n_k = rows.shape[1]",
            "The width counts offsets, n_q + n_k − 1 of them, and you take all of it for keys.",
        ),
        Mistake(
            _cut_off,
            "All keys before a query get the same number, and offset 0 the first. Shift the offset by n_q − 1; nothing needs a limit.",
        ),
        Mistake(
            _no_window,
            "Every query sees the same columns, the first n_k. The window of query i begins at column n_q − 1 − i.",
        ),
        Mistake(
            _shared_windows,
            "Two things. Your windows stand in the order of the row, and query 0 needs the last of them. And with a row per query each query slides along its own.",
        ),
        Mistake(
            _one_list,
            "Every row of yours holds the numbers of all queries: begin a new list for each query, inside the outer loop.",
        ),
        Mistake(
            "return grid",
            "return grid.T",
            "The grid is transposed: rows belong to queries, columns to keys.",
        ),
    ],
    alternatives=[_by_windows, _by_index, lambda rows, n_q: reference.to_grid(rows, n_q)],
    hints=[
        "First the shape: the width is n_q + n_k − 1. How many keys are there?",
        "Take one row and two loops: which column does the last query read for key 0? And query 0 for key 0?",
        "Column `j - i + n_q - 1`. For a single shared row always take `rows[0]`, else `rows[i]`.",
    ],
)


def _from_grid(grid):
    """Sum a grid (n_q, n_k) along its diagonals: (n_q + n_k − 1,), offsets ascending."""
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1)
    for i in range(n_q):
        for j in range(n_k):
            sums[j - i + n_q - 1] += grid[i, j]
    return sums


def _traces(grid):
    n_q, n_k = grid.shape
    return [np.trace(grid, o) for o in range(1 - n_q, n_k)]


def _mean(grid):
    n_q, n_k = grid.shape
    return [np.diagonal(grid, o).mean() for o in range(1 - n_q, n_k)]


def _anti(grid):
    n_q, n_k = grid.shape
    return [np.trace(grid[::-1], o) for o in range(1 - n_q, n_k)]


def _only_past(grid):
    n_q, n_k = grid.shape
    return [np.trace(grid, o) if o <= 0 else 0.0 for o in range(1 - n_q, n_k)]


def _first_row_only(grid):
    return np.concatenate([np.zeros(len(grid) - 1), grid[0]])


def _first_cell_only(grid):
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1)
    sums[n_q - 1] = grid[0, 0]
    return sums


def _adjoint(result, grid):
    """⟨to_grid(r), G⟩ = ⟨r, from_grid(G)⟩ for a few rows r."""
    width = sum(grid.shape) - 1
    rows = np.random.default_rng(0).normal(size=(3, width))
    left = [(reference.to_grid(r[None], len(grid)) * grid).sum() for r in rows]
    return np.shape(np.squeeze(result)) in ((), (width,)) and np.allclose(rows @ np.ravel(result), left, atol=1e-4)


from_grid = Task(
    title="And back",
    minutes=10,
    difficulty=2,
    words=r"""Write the adjoint: sum a grid $(n_q, n_k)$ along its diagonals. One number per offset comes back, $n_q + n_k - 1$ in
all, the most distant past first. This is the gradient that a shared row of biases receives. For
`np.array([[1, 2], [3, 4]])` it is `[3, 5, 2]`.""",
    solution=_from_grid,
    expected=lambda grid: reference.from_grid(grid)[0],
    cases=[
        Case(WEIGHTS, says="the attention weights of the five tokens", axes=(offset_axis(5, 5),)),
        Case(labels(2, 5), says="two queries, five keys", axes=(offset_axis(2, 5),)),
        Case(labels(4, 2), says="four queries, two keys", axes=(offset_axis(4, 2),)),
        Case(labels(1, 4), says="one query, four keys", axes=(offset_axis(1, 4),)),
        Case(labels(1, 1), says="one token alone", axes=("offset",)),
    ],
    draw=lambda rng: (normal(rng, *(int(x) for x in rng.integers(2, 7, size=2))),),
    properties=[
        Property(
            "nothing is lost",
            lambda result, grid: np.isclose(np.sum(result), grid.sum(), atol=1e-4),
            "Every cell must arrive exactly once: the sums together are the sum of the grid, and yours are not.",
        ),
        Property(
            "adjoint of to_grid",
            _adjoint,
            "⟨to_grid(r), G⟩ and ⟨r, from_grid(G)⟩ differ: some cell is added to another offset than the one it was laid out from.",
        ),
    ],
    mistakes=[
        Mistake(
            "j - i + n_q - 1",
            "i - j + n_k - 1",
            "The order is reversed: the most distant future comes first. The offset is j − i, ascending.",
        ),
        Mistake(
            "+= grid[i, j]",
            "= grid[i, j]",
            "Each diagonal keeps only its last cell. `=` overwrites what was there; and `+=` with a whole array of places adds once per place. Add cell by cell, or with `np.add.at`.",
        ),
        Mistake(
            "np.zeros(n_q + n_k - 1)",
            "np.zeros(n_q + n_k - 1, dtype=int)",
            "Yours are whole numbers: an array with `dtype=int` cuts every sum off at the point. It should hold floats.",
        ),
        Mistake(
            _first_row_only,
            "Only query 0 has been added, nothing of the rows below it: is the `return` indented too far?",
        ),
        Mistake(
            _first_cell_only,
            "Only the cell (0, 0) has been added: is the `return` inside both loops?",
        ),
        Mistake(
            lambda grid: [np.trace(grid, o) for o in range(1 - len(grid), len(grid))],
            "Your offsets end at n_q − 1. The first query and the last key are n_k − 1 apart, and n_k is `grid.shape[1]`.",
        ),
        Mistake(
            lambda grid: [np.trace(grid, o) for o in range(1 - grid.shape[1], grid.shape[1])],
            "Your offsets begin at −(n_k − 1). The smallest belongs to the last query and key 0: −(n_q − 1).",
        ),
        Mistake(
            lambda grid: [np.trace(grid, o) for o in range(1 - grid.shape[1], len(grid))],
            "You swapped n_q and n_k: the smallest offset belongs to the last query and key 0, so it is −(n_q − 1).",
        ),
        Mistake(
            _mean,
            "These are means. The adjoint sums: a number that was copied to five cells collects from five cells.",
        ),
        Mistake(
            _anti,
            "You sum the other diagonals, where i + j is constant. Offsets are constant where j − i is.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q - 2",
            "All sums stand one place too low, and the first has wrapped round to the end. Offset −(n_q − 1) stands at 0.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i",
            "Negative offsets land at the end of the array, where −1 is the last place. Shift them: the smallest is −(n_q − 1).",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_k - 1",
            "You shift by the number of keys. The smallest offset comes from the last query: −(n_q − 1).",
        ),
        Mistake(
            "np.zeros(n_q + n_k - 1)",
            "np.zeros(n_q + n_k)",
            "One number too many: there are n_q + n_k − 1 offsets, the corner is shared by a row and a column.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "i - j + n_q - 1",
            "Your place uses i − j, so past and future change sides, and the shift fits only square grids. The offset is j − i.",
        ),
        Mistake(
            lambda grid: [np.trace(grid, o) for o in range(1 - len(grid), grid.shape[1] - 1)],
            "The last offset is missing, n_k − 1: `range` stops one before its end.",
        ),
        Mistake(
            lambda grid: [np.trace(grid, o) for o in range(-len(grid), grid.shape[1])],
            "Your offsets begin at −n_q, one too early: the last query and key 0 are n_q − 1 apart.",
        ),
        Mistake(
            lambda grid: [np.trace(grid[:, ::-1], o) for o in range(1 - len(grid), grid.shape[1])],
            "With the keys turned round you sum the other diagonals. Offsets lie on those of the grid as it is.",
        ),
        Mistake(
            _only_past,
            "The future is missing: your diagonals end at offset 0. Those above the main one count too, up to n_k − 1.",
        ),
        Mistake(
            "return sums",
            "return grid.sum(axis=0)",
            "You sum columns: one number per key. An offset is a diagonal.",
        ),
        Mistake(
            "return sums",
            "return grid.sum(axis=1)",
            "You sum rows: one number per query. An offset is a diagonal.",
        ),
    ],
    alternatives=[_traces, lambda grid: reference.from_grid(grid)],
    hints=[
        "Turn `to_grid` round: where it read column j − i + n_q − 1, you now add to it.",
        "Two loops and `sums[…] += grid[i, j]`, or one loop over offsets with `np.trace(grid, offset)`.",
        "The offsets run from −(n_q − 1) to n_k − 1: `range(1 - n_q, n_k)`.",
    ],
)
