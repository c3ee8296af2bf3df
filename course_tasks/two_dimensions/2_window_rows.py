r"""The index of any window · 12 minutes · ★★

Windows need not be square, and code that was only ever tried on square windows may be wrong for all others. Derive the
index for a window with `height` rows and `width` columns of patches, which are numbered row by row. To do so, number the
pairs of offsets $(\Delta\text{row}, \Delta\text{column})$ in reading order, from 0. How many different $\Delta\text{column}$ are there now?

`window_rows(1, 2)` is `[[1, 2], [0, 1]]`, and `window_rows(3, 3)` is the lesson's table. Loops are fine.
"""

from itertools import product

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.window import window_index  # noqa: F401 (a slip uses it)

from .common import patches


def window_rows(height, width):
    """The table row of every query and key patch of a window of height x width.

    Shape (height * width, height * width); offsets are key - query.
    """
    # A window has height · width of them. Patch p is at row p // width, column p % width. A window has height · width
    # patches, and the smallest Δrow is −(height − 1). A window has height · width patches, and the smallest Δcolumn is
    # −(width − 1).
    row, column = np.divmod(np.arange(height * width), width)
    down = row - row[:, None]  # Δrow is the row of the key minus the row of the query.
    right = column - column[:, None]  # Δcolumn is the column of the key minus the column of the query.
    # The smallest Δrow is −(height − 1), so height − 1 is added to make it 0. The smallest Δcolumn is −(width − 1), so
    # width − 1 is added to make it 0. A line of the square of offsets holds one number for each Δcolumn, 2 · width − 1
    # of them. The number of the line counts from 0, and the factor turns it into the numbers before this line. The
    # place in the line counts from 0 and is added to the numbers of the lines before. Each of them holds 2 · width − 1
    # numbers.
    return (down + height - 1) * (2 * width - 1) + (right + width - 1)


def expected(height, width):
    """No formula: all pairs of offsets in reading order, numbered from 0."""
    number = {pair: k for k, pair in enumerate(product(range(1 - height, height), range(1 - width, width)))}
    places = list(product(range(height), range(width)))
    return np.array([[number[key[0] - q[0], key[1] - q[1]] for key in places] for q in places])


def _whole(result, *_):
    rows = np.asarray(result, float)
    return np.all(rows == np.floor(rows))


def _told_apart(first, second):
    """Whether some pair of patches differs from the opposite pair; a result of another shape passes."""

    def holds(result, height, width):
        rows, n = np.asarray(result), height * width
        if rows.shape != (n, n):
            return True
        place = np.divmod(np.arange(n), width)
        pairs = (place[first] == place[first][:, None]) & (place[second] != place[second][:, None])
        return not pairs.any() or (rows != rows.T)[pairs].any()

    return holds


def _rows(height, width):
    """How many rows the table has."""
    return (2 * height - 1) * (2 * width - 1)


def _inside(result, height, width):
    return np.all((np.asarray(result) >= 0) & (np.asarray(result) < _rows(height, width)))


def _middle(result, height, width):
    return np.all(np.diagonal(np.asarray(result)) == _rows(height, width) // 2)


def _apart(result, height, width):
    return len(np.unique(np.asarray(result))) == _rows(height, width)


INDEX = True


CASES = [
    Case(2, 2, label="the 2 × 2 window", axes=patches(2)),
    Case(3, 3, label="the 3 × 3 window", axes=patches(3)),
    Case(2, 3, label="two rows, three columns", axes=patches(2, 3)),
    Case(3, 2, label="three rows, two columns", axes=patches(3, 2)),
    Case(1, 5, label="one row: a sentence", axes=patches(1, 5)),
    Case(4, 1, label="one column", axes=patches(4, 1)),
    Case(1, 1, label="one patch alone", axes=patches(1)),
    Case(4, 5, label="four rows, five columns", axes=patches(4, 5)),
    Case(9, 9, label="a large window: 289 rows", axes=patches(9)),
]


def draw(rng):
    return (int(rng.integers(1, 6)), int(rng.integers(1, 6)))


AXES = ("query", "key")


ALWAYS = [
    holds("Some of your numbers are not whole. Divide with `//` or `divmod`.", _whole),
    holds("Left and right share a row. Keep the signs of the offsets.", _told_apart(0, 1)),
    holds("Up and down share a row. Keep the signs of the offsets.", _told_apart(1, 0)),
    holds("Some rows are outside the table, which has (2·height − 1)·(2·width − 1) rows.", _inside),
    holds("The diagonal should hold the row of offset (0, 0), the middle one of the table.", _middle),
    holds("Different offsets share a row. Leave room for all Δcolumn between two Δrow.", _apart),
]


WRONG = """
column, row = np.divmod(np.arange(height * width), width)  # You exchanged row and column. The quotient p // width is
# the row.
column, row = np.divmod(np.arange(height * width), height)  # You number the patches column by column. Patch p is at
# row p // width, column p % width.
down = row - row[0]; right = column - column[0]  # You return the rows of the first query only. Every query needs a row
# of its own.
down = row[:, None] - row; right = column[:, None] - column  # You computed query minus key, as Swin's own code does.
# Here the offset is key minus query.
down = abs(row - row[:, None]); right = abs(column - column[:, None]); return down * (2 * width - 1) + right
# Your offsets have lost their signs, so up and down share a row, and so do left and right. Keep the signs.
return (down + height - 1) * width + (right + width - 1)  # With the factor `width` you number the offsets j − i of a
# list. A line of the square has 2·width − 1 numbers.
return (down + height - 1) * height + (right + width - 1)  # You multiply by the height of the window. A line of the
# square holds all Δcolumn, 2·width − 1 numbers.
return (down + height - 1) * (height + width - 1) + (right + width - 1)  # This factor is right for square windows
# only. A line of the square holds all Δcolumn, 2·width − 1 numbers.
return (down + height - 1) * (2 * max(height, width) - 1) + (right + width - 1)  # This leaves gaps when the window is
# taller than wide. A line of the square holds all Δcolumn, 2·width − 1 numbers.
return (down + height - 1) * (width - 1) + (right + width - 1)  # Your factor is the largest Δcolumn, width − 1. It
# should be the number of different Δcolumn, 2·width − 1.
return (down + height) * (2 * width - 1) + (right + width)  # You add height and width. The smallest offsets, −(height
# − 1) and −(width − 1), should become 0, so add one less.
return (down + width - 1) * (2 * width - 1) + (right + height - 1)  # You exchanged height and width in the shifts.
# Δrow begins at −(height − 1), Δcolumn at −(width − 1).
return down * (2 * width - 1) + right  # You do not shift the offsets, so about half of your rows are negative. Add
# height − 1 to Δrow and width − 1 to Δcolumn.
return (down + height - 1) * (2 * width - 1) + right  # You shift only Δrow. Add width − 1 to Δcolumn as well.
return down * (2 * width - 1) + (right + width - 1)  # You shift only Δcolumn. Add height − 1 to Δrow before you
# multiply.
return (right + width - 1) * (2 * height - 1) + down + height - 1  # You number the table column by column. It is read
# row by row, so Δrow is the offset that is multiplied.
return height - 1 - down + (width - 1 - right) * (2 * height - 1)  # You number the table column by column, and your
# offsets are query minus key. Number it row by row, key minus query.
return down + height - 1 + (right + width - 1) * (2 * width - 1)  # You multiply Δcolumn and add Δrow. In reading
# order, a step of Δrow skips a whole line, so Δrow is multiplied.
return window_rows(height, width).astype(np.int8)  # Your numbers are kept in `int8`, which ends at 127. A window of 7
# × 7 already needs 169 rows, so use plain `int`.
return window_rows(height, width).reshape(height, width, height, width)  # The numbers are right, but in four axes.
# Join row and column: `.reshape(height * width, height * width)`.
return window_index(height)
return window_index(width)  # This is right for square windows only. `window_index` belongs to a window of as many rows
# as columns.
"""


HINTS = [
    "`row, column = np.divmod(np.arange(height * width), width)`, and `row - row[:, None]` is Δrow of all pairs.",
    "Δrow runs from −(height − 1) to height − 1. Add what makes the smallest 0. Do the same for Δcolumn.",
    "Arrange the rows of the table in a square, with one line for each Δrow. In reading order, each line before yours "
    "counts 2·width − 1 numbers.",
]


def wrong_program_2(height, width):
    """You take height · height queries and width · width keys. Both are the same patches, and p is at row p //
    width."""
    row, column = np.divmod(np.arange(width**2), width)
    down = row - (np.arange(height**2) // width)[:, None]
    right = column - (np.arange(height**2) % width)[:, None]
    return (down + height - 1) * (2 * width - 1) + (right + width - 1)


def wrong_program_3(height, width):
    """You take height · height queries and width · width keys. Both are the same patches, and p is at row p //
    width."""
    row, column = np.divmod(np.arange(width**2), width)
    down = row - (np.arange(height**2) // height)[:, None]
    right = column - (np.arange(height**2) % height)[:, None]
    return (down + height - 1) * (2 * width - 1) + (right + width - 1)


def wrong_program_12(height, width):
    """This is right for square windows only, because you use `height` for the columns as well. Use `width` for
    them."""
    row, column = np.divmod(np.arange(height * width), height)
    down = row - row[:, None]
    right = column - column[:, None]
    return (down + height - 1) * (2 * height - 1) + (right + height - 1)
