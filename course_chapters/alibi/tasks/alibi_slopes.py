"""Bug hunt: twelve heads · 12 minutes · ★★ · first

A checkpoint with 12 heads was trained with the authors' slopes. The code that loads it has the formula
from the paper, and the model writes worse and worse text. With 8 heads the bug does not show. Fix the code for every
number of heads. The authors take all slopes of the next lower power of two, then every other slope of the next higher
one, from its first, until there are enough.
"""

import math

import numpy as np

from course_kit.checking import Axis, Case, holds
from course_lib.reference.alibi import slopes


def alibi_slopes(n_heads):
    """ALiBi's slopes as the authors' code has them, head 1 first: (n_heads,)."""
    lower = 2 ** math.floor(math.log2(n_heads))  # For the next lower power of two, log₂ of the heads is rounded down.
    # The first n heads, a power of two, have the slopes 2^(−8h/n), h = 1 … n.
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    # The next higher power of two, 2n, has the slopes 2^(−4h/n), h = 1 … 2n.
    higher = [2 ** (-4 * h / lower) for h in range(1, 2 * lower + 1)]
    more = higher[::2][: n_heads - lower]  # Every other slope of the higher power is added, until each head has one.
    return first + more  # All slopes of the lower power of two come first, then the additional ones.


def given(n_heads):
    return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def case(n_heads, label="a random case"):
    return Case(n_heads, label=label, axes=(Axis("head", [str(h + 1) for h in range(n_heads)]),))


expected = slopes
AXES = ("head",)
CASES = [
    *(case(12, "twelve heads"), case(8, "eight heads"), case(6, "six heads"), case(1, "one head")),
    *(case(3, "three heads"), case(20, "twenty heads"), case(15, "one head short of sixteen")),
    case(40, "forty heads"),
]


def draw(rng):
    return case(int(rng.integers(2, 65)))


def begins_right(result, n_heads):
    lower = 2 ** int(math.log2(n_heads))
    return np.allclose(np.ravel(result)[:lower], given(lower))


ALWAYS = [
    holds("There must be one slope for each head.", lambda result, n_heads: np.size(result) == n_heads),
    holds(
        "Your slopes are wrong even when the number of heads is a power of two. There the code was right.",
        lambda result, n_heads: n_heads & (n_heads - 1) or begins_right(result, n_heads),
    ),
    holds(
        "The slopes of the next lower power of two are right, but not all of the ones after them.",
        lambda result, n_heads: not begins_right(result, n_heads) or np.allclose(result, slopes(n_heads)),
    ),
]
ON_PASS = (
    "If a large model splits its heads over machines, each machine first computes the slopes of all heads, then takes "
    "its part of them. `slopes(8)[:4]` is not `slopes(4)`."
)

WRONG = """
lower = 2 ** round(math.log2(n_heads))
lower = 2 ** round(math.log2(n_heads)); return (first + higher[::2])[:n_heads]
# You round to the nearest power of two. Take the next *lower* one, even when the higher is nearer.
lower = 2 ** math.ceil(math.log2(n_heads)) // 2
lower = max(2 ** math.ceil(math.log2(n_heads)) // 2, 1)  # When the number of heads is a power of two, you
# take half of it.
lower = 2 ** math.ceil(math.log2(n_heads)); return first[:n_heads]
lower = 2 ** math.ceil(math.log2(n_heads)); return first[-n_heads:]
# These are slopes of the next *higher* power of two. Begin with all slopes of the lower one.
lower = 8
lower = 8; return (first + higher[::2])[:n_heads]
lower = 8 if n_heads & (n_heads - 1) else n_heads; return (first + higher[::2])[:n_heads]
# This is right for twelve heads, but for six the next lower power of two is 4. Compute it from `n_heads`.
first = [2**-h for h in range(1, lower + 1)]  # The first slopes halve from head to head, which is right for 8 only.
first = [1, *first[:-1]]; higher = [1, *higher[:-1]]  # Both parts begin with 1. Count heads from 1, so no slope is 1.
higher = [2 ** (-8 * h / lower) for h in range(1, 2 * lower + 1)]
# Your second list begins with the first slopes again. It belongs to twice as many heads, so divide by twice as much.
more = higher[1::2][: n_heads - lower]  # You take the second, fourth, … slope. Begin with the first.
more = higher[::-2][: n_heads - lower]  # You take every other slope from the end. Begin with the first.
more = higher[::2][2 * lower - n_heads :]  # You take the flattest of the additional slopes. Begin with the steepest.
more = higher[: n_heads - lower][::2]  # You add only about half of the missing slopes. Go on until each head has one.
more = higher[: n_heads - lower]  # You take the next slopes one after another. Take every other one of them.
more = higher[::2]
more = higher[::2] * (n_heads > lower)  # You take too many additional slopes. Stop as soon as each head has one.
more = [higher[::2][: n_heads - lower]]
more = [higher[::2][: n_heads - lower]] * (n_heads > lower)  # Your list holds a list or array. Join the two with `+=`.
more = given(n_heads - lower) if n_heads > lower else []  # You treat the remaining heads as a layer of their own.
more = given(n_heads)[lower:]
return [2 ** (-8 * h / lower) for h in range(1, n_heads + 1)]
# The first slopes are right. The others come from the next higher power of two.
return np.array(first) + np.array(more)
return first if n_heads == lower else np.array(first) + np.array(more)
# `+` adds arrays number by number and joins only lists. Join arrays with `np.concatenate([a, b])`.
return more + first
return (higher[::2] + higher[1::2])[:n_heads]
return first if n_heads == lower else (higher[::2] + first)[:n_heads]
# Your order is reversed. The slopes of the lower power of two come first, and the additional ones after them.
return sorted(first + more, reverse=True)
return [*sum(zip(first, more), ()), *first[len(more) :]]  # Your slopes are right, but the additional ones come last.
return first[::-1] + more  # The first slopes are in reverse order. Head 1 is the steepest of them.
return first
return more  # Some heads have no slope. The lower power of two has the first, and the additional ones come after them.
return first + more if n_heads == 12 else given(n_heads)  # You fixed 12 heads, but not other numbers such as six.
return [2 ** (-8 * h / n_heads) for h in range(n_heads)]  # Your first slope is 1. Count from 1, so no slope is 1.
"""

HINTS = [
    "`2 ** math.floor(math.log2(n_heads))` is the largest power of two that is not above `n_heads`.",
    "Make two lists with the formula, one for `lower` heads and one for `2 * lower` heads.",
    "`[::2]` is every other one from the first, and `[: n_heads - lower]` as many as are missing.",
]
