r"""Any queries, any keys, a cache, and a table that is too long · 15 minutes · ★★★

Write the general case of the lesson as one function. A score through the query is
$S^{rel}_{ij} = q_i \cdot e_{o}$ with the offset $o = j - (\text{past} + i)$, for any number of queries and keys. Query
$i$ is at position `past` $+\,i$, key $j$ at position $j$. `table` was made for longer texts. Its $2m - 1$ rows are for
the offsets $-(m-1), \dots, m-1$, so offset 0 is in the middle. The scores are not scaled.

Cut out the rows that you need and multiply once. Then move each product to its diagonal, by a skew or by index. The
table is always long enough. For `q = np.ones((1, 1))` and `table = np.array([[-2], [-1], [0], [1], [2]])`, one query
with past 2 and three keys gets `[[-2, -1, 0]]`.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import TOKENS, Q
from course_lib.reference.music_transformer import music_transformer_scores

from ...shared import KEY, QUERY, normal


def relative_scores(q, table, n_k, past):
    """S[i, j] = q_i · e[j − past − i]: q (n_q, d) and table (2m − 1, d) give (n_q, n_k)."""
    n_q, width = len(q), len(q) + n_k - 1  # There are n_q + n_k − 1 offsets, and each has a product with each query.
    middle = len(table) // 2  # Offset 0 is in the middle of the table.
    first = middle - past - (n_q - 1)  # The smallest offset is −(past + n_q − 1), that of the last query and key 0.
    products = q @ table[first + np.arange(width)].T  # Each query meets the vectors of all offsets, in ascending order.
    flat = np.pad(products, ((0, 0), (0, 1))).ravel()  # A column behind makes each row longer than the new ones.
    cut = flat[n_q - 1 :][: n_q * width]  # Cell (0, 0) is column n_q − 1 of the first row, so n_q − 1 are skipped.
    return cut.reshape(n_q, width)[:, :n_k]  # Cut every n_q + n_k − 1 numbers, then keep the n_k scores in front.


def expected(q, table, n_k, past):
    return music_transformer_scores(q, table, n_k, past=past)


def draw(rng):
    n_q, past = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    n_k = int(rng.integers(1, past + n_q + 2))
    m = past + n_q + n_k + int(rng.integers(0, 4))
    return normal(rng, n_q, 3), normal(rng, 2 * m - 1, 3), n_k, past


def long(m):
    """Vectors for the offsets −(m − 1) … m − 1, all different and easy to check by hand."""
    o = np.arange(1 - m, m)
    return np.stack([o, np.ones(len(o)), o % 2, o * o / 2], axis=1) / 10


CASES = [
    Case(Q, long(10), 5, 0, label="the five tokens, a table for ten", axes=(QUERY, KEY)),
    Case(Q[3:], long(10), 5, 3, label='"on" and "mat" after three tokens', axes=(Axis("query", TOKENS[3:]), KEY)),
    Case(Q[4:], long(10), 5, 4, label='decoding "mat"', axes=(Axis("query", TOKENS[4:]), KEY)),
    Case(Q, long(8), 3, 0, label="five queries, three keys", axes=(QUERY, "key")),
    Case(Q[:1], long(2), 1, 0, label="one token alone", axes=("query", "key")),
]
WRONG = """
middle = len(table) // 2 - 1  # You read the table one row too early. Offset 0 is in row `len(table) // 2`.
middle = len(table) // 2 + 1  # You read the table one row too late. Offset 0 is in row `len(table) // 2`.
middle = 0  # You take the offset itself as the row of the table. Row 0 is the most distant past.
middle = n_k - 1  # You put offset 0 into row n_k − 1. The table was made for longer texts: take its middle row.
middle = n_q - 1  # You put offset 0 into row n_q − 1. The table was made for longer texts: take its middle row.
first = middle + past - (n_q - 1)  # You add `past` to the offset. It is j − (past + i), so more past is further back.
first = middle - past  # You read n_q − 1 rows too late. The smallest offset is that of the *last* query and key 0.
first = middle - (n_k - 1)  # You take n_k − n_q for `past`, as if the last query were at the last key. `past` is given.
first = 0  # You take the first rows of the table. Begin with the offset −(past + n_q − 1).
first = len(table) - width  # You take the last rows of the table. Begin with the offset −(past + n_q − 1).
products = q @ table[::-1][first + np.arange(width)].T  # You swapped past and future. The offset is j − (past + i).
flat = np.pad(products, ((0, 0), (1, 0))).ravel()  # With the column in front you skip n_q numbers, not n_q − 1.
return products.ravel()[n_q - 1 :][: n_q * (width - 1)].reshape(n_q, width - 1)[:, :n_k]
# Rows of n_q + n_k − 2 numbers are too short for a single query. Pad a column behind the products.
return cut.reshape(n_q, width)[:, -n_k:]  # You keep the last n_k columns. The scores begin on the left.
return np.tril(cut.reshape(n_q, width)[:, :n_k], past)  # You set the scores of later keys to 0. No key is hidden here.
return [products[i, i : i + n_k] for i in range(n_q)]  # Your columns move right from query to query. They move left.
return [[q[i] @ table[middle + j - past + i] for j in range(n_k)] for i in range(n_q)]
# Your offset is `j - past + i`. Put `past + i` in parentheses.
return products  # Your products are not on their diagonals yet. Which column does query i need for key j?
return products[:, :n_k]  # You keep the first n_k products of every query. Each query begins in another column.
return np.pad(q @ table[middle - n_k + 1 : middle + 1].T, ((0, 0), (1, 0))).ravel()[n_q:].reshape(n_q, n_k)
# You use only the offsets up to 0, as the causal skew does, so later keys get junk. Cut out all n_q + n_k − 1.
return np.pad(q @ table[first + np.arange(n_k)].T, ((0, 0), (0, 1))).ravel()[n_q - 1 :][: n_q * n_k].reshape(n_q, n_k)
# You cut out n_k rows of the table. These queries and keys have n_q + n_k − 1 offsets.
return q @ table.T  # These are products with the whole table. Each query needs n_k of them, and each needs others.
return (q @ table.T)[:, :n_k]  # These are products with the first vectors of the table. Each pair needs its own offset.
"""
HINTS = [
    "Offset 0 is in row m − 1 with `m = len(table) // 2 + 1`. In which row is the offset −(past + n_q − 1)?",
    "Cut `width = n_q + n_k - 1` rows from there and multiply, which gives each query one number per offset.",
    "Now do what `to_grid` does, with column `j - i + n_q - 1`. Or pad a column behind, flatten, skip n_q − 1, "
    "keep n_q · width numbers (one is left over), cut every `width`, and keep n_k columns.",
]
