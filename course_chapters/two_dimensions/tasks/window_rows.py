r"""The index of any window · 12 minutes · ★★ · first

Windows need not be square, and code that was only ever tried on square windows may be wrong for all others. Derive the
index for a window with `height` rows and `width` columns of patches, which are numbered row by row. To do so, number
the pairs of offsets $(\Delta\text{row}, \Delta\text{column})$ in reading order, from 0. How many different
$\Delta\text{column}$ are there now?

`window_rows(1, 2)` is `[[1, 2], [0, 1]]`, and `window_rows(3, 3)` is the lesson's table. Loops are fine.
"""

from itertools import product

import numpy as np

from course_kit.checking import Axis, Case, holds
from course_lib.reference.window import window_index  # noqa: F401 (a wrong line uses it)


def window_rows(height, width):
    """The table row of every query and key patch of a window of height x width.

    Shape (height * width, height * width); offsets are key - query.
    """
    row, column = np.divmod(np.arange(height * width), width)  # Patch p is at row p // width, column p % width.
    down = row - row[:, None]  # Δrow is the row of the key minus the row of the query.
    right = column - column[:, None]  # Δcolumn is the column of the key minus the column of the query.
    line = down + height - 1  # The smallest Δrow is −(height − 1), and it becomes line 0.
    place = right + width - 1  # The smallest Δcolumn is −(width − 1), and it becomes place 0.
    return line * (2 * width - 1) + place  # A line holds one number for each Δcolumn, 2 · width − 1 of them.


def expected(height, width):
    """No formula: all pairs of offsets in reading order, numbered from 0."""
    number = {pair: k for k, pair in enumerate(product(range(1 - height, height), range(1 - width, width)))}
    places = list(product(range(height), range(width)))
    return np.array([[number[key[0] - q[0], key[1] - q[1]] for key in places] for q in places])


def draw(rng):
    return int(rng.integers(1, 6)), int(rng.integers(1, 6))


def case(label, height, width):
    names = [f"({row}, {column})" for row in range(height) for column in range(width)]
    return Case(height, width, label=label, axes=(Axis("query", names), Axis("key", names)))


INDEX = True
CASES = [
    case("the 2 × 2 window", 2, 2),
    case("the 3 × 3 window", 3, 3),
    case("two rows, three columns", 2, 3),
    case("three rows, two columns", 3, 2),
    case("one row: a sentence", 1, 5),
    case("one patch alone", 1, 1),
    case("a large window: 289 rows", 9, 9),
    case("16 × 17 patches", 16, 17),
]
ALWAYS = [
    holds(
        "Some of your numbers are not whole. Do you divide with `/`? Use `//` or `divmod`.",
        lambda rows, *_: np.array_equal(rows, np.floor(rows)),
    ),
]
WRONG = """
column, row = np.divmod(np.arange(height * width), width)  # You exchanged row and column. The row is p // width.
column, row = np.divmod(np.arange(height * width), height)  # You number the patches column by column, not row by row.
row, column = np.divmod(np.arange(height * width), height)  # Patches are numbered row by row: divide p by the width.
row, column = np.divmod(np.arange(height * width), height); return line * (2 * height - 1) + right + height - 1
# Right for square windows only: you use the height for the columns as well. They have `width`.
down = row - row[0]; right = column - column[0]  # You return the rows of the first query only. Every query has its own.
down = row[:, None] - row; right = column[:, None] - column; return line * (2 * height - 1) + place  # These are rows
# for query minus key (or with keys on the first axis), and for lines of 2·height − 1 numbers. It holds 2·width − 1.
down = abs(row - row[:, None]); right = abs(column - column[:, None]); return down * (2 * width - 1) + right
down = abs(row - row[:, None]); right = abs(column - column[:, None])
# Your offsets have lost their signs, so up and down share a row, and so do left and right.
down = row[:, None] - row  # Your Δrow is query minus key. Here an offset is key minus query.
right = column[:, None] - column  # Your Δcolumn is query minus key. Here an offset is key minus query.
line = down + height  # Your lines count from 1. The smallest Δrow, −(height − 1), should become 0.
line = down + height; place = right + width  # Your lines and places count from 1. Add one less to each.
line = down + width - 1; place = right + height - 1  # You exchanged height and width where you shift the offsets.
line = down; place = right  # Your offsets are not shifted, so half of your rows are negative. The smallest become 0.
return line * width + place  # Your numbers grow by the width of the window from line to line. A line holds 2·width − 1.
return line * 2 * width - 1 + place  # You multiply by 2·width, then subtract 1. The factor is (2·width − 1).
return line * width**2 + place
return line * height * width + place  # Your numbers have gaps. A line holds 2·width − 1 numbers, one per Δcolumn.
return line * height + place  # You multiply by the height of the window. A line holds 2·width − 1 numbers.
return line * (height + width - 1) + place  # Your factor is that of a square window. A line holds all Δcolumn.
return line * (2 * max(height, width) - 1) + place  # Your numbers have gaps if the window is taller than wide.
return place * (2 * height - 1) + line  # You number the table column by column. In reading order Δrow is multiplied.
return (place * (2 * height - 1) + line).T  # You number the table column by column, and exchange queries and keys.
return line + place * (2 * width - 1)  # You multiply Δcolumn and add Δrow. In reading order Δrow is multiplied.
return (line * (2 * width - 1) + place).astype(np.int8)  # `int8` ends at 127. A window of 7 × 7 already needs 169 rows.
return (line * (2 * width - 1) + place).reshape(height, width, height, width)  # Right, but in four axes. Join row and
# column: `.reshape(height * width, height * width)`.
return window_index(height)
return window_index(width)  # This is the index of a square window. Yours has `height` rows and `width` columns.
"""
HINTS = [
    "`row, column = np.divmod(np.arange(height * width), width)`, and `row - row[:, None]` is Δrow of all pairs.",
    "Δrow runs from −(height − 1) to height − 1. Add what makes the smallest 0. Do the same for Δcolumn.",
    "Arrange the rows of the table in a square, with one line for each Δrow. In reading order, each line before yours "
    "counts 2·width − 1 numbers.",
]


def wrong_patches_of_two_windows(height, width):
    """You take height · height queries and width · width keys. Both are the same height · width patches."""
    row, column = np.divmod(np.arange(width**2), width)
    down, right = (k - q[:, None] for k, q in zip((row, column), np.divmod(np.arange(height**2), width)))
    return (down + height - 1) * (2 * width - 1) + (right + width - 1)


def wrong_rows_by_height(height, width):
    """These are the rows of a window with `width` rows and `height` columns. Here it has `height` rows."""
    row, column = np.divmod(np.arange(height * width), height)
    down, right = row - row[:, None], column - column[:, None]
    return (down - down.min()) * (right.max() - right.min() + 1) + right - right.min()
