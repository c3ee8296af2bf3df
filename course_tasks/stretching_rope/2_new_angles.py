r"""Which pairs meet new angles? · 8 minutes · ★

A trained model is given other speeds and reads a longer text. A pair meets new angles if two things are
true: it made less than one turn in training, and in the long text it turns farther than it did in training. Count a
text of $n$ tokens as $n$ steps, so pair $m$ with its new speed $\theta'_m$ turns by $n\,\theta'_m$ radians.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import interpolated, ntk, turns


def new_angles(before, after, trained, n):
    """Which pairs meet new angles in a text of n tokens: True or False for each, (pairs,).

    before, after (pairs,): the speeds in training and now, in radians per position. trained: tokens of a training text.
    """
    old = trained * before  # In training a pair turned by `trained` times its old speed, an angle in radians.
    new = n * after  # In the long text a pair turns by n times its new speed.
    is_open = old < 2 * np.pi  # A pair is open if it made less than a whole turn in training, and a turn is 2π radians.
    farther = new > old  # A pair goes beyond its trained range if it turns farther than in training.
    return is_open & farther  # Both must be true: the pair is open, and it turns farther.


def expected(before, after, trained, n):
    old = turns(before, trained)
    return (old < 1) & (turns(after, n) > old)


def draw(rng):
    before = frequencies(2 * int(rng.integers(2, 9)), float(rng.choice([30.0, 10_000.0, 500_000.0])))
    return before, before / rng.uniform(1, 12, len(before)), int(rng.integers(20, 3000)), int(rng.integers(3000, 9000))


THETA = frequencies(16)
AXES = (Axis("pair"),)
CASES = [
    Case(THETA, THETA.copy(), 128, 1024, label="the study's head, as it is"),
    Case(THETA, ntk(THETA, 8), 128, 1024, label="the study's head with NTK for 8"),
    Case(THETA, interpolated(THETA, 4), 128, 1024, label="interpolated for 4, read at 8"),
    Case(np.array([0.06, 0.04, 0.02]), np.array([0.06, 0.04, 0.02]), 128, 300, label="1.2, 0.8 and 0.4 turns"),
    Case(np.array([0.03, 0.01, 0.008]), np.array([0.01, 0.03, 0.012]), 128, 256, label="two faster pairs"),
    Case(np.array([0.049, 0.03, 0.01]), np.array([0.049, 0.015, 0.00501]), 128, 256, label="three borderline pairs"),
    Case(np.pi / np.array([32, 64, 128]), np.pi / np.array([32, 64, 128]), 128, 256, label="2, 1 and half a turn"),
    Case(frequencies(8), frequencies(8), 64, 64, label="a text as long as in training"),
]
WRONG = """
is_open = n * before < 2 * np.pi
is_open = new < 2 * np.pi  # You test whether a pair is closed in the *long* text. What counts is its turn in training.
is_open = old <= 2 * np.pi  # A pair with exactly one turn has met every angle, so it is closed. You take it for open.
is_open = trained * after < 2 * np.pi  # You test for open pairs with the new speeds. In training they had the old ones.
is_open = old < 1  # You compare with 1. Tokens times speed is an angle in radians, and a turn has 2π of them.
is_open = old < 360  # You compare with 360 degrees. Speeds are in radians per position, so a turn is 2π.
is_open = np.degrees(old) < 2 * np.pi  # You compare an angle in degrees with 2π radians.
farther = after > before  # A slower pair can still turn farther, because the text is longer. Compare angles.
farther = n > trained  # Your second test does not depend on the new speeds, `after`, with which the pairs turn now.
farther = new >= old  # A pair that turns exactly as far as in training meets no new angle. You count it.
farther = new % (2 * np.pi) > old  # You take the angle modulo 2π. On its way past a whole turn a pair meets new angles.
farther = new > 2 * np.pi
farther = new >= 2 * np.pi  # You ask for a whole turn in the long text. Turning farther than in training is enough.
farther = new / (2 * np.pi) > old  # You compare turns in the long text with radians in training. Use one unit.
old = (trained - 1) * before; new = (n - 1) * after  # You count one step too few. Here n tokens count as n steps.
old = n * before; new = trained * after  # `trained` and `n` have changed places. The old speeds belong to `trained`.
old = trained * after; new = n * before  # `before` and `after` have changed places. The old speeds belong to `trained`.
return is_open & ~is_open  # You return False for every pair. Print `trained * before` and `n * after`.
return is_open | farther  # One of the two is enough in your result. Both must be true: open, *and* turning farther.
return is_open and farther  # `and` and `if` need a single True or False, and you gave them an array. `&` joins arrays.
return trained * before < 2 * np.pi & n * after > trained * before  # `&` binds tighter than `<` and `>`, so it got
# numbers. Each comparison needs parentheses of its own.
return is_open  # You return all open pairs. An open pair that is slowed enough stays in its trained range.
new = (n - 1) * after; return new > old
return farther  # You return all pairs that turn farther. A closed pair may do that: it has met every angle.
return np.flatnonzero(is_open & farther)  # You return the numbers of the pairs, not one True or False for each.
return ~(is_open & farther)  # You return the pairs that meet *no* new angle. True should mean that a pair does.
"""
HINTS = [
    "In training, pair m turned by `trained * before[m]` radians. A whole turn is 2π.",
    "Now it turns by `n * after[m]` radians. Is this more than in training?",
    "`a & b` joins two arrays of truth values.",
]
