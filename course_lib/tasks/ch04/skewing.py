"""Huang's skew: a cell by hand, the causal trick, and the general case with a cache and a long table."""

import numpy as np

from ...example import Q
from ...reference import skew as reference
from ...reference.grid import to_grid
from ..engine import Answer, Axis, Case, Mistake, Property, Task
from .common import KEY, QUERY, labels, normal

SENTENCE = ("A", "bird", "sang", "in", "our", "tree")


def _told(i, j):
    """Whose product cell (i, j) of the causal skew of six tokens holds, and its offset."""
    n = len(SENTENCE)
    query, column = reference.skew_source(n, n)[i, j]
    return SENTENCE[query], int(column) - (n - 1)


def _junk(n):
    source = reference.skew_source(n, n)
    i, j = np.indices((n, n))
    return int(((source[..., 0] != i) | (source[..., 1] != j - i + n - 1)).sum())


skewed_cell = Answer(
    "skewed_cell",
    title="Whose number is this?",
    minutes=10,
    difficulty=2,
    words="""Six queries, "A bird sang in our tree", with six products each: offsets −5 … 0. Pad a column in front, cut the flat
memory every 6, drop the first row. With pencil and paper: which token's query, and which offset, stands in the cell of query
*tree* and key *bird*? And in the cell of query *bird* and key *tree*? How many of the 36 cells are junk, that is, hold the
padding or another query's product? And how many would it be for 100 tokens? (Words: one of "A", "bird", "sang", "in", "our",
"tree".)""",
    expected=lambda: {
        "tree → bird, query": _told(5, 1)[0],
        "tree → bird, offset": _told(5, 1)[1],
        "bird → tree, query": _told(1, 5)[0],
        "bird → tree, offset": _told(1, 5)[1],
        "junk of 6": _junk(6),
        "junk of 100": _junk(100),
    },
    mistakes=[
        Mistake(
            {"tree → bird, offset": 4},
            "The sign of the first: *bird* comes before *tree*, so the offset j − i is negative.",
        ),
        Mistake(
            {"tree → bird, query": "bird"},
            "The first cell lies below the diagonal, where the skew is right: its row belongs to its own query.",
        ),
        Mistake(
            {"tree → bird, offset": -5},
            "−5 is the first column of a row. *bird* stands four places before *tree*, not five.",
        ),
        Mistake(
            {"tree → bird, offset": 1},
            "1 is the column in which it stands. Columns begin at offset −5: which offset does this one have?",
        ),
        Mistake(
            {"bird → tree, query": "bird", "bird → tree, offset": 4},
            "That is what *should* stand there. But offset +4 was never computed: there are only columns up to 0.",
        ),
        Mistake(
            {"bird → tree, offset": 4},
            "+4 is what should stand there, and no +4 was ever computed. Which of the products comes there in memory?",
        ),
        Mistake(
            {"bird → tree, query": "bird"},
            "The products of *bird* end at its own place, with offset 0. What comes after them in memory?",
        ),
        Mistake(
            {"bird → tree, query": "tree"},
            "Not the key's own row. Flat memory goes on after *bird* with the row below it.",
        ),
        Mistake(
            {"bird → tree, query": "A"},
            "*A* stands before *bird* in memory. What slips into the row of *bird* is what comes after it.",
        ),
        Mistake(
            {"bird → tree, query": "in"},
            "Two rows further is too far: between *bird* and *in* lie all products of *sang*.",
        ),
        Mistake(
            {"bird → tree, query": "our"},
            "Three rows further is too far: between *bird* and *our* lie all products of *sang* and *in*.",
        ),
        Mistake(
            {"bird → tree, query": "sang", "bird → tree, offset": -5},
            "The right row. *sang*'s −5 stands two cells to the left, under *in*: count on from there.",
        ),
        Mistake(
            {"bird → tree, query": "sang", "bird → tree, offset": -4},
            "The right row, one column short: behind the padding, *sang*'s −5 stands under *in*. Count on from there.",
        ),
        Mistake(
            {"bird → tree, query": "sang", "bird → tree, offset": -2},
            "The right row, one column too far: between *bird* +0 and *sang* −5 there is also the padding.",
        ),
        Mistake(
            {"bird → tree, query": "sang", "bird → tree, offset": 2},
            "2 is the column of *sang* in which it stands. Columns begin at offset −5: which offset does this one have?",
        ),
        Mistake(
            {"bird → tree, offset": 0},
            "Offset 0 ends a row, and the padding is no offset at all: it stands right after each diagonal cell. Count on from there.",
        ),
        Mistake(
            {"junk of 6": 10},
            "You left out the padding. It is not a score of that query either: the whole triangle above the diagonal is junk.",
        ),
        Mistake({"junk of 6": 5}, "These are the padding cells alone. Above them stand products of the next query."),
        Mistake({"junk of 6": 21}, "With the diagonal it is 21. The diagonal, offset 0, is right: count above it."),
        Mistake({"junk of 6": 30}, "n(n − 1) counts both triangles. The lower one is right."),
        Mistake(
            {"junk of 6": 18}, "Half of the 36 cells counts half of the diagonal too. All of the diagonal is right."
        ),
        Mistake({"junk of 100": 4851}, "You left out the 99 cells of padding: they are junk as well."),
        Mistake({"junk of 100": 99}, "These are the padding cells alone. What stands above them?"),
        Mistake(
            {"junk of 100": 5000}, "Half of all cells counts half of the diagonal too. All of the diagonal is right."
        ),
        Mistake({"junk of 100": 5050}, "The diagonal is not junk: count the triangle without it."),
        Mistake({"junk of 100": 9900}, "n(n − 1) counts both triangles: only the upper one is junk."),
        Mistake({"junk of 100": 10000}, "That is all cells. Half of what is not on the diagonal is junk."),
    ],
    hints=[
        "Below and on the diagonal: own query, offset j − i.",
        "Write out the line of memory from *bird* on: where does its row end, and what lies between one row and the next?",
        "The junk is the triangle above the diagonal, without the diagonal: the first row has n − 1 cells of it, the last none.",
    ],
)


def _skew_causal(rows):
    """Huang's skew: rows (n, n), columns −(n − 1) … 0, give S (n, n) with 0 above the diagonal."""
    n = len(rows)
    padded = np.pad(rows, ((0, 0), (1, 0)))
    recut = padded.reshape(n + 1, n)
    return np.tril(recut[1:])


def _transposed_reshape(rows):
    n = len(rows)
    return np.tril(np.pad(rows, ((0, 0), (1, 0))).T[:n])


def _pad_last(rows):
    """A column behind, cut every n from place n − 1, which the next row's padding spoils nowhere below."""
    n = len(rows)
    flat = np.pad(rows, ((0, 0), (0, 1))).ravel()
    return np.tril(flat[n - 1 :][: n * n].reshape(n, n) if n > 1 else rows)


def _early(first, last=lambda x: x):
    """`np.tril` before the cut: on what `first` picks, the rows or the padded rows."""

    def wrong(rows):
        n = len(rows)
        padded = (
            np.tril(np.pad(rows, ((0, 0), (1, 0)))) if first == "padded" else np.pad(np.tril(rows), ((0, 0), (1, 0)))
        )
        return last(padded.reshape(n + 1, n)[1:])

    return wrong


def _by_column(rows):
    n = len(rows)
    return np.tril(np.pad(rows, ((0, 0), (1, 0))).reshape(n + 1, n, order="F")[1:])


def _offset_for_column(rows):
    n = len(rows)
    return [[rows[i, j - i] if j <= i else 0.0 for j in range(n)] for i in range(n)]


skew_causal = Task(
    title="The causal skew",
    minutes=10,
    difficulty=2,
    words=r"""Write Huang's trick for a causal model: rows $(n, n)$ hold each query's products with the offsets
$-(n-1), \dots, 0$; pad, cut again, drop. Above the diagonal junk is left; do not hand it on: return 0 there (`np.tril`). So
for $j \le i$ the result is $\text{rows}_{i,\; j - i + n - 1}$. For `np.array([[1, 2], [3, 4]])` it is `[[2, 0], [3, 4]]`:
query 0 keeps its offset 0, query 1 has −1 and 0.""",
    solution=_skew_causal,
    expected=lambda rows: np.tril(to_grid(np.pad(rows, ((0, 0), (0, len(rows) - 1))), len(rows))),
    cases=[
        Case(labels(5, 5), says="the five tokens, labelled by query and column", axes=(QUERY, KEY)),
        Case(Q @ np.arange(20.0).reshape(4, 5) / 10, says="products of the five tokens", axes=(QUERY, KEY)),
        Case(labels(2, 2), says="two tokens", axes=("query", "key")),
        Case(labels(1, 1), says="one token alone", axes=("query", "key")),
    ],
    draw=lambda rng: (normal(rng, n := int(rng.integers(3, 8)), n),),
    properties=[
        Property(
            "nothing above the diagonal",
            lambda result, rows: np.allclose(np.triu(result, 1), 0),
            "Above the diagonal something is left. No offset after the query was computed, so it is junk: `np.tril`, as the last step, clears it.",
        ),
    ],
    mistakes=[
        Mistake(
            "np.tril(recut[1:])",
            "recut[1:]",
            "On and below the diagonal all is right. Above it the junk is still there: clear it with `np.tril`.",
        ),
        Mistake(
            "recut[1:]",
            "recut[:-1]",
            "You drop the last row. The row to drop is the first: it holds the padding and what slipped out of query 0.",
        ),
        Mistake(
            "recut[1:]",
            "recut",
            "One row too many: the first, with the padding and what slipped out of query 0, is to be dropped.",
        ),
        Mistake(
            "((0, 0), (1, 0))",
            "((0, 0), (0, 1))",
            "You pad behind. Then row i slips one place too far; the column of zeros stands in front.",
        ),
        Mistake(
            "np.pad(rows, ((0, 0), (1, 0)))",
            "np.pad(rows[:, ::-1], ((0, 0), (1, 0)))",
            "The columns are reversed: they ascend from −(n − 1) to 0 and stay so.",
        ),
        Mistake(
            _transposed_reshape,
            "You transpose where memory should be cut again. `.T` swaps axes; `reshape(n + 1, n)` moves only the cuts.",
        ),
        Mistake(
            _early("rows"),
            "`np.tril` comes too early: before the cut, what lies right of the diagonal are offsets you need. Clear after the cut.",
        ),
        Mistake(
            _early("rows", np.tril),
            "One `np.tril` too many: the one before the cut has already removed offsets you need. Only the last one is right.",
        ),
        Mistake(
            _early("padded"),
            "You clear the padded rows, before the cut. There the triangle holds offsets you need; the junk appears only by cutting.",
        ),
        Mistake(
            _early("padded", np.tril),
            "The last `np.tril` is right. The one on the padded rows, before the cut, has already removed offsets you need.",
        ),
        Mistake(
            lambda rows: np.where(np.tri(len(rows), dtype=bool), _skew_causal(rows), -np.inf),
            "You put −∞ above the diagonal, as a mask would. Here 0 is wanted.",
        ),
        Mistake(
            lambda rows: np.where(np.tri(len(rows), dtype=bool), _skew_causal(rows), -1e9),
            "You put −10⁹ above the diagonal, as a mask would. Here 0 is wanted.",
        ),
        Mistake(
            lambda rows: np.tril(np.pad(rows, ((0, 0), (1, 0))).T[1:]),
            "You transpose, which moves the numbers. `reshape` leaves them in their line of memory and moves the cuts: that is the trick.",
        ),
        Mistake(
            _by_column,
            '`order="F"` reads memory column by column. The trick needs row by row, which is how `reshape` cuts by itself.',
        ),
        Mistake(
            lambda rows: reference.skew(rows, len(rows)),
            "That is the general skew: of n columns for n queries it makes a grid for a single key. The causal one pads in front and cuts every n.",
        ),
        Mistake(
            _offset_for_column,
            "Your column is j − i, as it also is after `np.roll(row, i)`: key 0 of query 0 gets column 0, which is the offset "
            "−(n − 1). Offset 0 is the last column, so take j − i + n − 1.",
        ),
        Mistake(
            "recut[1:]",
            "recut[:, 1:]",
            "You drop the first column. After the cut it is the first *row* that is too many.",
        ),
        Mistake(
            "n = len(rows)",
            "n = 5",
            "n is not always 5: take `len(rows)`.",
        ),
        Mistake(
            "np.tril(recut[1:])",
            "np.triu(recut[1:])",
            "You keep the junk and clear what is right: the past lies below the diagonal, `np.tril`.",
        ),
        Mistake(
            "np.tril(recut[1:])",
            "np.tril(recut[1:], -1)",
            "The diagonal is gone. A query has offset 0 with itself: it is right and stays.",
        ),
        Mistake(
            "padded.reshape(n + 1, n)",
            "padded.reshape(n, n + 1)",
            "You cut where the rows ended before, so nothing slips. Cut every n numbers: `reshape(n + 1, n)`.",
        ),
        Mistake(
            "return np.tril(recut[1:])",
            "return np.tril(rows)",
            "Nothing has slipped: column 0 is still offset −(n − 1) for every query. A *column* in front makes each row one longer, so that the new cuts move row i by i.",
        ),
        Mistake(
            "return np.tril(recut[1:])",
            "return np.tril(recut[1:]).T",
            "The result is transposed: rows belong to queries.",
        ),
    ],
    alternatives=[
        _pad_last,
        lambda rows: np.tril(reference.skew_causal(rows)),
        lambda rows: [
            [rows[i, j - i + len(rows) - 1] if j <= i else 0.0 for j in range(len(rows))] for i in range(len(rows))
        ],
    ],
    hints=[
        "Draw the padded rows for n = 3 on paper, write all numbers in one line, and cut it every 3.",
        "`np.pad(rows, ((0, 0), (1, 0)))` puts a column of zeros in front; `.reshape(n + 1, n)` cuts again.",
        "Drop the first row, then `np.tril`.",
    ],
)


def _relative_scores(q, table, n_k, past):
    """S[i, j] = q_i · e[j − past − i]: q (n_q, d) and table (2m − 1, d) give (n_q, n_k)."""
    n_q, m = len(q), len(table) // 2 + 1
    first = m - 1 - (past + n_q - 1)
    width = n_q + n_k - 1
    products = q @ table[first : first + width].T
    flat = np.pad(products, ((0, 0), (0, 1))).ravel()
    return flat[n_q - 1 : n_q - 1 + n_q * width].reshape(n_q, width)[:, :n_k]


def _loops(q, table, n_k, past):
    zero = len(table) // 2
    return [[q[i] @ table[j - past - i + zero] for j in range(n_k)] for i in range(len(q))]


def _first_columns(q, table, n_k, past):
    width = len(q) + n_k - 1
    return to_grid(q @ table[:width].T, len(q))


def _never_laid_out(q, table, n_k, past):
    first = len(table) // 2 - (past + len(q) - 1)
    return (q @ table[first : first + len(q) + n_k - 1].T)[:, :n_k]


def _vector_of(index):
    """S with table row index(i, j, n_q, n_k, past, zero) for the pair (i, j)."""

    def wrong(q, table, n_k, past):
        n_q, zero = len(q), len(table) // 2
        return [[q[i] @ table[index(i, j, n_q, n_k, past, zero)] for j in range(n_k)] for i in range(n_q)]

    return wrong


def _drawn_scores(rng):
    n_q, past = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    n_k = int(rng.integers(1, past + n_q + 2))
    m = past + n_q + n_k + int(rng.integers(0, 4))
    return normal(rng, n_q, 3), normal(rng, 2 * m - 1, 3), n_k, past


def _example_table(m):
    o = np.arange(1 - m, m)
    return np.stack([o, np.ones(len(o)), o % 2, o * o / 2], axis=1) / 10


relative_scores = Task(
    title="Any queries, any keys, a cache, and a table that is too long",
    minutes=15,
    difficulty=3,
    words=r"""The general case of the lesson in one function: a score through the query, $S_{ij} = q_i \cdot e_{o}$ with
$o = j - (\text{past} + i)$, for any number of queries and keys. Query $i$ stands at position `past` $+\,i$, key $j$ at $j$.
`table` was made for longer texts: $2m - 1$ rows for the offsets $-(m-1), \dots, m-1$, so offset 0 stands in the middle. Not
scaled. Cut out the rows you need, multiply once, then lay out, by a skew or by index. The table is always long enough. For
`q = np.ones((1, 1))` and `table = np.array([[-2], [-1], [0], [1], [2]])`, one query with past 2 and three keys gets
`[[-2, -1, 0]]`.""",
    solution=_relative_scores,
    expected=lambda q, table, n_k, past: reference.huang_scores(q, table, n_k, past=past),
    cases=[
        Case(Q, _example_table(10), 5, 0, says="the five tokens, a table for ten", axes=(QUERY, KEY)),
        Case(
            Q[3:],
            _example_table(10),
            5,
            3,
            says='"on" and "mat" after three tokens',
            axes=(Axis("query", ("on", "mat")), KEY),
        ),
        Case(Q[4:], _example_table(10), 5, 4, says='decoding "mat"', axes=(Axis("query", ("mat",)), KEY)),
        Case(Q, _example_table(12), 5, 0, says="the five tokens, a table for twelve", axes=(QUERY, KEY)),
        Case(Q, _example_table(8), 3, 0, says="five queries, three keys", axes=(QUERY, "key")),
        Case(Q[:2], _example_table(8), 6, 0, says="two queries, six keys", axes=("query", "key")),
        Case(Q[:1], _example_table(2), 1, 0, says="one token alone", axes=("query", "key")),
    ],
    draw=_drawn_scores,
    mistakes=[
        Mistake(
            "(past + n_q - 1)",
            "(n_q - 1)",
            "`past` is missing: your queries start at position 0. The last one stands at past + n_q − 1, and needs offsets back to there.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - i - n_k + n_q + zero),
            "You take n_k − n_q for `past`. That holds while the queries are the last of the keys; here it is told.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j + past - i + zero),
            "`past` moves your keys instead of the queries: the sign is wrong. The offset is j − (past + i).",
        ),
        Mistake(
            _first_columns,
            "You take the first rows of the table. They are its most distant past; start where −(past + n_q − 1) stands, counted from the middle.",
        ),
        Mistake(
            lambda q, table, n_k, past: to_grid(q @ table[-(len(q) + n_k - 1) :].T, len(q)),
            "You take the last rows of the table. They are its most distant future; start where −(past + n_q − 1) stands, counted from the middle.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: past + i - j + zero),
            "Past and future are swapped: the offset is j − (past + i), key minus query, and the table ascends.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - past - i + zero - 1),
            "One row too early: offset 0 stands in the middle of the table, at m − 1.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - past - i + zero + 1),
            "One row too late: offset 0 stands in the middle of the table, at m − 1, counted from 0.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - past - i),
            "You take the offset itself as the row of the table. Row 0 is the most distant past; offset 0 stands in the middle.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - past - i + n_k - 1),
            "You put offset 0 at n_k − 1. The table was made for longer texts: its middle is `len(table) // 2`.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j - past - i + n_q - 1),
            "You put offset 0 at n_q − 1. The table was made for longer texts: its middle is `len(table) // 2`.",
        ),
        Mistake(
            _vector_of(lambda i, j, n_q, n_k, past, zero: j + i - past - n_q + 1 + zero),
            "Your windows move to the right going down. Each query further down sees one offset *less*, so they move left.",
        ),
        Mistake(
            "m - 1 - (past + n_q - 1)",
            "m - 1 - past",
            "The cut begins too late: it starts with the most distant past of the *first* query. The last one looks back further, by n_q − 1.",
        ),
        Mistake(
            "(past + n_q - 1)",
            "(past + n_k - 1)",
            "You count back from the number of keys. The most distant past is that of the last query, and queries there are n_q.",
        ),
        Mistake(
            lambda q, table, n_k, past: q @ table[len(table) // 2 - past - len(q) + 1 :][: len(q) + n_k - 1].T,
            "The right products, one column per offset. They are not laid out yet: which column does query i need for key j?",
        ),
        Mistake(
            lambda q, table, n_k, past: q @ table.T,
            "These are products with the whole table, one column per offset. Each query needs n_k of them, and every query others.",
        ),
        Mistake(
            lambda q, table, n_k, past: (q @ table.T)[:, :n_k],
            "These are products with the first vectors of the table. Column c is still an offset, the same for all queries: find for each pair its own.",
        ),
        Mistake(
            _never_laid_out,
            "The right products, but cut to n_k columns instead of laid out: the window of each query begins elsewhere.",
        ),
        Mistake(
            "((0, 0), (0, 1))",
            "((0, 0), (1, 0))",
            "You pad in front, as the causal skew does, but skip n_q − 1 numbers. With the column in front it would be n_q.",
        ),
        Mistake(
            "flat[n_q - 1 : n_q - 1 + n_q * width]",
            "flat[: n_q * width]",
            "Nothing is skipped before the cut. Cell (0, 0) is column n_q − 1 of the first row: skip n_q − 1 numbers.",
        ),
        Mistake(
            "flat[n_q - 1 : n_q - 1 + n_q * width]",
            "flat[n_q : n_q + n_q * width]",
            "You skip one number too many. With the padding behind it is n_q − 1.",
        ),
        Mistake(
            "[:, :n_k]",
            "[:, -n_k:]",
            "You keep the last n_k columns. What was laid out begins on the left: keep the first n_k.",
        ),
        Mistake(
            "[:, :n_k]",
            "",
            "The columns beyond n_k are what is left over from the next row: keep the first n_k.",
        ),
        Mistake(
            "    return flat",
            "    return 1 / np.sqrt(q.shape[1]) * flat",
            "Your scores are divided by √d. They will be, together with q · k; here they are wanted as they are.",
        ),
    ],
    alternatives=[_loops, lambda q, table, n_k, past: reference.huang_scores(q, table, n_k, past=past)],
    hints=[
        "Offset 0 stands in row m − 1, and m is `len(table) // 2 + 1`. In which row stands −(past + n_q − 1)?",
        "Cut `width = n_q + n_k - 1` rows from there, and multiply: each query has one number per offset, ascending.",
        "Now `to_grid`: column `j - i + n_q - 1`. Or a column behind, flat, skip n_q − 1, take n_q · width numbers (one is left over), cut every `width`, keep n_k.",
    ],
)
