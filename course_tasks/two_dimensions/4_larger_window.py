"""Prediction: the table of another window · 8 minutes · ★★

A model was trained with windows of 7 × 7 and should now run with windows of 12 × 12. Somebody copies the old table into
the first rows of the new one and says that "the rest will be learned". Predict before you run anything.

How many rows does the old table have, and how many the new one? Which row of the old table belongs to offset (0, 0), a
patch with itself? In the new table, the row with that same number belongs to another offset. Which one?

The lesson had three ways to fill the new table: "flat", "keep" and "stretch". Which one fits

- when the larger window shows more of the scene, with objects as many patches wide as before;
- when it shows the same scene, sampled more finely, so that each object is more patches wide;
- when Swin gets the same photographs with 384 pixels instead of 224, in patches of 4 × 4 pixels as before?
"""

from course_lib.reference.window import window_index

OLD, NEW = "rows for W = 7", "rows for W = 12"
MIDDLE, MEANS = "row of offset (0, 0) for W = 7", "offset [Δrow, Δcolumn] of that row for W = 12"
MORE, FINER, SWIN = "more of the scene", "the same scene, sampled more finely", "Swin from 224 to 384 pixels"


def offset_of(row, window):
    down, right = divmod(row, 2 * window - 1)
    return [down - (window - 1), right - (window - 1)]


SELF = int(window_index(7)[0, 0])
ANSWER = {
    OLD: int(window_index(7).max()) + 1,
    NEW: int(window_index(12).max()) + 1,
    MIDDLE: SELF,
    MEANS: offset_of(SELF, 12),
    MORE: "keep",
    FINER: "stretch",
    SWIN: "stretch",
}
DIGITS = 2
OTHERWISE = {
    OLD: "Each axis has the offsets −6 to 6. Every offset of one axis meets every offset of the other.",
    NEW: "Each axis has the offsets −11 to 11. Every offset of one axis meets every offset of the other.",
    MIDDLE: "The offset is (0, 0), the middle of 0 … 168. As many rows are before it as after it.",
    MEANS: "A line of the new square holds 23 numbers. Divide by 23, then subtract 11 from quotient and remainder.",
}
WRONG = {
    OLD: {
        49: "This is the number of patches in a window. The table has a row for each pair of offsets, (2·7 − 1)².",
        13: "This is the number of offsets along one axis. 13 offsets of rows meet 13 of columns.",
        2401: "This is one number for each pair of patches. Pairs with the same offsets share a row.",
        168: "The rows are numbered from 0 to 168. How many are there?",
    },
    NEW: {
        144: "This is the number of patches in a window. The table has a row for each pair of offsets, (2·12 − 1)².",
        23: "This is the number of offsets along one axis. 23 offsets of rows meet 23 of columns.",
        528: "The rows are numbered from 0 to 528. How many are there?",
        20736: "This is one number for each pair of patches. Pairs with the same offsets share a row.",
    },
    MIDDLE: {
        0: "Row 0 belongs to the far corner, offset (−6, −6).",
        24: "24 is the middle patch of the window. The table has 169 rows, and you want its middle row.",
        85: "The rows are numbered from 0. You want the middle of 0 … 168.",
        98: "You added W = 7 to both offsets. Add W − 1 = 6.",
        48: "You multiplied by W = 7. The factor is 2W − 1 = 13.",
        12: "You only added the two numbers. Each line of the square holds 13 numbers, so multiply the line by 13.",
        264: "This is the middle of the new table. The question is about the old one.",
    },
    MEANS: {
        (0, 0): "This is what the row meant in the old table. A line of the new square holds 23 numbers, not 13.",
        (3, 15): "These are its line and column in the square, counted from 0. Subtract W − 1 = 11 from both.",
        (-3, 9): "You subtracted 6, as for the old table. The offsets of the new table begin at −11.",
        (4, -8): "Δrow and Δcolumn are exchanged. Δrow comes first.",
        (-9, 3): "You subtracted 12. The smallest offset is −(W − 1) = −11.",
        (-5, -5): "You divided by 2·7 − 1 = 13. A line of the new square holds 23 numbers.",
        (6, 6): "You divided by 13 and did not subtract W − 1. Divide by 23, the numbers of a line, then subtract 11.",
    },
    (MORE, FINER): {
        ("stretch", "keep"): "The two are exchanged. With more of the scene, *one patch up* still means the same.",
    },
    MORE: {
        "stretch": "Objects are as many patches wide as before, so *one patch up* still means the same. A stretched "
        "table would look for it nearly two patches up.",
        "flat": "Copied row by row, the numbers end up at other offsets. You have just computed which.",
    },
    FINER: {
        "keep": "With finer sampling, what was one patch up is now nearly two patches up. This filling would leave the "
        "old number of (−1, 0) at (−1, 0).",
        "flat": "Copied row by row, the numbers end up at other offsets, however finely the scene is sampled.",
    },
    SWIN: {
        "keep": "The image is larger and its patches have as many pixels as before, but it shows the same photograph. "
        "How much of the photograph does a window of 7 × 7 cover, and how much one of 12 × 12?",
        "flat": "Copied row by row, the numbers end up at other offsets. That is so for every image.",
    },
}
HINTS = [
    "The table has (2W − 1)² rows, and (0 + W − 1)(2W − 1) + (0 + W − 1) is the middle one.",
    "Go backwards: `divmod(row, 23)` gives line and column in the square, counted from 0. Subtract W − 1 from both.",
    "Does *one patch up* mean the same step in the scene as before? If so, its number should stay where it is. (With "
    "224 pixels there are 56 / 7 windows side by side. How many are there with 384?)",
]
