"""A window with a pencil."""

from ...reference.window import offsets_2d, window_index
from ..engine import Answer, Mistake

_OFFSET, _ROW, _BACK = "offset of query 1, key 6", "row of query 1, key 6", "row of query 6, key 1"
_SELF, _SHARE, _ALL = "row of a patch with itself", "pairs that take row 17", "rows of a table for W = 7"


def _one_window():
    index = window_index(3)
    return {
        _OFFSET: offsets_2d(3)[1, 6].tolist(),
        _ROW: int(index[1, 6]),
        _BACK: int(index[6, 1]),
        _SELF: int(index[0, 0]),
        _SHARE: int((index == 17).sum()),
        _ALL: int(window_index(7).max()) + 1,
    }


one_window = Answer(
    "one_window",
    title="A window with a pencil",
    minutes=10,
    difficulty=1,
    words=r"""A window of 3 × 3 patches, numbered row by row from 0. Give the two offsets $[\Delta\text{row}, \Delta\text{column}]$
from query 1 to key 6; the row of the table that this pair takes, and the row of the pair turned round; the row that a
patch takes with itself; how many of the 81 pairs take row 17; and how many rows the table of a window of 7 × 7 has.
(Query 0 and key 1 have the offsets [0, 1] and take row 13.)""",
    expected=_one_window,
    digits=2,
    nearly=False,  # "twice the right number" would give it away
    mistakes=[
        Mistake({_OFFSET: [-2, 1]}, "Offset: that is query minus key. This course counts key minus query."),
        Mistake(
            {_OFFSET: [-1, 2]},
            "Offset: row and column have changed places. The row comes first.",
        ),
        Mistake(
            {_OFFSET: [1, 2]}, "Offset: you count the patches from 1. Patch 0 is the one in the upper left corner."
        ),
        Mistake({_OFFSET: [1, -2]}, "Offset: two things. Row first, then column; and key minus query in both."),
        Mistake(
            {_OFFSET: [2, 1]}, "Offset: key 6 stands in column 0, left of the query in column 1. Left is negative."
        ),
        Mistake(
            {_OFFSET: [2, 0]}, "Offset: those are row and column of key 6. Subtract the place of the query, (0, 1)."
        ),
        Mistake(
            {_OFFSET: [0, 5]}, "Offset: 6 − 1 is the offset in the list. Where do patches 1 and 6 stand in the window?"
        ),
        *(
            Mistake({_ROW: row}, f"Row of (1, 6): {says}")
            for row, says in {
                13: "the factor is 2W − 1 = 5, the width of the square of offsets. 3 is the width of the window.",
                27: "you add W = 3 to both. The smallest offset, −2, must become 0: add W − 1 = 2.",
                3: "that is the pair turned round. Key minus query is (+2, −1).",
                9: "that is (−1, +2): row and column have changed places. The row counts first.",
                5: "the two were only added. Each line of the square holds 5 numbers: multiply the line by 5.",
                25: "the factor is 2W − 1 = 5, not 2W.",
                23: "column −1 becomes −1 + 2 = 1, not 3.",
                20: "column −1 becomes −1 + 2 = 1, not 0.",
                22: "columns are counted from 0 here: −1 + 2 = 1 is the second, and its number is 1.",
            }.items()
        ),
        *(
            Mistake({_BACK: row}, f"Row of (6, 1): {says}")
            for row, says in {
                21: "turned round, both offsets change their sign: (−2, +1).",
                -21: "a row of the table is never negative. Compute it for (−2, +1).",
                4: "that would be offset (−2, +2). Turned round, (+2, −1) becomes (−2, +1).",
                1: "that is (−2, −1): the sign of the column has not turned.",
                23: "that is (+2, +1): the sign of the row has not turned.",
            }.items()
        ),
        *(
            Mistake({_SELF: row}, f"With itself: {says}")
            for row, says in {
                0: "row 0 is the far corner, offset (−2, −2). The offset here is (0, 0).",
                4: "4 is the middle of the window, and of the table for W = 2. Here the table has 25 rows.",
                18: "you add W = 3 in both places: add W − 1 = 2.",
                8: "the factor is 2W − 1 = 5, not 3.",
                13: "the middle of 0 … 24.",
                24: "row 24 is the other far corner, offset (+2, +2). The offset here is (0, 0).",
                25: "there are 25 rows, numbered from 0 to 24. The offset here is (0, 0).",
                2: "that is the column of the square. The lines before it count as well, 5 numbers each.",
                10: "those are the full lines of the square before it. The column still has to be added.",
                11: "the middle of 0 … 24: as many rows before it as after it.",
                6: "2·3 or 2 + 4: both offsets become 0 + 2 = 2, and each line of the square holds 5 numbers.",
                12.5: "a row is a whole number: (0 + 2)·5 + (0 + 2).",
            }.items()
        ),
        *(
            Mistake({_SHARE: count}, f"Pairs: {says}")
            for count, says in {
                1: "row 17 is offset (+1, 0), the patch right below. Many queries have one.",
                2: "row 17 is offset (+1, 0), the patch right below. Two rows of queries have one, and each row has three columns.",
                3: "row 17 is offset (+1, 0), the patch right below. Queries of row 0 have one, and those of row 1 as well.",
                4: "the column stays, so that all three columns count: W − |Δrow| = 2 and W − |Δcolumn| = 3. Multiply.",
                5: "W − |Δrow| = 2 and W − |Δcolumn| = 3. Multiply.",
                9: "a query in the last row has nothing below it.",
                12: "that counts the patch above as well: it is another row of the table.",
            }.items()
        ),
        *(
            Mistake({_ALL: rows}, f"Table: {says}")
            for rows, says in {
                49: "those are the patches. Each axis has 13 offsets, from −6 to 6.",
                13: "that is one axis. There is a row for each pair of offsets.",
                26: "each offset of one axis meets each of the other: multiply.",
                196: "from −6 to 6 there are 13 offsets, not 14.",
                225: "from −6 to 6 there are 13 offsets, not 15.",
                144: "from −6 to 6 there are 13 offsets: 0 counts.",
                2401: "that is a number for each pair of patches. Pairs with the same offsets share a row.",
                97: "2·49 − 1 is the table of a list of 49. Here each axis counts for itself.",
                168: "rows are numbered 0 to 168: how many is that?",
            }.items()
        ),
    ],
    hints=[
        "Patch p stands at row p // 3, column p % 3: patch 1 at (0, 1), patch 6 at (2, 0).",
        "The row is (Δrow + 2) · 5 + (Δcolumn + 2).",
        "Row 17: divide by 5, and the offsets are quotient − 2 and remainder − 2. From which patches is there a key at that offset?",
    ],
)
