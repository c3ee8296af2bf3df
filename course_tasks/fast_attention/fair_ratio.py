"""Bug hunt: seventeen times slower."""

import statistics

import numpy as np

from course_lib.checking import Case, CodingTask


def _fair_ratio(ours, limit, warm):
    """How many times as long `ours` takes as `limit`.

    ours and limit (rounds,) are seconds; a round ran both, one right after the other.
    The first `warm` rounds were to warm up and do not count.
    """
    each = ours[warm:] / limit[warm:]
    return np.median(each)


def _given(ours, limit, warm):
    """How many times as long `ours` takes as `limit`.

    ours and limit (rounds,) are seconds; a round ran both, one right after the other.
    The first `warm` rounds were to warm up and do not count.
    """
    return ours.sum() / limit.mean()


def _rounds(seed, rounds, busy=()):
    """Seconds of two ways; in the rounds `busy` something else ran, and both took longer."""
    rng = np.random.default_rng(seed)
    ours, limit = rng.uniform(0.010, 0.014, rounds), rng.uniform(0.009, 0.011, rounds)
    for at in busy:
        ours[at], limit[at] = ours[at] * 3, limit[at] * 3.3
    return ours.round(4), limit.round(4)


def _draw(rng):
    seed, rounds = int(rng.integers(1000)), int(rng.integers(5, 12))
    return *_rounds(seed, rounds, busy=(rounds - 1, rounds - 2)), int(rng.integers(1, 3))


_ONE_BUSY = np.array([0.012, 0.050, 0.013, 0.011, 0.014]), np.array([0.010, 0.045, 0.010, 0.011, 0.010])

fair_ratio = CodingTask(
    title="Bug hunt: seventeen times slower",
    minutes=8,
    difficulty=1,
    words="""A benchmark reports that a bias makes attention seventeen times slower. But it divides the sum of one list by the
mean of the other, and it counts the first rounds, which loaded libraries and filled caches. Fix the code. In some rounds
the machine was busy, so follow the lesson's rules: compare inside each round, and take the median.""",
    solution=_fair_ratio,
    starter=_given,
    expected=lambda ours, limit, warm: statistics.median([a / b for a, b in zip(ours, limit, strict=True)][warm:]),
    cases=[
        Case(np.array([0.9, 0.012, 0.011, 0.013]), np.array([0.3, 0.01, 0.01, 0.01]), 1, label="one round to warm up"),
        Case(*_ONE_BUSY, 0, label="one busy round, nothing to warm up"),
        Case(*_rounds(0, 8, busy=(0, 3)), 2, label="two rounds to warm up, a busy one later"),
        Case(*_rounds(1, 7), 3, label="seven rounds, three of them to warm up"),
        Case(np.array([5.0, 0.01, 0.03]), np.array([1.0, 0.01, 0.02]), 1, label="two rounds that count"),
        Case(np.array([5.0, 0.012]), np.array([1.0, 0.010]), 1, label="one round that counts"),
    ],
    draw=_draw,
    pieces="""
warm
    `warm`: Both `ours` and `limit` leave out their first `warm` rounds.
limit[warm:]
    the division by `limit`: Each round of `ours` is divided by its own round of `limit`.
ours[warm:] / limit[warm:]
    the ratio: It says how many times as long `ours` takes as `limit` in a round.
np.median(each)
    the median: It makes one number of the ratios, and busy rounds do not change it much.
""",
    slips="""
np.median(each) → np.mean(each)
or np.median(each) → np.exp(np.log(each).mean())
    You take a mean of the ratios, which every busy moment changes. Take the median.
ours[warm:] / limit[warm:] → ours / limit
    You count the rounds that warm up. Leave the first `warm` out.
ours[warm:] / limit[warm:] → ours[:warm] / limit[:warm]
    You take only the rounds that warm up. Leave these out.
ours[warm:] / limit[warm:] → ours[1:] / limit[1:]
    You leave out one round. There are `warm` of them, and there may be none.
ours[warm:] / limit[warm:] → ours[warm + 1 :] / limit[warm + 1 :]
    You leave out one round too many. The rounds that warm up are 0 … warm − 1.
ours[warm:] / limit[warm:] → ours[: len(ours) - warm] / limit[: len(ours) - warm]
    You leave out the last rounds. The first ones warm up.
ours[warm:] / limit[warm:] → ours[warm:] - limit[warm:]
    You take differences, in seconds. The question is how many *times* as long it takes.
np.median(each) → each.min()
or np.median(each) → each.max()
    Your ratio is that of one round, the luckiest or the unluckiest. Take the median.
np.median(each) → each.sum()
    You add up the ratios. Take their median.
np.median(each) → np.median(each) - 1
or np.median(each) → 100 * (np.median(each) - 1)
    This says how much *more* time it takes, as a share or in percent. Return the ratio itself.
np.median(each) → np.sort(each)[len(each) // 2]
or np.median(each) → np.sort(each)[(len(each) - 1) // 2]
    For an even number of rounds, the median is the mean of the middle two. You take only one of these.
ours[warm:] / limit[warm:] → ours[warm - 1 :] / limit[warm - 1 :]
or ours[warm:] / limit[warm:] → ours[max(warm - 1, 0) :] / limit[max(warm - 1, 0) :]
    You count one round that warms up. The first round that counts is number `warm`, from 0.
limit[warm:] → limit[:-warm]
or limit[warm:] → limit[: len(limit) - warm]
    You leave out the first rounds of `ours` but the last of `limit`, so the rounds do not match. Use `limit[warm:]`.
ours[warm:] / limit[warm:] → limit[warm:]
    You return seconds of `limit`. Divide `ours` by it, round by round.
/ limit[warm:] → / limit.mean()
    You divide each round of `ours` by the mean of all of `limit`. Divide it by its own round.
... → return ours[warm:].sum() / limit[warm:].mean()
or ... → return ours.sum() / limit[warm:].mean()
    You still divide a sum by a mean. Take the ratio of each round first, without the first `warm`, then the median.
... → return ours.mean() / limit.mean()
    You divide a mean by a mean, and count the rounds that warm up.
... → return ours[warm:].mean() / limit[warm:].mean()
    You divide a mean by a mean, so one busy round decides the result. Compare inside each round, then take the median.
... → return np.median(ours[warm:]) / np.median(limit[warm:])
or ... → return np.median(ours[warm:]) / np.mean(limit[warm:])
or ... → return ours[warm:].min() / limit[warm:].min()
    You divide two numbers that may come from different rounds, one busy and one quiet. Take the ratio of each round
    first, then the median.
""",
    alternatives=[lambda ours, limit, warm: np.quantile(ours[warm:] / limit[warm:], 0.5)],
    hints=[
        "What is the answer when both take 10 ms in each of 17 rounds? And what does the code return?",
        "`ours[warm:]` leaves the first rounds out. Divided by `limit[warm:]`, it gives one ratio per round.",
        "Take `np.median` of these.",
    ],
)
