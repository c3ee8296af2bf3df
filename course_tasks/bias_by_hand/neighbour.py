"""Commit to an answer."""

import numpy as np

from course_lib.checking import Prediction
from course_lib.reference.attention import softmax
from course_lib.reference.bias import decay_bias

from ..shared import SCORES


def _course_of_cat():
    """What happens to the weight of cat in the row The as λ grows: computed, then put in words."""
    weight = [softmax(SCORES[0] + decay_bias(5, scale=x)[0])[1] for x in np.linspace(0, 12, 400)]
    top = int(np.argmax(weight))
    rises, falls = bool(np.all(np.diff(weight[: top + 1]) > 0)), bool(np.all(np.diff(weight[top:]) < 0))
    return "rises, then falls" if 0 < top < len(weight) - 1 and rises and falls else "something else"


neighbour = Prediction(
    "neighbour",
    title="Commit to an answer",
    minutes=3,
    difficulty=1,
    words=r"""This task needs no code. In the row *The*, the neighbour *cat* is one step away. As $\lambda$ grows from
0 without limit, what happens to the weight that *The* gives to *cat*? Choose one of the answers beside the `...` and
check it. Only then try it in the picture of the lesson.""",
    expected=_course_of_cat,
    slips={
        "rises": "At first it does, because the far keys pay more. But the token itself has no penalty at all, and in "
        "the end that decides.",
        "falls": "In the end it does. But at small λ the far keys pay more than cat does, and cat gains part of what "
        "they lose.",
        "stays": "Its factor 2^−λ is compared with the average factor of the row, and both change with λ.",
        "falls, then rises": "It is the other way round. Think of a very large λ: which key alone has no penalty?",
        "rises to 1": "For very large λ only one key has no penalty at all, and that is the token itself.",
    },
    closed=True,
    hints=[
        "Which keys pay more than cat? Which pay less?",
        "At small λ the far keys lose. At large λ every key but the token itself loses.",
    ],
)
