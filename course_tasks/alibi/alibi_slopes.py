"""Bug hunt: twelve heads."""

import math

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.alibi import slopes


def _alibi_slopes(n_heads):
    """ALiBi's slopes as the authors' code has them, head 1 first: (n_heads,)."""
    lower = 2 ** math.floor(math.log2(n_heads))
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    higher = [2 ** (-4 * h / lower) for h in range(1, 2 * lower + 1)]
    return first + higher[::2][: n_heads - lower]


def _alibi_slopes_given(n_heads):
    """ALiBi's slopes as the authors' code has them, head 1 first: (n_heads,)."""
    return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]


def _of(n):
    return [2 ** (-8 * h / n) for h in range(1, n + 1)]


def _lower(n_heads):
    return 2 ** math.floor(math.log2(n_heads))


def _odd_numbers(n_heads):
    """Another common form: every other power of a first slope."""
    n = 2 ** int(math.log2(n_heads))
    m = (2.0 ** (-8 / n)) ** np.arange(1, n + 1)
    return np.concatenate([m, (2.0 ** (-4 / n)) ** np.arange(1, 1 + 2 * (n_heads - n), 2)])


def _recursion(n_heads):
    if math.log2(n_heads).is_integer():
        return _of(n_heads)
    closest = 2 ** math.floor(math.log2(n_heads))
    return _recursion(closest) + _recursion(2 * closest)[0::2][: n_heads - closest]


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


alibi_slopes = CodingTask(
    title="Bug hunt: twelve heads",
    minutes=12,
    difficulty=2,
    words="""A checkpoint with 12 heads was trained with the authors' slopes. The code that loads it has the formula
from the paper, and the model writes worse and worse text. With 8 heads the bug does not show. Fix the code for every
number of heads. The authors take all slopes of the next lower power of two, then every other slope of the next higher
one, from its first, until there are enough.""",
    on_pass="If a large model splits its heads over machines, each machine first computes the slopes of all heads, then takes "
    "its part of them. `slopes(8)[:4]` is not `slopes(4)`.",
    solution=_alibi_slopes,
    starter=_alibi_slopes_given,
    expected=lambda n_heads: slopes(n_heads),
    axes=("head",),
    cases=[
        *(_case(12, "twelve heads"), _case(8, "eight heads"), _case(6, "six heads"), _case(1, "one head")),
        *(_case(3, "three heads"), _case(20, "twenty heads"), _case(15, "one head short of sixteen")),
        _case(40, "forty heads"),
    ],
    draw=lambda rng: _case(int(rng.integers(2, 65)), "a random case"),
    properties=[
        Property("one for each head", _one_each, "There must be one slope for each head."),
        Property(
            "right for powers of two",
            _right_for_powers,
            "Your slopes are wrong even when the number of heads is a power of two. There the given code was right: "
            "2^(−8h/H), h = 1 … H.",
        ),
        Property(
            "right after the first",
            _right_after_the_first,
            "The slopes of the next lower power of two are right, but the ones after them are not. They are every "
            "other slope of the next higher power of two, from its first.",
        ),
    ],
    pieces="""
h
    the number of the head: Heads are counted from 1, so every slope is below 1.
-8 * h / lower
    the exponent of the first slopes: With `lower` heads it is −8h / lower.
-4 * h / lower
    the exponent of the higher slopes: With twice as many heads it is −8h / (2 · lower).
math.log2(n_heads)
    the logarithm: A power of *two* needs the logarithm to base 2, `math.log2`.
math.floor(math.log2(n_heads))
    the exponent of the lower power of two: It is rounded down, also when the higher power of two is nearer.
n_heads - lower
    the limit on the additional slopes: There are `lower` slopes already, so take `n_heads - lower` more.
lower + 1
    the end of the first list: It runs over h = 1 … lower.
2 * lower + 1
    the end of the second list: It runs over h = 1 … 2 · lower.
first
    the first list: It holds all slopes of the lower power of two, and the additional ones come after them.
higher[::2][: n_heads - lower]
    the choice of the additional slopes: Take every other slope of the higher power of two until each head has one.
""",
    slips="""
higher[::2] → higher[1::2]
    You take the second, fourth, … slope of the higher power of two, which you have already. Begin with its first.
higher[::2] → higher
    The additional slopes are neighbours. Take every other one, because you already have those between them.
higher[::2] → higher[::-2]
    You take every other slope from the end. Begin with the first of the higher power of two.
higher[::2][: n_heads - lower] → higher[::2][2 * lower - n_heads :]
    You take the flattest of the additional slopes. The code takes the steepest, from the first on.
higher[::2][: n_heads - lower] → higher[: n_heads - lower][::2]
    You cut first and then take every other one, so there are too few. Cut last, `[::2][: n_heads - lower]`.
return first + higher[::2][: n_heads - lower] → return [*first, higher[::2][: n_heads - lower]]
    There is a list inside your list, because `append` adds it as one entry. `+=` or `extend` joins the two.
return first + higher[::2][: n_heads - lower] → return first + [higher[::2][: n_heads - lower]] * (n_heads > lower)
    Except for powers of two, there is a list inside your list. `append` adds it as one entry; `+=` or `extend` joins.
return first + higher[::2][: n_heads - lower] → return np.array(first) + np.array(higher[::2][: n_heads - lower])
or return first + → return first if n_heads == lower else np.array(first) + np.array
higher[::2][: n_heads - lower] → (higher[::2][: n_heads - lower])
    `+` adds arrays number by number and joins only lists. Join arrays with `np.concatenate([a, b])`.
-8 * h / lower → -8 * h / n_heads
    The first slopes still divide by `n_heads`. They are those of a layer with `lower` heads.
-4 * h / lower → -8 * h / lower
    The second list has the first slopes again and continues below 2⁻⁸. With twice as many heads, divide by 2 · lower.
-4 * h / lower → -2 * h / lower
    The second list belongs to four times as many heads. With twice as many it is 2^(−8h / (2 · lower)).
-8 * h / lower → -4 * h / lower
    The first slopes are the first ones of the higher power of two. With `lower` heads the exponent is −8h / lower.
return first + higher[::2][: n_heads - lower] → return higher[::2][: n_heads - lower] + first
    You have the right slopes, but the additional ones come last.
return first + → more =
higher[::2][: n_heads - lower] → higher[::2][: n_heads - lower]; return [*sum(zip(first, more), ()), *first[len(more):]]
    You have the right slopes, but the additional ones come last, not in between.
return first + higher[::2][: n_heads - lower] → return sorted(first + higher[::2][: n_heads - lower], reverse=True)
    You have the right slopes, but sorted. Weights belong to heads, so keep the order in which the code makes them.
return first + → return first[::-1] +
    The first slopes are in reverse order. Head 1 is the steepest of them.
math.floor(math.log2(n_heads)) → round(math.log2(n_heads))
or ... → n = 2 ** round(math.log2(n_heads)); return (_of(n) + _of(2 * n)[::2])[:n_heads]
    You round to the nearest power of two. Take the next *lower* one, even when the higher is nearer.
2 ** math.floor(math.log2(n_heads)) → 2 ** math.ceil(math.log2(n_heads)) // 2
    When the number of heads is a power of two itself, you take half of it. Then no additional slopes are needed.
lower = 2 ** math.floor(math.log2(n_heads)) → lower = 8
    The lower power of two is 8 for 12 heads only. Compute it from `n_heads`.
[2 ** (-8 * h / lower) for h in range(1, lower + 1)] → [2**-h for h in range(1, lower + 1)]
    The first slopes halve from head to head. That is right for 8 heads only, because the last slope is always 2⁻⁸.
[2 ** (-8 * h / lower) for h in range(1, lower + 1)] → [math.exp(-8 * h / lower) for h in range(1, lower + 1)]
    The first slopes are powers of e. They are powers of 2.
range(1, 2 * lower + 1) → range(1, lower + 1)
    The second list ends too early, so too few slopes are left for 15 heads. The next higher power of two has 2 · lower.
... → return [2 ** (-8 * h / _lower(n_heads)) for h in range(1, n_heads + 1)]
    The first slopes are right. Then you continue below 2⁻⁸, but the others come from the next higher power of two.
... → return (_of(8) + _of(16)[::2])[:n_heads]
    This is right for 8 to 16 heads only. For six heads the next lower power of two is 4, so compute it from `n_heads`.
... → return _of(n_heads) if _lower(n_heads) == n_heads else (_of(8) + _of(16)[::2])[:n_heads]
    This is right for 12 heads, but for six the next lower power of two is 4. Compute it from `n_heads`.
... → return list(slopes(12)) if n_heads == 12 else _of(n_heads)
    You fixed 12 heads, but not other numbers such as six or twenty. Compute the lower power of two from `n_heads`.
... → return _of(2 ** math.ceil(math.log2(n_heads)))[:n_heads]
    These are the first slopes of the next *higher* power of two. Begin with all slopes of the lower one.
... → return _of(2 ** math.ceil(math.log2(n_heads)))[-n_heads:]
    These are the last slopes of the next *higher* power of two. Begin with all slopes of the lower one.
return first + higher[::2][: n_heads - lower] → return (higher[::2] + higher[1::2])[:n_heads]
    You reversed the order. The slopes of the lower power of two come first, and the additional ones after them.
return first + higher[::2][: n_heads - lower] → return first if n_heads == lower else (higher[::2] + first)[:n_heads]
    You reversed the order. The slopes of the lower power of two come first, and the additional ones after them.
return first + higher[::2][: n_heads - lower] → return first + higher[::2] * (n_heads > lower)
    You take too many additional slopes. Stop as soon as each head has one, after `n_heads - lower` of them.
return first + higher[::2][: n_heads - lower] → return first + (_of(n_heads - lower) if n_heads > lower else [])
    You treat the remaining heads as a layer of their own. They take every other slope of the next higher power of two.
... → return [2 ** (-8 * h / n_heads) for h in range(n_heads)]
    Your formula counts heads from 0 and begins with a slope of 1. Count from 1, so h = 1 … H.
range(1, lower + 1) → range(lower)
range(1, 2 * lower + 1) → range(2 * lower)
    Both lists count heads from 0 and begin with a slope of 1. Count from 1, so h = 1 … H.
""",
    alternatives=[_odd_numbers, _recursion],
    hints=[
        "`2 ** math.floor(math.log2(n_heads))` is the largest power of two that is not above `n_heads`.",
        "Make two lists with the formula, one for `lower` heads and one for `2 * lower` heads.",
        "`[::2]` is every other one from the first, and `[: n_heads - lower]` as many as are missing.",
    ],
)
