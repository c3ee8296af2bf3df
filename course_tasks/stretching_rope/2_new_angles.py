r"""Which pairs meet new angles? · 8 minutes · ★

A trained model is given other speeds and reads a longer text. A pair meets new angles if two things are
true: it made less than one turn in training, and in the long text it turns farther than it did in training. Count a
text of $n$ tokens as $n$ steps, so pair $m$ with its new speed $\theta'_m$ turns by $n\,\theta'_m$ radians.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import interpolated, ntk, p_rope, turns


def new_angles(before, after, trained, n):
    """Which pairs meet new angles in a text of n tokens: True or False for each, (pairs,).

    before, after (pairs,): the speeds in training and now, in radians per position. trained: tokens of a training text.
    """
    # A pair is open if it turned by less than 2π radians in training. The angle in training is the number of training
    # tokens times the speed before.
    is_open = trained * before < 2 * np.pi
    # n times the new speed is compared with `trained` times the old one. The angle in the long text is n times the
    # speed after the change.
    farther = n * after > trained * before
    return is_open & farther  # Both must be true, that the pair is open and that it turns farther.


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
    Case(THETA, interpolated(THETA, 8), 128, 1024, label="the study's head, interpolated for 8"),
    Case(THETA, interpolated(THETA, 4), 128, 1024, label="interpolated for 4, read at 8"),
    Case(THETA, p_rope(THETA, 0.5), 128, 1024, label="half of the pairs stopped"),
    Case(np.array([0.06, 0.04, 0.02]), np.array([0.06, 0.04, 0.02]), 128, 300, label="1.2, 0.8 and 0.4 turns"),
    Case(np.array([0.03, 0.01, 0.008]), np.array([0.01, 0.03, 0.012]), 128, 256, label="two faster pairs"),
    Case(np.array([0.049, 0.03, 0.01]), np.array([0.049, 0.015, 0.00501]), 128, 256, label="three borderline pairs"),
    Case(np.pi / np.array([32, 64, 128]), np.pi / np.array([32, 64, 128]), 128, 256, label="2, 1 and half a turn"),
    Case(np.array([0.4, 0.01]), np.array([0.4, 0.01]), 20, 100, label="a short training text"),
    Case(frequencies(8), frequencies(8), 64, 64, label="a text as long as in training"),
    Case(frequencies(8, 30.0), frequencies(8, 30.0), 128, 4096, label="base 30: all pairs are closed"),
]


WRONG = """
is_open = n * before < 2 * np.pi  # You test whether a pair is closed in the *long* text. What counts is the turn that
# it made in training.
is_open = n * after < 2 * np.pi  # You test whether a pair is closed in the *long* text, with its new speed. What
# counts is the turn that it made in training.
is_open = trained * before <= 2 * np.pi  # A pair with exactly one turn has met every angle, so it is closed. Your test
# takes it for open.
is_open = trained * after < 2 * np.pi  # You test for open pairs with the new speeds. In training the pairs had the old
# ones.
is_open = trained * before < 1  # You compare with 1. The product of tokens and speed is an angle in radians, and a
# turn has 2π of them.
is_open = trained * before < np.pi  # You compare with half a turn. A whole turn has 2π radians.
is_open = trained * before < 360  # You compare with 360 degrees. Speeds are in radians per position, so a turn is 2π.
farther = after > before  # You compare the speeds alone. A slower pair can still turn farther, because the text is
# longer.
farther = n > trained
farther = n * before > trained * before  # Your second test does not read the new speeds. In the long text the pairs
# turn with `after`, which may keep their angles in the trained range.
farther = n * after % (2 * np.pi) > trained * before  # You take the angle in the long text modulo 2π. An open pair
# that goes past a whole turn has met new angles on the way.
farther = n * after > 2 * np.pi
farther = n * after >= 2 * np.pi  # You ask whether the pair makes a turn in the long text. An open pair meets new
# angles as soon as it turns farther than in training.
is_open = (trained - 1) * before < 2 * np.pi; farther = (n - 1) * after > (trained - 1) * before  # You count the
# largest distance in a text, n − 1. That is a fine definition, too, but it disagrees with the words in borderline
# cases. Here a text of n tokens counts as n steps.
is_open = n * before < 2 * np.pi; farther = trained * after > n * before  # `trained` and `n` have changed places. The
# old speeds belong to `trained` tokens, the new ones to `n`.
is_open = trained * after < 2 * np.pi; farther = n * before > trained * after  # `before` and `after` have changed
# places. The old speeds belong to `trained` tokens, the new ones to `n`.
is_open = (trained + 1) * before < 2 * np.pi; farther = (n + 1) * after > (trained + 1) * before  # You count one step
# more than there are tokens. Here a text of n tokens counts as n steps.
farther = (n - 1) * after > trained * before  # You count n − 1 steps in the long text, its largest distance. Here a
# text of n tokens counts as n steps.
farther = n * after / (2 * np.pi) > trained * before  # You compare turns in the long text with radians in training.
# Divide both by 2π or neither.
is_open = trained * np.degrees(before) < 2 * np.pi  # You compare an angle in degrees with 2π. The speeds are in
# radians per position, as 2π is.
return is_open & ~is_open  # You return False for every pair. Print `trained * before` and `n * after`: both are angles
# in radians.
return is_open | farther  # You return the pairs for which one of the two is true. Both must be: the pair is open,
# *and* it turns farther.
return is_open and farther  # `and` and `if` need a single True or False, and you gave them an array with one for each
# pair. `&` joins two arrays.
return trained * before < 2 * np.pi & n * after > trained * before  # `&` was given numbers instead of True and False.
# It binds tighter than `<` and `>`, so each comparison needs parentheses of its own.
return is_open  # You return all open pairs. An open pair that is slowed enough stays in its trained range.
return farther
farther = (n - 1) * after > trained * before; return farther  # You return all pairs that turn farther. A closed pair
# may do that, because it has met every angle.
return np.flatnonzero(is_open & farther)  # You return the numbers of the pairs. One True or False for each pair is
# asked for.
return ~(is_open & farther)  # You return the pairs that meet *no* new angle. True should mean that it does.
"""


HINTS = [
    "In training, pair m turned by `trained * before[m]` radians. A whole turn is 2π.",
    "Now it turns by `n * after[m]` radians. Is this more than in training?",
    "`a & b` joins two arrays of truth values.",
]


def right_pair_by_pair(before, after, trained, n):
    return [bool(trained * a < 2 * np.pi and n * b > trained * a) for a, b in zip(before, after)]
