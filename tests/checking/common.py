"""Tasks to check, and what a learner may hand them: a check answers in time, in words, and never raises."""

import numpy as np

from course_kit.checking import Axis, Case, CodingTask
from tools.notebook import defined

WORDS = ("The", "cat", "sat")


def _slope(n, strength):
    """Slope: B[i, j] = -strength * |j - i|, shape (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return -strength * abs(j - i)


def expected_slope(n, strength):
    return [[-strength * abs(j - i) for j in range(n)] for i in range(n)]


def _centred(x):
    """x without its mean, and the mean."""
    return x - x.mean(), x.mean()


def _softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _mask(n):
    """True where j is not after i."""
    return np.arange(n) <= np.arange(n)[:, None]


BASICS = dict(module=__name__, minutes=5, difficulty=1, words="Words.", hints=["first", "second"])


def slope_task(**changes):
    options = dict(
        title="Slope",
        solution=_slope,
        expected=expected_slope,
        cases=[
            Case(3, 0.5, label="three tokens", axes=(Axis("query", WORDS), Axis("key", WORDS))),
            Case(1, 0.5),
            Case(2, 1.0),
        ],
        draw=lambda rng: (int(rng.integers(2, 6)), float(rng.uniform(0.1, 2))),
        wrong="return strength * abs(j - i)  # The sign!",
        wrong_functions=[("All zero.", lambda n, strength: np.zeros((n, n)))],
        seconds=0.4,
    )
    return CodingTask(**{**BASICS, **options, **changes})


def array_task(solution, returns=(), **changes):
    options = dict(
        title="Array",
        solution=solution,
        expected=solution,
        cases=[Case(np.array([1.0, 2.0, 6.0]), label="three numbers"), Case(np.array([4.0, 4.0, 1.0]))],
        returns=returns,
        seconds=0.4,
    )
    return CodingTask(**{**BASICS, **options, **changes})


SLOPE = slope_task()
MASK = CodingTask("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
CENTRED = array_task(_centred, returns=("rest", "mean"))


def right(n, strength):
    return np.array(expected_slope(n, strength))


def cell(source):
    """The function `slope` from a notebook cell."""
    return defined(source, "slope", {"np": np})


def as_texts(result):
    """Both faces of a result, which must be there whatever the learner gave."""
    return repr(result), result._repr_html_()


def endless(n, strength):
    while True:
        pass


def broken_in_a_file(n, strength):
    return np.zeros(n) / undefined_name  # noqa: F821


def raiser(error):
    def function(n, strength):
        raise error

    return function


class Hostile:
    """Raises, or never ends, wherever it is touched."""

    def __init__(self, how):
        self.how = how

    def touch(self, *args, **kwargs):
        while self.how == "endless":
            pass
        raise SystemExit("touched")

    __array__ = __repr__ = __str__ = __eq__ = __len__ = __iter__ = __bool__ = __getitem__ = __float__ = touch
    __hash__ = None
