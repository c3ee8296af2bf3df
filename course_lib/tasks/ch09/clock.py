"""An honest ratio from the seconds of two ways."""

import statistics

import numpy as np

from ..engine import Case, Mistake, Task


def _fair_ratio(ours, limit, warm):
    """How many times as long `ours` takes as `limit`.

    ours and limit (rounds,) are seconds; a round ran both, one right after the other.
    The first `warm` rounds were to warm up and do not count.
    """
    each = ours[warm:] / limit[warm:]
    return np.median(each)


def _fair_ratio_given(ours, limit, warm):
    """How many times as long `ours` takes as `limit`.

    ours and limit (rounds,) are seconds; a round ran both, one right after the other.
    The first `warm` rounds were to warm up and do not count.
    """
    return ours.sum() / limit.mean()


def _expected(ours, limit, warm):
    return statistics.median(float(a) / float(b) for a, b in list(zip(ours, limit, strict=True))[warm:])


def _rounds(seed, rounds, busy=()):
    """Seconds of two ways; in the rounds `busy` something else ran, and both took longer."""
    rng = np.random.default_rng(seed)
    ours, limit = rng.uniform(0.010, 0.014, rounds), rng.uniform(0.009, 0.011, rounds)
    for at in busy:
        ours[at], limit[at] = ours[at] * 3, limit[at] * 3.3
    return ours.round(4), limit.round(4)


fair_ratio = Task(
    title="Bug hunt: seventeen times slower",
    minutes=8,
    difficulty=1,
    words="""A benchmark reports that a bias makes attention seventeen times slower. It compares the sum of one with the mean
of the other, and the first rounds, which loaded libraries and filled caches, count as well. Mend it. The lesson's rules
say what to do with rounds in which the machine was busy: compare inside a round, and take the median.""",
    solution=_fair_ratio,
    given=_fair_ratio_given,
    expected=_expected,
    cases=[
        Case(
            np.array([0.9, 0.012, 0.011, 0.013]), np.array([0.3, 0.010, 0.010, 0.010]), 1, says="one round to warm up"
        ),
        Case(
            np.array([0.012, 0.050, 0.013, 0.011, 0.014]),
            np.array([0.010, 0.045, 0.010, 0.011, 0.010]),
            0,
            says="one busy round, nothing to warm up",
        ),
        Case(*_rounds(0, 8, busy=(0, 3)), 2, says="two rounds to warm up, a busy one later"),
        Case(*_rounds(1, 7), 3, says="seven rounds, three of them to warm up"),
        Case(np.array([5.0, 0.01, 0.03]), np.array([1.0, 0.01, 0.02]), 1, says="two rounds that count"),
        Case(np.array([5.0, 0.012]), np.array([1.0, 0.010]), 1, says="one round that counts"),
    ],
    draw=lambda rng: (
        *_rounds(int(rng.integers(1000)), n := int(rng.integers(5, 12)), (n - 1, n - 2)),
        int(rng.integers(1, 3)),
    ),
    mistakes=[
        Mistake(
            lambda ours, limit, warm: ours.sum() / limit.mean(),
            "The sum of one over the mean of the other: that grows with the number of rounds.",
        ),
        Mistake(
            lambda ours, limit, warm: ours[warm:].sum() / limit[warm:].mean(),
            "Without the first rounds now, but still a sum over a mean.",
        ),
        Mistake(
            lambda ours, limit, warm: ours.mean() / limit.mean(),
            "A mean over a mean, and the rounds that warm up count.",
        ),
        Mistake(
            "np.median(each)",
            "np.mean(each)",
            "The mean of the ratios follows every busy moment. Take the median.",
        ),
        Mistake(
            lambda ours, limit, warm: ours[warm:].mean() / limit[warm:].mean(),
            "A mean over a mean: one busy round decides it. Compare inside each round, then take the median.",
        ),
        Mistake(
            lambda ours, limit, warm: np.median(ours[warm:]) / np.median(limit[warm:]),
            "The ratio of two medians: they may come from different rounds, one busy and one quiet. First the ratio of each round, then the median.",
        ),
        Mistake(
            lambda ours, limit, warm: ours[warm:].min() / limit[warm:].min(),
            "The ratio of the two smallest: they may come from different rounds. First the ratio of each round, then the median.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "limit[warm:] / ours[warm:]",
            "Turned round: that is how many times as long `limit` takes.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours / limit",
            "The rounds that warm up count as well. Leave the first `warm` out.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[:warm] / limit[:warm]",
            "These are the rounds that warm up, and only these.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[1:] / limit[1:]",
            "You leave out one round. There are `warm` of them, and there may be none.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm + 1 :] / limit[warm + 1 :]",
            "One round too many is left out: the first `warm` are 0 … warm − 1.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[: len(ours) - warm] / limit[: len(ours) - warm]",
            "You leave out the last rounds. It is the first that warm up.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm:] - limit[warm:]",
            "These are differences, in seconds. How many *times* as long?",
        ),
        Mistake("ours[warm:] / limit[warm:]", "ours[warm:] * limit[warm:]", "You multiply the seconds. Divide."),
        Mistake("np.median(each)", "each.min()", "The smallest ratio is the luckiest round. Take the median."),
        Mistake("np.median(each)", "each.max()", "The largest ratio is the unluckiest round. Take the median."),
        Mistake("np.median(each)", "each.sum()", "The ratios are added up. Take their median."),
        Mistake("np.median(each)", "each", "You return the ratio of every round. One number is wanted: their median."),
        Mistake(
            "np.median(each)",
            "np.median(each) - 1",
            "That is how much *more* time it takes. The ratio itself was asked for.",
        ),
        Mistake("np.median(each)", "100 * np.median(each)", "That is a percentage. The ratio itself was asked for."),
        Mistake(
            "np.median(each)",
            "np.sort(each)[len(each) // 2]",
            "With an even number of rounds, the median is the mean of the middle two.",
        ),
        Mistake(
            "np.median(each)",
            "np.sort(each)[(len(each) - 1) // 2]",
            "With an even number of rounds, the median is the mean of the middle two. Yours takes the lower one, as `torch.median` does.",
        ),
        Mistake(
            "np.median(each)",
            "100 * (np.median(each) - 1)",
            "That is how much more time it takes, in percent. The ratio itself was asked for.",
        ),
        Mistake(
            "np.median(each)",
            "np.exp(np.log(each).mean())",
            "The geometric mean of the ratios still follows every busy moment. Take the median.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm - 1 :] / limit[warm - 1 :]",
            "One round that warms up still counts: the first that counts is number `warm`, from 0.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[max(warm - 1, 0) :] / limit[max(warm - 1, 0) :]",
            "The last of the rounds that warm up still counts: leave out `warm` of them.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm:] / limit[:-warm]",
            "`ours` leaves out the first rounds and `limit` the last: each round meets another one. `limit[warm:]`, too.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm:] / limit[: len(limit) - warm]",
            "Each round meets another one: `limit` leaves out its *last* rounds. Its first warm up, too.",
        ),
        Mistake(
            lambda ours, limit, warm: np.median(ours[warm:]) / np.mean(limit[warm:]),
            "A median over a mean: two kinds of middle, from different rounds. First the ratio of each round, then the median.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm:]",
            "These are seconds of `ours` alone. Divide each round by its `limit`.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "limit[warm:]",
            "These are seconds of `limit` alone. Divide `ours` by it, round by round.",
        ),
        Mistake(
            lambda ours, limit, warm: ours.sum() / limit[warm:].mean(),
            "Still a sum over a mean, and in the sum the rounds that warm up count.",
        ),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[warm:] / limit.mean()",
            "Each round of `ours` meets the mean of all of `limit`. It should meet its own round.",
        ),
        Mistake("limit[warm:]", "limit[warm:] ** 2", "You divide twice by `limit`. Once is enough."),
        Mistake(
            "ours[warm:] / limit[warm:]",
            "ours[:-warm] / limit[:-warm]",
            "`[:-warm]` leaves out the last rounds (and all of them when `warm` is 0). It is the first that warm up: `[warm:]`.",
        ),
    ],
    alternatives=[
        lambda ours, limit, warm: np.quantile(ours[warm:] / limit[warm:], 0.5),
        lambda ours, limit, warm: statistics.median([a / b for a, b in zip(ours, limit, strict=True)][warm:]),
    ],
    hints=[
        "What is the answer when both take 10 ms in each of 17 rounds? And what does the code say?",
        "`ours[warm:]` leaves the first rounds out. Divided by `limit[warm:]`, it is one ratio per round.",
        "`np.median` of these.",
    ],
)
