"""The bias without an index: a square that slides over the table."""

import numpy as np

from ...reference.grid import to_grid
from ...reference.window import window_bias, window_index
from ..engine import Case, Mistake, Property, Task
from .common import numbers, patches


def _sliding_square(table):
    """Bias (W², W²) of one head, without an index.

    table (2W - 1, 2W - 1) has the number of (Δrow, Δcolumn) at
    [Δrow + W - 1, Δcolumn + W - 1].
    """
    W = (len(table) + 1) // 2
    bias = []
    for r in range(W):
        for c in range(W):
            top, left = W - 1 - r, W - 1 - c
            bias.append(table[top : top + W, left : left + W].ravel())
    return np.array(bias)


def _through_the_index(table):
    return window_bias(np.reshape(table, (-1, 1)), (len(table) + 1) // 2)[0]


def _to_grid_twice(table):
    W = (len(table) + 1) // 2
    columns = np.moveaxis(to_grid(table[:, None], W), 0, -1)
    return to_grid(columns[..., None, :], W).transpose(2, 0, 3, 1).reshape(W * W, W * W)


def _sliding_windows(table):
    W = (len(table) + 1) // 2
    windows = np.lib.stride_tricks.sliding_window_view(table, (W, W))
    return windows[::-1, ::-1].reshape(W * W, W * W)


def _squares(corner, order="C"):
    """A square of the table for each query, its upper left corner at corner(W, r, c)."""

    def wrong(table):
        W = (len(table) + 1) // 2
        places = [corner(W, r, c) for r in range(W) for c in range(W)]
        return np.array([table[top : top + W, left : left + W].ravel(order) for top, left in places])

    return wrong


def _run_off(message, corner, window=None, forms="cpl"):
    """Squares that run off the table: Collected for np.array, Put into an array of zeros, or left in a List.

    Of the first and the last only the error is left, so that different corners may look the same.
    """

    def pieces(table):
        W = window or (len(table) + 1) // 2
        for r in range(W):
            for c in range(W):
                top, left, *ends = corner(W, r, c)
                bottom, right = ends or (top + W, left + W)
                yield table[top:bottom, left:right].ravel()

    def collected(table):
        bias = list(pieces(table))
        return np.array(bias)

    def put(table):
        W = window or (len(table) + 1) // 2
        bias = np.zeros((W * W, W * W))
        for k, piece in enumerate(pieces(table)):
            bias[k] = piece
        return bias

    made = {
        "c": Mistake(collected, message),
        "p": Mistake(put, f"{message} (Some of your pieces are too short for their row.)"),
        "l": Mistake(lambda table: list(pieces(table)), f"{message} (Some of your pieces are shorter than others.)"),
    }
    return [made[form] for form in forms]


def _first(result, table):
    W = (len(table) + 1) // 2
    return np.allclose(np.asarray(result)[0], table[W - 1 :, W - 1 :].ravel(), atol=1e-6)


def _last(result, table):
    W = (len(table) + 1) // 2
    return np.allclose(np.asarray(result)[-1], table[:W, :W].ravel(), atol=1e-6)


def _blocks(result, table):
    W = (len(table) + 1) // 2
    blocks = np.asarray(result).reshape(W, W, W, W).swapaxes(1, 2)
    return np.allclose(blocks[1:, 1:], blocks[:-1, :-1], atol=1e-6)


sliding_square = Task(
    title="A square that slides over the table",
    minutes=12,
    difficulty=2,
    words=r"""Make the bias of a window *without* computing an index. The table comes as a square: the number of
$(\Delta\text{row}, \Delta\text{column})$ stands at `table[Δrow + W - 1, Δcolumn + W - 1]`. What one query reads is a $W \times W$ piece of it. For the query at row
$r$, column $c$: where does its piece begin? (The first key of the window is at row 0, column 0: which offset is that?) Put
the pieces, one per query and flattened, below each other.

For W = 2 and the table `[[0, 1, 2], [3, 4, 5], [6, 7, 8]]` the first row is `[4, 5, 7, 8]`.""",
    solution=_sliding_square,
    expected=_through_the_index,
    cases=[
        Case(np.arange(9).reshape(3, 3), says="the 2 × 2 window, its row numbers for a table", axes=patches(2)),
        Case(np.arange(25).reshape(5, 5), says="the 3 × 3 window, its row numbers for a table", axes=patches(3)),
        Case(numbers(0, 3, 3), says="the 2 × 2 window", axes=patches(2)),
        Case(numbers(1, 7, 7), says="the 4 × 4 window", axes=patches(4)),
        Case(numbers(2, 1, 1), says="one patch alone", axes=("query", "key")),
    ],
    draw=lambda rng: (rng.normal(size=(2 * (window := int(rng.integers(2, 6))) - 1, 2 * window - 1)),),
    axes=("query", "key"),
    properties=[
        Property("the first query", _first, "The first query, at (0, 0), has all keys to its right or below: it reads the lower right corner of the table."),
        Property("the last query", _last, "The last query has all keys to its left or above: it reads the upper left corner of the table."),
        Property("blocks on a diagonal", _blocks, "The first and the last query are right. One row further down, all Δrow are one less: the piece moves up by one."),
    ],
    mistakes=[
        Mistake(_squares(lambda W, r, c: (r, c)), "Your square moves with the query. Each key lies one *less* to the right when the query moves right: the square moves the other way."),
        Mistake(_squares(lambda W, r, c: (W - 1 - r, c)), "The columns move the wrong way: one query further right, every Δcolumn is one less."),
        Mistake(_squares(lambda W, r, c: (r, W - 1 - c)), "The rows move the wrong way: one query further down, every Δrow is one less."),
        Mistake(_squares(lambda W, r, c: (W - 1 - c, W - 1 - r)), "Row and column of the query have changed places: r moves the square up, c moves it left."),
        Mistake(_squares(lambda W, r, c: (W - 1 - r, W - 1 - c), "F"), "The piece is flattened column by column. The keys of a window are numbered row by row."),
        Mistake(_squares(lambda W, r, c: (W - 1, W - 1)), "Every query reads the same corner. The square must move with r and c."),
        *_run_off("2 is W − 1 in the lesson's window of 3. Here W comes from the table.", lambda W, r, c: (2 - r, 2 - c)),
        *_run_off("3 is the lesson's window. Here W comes from the table.", lambda W, r, c: (2 - r, 2 - c), window=3),
        *_run_off("Your square moves down and right; it must move up and left.", lambda W, r, c: (W - 1 + r, W - 1 + c), forms="p"),
        *_run_off("W − 1 is missing: offset (−r, −c) stands at [W − 1 − r, W − 1 − c].", lambda W, r, c: (-r, -c), forms="p"),
        *_run_off("A slice ends where you say, not after so many: from `top`, W rows end at top + W.", lambda W, r, c: (W - 1 - r, W - 1 - c, W, W), forms="p"),
        *_run_off("Your pieces differ in size. The first query's begins at [W − 1, W − 1], and from there the square must move up and left. Does yours move down and right, is W − 1 missing, or does a slice end at W in place of top + W?", lambda W, r, c: (-r, -c), forms="cl"),
        Mistake(lambda table: _sliding_square(table)[: (len(table) + 1) // 2], "Only the queries of row 0: is the `return` indented too far, inside the loop over r?"),
        Mistake(lambda table: _sliding_square(table) * (np.arange(((len(table) + 1) // 2) ** 2) < (len(table) + 1) // 2)[:, None], "Only the queries of row 0 are filled in, the others are still 0: is the `return` indented too far?"),
        Mistake(_squares(lambda W, r, c: (0, 0)), "Every query reads the upper left corner. That is the piece of the last query only."),
        Mistake(_squares(lambda W, r, c: (W - 1 - r, W - 1)), "The square moves up with r, but it stays in the same columns: c has no part in it."),
        Mistake(_squares(lambda W, r, c: (W - 1, W - 1 - c)), "The square moves left with c, but it stays in the same rows: r has no part in it."),
        Mistake("top, left = W - 1 - r, W - 1 - c", "top, left = W - r, W - c", "One too far: the first key of the first query is at offset (0, 0), which stands at [W − 1, W − 1], and pieces run off the table."),
        Mistake("top, left = W - 1 - r, W - 1 - c", "top, left = max(W - 2 - r, 0), max(W - 2 - c, 0)", "One too early: the first key of the first query is at offset (0, 0), which stands at [W − 1, W − 1]."),
        Mistake(lambda table: _sliding_square(table).T, "Every offset is turned round, query minus key: the table is read backwards, or the bias is transposed, which gives the same numbers. It is key minus query."),
        Mistake(lambda table: _sliding_square(np.asarray(table).T), "Rows and columns of the table have changed places."),
        Mistake("(len(table) + 1) // 2", "len(table) // 2", "W is one too small: a table of 2W − 1 rows belongs to a window of (2W − 1 + 1) / 2."),
        Mistake("(len(table) + 1) // 2", "len(table)", "`len(table)` is 2W − 1. The window has W = (len(table) + 1) // 2 rows."),
        Mistake("bias.append(table[top : top + W, left : left + W].ravel())", "table[top : top + W, left : left + W].ravel()", "The list stays empty. Is each piece appended, and is W what it should be? Print it."),
        Mistake("table[top : top + W, left : left + W]", "table[top : top, left : left]", "Your pieces are empty: a slice ends *before* its second number. From `top`, W rows end at top + W."),
        Mistake("top, left = W - 1 - r, W - 1 - c", "top, left = 1 - W - r, 1 - W - c", "Your pieces begin at negative places, which count from the end. Offset 0 stands at W − 1: the piece begins at W − 1 − r, W − 1 − c."),
        Mistake("bias.append(table[top : top + W, left : left + W].ravel())", "bias = table[top : top + W, left : left + W].ravel()", "Only the last piece is left: append each to the list."),
        Mistake("bias.append(table[top : top + W, left : left + W].ravel())", "bias.extend(table[top : top + W, left : left + W].ravel())", "`extend` makes one long row of all pieces. One row per query: `append`."),
        Mistake("bias.append(table[top : top + W, left : left + W].ravel())", "bias.append(table[top : top + W, left : left + W].sum())", "One number per query. Each key has its own: flatten the piece."),
        Mistake(".ravel())", ")", "The pieces are still squares: flatten each, so that its keys form one row."),
        Mistake("table[top : top + W, left : left + W]", "table[top : top + W - 1, left : left + W - 1]", "A piece has W rows and W columns; a slice leaves out its end."),
        Mistake(lambda table: _sliding_square(table)[0], "Only the first query: is the `return` inside the loop?"),
        Mistake(lambda table: window_index((len(table) + 1) // 2), "These are the rows of the table, not the numbers that stand there."),
        Mistake(lambda table: _sliding_windows(table)[:, ::-1], "The keys of each piece run backwards. Only the order of the pieces is turned round, not what is in them."),
    ],
    alternatives=[_through_the_index, _to_grid_twice, _sliding_windows],
    hints=[
        "Key (0, 0) as seen from the query (r, c): Δrow = −r, Δcolumn = −c. Where does that stand in the table?",
        "The piece begins at [W − 1 − r, W − 1 − c] and has W rows and W columns.",
        "`table[top : top + W, left : left + W].ravel()` is one row of the bias; W is `(len(table) + 1) // 2`.",
    ],
)  # fmt: skip
