"""Bug hunt: the factor inside the power."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property
from course_lib.reference.absolute import frequencies


def _mixed_speeds(keep, s, base):
    """Speeds (pairs,): pair m keeps the share keep[m] of its speed, and the rest of the speed is divided by s.

    keep (pairs,): shares from 0 to 1, which a rule such as YaRN's has computed. The old speeds are base^(−2m/d).
    """
    exponent = -np.arange(len(keep)) / len(keep)
    kept = base**exponent
    divided = kept / s
    return keep * kept + (1 - keep) * divided


def _with_the_bug(keep, s, base):
    """Speeds (pairs,): pair m keeps the share keep[m] of its speed, and the rest of the speed is divided by s.

    keep (pairs,): shares from 0 to 1, which a rule such as YaRN's has computed. The old speeds are base^(−2m/d).
    """
    exponent = -np.arange(len(keep)) / len(keep)
    kept = base**exponent
    divided = (s * base) ** exponent
    return keep * kept + (1 - keep) * divided


def _expected(keep, s, base):
    theta = frequencies(2 * len(keep), base)
    return [theta[m] * keep[m] + theta[m] / s * (1 - keep[m]) for m in range(len(keep))]


def _draw(rng):
    keep = np.sort(rng.uniform(0, 1, int(rng.integers(2, 12))))[::-1]
    return keep, float(rng.uniform(2, 40)), float(rng.choice([100.0, 10_000.0, 150_000.0]))


mixed_speeds = CodingTask(
    title="Bug hunt: the factor inside the power",
    minutes=8,
    difficulty=2,
    words="""A compiler for machine learning computed YaRN's speeds as this code does, and its outputs differed from those
of the original model ([apache/tvm, pull request 18576](https://github.com/apache/tvm/pull/18576)). `keep` holds the
shares $\\gamma_m$ of the lesson. If they are all 0, the rule is position interpolation, so every pair should be divided
by s. Which pair does this code not divide at all? Fix it.""",
    solution=_mixed_speeds,
    starter=_with_the_bug,
    expected=_expected,
    axes=(Axis("pair"),),
    cases=[
        Case(np.zeros(4), 8.0, 10_000.0, label="nothing is kept: interpolation"),
        Case(np.ones(4), 8.0, 10_000.0, label="everything is kept"),
        Case(np.array([1, 0.5, 0, 0]), 8.0, 10_000.0, label="one pair in between"),
        Case(np.array([1, 0.9, 0.6, 0.3, 0.1, 0]), 32.0, 150_000.0, label="six pairs, s = 32"),
        Case(np.array([0.25]), 4.0, 10_000.0, label="a single pair"),
        Case(np.array([0.7, 0.2, 0]), 1.0, 500.0, label="s = 1 changes nothing"),
    ],
    draw=_draw,
    properties=[
        Property(
            "pair 0",
            lambda y, keep, s, base: np.isclose(float(np.asarray(y, float)[0]), keep[0] + (1 - keep[0]) / s, atol=1e-6),
            "Pair 0 is wrong in at least one case. Its old speed is 1, so its new speed should be "
            "keep[0] + (1 − keep[0]) / s.",
        )
    ],
    pieces="""
-np.arange(len(keep)) / len(keep)
    the exponent: It is −2m/d, and d/2 is the number of pairs.
np.arange(len(keep))
    the number of the pair: Pairs count from 0.
base**exponent
    the old speed: It is the base to the power −2m/d.
kept / s
    the divided speed: It is the old speed divided by s, outside the power.
keep * kept
    the share that is kept: It is keep times the old speed.
(1 - keep) * divided
    the rest: It is the share 1 − keep of the divided speed.
1 - keep
    the share of the divided speed: It is 1 − keep.
""",
    slips="""
kept / s → kept * s
    You multiply by s. A longer text needs *slower* pairs.
kept / s → (base / s) ** exponent
    Your s still has the exponent of its pair: pair 0 is not divided, and the slow pairs get faster. Every speed is
    divided by s itself, outside the power.
-np.arange(len(keep)) / len(keep) → -2 * np.arange(len(keep)) / len(keep)
    Your exponent is −2m divided by the number of pairs. In −2m/d, d is the number of channels, twice as many.
-np.arange(len(keep)) / len(keep) → -np.arange(len(keep)) / len(keep) / 2
    Your exponent is half of −2m/d. d is the number of channels, so 2m/d is m divided by the number of pairs.
-np.arange(len(keep)) / len(keep) → np.arange(len(keep)) / len(keep)
kept / s → kept * s
    You compute with wavelengths, divided by 2π. A speed has a negative exponent and is divided by s.
kept / s → 1 / (s * kept)
    You divide 1 by the speed. The speed itself is divided by s.
kept / s → kept / s**2
    You divide by s twice. Once is enough.
kept / s → (s * base) ** exponent / s
    You divide by s, but the s inside the power is still there, too.
kept / s → (base * s ** (len(keep) / max(len(keep) - 1, 1))) ** exponent
    You raise the base as NTK-aware scaling does. Here all speeds are divided by s itself.
kept / s → base ** (exponent / s)
    You divide the exponent. The speed is divided by s, outside the power.
kept / s → kept - s
    You subtract s. The speed is divided by it.
keep * kept + (1 - keep) * divided → keep * divided + (1 - keep) * kept
    The two shares have changed places. `keep` is the share of the old speed, and the given code had that right.
kept / s → (s * base) ** exponent
keep * kept + (1 - keep) * divided → keep * divided + (1 - keep) * kept
    You exchanged the two shares, which were right. The bug is still there: s is inside the power.
keep * kept + (1 - keep) * divided → np.where(keep > 0.5, kept, divided)
or keep * kept + (1 - keep) * divided → np.where(keep > 0, kept, divided)
or keep * kept + (1 - keep) * divided → np.where(keep == 1, kept, divided)
    You keep a speed or divide it. A share in between mixes the two: 0.5 takes half of each.
keep * kept + (1 - keep) * divided → kept / s ** (1 - keep)
    You mix in the exponent, which is a geometric mean. The rule adds two shares of speeds.
keep * kept + (1 - keep) * divided → kept / (keep + (1 - keep) * s)
    You mix the divisors. The rule mixes the two speeds.
keep * kept + (1 - keep) * divided → keep * kept
    The divided part is missing.
keep * kept + (1 - keep) * divided → kept
    You return the old speeds, without any repair.
keep * kept + (1 - keep) * divided → divided
    You return the divided speeds, as if nothing were kept.
keep * kept + (1 - keep) * divided → keep * kept + (1 - keep) * divided**2
    You square the divided speed. Once is enough.
... → return _expected(keep, s ** (len(keep) / (len(keep) - 1)), base) if len(keep) > 1 else np.ones(1)
    Your s has an exponent. Every speed is divided by s itself.
""",
    alternatives=[
        lambda keep, s, base: frequencies(2 * len(keep), base) * (keep + (1 - keep) / s),
        lambda keep, s, base: np.array([base ** (-m / len(keep)) * (keep[m] + (1 - keep[m]) / s) for m in range(len(keep))]),
    ],
    hints=[
        "Print `mixed_speeds(np.zeros(4), 8.0, 10_000.0)` and compare it with `frequencies(8)`. By what is each pair "
        "divided?",
        "Anything to the power 0 is 1. What does that do to s in pair 0?",
        "Take s out of the power: compute the old speed first, and then divide it.",
    ],
)


@mixed_speeds.wrong("You divide pair 0, but in all other pairs s is still inside the power. Each pair is divided by s itself.")
def _only_pair_0(keep, s, base):
    exponent = -np.arange(len(keep)) / len(keep)
    divided = (s * base) ** exponent
    divided[0] /= s
    return keep * base**exponent + (1 - keep) * divided
