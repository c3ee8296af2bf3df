"""Bug hunt: twelve heads · 12 minutes · ★★

A checkpoint with 12 heads was trained with the authors' slopes. The code that loads it has the formula
from the paper, and the model writes worse and worse text. With 8 heads the bug does not show. Fix the code for every
number of heads. The authors take all slopes of the next lower power of two, then every other slope of the next higher
one, from its first, until there are enough.
"""

import math

import numpy as np

from course_kit.checking import Axis, Case
from course_kit.checking.pages import holds
from course_lib.reference.alibi import slopes


def alibi_slopes(n_heads):
    """ALiBi's slopes as the authors' code has them, head 1 first: (n_heads,)."""
    # Heads are counted from 1, so every slope is below 1. A power of *two* needs the logarithm to base 2, `math.log2`.
    # The exponent of the lower power of two is rounded down, also when the higher power of two is nearer.
    lower = 2 ** math.floor(math.log2(n_heads))
    # With `lower` heads it is −8h / lower. The end of the first list runs over h = 1 … lower.
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    # With twice as many heads it is −8h / (2 · lower). The end of the second list runs over h = 1 … 2 · lower.
    higher = [2 ** (-4 * h / lower) for h in range(1, 2 * lower + 1)]
    # There are `lower` slopes already, so take `n_heads - lower` more. The first list holds all slopes of the lower
    # power of two, and the additional ones come after them. Take every other slope of the higher power of two until
    # each head has one.
    return first + higher[::2][: n_heads - lower]


def _of(n):
    return [2 ** (-8 * h / n) for h in range(1, n + 1)]


def _lower(n_heads):
    return 2 ** math.floor(math.log2(n_heads))


def _case(n_heads, label):
    return Case(n_heads, label=label, axes=(Axis("head", [str(h + 1) for h in range(n_heads)]),))


def _right_for_powers(result, n_heads):
    return _lower(n_heads) != n_heads or np.allclose(result, _of(n_heads))


def _right_after_the_first(result, n_heads):
    """Asked only where the first slopes are right."""
    found, low = np.ravel(result), _lower(n_heads)
    return found.shape != (n_heads,) or not np.allclose(found[:low], _of(low)) or np.allclose(found, slopes(n_heads))


def _one_each(result, n_heads):
    return np.shape(np.squeeze(result)) in ((n_heads,), ()) or n_heads == 1


BUG = "return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]"


ON_PASS = (
    "If a large model splits its heads over machines, each machine first computes the slopes of all heads, then takes "
    "its part of them. `slopes(8)[:4]` is not `slopes(4)`."
)


def expected(n_heads):
    return slopes(n_heads)


AXES = ("head",)


CASES = [
    *(_case(12, "twelve heads"), _case(8, "eight heads"), _case(6, "six heads"), _case(1, "one head")),
    *(_case(3, "three heads"), _case(20, "twenty heads"), _case(15, "one head short of sixteen")),
    _case(40, "forty heads"),
]


def draw(rng):
    return _case(int(rng.integers(2, 65)), "a random case")


ALWAYS = [
    holds("There must be one slope for each head.", _one_each),
    holds(
        (
            "Your slopes are wrong even when the number of heads is a power of two. There the given code was right: "
            "2^(−8h/H), h = 1 … H."
        ),
        _right_for_powers,
    ),
    holds(
        (
            "The slopes of the next lower power of two are right, but the ones after them are not. They are every "
            "other slope of the next higher power of two, from its first."
        ),
        _right_after_the_first,
    ),
]


WRONG = """
return first + higher[1::2][:n_heads - lower]  # You take the second, fourth, … slope of the higher power of two, which
# you have already. Begin with its first.
return first + higher[:n_heads - lower]  # The additional slopes are neighbours. Take every other one, because you
# already have those between them.
return first + higher[::-2][:n_heads - lower]  # You take every other slope from the end. Begin with the first of the
# higher power of two.
return first + higher[::2][2 * lower - n_heads:]  # You take the flattest of the additional slopes. The code takes the
# steepest, from the first on.
return first + higher[:n_heads - lower][::2]  # You cut first and then take every other one, so there are too few. Cut
# last, `[::2][: n_heads - lower]`.
return [*first, higher[::2][:n_heads - lower]]  # There is a list inside your list, because `append` adds it as one
# entry. `+=` or `extend` joins the two.
return first + [higher[::2][:n_heads - lower]] * (n_heads > lower)  # Except for powers of two, there is a list inside
# your list. `append` adds it as one entry; `+=` or `extend` joins.
return np.array(first) + np.array(higher[::2][:n_heads - lower])
return first if n_heads == lower else np.array(first) + np.array(higher[::2][:n_heads - lower])  # `+` adds arrays
# number by number and joins only lists. Join arrays with `np.concatenate([a, b])`.
first = [2 ** (-8 * h / n_heads) for h in range(1, lower + 1)]  # The first slopes still divide by `n_heads`. They are
# those of a layer with `lower` heads.
higher = [2 ** (-8 * h / lower) for h in range(1, 2 * lower + 1)]  # The second list has the first slopes again and
# continues below 2⁻⁸. With twice as many heads, divide by 2 · lower.
higher = [2 ** (-2 * h / lower) for h in range(1, 2 * lower + 1)]  # The second list belongs to four times as many
# heads. With twice as many it is 2^(−8h / (2 · lower)).
first = [2 ** (-4 * h / lower) for h in range(1, lower + 1)]  # The first slopes are the first ones of the higher power
# of two. With `lower` heads the exponent is −8h / lower.
return higher[::2][:n_heads - lower] + first  # You have the right slopes, but the additional ones come last.
return sorted(first + higher[::2][:n_heads - lower], reverse=True)  # You have the right slopes, but sorted. Weights
# belong to heads, so keep the order in which the code makes them.
return first[::-1] + higher[::2][:n_heads - lower]  # The first slopes are in reverse order. Head 1 is the steepest of
# them.
lower = 2 ** round(math.log2(n_heads))  # You round to the nearest power of two. Take the next *lower* one, even when
# the higher is nearer.
lower = 2 ** math.ceil(math.log2(n_heads)) // 2  # When the number of heads is a power of two itself, you take half of
# it. Then no additional slopes are needed.
lower = 8  # The lower power of two is 8 for 12 heads only. Compute it from `n_heads`.
first = [2 ** (-h) for h in range(1, lower + 1)]  # The first slopes halve from head to head. That is right for 8 heads
# only, because the last slope is always 2⁻⁸.
first = [math.exp(-8 * h / lower) for h in range(1, lower + 1)]  # The first slopes are powers of e. They are powers of
# 2.
higher = [2 ** (-4 * h / lower) for h in range(1, lower + 1)]  # The second list ends too early, so too few slopes are
# left for 15 heads. The next higher power of two has 2 · lower.
return [2 ** (-8 * h / _lower(n_heads)) for h in range(1, n_heads + 1)]  # The first slopes are right. Then you
# continue below 2⁻⁸, but the others come from the next higher power of two.
return (_of(8) + _of(16)[::2])[:n_heads]  # This is right for 8 to 16 heads only. For six heads the next lower power of
# two is 4, so compute it from `n_heads`.
return _of(n_heads) if _lower(n_heads) == n_heads else (_of(8) + _of(16)[::2])[:n_heads]  # This is right for 12 heads,
# but for six the next lower power of two is 4. Compute it from `n_heads`.
return list(slopes(12)) if n_heads == 12 else _of(n_heads)  # You fixed 12 heads, but not other numbers such as six or
# twenty. Compute the lower power of two from `n_heads`.
return _of(2 ** math.ceil(math.log2(n_heads)))[:n_heads]  # These are the first slopes of the next *higher* power of
# two. Begin with all slopes of the lower one.
return _of(2 ** math.ceil(math.log2(n_heads)))[-n_heads:]  # These are the last slopes of the next *higher* power of
# two. Begin with all slopes of the lower one.
return (higher[::2] + higher[1::2])[:n_heads]
return first if n_heads == lower else (higher[::2] + first)[:n_heads]  # You reversed the order. The slopes of the
# lower power of two come first, and the additional ones after them.
return first + higher[::2] * (n_heads > lower)  # You take too many additional slopes. Stop as soon as each head has
# one, after `n_heads - lower` of them.
return first + (_of(n_heads - lower) if n_heads > lower else [])  # You treat the remaining heads as a layer of their
# own. They take every other slope of the next higher power of two.
return [2 ** (-8 * h / n_heads) for h in range(n_heads)]  # Your formula counts heads from 0 and begins with a slope of
# 1. Count from 1, so h = 1 … H.
"""


HINTS = [
    "`2 ** math.floor(math.log2(n_heads))` is the largest power of two that is not above `n_heads`.",
    "Make two lists with the formula, one for `lower` heads and one for `2 * lower` heads.",
    "`[::2]` is every other one from the first, and `[: n_heads - lower]` as many as are missing.",
]


def wrong_program_14(n_heads):
    """You have the right slopes, but the additional ones come last, not in between."""
    lower = 2 ** math.floor(math.log2(n_heads))
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    higher = [2 ** (-4 * h / lower) for h in range(1, 2 * lower + 1)]
    more = higher[::2][: n_heads - lower]
    return [*sum(zip(first, more), ()), *first[len(more) :]]


def wrong_program_18(n_heads):
    """You round to the nearest power of two. Take the next *lower* one, even when the higher is nearer."""
    n = 2 ** round(math.log2(n_heads))
    return (_of(n) + _of(2 * n)[::2])[:n_heads]


def wrong_program_35(n_heads):
    """Both lists count heads from 0 and begin with a slope of 1. Count from 1, so h = 1 … H."""
    lower = 2 ** math.floor(math.log2(n_heads))
    first = [2 ** (-8 * h / lower) for h in range(lower)]
    higher = [2 ** (-4 * h / lower) for h in range(2 * lower)]
    return first + higher[::2][: n_heads - lower]


def right_odd_numbers(n_heads):
    """Another common form: every other power of a first slope."""
    n = 2 ** int(math.log2(n_heads))
    m = (2.0 ** (-8 / n)) ** np.arange(1, n + 1)
    return np.concatenate([m, (2.0 ** (-4 / n)) ** np.arange(1, 1 + 2 * (n_heads - n), 2)])


def right_recursion(n_heads):
    if math.log2(n_heads).is_integer():
        return _of(n_heads)
    closest = 2 ** math.floor(math.log2(n_heads))
    return right_recursion(closest) + right_recursion(2 * closest)[0::2][: n_heads - closest]
