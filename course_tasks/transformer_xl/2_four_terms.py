r"""The four terms · 18 minutes · ★★

Return the four terms and the scores, in the order `a, b, c, d, scores`. Each has shape $(n_q, n_k)$. All
rows of (c) are the same, so its one row alone is accepted too. The terms are not scaled, but the scores are:
$(a + b + c + d)/\sqrt d$.

`r` holds $r_{j-i}$ for every offset, ascending, $n_q + n_k - 1$ rows in all. Pair $(i, j)$ finds its vector in row
$j - i + n_q - 1$, so the first row belongs to the last query and the first key. (That index is right with a memory,
too, because `r` then begins at a lower offset.) Two loops are as welcome as products.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.example import K, Q
from course_lib.reference.transformer_xl import term_a, term_b, term_c, term_d, xl_scores

from .common import KEY, LAST_TWO, QUERY, U, V, normal, vectors


def four_terms(q, k, r, u, v):
    """Terms a, b, c, d, each (n_q, n_k) and not scaled, and the scores.

    q (n_q, d), k (n_k, d), u and v (d,); r (n_q + n_k - 1, d), a row per offset, ascending:
    pair (i, j) finds its vector in row j - i + n_q - 1.
    """
    n_q, n_k = len(q), len(k)
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    # The last query and the first key find their vector in row 0, and the last row is n_q + n_k − 2. The offset is key
    # minus query, j − i, and the rows of r are sorted by it, with the far past first.
    row = j - i + n_q - 1
    a = q @ k.T  # Each query meets each key, q · k. The scores are the sum of all four terms, divided by √d.
    # The query meets the vector of the distance, and cell (i, j) takes column j − i + n_q − 1 of `q @ r.T`. The scores
    # are the sum of all four terms, divided by √d.
    b = (q @ r.T)[i, row]
    # u meets each key, u · k, and every query gets the same row. The scores are the sum of all four terms, divided by
    # √d.
    c = np.tile(u @ k.T, (n_q, 1))
    # v meets the vector of the distance, and cell (i, j) takes number j − i + n_q − 1 of `v @ r.T`. The scores are the
    # sum of all four terms, divided by √d.
    d = (v @ r.T)[row]
    # The sum of the four terms is divided by √d, and d is the length of the last axis of q.
    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])


def expected(q, k, r, u, v):
    c = np.repeat(term_c(u, k), len(q), axis=0)
    return term_a(q, k), term_b(q, r), c, term_d(v, r, len(q)), xl_scores(q, k, r, u, v)


PARTS = ("a", "b", "c", "d", "scores")


def _case(rng, n_q, n_k, d):
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, n_q + n_k - 1, d), normal(rng, d), normal(rng, d)


RETURNS = PARTS


CASES = [
    Case(Q, K, vectors(5, 5), U, V, label="the five tokens", axes=dict.fromkeys(PARTS, (QUERY, KEY))),
    Case(
        *(Q[3:], K, vectors(2, 5, past=3), U, V),
        label="two queries after a memory of three",
        axes=dict.fromkeys(PARTS, (LAST_TWO, KEY)),
    ),
    Case(*_case(np.random.default_rng(1), 4, 3, 6), label="four queries, three keys, d = 6"),
    Case(Q[:1], K[:1], vectors(1, 1), U, V, label="one token alone"),
]


def draw(rng):
    return _case(rng, *(int(x) for x in rng.integers([2, 2, 2], [6, 6, 9])))


WRONG = """
c = np.tile(v @ k.T, (n_q, 1)); d = (u @ r.T)[row]  # You exchanged u and v. u meets keys, and v meets distances.
return (a, b, c, d, a / np.sqrt(q.shape[-1]) + b + c + d)  # You scaled only (a). In Transformer-XL the sum of all four
# terms is scaled.
return (a, b, c, d, (a + b) / np.sqrt(q.shape[-1]) + c + d)  # You scaled only (a) and (b). In Transformer-XL the sum
# of all four terms is scaled.
return (a, b, c, d, (a + b + c + d) / np.sqrt(d))  # You divide by the root of term (d). Do you call the length of a
# vector `d` as well? Give it another name.
return (a, b, c, d, (a + b + c + d) / q.shape[-1])  # The terms are right, but you divide their sum by d. Divide it by
# √d.
return (a, b, c, d, (a + b + c + d) / np.sqrt(len(k)))  # You scale by the number of keys. d is the length of one
# vector, `q.shape[-1]`.
return (a, b, c, d, (a + b + c + d) / np.sqrt(len(q)))  # You scale by the number of queries. d is the length of one
# vector, `q.shape[-1]`.
return (a, b, c, d, (a + b + c + d) / 2.0)  # You divide by 2, which is √d only while d is 4. Take d from the shape of
# q.
return (a, b, c, d, (a + b) / np.sqrt(q.shape[-1]))  # The four terms are right, but your scores hold only (a) and (b).
row = j - i + len(r) // 2  # You take offset 0 from the middle row of r, which is right only with as many queries as
# keys. It is in row n_q − 1.
row = i - j + n_k - 1  # You look up the distance i − j, so past and future are exchanged. The rows of r are sorted by
# the offset j − i.
row = j - i  # Row j − i is negative for keys before the query, and NumPy then counts from the end. The offsets start
# at −(n_q − 1), so add n_q − 1.
row = j - i + n_k - 1  # This is right as long as there are as many queries as keys. The first row of r belongs to the
# *last query*, so add n_q − 1.
row = j - i + n_q - 1 - (n_k - n_q)  # You subtract the memory a second time. r begins at the lowest offset already, so
# the row is j − i + n_q − 1 with any memory.
b = (q @ r[::-1].T)[i, row]  # In (b) you read the rows of r backwards. They are sorted by the offset j − i, with the
# far past first.
d = (v @ r[::-1].T)[row]  # In (d) you read the rows of r backwards. They are sorted by the offset j − i, with the far
# past first.
b = (k @ r.T)[j, row]  # In (b) your keys meet the distances. It is the query that meets a distance, `q @ r.T`.
b = (q @ r.T)[:, :n_k]  # In (b) every query has the same offset in the same column. Cell (i, j) needs row j − i + n_q
# − 1 of r.
a = q * k  # `*` multiplies entry by entry. To let every query meet every key, use a matrix product.
d = v * r[row]  # You have not summed `v * r` yet. v · r is one number per offset.
d = np.tile((v @ r.T)[n_q - 1:][:n_k], (n_q, 1))  # In (d) every query has the numbers of query 0. Cell (i, j) takes
# number j − i + n_q − 1 of `v @ r.T`.
d = np.tile((v @ r.T)[:n_k], (n_q, 1))  # In (d) every query has the same offset in the same column. Cell (i, j) takes
# number j − i + n_q − 1 of `v @ r.T`.
d = np.tile(v @ k.T, (n_q, 1))  # In (d) v meets the keys made from words. It should meet those made from distances, v
# · r.
c = (k @ u)[:, None]  # Your (c) is a column, so it varies with the query. u · k belongs to the keys, so it is a row.
c = np.repeat((q @ u)[:, None], n_k, axis=1)  # In (c) u meets the queries. That gives a constant per row, which
# cancels in the softmax. u meets the keys.
c = a + u @ k.T  # Your (c) contains (a). Return u · k alone, which is the same in every row.
return (a + c, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1]))  # Your (a) contains (c), because it is (q + u) · k.
# Return q · k alone.
return (a, b + d, c, d, (a + b + c + d) / np.sqrt(q.shape[-1]))  # Your (b) contains (d), because it is (q + v) · r.
# Return q · r alone.
return (a, c, b, d, (a + b + c + d) / np.sqrt(q.shape[-1]))  # You return (b) and (c) in the wrong order. It is a, b,
# c, d, scores.
return ((a + b + c + d) / np.sqrt(q.shape[-1]), a, b, c, d)  # You return the scores first. The order is a, b, c, d,
# scores.
return (d, d, d, d, 4 * d / np.sqrt(q.shape[-1]))  # Your a, b, c and d are one array under four names, so all of them
# hold what you wrote last. Make four arrays, `np.zeros((4, n_q, n_k))`.
return (a, b, c, d, np.where(i < j, -np.inf, (a + b + c + d) / np.sqrt(q.shape[-1])))  # You masked the scores (and
# your mask forgets the memory). Return them as they are, without −∞.
return right_one_by_one(q, k[np.arange(len(q))], r, u, v)  # Your tables are as wide as there are queries. They need a
# column for each key, `len(k)` of them.
"""


HINTS = [
    "Begin with two loops over i and j. In each cell: `r_ij = r[j - i + n_q - 1]`, then four products.",
    "Without loops, `q @ r.T` holds every query with every offset. The row numbers of all cells are "
    "`row = np.arange(n_k) - np.arange(n_q)[:, None] + n_q - 1`.",
    "`(q @ r.T)[i, row]` picks the numbers for (b), with i as a column, and `(v @ r.T)[row]` those for (d). (c) is "
    "`u @ k.T`, repeated for each query.",
]


def wrong_program_28(q, k, r, u, v):
    """You divided the four terms by √d already. Return them unscaled; only the scores are scaled."""
    n_q, n_k = len(q), len(k)
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    row = j - i + n_q - 1
    a = q @ k.T
    b = (q @ r.T)[i, row]
    c = np.tile(u @ k.T, (n_q, 1))
    d = (v @ r.T)[row]
    s = np.sqrt(q.shape[-1])
    return a / s, b / s, c / s, d / s, (a + b + c + d) / np.sqrt(q.shape[-1])


def wrong_causal_shift(q, k, r, u, v):
    """In (b) and (d) the keys after the query hold junk, because the causal shift uses only the first n_k offsets. r
    has all of them, and cell (i, j) takes number j − i + n_q − 1."""
    n_q, n_k = len(q), len(k)

    def shift(x):
        return np.concatenate([np.zeros((n_q, 1)), x[:, :n_k]], axis=1).ravel()[n_q:].reshape(n_q, n_k)

    a, c = term_a(q, k), np.repeat(term_c(u, k), n_q, axis=0)
    b, d = shift(q @ r.T), shift(np.tile(v @ r.T, (n_q, 1)))
    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])


def right_one_by_one(q, k, r, u, v):
    n_q, n_k = len(q), len(k)
    a, b, c, d = np.zeros((4, n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            r_ij = r[j - i + n_q - 1]
            a[i, j], b[i, j], c[i, j], d[i, j] = q[i] @ k[j], q[i] @ r_ij, u @ k[j], v @ r_ij
    return a, b, c, d, (a + b + c + d) / q.shape[1] ** 0.5
