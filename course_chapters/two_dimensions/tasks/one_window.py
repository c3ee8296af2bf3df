r"""A window with a pencil · 10 minutes · ★ · first

Take a window of 3 × 3 patches, numbered row by row from 0. Work out by hand

- the two offsets $[\Delta\text{row}, \Delta\text{column}]$ from query 1 to key 6;
- the row of the table that this pair takes, and the row of the opposite pair, from query 6 to key 1;
- the row that a patch takes with itself;
- how many of the 81 pairs take row 17;
- how many rows the table of a window of 7 × 7 has.

An example to compare with: query 0 and key 1 have the offsets [0, 1] and take row 13.
"""

from course_lib.reference.window import offsets_2d, window_index

OFFSET, ROW, BACK = "offset of query 1, key 6", "row of query 1, key 6", "row of query 6, key 1"
SELF, SHARE, ALL = "row of a patch with itself", "pairs that take row 17", "rows of a table for W = 7"
INDEX = window_index(3)
ANSWER = {
    OFFSET: offsets_2d(3)[1, 6].tolist(),
    ROW: int(INDEX[1, 6]),
    BACK: int(INDEX[6, 1]),
    SELF: int(INDEX[0, 0]),
    SHARE: int((INDEX == 17).sum()),
    ALL: int(window_index(7).max()) + 1,
}
DIGITS = 2
OTHERWISE = {
    OFFSET: "Patch p is in row p // 3 and column p % 3. Subtract the place of the query from that of the key.",
    ROW: "Add W − 1 = 2 to both offsets. The first of them counts full lines, of 5 numbers each.",
    BACK: "Both offsets of the first pair change their sign. Then compute the row in the same way.",
    SELF: "The offset is (0, 0), the middle of the table. As many rows are before it as after it.",
    SHARE: "Row 17 is offset (+1, 0). Multiply W − |Δrow| by W − |Δcolumn|.",
    ALL: "Each axis has the offsets −6 to 6. Every offset of one axis meets every offset of the other.",
}
WRONG = {
    OFFSET: {
        (-2, 1): "This is query minus key. The course computes key minus query.",
        (-1, 2): "Row and column are exchanged. The offset of the row comes first.",
        (1, 2): "You get this if patches are numbered from 1. Patch 0 is the one in the upper left corner.",
        (2, 1): "Key 6 is in column 0, to the left of the query in column 1. An offset to the left is negative.",
        (2, 0): "These are the row and the column of key 6. Subtract the place of the query, (0, 1).",
        (0, 5): "6 − 1 is the offset in the list of patches. Where in the window are patches 1 and 6?",
    },
    ROW: {
        13: "13 is 4 · 3 + 1. The factor is not the width of the window but 2W − 1 = 5, the numbers in each line.",
        27: "You added W = 3 to both offsets. The smallest offset, −2, should become 0, so add W − 1 = 2.",
        3: "This is the row of the opposite pair. Key minus query is (+2, −1) here.",
        9: "This is the row of (−1, +2). Row and column are exchanged: the offset of the row comes first.",
        5: "5 is only 4 + 1, line plus place. Each line of the square holds 5 numbers, so multiply the line by 5.",
    },
    BACK: {
        21: "This is the row of the first pair. For the opposite pair both offsets change their sign: (−2, +1).",
        -21: "A row of the table is never negative. The offsets change their sign; compute the row of (−2, +1).",
    },
    SELF: {
        0: "Row 0 belongs to the far corner, offset (−2, −2). The offset here is (0, 0).",
        4: "4 is the middle of the window, and of the table for W = 2. The table for W = 3 has 25 rows.",
        18: "You added W = 3 to both offsets. Add W − 1 = 2.",
        8: "8 is 2 · 3 + 2. The factor is 2W − 1 = 5.",
        13: "The table has 25 rows, numbered from 0. You want the middle of 0 … 24.",
        2: "This is the column in the square. The lines before it count as well, with 5 numbers each.",
    },
    SHARE: {
        1: "Row 17 is offset (+1, 0), the patch right below. Many queries have one.",
        2: "Row 17 is offset (+1, 0), the patch right below. Two rows of queries have one, in three columns each.",
        3: "Row 17 is offset (+1, 0), the patch right below. The queries of row 0 have one, and so do those of row 1.",
        5: "5 is 2 + 3. Multiply W − |Δrow| = 2 by W − |Δcolumn| = 3.",
        9: "Not every query has such a key: below the last row there is nothing.",
        12: "Row 17 is only offset (+1, 0), the patch right below. Patches above or beside take other rows.",
    },
    ALL: {
        49: "This is the number of patches. Each axis has 13 offsets, from −6 to 6.",
        13: "This is the number of offsets along one axis. The table has a row for each pair of offsets.",
        26: "You added the offsets of the two axes. Each row offset meets each column offset, so multiply.",
        144: "You left out an offset. From −6 to 6 there are 13, because 0 counts as well.",
        2401: "This is the number of pairs of patches. Pairs with the same offsets share a row.",
        97: "2·49 − 1 is the table of a list of 49. Here each axis has offsets of its own.",
        168: "The rows are numbered from 0 to 168. How many are there?",
    },
}
HINTS = [
    "Patch p is in row p // 3 and column p % 3: patch 1 at (0, 1), patch 6 at (2, 0).",
    "The row is (Δrow + 2) · 5 + (Δcolumn + 2).",
    "Divide 17 by 5. The offsets are the quotient − 2 and the remainder − 2. Which patches have a key at that offset?",
]
