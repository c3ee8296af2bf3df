"""The four terms: one score with the pencil, then all of them in code."""

from itertools import combinations

import numpy as np

from ...example import K, Q
from ...reference.attention import softmax
from ...reference.transformer_xl import term_a, term_b, term_c, term_d, xl_scores
from ..engine import Answer, Axis, Case, Mistake, Task
from .common import KEY, QUERY, U, V, normal, vectors

# chosen so that all ten products of two of them differ
_q, _k, _r = np.array([1, 0, 3, 2]), np.array([0, 1, 0, 1]), np.array([2, 0, 1, -1])
_u, _v = np.array([0, 1, 3, 3]), np.array([2, 0, 2, 1])


def _by_hand():
    """The four terms of one pair, and its score: one query, one key, one offset."""
    q, k, r = _q[None], _k[None], _r[None]
    terms = term_a(q, k), term_b(q, r), term_c(_u, k), term_d(_v, r, 1)
    named = {name: int(term[0, 0]) for name, term in zip("abcd", terms)}
    return {**named, "score": int(xl_scores(q, k, r, _u, _v)[0, 0])}


_MEETS = {
    "a": ("qk", "the query meets the key"),
    "b": ("qr", "the query meets the vector of the distance"),
    "c": ("uk", "u meets the key"),
    "d": ("vr", "v meets the vector of the distance"),
}


def _another_product():
    """Every other product of two of the five vectors, in place of each term."""
    vectors = {"q": _q, "k": _k, "r": _r, "u": _u, "v": _v}
    for term, (right, words) in _MEETS.items():
        for x, y in combinations(vectors, 2):
            if {x, y} != set(right):
                yield Mistake({term: int(vectors[x] @ vectors[y])}, f"This is {x} · {y}. In ({term}) {words}.")


one_score = Answer(
    "one_score",
    title="One score by hand",
    minutes=6,
    difficulty=1,
    words=r"""A query, a key, and the vector of the distance between them, with the two learned vectors:

| | |
|---|---|
| $q_i$ | (1, 0, 3, 2) |
| $k_j$ | (0, 1, 0, 1) |
| $r_{j-i}$ | (2, 0, 1, −1) |
| $u$ | (0, 1, 3, 3) |
| $v$ | (2, 0, 2, 1) |

Work out the four terms as they stand in the sum, not yet scaled, and then the score of Transformer-XL. A pencil is
enough.""",
    expected=_by_hand,
    mistakes=[
        Mistake(
            {"a": 1, "b": 1.5, "c": 2, "d": 2.5, "score": 3.5},
            "The terms are asked for unscaled; yours are divided by √d already, and the score once more.",
        ),
        Mistake(
            {"a": 1, "b": 1.5, "c": 2, "d": 2.5},
            "The terms are asked for unscaled, as they stand in the sum. Only the score is divided by √d.",
        ),
        Mistake(
            {"c": 1, "d": 0},
            "u and v have changed places: u meets keys made from words, v meets keys made from distances.",
        ),
        Mistake(
            {"c": 0, "d": 1},
            "The partners have changed places: u meets the key, v the vector of the distance.",
        ),
        Mistake(
            {"c": 15, "d": 10},
            "Here u and v meet the query. They stand where the query's position stood, so they meet the key.",
        ),
        Mistake(
            {"c": 5, "d": 4}, "(c) and (d) have changed places: (c) is the one with the key, (d) with the distance."
        ),
        Mistake({"b": 5, "d": 3}, "(b) and (d) have changed places: in (b) the query meets the distance."),
        Mistake({"a": 4, "c": 2}, "(a) and (c) have changed places: in (a) the query meets the key."),
        Mistake({"b": 4, "c": 3}, "(b) and (c) have changed places: in (b) the query meets the distance."),
        *_another_product(),
        Mistake({"d": 7}, "Look at the sign of the last product in (d): one of its two numbers is −1."),
        Mistake({"a": 6}, "This is (a) and (c) in one product, (q + u) · k. Here each term is asked for by itself."),
        Mistake({"b": 8}, "This is (b) and (d) in one product, (q + v) · r. Here each term is asked for by itself."),
        Mistake(
            {"score": 14}, "This is the sum of the four terms. All of it stands inside the scaling: what is d here?"
        ),
        Mistake(
            {"score": 3.5},
            "The sum is divided by 4 here. The scaling divides by the square root, √d = 2, and a mean of the four terms is not asked for.",
        ),
        Mistake(
            {"score": 13},
            "Only the first term is scaled here. In Transformer-XL all four stand inside the scaling.",
        ),
        Mistake(
            {"score": 11.5},
            "(a) and (b) are scaled here, (c) and (d) are not. In Transformer-XL all four stand inside the scaling.",
        ),
        Mistake({"score": 2.5}, "This is the scaled sum of (a) and (b). (c) and (d) belong to the score as well."),
        Mistake({"score": 5}, "(c) is missing from the sum: the score holds all four terms."),
        Mistake({"score": 4.5}, "(d) is missing from the sum: the score holds all four terms."),
        Mistake({"score": 28}, "You multiply by √d. Divide by it."),
    ],
    hints=[
        "Four products of two vectors each. Which two meet in which term stands in the table of the three changes.",
        "(a) q·k, (b) q·r, (c) u·k, (d) v·r.",
        "The vectors have four numbers, so d = 4.",
    ],
)


def _four_terms(q, k, r, u, v):
    """Terms a, b, c, d, each (n_q, n_k) and not scaled, and the scores.

    q (n_q, d), k (n_k, d), u and v (d,); r (n_q + n_k - 1, d), a row per offset, ascending:
    pair (i, j) finds its vector in row j - i + n_q - 1.
    """
    n_q, n_k = len(q), len(k)
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    row = j - i + n_q - 1
    a = q @ k.T
    b = (q @ r.T)[i, row]
    c = np.tile(u @ k.T, (n_q, 1))
    d = (v @ r.T)[row]
    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])


def _expected_terms(q, k, r, u, v):
    c = np.repeat(term_c(u, k), len(q), axis=0)
    return term_a(q, k), term_b(q, r), c, term_d(v, r, len(q)), xl_scores(q, k, r, u, v)


def _joined(q, k, r, u, v):
    a, _, c, _, s = _expected_terms(q, k, r, u, v)
    return a + c, term_b(q + v, r), c, term_d(v, r, len(q)), s


def _added_to_the_query(q, k, r, u, v):
    return _expected_terms(q + u, k, r, u, v)


def _masked(q, k, r, u, v):
    *terms, scores = _expected_terms(q, k, r, u, v)
    return *terms, np.where(np.tri(len(q), len(k), len(k) - len(q)) > 0, scores, -np.inf)


def _masked_without_past(q, k, r, u, v):
    *terms, scores = _expected_terms(q, k, r, u, v)
    return *terms, np.where(np.tri(len(q), len(k)) > 0, scores, -np.inf)


def _u_inside(q, k, r, u, v):
    """The shape in which code has it, (q + u) · k."""
    a, b, c, d, scores = _expected_terms(q, k, r, u, v)
    return a + c, b, c, d, scores


def _causal_shift(q, k, r, u, v):
    """The relative shift of the causal case, junk included: a column in front, then cut every n_k."""
    n_q, n_k = len(q), len(k)

    def shift(x):
        return np.concatenate([np.zeros((n_q, 1)), x[:, :n_k]], axis=1).ravel()[n_q:].reshape(n_q, n_k)

    a, c = term_a(q, k), np.repeat(term_c(u, k), n_q, axis=0)
    b, d = shift(q @ r.T), shift(np.tile(v @ r.T, (n_q, 1)))
    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])


def _scaled_terms(q, k, r, u, v):
    *terms, scores = _expected_terms(q, k, r, u, v)
    return *(term / np.sqrt(q.shape[-1]) for term in terms), scores


def _as_many_keys_as_queries(q, k, r, u, v):
    n = len(q)
    a, b, c, d = np.zeros((4, n, n))
    for i in range(n):
        for j in range(n):
            r_ij = r[j - i + n - 1]
            a[i, j], b[i, j], c[i, j], d[i, j] = q[i] @ k[j], q[i] @ r_ij, u @ k[j], v @ r_ij
    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])


def _scores_first(q, k, r, u, v):
    *terms, scores = _expected_terms(q, k, r, u, v)
    return scores, *terms


def _one_array(q, k, r, u, v):
    """a = b = c = d = np.zeros(…): what is written last stays."""
    d = term_d(v, r, len(q))
    return d, d, d, d, 4 * d / np.sqrt(q.shape[-1])


def _softened(q, k, r, u, v):
    *terms, scores = _expected_terms(q, k, r, u, v)
    return *terms, softmax(scores)


def _one_by_one(q, k, r, u, v):
    n_q, n_k = len(q), len(k)
    a, b, c, d = np.zeros((4, n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            r_ij = r[j - i + n_q - 1]
            a[i, j], b[i, j], c[i, j], d[i, j] = q[i] @ k[j], q[i] @ r_ij, u @ k[j], v @ r_ij
    return a, b, c, d, (a + b + c + d) / q.shape[1] ** 0.5


_PARTS = ("a", "b", "c", "d", "scores")


def _case(rng, n_q, n_k, d):
    return normal(rng, n_q, d), normal(rng, n_k, d), normal(rng, n_q + n_k - 1, d), normal(rng, d), normal(rng, d)


four_terms = Task(
    title="The four terms",
    minutes=18,
    difficulty=2,
    words=r"""Return the four terms and the scores, in this order: `a, b, c, d, scores`. Each is $(n_q, n_k)$, also (c),
whose rows are all the same (its one row alone is accepted too). The terms are not scaled, the scores are: $(a + b + c + d)/\sqrt d$.

`r` holds $r_{j-i}$ for every offset, ascending, $n_q + n_k - 1$ rows in all. Pair $(i, j)$ finds its vector in row
$j - i + n_q - 1$, so the first row belongs to the last query and the first key. (That index is right with a memory, too:
`r` then begins at a lower offset.) Two loops are as welcome as products.""",
    solution=_four_terms,
    expected=_expected_terms,
    returns=_PARTS,
    cases=[
        Case(Q, K, vectors(5, 5), U, V, says="the five tokens", axes=dict.fromkeys(_PARTS, (QUERY, KEY))),
        Case(
            Q[3:],
            K,
            vectors(2, 5, past=3),
            U,
            V,
            says="two queries after a memory of three",
            axes=dict.fromkeys(_PARTS, (Axis("query", ("on", "mat")), KEY)),
        ),
        Case(*_case(np.random.default_rng(1), 4, 3, 6), says="four queries, three keys, d = 6"),
        Case(Q[:1], K[:1], vectors(1, 1), U, V, says="one token alone"),
    ],
    draw=lambda rng: _case(rng, *(int(x) for x in rng.integers([2, 2, 2], [6, 6, 9]))),
    mistakes=[
        Mistake(
            "c = np.tile(u @ k.T, (n_q, 1))\n    d = (v @ r.T)[row]",
            "c = np.tile(v @ k.T, (n_q, 1))\n    d = (u @ r.T)[row]",
            "u and v have changed places: u meets keys, v meets distances.",
        ),
        Mistake(
            "(a + b + c + d) / np.sqrt(q.shape[-1])",
            "a + b + c + d",
            "The scores are not scaled: divide the sum by √d.",
        ),
        Mistake(
            "(a + b + c + d) / np.sqrt(q.shape[-1])",
            "a / np.sqrt(q.shape[-1]) + b + c + d",
            "Only (a) is scaled. In Transformer-XL all four terms stand inside the scaling.",
        ),
        Mistake(
            "(a + b + c + d) / np.sqrt(q.shape[-1])",
            "(a + b) / np.sqrt(q.shape[-1]) + c + d",
            "(c) and (d) stand outside the scaling. All four terms belong inside.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])", "q.shape[-1]", "The terms are right. You divide their sum by d; divide it by √d."
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "np.sqrt(len(k))",
            "You scale by the number of keys. d is the length of one vector, `q.shape[-1]`.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "np.sqrt(len(q))",
            "You scale by the number of queries. d is the length of one vector, `q.shape[-1]`.",
        ),
        Mistake(
            "(a + b + c + d) /",
            "(a + b + c + d) *",
            "The scores grow with d already: divide the sum by √d instead of multiplying.",
        ),
        Mistake(
            "np.sqrt(q.shape[-1])",
            "2.0",
            "Right only while d is 4: take √d from the shape of q.",
        ),
        Mistake(
            _u_inside,
            "Your (a) has (c) in it already, (q + u) · k. The scores are right; here (a) is q · k alone.",
        ),
        Mistake(
            _causal_shift,
            "In (b) and (d) the keys after the query hold junk: the shift of the causal case lays out only the first n_k offsets. "
            "r has all of them, and cell (i, j) takes number j − i + n_q − 1.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + len(r) // 2",
            "You put offset 0 in the middle of r, where it is only with as many queries as keys. It is row n_q − 1.",
        ),
        Mistake(
            _scaled_terms,
            "Your four terms are divided by √d already. They are asked for unscaled; only the scores are scaled.",
        ),
        Mistake(
            _as_many_keys_as_queries,
            "Your tables are as wide as there are queries. They need a column for each key, `len(k)` of them.",
        ),
        Mistake(_scores_first, "The scores come last: a, b, c, d, scores."),
        Mistake(
            _one_array,
            "Your a, b, c and d are one array under four names, and what is written last stays. Make four: `np.zeros((4, n_q, n_k))`.",
        ),
        Mistake(_masked, "Your scores are masked. Here they are asked for as they are: no −∞ for later keys."),
        Mistake(
            _masked_without_past,
            "Your scores are masked (and the mask forgets the memory). Here they are asked for as they are, without −∞.",
        ),
        Mistake(
            _softened,
            "Your fifth result is the weights: the softmax is already done. Here the scores are asked for.",
        ),
        Mistake(
            "c = np.tile(u @ k.T, (n_q, 1))",
            "c = (k @ u)[:, None]",
            "Your (c) stands as a column, so it goes with the queries. u · k belongs to the keys: lay it along the rows.",
        ),
        Mistake("(a + b + c + d) /", "(a + b + d) /", "The four terms are right, but (c) is missing from the scores."),
        Mistake("(a + b + c + d) /", "(a + b + c) /", "The four terms are right, but (d) is missing from the scores."),
        Mistake("(a + b + c + d) /", "(a + b) /", "The four terms are right, but the scores hold (a) and (b) only."),
        Mistake(
            "j - i + n_q - 1",
            "i - j + n_k - 1",
            "You look up the distance i − j. The rows of r go by the offset j − i, the past first: past and future are mirrored.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "i - j + n_q - 1",
            "You look up i − j. The rows of r go by the offset j − i, ascending: past and future are mirrored.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i",
            "Row j − i is negative for keys before the query, and NumPy then counts from the end. Offsets start at −(n_q − 1), so add n_q − 1.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_k - 1",
            "Right as long as there are as many queries as keys. The first row of r belongs to the *last query*: add n_q − 1.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q",
            "One row too far: the last query and the first key find their vector in row 0, and the last row of r is number n_q + n_k − 2.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q - 2",
            "One row short: offset −(n_q − 1) is row 0, and row −1 would be the last one of r.",
        ),
        Mistake(
            "j - i + n_q - 1",
            "j - i + n_q - 1 - (n_k - n_q)",
            "The memory is taken off a second time: r begins at the lowest offset already, so the row is j − i + n_q − 1 whatever lies in front.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = (q @ r[::-1].T)[i, row]",
            "In (b) the rows of r are read backwards: they go by the offset j − i, ascending, the far past first.",
        ),
        Mistake(
            "d = (v @ r.T)[row]",
            "d = (v @ r[::-1].T)[row]",
            "In (d) the rows of r are read backwards: they go by the offset j − i, ascending, the far past first.",
        ),
        Mistake(
            "a = q @ k.T",
            "a = (q + u) @ k.T",
            "Your (a) has (c) in it already, so that (c) is counted twice: here (a) is q · k alone.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = ((q + v) @ r.T)[i, row]",
            "Your (b) has (d) in it already, so that (d) is counted twice: here (b) is q · r alone.",
        ),
        Mistake(
            "a = q @ k.T",
            "a = q * k",
            "`*` multiplies entry by entry, row with row. Every query with every key is a matrix product.",
        ),
        Mistake(
            "d = (v @ r.T)[row]",
            "d = v * r[row]",
            "`v * r` is not summed yet: v · r is one number per offset.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = q @ r.T",
            "Your (b) still has a column per offset, n_q + n_k − 1 of them. Cell (i, j) takes one of these: number j − i + n_q − 1.",
        ),
        Mistake(
            "a = q @ k.T",
            "a = q @ q.T",
            "In (a) your queries meet queries. It is the keys that they meet: `q @ k.T`.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = (k @ r.T)[i, row]",
            "In (b) your keys meet the distances. It is the query that judges a distance, `q @ r.T`.",
        ),
        Mistake(
            "a = q @ k.T",
            "a = k @ k.T",
            "In (a) your keys meet keys. It is the query that meets them: `q @ k.T`.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = (k @ r.T)[j, row]",
            "In (b) your keys meet the distances. It is the query that judges a distance: `q @ r.T`.",
        ),
        Mistake(
            "b = (q @ r.T)[i, row]",
            "b = (q @ r.T)[:, :n_k]",
            "These are the products before they are laid out: in (b) every query has the same offset in the same column. Cell (i, j) needs row j − i + n_q − 1 of r.",
        ),
        Mistake(
            "c = np.tile(u @ k.T, (n_q, 1))",
            "c = np.repeat((q @ u)[:, None], n_k, axis=1)",
            "(c) lets u meet the queries, which gives a constant per row and cancels in the softmax. u meets the keys.",
        ),
        Mistake(
            "c = np.tile(u @ k.T, (n_q, 1))",
            "c = a + u @ k.T",
            "Your (c) holds (a) as well: it is u · k alone, the same in every row.",
        ),
        Mistake(
            "d = (v @ r.T)[row]",
            "d = v @ r.T",
            "(d) is still one number per offset. Lay them on the diagonals: cell (i, j) takes number j − i + n_q − 1.",
        ),
        Mistake(
            "d = (v @ r.T)[row]",
            "d = np.tile(v @ k.T, (n_q, 1))",
            "In (d) v meets the keys made from words. It meets those made from distances: v · r.",
        ),
        Mistake(
            _joined,
            "Your (a) holds (c) as well, and your (b) holds (d): (q + u) · k and (q + v) · r. Here each of the four stands alone.",
        ),
        Mistake(
            _added_to_the_query,
            "u is added to the queries themselves, so (b) meets it too. u belongs to (c) alone.",
        ),
        Mistake(
            "return a, b, c, d,",
            "return a, c, b, d,",
            "(b) and (c) are returned in the wrong order: a, b, c, d, scores.",
        ),
    ],
    alternatives=[_one_by_one],
    hints=[
        "Begin with two loops over i and j. In each cell: `r_ij = r[j - i + n_q - 1]`, then four products of two vectors.",
        "Without loops: `q @ r.T` holds every query with every offset. Row numbers for all cells at once: "
        "`row = np.arange(n_k) - np.arange(n_q)[:, None] + n_q - 1`.",
        "`(q @ r.T)[i, row]` picks for (b), with i as a column; `(v @ r.T)[row]` for (d). (c) is `u @ k.T`, repeated for each query.",
    ],
)
