"""The grid as a way to read memory, and what each way stores."""

import numpy as np

from ...reference.grid import to_grid
from ..engine import Answer, Case, Mistake, Task


def _grid_steps(n_q, n_k, shared):
    """Start, step per query, step per key: how flat memory of rows reads as the grid."""
    width = n_q + n_k - 1
    if shared:
        return n_q - 1, -1, 1
    return n_q - 1, width - 1, 1


def _expected_steps(n_q, n_k, shared):
    """Found by sending places instead of numbers through `to_grid`."""
    width = n_q + n_k - 1
    places = np.arange(width)[None] if shared else np.arange(n_q * width).reshape(n_q, width)
    grid = to_grid(places, n_q).astype(int)
    return [grid[0, 0], grid[1, 0] - grid[0, 0], grid[0, 1] - grid[0, 0]]


def _flipped(n_q, n_k, shared):
    return 0, 1 if shared else n_q + n_k, 1


grid_steps = Task(
    title="The grid as a view",
    minutes=12,
    difficulty=3,
    words=r"""An array is a start and a step per axis. `rows` lies in memory, either one row of $n_q + n_k - 1$ numbers that all
queries share (`shared=True`), or one such row per query, one behind the other. Cell $(i, j)$ of the grid is column
$j - i + n_q - 1$, of row $i$ or of the only row. At which place of flat memory does the grid start (its cell (0, 0)), how many
numbers further is the next query's cell under the same key, and how many the next key's? Return these three whole numbers,
`start, per_query, per_key`, counted in numbers, not bytes; a step may be negative. Queries in their normal order, at least
two of them and two keys. For two queries and two keys with a row each, the width is 3 and cell (0, 0) stands at place 1.

When it passes, use it: this *is* `to_grid`, and `np.shares_memory(grid, rows)` is true.
```python
rows = np.arange(10.0).reshape(2, 5)                        # two queries, four keys
start, per_query, per_key = grid_steps(2, 4, shared=False)
steps = 8 * per_query, 8 * per_key                          # a float64 has 8 bytes
grid = np.lib.stride_tricks.as_strided(rows.ravel()[start:], (2, 4), steps)
```""",
    solution=_grid_steps,
    expected=_expected_steps,
    returns=("start", "per_query", "per_key"),
    cases=[
        Case(5, 5, False, says="the five tokens, a row per query"),
        Case(5, 5, True, says="the five tokens, one row for all"),
        Case(2, 5, False, says="two queries, five keys, a row each"),
        Case(4, 2, False, says="four queries, two keys, a row each"),
        Case(2, 5, True, says="two queries, five keys, one row"),
        Case(4, 2, True, says="four queries, two keys, one row"),
    ],
    draw=lambda rng: (int(rng.integers(2, 40)), int(rng.integers(2, 40)), bool(rng.integers(2))),
    mistakes=[
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, width, 1",
            "With a row each, your next query stays in the same column. Its window begins one column further left: one number less.",
        ),
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, width + 1, 1",
            "With a row each, your windows move to the right. That is the step when the queries are flipped; here it is one less than a row.",
        ),
        Mistake(
            "n_q - 1, -1, 1",
            "n_q - 1, 1, 1",
            "With one shared row, your windows move to the right. Each query further down sees one offset less: one number *back*.",
        ),
        Mistake(
            "n_q - 1, -1, 1",
            "n_q - 1, 0, 1",
            "With a step of 0 all queries see the same window. It moves by one from query to query.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, 0 if shared else n_q + n_k - 1, 1),
            "The start and the step per key are right. From query to query your window stays in the same columns, in both cases: it begins one column further left each time.",
        ),
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, width - 2, 1",
            "With a row each, your step per query is one too small. The width itself is n_q + n_k − 1 already.",
        ),
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, n_k, 1",
            "With a row each, the step n_k is that of the finished grid. In memory a row has n_q + n_k − 1 numbers.",
        ),
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, 2 * n_q - 2, 1",
            "With a row each, 2·n_q − 2 is right only where n_q = n_k: the width is n_q + n_k − 1.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, n_q + n_k - 2 if shared else -1, 1),
            "The two cases have changed places: one back belongs to the row that all share.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, -1 if shared else n_q + n_k - 2, -1),
            "The step per key has the wrong sign: the next key is one offset *later*, and offsets ascend.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (-1 if shared else n_q + n_k - 2, 1, n_q - 1),
            "The right numbers in another order. Return the start first, then the step per query, then per key.",
        ),
        Mistake(
            _flipped,
            "These are the steps for flipped queries, as torch needs them. Here the queries stand in their normal order.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (0, -1 if shared else n_q + n_k - 2, 1),
            "Your steps are right, the start is not: cell (0, 0) is offset 0, in column n_q − 1.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, n_q + n_k - 2, 1),
            "`shared` has no effect. With one row there is no next row to go to: the next query reads the same row, one back.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_k - 1, -1 if shared else n_q + n_k - 2, 1),
            "You start at n_k − 1. Cell (0, 0) is column 0 − 0 + n_q − 1.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, -1 if shared else n_q - 1 + n_k - 1 + 1 - n_q, 1),
            "A row has n_q + n_k − 1 numbers, not n_k: the step from query to query must take you past all of them, less one.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (8 * (n_q - 1), -8 if shared else 8 * (n_q + n_k - 2), 8),
            "These are bytes. Count in numbers; NumPy's strides are 8 times that for float64.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q - 1, 1, -1 if shared else n_q + n_k - 2),
            "The two steps have changed places: first per query, then per key.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (0, n_k, 1),
            "These are the steps of a plain (n_q, n_k) array. Here the cells lie among the rows: find them there.",
        ),
        Mistake(
            "n_q - 1, width - 1, 1",
            "n_q - 1, -1, 1",
            "With a row each, going one back stays inside query 0's row. The next query's numbers lie a whole row further.",
        ),
        Mistake(
            lambda n_q, n_k, shared: (n_q, -1 if shared else n_q + n_k - 2, 1),
            "The start is one too far: cell (0, 0) is column n_q − 1.",
        ),
    ],
    alternatives=[_expected_steps],
    hints=[
        "Which column has cell (0, 0)? Put i = 0 and j = 0 into j − i + n_q − 1.",
        "Place = (row · width) + column. Write it for (i, j) with a row each and collect what multiplies i and what multiplies j.",
        "i · width + j − i + n_q − 1 = (n_q − 1) + i · (width − 1) + j. With a shared row the first term is missing.",
    ],
)

N, HEADS, D, BYTES = 4096, 16, 64, 2


def _stored():
    """Megabytes per layer and sequence: heads × numbers × bytes."""
    one = HEADS * BYTES / 1e6
    return {
        "cube": one * N * N * D,
        "table": one * (2 * N - 1) * D,
        "products": one * N * (2 * N - 1),
        "row": one * (2 * N - 1),
    }


stored_megabytes = Answer(
    "stored_megabytes",
    title="What does it store?",
    minutes=10,
    difficulty=2,
    words=r"""A model with 16 heads of $d = 64$, half precision (2 bytes a number), full attention over 4,096 tokens: offsets
$-4095 \dots 4095$, every head has a table of its own. Commit to a guess first, then calculate, for one layer and one
sequence, in megabytes (MB = $10^6$ bytes): the **cube**, a vector per pair; the **table**, a vector per offset; the
**products** of each query with each vector; the **row**, one number per offset, all that a plain bias needs. Give two
decimals. When it passes, multiply by 24 layers: two of the four would overfill a card of 24 GB.""",
    expected=_stored,
    digits=2,
    mistakes=[
        Mistake({key: value / HEADS for key, value in _stored().items()}, "This is one head. There are 16."),
        Mistake(
            {key: value * 2 for key, value in _stored().items()}, "You count 4 bytes a number. Half precision has 2."
        ),
        Mistake(
            {key: value / 2 for key, value in _stored().items()}, "You count one byte a number. Half precision has 2."
        ),
        Mistake(
            {key: value * 1e6 / 2**20 for key, value in _stored().items()},
            "You divide by 2²⁰, which gives MiB. A megabyte is 10⁶ bytes.",
        ),
        Mistake({key: value / 1000 for key, value in _stored().items()}, "These are gigabytes. Give megabytes."),
        Mistake(
            {key: value * 1e6 for key, value in _stored().items()}, "These are bytes. Give megabytes: 10⁶ of them."
        ),
        Mistake({key: value * 1000 for key, value in _stored().items()}, "These are kilobytes. Give megabytes."),
        Mistake(
            {key: value * 24 for key, value in _stored().items()}, "This is all 24 layers. One layer is asked for."
        ),
        Mistake(
            {"table": _stored()["products"], "products": _stored()["table"]},
            "The table and the products have changed places. The table is learned and knows no queries; each query has products.",
        ),
        *(
            Mistake({key: _stored()[key] / HEADS}, f"The {key}: this is one head's. There are {HEADS}.")
            for key in ("cube", "table", "products", "row")
        ),
        Mistake({"row": _stored()["row"] * 1000}, "The row: these are kilobytes. Give megabytes."),
        Mistake({"row": 0.0}, "The row: it is small, and not 0. Give two decimals."),
        Mistake({"row": 0.3}, "The row: you rounded to one decimal. Give two."),
        Mistake({"row": 0.2}, "The row: you cut it off after one decimal. Give two."),
        Mistake({"cube": round(_stored()["cube"])}, "The cube: you rounded to whole megabytes. Give two decimals."),
        Mistake({"cube": int(_stored()["cube"])}, "The cube: you cut the decimals off. Give two."),
        Mistake({"cube": round(_stored()["cube"], 1)}, "The cube: you rounded to one decimal. Give two."),
        *(
            Mistake({key: _stored()[key] * 24}, f"The {key}: this is for all 24 layers. One is asked for.")
            for key in ("cube", "table", "products", "row")
        ),
        Mistake(
            {"products": HEADS * BYTES * N * 2 * N / 1e6},
            "The products: you take 2n offsets. From −(n − 1) to n − 1 there are 2n − 1.",
        ),
        Mistake(
            {"cube": _stored()["cube"] * (2 * N - 1) / N},
            "The cube: one vector for each pair, and there are n² pairs. The offsets are in them already.",
        ),
        Mistake({"cube": _stored()["cube"] / D}, "The cube: this is one number per pair. A vector per pair has 64."),
        Mistake(
            {"table": _stored()["table"] * N / (2 * N - 1)},
            "The table: you count n offsets. Full attention has 2n − 1.",
        ),
        Mistake({"table": _stored()["row"]}, "The table: one number per offset is the row. A vector has 64."),
        Mistake(
            {"products": HEADS * BYTES * N * N / 1e6},
            "The products: n columns are the causal case. Full attention multiplies each query with 2n − 1 vectors.",
        ),
        Mistake(
            {"products": _stored()["products"] * D},
            "The products: a query times a vector is one number. The 64 are summed away.",
        ),
        Mistake(
            {"row": HEADS * BYTES * N * N / 1e6},
            "The row: that is the n × n matrix. One number per *offset* is wanted.",
        ),
    ],
    hints=[
        "Everything is heads × numbers per head × bytes. How many numbers has each?",
        "Pairs: n². Offsets: 2n − 1. A vector has d numbers, a product one.",
        "For the cube: 16 · 4096 · 4096 · 64 · 2 bytes, divided by 10⁶.",
    ],
)
