"""Two arrows and quarter turns · 10 minutes · ★ · first

One pair of channels turns at a convenient speed: a quarter turn to the left (90°) per position. A quarter
turn takes $(a, b)$ to $(-b, a)$. The query is $q = (2, 1)$, and the key is $k = (1, 4)$. All results are whole numbers.
Write down

- $q$ as it is at position 1, and $k$ as it is at position 2, as lists of two;
- their product, with $q$ at 1 and $k$ at 2, and with $q$ at 1001 and $k$ at 1002;
- the product with $q$ at 1 and $k$ at 0, one place *before* the query;
- the product with $q$ at 1 and $k$ at 5.
"""

import numpy as np

from course_kit.checking import Axis


def turned(x, p):
    """x, turned to the left by p quarter turns, in whole numbers."""
    return np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), p % 4) @ x


def product(i, j):
    return int(turned([2, 1], i) @ turned([1, 4], j))


ANSWER = {
    "q at position 1": turned([2, 1], 1).tolist(),
    "k at position 2": turned([1, 4], 2).tolist(),
    "product, q at 1 and k at 2": product(1, 2),
    "product, q at 1001 and k at 1002": product(1001, 1002),
    "product, q at 1 and k at 0": product(1, 0),
    "product, q at 1 and k at 5": product(1, 5),
}
AXES = (Axis("channel", ["0", "1"]),)
WRONG = {
    "q at position 1": {
        (1, -2): "This is q turned to the right. To the left, (a, b) becomes (−b, a).",
        (1, 2): "You exchanged the two numbers, but the minus sign is missing. (a, b) becomes (−b, a).",
        (-2, 1): "A quarter turn also exchanges the two numbers: (a, b) becomes (−b, a).",
        (-2, -1): "These are two quarter turns. Position 1 needs only one.",
        (2, 1): "This is q as it is, at position 0. At position 1 it is turned once.",
        (2, -1): "This is q mirrored. A turn also exchanges the two numbers: (a, b) becomes (−b, a).",
        (-1, -2): "You gave both numbers a minus sign. Only the first gets one: (a, b) becomes (−b, a).",
    },
    "k at position 2": {
        (-4, -1): "Both signs are right, but half a turn does not exchange the two numbers.",
        (-4, 1): "This is one quarter turn. Position 2 needs two.",
        (4, -1): "These are three quarter turns to the left, or one to the right. Position 2 needs two to the left.",
        (1, 4): "This is k as it is. Two quarter turns are half a turn, not a whole one.",
        (4, 1): "You exchanged the two numbers. Half a turn changes both signs and exchanges nothing.",
        (-1, 4): "This is k mirrored. Half a turn changes both signs.",
        (1, -4): "This is k mirrored. Half a turn changes both signs.",
    },
    "product, q at 1 and k at 2": {
        6: "This is q · k without any turn. Multiply the turned arrows number by number, and add.",
        7: "The sign is wrong. The key is turned one quarter further than the query, not one quarter less.",
        -6: "This is the product for half a turn between the arrows, as if only the key turned. It is a quarter.",
        9: "Check the sign of the second summand, 2 · (−4), and the signs of k. Half a turn changes both.",
        -9: "Check the sign of the first summand, (−1) · (−1).",
    },
    "product, q at 1001 and k at 1002": {
        6: "k is turned a quarter further than q, as at 1 and 2. This is the product when both are turned alike.",
        7: "The sign is wrong. The key is one place after the query, as with q at 1 and k at 2.",
        -6: "This is the product for half a turn between the arrows. From 1001 to 1002 there is one quarter.",
        9: "Check the sign of the second summand, as with q at 1 and k at 2.",
        0: "Nothing is lost far from the beginning. 1001 quarter turns are 250 whole turns and one quarter.",
        -7000: "The product does not grow with the position, because both arrows turn by the same angle.",
        -7007: "The product is not multiplied by the position. Both arrows turn by the same angle.",
    },
    "product, q at 1 and k at 0": {
        -7: "A turn back is not the same as a turn forward. Here q is (−1, 2), and k is not turned.",
        6: "The key is not turned, but the query is, by one quarter.",
        -6: "This is the product for half a turn between the arrows. It is a quarter.",
        9: "Check the sign of the first summand, (−1) · 1.",
        -9: "Check the sign of the second summand, 2 · 4.",
    },
    "product, q at 1 and k at 5": {
        -7: "The key is turned four quarters more than the query, which is a whole turn. Which angle is left?",
        -6: "This is the product for half a turn between the arrows. From 1 to 5 there are four quarters.",
        7: "This is the product for three quarters between the arrows. From 1 to 5 there are four, a whole turn.",
        9: "Check the minus signs. After a whole turn the product is that of q and k as they are given.",
        2: "Check the sign of the second summand, 2 · 1.",
        0: "The key is not lost. After a whole turn it points where it pointed before.",
    },
}
ON_PASS = (
    "From position 1 to position 5 it is a whole turn, so this pair cannot tell distance 4 from 0. The other pairs "
    "of a head, which are slower, can."
)
HINTS = [
    "(2, 1) becomes (−1, 2). Two quarter turns change both signs.",
    "(a, b) · (c, d) = a c + b d. Only the difference of the positions counts, j − i.",
    ON_PASS,
]
