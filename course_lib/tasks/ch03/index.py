"""From an offset to a row of the table."""

import numpy as np

from ...example import Q
from ...reference.grid import offsets, row_offsets
from ...reference.shaw import clip_index, key_term
from ..engine import Answer, Axis, Case, Mistake, Property, Task
from .common import KEY, LAST_TWO, QUERY, TABLE, normal, sizes

OFFSETS = offsets(10)[7]  # of the query at position 7: −7 … 2


def _rows_by_hand():
    rows = clip_index(OFFSETS, 3)
    return {"rows": rows.tolist(), "changed": int((rows - 3 != OFFSETS).sum())}


table_rows = Answer(
    "table_rows",
    title="Which row of the table?",
    minutes=6,
    difficulty=1,
    words=r"""With a pencil. A table is clipped at $k = 3$, so it has seven rows, numbered from 0. A query stands at
position 7 and looks at the keys at positions 0 to 9. Which row of the table does each key use (ten numbers, in the order
of the keys), and for how many of the ten keys does clipping change the offset?""",
    expected=_rows_by_hand,
    axes={"rows": (Axis("key"),)},
    digits=0,
    mistakes=[
        Mistake(
            {"rows": clip_index(OFFSETS, 1).tolist()},
            "rows: this is a table of three rows, clipped at 1. Clipped at k = 3, a table has 2·3 + 1 = 7 rows, from 0 to 6.",
        ),
        Mistake(
            {"rows": clip_index(OFFSETS, 2).tolist()},
            "rows: this is a table clipped at 2, with five rows. Here it is clipped at 3, and has seven.",
        ),
        Mistake(
            {"rows": clip_index(np.arange(10) - 6, 3).tolist()},
            "rows: this is right for a query at position 6. Here it stands at position 7.",
        ),
        Mistake(
            {"rows": (np.minimum(abs(OFFSETS), 3) + 3).tolist()},
            "rows: before and after are the same for you, as for a distance. An offset keeps its sign: keys before the query go to rows below 3.",
        ),
        Mistake(
            {"changed": 0}, "changed: some keys stand more than 3 steps before the query. The first is 7 steps away."
        ),
        Mistake({"changed": 6}, "changed: that is how many keys keep their offset."),
        Mistake(
            {"rows": (clip_index(OFFSETS, 3) - 3).tolist()},
            "These are the clipped offsets, −3 to 3. Rows are counted from 0: one step is still missing.",
        ),
        Mistake(
            {"rows": OFFSETS.tolist()},
            "These are the offsets j − i, neither clipped nor turned into rows.",
        ),
        Mistake(
            {"rows": (OFFSETS + 3).tolist()},
            "The shift is there, the clipping is not: a table has no row −4. Clip the offset before you shift.",
        ),
        Mistake(
            {"rows": clip_index(-OFFSETS, 3).tolist()},
            "You took query minus key. The offset is key minus query, j − i: keys before the query are negative.",
        ),
        Mistake(
            {"rows": np.clip(OFFSETS + 3, -3, 3).tolist()},
            "You shifted first and clipped afterwards: no row is negative, and the keys after the query have rows of their own.",
        ),
        Mistake(
            {"rows": np.clip(OFFSETS + 3, 0, 3).tolist()},
            "The keys after the query share its row. They have rows of their own, up to row 6.",
        ),
        Mistake(
            {"rows": np.minimum(abs(OFFSETS), 3).tolist()},
            "These are clipped distances. The table tells before from after: it has 2·3 + 1 rows.",
        ),
        Mistake(
            {"rows": (clip_index(OFFSETS, 3) + 1).tolist()},
            "Each of these is one too many: the first row of the table is row 0.",
        ),
        Mistake(
            {"rows": clip_index(np.arange(10) - 5, 3).tolist()},
            "This is right for a query at position 5. Here it stands at position 7.",
        ),
        Mistake(
            {"changed": 5},
            "One too many. The offset −3 is still inside [−3, 3]: it is the last one that keeps its own value.",
        ),
        Mistake(
            {"changed": 7},
            "changed: seven is the number of keys before the query, and some of those keep their offset. "
            "How many of them are more than 3 steps away?",
        ),
        Mistake({"changed": 3}, "One too few. Write down the ten offsets, from −7 to 2: which are below −3?"),
    ],
    hints=[
        "First write the ten offsets: key minus query, from 0 − 7 to 9 − 7.",
        "Everything below −3 becomes −3. Then add 3, so that the rows begin at 0.",
    ],
)


def _relative_index(n_q, n_k, clip, past):
    """Row of the table for every query and key: (n_q, n_k). Query i is at past + i."""
    i = past + np.arange(n_q)[:, None]
    j = np.arange(n_k)
    return np.clip(j - i, -clip, clip) + clip


def _transposed_index(n_q, n_k, clip, past):
    return clip_index(offsets(n_q, n_k, past), clip).T


def _past_guessed(n_q, n_k, clip, past):
    return clip_index(np.arange(n_k) - (n_k - n_q + np.arange(n_q))[:, None], clip)


def _by_offset(n_q, n_k, clip, past):
    return clip_index(row_offsets(n_q, n_k, past), clip)


def _without_past_and_turned(n_q, n_k, clip, past):
    return clip_index(-offsets(n_q, n_k), clip)


relative_index = Task(
    title="The index matrix",
    minutes=8,
    difficulty=1,
    words=r"""Now for all pairs. Query $i$ stands at position `past + i`, key $j$ at position $j$; the offset is
$j - (\text{past} + i)$. Clip it to $[-k, k]$ and turn it into a row of the table, $0 \dots 2k$ (`clip` is $k$).

`relative_index(2, 4, 1, 1)` has two queries, at positions 1 and 2: it is `[[0, 1, 2, 2], [0, 0, 1, 2]]`.""",
    solution=_relative_index,
    expected=lambda n_q, n_k, clip, past: clip_index(offsets(n_q, n_k, past), clip),
    cases=[
        Case(5, 5, 2, 0, says="the five tokens", axes=(QUERY, KEY)),
        Case(2, 5, 2, 3, says="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
        Case(2, 4, 1, 1, says="the example above", axes=("query", "key")),
        Case(1, 10, 4, 5, says="one query at position 5", axes=("query", "key")),
        Case(6, 3, 2, 0, says="more queries than keys", axes=("query", "key")),
        Case(3, 3, 8, 0, says="a clip that nothing reaches", axes=("query", "key")),
        Case(3, 3, 0, 0, says="clip 0, one row for everything", axes=("query", "key")),
        Case(1, 1, 2, 0, says="one token alone", axes=("query", "key")),
    ],
    draw=sizes,
    properties=[
        Property(
            "rows that exist",
            lambda rows, n_q, n_k, clip, past: np.min(rows) >= 0 and np.max(rows) <= 2 * clip,
            "The table has 2·clip + 1 rows, numbered from 0. Yours asks for rows that it does not have.",
        ),
        Property(
            "constant along diagonals",
            lambda rows, *_: np.array_equal(np.asarray(rows)[..., 1:, 1:], np.asarray(rows)[..., :-1, :-1]),
            "Two pairs at the same offset get different rows: the row must depend on j − i alone.",
        ),
    ],
    mistakes=[
        Mistake(
            "j - i",
            "j - past + np.arange(n_q)[:, None]",
            "`j - past + i` adds i again. The position of the query is subtracted as a whole: brackets round `past + i`.",
        ),
        Mistake(
            "-clip, clip)",
            "clip, -clip)",
            "The two limits stand in the wrong order, so that every pair gets row 0: the lower one is −clip, the upper one clip.",
        ),
        Mistake("clip) + clip", "clip) + past", "You shift by `past`. What makes the rows begin at 0 is the clip."),
        Mistake(
            "np.clip(j - i, -clip, clip) + clip",
            "(j - i + clip) % (2 * clip + 1)",
            "With % far offsets start again at the other end of the table. They should stay in its first or last row.",
        ),
        Mistake(
            lambda n_q, n_k, clip, past: _relative_index(n_q, n_k, min(clip, n_k - 1), past),
            "You make the clip smaller where there are few keys. The table keeps its 2·clip + 1 rows, and offset 0 is row clip.",
        ),
        Mistake(
            _past_guessed,
            "You work `past` out as n_k − n_q. It is given, and need not be that: there may be keys after the last query.",
        ),
        Mistake(
            _by_offset,
            "This is one row per offset. Asked for is one for every pair, (n_q, n_k): start from a table of j − (past + i).",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip)",
            "max(-clip, min(clip, j - i))",
            "`min` and `max` compare two numbers. For all entries of an array at once there is `np.clip(x, low, high)`.",
        ),
        Mistake(
            "np.arange(n_q)",
            "np.arange(n_k)",
            "You make a row for every key. The rows are the queries, n_q of them.",
        ),
        Mistake(
            "-clip, clip)",
            "clip, clip)",
            "Every pair gets the last row: the lower limit of `np.clip` has lost its minus.",
        ),
        Mistake("j - i", "i - j", "You take query minus key. The offset is key minus query, j − i."),
        Mistake(
            "clip) + clip", "clip)", "These are clipped offsets. Rows are counted from 0: add clip after clipping."
        ),
        Mistake(
            "np.clip(j - i, -clip, clip) + clip",
            "np.clip(j - i + clip, -clip, clip)",
            "You shift first and clip to [−clip, clip] afterwards. Clip the offset, then shift it.",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip) + clip",
            "np.clip(j - i + clip, 0, clip)",
            "After the shift the largest row is 2·clip, not clip: everything ahead of the query has become one row.",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip)",
            "(j - i)",
            "Nothing is clipped: far keys ask for rows before the first or after the last.",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip)",
            "np.minimum(j - i, clip)",
            "Clipped on one side only: keys far before the query need `-clip` as a limit.",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip)",
            "np.maximum(j - i, -clip)",
            "Clipped on one side only: keys far after the query need `clip` as a limit.",
        ),
        Mistake("past + ", "", "`past` has no effect: the first query stands at position past, not at 0."),
        Mistake(
            "past + ",
            "-past + ",
            "`past` has the wrong sign, or it moves the keys: the queries are the ones that stand `past` positions further on.",
        ),
        Mistake(
            "np.clip(j - i, -clip, clip)",
            "np.clip(abs(j - i), 0, clip)",
            "You use the distance |j − i|. The table has different rows for before and after.",
        ),
        Mistake("clip) + clip", "clip) + clip + 1", "One row too far: offset −clip belongs to row 0."),
        Mistake("clip) + clip", "clip) + clip - 1", "One row too low: offset 0 belongs to row clip."),
        Mistake(
            "clip) + clip",
            "clip) + 2 * clip",
            "You shift by twice the clip. Offset −clip should land on row 0, so add clip once.",
        ),
        Mistake(
            "-clip, clip)",
            "-clip, clip - 1)",
            "The offset +clip has its own row, 2·clip: the upper limit of `np.clip` is included.",
        ),
        Mistake(
            "-clip, clip)",
            "-clip + 1, clip)",
            "The offset −clip has its own row, row 0: the lower limit of `np.clip` is included.",
        ),
        Mistake(
            "-clip, clip)",
            "0, clip)",
            "Everything before the query is treated like the query itself: the lower limit is −clip, not 0.",
        ),
        Mistake(
            "j - i",
            "j + i",
            "You add the two positions: that is constant along anti-diagonals. The offset is j − i.",
        ),
        Mistake("j - i", "j", "You clip the key's position. Its offset from the query is j − i."),
        Mistake(
            _transposed_index, "Rows and columns have changed places: row i belongs to query i, so it is (n_q, n_k)."
        ),
        Mistake(
            _without_past_and_turned,
            "Two slips: the offset is key minus query, and the queries begin at position `past`.",
        ),
    ],
    alternatives=[
        lambda n_q, n_k, clip, past: np.clip(np.arange(n_k) - (past + np.arange(n_q))[:, None] + clip, 0, 2 * clip),
        lambda n_q, n_k, clip, past: [
            [max(-clip, min(clip, j - past - i)) + clip for j in range(n_k)] for i in range(n_q)
        ],
    ],
    hints=[
        "Write it for one pair first: position of the key minus position of the query, clipped, plus clip.",
        "`np.arange(n_q)[:, None]` is a column of queries, `np.arange(n_k)` a row of keys; their difference is a table.",
        "`np.clip(x, -clip, clip)` clips a whole array. The `+ clip` comes after it.",
    ],
)


def _position_part(q, table):
    """Position part q_i · a[j - i] of the scores, not scaled.

    q (n, d), table (2k + 1, d); returns (n, n).
    """
    n, k = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    rows = np.clip(j - i, -k, k) + k
    return (q[:, None] * table[rows]).sum(axis=-1)


def _position_part_given(q, table):
    """Position part q_i · a[j - i] of the scores, not scaled.

    q (n, d), table (2k + 1, d); returns (n, n).
    """
    n, k = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    rows = np.clip(j - i + k, -k, k)
    return (q[:, None] * table[rows]).sum(axis=-1)


position_part = Task(
    title="Bug hunt: all that lies ahead looks like here",
    minutes=8,
    difficulty=2,
    words="""This function returns the position part of the scores. It runs without an error and the shape is right. But
every key after the query gets the vector of offset 0, and keys far back get vectors that belong to keys ahead. Find the
bug and mend it.

A one-column table shows which row was taken. With `q = np.ones((5, 1))` and `table = np.arange(-1, 2)[:, None]` the
result should be the clipped offset of each pair: the first row is 0, 1, 1, 1, 1.""",
    solution=_position_part,
    given=_position_part_given,
    expected=lambda q, table: key_term(q, table),
    cases=[
        Case(Q, TABLE, says="the five tokens", axes=(QUERY, KEY)),
        Case(
            np.ones((5, 1)),
            np.arange(-1.0, 2.0)[:, None],
            says="a table that holds the offsets −1, 0, 1",
            axes=(QUERY, KEY),
        ),
        Case(
            np.ones((7, 1)), np.arange(-2.0, 3.0)[:, None], says="seven tokens, offsets −2 … 2", axes=("query", "key")
        ),
        Case(np.ones((3, 1)), np.arange(-4.0, 5.0)[:, None], says="nothing to clip", axes=("query", "key")),
        Case(np.ones((3, 1)), np.full((1, 1), 2.0), says="clip 0, one vector for all", axes=("query", "key")),
        Case(Q[:1], TABLE, says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (
        normal(rng, int(rng.integers(5, 9)), d := int(rng.integers(1, 5))),
        normal(rng, 2 * int(rng.integers(1, 3)) + 1, d),
    ),
    mistakes=[
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i + k, -k, k) + k",
            "Now it is shifted twice, inside the clipping and after it. The one inside has to go.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i, -1, 1) + 1",
            "The clip is fixed at 1. It is k, which follows from the table.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(i - j + k, -k, k)",
            "You turned the difference round, and j − i was right. Look at the order of clipping and shifting.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i, -k, k) + k + 1",
            "You shift one row too far: offset 0 belongs to row k, the middle one.",
        ),
        Mistake(
            "sum(axis=-1)",
            "sum(axis=1)",
            "You sum over the keys. It is the numbers of a vector that are added up, the last axis.",
        ),
        Mistake(
            "q[:, None] * table[rows]",
            "table[rows]",
            "The query has no say any more: each vector is multiplied by it, number by number.",
        ),
        Mistake(
            "-k, k)",
            "k, k)",
            "Every pair gets the last row: the lower limit of `np.clip` is −k.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i, -k, k)",
            "Clipped, but not shifted: row −1 is the last row for NumPy. Offset −k should take row 0.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i + k, 0, k)",
            "No row is negative any more, but all keys ahead still share row k. How many rows has the table?",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i + k, -2 * k, 2 * k)",
            "The rows ahead are right now. Those far back are still negative, and NumPy counts them from the end.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i + k, 0, 2 * k - 1)",
            "The last row of the table is 2k, and no key reaches it: the upper limit is one too low.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "(j - i + k) % (2 * k + 1)",
            "With % far offsets start again at the other end of the table. They should stay in its first or last row.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(i - j, -k, k) + k",
            "Before and after have changed places: the offset is key minus query, j − i.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(abs(j - i), -k, k) + k",
            "With the distance |j − i| the keys before the query take the vectors of those after it.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "np.clip(j - i, -k, k) - k",
            "You shift down instead of up, and NumPy counts negative rows from the end. Offset −k should take row 0.",
        ),
        Mistake(
            "np.clip(j - i, -k, k) + k",
            "j - i + k",
            "Some rows run out of the table, whose last one is 2k. Is the offset clipped on both sides, and is the limit right?",
        ),
        Mistake(
            "len(table) // 2",
            "len(table)",
            "k is half of the table: it has 2k + 1 rows.",
        ),
        Mistake(
            "q[:, None] * table[rows]",
            "q * table[rows]",
            "`q * table[rows]` multiplies each vector with the query of its column. It is the query of its row: `q[:, None]`.",
        ),
        Mistake(
            "np.clip(j - i, -k, k)",
            "np.clip(j, -k, k)",
            "You clip the position of the key. Its offset from the query is j − i.",
        ),
        Mistake(
            "np.clip(j - i, -k, k)",
            "np.clip(j + i, -k, k)",
            "You add the two positions. The offset is their difference, j − i.",
        ),
    ],
    alternatives=[
        lambda q, table: key_term(q, table),
        lambda q, table: (
            q[:, None]
            * table[np.clip(np.arange(len(q)) - np.arange(len(q))[:, None] + len(table) // 2, 0, 2 * (len(table) // 2))]
        ).sum(-1),
    ],
    hints=[
        "Print `rows` for five tokens and k = 1. Which rows should stand there, and which do? (NumPy takes row −1 for the last one and says nothing.)",
        "After `+ k` an offset is no longer between −k and k. What should come first?",
    ],
)
