"""A square that slides over the table."""

import numpy as np

from course_lib.checking import Case, CodingTask, Property
from course_lib.reference.grid import to_grid
from course_lib.reference.window import window_bias, window_index  # noqa: F401 (a slip uses it)

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


def _draw(rng):
    window = int(rng.integers(2, 6))
    return (rng.normal(size=(2 * window - 1, 2 * window - 1)),)


sliding_square = CodingTask(
    title="A square that slides over the table",
    minutes=12,
    difficulty=2,
    words=r"""Make the bias of a window *without* computing an index. The table is a square here: the number of
$(\Delta\text{row}, \Delta\text{column})$ is at `table[Δrow + W - 1, Δcolumn + W - 1]`. What one query reads is a
$W \times W$ piece of it. Where does the piece begin for the query at row $r$, column $c$? (The first key of the window is
at row 0, column 0. Which offset is that?) Return one row per query, which is its piece, flattened.

For W = 2 and the table `[[0, 1, 2], [3, 4, 5], [6, 7, 8]]` the first row is `[4, 5, 7, 8]`.""",
    solution=_sliding_square,
    expected=_through_the_index,
    cases=[
        Case(np.arange(9).reshape(3, 3), label="the 2 × 2 window, its row numbers for a table", axes=patches(2)),
        Case(np.arange(25).reshape(5, 5), label="the 3 × 3 window, its row numbers for a table", axes=patches(3)),
        Case(numbers(0, 3, 3), label="the 2 × 2 window", axes=patches(2)),
        Case(numbers(1, 7, 7), label="the 4 × 4 window", axes=patches(4)),
        Case(numbers(2, 1, 1), label="one patch alone", axes=("query", "key")),
    ],
    draw=_draw,
    axes=("query", "key"),
    properties=[
        Property(
            "the first query",
            _first,
            "All keys are to the right of the first query, at (0, 0), or below it. So it reads the lower right corner of the "
            "table.",
        ),
        Property(
            "the last query",
            _last,
            "All keys are to the left of the last query or above it. So it reads the upper left corner of the table.",
        ),
        Property(
            "blocks on a diagonal",
            _blocks,
            "The first and the last query are right. For a query one row further down, every Δrow is one less, so its piece "
            "is one row higher.",
        ),
    ],
    pieces="""
(len(table) + 1) // 2
    the size of the window: A table of 2W − 1 rows belongs to a window of W rows.
W - 1 - r
    the first row of the piece: For the query in row r it is W − 1 − r, where Δrow is −r.
W - 1 - c
    the first column of the piece: For the query in column c it is W − 1 − c, where Δcolumn is −c.
table[top:top + W, left:left + W].ravel()
    the flattening: Each piece becomes one row of the bias.
""",
    slips="""
top, left = W - 1 - r, W - 1 - c → top, left = W - r, W - c
    Some of your pieces run off the table, and for one patch alone the piece is empty. The first key of the first query has
    offset (0, 0), which is at [W − 1, W − 1].
top, left = W - 1 - r, W - 1 - c → top, left = -r, -c
    Your pieces differ in size. That of the first query begins at [W − 1, W − 1], and from there the square moves up and
    left. Each piece begins at `top` and ends before top + W.
top, left = W - 1 - r, W - 1 - c → top, left = max(W - 2 - r, 0), max(W - 2 - c, 0)
    Your pieces begin too early. The first key of the first query has offset (0, 0), which is at [W − 1, W − 1].
top, left = W - 1 - r, W - 1 - c → top, left = 1 - W - r, 1 - W - c
    Your pieces begin at negative places, which NumPy counts from the end. The piece begins at W − 1 − r, W − 1 − c.
(len(table) + 1) // 2 → len(table)
    You use `len(table)` for W, but it is 2W − 1.
bias.append(table[top : top + W, left : left + W].ravel()) → table[top : top + W, left : left + W].ravel()
    Your list is empty. Is each piece appended, and is W what it should be? Print it.
table[top : top + W, left : left + W] → table[top : top, left : left]
    Your pieces are empty, because a slice ends *before* its second number. W rows from `top` end at top + W.
bias.append(table[top : top + W, left : left + W].ravel()) → bias = table[top : top + W, left : left + W].ravel()
    You return only the last piece. Append each one to the list.
bias.append( → bias.extend(
    `extend` puts the numbers of all pieces into one long row. For one row per query, use `append`.
.ravel()) → .sum())
    You return one number per query. Each key has its own, so flatten the piece.
table[top : top + W, left : left + W] → table[top : top + W - 1, left : left + W - 1]
    Your pieces have W − 1 rows and columns, because a slice leaves out its end. Each piece has W of both.
top, left = W - 1 - r, W - 1 - c → top, left = r, c
    Your square moves in the same direction as the query. When the query moves to the right, each Δcolumn becomes smaller,
    so the square moves to the left.
table[top : top + W, left : left + W] → np.roll(table, (-r, -c), axis=(0, 1))[W - 1 :, W - 1 :]
    You roll the table the wrong way, so your square moves down and right. A roll by (r, c) moves it up and left.
top, left = W - 1 - r, W - 1 - c → top, left = W - 1 - r, c
    Your columns move the wrong way. For a query one column further right, every Δcolumn is one less.
top, left = W - 1 - r, W - 1 - c → top, left = r, W - 1 - c
    Your rows move the wrong way. For a query one row further down, every Δrow is one less.
top, left = W - 1 - r, W - 1 - c → top, left = W - 1 - c, W - 1 - r
    You exchanged row and column of the query. r moves the square up, and c moves it left.
.ravel()) → .T.ravel())
    You flatten the piece column by column. The keys of a window are numbered row by row.
top, left = W - 1 - r, W - 1 - c → top, left = W - 1, W - 1
    Every query reads the same corner. The square must move with r and c.
top, left = W - 1 - r, W - 1 - c → top, left = 0, 0
    Every query reads the upper left corner, which is the piece of the last query.
np.array(bias) → np.array(bias).T
    Your offsets are query minus key, because the table is read backwards or the bias is transposed (both give the same).
    The offset is key minus query.
return np.array(bias) → return np.array(bias).reshape(W, W, W, W).transpose(1, 0, 3, 2).reshape(W * W, W * W)
    You exchanged rows and columns of the table.
return np.array(bias) → return np.array(bias)[0]
    You return the row of the first query only. Is the `return` inside the loop?
return np.array(bias) → return np.array(bias)[:W]
    You return the queries of row 0 only. Is the `return` indented too far, inside the loop over r?
return np.array(bias) → return np.array(bias) * (np.arange(W * W) < W)[:, None]
    Only the queries of row 0 are filled in, and the others are still 0. Is the `return` indented too far?
... → return window_index((len(table) + 1) // 2)
    You return the rows of the table. Return the numbers in those rows.
""",
    alternatives=[_through_the_index, _to_grid_twice, _sliding_windows],
    hints=[
        "Seen from the query (r, c), key (0, 0) has Δrow = −r and Δcolumn = −c. Where in the table is that?",
        "The piece begins at [W − 1 − r, W − 1 − c] and has W rows and W columns.",
        "`table[top : top + W, left : left + W].ravel()` is one row of the bias; W is `(len(table) + 1) // 2`.",
    ],
)

# The same slips in code that fills an array of zeros, or that returns the list as it is.
ZEROS = [("bias = []", "bias = np.zeros((W * W, W * W))"), ("bias.append(", "bias[r * W + c] = (")]
LIST = [("np.array(bias)", "bias")]
CORNER, SIZE = "W - 1 - r, W - 1 - c", "(len(table) + 1) // 2"
SHORT, UNEVEN = "Some of your pieces are too short for their row.", "Some of your pieces are shorter than others."
LESSONS = "In the lesson's window of 3, W − 1 is 2. Here W comes from the table."

for message, changes in {
    LESSONS: [(CORNER, "2 - r, 2 - c")],
    f"{SHORT} {LESSONS}": [(CORNER, "2 - r, 2 - c"), *ZEROS],
    f"{UNEVEN} {LESSONS}": [(CORNER, "2 - r, 2 - c"), *LIST],
    "You set W to 3, as in the lesson. Here W comes from the table.": [(SIZE, "3")],
    f"{SHORT} You set W to 3, as in the lesson, but it comes from the table.": [(SIZE, "3"), *ZEROS],
    f"{UNEVEN} You set W to 3, as in the lesson, but it comes from the table.": [(SIZE, "3"), *LIST],
    f"{SHORT} Your square moves down and right, but it should move up and left.": [
        (CORNER, "W - 1 + r, W - 1 + c"), *ZEROS],
    f"{SHORT} Is the W − 1 missing? Offset (−r, −c) is at [W − 1 − r, W − 1 − c].": [(CORNER, "-r, -c"), *ZEROS],
    f"{SHORT} A slice names its end, not its length. From `top`, W rows end at top + W.": [
        ("top + W, left : left + W", "W, left : W"), *ZEROS],
    f"{UNEVEN} That of the first query begins at [W − 1, W − 1], and from there the square moves up and left.": [
        (CORNER, "-r, -c"), *LIST],
}.items():  # fmt: skip
    sliding_square.wrong(message)(sliding_square.source.variant(changes))
