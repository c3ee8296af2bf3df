"""The slopes of ALiBi for head counts that are no power of two."""

import math

import numpy as np

from ...reference.alibi import slopes
from ..engine import Axis, Case, Mistake, Property, Task


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


def _from_0(n):
    return [2 ** (-8 * h / n) for h in range(n)]


def _lower(n_heads):
    return 2 ** math.floor(math.log2(n_heads))


def _first_of_the_higher(n_heads):
    return _of(2 ** math.ceil(math.log2(n_heads)))[:n_heads]


def _last_of_the_higher(n_heads):
    return _of(2 ** math.ceil(math.log2(n_heads)))[-n_heads:]


def _every_other_of_the_higher(n_heads):
    higher = _of(2 * _lower(n_heads))
    return (higher[::2] + higher[1::2])[:n_heads]


def _of_the_rest(n_heads):
    """The remaining heads as if they were a layer of their own."""
    low = _lower(n_heads)
    return _of(low) + (_of(n_heads - low) if n_heads > low else [])


def _last_others(n_heads):
    low = _lower(n_heads)
    others = _of(2 * low)[::2]
    return _of(low) + others[low - (n_heads - low) :]


def _flat_first(n_heads):
    low = _lower(n_heads)
    return _of(low) + _of(2 * low)[::-2][: n_heads - low]


def _odd_numbers(n_heads):
    """As one often finds it: every other power of a first slope."""
    n = 2 ** int(math.log2(n_heads))
    m = (2.0 ** (-8 / n)) ** np.arange(1, n + 1)
    return np.concatenate([m, (2.0 ** (-4 / n)) ** np.arange(1, 1 + 2 * (n_heads - n), 2)])


def _recursion(n_heads):
    if math.log2(n_heads).is_integer():
        return _of(n_heads)
    closest = 2 ** math.floor(math.log2(n_heads))
    return _recursion(closest) + _recursion(2 * closest)[0::2][: n_heads - closest]


def _in_between(n_heads):
    """The additional slopes one by one between the first ones."""
    low = _lower(n_heads)
    others = _of(2 * low)[::2][: n_heads - low]
    mixed = [slope for pair in zip(_of(low), others) for slope in pair]
    return mixed + _of(low)[len(others) :]


def _eight_and_sixteen(n_heads):
    return (_of(8) + _of(16)[::2])[:n_heads]


def _eight_and_sixteen_where_needed(n_heads):
    return _of(n_heads) if _lower(n_heads) == n_heads else _eight_and_sixteen(n_heads)


def _for_twelve_only(n_heads):
    return list(slopes(12)) if n_heads == 12 else _of(n_heads)


def _added_up(n_heads):
    low = _lower(n_heads)
    first, more = np.array(_of(low)), np.array(_of(2 * low)[::2][: n_heads - low])
    return first + more if len(more) else first


def _list_in_a_list(n_heads):
    low = _lower(n_heads)
    first = _of(low)
    if n_heads > low:
        first.append(_of(2 * low)[::2][: n_heads - low])
    return first


def _case(n_heads, says):
    return Case(n_heads, says=says, axes=(Axis("head", [str(h + 1) for h in range(n_heads)]),))


def _right_for_powers(result, n_heads):
    return _lower(n_heads) != n_heads or np.allclose(result, _of(n_heads))


def _right_after_the_first(result, n_heads):
    """Asked only where the first slopes are right."""
    found, low = np.ravel(result), _lower(n_heads)
    return found.shape != (n_heads,) or not np.allclose(found[:low], _of(low)) or np.allclose(found, slopes(n_heads))


def _one_each(result, n_heads):
    return np.shape(np.squeeze(result)) in ((n_heads,), ()) or n_heads == 1


alibi_slopes = Task(
    title="Bug hunt: twelve heads",
    minutes=12,
    difficulty=2,
    words="""A checkpoint with 12 heads was trained with the authors' slopes. The code that loads it has the formula from the paper,
and writes worse and worse text. With 8 heads nobody notices. Mend it for every number of heads: all slopes of the next
lower power of two, then every other slope of the next higher one, from its first, until there are enough.""",
    solution=_alibi_slopes,
    given=_alibi_slopes_given,
    expected=lambda n_heads: slopes(n_heads),
    axes=("head",),
    cases=[
        _case(12, "twelve heads"),
        _case(8, "eight heads"),
        _case(6, "six heads"),
        _case(1, "one head"),
        _case(3, "three heads"),
        _case(20, "twenty heads"),
        _case(15, "one head short of sixteen"),
        _case(40, "forty heads"),
    ],
    draw=lambda rng: _case(int(rng.integers(2, 65)), "a random case"),
    properties=[
        Property("one for each head", _one_each, "There must be one slope for each head."),
        Property(
            "right for powers of two",
            _right_for_powers,
            "Yours is wrong when the number of heads is a power of two, too. There the code was right: 2^(−8h/H), h = 1 … H.",
        ),
        Property(
            "right after the first",
            _right_after_the_first,
            "The slopes of the next lower power of two are right, and what comes after them is not: every other slope of the next higher power of two, from its first.",
        ),
    ],
    mistakes=[
        Mistake(
            "higher[::2]",
            "higher[1::2]",
            "You take the second, fourth, … of the higher power of two: those are the slopes of the lower one, which you have already. Begin with its first.",
        ),
        Mistake(
            "higher[::2][: n_heads - lower]",
            "higher[: n_heads - lower]",
            "The additional slopes are neighbours. Take every other one: the ones between them you have already.",
        ),
        Mistake(
            "higher[::2][: n_heads - lower]",
            "higher[: n_heads - lower][::2]",
            "Too few: you cut first, and take every other of what is left. Cut *after* taking every other: `[::2][: n_heads - lower]`.",
        ),
        Mistake(
            lambda n_heads: [2 ** (-8 * h / _lower(n_heads)) for h in range(1, n_heads + 1)],
            "The first slopes are right: for 12 heads, those of heads 1 to 8. From there on you continue below 2⁻⁸. The code takes the others from the next higher power of two: for heads 9 to 12, every other slope of 16 heads.",
        ),
        Mistake(
            _in_between,
            "The right slopes, but the additional ones come last, not in between.",
        ),
        Mistake(
            _eight_and_sixteen,
            "Right for 8 to 16 heads. For six heads the next lower power of two is 4; you always begin with 8. Find it from `n_heads`.",
        ),
        Mistake(
            _eight_and_sixteen_where_needed,
            "Right for 12. For six heads the next lower power of two is 4; you always begin with 8. Find it from `n_heads`.",
        ),
        Mistake(
            _for_twelve_only,
            "12 is mended, the other numbers are not: six heads, or twenty. Find the lower power of two from `n_heads`.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return [*first, higher[::2][: n_heads - lower]]",
            "There is a list inside the list: `append` puts it there as one entry. `+=` or `extend` joins the two.",
        ),
        Mistake(
            _list_in_a_list,
            "For other numbers than powers of two there is a list inside the list: `append` puts it there as one entry. `+=` or `extend` joins the two.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return np.array(first) + np.array(higher[::2][: n_heads - lower])",
            "Between arrays `+` adds number to number; it joins only lists. Arrays are joined by `np.concatenate([a, b])`.",
        ),
        Mistake(
            _added_up,
            "`+` adds arrays number by number; it joins only lists. Arrays are joined by `np.concatenate([a, b])`.",
        ),
        Mistake(
            "higher[::2][: n_heads - lower]",
            "higher[::2]",
            "Too many: all of the additional slopes come along. Stop when there is one for each head.",
        ),
        Mistake(
            _first_of_the_higher,
            "These are the first slopes of the next *higher* power of two. Begin with all slopes of the lower one.",
        ),
        Mistake(
            _last_of_the_higher,
            "These are the last slopes of the next *higher* power of two. Begin with all slopes of the lower one.",
        ),
        Mistake(
            _every_other_of_the_higher,
            "The order is turned round: the slopes of the lower power of two come first, the additional ones after them.",
        ),
        Mistake(
            _of_the_rest,
            "You treat the remaining heads as a layer of their own. They take every other slope of the next higher power of two.",
        ),
        Mistake(
            _last_others,
            "The additional slopes are the flattest of the others. The code takes the steepest: from the first on.",
        ),
        Mistake(
            _flat_first,
            "You take every other slope from the end. Begin with the first of the higher power of two.",
        ),
        Mistake(
            "[2 ** (-8 * h / lower) for h in range(1, lower + 1)]",
            "[2 ** (-8 * h / n_heads) for h in range(1, lower + 1)]",
            "The first slopes still divide by `n_heads`. They are those of a layer with `lower` heads.",
        ),
        Mistake(
            "-4 * h / lower",
            "-8 * h / lower",
            "The second list has the slopes of the lower power of two again, and runs on below 2⁻⁸. With twice as many heads divide by twice as much.",
        ),
        Mistake(
            "-4 * h / lower",
            "-2 * h / lower",
            "The second list is that of four times as many heads. Twice as many: 2^(−8h / (2 · lower)).",
        ),
        Mistake(
            "-4 * h / lower",
            "4 * h / lower",
            "The additional slopes are above 1: the exponent is negative there, too.",
        ),
        Mistake(
            "-8 * h / lower",
            "8 * h / lower",
            "The first slopes are above 1: the exponent is negative.",
        ),
        Mistake(
            "-8 * h / lower",
            "-4 * h / lower",
            "The first slopes are the neighbouring ones of the higher power of two. With `lower` heads the exponent is −8h / lower.",
        ),
        Mistake(
            "-8 * h / lower) for h in range(1, lower + 1)",
            "-8 * h / lower) for h in range(lower)",
            "The first list counts heads from 0 and begins with a slope of 1. Count from 1: h = 1 … H.",
        ),
        *(
            Mistake(wrong, f"{which} counts heads from 0 and begins with a slope of 1. Count from 1: h = 1 … H.")
            for which, wrong in {
                "Your formula": _from_0,
                "Each of the two lists": lambda n: _from_0(_lower(n)) + _from_0(2 * _lower(n))[::2][: n - _lower(n)],
            }.items()
        ),
        Mistake(
            "range(1, 2 * lower + 1)",
            "range(2 * lower)",
            "The second list counts from 0 and begins with a slope of 1. Then every other one is a slope you have.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return higher[::2][: n_heads - lower] + first",
            "The right slopes, but the additional ones come last.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return sorted(first + higher[::2][: n_heads - lower], reverse=True)",
            "The right slopes, but sorted. Weights belong to heads: keep the order in which the code makes them.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return first[::-1] + higher[::2][: n_heads - lower]",
            "The first slopes run backwards: head 1 is the steepest of them.",
        ),
        Mistake(
            "math.floor(math.log2(n_heads))",
            "round(math.log2(n_heads))",
            "You round to the nearest power of two. Take the next *lower* one, also when the higher is nearer.",
        ),
        Mistake(
            "2 ** math.floor(math.log2(n_heads))",
            "2 ** math.ceil(math.log2(n_heads)) // 2",
            "When the number of heads is itself a power of two, you take half of it: then nothing additional is wanted.",
        ),
        Mistake(
            "math.log2(n_heads)",
            "math.log(n_heads)",
            "The power of *two* wants a logarithm to base 2: `math.log2`.",
        ),
        Mistake(
            "lower = 2 ** math.floor(math.log2(n_heads))",
            "lower = 8",
            "The lower power of two is 8 for 12 heads only. Find it from `n_heads`.",
        ),
        Mistake(
            "[2 ** (-8 * h / lower) for h in range(1, lower + 1)]",
            "[2**-h for h in range(1, lower + 1)]",
            "The first slopes halve from head to head. That is so for 8 heads only; the last one is always 2⁻⁸.",
        ),
        Mistake(
            "[2 ** (-8 * h / lower) for h in range(1, lower + 1)]",
            "[math.exp(-8 * h / lower) for h in range(1, lower + 1)]",
            "The first slopes are powers of e. They are powers of 2.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return first",
            "Only the slopes of the lower power of two: the remaining heads have none.",
        ),
        Mistake(
            "return first + higher[::2][: n_heads - lower]",
            "return higher[::2][: n_heads - lower]",
            "Only the additional slopes: those of the lower power of two are missing.",
        ),
        Mistake(
            "range(1, 2 * lower + 1)",
            "range(1, lower + 1)",
            "The second list ends too early, so that for 15 heads too few are left. The next higher power of two has 2 · lower slopes.",
        ),
        Mistake(
            "n_heads - lower",
            "lower - n_heads",
            "The difference is turned round: a negative number cuts off at the end. `n_heads - lower` are missing.",
        ),
    ],
    alternatives=[
        _odd_numbers,
        _recursion,
        lambda n_heads: (lambda n: np.r_[_of(n), np.array(_of(2 * n))[0::2]][:n_heads])(_lower(n_heads)),
    ],
    hints=[
        "`2 ** math.floor(math.log2(n_heads))` is the largest power of two that is not above `n_heads`.",
        "Make two lists with the formula: for `lower` heads, and for `2 * lower` heads.",
        "`[::2]` is every other one from the first, and `[: n_heads - lower]` as many as are missing.",
    ],
)
