r"""The four terms · 18 minutes · ★★ · first

Return the four terms and the scores, in the order `a, b, c, d, scores`. Each has shape $(n_q, n_k)$. All
rows of (c) are the same, so its one row alone is accepted too. The terms are not scaled, but the scores are:
$(a + b + c + d)/\sqrt d$.

`r` holds $r_{j-i}$ for every offset, ascending, $n_q + n_k - 1$ rows in all. Pair $(i, j)$ finds its vector in row
$j - i + n_q - 1$, so the first row belongs to the last query and the first key. (That index is right with a memory,
too, because `r` then begins at a lower offset.) Two loops are as welcome as products.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.example import K, Q
from course_lib.reference.transformer_xl import position_keys, term_a, term_b, term_c, term_d, xl_scores

from ...shared import KEY, LAST_TWO, QUERY, normal


def four_terms(q, k, r, u, v):
    """Terms a, b, c, d, each (n_q, n_k) and not scaled, and the scores.

    q (n_q, d), k (n_k, d), u and v (d,); r (n_q + n_k - 1, d), a row per offset, ascending:
    pair (i, j) finds its vector in row j - i + n_q - 1.
    """
    n_q, n_k = len(q), len(k)
    i, j = np.arange(n_q)[:, None], np.arange(n_k)  # Queries go down, and keys go across.
    row = j - i + n_q - 1  # The rows of r ascend with the offset j − i, from the last query and the first key on.
    a = q @ k.T  # In (a) each query meets each key, q · k.
    b = (q @ r.T)[i, row]  # In (b) the query meets the vector of the distance, in row j − i + n_q − 1 of r.
    c = np.tile(u @ k.T, (n_q, 1))  # In (c) u meets each key, and every query gets the same row.
    d = (v @ r.T)[row]  # In (d) v meets the vector of the distance, in row j − i + n_q − 1 of r.
    root = np.sqrt(q.shape[-1])  # The scaling is √d, and d is the length of one vector, the last axis of q.
    scores = (a + b + c + d) / root  # The scores are the sum of all four terms, divided by √d.
    return a, b, c, d, scores


def expected(q, k, r, u, v):
    c = np.repeat(term_c(u, k), len(q), axis=0)
    return term_a(q, k), term_b(q, r), c, term_d(v, r, len(q)), xl_scores(q, k, r, u, v)


def draw(rng, sizes=None):
    n_q, n_k, d = sizes or rng.integers([2, 2, 2], [6, 6, 9])
    return tuple(normal(rng, *shape) for shape in [(n_q, d), (n_k, d), (n_q + n_k - 1, d), (d,), (d,)])


def vectors(n_q, n_k, past=0):
    """r of the lesson for every offset, (n_q + n_k − 1, 4)."""
    return position_keys(n_q, n_k, np.eye(6, 4), past=past)


RETURNS = ("a", "b", "c", "d", "scores")
U, V = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.5, 1.0, 0.0, 0.0])  # as in the lesson
AFTER_THREE = dict.fromkeys(RETURNS, (LAST_TWO, KEY))
CASES = [
    Case(Q, K, vectors(5, 5), U, V, label="the five tokens", axes=dict.fromkeys(RETURNS, (QUERY, KEY))),
    Case(Q[3:], K, vectors(2, 5, past=3), U, V, label="two queries after a memory of three", axes=AFTER_THREE),
    Case(*draw(np.random.default_rng(1), (4, 3, 6)), label="four queries, three keys, d = 6"),
    Case(Q[:1], K[:1], vectors(1, 1), U, V, label="one token alone"),
    Case(Q[4:], K, vectors(1, 5, past=4), U, V, label="one query after a memory of four"),
    Case(*draw(np.random.default_rng(2), (3, 1, 4)), label="three queries, one key"),
    Case(*draw(np.random.default_rng(3), (2, 300, 2)), label="two queries, 300 keys, d = 2"),
    Case(*draw(np.random.default_rng(4), (301, 2, 2)), label="301 queries, two keys, d = 2"),
]
WRONG = """
row = i - j + n_q - 1
row = i - j + n_k - 1  # From key to key you step back in r, as with i − j. Its rows ascend with the offset j − i.
row = j - i  # Row j − i is negative for keys before the query, so it counts from the end of r. Add n_q − 1.
row = j - i + n_q  # Your rows of r are one too high. The last query and the first key find theirs in row 0.
row = (j - i + n_k - 1) % len(r)  # You add n_k − 1. The first row of r belongs to the *last query*, so add n_q − 1.
row = j - i + len(r) // 2  # You take offset 0 from the middle of r, as if n_q were n_k. It is in row n_q − 1.
row = j - i + n_q - 1 - (n_k - n_q)  # You subtract the memory once more. r begins at the lowest offset already.
a = q * k  # `*` multiplies entry by entry. To let every query meet every key, use a matrix product.
b = q @ r.T  # Your (b) has a column per offset. Cell (i, j) takes column j − i + n_q − 1 of `q @ r.T`.
b = (k @ r.T)[j, row]  # In (b) your keys meet the distances. It is the query that meets a distance, `q @ r.T`.
c = (k @ u)[:, None]  # Your (c) is a column, so it varies with the query. u · k belongs to the keys, so it is a row.
c = np.repeat((q @ u)[:, None], n_k, axis=1)  # In (c) u meets the queries, a constant per row. u meets the keys.
c = np.repeat(u @ k.T, n_q).reshape(n_q, n_k)  # Your (c) repeats each number before the next. All its rows are u · k.
c = a + u @ k.T  # Your (c) contains (a). Return u · k alone, which is the same in every row.
c = np.tile(v @ k.T, (n_q, 1)); d = (u @ r.T)[row]  # You exchanged u and v. u meets keys, and v meets distances.
d = v * r[row]  # You have not summed `v * r` yet. v · r is one number per offset.
d = np.tile((v @ r.T)[n_q - 1 :][:n_k], (n_q, 1))
d = np.tile((v @ r.T)[:n_k], (n_q, 1))  # In your (d) all queries are alike. Cell (i, j) needs row j − i + n_q − 1 of r.
d = np.tile(v @ k.T, (n_q, 1))  # In (d) v meets the keys made from words. It should meet the distances, v · r.
root = np.sqrt(abs(d))
root = np.sqrt(d)  # You divide by the root of term (d). Is the length of a vector called `d` as well?
root = q.shape[-1]  # You divide the sum of the terms by d. Divide it by √d.
root = 2.0  # You divide by 2, which is √d only while d is 4. Take d from the shape of q.
scores = a / root + b + c + d
scores = (a + b) / root + c + d  # You scaled a part of the sum. In Transformer-XL the sum of all four terms is scaled.
scores = (a + b) / root  # Your scores hold only (a) and (b), and all four terms count.
scores = np.where(i < j, -np.inf, (a + b + c + d) / root)  # You masked the scores. Return them without −∞.
return a / root, b / root, c / root, d / root, scores  # You divided the four terms by √d. Only the scores are scaled.
return a + c, b, c, d, scores  # Your (a) contains (c), because it is (q + u) · k. Return q · k alone.
return a, b + d, c, d, scores  # Your (b) contains (d), because it is (q + v) · r. Return q · r alone.
return a, c, b, d, scores
return a, b, d, c, scores
return scores, a, b, c, d  # You return them in another order. It is a, b, c, d, scores.
return d, d, d, d, 4 * d / root  # All your terms are (d). Are they one array under four names?
k = k[np.arange(len(q))]  # Your tables are as wide as there are queries, not keys.
"""
HINTS = [
    "Begin with two loops over i and j. In each cell: `r_ij = r[j - i + n_q - 1]`, then four products.",
    "Without loops, `q @ r.T` holds every query with every offset. The row numbers of all cells are "
    "`row = np.arange(n_k) - np.arange(n_q)[:, None] + n_q - 1`.",
    "`(q @ r.T)[i, row]` picks the numbers for (b), with i as a column, and `(v @ r.T)[row]` those for (d). (c) is "
    "`u @ k.T`, repeated for each query.",
]


def wrong_causal_shift(q, k, r, u, v):
    """In (b) and (d) later keys hold junk, as in the causal shift of the first n_k offsets. r has all offsets."""
    a, _, c, *_ = expected(q, k, r, u, v)
    rows = [(x @ r.T)[:, : len(k)] for x in (q, np.tile(v, (len(q), 1)))]
    b, d = (np.pad(x, ((0, 0), (1, 0))).ravel()[len(q) :].reshape(len(q), len(k)) for x in rows)
    return a, b, c, d, (a + b + c + d) / np.sqrt(len(v))
