"""Which row of the table?"""

from course_lib.checking import Axis, Prediction
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

OFFSETS = offsets(10)[7]  # of the query at position 7, −7 … 2
CLIP = 3


def _rows_by_hand():
    rows = clip_index(OFFSETS, CLIP)
    return {"rows": rows.tolist(), "changed": int((rows - CLIP != OFFSETS).sum())}


table_rows = Prediction(
    "table_rows",
    title="Which row of the table?",
    minutes=6,
    difficulty=1,
    words=r"""Do this one by hand. A table is clipped at $k = 3$, so it has seven rows, numbered from 0. A query at
position 7 looks at the keys at positions 0 to 9. Which row of the table does each key use? Give ten numbers, in the
order of the keys. And for how many of the ten keys does clipping change the offset?""",
    expected=_rows_by_hand,
    axes={"rows": (Axis("key"),)},
    digits=0,
    slips={
        "rows": {
            (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2): (
                "These are the offsets j − i. They still have to be clipped and turned into rows."
            ),
            (-3, -3, -3, -3, -3, -2, -1, 0, 1, 2): (
                "These are the clipped offsets, −3 to 3. Rows are counted from 0, so one step is still missing."
            ),
            (-4, -3, -2, -1, 0, 1, 2, 3, 4, 5): (
                "You shifted the offsets without clipping them. A table has no row −4, so clip the offset first."
            ),
            (3, 4, 5, 6, 0, 1, 2, 3, 4, 5): (
                "You did not clip, and counted negative rows from the end of the table, as Python does. All keys more "
                "than 3 steps before the query share row 0."
            ),
            (4, 4, 4, 4, 4, 5, 6, 0, 1, 2): (
                "You took the clipped offsets as rows, and counted the negative ones from the end of the table, as "
                "Python does. Row 0 belongs to offset −3, so add 3."
            ),
            (-3, -3, -2, -1, 0, 1, 2, 3, 3, 3): (
                "You shifted first and clipped afterwards. No row is negative, and the keys after the query have rows "
                "of their own."
            ),
            (0, 0, 0, 0, 0, 1, 2, 3, 3, 3): (
                "The keys after the query share its row in your answer. They have rows of their own, up to row 6."
            ),
            (6, 6, 6, 6, 6, 5, 4, 3, 2, 1): (
                "You computed query minus key. The offset is key minus query, j − i, so keys before the query have "
                "negative offsets."
            ),
            (6, 6, 6, 6, 6, 5, 4, 3, 4, 5): (
                "You used the distance, which is the same before and after the query. An offset keeps its sign, and "
                "keys before the query use rows below 3."
            ),
            (3, 3, 3, 3, 3, 2, 1, 0, 1, 2): (
                "These are clipped distances. The table has 2·3 + 1 rows because it tells before from after."
            ),
            (1, 1, 1, 1, 1, 2, 3, 4, 5, 6): (
                "Each of these is 1 too large, because the first row of the table is row 0."
            ),
            (0, 0, 0, 0, 1, 2, 3, 4, 5, 6): (
                "This is right for a query at position 6. Here the query is at position 7."
            ),
            (0, 0, 0, 1, 2, 3, 4, 5, 6, 6): (
                "This is right for a query at position 5. Here the query is at position 7."
            ),
            (0, 0, 0, 0, 0, 0, 0, 1, 2, 2): (
                "These are the rows of a table clipped at 1, which has three of them. Clipped at k = 3, a table has "
                "2·3 + 1 = 7 rows, from 0 to 6."
            ),
            (0, 0, 0, 0, 0, 0, 1, 2, 3, 4): (
                "These are the rows of a table clipped at 2, which has five of them. Here the table is clipped at 3 "
                "and has seven."
            ),
        },
        "changed": {
            0: "Some keys are more than 3 steps before the query. The first is 7 steps away.",
            3: "You counted one too few. Write down the ten offsets, from −7 to 2. Which of them are below −3?",
            5: "You counted one too many. The offset −3 is still inside [−3, 3], so it keeps its value.",
            6: "This is how many keys keep their offset.",
            7: (
                "Seven is the number of keys before the query, and some of those keep their offset. How many of them "
                "are more than 3 steps away?"
            ),
        },
    },
    hints=[
        "First write down the ten offsets, key minus query, from 0 − 7 to 9 − 7.",
        "Every offset below −3 becomes −3. Then add 3, so that the rows begin at 0.",
    ],
)
