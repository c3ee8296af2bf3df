"""The index: derived for any rectangle, and a port in which rows and columns changed places."""

from itertools import product

import numpy as np

from ...reference.window import window_bias, window_index
from ..engine import Case, Mistake, Property, Task
from .common import numbers, patches


def _window_rows(height, width):
    """The table row of every query and key patch of a window of height x width.

    Shape (height * width, height * width); offsets are key - query.
    """
    row, column = np.divmod(np.arange(height * width), width)
    down = row - row[:, None]
    right = column - column[:, None]
    return (down + height - 1) * (2 * width - 1) + (right + width - 1)


def _counted(height, width):
    """No formula: all pairs of offsets in reading order, numbered from 0."""
    number = {pair: k for k, pair in enumerate(product(range(1 - height, height), range(1 - width, width)))}
    places = list(product(range(height), range(width)))
    return np.array([[number[key[0] - q[0], key[1] - q[1]] for key in places] for q in places])


def _spread(height, width):
    """One-dimensional offsets of patches that are numbered as if a row had 2 · width − 1 places."""
    a = (np.arange(height)[:, None] * (2 * width - 1) + np.arange(width)).ravel()
    return a - a[:, None] - (a - a[:, None]).min()


def _loops(height, width):
    made = np.zeros((height * width, height * width))
    for i in range(height * width):
        for j in range(height * width):
            (a, b), (c, d) = divmod(i, width), divmod(j, width)
            made[i, j] = (c - a + height - 1) * (2 * width - 1) + d - b + width - 1
    return made


def _steps(height, width):
    row, column = np.divmod(np.arange(height * width), width)
    return row - row[:, None], column - column[:, None]


def _plus(rows, columns):
    """Another number added to each offset."""

    def wrong(height, width):
        down, right = _steps(height, width)
        return (down + rows(height, width)) * (2 * width - 1) + right + columns(height, width)

    return wrong


def _factor(by):
    def wrong(height, width):
        down, right = _steps(height, width)
        return (down + height - 1) * by(height, width) + right + width - 1

    return wrong


def _turned(height, width, rows=-1, columns=-1):
    down, right = _steps(height, width)
    return (rows * down + height - 1) * (2 * width - 1) + columns * right + width - 1


def _by_columns(height, width):
    """The table read column by column."""
    down, right = _steps(height, width)
    return (right + width - 1) * (2 * height - 1) + down + height - 1


def _patches_by_columns(height, width):
    """The patches numbered column by column."""
    column, row = np.divmod(np.arange(height * width), height)
    down, right = row - row[:, None], column - column[:, None]
    return (down + height - 1) * (2 * width - 1) + right + width - 1


def _any_place(queries, keys, query_width, key_width):
    """The right formula, asked for other numbers of patches and rows of another width."""

    def wrong(height, width):
        places = [
            np.divmod(np.arange(count(height, width)), by(height, width))
            for count, by in ((queries, query_width), (keys, key_width))
        ]
        down, right = (key - query[:, None] for query, key in zip(*places))
        return (down + height - 1) * (2 * width - 1) + right + width - 1

    return wrong


def _only_height(height, width):
    """The lesson's code with W = height."""
    row, column = np.divmod(np.arange(height * width), height)
    down, right = row - row[:, None], column - column[:, None]
    return (down + height - 1) * (2 * height - 1) + right + height - 1


def _whole(result, *_):
    rows = np.asarray(result, float)
    return np.all(rows == np.floor(rows))


def _told_apart(first, second):
    """Whether some pair of patches differs from the same pair turned round; what has another shape is not asked."""

    def holds(result, height, width):
        rows, n = np.asarray(result), height * width
        if rows.shape != (n, n):
            return True
        place = np.divmod(np.arange(n), width)
        pairs = (place[first] == place[first][:, None]) & (place[second] != place[second][:, None])
        return not pairs.any() or (rows != rows.T)[pairs].any()

    return holds


def _inside(result, height, width):
    rows = np.asarray(result)
    return np.all((rows >= 0) & (rows < (2 * height - 1) * (2 * width - 1)))


def _middle(result, height, width):
    return np.all(np.diagonal(np.asarray(result)) == 2 * height * width - height - width)


def _apart(result, height, width):
    return len(np.unique(np.asarray(result))) == (2 * height - 1) * (2 * width - 1)


def _sum_of_both(result, height, width):
    rows = np.asarray(result)
    return np.allclose(rows + rows.T, (2 * height - 1) * (2 * width - 1) - 1)


window_rows = Task(
    title="The index of any window",
    minutes=12,
    difficulty=2,
    words=r"""Windows need not be square. (Code that only ever meets square windows can be wrong here, and nobody notices.)
Derive the index for `height` rows and `width` columns of patches, numbered row by row: number the pairs of offsets $(\Delta\text{row}, \Delta\text{column})$
in reading order, from 0. How many columns has the table now?

`window_rows(1, 2)` is `[[1, 2], [0, 1]]`, and `window_rows(3, 3)` the lesson's table. Loops are fine.""",
    solution=_window_rows,
    expected=_counted,
    cases=[
        Case(2, 2, says="the 2 × 2 window", axes=patches(2)),
        Case(3, 3, says="the 3 × 3 window", axes=patches(3)),
        Case(2, 3, says="two rows, three columns", axes=patches(2, 3)),
        Case(3, 2, says="three rows, two columns", axes=patches(3, 2)),
        Case(1, 5, says="one row: a sentence", axes=patches(1, 5)),
        Case(4, 1, says="one column", axes=patches(4, 1)),
        Case(1, 1, says="one patch alone", axes=patches(1)),
        Case(4, 5, says="four rows, five columns", axes=patches(4, 5)),
    ],
    draw=lambda rng: (int(rng.integers(1, 6)), int(rng.integers(1, 6))),
    axes=("query", "key"),
    properties=[
        Property("whole", _whole, "Not all of yours are whole numbers, and there is no row 6.5: divide with `//`, or take `divmod`."),
        Property("left and right", _told_apart(0, 1), "Left and right share a row: keep the signs."),
        Property("up and down", _told_apart(1, 0), "Up and down share a row: keep the signs."),
        Property("in the table", _inside, "Some rows lie outside the table, which has (2·height − 1)·(2·width − 1) rows, numbered from 0."),
        Property("the middle", _middle, "On the diagonal stands offset (0, 0), the middle row of the table. Which number has it?"),
        Property("a row each", _apart, "Different pairs of offsets share a row. By what must Δrow be multiplied, so that a whole line of columns fits before the next?"),
        Property("turned round", _sum_of_both, "A pair and the pair turned round must add up to the last row of the table: their offsets differ by the sign."),
    ],
    mistakes=[
        Mistake(_factor(lambda h, w: 2 * h - 1), "Right for square windows. A line of the square holds one number per Δ*column*: the factor is 2·width − 1, not 2·height − 1."),
        Mistake(_only_height, "Right for square windows: wherever columns count it is `width`. Patch p stands at row p // width, and Δcolumn begins at −(width − 1)."),
        Mistake(_factor(lambda h, w: w), "With the factor `width` these are the offsets of the list, j − i: the end of one row and the start of the next are neighbours there. A line of the square holds all Δcolumn, 2·width − 1 numbers."),
        Mistake(_factor(lambda h, w: h), "You multiply by the height of the window. A line of the square holds all Δcolumn: 2·width − 1."),
        Mistake(_factor(lambda h, w: 2 * w), "From −(width − 1) to width − 1 there are 2·width − 1 offsets, not 2·width: the factor is one too large."),
        Mistake(_factor(lambda h, w: 2 * w + 1), "From −(width − 1) to width − 1 there are 2·width − 1 offsets, not 2·width + 1."),
        Mistake(_factor(lambda h, w: w - 1), "The factor is the number of different Δcolumn, 2·width − 1. width − 1 is the largest of them."),
        Mistake(_factor(lambda h, w: 2 * (w - 1)), "The factor is one too small: zero is an offset as well. There are 2·width − 1 different Δcolumn."),
        Mistake(_factor(lambda h, w: 1), "You only add the two. (0, +1) and (+1, 0) then share a row: multiply Δrow by the number of columns of the table."),
        Mistake(_plus(lambda h, w: h, lambda h, w: w), "You add height and width. The smallest offsets, −(height − 1) and −(width − 1), must become 0: add one less."),
        Mistake(_plus(lambda h, w: h, lambda h, w: w - 1), "The lines begin one too late: add height − 1 to Δrow, so that the smallest becomes 0."),
        Mistake(_plus(lambda h, w: h - 1, lambda h, w: w), "The columns begin one too late: add width − 1 to Δcolumn, so that the smallest becomes 0."),
        Mistake(_plus(lambda h, w: w - 1, lambda h, w: h - 1), "height and width have changed places where you shift: Δrow begins at −(height − 1), Δcolumn at −(width − 1)."),
        Mistake(_plus(lambda h, w: w - 1, lambda h, w: w - 1), "Right for square windows. Δrow begins at −(height − 1): add height − 1 to it."),
        Mistake(_plus(lambda h, w: h - 1, lambda h, w: h - 1), "Right for square windows. Δcolumn begins at −(width − 1): add width − 1 to it."),
        Mistake(_plus(lambda h, w: 0, lambda h, w: 0), "The offsets are not shifted yet: half of your rows are negative. Add height − 1 and width − 1."),
        Mistake(_plus(lambda h, w: h - 1, lambda h, w: 0), "Δcolumn is not shifted yet: add width − 1 to it as well."),
        Mistake(_plus(lambda h, w: 0, lambda h, w: w - 1), "Δrow is not shifted yet: add height − 1 to it before you multiply."),
        Mistake(_turned, "Query and key have changed places: your table is read backwards. The offset is key minus query (Swin's own code has it your way)."),
        Mistake(lambda h, w: _turned(h, w, columns=1), "Δrow has the wrong sign: key minus query. Δcolumn is right."),
        Mistake(lambda h, w: _turned(h, w, rows=1), "Δcolumn has the wrong sign: key minus query. Δrow is right."),
        Mistake(_by_columns, "You number the table column by column. It is read row by row: Δrow is the one that is multiplied."),
        Mistake(lambda h, w: _by_columns(h, w).T, "Two things: the table is numbered column by column, and the offsets count query minus key."),
        Mistake(_patches_by_columns, "Your patches are numbered column by column. Patch p stands at row p // width, column p % width."),
        Mistake("np.arange(height * width), width)", "np.arange(height * width), height)", "Patch p stands at row p // width: as many patches lie in a row as the window is *wide*."),
        Mistake("row, column = np.divmod", "column, row = np.divmod", "Row and column have changed places: the quotient p // width is the row."),
        Mistake(lambda h, w: abs(_steps(h, w)[0]) * (2 * w - 1) + abs(_steps(h, w)[1]), "Only the size of the offsets is left: up and down, left and right have become one. Keep the signs."),
        Mistake("np.arange(height * width)", "np.arange(height)", "Only `height` patches. The window has height · width of them."),
        Mistake("np.arange(height * width)", "np.arange(width)", "Only `width` patches. The window has height · width of them."),
        Mistake("np.arange(height * width)", "np.arange(width**2)", "Right for square windows. The window has height · width patches."),
        Mistake("np.arange(height * width)", "np.arange(height**2)", "Right for square windows. `height**2` patches would be a square of that height: the window has height · width."),
        Mistake(_any_place(*[lambda h, w: h * h, lambda h, w: w * w], *[lambda h, w: w] * 2), "height · height queries and width · width keys. Both axes count the same patches: height · width."),
        Mistake(_any_place(*[lambda h, w: h * h, lambda h, w: w * w], *[lambda h, w: h, lambda h, w: w]), "You take height · height queries and width · width keys. Queries and keys are the same patches, height · width, and p stands at row p // width."),
        Mistake("np.arange(height * width)", "np.arange(height + width)", "The window has height · width patches, not height + width."),
        Mistake(lambda h, w: _window_rows(h, w)[0], "Only the first query. A row for every query is wanted."),
        Mistake(lambda h, w: window_index(h), "Right for square windows. `window_index(height)` is a window of height × height; here the columns have a number of their own."),
        Mistake(lambda h, w: window_index(w), "Right for square windows. `window_index` takes one size; here there are two."),
        Mistake(lambda h, w: (_steps(h, w)[0] + h - 1) * (2 * w - 1) * (_steps(h, w)[1] + w - 1), "You multiply by the column as well. It is added: line · (2·width − 1) + column."),
        Mistake(lambda h, w: _steps(h, w)[0] + h - 1 + (_steps(h, w)[1] + w - 1) * (2 * w - 1), "Δcolumn is multiplied, and Δrow added. In reading order it is the row that counts in steps of a whole line."),
    ],
    alternatives=[_loops, _counted, _spread],
    hints=[
        "`row, column = np.divmod(np.arange(height * width), width)`, and `row - row[:, None]` is Δrow of all pairs.",
        "Δrow runs from −(height − 1) to height − 1. Add what makes the smallest 0. The same for Δcolumn.",
        "Lay the rows of the table out as a square, a line for each Δrow. Reading line by line, each line before yours holds 2·width − 1 numbers.",
    ],
)  # fmt: skip


def _grid_bias(table, window):
    """Bias of every query and key patch: (heads, W², W²).

    table ((2W - 1)², heads) is numbered row by row, and so are the patches;
    offsets are key - query.
    """
    rows, columns = np.meshgrid(np.arange(window), np.arange(window), indexing="ij")
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    index = offset[0] * (2 * window - 1) + offset[1]
    return np.moveaxis(table[index], -1, 0)


def _grid_bias_given(table, window):
    """Bias of every query and key patch: (heads, W², W²).

    table ((2W - 1)², heads) is numbered row by row, and so are the patches;
    offsets are key - query.
    """
    rows, columns = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    index = offset[0] * (2 * window - 1) + offset[1]
    return np.moveaxis(table[index], -1, 0)


def _swapped_names(table, window):
    columns, rows = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    return np.moveaxis(table[offset[0] * (2 * window - 1) + offset[1]], -1, 0)


def _swapped_index(table, window):
    rows, columns = np.meshgrid(np.arange(window), np.arange(window))
    place = np.stack([rows.ravel(), columns.ravel()])
    offset = place[:, None, :] - place[:, :, None] + window - 1
    return np.moveaxis(table[offset[1] * (2 * window - 1) + offset[0]], -1, 0)


def _diagonal(result, table, window):
    return np.allclose(np.asarray(result)[:, range(window**2), range(window**2)].T, table[len(table) // 2], atol=1e-6)


grid_bias = Task(
    title="Bug hunt: the picture on its side",
    minutes=8,
    difficulty=2,
    words="""This is such code carried over from torch to NumPy line by line, with our key − query. No shape complains, the diagonal
is right, and a model trained with it is as good as any. But with a table trained in torch (in our direction) it sees every
picture reflected: what a head learned about *above* it applies to *left of*. Find the line that the two libraries read differently.

Make a table whose only large number is that of one column to the right, row 5 for W = 2, and look which keys get it.""",
    solution=_grid_bias,
    given=_grid_bias_given,
    expected=lambda table, window: window_bias(table, window),
    cases=[
        Case(np.eye(9)[5][:, None], 2, says="a table for *one to the right*", axes=("head", *patches(2))),
        Case(np.arange(9.0)[:, None], 2, says="the table is its own row numbers", axes=("head", *patches(2))),
        Case(numbers(0, 25, 1), 3, says="the 3 × 3 window", axes=("head", *patches(3))),
        Case(numbers(1, 25, 3), 3, says="three heads", axes=("head", *patches(3))),
        Case(numbers(2, 1, 2), 1, says="one patch alone", axes=("head", "query", "key")),
        Case(numbers(3, 49, 2), 4, says="the 4 × 4 window", axes=("head", *patches(4))),
    ],
    draw=lambda rng: (
        rng.normal(size=((2 * (window := int(rng.integers(2, 5))) - 1) ** 2, int(rng.integers(1, 4)))),
        window,
    ),
    axes=("head", "query", "key"),
    properties=[
        Property("the diagonal", _diagonal, "A patch with itself takes the middle row of the table, as it did before: leave the shift and the factor alone."),
    ],
    mistakes=[
        Mistake(_grid_bias_given, "Rows and columns are still exchanged (or exchanged twice). Print `rows` for window=2: does it hold the row of each patch? If so, Δrow is offset[0]. (\"xy\" is what NumPy does without being asked.)"),
        Mistake("place[:, None, :] - place[:, :, None]", "place[:, :, None] - place[:, None, :]", "The reflection is gone, but now query and key have changed places: that is the same as a table read backwards, or a bias transposed. Key minus query was right."),
        Mistake(lambda table, window: _grid_bias_given(table, window).swapaxes(-1, -2), "Both offsets are turned round, and rows and columns are still exchanged. Key minus query was right (a bias transposed or a table read backwards turns it too): look at `rows` and `columns`."),
        Mistake("(2 * window - 1)", "window", "The factor was right: a line of the square holds 2W − 1 numbers, not W."),
        Mistake("(2 * window - 1)", "(2 * window)", "The factor was right: a line of the square holds 2W − 1 numbers."),
        Mistake("+ window - 1", "+ window", "The shift was right: the smallest offset, −(W − 1), becomes 0. With W the last rows lie past the end of the table."),
        Mistake("np.moveaxis(table[index], -1, 0)", "table[index]", "`table[index]` is (query, key, head). The heads come first, as they did: leave that line alone."),
        Mistake("np.moveaxis(table[index], -1, 0)", "table[index].reshape(-1, window**2, window**2)", "Rows and columns are right now. But `reshape` gives the heads one another's numbers: it cuts (query, key, head) anew and moves no axis. `np.moveaxis` was right."),
        Mistake("rows.ravel()", "rows[::-1].ravel()", "The rows are counted from below now. They are numbered from above."),
        Mistake("columns.ravel()", "columns[:, ::-1].ravel()", "The columns are counted from the right now. They are numbered from the left."),
        Mistake(" + window - 1", "", "Without the shift half of the rows are negative, and NumPy counts those from the end of the table."),
        Mistake("offset[0] * (2 * window - 1) + offset[1]", "offset[0] * (2 * window - 1) + offset[0]", "Δcolumn is not used: both terms of the index are made of Δrow. Is offset[0] there twice, or do `rows` and `columns` hold the same numbers?"),
        Mistake("offset[0] * (2 * window - 1) + offset[1]", "offset[1] * (2 * window - 1) + offset[1]", "Δrow is not used: both terms of the index are made of Δcolumn. Is offset[1] there twice, or do `rows` and `columns` hold the same numbers?"),
    ],
    alternatives=[_swapped_names, _swapped_index],
    hints=[
        "`np.meshgrid(np.arange(2), np.arange(2))[0]` is [[0, 1], [0, 1]]. Is that the row of each patch?",
        'torch\'s `meshgrid` varies the first result along the rows, `indexing="ij"`; NumPy along the columns, `"xy"`, unless told.',
    ],
)  # fmt: skip
