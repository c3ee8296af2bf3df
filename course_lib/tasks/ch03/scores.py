"""The scores: content and position, read by the query."""

import math

import numpy as np

from ...example import K, Q
from ...reference import oracle
from ...reference.attention import scores
from ...reference.shaw import clip_index, key_term
from ..engine import Axis, Case, Mistake, Task
from .common import KEY, LAST_TWO, QUERY, TABLE, normal, sizes


def _shaw_scores(q, k, table, past):
    """Scores q_i · (k_j + a[j - i]) / √d, query i at position past + i.

    q (n_q, d), k (n_k, d), table (2·clip + 1, d); returns (n_q, n_k).
    """
    clip = len(table) // 2
    i = past + np.arange(len(q))[:, None]
    rows = np.clip(np.arange(len(k)) - i, -clip, clip) + clip
    position = np.take_along_axis(q @ table.T, rows, axis=1)
    return (q @ k.T + position) / np.sqrt(q.shape[-1])


def _expected_scores(q, k, table, past):
    clip = len(table) // 2

    def vector(r):
        return table[max(-clip, min(clip, r)) + clip]

    return oracle.scores_through_query(q, k, vector, scale=1 / math.sqrt(q.shape[-1]), past=past)


def _keys_read_the_table(q, k, table, past):
    rows = clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)
    return scores(q, k) + np.take_along_axis(k @ table.T, rows.T, axis=1).T / np.sqrt(q.shape[-1])


def _clipped_after_the_shift(q, k, table, past):
    clip = len(table) // 2
    rows = np.clip(np.arange(len(k)) - past - np.arange(len(q))[:, None] + clip, -clip, clip)
    return (q @ k.T + (q[:, None] * table[rows]).sum(-1)) / np.sqrt(q.shape[-1])


def _looked_up_for_all(q, k, table, past):
    rows = clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)
    return (q @ k.T + (q @ table.T)[:, rows]) / np.sqrt(q.shape[-1])


def _summed_vectors(q, k, table, past):
    rows = clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)
    return (q @ k.T + table[rows].sum(-1)) / np.sqrt(q.shape[-1])


def _row_j_for_key_j(q, k, table, past):
    return q @ (k + table).T / np.sqrt(q.shape[-1])


def _three_axes_turned(q, k, table, past):
    rows = clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)
    return (q @ k.T + q @ table[rows].T) / np.sqrt(q.shape[-1])


def _masked(q, k, table, past):
    hidden = np.arange(len(k)) > past + np.arange(len(q))[:, None]
    return np.where(hidden, -np.inf, _expected_scores(q, k, table, past))


def _table_rows_for_keys(q, k, table, past):
    return (q @ k.T + q @ table.T) / np.sqrt(q.shape[-1])


def _vector_on_both_sides(q, k, table, past):
    vectors = table[clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)]
    return np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors) / np.sqrt(q.shape[-1])


def _key_times_vector(q, k, table, past):
    rows = clip_index(np.arange(len(k)) - past - np.arange(len(q))[:, None], len(table) // 2)
    return np.einsum("id,jd,ijd->ij", q, k, table[rows]) / np.sqrt(q.shape[-1])


shaw_scores = Task(
    title="Scores with a vector per offset",
    minutes=14,
    difficulty=2,
    words=r"""The whole score of Shaw's scheme, content and position, inside the scaling:

$$s_{ij} = \frac{q_i \cdot (k_j + a_{\mathrm{clip}(j - i)})}{\sqrt{d}}$$

The table has $2k + 1$ rows, so `len(table) // 2` is the clip. Query $i$ stands at position `past + i`, key $j$ at position
$j$. Loops are welcome. Without them: first every query with every vector of the table, then choose.

A table of zeros must give the plain scores, `Q @ K.T / 2` for the five tokens.""",
    solution=_shaw_scores,
    expected=_expected_scores,
    cases=[
        Case(Q, K, TABLE, 0, says="the five tokens", axes=(QUERY, KEY)),
        Case(Q[3:], K, TABLE, 3, says="the last two of the five, the first three are past", axes=(LAST_TWO, KEY)),
        Case(Q, np.zeros_like(K), TABLE, 0, says="keys of zeros: the position alone", axes=(QUERY, KEY)),
        Case(Q, K, np.zeros((3, 4)), 0, says="a table of zeros: the content alone", axes=(QUERY, KEY)),
        Case(Q[:2], K, TABLE[1:4], 0, says="two queries, clip 1", axes=(Axis("query"), KEY)),
        Case(Q[:, :3], K[:, :3], TABLE[2:3, :3], 0, says="clip 0, three numbers", axes=(QUERY, KEY)),
        Case(Q[:1], K[:1], TABLE, 0, says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (
        normal(rng, (s := sizes(rng))[0], d := int(rng.integers(2, 7))),
        normal(rng, s[1], d),
        normal(rng, 2 * s[2] + 1, d),
        s[3],
    ),
    mistakes=[
        Mistake(
            "(q @ k.T + position) / np.sqrt(q.shape[-1])",
            "q @ k.T + position / np.sqrt(q.shape[-1])",
            "Only the position is divided by √d: `/` comes before `+`. Put brackets round the sum.",
        ),
        Mistake(
            "q @ k.T + position",
            "q @ k.T + position / np.sqrt(q.shape[-1])",
            "The position is divided by √d twice: once alone, and once more with the sum.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "2",
            "√d is fixed at 2, which is right for four numbers only. d is the last axis of q.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "np.sqrt(len(table))",
            "You scale by the number of rows of the table. d is the last axis of q.",
        ),
        Mistake(
            "np.arange(len(k)) - i",
            "np.arange(len(k)) - past + np.arange(len(q))[:, None]",
            "`j - past + i` adds i again. The position of the query is subtracted as a whole: brackets round `past + i`.",
        ),
        Mistake(
            "np.arange(len(k))", "np.arange(len(q))", "You count the keys by the queries. There are len(k) of them."
        ),
        Mistake(_masked, "Keys after their query are masked here. No mask is asked for."),
        Mistake(
            _table_rows_for_keys,
            "The columns of `q @ table.T` are rows of the table, not keys. For each key choose the column of its offset.",
        ),
        Mistake(
            _vector_on_both_sides,
            "Query and key both carry the vector, so that it meets itself: a · a is in there. Add it to the key only.",
        ),
        Mistake(
            _key_times_vector, "Key and vector are multiplied. They are added, k + a, before the query meets them."
        ),
        Mistake(
            _three_axes_turned,
            "`table[rows]` has three axes, and `.T` turns all of them round. Multiply each vector with its query and sum over the last axis, or choose from `q @ table.T`.",
        ),
        Mistake(
            _row_j_for_key_j,
            "You add row j of the table to key j. Which row it is depends on j − i, so every pair has its own.",
        ),
        Mistake(
            "clip) + clip",
            "clip) - clip",
            "You shift down instead of up, and NumPy counts negative rows from the end. Offset −clip should take row 0.",
        ),
        Mistake(
            "-clip, clip)",
            "clip, clip)",
            "Every pair gets the last row of the table: the lower limit of `np.clip` is −clip.",
        ),
        Mistake(
            "len(table) // 2",
            "2",
            "The clip is fixed at 2. It follows from the table, which has 2·clip + 1 rows.",
        ),
        Mistake(
            "np.arange(len(k)) - i",
            "i",
            "You clip the position of the query. The offset is key minus query, j − i.",
        ),
        Mistake(
            "np.arange(len(k)) - i",
            "len(k) - i",
            "Every key of a query gets the same row: j runs over the positions of the keys, `np.arange(len(k))`.",
        ),
        Mistake("q @ table.T", "k @ table.T", "The keys meet the table. It is the query that reads it: `q @ table.T`."),
        Mistake("q @ k.T + position", "k @ k.T + position", "In the content part the keys meet the keys: `q @ k.T`."),
        Mistake(
            "q @ k.T + position", "q @ q.T + position", "In the content part the queries meet the queries: `q @ k.T`."
        ),
        Mistake(
            "axis=1)",
            "axis=0)",
            "You look up along the queries. For each query you choose among its products with the table, along axis 1.",
        ),
        Mistake(
            "(q @ k.T + position) / np.sqrt(q.shape[-1])",
            "q @ k.T / np.sqrt(q.shape[-1]) + position",
            "The position stands outside the scaling, √d times too strong. It is added to the key, so it is divided along with it.",
        ),
        Mistake(" / np.sqrt(q.shape[-1])", "", "The scores are not scaled: divide the sum by √d."),
        Mistake("np.sqrt(q.shape[-1])", "q.shape[-1]", "You divide by d. The scaling is by its square root."),
        Mistake("/ np.sqrt", "* np.sqrt", "You multiply by √d. The scores are divided by it."),
        Mistake(
            "np.sqrt(q.shape[-1])", "np.sqrt(len(q))", "You scale by the number of queries. d is the last axis of q."
        ),
        Mistake("np.sqrt(q.shape[-1])", "np.sqrt(len(k))", "You scale by the number of keys. d is the last axis of q."),
        Mistake("q @ k.T + position", "q @ k.T", "The position part is missing: this is plain attention."),
        Mistake("q @ k.T + position", "position", "The content part is missing: the query meets the key as well."),
        Mistake("q @ k.T + position", "q @ k.T - position", "The position part is subtracted. It is added."),
        Mistake("q @ k.T + position", "q @ k.T * position", "The two parts are multiplied. They are added."),
        Mistake(
            "np.arange(len(k)) - i",
            "i - np.arange(len(k))",
            "Before and after have changed places: the offset is key minus query, j − i.",
        ),
        Mistake("past + ", "", "`past` has no effect: query i stands at position past + i."),
        Mistake("past + ", "-past + ", "`past` has the wrong sign: query i stands at position past + i."),
        Mistake(
            "np.arange(len(k)) - i",
            "abs(np.arange(len(k)) - i)",
            "With the distance |j − i| the keys before the query take the vectors of those after it.",
        ),
        Mistake(
            "clip) + clip",
            "clip)",
            "The rows are not shifted: offset −clip should take row 0, and NumPy reads row −1 as the last one.",
        ),
        Mistake(
            _clipped_after_the_shift,
            "You shift first and clip afterwards: all keys ahead get the vector of offset 0. Clip, then shift.",
        ),
        Mistake(
            _keys_read_the_table,
            "Your position part is k_j · a: the key reads the table. In Shaw's scheme the query does, q_i · a.",
        ),
        Mistake(
            _summed_vectors,
            "You add up the numbers of each vector, the same for every query. The query multiplies them: q_i · a.",
        ),
        Mistake(
            _looked_up_for_all,
            "`[:, rows]` looks up every pair for every query, (n_q, n_q, n_k). Each query needs its own row only: `[np.arange(n_q)[:, None], rows]`.",
        ),
        Mistake(
            "len(table) // 2",
            "len(table)",
            "The clip is half of the table: it has 2·clip + 1 rows.",
        ),
        Mistake(
            "np.clip(np.arange(len(k)) - i, -clip, clip)",
            "(np.arange(len(k)) - i)",
            "Nothing is clipped: far keys ask for rows that the table does not have.",
        ),
        Mistake(
            "return (q @ k.T + position) / np.sqrt(q.shape[-1])",
            "s = (q @ k.T + position) / np.sqrt(q.shape[-1])\n    e = np.exp(s - s.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True)",
            "These are weights. The scores before the softmax are asked for.",
        ),
        Mistake(
            "np.arange(len(k)) - i",
            "np.arange(len(k)) + i",
            "You add the two positions. The offset is their difference, j − i.",
        ),
    ],
    alternatives=[
        lambda q, k, table, past: scores(q, k) + key_term(q, table, len(k), past=past) / math.sqrt(q.shape[-1]),
        _expected_scores,
    ],
    hints=[
        "For one pair: `r = j - (past + i)`, clipped; its vector is `table[r + clip]`; then `q[i] @ (k[j] + vector) / √d`.",
        "`q @ table.T` has one row per query and one column per row of the table.",
        "Of that, query i needs the columns `rows[i]`: `products[np.arange(n_q)[:, None], rows]`.",
    ],
)


def _key_scores(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    n, clip = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    vectors = table[np.clip(j - i, -clip, clip) + clip]
    return np.einsum("id,ijd->ij", q, k + vectors) / np.sqrt(q.shape[-1])


def _key_scores_given(q, k, table):
    """Scores q_i · (k_j + a[j - i]) / √d by one vector per pair.

    q and k (n, d), table (2·clip + 1, d); returns (n, n).
    """
    n, clip = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    vectors = table[np.clip(j - i, -clip, clip) + clip]
    return np.einsum("ijd,jd->ij", q[:, None] + vectors, k) / np.sqrt(q.shape[-1])


PAIRS = 'np.einsum("id,ijd->ij", q, k + vectors)'

key_scores = Task(
    title="Bug hunt: the wrong one reads the table",
    minutes=10,
    difficulty=2,
    words="""In the lesson the query decides what a distance means. This function also fetches one vector per pair, adds it
and multiplies; shape and scaling are right, and it even trains. But it has changed who decides. Two queries at the same
offset from equal keys now always get the same from the table. Find out why, and mend it.

Two ways to see it. With keys of zeros the position should still be there, but `key_scores(Q, 0 * K, np.eye(5, 4))` is 0.
With queries of zeros nothing should be left, and `key_scores(0 * Q, K, np.eye(5, 4))` is not 0.""",
    solution=_key_scores,
    given=_key_scores_given,
    expected=lambda q, k, table: scores(q, k) + key_term(q, table) / math.sqrt(q.shape[-1]),
    cases=[
        Case(Q, K, TABLE, says="the five tokens", axes=(QUERY, KEY)),
        Case(Q, np.zeros_like(K), TABLE, says="keys of zeros: the position alone", axes=(QUERY, KEY)),
        Case(np.zeros_like(Q), K, TABLE, says="queries of zeros: nothing is read", axes=(QUERY, KEY)),
        Case(Q[:, :3], K[:, :3], TABLE[1:4, :3], says="clip 1, three numbers", axes=(QUERY, KEY)),
        Case(Q[:1], K[:1], TABLE, says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (
        normal(rng, n := int(rng.integers(2, 8)), d := int(rng.integers(2, 7))),
        normal(rng, n, d),
        normal(rng, 2 * int(rng.integers(1, 4)) + 1, d),
    ),
    mistakes=[
        Mistake(
            PAIRS,
            'np.einsum("ijd,jd->ij", k[:, None] + vectors, q)',
            "Query and key have changed places as a whole: row i belongs to key i now. Only the vector should change sides.",
        ),
        Mistake(
            PAIRS,
            'np.einsum("ijd,id->ij", q[:, None] + vectors, k)',
            "Now query i meets key i: the key's letter is j. And the vector still stands with the query.",
        ),
        Mistake(
            PAIRS,
            'q @ k.T + np.einsum("id,ijd->ij", q, vectors)',
            "Only the position is divided by √d: `/` comes before `+`. Put brackets round the sum.",
        ),
        Mistake(
            PAIRS,
            '(q @ k.T + np.sqrt(q.shape[-1]) * np.einsum("id,ijd->ij", q, vectors))',
            "The position stands outside the scaling, √d times too strong. It is added to the key, so it is divided along with it.",
        ),
        Mistake(
            PAIRS,
            "(q @ k.T + vectors.sum(axis=-1))",
            "The query has no say in the position: each vector is multiplied by it, number by number, before the sum.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "np.sqrt(n)",
            "You divide by √n, from the number of tokens. d is the last axis of q.",
        ),
        Mistake(
            PAIRS,
            "(q @ (k + vectors).T)",
            "`k + vectors` has three axes, one vector per pair, and `.T` turns all of them round. `einsum` says with letters which ones meet.",
        ),
        Mistake(
            "-clip, clip) + clip]",
            "-clip, clip) - clip]",
            "You shift down instead of up, and NumPy counts negative rows from the end. Offset −clip should take row 0.",
        ),
        Mistake(
            "-clip, clip)",
            "clip, clip)",
            "Every pair gets the last row of the table: the lower limit of `np.clip` is −clip.",
        ),
        Mistake("j - i", "i", "You clip the position of the query. The offset is key minus query, j − i."),
        Mistake(
            PAIRS,
            'np.einsum("id,ijd->ij", k, k + vectors)',
            "The keys meet the keys now. The query is the one that reads: q · (k + a).",
        ),
        Mistake(
            PAIRS,
            'np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors)',
            "Now both carry the vector, and the vector meets itself: a · a is in there. Add it to the key only.",
        ),
        Mistake(
            PAIRS,
            'np.einsum("id,ijd->ij", q, k[:, None] + vectors)',
            "`k[:, None] + vectors` gives pair (i, j) the key of i. The key of j lies along the second axis as it is.",
        ),
        Mistake(PAIRS, "(q @ k.T)", "The vectors are gone: this is plain attention."),
        Mistake(
            PAIRS,
            'np.einsum("id,ijd->ij", q, vectors)',
            "The keys are gone: this is the position part alone. Add the vectors to the keys.",
        ),
        Mistake(
            PAIRS,
            'np.einsum("jd,ijd->ij", q, k + vectors)',
            "The query of j meets the pair (i, j). It is the query of i that reads: its letter in `einsum` is i.",
        ),
        Mistake(
            PAIRS,
            'np.einsum("id,ijd->ij", q, k * vectors)',
            "Key and vector are multiplied. They are added, k + a.",
        ),
        Mistake("k + vectors", "k - vectors", "The vector is subtracted from the key. It is added."),
        Mistake(
            "j - i",
            "i - j",
            "The query reads the table now, but before and after have changed places: the offset is j − i.",
        ),
        Mistake(
            PAIRS,
            '(np.einsum("id,ijd->ij", q, k + vectors) + np.einsum("jd,ijd->ij", k, vectors))',
            "The key reads the table as well: the term k_j · a is still in there. Only the query multiplies a.",
        ),
        Mistake(" / np.sqrt(q.shape[-1])", "", "The scaling has gone: everything, the position too, is divided by √d."),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "q.shape[-1]",
            "You divide by d. The scaling is by its square root.",
        ),
        Mistake("/ np.sqrt", "* np.sqrt", "You multiply by √d. The scores are divided by it."),
        Mistake(
            "-clip, clip) + clip",
            "-clip, clip)",
            "The shift by clip has gone: offset −clip should take row 0 of the table.",
        ),
        Mistake("j - i", "j", "You clip the position of the key. Its offset from the query is j − i."),
        Mistake("j - i", "j + i", "You add the two positions. The offset is their difference, j − i."),
    ],
    alternatives=[
        lambda q, k, table: scores(q, k) + key_term(q, table) / math.sqrt(q.shape[-1]),
        lambda q, k, table: [
            [
                sum(q[i] * (k[j] + table[int(clip_index(j - i, len(table) // 2))])) / math.sqrt(q.shape[-1])
                for j in range(len(k))
            ]
            for i in range(len(q))
        ],
    ],
    hints=[
        "Multiply out (q + a) · k. Which product does the table take part in, and which one should it be?",
        "The vector belongs to the key: q · (k + a). `k + vectors` has the shape (n, n, d), with key j along the second axis.",
        'In `einsum` the query then has the letters "id", and the sum of key and vector has "ijd".',
    ],
)
