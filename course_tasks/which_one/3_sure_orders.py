"""Bug hunt: an order that one seed would reverse · 10 minutes · ★★

`losses` holds, for each scheme, the loss of each seed. The code below compares means, so it orders nearly
every pair of schemes, even where the seeds of one scheme differ more than the two schemes do. Other seeds could reverse
such an order.

Fix the code. `holds[a, b]` should be True only if scheme a beats scheme b **whichever run is drawn for a and whichever
for b**. Seed 0 of one scheme has nothing to do with seed 0 of another, schemes may have different numbers of seeds, and
equal losses are not an order.

This is still not a proof. If two schemes do not differ at all and have three seeds each, there are 20 ways to divide
their six losses, and 2 of these separate them. So chance alone separates them once in ten times.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds

from ..measured import study_rows


def sure_orders(losses):
    """holds[a, b]: whether scheme a is better than scheme b, whichever run is drawn for a and whichever for b.

    losses: {scheme: [loss of each seed]}. Returns True and False, (schemes, schemes), in the order of the dictionary.
    """
    runs = list(losses.values())  # The losses of each scheme are the values of the dictionary.
    # A smaller loss is better, so the worst loss of a scheme is its largest. A smaller loss is better, so the best
    # loss of a scheme is its smallest. The order holds if the worst loss of a is smaller than the best loss of b.
    # Equal is not enough.
    return [[max(a) < min(b) for b in runs] for a in runs]


def _some_pair(compare, losses):
    """Whether compare(run of a, run of b) holds for some pair of runs, for all schemes a and b."""
    return np.array([[compare.outer(a, b).any() for b in losses.values()] for a in losses.values()])


def _case(losses, label):
    names = list(losses)
    return Case(losses, label=label, axes=[Axis("better scheme", names), Axis("worse scheme", names)])


def _study(task, at):
    """The losses of the compared schemes in one task of the study, at one test length."""
    found: dict[str, list[float]] = {}
    for row in study_rows():
        if row["task"] == task:
            found.setdefault(row["scheme"], []).append(row["loss"][row["settings"]["tests"].index(at)])
    return found


def draw(rng):
    """A few schemes with one to four seeds, rounded so that some losses are equal."""
    names = rng.permutation(["rope", "alibi", "t5-64", "shaw-32", "learned"])[: rng.integers(2, 6)].tolist()
    losses = [rng.normal(1.5 + k / 5, 0.15, rng.integers(1, 5)).round(1).tolist() for k in range(len(names))]
    return _case(dict(zip(names, losses)), "a random case")


# One number of a compared with one number of b.
_ONE = ("np.mean({})", "np.median({})", "sum({})", "min({})", "max({})", "{}[0]", "{}[-1]")


_COMPARED = [f"{one} < {other}".format("a", "b") for one in _ONE for other in _ONE]


_COMPARED += [f"{one} {sign} {one}".format("a", "b") for one in _ONE for sign in ("<=", ">")] + ["min(a) >= max(b)"]


_NOT_WRITTEN = ("max(a) < min(b)", "np.mean(a) < np.mean(b)")  # the solution, and the code that is given


_ONE_NUMBER = """
max(a) < min(b) → {0}
    Your rule does the same as `{0}`. A smaller loss is better, and the worst run of a must beat the best run of b.
"""


_SPREAD = """
max(a) < min(b) → np.mean(b) - np.mean(a) > {0} * sum(np.std(x, ddof={1}) / len(x) ** {2} for x in (a, b))
    You compare the means, with a margin made of standard deviations. The runs may reach farther than
    such a margin, or less far, so compare the runs themselves.
"""


BUG = "return [[np.mean(a) < np.mean(b) for b in runs] for a in runs]"


def expected(losses):
    return ~_some_pair(np.greater_equal, losses)


CASES = [
    _case({"alibi": [1.7, 1.8, 1.75], "rope": [2.8, 2.4, 1.6], "none": [3.0, 3.1, 3.2]}, "three schemes"),
    _case(_study("characters", 1024), "the study: characters, 1,024 tokens"),
    _case(_study("flip-flop", 1024), "the study: flip-flop, 1,024 tokens"),
    _case({"a": [1.0, 4.0, 5.0], "b": [2.0, 3.0, 6.0], "c": [7.0, 8.0, 6.5]}, "two that overlap"),
    _case({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [2.5, 3.5]}, "one loss in common"),
    _case({"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.5]}, "equal losses"),
    _case({"a": [1.501], "b": [1.2], "c": [1.502]}, "one seed each"),
    _case({"a": [1.0, 1.4, 1.6, 1.2], "b": [1.5], "c": [1.7, 1.9]}, "different numbers of seeds"),
    _case({"z": [3.0, 3.2], "y": [1.0, 1.2], "x": [2.0, 2.9]}, "the best is not the first"),
    _case({"a": [1.0, 1.1, 1.0, 9.0], "b": [2.0, 2.1, 2.2, 2.0]}, "one run that went wrong"),
    _case({"a": [1.0] * 9 + [2.05], "b": [2.0] + [3.0] * 9}, "a hundred pairs of runs, and one of them lost"),
]


AXES = ("better scheme", "worse scheme")


ALWAYS = [
    holds(
        "One of your entries is neither True nor False. It is True where the order holds, otherwise False.",
        lambda holds, losses: np.isin(holds, (0, 1)).all(),
    ),
    holds(
        "Your diagonal has an entry that is not False. No scheme is better than itself.",
        lambda holds, losses: not np.diagonal(holds).any(),
    ),
    holds(
        (
            "One of the orders that you find does not hold for every pair of runs. In some pair, the run of the "
            "better scheme has an equal or a larger loss."
        ),
        lambda holds, losses: not (holds & _some_pair(np.greater_equal, losses)).any(),
    ),
    holds(
        "You miss an order that holds for every pair of runs, however small the gap is.",
        lambda holds, losses: (holds | _some_pair(np.greater_equal, losses)).all(),
    ),
]


ON_PASS = (
    "In flip-flop at 1,024 tokens the means order 54 of the 55 pairs of schemes. Only 45 of these orders hold "
    "for every choice of seeds."
)


WRONG = """
return [[np.mean(a) < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) <
# np.median(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) < sum(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) < sum(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) < min(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) < min(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) < max(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) < max(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) < b[0] for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) < b[0]`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) < b[-1] for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) < b[-1]`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) <
# np.mean(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) <
# np.median(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < sum(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) < sum(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < min(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) < min(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < max(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) < max(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < b[0] for b in runs] for a in runs]  # Your rule does the same as `np.median(a) < b[0]`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) < b[-1] for b in runs] for a in runs]  # Your rule does the same as `np.median(a) < b[-1]`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[sum(a) < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) < np.mean(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[sum(a) < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) < np.median(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[sum(a) < sum(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) < sum(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[sum(a) < min(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) < min(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[sum(a) < max(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) < max(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[sum(a) < b[0] for b in runs] for a in runs]  # Your rule does the same as `sum(a) < b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[sum(a) < b[-1] for b in runs] for a in runs]  # Your rule does the same as `sum(a) < b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[min(a) < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) < np.mean(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[min(a) < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) < np.median(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[min(a) < sum(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) < sum(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[min(a) < min(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) < min(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[min(a) < max(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) < max(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[min(a) < b[0] for b in runs] for a in runs]  # Your rule does the same as `min(a) < b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[min(a) < b[-1] for b in runs] for a in runs]  # Your rule does the same as `min(a) < b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[max(a) < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) < np.mean(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[max(a) < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) < np.median(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[max(a) < sum(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) < sum(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[max(a) < max(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) < max(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[max(a) < b[0] for b in runs] for a in runs]  # Your rule does the same as `max(a) < b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[max(a) < b[-1] for b in runs] for a in runs]  # Your rule does the same as `max(a) < b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `a[0] < np.mean(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[a[0] < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `a[0] < np.median(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[a[0] < sum(b) for b in runs] for a in runs]  # Your rule does the same as `a[0] < sum(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] < min(b) for b in runs] for a in runs]  # Your rule does the same as `a[0] < min(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] < max(b) for b in runs] for a in runs]  # Your rule does the same as `a[0] < max(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] < b[0] for b in runs] for a in runs]  # Your rule does the same as `a[0] < b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] < b[-1] for b in runs] for a in runs]  # Your rule does the same as `a[0] < b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] < np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `a[-1] < np.mean(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[a[-1] < np.median(b) for b in runs] for a in runs]  # Your rule does the same as `a[-1] < np.median(b)`. A
# smaller loss is better, and the worst run of a must beat the best run of b.
return [[a[-1] < sum(b) for b in runs] for a in runs]  # Your rule does the same as `a[-1] < sum(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] < min(b) for b in runs] for a in runs]  # Your rule does the same as `a[-1] < min(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] < max(b) for b in runs] for a in runs]  # Your rule does the same as `a[-1] < max(b)`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] < b[0] for b in runs] for a in runs]  # Your rule does the same as `a[-1] < b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] < b[-1] for b in runs] for a in runs]  # Your rule does the same as `a[-1] < b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[np.mean(a) <= np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) <=
# np.mean(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.mean(a) > np.mean(b) for b in runs] for a in runs]  # Your rule does the same as `np.mean(a) > np.mean(b)`.
# A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) <= np.median(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) <=
# np.median(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[np.median(a) > np.median(b) for b in runs] for a in runs]  # Your rule does the same as `np.median(a) >
# np.median(b)`. A smaller loss is better, and the worst run of a must beat the best run of b.
return [[sum(a) <= sum(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) <= sum(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[sum(a) > sum(b) for b in runs] for a in runs]  # Your rule does the same as `sum(a) > sum(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[min(a) <= min(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) <= min(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[min(a) > min(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) > min(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[max(a) <= max(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) <= max(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[max(a) > max(b) for b in runs] for a in runs]  # Your rule does the same as `max(a) > max(b)`. A smaller loss
# is better, and the worst run of a must beat the best run of b.
return [[a[0] <= b[0] for b in runs] for a in runs]  # Your rule does the same as `a[0] <= b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[0] > b[0] for b in runs] for a in runs]  # Your rule does the same as `a[0] > b[0]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] <= b[-1] for b in runs] for a in runs]  # Your rule does the same as `a[-1] <= b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[a[-1] > b[-1] for b in runs] for a in runs]  # Your rule does the same as `a[-1] > b[-1]`. A smaller loss is
# better, and the worst run of a must beat the best run of b.
return [[min(a) >= max(b) for b in runs] for a in runs]  # Your rule does the same as `min(a) >= max(b)`. A smaller
# loss is better, and the worst run of a must beat the best run of b.
return [[a < min(b) for b in runs] for a in runs]  # You compare a list with a number. Use the worst loss of a,
# `max(a)`.
return [[max(a) < b for b in runs] for a in runs]  # You compare a number with a list. Use the best loss of b,
# `min(b)`.
return [[a < b for b in runs] for a in runs]
return [[sorted(a) < sorted(b) for b in runs] for a in runs]  # You compare two lists. Python orders lists like words,
# by their first entries that differ. Use `max` and `min`.
return [[a is not b and max(a) <= min(b) for b in runs] for a in runs]  # Equal losses are not an order, so use `<`
# instead of `<=`. The diagonal is then False without a special case.
return [[round(max(a), 1) < round(min(b), 1) for b in runs] for a in runs]  # You round the losses, so small
# differences disappear. Compare the losses themselves.
return [[max(a) < min(b) or None for b in runs] for a in runs]  # You return None where an order does not hold. The
# task asks for False.
return [[min(b) - max(a) for b in runs] for a in runs]
return [[int(max(a) < min(b)) - int(max(b) < min(a)) for b in runs] for a in runs]  # Your numbers are positive where
# the order holds. The task asks for True there, and for False elsewhere.
return [[max(a) < min(b) or max(b) < min(a) for b in runs] for a in runs]  # You find out whether one of the two is
# better, but not which. `holds[a, b]` is True only where a is better.
return [[min(a) <= max(b) and min(b) <= max(a) for b in runs] for a in runs]  # You find out which schemes overlap. The
# task asks where a is better than b.
return [[min(a) < min(b) and max(a) < max(b) for b in runs] for a in runs]  # You compare best with best and worst with
# worst. The two schemes may still overlap in between.
return [[all((x < y for x, y in zip(a, b))) for b in runs] for a in runs]
return [[len(a) == len(b) and all((x < y for x, y in zip(a, b))) for b in runs] for a in runs]  # You compare seed 0
# with seed 0 and seed 1 with seed 1. Seeds of two schemes are unrelated, so compare every run of a with every run of
# b.
return [[all((x < y for x, y in zip(sorted(a), sorted(b)))) for b in runs] for a in runs]  # You compare best with best
# and second with second. Compare every run of a with every run of b.
return [[any((x < y for x, y in zip(a, b))) for b in runs] for a in runs]
return [[sum((x < y for x, y in zip(a, b))) > len(a) / 2 for b in runs] for a in runs]
return [[np.less.outer(a, b).mean() > 0.5 for b in runs] for a in runs]
return [[np.less.outer(a, b).mean() > 0.95 for b in runs] for a in runs]  # You accept an order although some pairs of
# runs reverse it. One pair that scheme a loses is enough to undo it.
return [[len(a) == len(b) and max(a) < min(b) for b in runs] for a in runs]  # Your rule is right, but you answer False
# where the numbers of seeds differ. It needs no such condition.
runs = [runs[:3] for runs in losses.values()]
runs = [runs[:min(map(len, losses.values()))] for runs in losses.values()]  # Your rule is right, but you leave out
# some of the seeds. Every seed of every scheme counts.
runs = losses.items()  # `items()` gives pairs of a name and its losses. Use `losses.values()` for the losses alone.
runs = list(losses)  # You go through the *names*, and `max` of a name is its last letter in the alphabet. Use
# `losses.values()`.
runs = sorted(losses.values(), key=np.mean)
runs = sorted(losses.values())
runs = [losses[name] for name in sorted(losses)]  # Your rule is right, but you sort the schemes. Keep the order of the
# dictionary.
runs = np.array(list(losses.values())); return runs.max(1)[:, None] < runs.min(1)  # Your rule is right, but lists with
# different numbers of seeds do not fit into one array. Use `max` and `min`.
runs = np.array(list(losses.values())); return runs.max(0)[:, None] < runs.min(0)  # Axis 0 runs over the schemes. The
# seeds are along axis 1, but schemes may have different numbers of seeds, so take the worst and the best loss of each
# list.
return [[max(a) < min(b) for b in runs] for a in runs[:1]][0]  # You return the first row only. Is the `return` inside
# the loop?
return [[max(a) < min(b) for b in runs[1:]] for a in runs]
return [[max(a) < min(b) for b in runs if b is not a] for a in runs]  # A column is missing. Each scheme has a row and
# a column, and the diagonal is False.
return [[a, b] for a in losses for b in losses if max(losses[a]) < min(losses[b])]  # You return pairs of names. The
# task asks for a table of True and False, with a row and a column for each scheme.
"""


HINTS = [
    "In the first case alibi has the losses 1.70, 1.80 and 1.75, and rope has 2.8, 2.4 and 1.6. By their means, "
    "alibi is better. In which of the nine pairs of runs is rope better?",
    "If a wins with its worst seed against the best seed of b, it wins every other pair as well.",
    "The worst loss of a is `max(a)`, and the best loss of b is `min(b)`. Which one must be smaller?",
]


def wrong_program_62(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=0) / len(x) ** 0 for x in (a, b)) for b in runs] for a in runs
    ]


def wrong_program_63(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=0) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_64(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=1) / len(x) ** 0 for x in (a, b)) for b in runs] for a in runs
    ]


def wrong_program_65(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_66(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_67(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_68(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=0) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_69(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=0) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_70(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_71(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_72(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_73(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 1.96 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_74(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=0) / len(x) ** 0 for x in (a, b)) for b in runs] for a in runs
    ]


def wrong_program_75(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=0) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_76(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=1) / len(x) ** 0 for x in (a, b)) for b in runs] for a in runs
    ]


def wrong_program_77(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_78(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_79(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 2 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_80(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=0) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_81(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=0) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_82(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_83(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=1) / len(x) ** 0.5 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_84(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0 for x in (a, b)) for b in runs]
        for a in runs
    ]


def wrong_program_85(losses):
    """You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin,
    or less far, so compare the runs themselves."""
    runs = list(losses.values())
    return [
        [
            np.mean(b) - np.mean(a) > 4.303 * sum(np.std(x, ddof=len(x) > 1) / len(x) ** 0.5 for x in (a, b))
            for b in runs
        ]
        for a in runs
    ]


def wrong_program_118(losses):
    """You only find orders whose better scheme comes first in the dictionary. Compare each scheme with every other."""
    runs = list(losses.values())
    found = [[max(a) < min(b) for b in runs] for a in runs]
    return np.triu(found)


def right_in_one_line(losses):
    return [[all(x < y for x in a for y in b) for b in losses.values()] for a in losses.values()]


def right_in_another_way(losses):
    return np.less.outer([max(a) for a in losses.values()], [min(b) for b in losses.values()])
