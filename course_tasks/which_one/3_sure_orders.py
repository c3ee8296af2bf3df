"""Bug hunt: an order that one seed would reverse · 10 minutes · ★★

`losses` holds, for each scheme, the loss of each seed. The code below compares means, so it orders nearly
every pair of schemes, even where the seeds of one scheme differ more than the two schemes do. Other seeds could
reverse such an order.

Fix the code. `holds[a, b]` should be True only if scheme a beats scheme b **whichever run is drawn for a and whichever
for b**. Seed 0 of one scheme has nothing to do with seed 0 of another, schemes may have different numbers of seeds, and
equal losses are not an order.

This is still not a proof. If two schemes do not differ at all and have three seeds each, there are 20 ways to divide
their six losses, and 2 of these separate them. So chance alone separates them once in ten times.
"""

import re
from itertools import product

import numpy as np

from course_kit.checking import Axis, Case

from ..measured import COMPARED, losses


def sure_orders(losses):
    """holds[a, b]: whether scheme a is better than scheme b, whichever run is drawn for a and whichever for b.

    losses: {scheme: [loss of each seed]}. Returns True and False, (schemes, schemes), in the order of the dictionary.
    """
    runs = list(losses.values())  # The losses of each scheme are the values of the dictionary.
    return [[max(a) < min(b) for b in runs] for a in runs]  # The worst loss of a must be smaller than the best of b.


def expected(losses):
    """Every pair of runs is looked at."""
    return np.array([[np.less.outer(a, b).all() for b in losses.values()] for a in losses.values()])


def draw(rng):
    """A few schemes with one to four seeds, rounded so that some losses are equal."""
    names = rng.permutation(["rope", "alibi", "t5-64", "shaw-32", "learned"])[: rng.integers(2, 6)].tolist()
    losses = [rng.normal(1.5 + k / 5, 0.15, rng.integers(1, 5)).round(1).tolist() for k in range(len(names))]
    return case(dict(zip(names, losses)), "a random case")


def case(losses, label):
    return Case(losses, label=label, axes=[Axis("better scheme", list(losses)), Axis("worse scheme", list(losses))])


def study(task):
    """The losses of the compared schemes in one task of the study, at its longest test, 1,024 tokens."""
    return {scheme: losses(scheme, task)[:, -1].tolist() for scheme in COMPARED}


def tables(rules):
    """Each rule for two schemes, a and b, as a wrong line with its message."""
    return re.sub(r"(?m)^(?!#)(.+?)(?=  #|$)", r"return [[\1 for b in runs] for a in runs]", rules)


BUG = "return [[np.mean(a) < np.mean(b) for b in runs] for a in runs]"
CASES = [
    case({"alibi": [1.7, 1.8, 1.75], "rope": [2.8, 2.4, 1.6], "none": [3.0, 3.1, 3.2]}, "three schemes"),
    case(study("characters"), "the study: characters, 1,024 tokens"),
    case(study("flip-flop"), "the study: flip-flop, 1,024 tokens"),
    case({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [2.5, 3.5]}, "one loss in common"),
    case({"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.5]}, "equal losses"),
    case({"a": [1.501], "b": [1.2], "c": [1.502]}, "one seed each"),
    case({"a": [1.0, 1.4, 1.6, 1.2], "b": [1.5], "c": [1.7, 1.9]}, "different numbers of seeds"),
    case({"z": [3.0, 3.2], "y": [1.0, 1.2], "x": [2.0, 2.9]}, "the best is not the first"),
    case({"a": [1.0] * 9 + [2.05], "b": [2.0] + [3.0] * 9}, "a hundred pairs of runs, and one of them lost"),
]
# Means compared with a margin: a number of standard deviations, or of standard errors.
MARGIN = "np.mean(b) - np.mean(a) > {} * sum(np.std(x, ddof={}) / len(x) ** {} for x in (a, b))"
MARGINS = [MARGIN.format(*one) for one in product((1, 1.96, 2, 4.303), ("0", "1", "len(x) > 1"), (0, 0.5))]
RULES = """
# You compare the means, with a margin made of standard deviations. The runs may reach farther than such a margin, or
# less far, so compare the runs themselves.
np.median(a) < np.median(b)
np.mean(a) <= np.mean(b)
sum(a) < sum(b)  # You compare one number that stands for all runs. Single runs may still reverse such an order.
np.mean(a) < min(b)
np.median(a) < min(b)  # You compare the middle of a with the best run of b. Take the worst run of a.
max(a) < np.mean(b)
max(a) < np.median(b)  # You compare the worst run of a with the middle of b. Take the best run of b.
min(a) < min(b)  # You compare best with best. Even the worst run of a must beat the best run of b.
max(a) < max(b)  # You compare worst with worst. The worst run of a must beat even the best run of b.
min(a) < max(b)  # You ask whether *some* run of a beats some run of b. Every run of a must beat every run of b.
a[0] < b[0]
a[-1] < b[-1]
a[-1] < b[0]
a[0] < b[-1]  # You compare one seed of a with one seed of b. Compare every run of a with every run of b.
np.mean(a) > np.mean(b)
min(a) > max(b)
min(a) >= max(b)
max(a) > min(b)
max(a) >= min(b)  # Your sign is reversed. A smaller loss is better.
max(a) <= min(b)  # Equal losses are not an order, so use `<`.
a < min(b)  # You compare a list with a number. Use the worst loss of a, `max(a)`.
max(a) < b  # You compare a number with a list. Use the best loss of b, `min(b)`.
a < b
sorted(a) < sorted(b)  # You compare two lists. Python orders lists like words, by their first entries that differ.
a is not b and max(a) <= min(b)  # Equal losses are not an order, so use `<`. Then the diagonal is no special case.
round(max(a), 1) < round(min(b), 1)  # You round the losses, so small differences disappear.
max(a) < min(b) or None  # You return None where an order does not hold. The task asks for False.
int(max(a) < min(b)) - int(max(b) < min(a))  # Your numbers are positive where the order holds. Return True and False.
max(a) < min(b) or max(b) < min(a)  # You find out whether one of the two is better, but not which.
min(a) <= max(b) and min(b) <= max(a)  # You find out which schemes overlap. The task asks where a is better than b.
(np.quantile(a, np.linspace(0, 1, 5)) < np.quantile(b, np.linspace(0, 1, 5))).all()
min(a) < min(b) and max(a) < max(b)  # You compare best with best and worst with worst. The two may still overlap.
all(x < y for x, y in zip(a, b))
len(a) == len(b) and all(x < y for x, y in zip(a, b))  # You compare seed 0 with seed 0 and seed 1 with seed 1. Seeds of
# two schemes are unrelated, so compare every run of a with every run of b.
all(x < y for x, y in zip(sorted(a), sorted(b)))  # You compare best with best, second with second. Compare every pair.
any(x < y for x, y in zip(a, b))
sum(x < y for x, y in zip(a, b)) > len(a) / 2
np.less.outer(a, b).mean() > 0.5
np.less.outer(a, b).mean() > 0.95  # You accept an order that some pairs of runs reverse. One such pair undoes it.
len(a) == len(b) and max(a) < min(b)  # Your rule is right, but you answer False where the numbers of seeds differ.
"""
LINES = """
runs = [runs[:min(map(len, losses.values()))] for runs in losses.values()]  # Your rule is right, but you leave out some
# of the seeds. Every seed of every scheme counts.
runs = losses.items()  # `items()` gives pairs of a name and its losses. `losses.values()` gives the losses alone.
runs = list(losses)  # You go through the *names*, and `max` of a name is its last letter. Use `losses.values()`.
runs = sorted(losses.values(), key=np.mean)
runs = [losses[name] for name in sorted(losses)]  # Your rule is right, but you sort the schemes. Keep their order.
runs = np.array(list(losses.values())); return runs.max(1)[:, None] < runs.min(1)  # Your rule is right, but lists with
# different numbers of seeds do not fit into one array. Use `max` and `min`.
runs = np.array(list(losses.values())); return runs.max(0)[:, None] < runs.min(0)  # Axis 0 runs over the schemes. The
# seeds are along axis 1, but their numbers may differ, so take the worst and the best loss of each list.
return [[max(a) < min(b) for b in runs] for a in runs[:1]][0]  # You return one row. Is the `return` inside the loop?
return [[max(a) < min(b) for b in runs if b is not a] for a in runs]  # A column is missing. Each scheme has a row and a
# column, and the diagonal is False.
return [[a, b] for a in losses for b in losses if max(losses[a]) < min(losses[b])]  # You return pairs of names. The
# task asks for a table of True and False, with a row and a column for each scheme.
return np.triu([[max(a) < min(b) for b in runs] for a in runs])  # You only find orders whose better scheme comes first
# in the dictionary. Compare each scheme with every other.
"""
WRONG = tables("\n".join(MARGINS) + RULES) + LINES
HINTS = [
    "In the first case alibi has the losses 1.70, 1.80 and 1.75, and rope has 2.8, 2.4 and 1.6. By their means, "
    "alibi is better. In which of the nine pairs of runs is rope better?",
    "If a wins with its worst seed against the best seed of b, it wins every other pair as well.",
    "The worst loss of a is `max(a)`, and the best loss of b is `min(b)`. Which one must be smaller?",
]
LAST = study("flip-flop")
MEANS = np.array([np.mean(seeds) for seeds in LAST.values()])
ON_PASS = (
    f"In flip-flop at 1,024 tokens the means order {np.less.outer(MEANS, MEANS).sum()} of the "
    f"{len(LAST) * (len(LAST) - 1) // 2} pairs of schemes. Only {expected(LAST).sum()} of these orders hold for every "
    "choice of seeds."
)
