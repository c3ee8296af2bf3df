"""One score by hand · 6 minutes · ★ · first

A query, a key, and the vector of the distance between them, with the two learned vectors:

| | |
|---|---|
| $q_i$ | (1, 3, 3, 4) |
| $k_j$ | (0, 4, 2, 3) |
| $r_{j-i}$ | (5, 4, 4, −1) |
| $u$ | (0, 0, 1, 4) |
| $v$ | (0, 2, 0, 1) |

Work out the four terms as they appear in the sum, before the scaling, and then the score of Transformer-XL. A pencil is
enough.
"""

from itertools import combinations

import numpy as np

from course_lib.reference.transformer_xl import xl_scores

# No two of the ten products are near each other, so a slip of the pencil is not taken for another product.
VECTORS = {"q": [1, 3, 3, 4], "k": [0, 4, 2, 3], "r": [5, 4, 4, -1], "u": [0, 0, 1, 4], "v": [0, 2, 0, 1]}
q, k, r, u, v = map(np.array, VECTORS.values())
a, b, c, d = TERMS = [int(q @ k), int(q @ r), int(u @ k), int(v @ r)]
TOTAL = sum(TERMS)
ANSWER = {**dict(zip("abcd", TERMS)), "score": int(xl_scores([q], [k], [r], u, v)[0, 0])}

MEETS = {
    "qk": "In (a) the query meets the key.",
    "qr": "In (b) the query meets the vector of the distance.",
    "uk": "In (c) u meets the key.",
    "vr": "In (d) v meets the vector of the distance.",
}
AS_WELL = {"crv": ", and half of u · k"}  # numbers that two slips give
HALVED = {term: value / 2 for term, value in zip("abcd", TERMS)}
DIVIDED = "You divided terms by √d. Give them unscaled; only the score is divided by √d."
SCALED = "Transformer-XL scales the sum of all four."
SIGN = "Look at the sign of the last product, because the last number of r is −1."

WRONG = [
    ({**HALVED, "score": TOTAL / 4}, "You divided the terms by √d, and the score once again. Scale only the score."),
    (HALVED, DIVIDED),
    *(({x: HALVED[x], y: HALVED[y]}, DIVIDED) for x, y in combinations("abcd", 2)),
    ({"a": c, "c": a}, f"You exchanged (a) and (c). {MEETS['qk']}"),
    ({"b": c, "c": b}, f"You exchanged (b) and (c). {MEETS['qr']}"),
    ({"b": d, "d": b}, f"You exchanged (b) and (d). {MEETS['qr']}"),
    ({"c": d, "d": c}, "You exchanged (c) and (d). (c) is the term with the key, (d) the one with the distance."),
    (
        {"c": v @ k, "d": u @ r},
        "You exchanged u and v. u meets keys made from words, v meets keys made from distances.",
    ),
    ({"c": u @ r, "d": v @ k}, "You exchanged the partners of u and v. u meets the key, v the vector of the distance."),
    (
        {"c": q @ u, "d": q @ v},
        "Here u and v meet the query. They replace its position: u meets the key, v the distance.",
    ),
    ({"b": q @ abs(r)}, SIGN),
    ({"d": v @ abs(r)}, SIGN),
    ({"b": q @ (r * [-1, 1, -1, 1])}, "You changed the signs of two numbers of r. It belongs to j − i already."),
    ({"a": a + c}, "This is (a) and (c) in one product, (q + u) · k. Give each term by itself."),
    ({"b": b + d}, "This is (b) and (d) in one product, (q + v) · r. Give each term by itself."),
    *(
        ({term: int(np.dot(VECTORS[x], VECTORS[y]))}, f"This is {x} · {y}{AS_WELL.get(term + x + y, '')}. {words}")
        for term, (pair, words) in zip("abcd", MEETS.items())
        for x, y in combinations(VECTORS, 2)
        if {x, y} != set(pair)
    ),
    ({"score": TOTAL}, "This is the sum of the four terms. The scaling divides all of it by √d, here 2."),
    ({"score": TOTAL / 4}, "You divided the sum by 4. The scaling divides by the square root, √d = 2."),
    ({"score": TOTAL * 2}, "You multiplied by √d. Divide by it."),
    ({"score": TOTAL - a / 2}, f"You scaled only the first term. {SCALED}"),
    ({"score": TOTAL - (a + b) / 2}, f"You scaled (a) and (b), but not (c) and (d). {SCALED}"),
    ({"score": TOTAL - (a + c) / 2}, f"You scaled (a) and (c), but not (b) and (d). {SCALED}"),
    ({"score": TOTAL - (b + d) / 2}, f"You scaled (b) and (d), but not (a) and (c). {SCALED}"),
    ({"score": (a + b) / 2}, "This is the scaled sum of (a) and (b). (c) and (d) belong to the score as well."),
    *(
        ({"score": (TOTAL - x) / 2}, f"({t}) is missing from the sum. The score holds all four.")
        for t, x in zip("abcd", TERMS)
    ),
    *(
        ({t: x + slip}, "You are 1 off. Add your four products again.")
        for t, x in zip("abcd", TERMS)
        for slip in (1, -1)
    ),
]

HINTS = [
    "There are four products of two vectors. The table in “Two vectors replace the query's position” shows which two "
    "meet in which term.",
    "(a) q·k, (b) q·r, (c) u·k, (d) v·r.",
    "The vectors have four numbers, so d = 4.",
]
