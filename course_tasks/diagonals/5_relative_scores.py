r"""Any queries, any keys, a cache, and a table that is too long · 15 minutes · ★★★

Write the general case of the lesson as one function. A score through the query is
$S_{ij} = q_i \cdot e_{o}$ with the offset $o = j - (\text{past} + i)$, for any number of queries and keys. Query $i$
is at position `past` $+\,i$, key $j$ at position $j$. `table` was made for longer texts. Its $2m - 1$ rows are for the
offsets $-(m-1), \dots, m-1$, so offset 0 is in the middle. The scores are not scaled.

Cut out the rows that you need and multiply once. Then move each product to its diagonal, by a skew or by index. The
table is always long enough. For `q = np.ones((1, 1))` and `table = np.array([[-2], [-1], [0], [1], [2]])`, one query
with past 2 and three keys gets `[[-2, -1, 0]]`.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import Q
from course_lib.reference import music_transformer as reference

from ..shared import KEY, QUERY, normal
from .common import LAST, LAST_TWO, example_table


def relative_scores(q, table, n_k, past):
    """S[i, j] = q_i · e[j − past − i]: q (n_q, d) and table (2m − 1, d) give (n_q, n_k)."""
    n_q, m = len(q), len(table) // 2 + 1  # The table has 2m − 1 rows.
    # Query i is at position past + i, so its offset to key j is j − (past + i). The row of offset 0 is the middle of
    # the table, row m − 1. The distance to the most distant past is that of the last query and key 0, past + n_q − 1.
    # The most distant past is one less than that. Cell (0, 0) is column n_q − 1 of the first row. The beginning of the
    # cut is the row of the offset −(past + n_q − 1).
    first = m - 1 - (past + n_q - 1)
    # There is one offset less than that. Each query has a product with each of n_q + n_k − 1 vectors. `width` is the
    # number of offsets, n_q + n_k − 1.
    width = n_q + n_k - 1
    # The end of the cut is `width` rows after the first one. Each query meets each of its vectors, `q @ vectors.T`.
    products = q @ table[first : first + width].T
    # You skip and cut in one line of numbers. A column behind the products makes each row one number longer than the
    # new ones.
    flat = np.pad(products, ((0, 0), (0, 1))).ravel()
    cut = flat[n_q - 1 :][: n_q * width]  # There are n_q rows of `width` numbers.
    return cut.reshape(n_q, width)[:, :n_k]


def _causal_skew(q, table, n_k):
    """The skew of a decoder: the offsets up to 0, with junk above the diagonal."""
    zero, n_q = len(table) // 2, len(q)
    rows = q @ table[zero - n_k + 1 : zero + 1].T
    return np.pad(rows, ((0, 0), (1, 0))).ravel()[n_q:].reshape(n_q, n_k)


def draw(rng):
    n_q, past = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    n_k = int(rng.integers(1, past + n_q + 2))
    m = past + n_q + n_k + int(rng.integers(0, 4))
    return normal(rng, n_q, 3), normal(rng, 2 * m - 1, 3), n_k, past


def expected(q, table, n_k, past):
    return reference.music_transformer_scores(q, table, n_k, past=past)


CASES = [
    Case(Q, example_table(10), 5, 0, label="the five tokens, a table for ten", axes=(QUERY, KEY)),
    Case(Q[3:], example_table(10), 5, 3, label='"on" and "mat" after three tokens', axes=(LAST_TWO, KEY)),
    Case(Q[4:], example_table(10), 5, 4, label='decoding "mat"', axes=(LAST, KEY)),
    Case(Q, example_table(12), 5, 0, label="the five tokens, a table for twelve", axes=(QUERY, KEY)),
    Case(Q, example_table(8), 3, 0, label="five queries, three keys", axes=(QUERY, "key")),
    Case(Q[:2], example_table(8), 6, 0, label="two queries, six keys", axes=("query", "key")),
    Case(Q[:1], example_table(2), 1, 0, label="one token alone", axes=("query", "key")),
]


WRONG = """
first = m - 2 - (past + n_q - 1)  # You read the table one row too early. Offset 0 is in the middle, in row m − 1.
first = m - (past + n_q - 1)  # You read the table one row too late. Offset 0 is in the middle, in row m − 1, counted
# from 0.
first = m - 1 - past  # Your cut begins too late, with the most distant past of the *first* query. The last query looks
# back further, by n_q − 1.
first = m - 1 - (past + n_k - 1)  # You count back from the number of keys. The most distant past is that of the last
# query, and there are n_q queries.
first = m - 1 - (n_k - 1)  # You take n_k − n_q for `past`. That is right only while the queries are the last of the
# keys; here `past` is given.
first = 0  # You take the first rows of the table, which are its most distant past. Begin with the offset −(past + n_q
# − 1), counted from the middle.
first = len(table) - (n_q + n_k - 1)  # You take the last rows of the table, which are its most distant future. Begin
# with the offset −(past + n_q − 1), counted from the middle.
products = q @ table[::-1][first:first + width].T  # You swapped past and future. The offset is j − (past + i), key
# minus query, and the table ascends.
products = q @ np.roll(table, m - 1, axis=0)[first:first + width].T  # You take the offset itself as the row of the
# table. Row 0 is the most distant past, and offset 0 is in the middle.
products = q @ np.roll(table, m - n_k, axis=0)[first:first + width].T  # You put offset 0 into row n_k − 1. The table
# was made for longer texts, and its middle is `len(table) // 2`.
products = q @ np.roll(table, m - n_q, axis=0)[first:first + width].T  # You put offset 0 into row n_q − 1. The table
# was made for longer texts, and its middle is `len(table) // 2`.
return [products[i, i:i + n_k] for i in range(n_q)]  # Your windows move to the right from query to query. Each query
# sees one offset *less* than the one before it, so they move to the left.
return products  # You have the right products, one column per offset, but they are not on their diagonals yet. Which
# column does query i need for key j?
return products[:, :n_k]  # You have the right products, but you keep the first n_k columns for every query. The window
# of each query begins in another column.
return q @ table.T  # These are products with the whole table, one column per offset. Each query needs n_k of them, and
# each needs others.
return (q @ table.T)[:, :n_k]  # These are products with the first vectors of the table, and a column is still an
# offset. Find the column of each pair of query and key.
return _causal_skew(q, table, n_k)  # You use only the offsets up to 0, as the causal skew does, so later keys get
# junk. Cut out all n_q + n_k − 1 offsets, and pad behind.
return np.tril(_causal_skew(q, table, n_k), n_k - len(q))  # Keys after the query get 0 in your result, as with the
# causal skew. Their scores are asked for as well, so cut out all n_q + n_k − 1 offsets.
flat = np.pad(products, ((0, 0), (1, 0))).ravel()  # You pad in front, as the causal skew does, but you skip n_q − 1
# numbers. With the column in front it would be n_q.
cut = flat[:n_q * width]  # You skip nothing before the cut. Cell (0, 0) is column n_q − 1 of the first row, so skip
# n_q − 1 numbers.
cut = flat[n_q:][:n_q * width]  # You skip one number too many. With the padding behind the products it is n_q − 1.
cut = flat[n_q - 1:n_q * width]  # Your cut has n_q − 1 numbers too few. It needs n_q · width numbers from place n_q −
# 1 on, and the padding makes room for them.
cut = flat[n_q - 1:]  # Your cut has one number too many, the last of the padding. Keep n_q · width numbers.
cut = flat[n_q - 1:][:n_q * width - 1]  # Your cut has one number too few. It needs n_q · width numbers.
n_q, m = (len(q), len(table) / 2 + 1)  # You use a fraction as a place or a length. Divide with `//`.
n_q, m = (q, len(table) // 2 + 1)  # You use an array as a number. Is a `len(…)` missing?
return cut.reshape(n_q, width)[:, -n_k:]  # You keep the last n_k columns. The scores begin on the left, so keep the
# first n_k.
return cut.reshape(n_q, width)  # You keep all columns. Those beyond n_k are left over from the next row, so keep the
# first n_k.
"""


HINTS = [
    "Offset 0 is in row m − 1 with `m = len(table) // 2 + 1`. In which row is the offset −(past + n_q − 1)?",
    "Cut `width = n_q + n_k - 1` rows from there and multiply, which gives each query one number per offset.",
    "Now do what `to_grid` does, with column `j - i + n_q - 1`. Or pad a column behind, flatten, skip n_q − 1, "
    "keep n_q · width numbers (one is left over), cut every `width`, and keep n_k columns.",
]


def wrong_program_26(q, table, n_k, past):
    """Your rows have n_q + n_k − 2 numbers, which is enough for two queries or more. A single query needs one more, so
    pad a column behind the products and cut every `width`."""
    n_q, m = len(q), len(table) // 2 + 1
    first = m - 1 - (past + n_q - 1)
    width = n_q + n_k - 1
    products = q @ table[first : first + width].T
    flat = np.pad(products, ((0, 0), (0, 1))).ravel()
    cut = flat[n_q - 1 :][: n_q * width]
    step = width - 1
    return products.ravel()[n_q - 1 :][: n_q * step].reshape(n_q, step)[:, :n_k]


def right_in_another_way(q, table, n_k, past):
    return reference.music_transformer_scores(q, table, n_k, past=past)


def right_by_loops(q, table, n_k, past):
    zero = len(table) // 2
    return [[q[i] @ table[j - past - i + zero] for j in range(n_k)] for i in range(len(q))]
