"""A table for a larger window."""

from ...reference.window import window_index
from ..engine import Answer, Mistake

_OLD, _NEW, _MIDDLE = "rows for W = 7", "rows for W = 12", "row of offset (0, 0) for W = 7"
_MEANS = "offset [Δrow, Δcolumn] of that row for W = 12"
_MORE, _FINER = "the image is larger, patches as before", "the same image, patches half as wide"
_COPY = "flat"


def _offset_of(row, window):
    down, right = divmod(row, 2 * window - 1)
    return [down - (window - 1), right - (window - 1)]


def _larger_window():
    return {
        _OLD: int(window_index(7).max()) + 1,
        _NEW: int(window_index(12).max()) + 1,
        _MIDDLE: int(window_index(7)[0, 0]),
        _MEANS: _offset_of(84, 12),
        _MORE: "keep",
        _FINER: "stretch",
    }


larger_window = Answer(
    "larger_window",
    title="Prediction: the table of another window",
    minutes=8,
    difficulty=2,
    words="""A model trained with windows of 7 × 7 is to run with 12 × 12. Somebody copies the old table into the first rows of the
new one, "the rest will be learned". Commit to your answers before you run anything.

How many rows has the old table, and how many the new one? Which row of the old table is offset (0, 0), a patch with
itself? In the new table that same row number belongs to another offset: which one? And which filling, of the lesson's "flat",
"keep" and "stretch", fits when the image is larger and its patches are as before, and which when the same image is cut
into patches half as wide?""",
    expected=_larger_window,
    digits=2,
    nearly=False,  # "twice the right number" would give it away
    mistakes=[
        *(
            Mistake({_OLD: rows}, f"Old table: {says}")
            for rows, says in {
                49: "those are the patches of a window. The table has a row for each pair of offsets, (2·7 − 1)².",
                13: "that is one axis: 13 offsets of rows meet 13 of columns.",
                196: "from −6 to 6 there are 13 offsets, not 14.",
                225: "from −6 to 6 there are 13 offsets, not 15.",
                2401: "that is a number for each pair of patches.",
                36: "6 is the largest offset of an axis. From −6 to 6 there are 13.",
                170: "rows are numbered from 0 to 168.",
                168: "rows are numbered from 0 to 168.",
            }.items()
        ),
        *(
            Mistake({_NEW: rows}, f"New table: {says}")
            for rows, says in {
                144: "those are the patches of a window. The table has a row for each pair of offsets, (2·12 − 1)².",
                23: "that is one axis: 23 offsets of rows meet 23 of columns.",
                576: "from −11 to 11 there are 23 offsets, not 24.",
                625: "from −11 to 11 there are 23 offsets, not 25.",
                528: "rows are numbered from 0 to 528.",
                121: "11 is the largest offset of an axis. From −11 to 11 there are 23.",
                20736: "that is a number for each pair of patches.",
            }.items()
        ),
        *(
            Mistake({_MIDDLE: row}, f"Offset (0, 0): {says}")
            for row, says in {
                0: "row 0 is the far corner, offset (−6, −6).",
                24: "24 is the middle patch of the window. The table has 169 rows, and its middle is wanted.",
                85: "rows are numbered from 0: the middle of 0 … 168.",
                98: "you add W = 7 to both. Add W − 1 = 6.",
                48: "the factor is 2W − 1 = 13, not W.",
                90: "the factor is 2W − 1 = 13, not 2W.",
                36: "you multiply 6 by 6. A line of the square holds 13 numbers: multiply by 13, and add the column.",
                42: "you multiply by W − 1 = 6. A line of the square holds 2W − 1 = 13 numbers.",
                78: "those are the full lines of the square before it, 6 · 13. The column still has to be added.",
                12: "the two were only added. Each line of the square holds 13 numbers: multiply the line.",
                83: "as many rows must lie before it as after it: count both sides in 0 … 168.",
                168: "row 168 is the other far corner, offset (+6, +6).",
                169: "there are 169 rows, numbered from 0. The middle is wanted.",
                84.5: "a row is a whole number: the middle of 0 … 168.",
                264: "that is the middle of the new table.",
            }.items()
        ),
        *(
            Mistake({_MEANS: list(offset)}, f"That row for W = 12: {says}")
            for offset, says in {
                (0, 0): "that is what it meant in the old table. A line of the new square holds 23 numbers, not 13.",
                (8, -4): "the signs are the wrong way round: the row lies in the upper half of the table, where Δrow is negative.",
                (3, 15): "those are its line and column in the square, counted from 0. Subtract W − 1 = 11.",
                (-3, 9): "you subtract 6. The new table begins at −11.",
                (4, -8): "Δrow and Δcolumn have changed places. Δrow comes first.",
                (-4, 8): "two things: Δrow comes first, and both signs are turned round.",
                (-9, 3): "you subtract 12. The smallest offset is −(W − 1) = −11.",
                (-5, -5): "that divides by 2·7 − 1 = 13. A line of the new square holds 23 numbers.",
                (6, 6): "that divides by 13, and W − 1 is not subtracted. A line of the new square holds 23 numbers; then subtract 11.",
                (7, 0): "that divides by 12, and W − 1 is not subtracted. A line of the new square holds 23 numbers; then subtract 11.",
                (-8, 1): "that divides by 2W = 24. From −11 to 11 there are 23 offsets: divide by 23.",
                (3, 12): "that divides by 2W = 24, and W − 1 is not subtracted. Divide by 23, then subtract 11.",
                (-8, 5): "the column is one too far right: columns are counted from 0, and the first is −11.",
                (-7, 4): "the row is one too far down: rows are counted from 0, and the first is −11.",
                (-7, 5): "one too far in both: rows and columns are counted from 0, and the first is −11.",
                (-4, -11): "that divides by 12. A line of the new square holds 23 numbers.",
            }.items()
        ),
        Mistake({_MORE: "stretch", _FINER: "keep"}, "The two have changed places. With larger images *one up* is still one up; with finer patches it is two."),
        Mistake({_MORE: "stretch"}, "A larger image with the same patches: *one patch up* means what it meant. A stretched table would look for it at two."),
        Mistake({_MORE: _COPY}, "Copied row by row, the numbers land on other offsets: you have just computed which."),
        Mistake({_FINER: "keep"}, "With patches half as wide, what was one patch up is now two. The old number of (−1, 0) would stay at (−1, 0)."),
        Mistake({_FINER: _COPY}, "Copied row by row, the numbers land on other offsets, whatever the patches are."),
    ],
    hints=[
        "(2W − 1)² rows, and (0 + W − 1)(2W − 1) + (0 + W − 1) is the middle one.",
        "The other way round: `divmod(row, 23)` gives the line and the column in the square, counted from 0. Then subtract W − 1 from both.",
        "Does *one patch up* mean the same piece of the picture as before? If so, its number should stay.",
    ],
)  # fmt: skip
