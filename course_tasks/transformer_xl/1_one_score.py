"""One score by hand · 6 minutes · ★

A query, a key, and the vector of the distance between them, with the two learned vectors:

| | |
|---|---|
| $q_i$ | (1, 0, 3, 2) |
| $k_j$ | (0, 1, 0, 1) |
| $r_{j-i}$ | (2, 0, 1, −1) |
| $u$ | (0, 1, 3, 3) |
| $v$ | (2, 0, 2, 1) |

Work out the four terms as they appear in the sum, before the scaling, and then the score of Transformer-XL. A pencil is
enough.
"""

from itertools import combinations

import numpy as np

from course_lib.reference.transformer_xl import term_a, term_b, term_c, term_d, xl_scores

VECTORS = {  # chosen so that all ten products of two of them differ
    "q": np.array([1, 0, 3, 2]),
    "k": np.array([0, 1, 0, 1]),
    "r": np.array([2, 0, 1, -1]),
    "u": np.array([0, 1, 3, 3]),
    "v": np.array([2, 0, 2, 1]),
}


MEETS = {
    "a": ("qk", "the query meets the key"),
    "b": ("qr", "the query meets the vector of the distance"),
    "c": ("uk", "u meets the key"),
    "d": ("vr", "v meets the vector of the distance"),
}


def answer():
    """The four terms of one pair, and its score: one query, one key, one offset."""
    q, k, r, u, v = VECTORS.values()
    terms = term_a([q], [k]), term_b([q], [r]), term_c(u, [k]), term_d(v, [r], 1)
    named = {name: int(term[0, 0]) for name, term in zip("abcd", terms)}
    return {**named, "score": int(xl_scores([q], [k], [r], u, v)[0, 0])}


def _other_products(term):
    """Every other product of two of the five vectors, with what the term is instead."""
    right, words = MEETS[term]
    return {
        int(VECTORS[x] @ VECTORS[y]): f"This is {x} · {y}. In ({term}) {words}."
        for x, y in combinations(VECTORS, 2)
        if {x, y} != set(right)
    }


ANSWER = answer()


WRONG = {
    ("a", "b", "c", "d", "score"): {
        (1, 1.5, 2, 2.5, 3.5): (
            "You divided the terms by √d, and the score once again. Give the terms unscaled, and scale only the score."
        ),
        (1, 1.5, 2, 2.5, ...): "You divided the terms by √d. Give them unscaled; only the score is divided by √d.",
    },
    ("a", "c"): {(4, 2): "You exchanged (a) and (c). In (a) the query meets the key."},
    ("b", "c"): {(4, 3): "You exchanged (b) and (c). In (b) the query meets the vector of the distance."},
    ("b", "d"): {
        (5, 3): "You exchanged (b) and (d). In (b) the query meets the vector of the distance.",
        (7, 7): "Look at the sign of the last product in (b) and in (d), because the last number of r is −1.",
    },
    ("c", "d"): {
        (1, 0): "You exchanged u and v. u meets keys made from words, v meets keys made from distances.",
        (0, 1): "You exchanged the partners of u and v. u meets the key, v the vector of the distance.",
        (15, 10): (
            "Here u and v meet the query. They replace the query's position, so they meet the key and the vector "
            "of the distance."
        ),
        (5, 4): "You exchanged (c) and (d). (c) is the term with the key, (d) the one with the distance.",
    },
    "a": {
        6: "This is (a) and (c) in one product, (q + u) · k. Give each term by itself.",
        **_other_products("a"),
    },
    "b": {
        7: "Look at the sign of the last product in (b), because one of its two numbers is −1.",
        8: "This is (b) and (d) in one product, (q + v) · r. Give each term by itself.",
        **_other_products("b"),
    },
    "c": _other_products("c"),
    "d": {
        7: "Look at the sign of the last product in (d), because one of its two numbers is −1.",
        **_other_products("d"),
    },
    "score": {
        14: "This is the sum of the four terms. The scaling applies to all of it. What is d here?",
        3.5: "You divided the sum by 4. The scaling divides by the square root, √d = 2.",
        13: "You scaled only the first term. Transformer-XL scales the sum of all four.",
        11.5: "You scaled (a) and (b), but not (c) and (d). Transformer-XL scales the sum of all four.",
        11: "The whole sum is scaled. Did you scale only (a) and (c), or leave out (b) and the scaling?",
        10: "The whole sum is scaled. Did you scale only (b) and (d), or leave out (c) and the scaling?",
        2.5: "This is the scaled sum of (a) and (b). (c) and (d) belong to the score as well.",
        5: "(c) is missing from the sum. The score holds all four terms.",
        4.5: "(d) is missing from the sum. The score holds all four terms.",
        28: "You multiplied by √d. Divide by it.",
    },
}


HINTS = [
    "There are four products of two vectors. The table in “Three changes” shows which two meet in which term.",
    "(a) q·k, (b) q·r, (c) u·k, (d) v·r.",
    "The vectors have four numbers, so d = 4.",
]
