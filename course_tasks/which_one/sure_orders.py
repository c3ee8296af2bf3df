"""Bug hunt: an order that one seed would reverse."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property

from ..longer_than_training.common import study_rows


def _sure_orders(losses):
    """holds[a, b]: whether scheme a is better than scheme b, whichever run is drawn for a and whichever for b.

    losses: {scheme: [loss of each seed]}. Returns True and False, (schemes, schemes), in the order
    of the dictionary.
    """
    runs = list(losses.values())
    return [[max(a) < min(b) for b in runs] for a in runs]


def _sure_orders_given(losses):
    """holds[a, b]: whether scheme a is better than scheme b, whichever run is drawn for a and whichever for b.

    losses: {scheme: [loss of each seed]}. Returns True and False, (schemes, schemes), in the order
    of the dictionary.
    """
    runs = list(losses.values())
    return [[np.mean(a) < np.mean(b) for b in runs] for a in runs]


def _every_pair_of_runs(losses):
    """Each run of one scheme beside each run of the other."""
    return np.array([[(np.subtract.outer(a, b) < 0).all() for b in losses.values()] for a in losses.values()])


def _somewhere(compare, losses):
    """Whether compare(run of a, run of b) holds in some meeting of a and b, for all schemes a and b."""
    return np.array([[compare.outer(a, b).any() for b in losses.values()] for a in losses.values()])


def _case(losses, label):
    names = list(losses)
    return Case(losses, label=label, axes=[Axis("better scheme", names), Axis("worse scheme", names)])


def _study(task, at):
    """The losses of all schemes in one task of the study, at one test length."""
    found: dict[str, list[float]] = {}
    for row in study_rows():
        if row["task"] == task:
            found.setdefault(row["scheme"], []).append(row["loss"][row["settings"]["tests"].index(at)])
    return found


def _draw(rng):
    """A few schemes with one to four seeds, rounded so that equal losses come up."""
    names = rng.permutation(["rope", "alibi", "t5-32", "shaw-16", "learned"])[: rng.integers(2, 6)]
    losses = {
        str(name): rng.normal(1.5 + k / 5, 0.15, rng.integers(1, 5)).round(1).tolist() for k, name in enumerate(names)
    }
    return _case(losses, "a random case")


sure_orders = CodingTask(
    title="Bug hunt: an order that one seed would reverse",
    minutes=10,
    difficulty=2,
    words="""`losses` holds, for each scheme, the loss of each seed. The code compares means, so it finds an order for
nearly every pair of schemes. Where seeds vary more than schemes differ, that says nothing. Fix it: `holds[a, b]` is
True only when scheme a beats scheme b **whichever run is drawn for a and whichever for b**. Seed 0 of one scheme has
nothing to do with seed 0 of another, schemes may have different numbers of seeds, and equal losses are not an order.

This is still not a proof. Two schemes that do not differ at all, with three seeds each, are separated like this by
chance once in ten times, because there are 20 ways to distribute six losses over them, and 2 of these separate them.""",
    solution=_sure_orders,
    starter=_sure_orders_given,
    expected=_every_pair_of_runs,
    cases=[
        _case({"alibi": [1.7, 1.8, 1.75], "rope": [2.8, 2.4, 1.6], "none": [3.0, 3.1, 3.2]}, "three schemes"),
        _case(_study("characters", 512), "the study: characters, 512 tokens"),
        _case(_study("flip-flop", 512), "the study: flip-flop, 512 tokens"),
        _case({"a": [1.0, 4.0, 5.0], "b": [2.0, 3.0, 6.0], "c": [7.0, 8.0, 6.5]}, "two that overlap"),
        _case({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [2.5, 3.5]}, "one loss in common"),
        _case({"a": [1.0, 1.0], "b": [1.0, 1.0], "c": [1.0, 1.5]}, "equal losses"),
        _case({"a": [1.501], "b": [1.2], "c": [1.502]}, "one seed each"),
        _case({"a": [1.0, 1.4, 1.6, 1.2], "b": [1.5], "c": [1.7, 1.9]}, "different numbers of seeds"),
        _case({"z": [3.0, 3.2], "y": [1.0, 1.2], "x": [2.0, 2.9]}, "the best is not the first"),
        _case({"a": [1.0, 1.1, 1.0, 9.0], "b": [2.0, 2.1, 2.2, 2.0]}, "one run that went wrong"),
        _case({"a": [1.0] * 9 + [2.05], "b": [2.0] + [3.0] * 9}, "a hundred meetings, and one of them lost"),
    ],
    draw=_draw,
    axes=("better scheme", "worse scheme"),
    properties=[
        Property(
            "True or False",
            lambda holds, losses: np.isin(holds, (0, 1)).all(),
            "An entry is True where the order holds, and False where it does not. One of yours is another number.",
        ),
        Property(
            "not itself",
            lambda holds, losses: not np.diagonal(holds).any(),
            "No scheme is better than itself: the diagonal is False.",
        ),
        Property(
            "one way",
            lambda holds, losses: not np.logical_and(holds, np.transpose(holds)).any(),
            "Two schemes are each better than the other.",
        ),
        Property(
            "never reversed",
            lambda holds, losses: not np.logical_and(holds, _somewhere(np.greater, losses)).any(),
            "One of the orders that you find is reversed in some meeting: there the run of the better scheme has the "
            "larger loss.",
        ),
        Property(
            "never equal",
            lambda holds, losses: not np.logical_and(holds, _somewhere(np.equal, losses)).any(),
            "One of the orders that you find has a meeting with equal losses, which are no order: is it `<=` for `<`?",
        ),
        Property(
            "none missed",
            lambda holds, losses: np.logical_or(holds, _somewhere(np.greater_equal, losses)).all(),
            "You miss an order that holds in every meeting, however small the gap.",
        ),
    ],
    on_pass="In flip-flop at 512 tokens the means order all 55 pairs of schemes. Of these orders 32 hold for every "
    "choice of seeds.",
    pieces="""
max(a)
    the worst loss of a: A smaller loss is better, so the worst loss of a scheme is its largest.
min(b)
    the best loss of b: A smaller loss is better, so the best loss of a scheme is its smallest.
max(a) < min(b)
    the comparison: The order holds if a wins with its worst run against the best run of b.
list(losses.values())
    the list of losses: The losses of each scheme are the values of the dictionary.
""",
    slips="""
max(a) < min(b) → min(a) < min(b)
    Best seed against best seed: both may have been lucky. What if a is drawn with another?
max(a) < min(b) → max(a) < max(b)
    Worst seed against worst seed: b may have had a better one. What if it is drawn with that?
max(a) < min(b) → min(a) < max(b)
    This asks whether a *can* be better, with its best seed against the worst of b. It must be better with any
    against any.
max(a) < min(b) → np.mean(a) < min(b)
    The mean of a still represents all its seeds. Can a worse one be drawn?
max(a) < min(b) → max(a) < np.mean(b)
    The mean of b still represents all its seeds. Can a better one be drawn?
max(a) < min(b) → max(a) <= min(b)
    Equal losses are not an order, so use `<`, not `<=`.
max(a) < min(b) → min(a) > max(b)
    Your result says where b is better than a. Is the comparison reversed (a smaller loss is better), or did you
    exchange rows and columns?
max(a) < min(b) → min(a) >= max(b)
    There are two mistakes. Your result says where b is better than a, and equal losses are not an order.
max(a) < min(b) → max(a) > min(b)
    Your comparison is reversed, so the result says which orders do *not* hold.
max(a) < min(b) → max(a) >= min(b)
    Your result says which orders do *not* hold. The task asks for the opposite.
max(a) < min(b) → np.mean(a) > np.mean(b)
    You still compare means, and in reverse. A smaller loss is better.
max(a) < min(b) → np.mean(a) <= np.mean(b)
    These are still means, and a scheme that equals another is not better.
max(a) < min(b) → round(max(a), 1) < round(min(b), 1)
    You round first, and what differs by less than the last digit is equal then. The losses themselves are compared.
max(a) < min(b) → a is not b and max(a) <= min(b)
    Equal losses are not an order, so use `<`, not `<=`. Then the diagonal needs no care of its own.
max(a) < min(b) → a < min(b)
    A list cannot be compared with a number: which of a's losses is to meet `min(b)`?
max(a) < min(b) → max(a) < b
    A number cannot be compared with a list: which of b's losses is `max(a)` to meet?
max(a) < min(b) → a[0] < b[0]
    You count only the first seed of each. Any seed of a may meet any of b.
max(a) < min(b) → a[-1] < b[-1]
    You count only the last seed of each. Any seed of a may meet any of b.
max(a) < min(b) → a[-1] < b[0]
    The lists are in the order of the seeds, not sorted: take `max` and `min`.
max(a) < min(b) → a[0] < b[-1]
    The lists are in the order of the seeds, not sorted: take `max` and `min`. And look which of the two each scheme
    should bring.
max(a) < min(b) → a < b
    Python compares two lists by their first entries that differ, as in a dictionary of words. Take `max` and `min`.
max(a) < min(b) → sorted(a) < sorted(b)
    Python compares two lists by their first entries that differ: sorted, that is the best of each. Take the worst
    of a.
max(a) < min(b) → len(a) == len(b) and max(a) < min(b)
    The rule is right, and answers False where the numbers of seeds differ. It needs no such condition.
max(a) < min(b) → max(a[:3]) < min(b[:3])
    You count only the first three seeds. A scheme may have more.
losses.values() → losses.items()
    `items()` gives pairs of a name and its losses. The losses alone are `losses.values()`.
max(a) < min(b) → sum(a) < sum(b)
    You compare sums, so a scheme with more seeds looks worse, and again one number represents all of them.
max(a) < min(b) → min(b) - max(a)
    This is the gap between the worst of a and the best of b. Where it is above 0 the order holds: True or False is
    asked for.
in runs] for a in runs] → in runs[1:]] for a in runs]
    A column is missing: each scheme has a row and a column.
... → return _by(lambda a, b: np.median(a) < np.median(b))(losses)
    You compare medians. Again one number represents all seeds, and any of them may be drawn.
... → return _by(lambda a, b: max(a) < min(b) or max(b) < min(a))(losses)
    This says that one of the two is better, and not which: `holds[a, b]` is True only where it is a.
... → return _by(lambda a, b: min(a) <= max(b) and min(b) <= max(a))(losses)
    This says which schemes overlap. The task asks where a is better than b.
... → return _by(lambda a, b: all(_same_seed(a, b)))(losses)
    You compare seed 0 with seed 0, 1 with 1. The seeds of two schemes are not related, so any of a may meet any of b.
... → return _by(lambda a, b: len(a) == len(b) and all(_same_seed(a, b)))(losses)
    You compare seed 0 with seed 0, and answer False where the numbers of seeds differ. Any seed of a may meet any of b,
    however many each has.
... → return _by(lambda a, b: all(x < y for x, y in zip(a, b, strict=True)))(losses)
    You compare seed 0 with seed 0, and `strict=True` stops where the numbers of seeds differ. Any seed of a may meet
    any of b.
... → return _by(lambda a, b: (np.array(a) < np.array(b)).all())(losses)
    Two arrays are compared entry by entry, seed 0 with seed 0. The seeds of two schemes are not related, so any of a
    may meet any of b.
... → return _worst_and_best(1)(losses)
    The rule is right. But schemes have different numbers of seeds, and lists of different lengths make no table: take
    the worst and the best of each list first.
... → return _worst_and_best(0)(losses)
    Axis 0 runs over the schemes, the seeds are along axis 1. And where schemes have different numbers of seeds there is
    no such table: take the worst and the best of each list first.
... → return _by(lambda a, b: any(_same_seed(a, b)))(losses)
    One seed at which a wins is enough here. It must win with all of its seeds, against all of b's.
... → return _by(lambda a, b: sum(_same_seed(a, b)) > len(a) / 2)(losses)
    You ask which scheme wins more of the seeds. One seed that reverses the order is enough to undo it.
... → return _by(lambda a, b: all(_same_seed(sorted(a), sorted(b))))(losses)
    You compare the best with the best, the second with the second. What if the worst of a meets the best of b?
... → return _by(lambda a, b: _share(a, b) > 0.5)(losses)
    You ask which scheme wins more of the meetings. The order must hold in all of them.
... → return _by(lambda a, b: _share(a, b) > 0.95)(losses)
    You ask which scheme wins nearly all of the meetings. One that is lost is enough to undo the order.
... → return _by(lambda a, b: min(a) < min(b) and max(a) < max(b))(losses)
    Best against best and worst against worst: the two may still overlap in between.
... → return np.triu(_every_pair_of_runs(losses))
    Only pairs whose better scheme comes first in the dictionary are found. Ask each scheme about every other.
""",
    alternatives=[
        lambda losses: [[all(x < y for x in a for y in b) for b in losses.values()] for a in losses.values()],
        lambda losses: np.less.outer([max(a) for a in losses.values()], [min(b) for b in losses.values()]),
    ],
    hints=[
        "In the first case alibi has 1.70, 1.80 and 1.75, rope 2.8, 2.4 and 1.6. The means say alibi. Which of the "
        "nine meetings say rope?",
        "If a wins with its worst seed against the best of b, it wins all the others.",
        "The worst loss of a is `max(a)`, the best of b is `min(b)`: which must be smaller?",
    ],
)


def _by(better):
    """A wrong rule for two lists of losses."""

    def wrong(losses):
        return [[bool(better(a, b)) for b in losses.values()] for a in losses.values()]

    return wrong


def _same_seed(a, b):
    """Runs of the same seed beside each other, as far as the shorter list goes."""
    return [x < y for x, y in zip(a, b)]


def _apart(times, ddof):
    """The means are further apart than the standard deviations of both together, times 1 or 2."""
    return _by(lambda a, b: np.mean(b) - np.mean(a) > times * (np.std(a, ddof=ddof) + np.std(b, ddof=ddof)))


def _share(a, b):
    return np.less.outer(a, b).mean()


def _worst_and_best(axis):
    """Worst and best along an axis of the table of all runs, which is a table only where all have as many seeds."""

    def wrong(losses):
        runs = np.array(list(losses.values()))
        return runs.max(axis)[:, None] < runs.min(axis)

    return wrong


def _in_order_of(key):
    """The right rule, with the schemes in another order."""
    return lambda losses: _every_pair_of_runs(dict(sorted(losses.items(), key=key)))


@sure_orders.wrong(
    "One array of all runs compares seed 0 with seed 0, and cannot be made where schemes have different numbers of "
    "seeds. Look at two lists at a time."
)
def _table_of_runs(losses):
    runs = np.array(list(losses.values()))
    return (runs[:, None] < runs[None]).all(-1)


@sure_orders.wrong(
    "The lists are cut to the shortest of them. Every seed of every scheme counts."
)
def _shortest(losses):
    n = min(map(len, losses.values()))
    return _every_pair_of_runs({name: runs[:n] for name, runs in losses.items()})


@sure_orders.wrong(
    "These are 1, 0 and −1 for better, neither and worse. The task asks where a is better than b: True there, and "
    "False elsewhere."
)
def _better_worse_or_neither(losses):
    holds = _every_pair_of_runs(losses).astype(int)
    return holds - holds.T


@sure_orders.wrong(
    "You return None where an order does not hold. The task asks for False."
)
def _true_or_none(losses):
    return [[bool(better) or None for better in row] for row in _every_pair_of_runs(losses)]


for times, ddof, label in (
                (1, 0, "the two standard deviations"),
                (2, 0, "twice the two standard deviations"),
                (1, 1, "the two standard deviations (with n − 1)"),
                (2, 1, "twice the two standard deviations (with n − 1)"),
            ):
    sure_orders.wrong(
        f"You ask whether the means are further apart than {label}. That is another rule. A standard deviation of a "
        f"few seeds is a rough estimate, and a run may be outside of it. Compare the runs themselves."
    )(_apart(times, ddof))


@sure_orders.wrong(
    "`for a in losses` gives the *names*, and `max` of a name is its last letter in the alphabet. The losses are "
    "`losses.values()`."
)
def _letters(losses):
    return [[max(a) < min(b) for b in losses] for a in losses]


@sure_orders.wrong(
    "You return pairs of names. The task asks for a table of True and False, with a row and a column for each scheme."
)
def _pairs(losses):
    return [[a, b] for a in losses for b in losses if max(losses[a]) < min(losses[b])]


@sure_orders.wrong(
    "You return the first row only. Is the `return` inside the loop?"
)
def _first_scheme(losses):
    return _every_pair_of_runs(losses)[0]


@sure_orders.wrong(
    "Each row leaves out its own scheme, so the columns no longer fit. Keep the diagonal: no scheme is better than "
    "itself."
)
def _left_out_itself(losses):
    return [[max(a) < min(b) for s, b in losses.items() if s != name] for name, a in losses.items()]


for what, key in {
                "their means": lambda item: np.mean(item[1]),
                "their names": lambda item: item[0],
                "their losses": lambda item: item[1],
            }.items():
    sure_orders.wrong(
        f"Your rule is right, but you sort the schemes by {what}. Keep the order of the dictionary."
    )(_in_order_of(key))
