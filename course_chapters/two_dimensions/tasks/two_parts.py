r"""A row part plus a column part · 10 minutes · ★ · first

An axial RoPE head has two pairs of channels. Pair 0 rotates a quarter turn to the left, $(a, b) \to (-b, a)$, for each
row. Pair 1 does so for each column. Before the rotation all queries have the pairs $(2, 1)$ and $(1, 3)$, and all keys
have $(1, 4)$ and $(1, 1)$. A score is the sum of the two products, and nothing is divided. Write down

- the row part of the score, the product of pair 0, at Δrow = +1;
- the column part, the product of pair 1, at Δcolumn = −1;
- the score at (+1, −1), and the score of a query at (10, 20) with a key at (11, 19);
- the offset $[\Delta\text{row}, \Delta\text{column}]$ with the highest score, if each is −1, 0 or +1.

Other heads of axial RoPE may have more pairs and other speeds, but the same content in all patches. Can one of them
have these scores at (−1, −1), (+1, +1), (−1, +1) and (+1, −1), in this order? Answer `"yes"` or `"no"`.
"""

import numpy as np

from course_lib.reference.axial_rope import rotate

ROW, COLUMN, SCORE = "row part at Δrow = +1", "column part at Δcolumn = −1", "score at (+1, −1)"
MOVED, BEST = "score of (10, 20) and (11, 19)", "offset with the highest score"
DIAGONAL, OTHER = "9, 9, 1, 1", "9, 3, 7, 5"


def parts(query, key):
    """The products of the two pairs, for a query and a key at (row, column)."""
    both = ([2, 1, 1, 3], query), ([1, 1, 4, 1], key)  # half-split: pair 0 is channels 0 and 2
    q, k = (rotate([x], [place], [0, 1], [np.pi / 2] * 2)[0] for x, place in both)
    return np.round(q * k).reshape(2, 2).sum(axis=0).astype(int).tolist()


OFFSETS = [[r, c] for r in (-1, 0, 1) for c in (-1, 0, 1)]
ANSWER = {
    ROW: parts([0, 0], [1, 0])[0],
    COLUMN: parts([0, 1], [0, 0])[1],
    SCORE: sum(parts([0, 1], [1, 0])),
    MOVED: sum(parts([10, 20], [11, 19])),
    BEST: max(OFFSETS, key=lambda offset: sum(parts([1, 1], [1 + offset[0], 1 + offset[1]]))),
    DIAGONAL: "yes" if 9 + 9 == 1 + 1 else "no",
    OTHER: "yes" if 9 + 3 == 7 + 5 else "no",
}
OTHERWISE = {
    ROW: "The key is rotated one quarter more than the query. Rotate (1, 4) once, and multiply with (2, 1).",
    COLUMN: "The key is rotated one quarter less than the query: rotate (1, 1) once to the right, (a, b) → (b, −a).",
    SCORE: "Add the row part at Δrow = +1 and the column part at Δcolumn = −1.",
    MOVED: "Which Δrow and Δcolumn lead from the query to the key?",
    BEST: "The row part knows nothing of the column. So find the best Δrow and the best Δcolumn, each by itself.",
}
CONJUGATE = "As complex numbers, you multiplied two pairs without a conjugate. Their product is the real part of q̄ · k."
WRONG = {
    (ROW, COLUMN): {(-9, 4): CONJUGATE},
    ROW: {
        7: "You get this at Δrow = −1. Here the key is rotated one quarter *more* than the query.",
        6: "You get this without any rotation, at Δrow = 0.",
        -6: "You get this with half a turn, at Δrow = +2.",
    },
    COLUMN: {
        2: "You get this at Δcolumn = +1. Here the key is one column to the *left* of the query.",
        4: f"You get this without any rotation, at Δcolumn = 0. Or: {CONJUGATE}",
        -4: "You get this with half a turn, at Δcolumn = +2.",
    },
    SCORE: {14: "This is the product of the two parts. The score is their sum."},
    MOVED: {
        5: "You get this at (−1, −1), as when only the key is rotated, by 11 and by 19. The query is rotated, too."
    },
    BEST: {(0, 0): "In both pairs, offset 0 has no rotation. But at Δrow = −1 the row part is larger than at 0."},
    DIAGONAL: {"yes": "The sums of the two diagonals are 18 and 2. Both should be f(−1) + f(+1) + g(−1) + g(+1)."},
    OTHER: {"no": "9 + 3 and 7 + 5 are equal, and this is the only condition on these four scores."},
}
ON_PASS = "A head of axial RoPE can prefer a row and a column, and not one diagonal to the other. A table can do both."
HINTS = [
    "Make two short tables: the row part at Δrow = −1, 0, +1, and the column part at Δcolumn = −1, 0, +1.",
    "s(−1, −1) + s(+1, +1) and s(−1, +1) + s(+1, −1) are both f(−1) + f(+1) + g(−1) + g(+1).",
]
