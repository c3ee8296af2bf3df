"""Two arrows and quarter turns, with a pencil."""

import numpy as np

from ..engine import Answer, Axis, Mistake

_Q, _K = np.array([2, 1]), np.array([1, 4])
_TURNED_Q, _TURNED_K = "q at position 1", "k at position 2"
_PRODUCT, _MOVED = "product, q at 1 and k at 2", "product, q at 1001 and k at 1002"
_BEFORE, _WHOLE = "product, q at 1 and k at 0", "product, q at 1 and k at 5"


def _quarter_turns(x, p):
    """x, turned to the left by p quarter turns, in whole numbers."""
    return np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), p % 4) @ x


def _turned_by_hand():
    def product(i, j):
        return int(_quarter_turns(_Q, i) @ _quarter_turns(_K, j))

    return {
        _TURNED_Q: _quarter_turns(_Q, 1).tolist(),
        _TURNED_K: _quarter_turns(_K, 2).tolist(),
        _PRODUCT: product(1, 2),
        _MOVED: product(1001, 1002),
        _BEFORE: product(1, 0),
        _WHOLE: product(1, 5),
    }


turned_by_hand = Answer(
    "turned_by_hand",
    title="Two arrows and quarter turns",
    minutes=10,
    difficulty=1,
    words="""One pair of channels, and a handy speed: a quarter turn to the left (90°) for each position. A quarter turn takes
$(a, b)$ to $(-b, a)$. The query is $q = (2, 1)$, the key $k = (1, 4)$. Everything is a whole number. Write down

- $q$ as it is at position 1, and $k$ at position 2, as lists of two;
- their product, with $q$ at 1 and $k$ at 2, and with $q$ at 1001 and $k$ at 1002;
- the product with $q$ at 1 and $k$ at 0, one place *before* the query;
- the product with $q$ at 1 and $k$ at 5. What does one pair alone know of that distance?""",
    expected=_turned_by_hand,
    digits=3,
    nearly=False,
    axes=(Axis("channel", ["0", "1"]),),
    mistakes=[
        Mistake({_TURNED_Q: [1, -2]}, "q: turned to the right. To the left (a, b) becomes (−b, a)."),
        Mistake(
            {_TURNED_Q: [1, 2]},
            "q: the two numbers have changed places, and the sign is missing: (a, b) becomes (−b, a).",
        ),
        Mistake({_TURNED_Q: [-2, 1]}, "q: the minus belongs to the other number, and they change places: (−b, a)."),
        Mistake({_TURNED_Q: [-2, -1]}, "q: two quarter turns. At position 1 it is one."),
        Mistake({_TURNED_Q: [2, 1]}, "q: not turned at all. That is position 0."),
        Mistake({_TURNED_Q: [2, -1]}, "q: mirrored. A turn changes the places of the two numbers: (−b, a)."),
        Mistake({_TURNED_Q: [-1, -2]}, "q: they have changed places, but only one gets a minus: (−b, a)."),
        Mistake({_TURNED_K: [-4, -1]}, "k: both signs are right, but a half turn changes no places."),
        Mistake({_TURNED_K: [-4, 1]}, "k: one quarter turn. At position 2 it is two."),
        Mistake(
            {_TURNED_K: [4, -1]}, "k: three quarter turns to the left, or one to the right. At position 2 it is two."
        ),
        Mistake({_TURNED_K: [1, 4]}, "k: not turned. Two quarter turns are a half turn, not a whole one."),
        Mistake({_TURNED_K: [4, 1]}, "k: a half turn changes both signs and no places."),
        Mistake({_TURNED_K: [-1, 4]}, "k: mirrored. A half turn changes both signs."),
        Mistake({_TURNED_K: [1, -4]}, "k: mirrored upside down. A half turn changes both signs."),
        Mistake(
            {_PRODUCT: 6},
            "Product: this is q · k without a turn. Multiply the turned arrows, number by number, and add.",
        ),
        Mistake(
            {_PRODUCT: 7}, "Product: the sign. The query turns by one quarter, the key by two: one more, not one less."
        ),
        Mistake(
            {_PRODUCT: -6}, "Product: only the key is turned, by both its quarters. The query turns by one itself."
        ),
        Mistake(
            {_PRODUCT: 9},
            "Product: check the sign of the second summand, 2 · (−4). (Or the signs of k: a half turn changes both.)",
        ),
        Mistake({_PRODUCT: -9}, "Product: check the sign of the first summand, (−1)·(−1)."),
        Mistake({_MOVED: 6}, "Moved: the arrows have the same angle between them as at 1 and 2, which is not 0."),
        Mistake(
            {_MOVED: 7},
            "Moved: the difference is j − i, not i − j. The key is one place after the query, as at 1 and 2.",
        ),
        Mistake(
            {_MOVED: -6},
            "Moved: only the key is turned, by two quarters. The query turns as well: 1001 quarter turns come to one.",
        ),
        Mistake({_MOVED: 9}, "Moved: check the sign of the second summand, as at 1 and 2."),
        Mistake({_MOVED: 0}, "Moved: nothing is lost far out. 1001 quarter turns are 250 whole turns and one quarter."),
        Mistake({_MOVED: -7000}, "Moved: the product does not grow with the position. Both arrows turn by the same."),
        Mistake({_MOVED: -7007}, "Moved: the product is not multiplied by the position. Both arrows turn by the same."),
        Mistake(
            {_BEFORE: -7},
            "Key at 0: a turn back is not the same as a turn forward. Here q is (−1, 2) and k is not turned.",
        ),
        Mistake({_BEFORE: 6}, "Key at 0: the key is not turned, but the query is, by one quarter."),
        Mistake({_BEFORE: -6}, "Key at 0: that is half a turn between them. It is a quarter."),
        Mistake({_BEFORE: 9}, "Key at 0: check the sign of the first summand, (−1)·1."),
        Mistake(
            {_WHOLE: -7}, "Key at 5: four quarter turns more than the query are one whole turn. Which angle is left?"
        ),
        Mistake({_WHOLE: -6}, "Key at 5: that is half a turn. From 1 to 5 there are four quarters."),
        Mistake({_WHOLE: 7}, "Key at 5: from 1 to 5 there are four quarter turns, a whole turn, not three."),
        Mistake({_WHOLE: 0}, "Key at 5: it is not lost. After a whole turn the key points as it does without any."),
    ],
    hints=[
        "(2, 1) becomes (−1, 2). Two quarter turns change both signs.",
        "(a, b) · (c, d) = a c + b d. Only the difference of the positions counts, j − i.",
        "From position 1 to position 5 it is a whole turn: one pair cannot tell distance 4 from 0. That is what the other, slower pairs are for.",
    ],
)
