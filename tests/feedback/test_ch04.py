"""What a learner reads after a slip in chapter 04: the words that must be there."""

import numpy as np
import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH04 = tasks_of("ch04")

GRID = """
    n_k = rows.shape[1] - n_q + 1
    grid = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            grid[i, j] = rows[{row}, {column}]
    return grid
"""
SUMS = """
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1)
    for i in range(n_q):
        for j in range(n_k):
            sums[{column}] {add} grid[i, j]
    return sums
"""
BROKEN_OFF = """
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1)
    for i in range(n_q):
        for j in range(n_k):
            sums[j - i + n_q - 1] += grid[i, j]
{indent}return sums
"""
SKEW = """
    n = {n}
    padded = np.pad({rows}, ((0, 0), (1, 0)))
    return {last}
"""
PRODUCTS = """
    n_q, mid = len(q), len(table) // 2
    lo = {lo}
    P = q @ table[lo : lo + n_q + n_k - 1].T
    return {last}
"""
LAID_OUT = "[[P[i, j - i + n_q - 1] for j in range(n_k)] for i in range(n_q)]"
LOOP = """
    S = np.zeros((len(q), n_k))
    for i in range(len(q)):
        for j in range(n_k):
            S[i, j] = q[i] @ table[{index}]
    return S
"""
OWN = "i if len(rows) > 1 else 0"
INDEX = "    i, j, zero = np.arange(len(q))[:, None], np.arange(n_k), len(table) // 2\n    return (q @ table.T)[i, {}]"
DIAGONALS = """
    n_q, zero = len(q), len(table) // 2
    x = q @ table.T
    return np.stack([{} for j in {}], axis=1)
"""

SLIPS = {
    "to_grid": {
        "rolled by i": (
            f"    n_k = rows.shape[1] - n_q + 1\n    return [np.roll(rows[{OWN}], i)[:n_k] for i in range(n_q)]",
            "as it also is after `np.roll(row, i)`",
        ),
        "i − j": (GRID.format(row=OWN, column="i - j + n_q - 1"), "Past and future are swapped"),
        "no shift": (GRID.format(row=OWN, column="j - i"), "Your column is j − i"),
        "n_k for n_q": (GRID.format(row=OWN, column="j - i + n_k - 1"), "You count from the number of keys"),
        "shifted by n_q": (GRID.format(row=OWN, column="j - i + n_q"), "One column too far"),
        "rows[i]": (GRID.format(row="i", column="j - i + n_q - 1"), "a single row that all queries share"),
        "rows[0]": (GRID.format(row="0", column="j - i + n_q - 1"), "All queries get the first row"),
        "windows to the right": (
            "    n_k = rows.shape[1] - n_q + 1\n"
            f"    return np.array([rows[{OWN}, i : i + n_k] for i in range(n_q)])",
            "windows move to the right",
        ),
        "square": (
            f"    return [[rows[{OWN}, j - i + n_q - 1] for j in range(n_q)] for i in range(n_q)]",
            "You take n_k = n_q",
        ),
        "one key short": (
            GRID.replace("- n_q + 1", "- n_q").format(row=OWN, column="j - i + n_q - 1"),
            "One key is missing",
        ),
        "every width a key": (
            f"    return [[rows[{OWN}, j - i + n_q - 1] for j in range(rows.shape[1])] for i in range(n_q)]",
            "The width counts offsets",
        ),
        "all windows of the first row": (
            "    n_k = rows.shape[1] - n_q + 1\n"
            "    return np.lib.stride_tricks.sliding_window_view(rows[0], n_k)",
            "query 0 needs the last of them",
        ),
        "half the width": (
            GRID.replace("shape[1] - n_q + 1", "shape[1] // 2 + 1").format(row=OWN, column="j - i + n_q - 1"),
            "only where n_q = n_k",
        ),
        "five": (
            GRID.replace("rows.shape[1] - n_q + 1", "5").format(row=OWN, column="j - i + n_q - 1"),
            "not always 5",
        ),
        "one list for all": (
            "    grid, line = [], []\n    for i in range(n_q):\n        for j in range(rows.shape[1] - n_q + 1):\n"
            f"            line.append(rows[{OWN}, j - i + n_q - 1])\n        grid.append(line)\n    return grid",
            "begin a new list for each query",
        ),
        "transposed": (
            GRID.replace("return grid", "return grid.T").format(row=OWN, column="j - i + n_q - 1"),
            "The grid is transposed",
        ),
    },
    "from_grid": {
        "whole numbers, cell by cell": (
            """
    n_q, n_k = grid.shape
    sums = np.zeros(n_q + n_k - 1, dtype=int)
    for i in range(n_q):
        for j in range(n_k):
            sums[j - i + n_q - 1] += int(grid[i, j])
    return sums""",
            "Yours are whole numbers",
        ),
        "assigned": (SUMS.format(column="j - i + n_q - 1", add="="), "`=` overwrites"),
        "i − j": (SUMS.format(column="i - j + n_k - 1", add="+="), "The order is reversed"),
        "i − j, shifted by n_q": (SUMS.format(column="i - j + n_q - 1", add="+="), "i − j"),
        "no shift": (SUMS.format(column="j - i", add="+="), "Negative offsets land at the end"),
        "the range misses the last": (
            "    n_q, n_k = grid.shape\n    return [np.trace(grid, o) for o in range(1 - n_q, n_k - 1)]",
            "The last offset is missing",
        ),
        "the range begins too early": (
            "    n_q, n_k = grid.shape\n    return [np.trace(grid, o) for o in range(-n_q, n_k)]",
            "one too early",
        ),
        "means": (
            "    n_q, n_k = grid.shape\n    return [grid.diagonal(o).mean() for o in range(1 - n_q, n_k)]",
            "These are means",
        ),
        "fliplr": (
            "    n_q, n_k = grid.shape\n    return [np.fliplr(grid).trace(o) for o in range(1 - n_q, n_k)]",
            "other diagonals",
        ),
        "from the top right": (
            "    n_q, n_k = grid.shape\n    return [np.trace(grid, o) for o in range(n_k - 1, -n_q, -1)]",
            "The order is reversed",
        ),
        "columns": ("    return grid.sum(0)", "You sum columns"),
        "square": (
            "    n = len(grid)\n    return [np.trace(grid, k) for k in range(-n + 1, n)]",
            "Your offsets end at n_q − 1",
        ),
        "square, by keys": (
            "    n = grid.shape[1]\n    return [np.trace(grid, k) for k in range(-n + 1, n)]",
            "Your offsets begin at −(n_k − 1)",
        ),
        "n_q and n_k swapped": (
            "    n_q, n_k = grid.shape\n    return [np.trace(grid, o) for o in range(-n_k + 1, n_q)]",
            "You swapped n_q and n_k",
        ),
        "fancy +=": (
            "    n_q, n_k = grid.shape\n    i, j = np.indices(grid.shape)\n    out = np.zeros(n_q + n_k - 1)\n"
            "    out[j - i + n_q - 1] += grid\n    return out",
            "`np.add.at`",
        ),
        "whole numbers": (
            SUMS.format(column="j - i + n_q - 1", add="+=").replace("n_k - 1)\n", "n_k - 1, dtype=int)\n"),
            "cuts every sum off",
        ),
        "return in the loop": (BROKEN_OFF.format(indent=8 * " "), "Only query 0 has been added"),
        "return in both loops": (BROKEN_OFF.format(indent=12 * " "), "Only the cell (0, 0)"),
    },
    "skew_causal": {
        "rolled by i": (
            "    return np.tril([np.roll(row, i) for i, row in enumerate(rows)])",
            "as it also is after `np.roll(row, i)`",
        ),
        "no tril": ("    n = len(rows)\n    return np.pad(rows, ((0, 0), (1, 0))).reshape(n + 1, n)[1:]", "`np.tril`"),
        "nothing dropped": (
            "    n = len(rows)\n    return np.tril(np.pad(rows, ((0, 0), (1, 0))).reshape(n + 1, n))",
            "One row too many",
        ),
        "the last dropped": (
            "    n = len(rows)\n    return np.tril(np.pad(rows, ((0, 0), (1, 0))).reshape(n + 1, n)[:-1])",
            "You drop the last row",
        ),
        "padded behind": (
            "    n = len(rows)\n    return np.tril(np.pad(rows, ((0, 0), (0, 1))).reshape(n + 1, n)[1:])",
            "You pad behind",
        ),
        "cut in the old places": (
            "    n = len(rows)\n    return np.tril(np.pad(rows, ((0, 0), (1, 0))).reshape(n, n + 1)[:, 1:])",
            "Nothing has slipped",
        ),
        "padded all round": (
            "    n = len(rows)\n    return np.tril(np.pad(rows, 1).reshape(n + 1, n)[1:])",
            "`reshape` cuts anew what is there",
        ),
        "not padded": (
            "    n = len(rows)\n    return np.tril(rows.reshape(n + 1, n)[1:])",
            "`reshape` cuts anew what is there",
        ),
        "rows cleared first": (
            SKEW.format(n="len(rows)", rows="np.tril(rows)", last="padded.reshape(n + 1, n)[1:]"),
            "comes too early",
        ),
        "cleared twice": (
            SKEW.format(n="len(rows)", rows="np.tril(rows)", last="np.tril(padded.reshape(n + 1, n)[1:])"),
            "One `np.tril` too many",
        ),
        "padded rows cleared": (
            SKEW.format(n="len(rows)", rows="rows", last="np.tril(padded).reshape(n + 1, n)[1:]"),
            "You clear the padded rows",
        ),
        "−∞": (
            SKEW.format(
                n="len(rows)", rows="rows",
                last="np.where(np.tri(n, dtype=bool), padded.reshape(n + 1, n)[1:], -np.inf)",
            ),
            "Here 0 is wanted",
        ),
        "−10⁹": (
            SKEW.format(
                n="len(rows)",
                rows="rows",
                last="np.where(np.tri(n, dtype=bool), padded.reshape(n + 1, n)[1:], -1e9)",
            ),
            "Here 0 is wanted",
        ),
        ".T": (SKEW.format(n="len(rows)", rows="rows", last="np.tril(padded.T[1:])"), "which moves the numbers"),
        "order F": (
            SKEW.format(n="len(rows)", rows="rows", last="np.tril(padded.reshape(n + 1, n, order='F')[1:])"),
            "row by row",
        ),
        "a column dropped": (
            SKEW.format(n="len(rows)", rows="rows", last="np.tril(padded.reshape(n + 1, n)[:, 1:])"),
            "the first *row* that is too many",
        ),
        "five": (SKEW.format(n="5", rows="rows", last="np.tril(padded.reshape(n + 1, n)[1:])"), "n is not always 5"),
        "the offset as column": (
            "    n = len(rows)\n    return [[rows[i, j - i] if j <= i else 0 for j in range(n)] for i in range(n)]",
            "Your column is j − i",
        ),
        "the general skew": (
            "    n = len(rows)\n    flat = np.pad(rows, ((0, 0), (0, 1))).ravel()\n"
            "    return flat[n - 1 : n - 1 + n * n].reshape(n, n)[:, :1]",
            "That is the general skew",
        ),
    },
    "relative_scores": {
        "the last rows of the table": (
            PRODUCTS.format(lo="len(table) - (n_q + n_k - 1)", last=LAID_OUT),
            "its most distant future",
        ),
        "no past": (LOOP.format(index="j - i + len(table) // 2"), "`past` is missing"),
        "no past, by index": (INDEX.format("j - i + zero"), "`past` is missing"),
        "past to the keys": (LOOP.format(index="j + past - i + len(table) // 2"), "the sign is wrong"),
        "n_k − n_q": (INDEX.format("j - i - (n_k - len(q)) + zero"), "You take n_k − n_q for `past`"),
        "query − key": (INDEX.format("past + i - j + zero"), "Past and future are swapped"),
        "no middle": (LOOP.format(index="j - past - i"), "You take the offset itself"),
        "one too far": (INDEX.format("j - past - i + zero + 1"), "One row too late"),
        "as to_grid": (INDEX.format("j - i + len(q) - 1"), "You take the first rows of the table"),
        "the middle at n_k − 1": (LOOP.format(index="j - past - i + n_k - 1"), "You put offset 0 at n_k − 1"),
        "windows to the right": (
            PRODUCTS.format(lo="mid - (past + n_q - 1)", last="[P[i, i : i + n_k] for i in range(n_q)]"),
            "Your windows move to the right",
        ),
        "n_q − 1 forgotten in the cut": (PRODUCTS.format(lo="mid - past", last=LAID_OUT), "The cut begins too late"),
        "n_k for n_q in the cut": (
            PRODUCTS.format(lo="mid - (past + n_k - 1)", last=LAID_OUT),
            "You count back from the number of keys",
        ),
        "only multiplied": (PRODUCTS.format(lo="mid - (past + n_q - 1)", last="P"), "not laid out yet"),
        "scaled": (INDEX.format("j - past - i + zero") + " / q.shape[1] ** 0.5", "divided by √d"),
        "not laid out": ("    return (q @ table.T)[:, :n_k]", "still an offset"),
    },
    "grid_steps": {
        "a whole row": ("    return n_q - 1, (-1 if shared else n_q + n_k - 1), 1", "stays in the same column"),
        "bytes": ("    return 8 * (n_q - 1), (-8 if shared else 8 * (n_q + n_k - 2)), 8", "These are bytes"),
        "start 0": ("    return 0, (-1 if shared else n_q + n_k - 2), 1", "the start is not"),
        "flipped": ("    return 0, (1 if shared else n_q + n_k), 1", "flipped queries"),
        "shared forgotten": ("    return n_q - 1, n_q + n_k - 2, 1", "`shared` has no effect"),
        "only the sign": ("    return n_q - 1, (1 if shared else n_q + n_k - 2), 1", "one number *back*"),
        "the matrix's own": ("    return 0, n_k, 1", "the steps of a plain"),
        "no window moves": (
            "    return n_q - 1, (0 if shared else n_q + n_k - 1), 1",
            "your window stays in the same columns",
        ),
        "one short": ("    return n_q - 1, (-1 if shared else n_q + n_k - 3), 1", "one too small"),
        "n_k": ("    return n_q - 1, (-1 if shared else n_k), 1", "that of the finished grid"),
        "square": ("    return n_q - 1, (-1 if shared else 2 * n_q - 2), 1", "only where n_q = n_k"),
        "swapped": ("    return n_q - 1, (n_q + n_k - 2 if shared else -1), 1", "two cases have changed places"),
        "keys backwards": (
            "    return n_q - 1, (-1 if shared else n_q + n_k - 2), -1",
            "The step per key has the wrong sign",
        ),
        "start last": ("    return (-1 if shared else n_q + n_k - 2), 1, n_q - 1", "in another order"),
    },
    "stacked_scores": {
        "offset 0 at n_k − 1": (
            DIAGONALS.replace("len(table) // 2", "n_k - 1").format("x.diagonal(zero - j + past)[:n_q]", "range(n_k)"),
            "The table is made for longer texts",
        ),
        "np.tril": (
            DIAGONALS.format("x.diagonal(zero - j + past)[:n_q]", "range(n_k)").replace("1)", "1) * np.tri(n_q, n_k)"),
            "Nothing is to be hidden",
        ),
        "np.tril after past": (
            DIAGONALS.format("x.diagonal(zero - j + past)[:n_q]", "range(n_k)").replace(
                "axis=1)", "axis=1) * np.tri(n_q, n_k, past)"
            ),
            "the job of a mask",
        ),
        "minus past": (DIAGONALS.format("x.diagonal(zero - j - past)[:n_q]", "range(n_k)"), "has the wrong sign"),
        "a later key": (
            DIAGONALS.format("x.diagonal(zero - j)[:n_q]", "range(past, past + n_k)"),
            "has the wrong sign",
        ),
        "n_k − 1": (DIAGONALS.format("x.diagonal(zero - j + n_k - 1)[:n_q]", "range(n_k)"), "Right for one new word"),
        "n_k − n_q": (DIAGONALS.format("x.diagonal(zero - j + n_k - n_q)[:n_q]", "range(n_k)"), "You take n_k − n_q"),
        "past − 1": (DIAGONALS.format("x.diagonal(zero - j + past - 1)[:n_q]", "range(n_k)"), "One short"),
        "another piece": (DIAGONALS.format("x.diagonal(zero - j)[past : past + n_q]", "range(n_k)"), "none is to be"),
        "q[past:]": (
            DIAGONALS.replace("x = q @", "x = q[past:] @").format("x.diagonal(zero - j)[:n_q]", "range(n_k)"),
            "none is to be skipped",
        ),
        "both signs": (DIAGONALS.format("x.diagonal(zero + j - past)[:n_q]", "range(n_k)"), "Both signs are turned"),
        "past · n_q": (DIAGONALS.format("x.diagonal(zero - j + past * n_q)[:n_q]", "range(n_k)"), "by `past`, once"),
        "one word only": (
            DIAGONALS.format("x.diagonal(zero - j + (past if n_q == 1 else 0))[:n_q]", "range(n_k)"),
            "for a single new word only",
        ),
        "empty rows in front": (
            DIAGONALS.replace("x = q @", "x = np.concatenate([np.zeros((past, q.shape[1])), q]) @").format(
                "x.diagonal(zero - j)[:n_q]", "range(n_k)"
            ),
            "which rows are the new ones?",
        ),
        "not mended": (DIAGONALS.format("x.diagonal(zero - j)[:n_q]", "range(n_k)"), "is still taken for position 0"),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    assert words in told(CH04[name], body)


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("tree → bird, offset", 4, "comes before"),
        ("tree → bird, offset", 1, "the column in which it stands"),
        ("bird → tree, query", "tree", "Not the key's own row"),
        ("bird → tree, query", "in", "Two rows further"),
        ("bird → tree, query", "our", "Three rows further"),
        ("bird → tree, offset", 4, "no +4 was ever computed"),
        ("bird → tree, offset", 2, "the column of *sang*"),
        ("bird → tree, offset", 0, "the padding is no offset"),
        ("junk of 6", 10, "left out the padding"),
        ("junk of 100", 4851, "99 cells of padding"),
        ("junk of 100", 5000, "half of the diagonal"),
        ("junk of 100", 5050, "The diagonal is not junk"),
    ],
)
def test_a_slip_with_the_pencil_is_named(field, value, words):
    task = CH04["skewed_cell"]
    assert words in task.check({**task.expected(), field: value}).cause


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda right: {key: value / 16 for key, value in right.items()}, "one head"),
        (lambda right: {key: value / 1000 for key, value in right.items()}, "gigabytes"),
        (lambda right: {**right, "products": right["products"] * 4096 / 8191}, "causal case"),
        (lambda right: {**right, "row": 16 * 2 * 4096**2 / 1e6}, "n × n matrix"),
        (lambda right: {**right, "row": right["row"] / 16}, "The row: this is one head's"),
        (lambda right: {**right, "row": 0.016}, "The row: this is one head's"),
        (lambda right: {**right, "row": 0}, "small, and not 0"),
        (lambda right: {key: round(value) for key, value in right.items()}, "two decimals"),
        (lambda right: {key: round(value, 1) for key, value in right.items()}, "one decimal"),
        (lambda right: {**right, "products": right["products"] * 24}, "for all 24 layers"),
        (lambda right: {**right, "row": 262.112}, "kilobytes"),
        (lambda right: {**right, "cube": right["cube"] / 16}, "The cube: this is one head's"),
        (lambda right: {**right, "table": right["products"], "products": right["table"]}, "changed places"),
        (lambda right: {**right, "products": 1073.74}, "there are 2n − 1"),
        (lambda right: {key: value * 1e6 for key, value in right.items()}, "These are bytes"),
        (lambda right: {key: value * 24 for key, value in right.items()}, "all 24 layers"),
    ],
)
def test_a_slip_with_bytes_is_named(change, words):
    task = CH04["stored_megabytes"]
    assert words in task.check(change(task.expected())).cause


def test_the_steps_of_the_task_read_the_grid():
    """What the words of grid_steps promise: the three numbers are `to_grid` without a copy."""
    rows = np.arange(10.0).reshape(2, 5)
    start, per_query, per_key = CH04["grid_steps"].right(2, 4, shared=False)
    grid = np.lib.stride_tricks.as_strided(rows.ravel()[start:], (2, 4), (8 * per_query, 8 * per_key))
    assert np.shares_memory(grid, rows) and np.array_equal(grid, CH04["to_grid"].right(rows, 2))
