r"""By parts, and with it Llama 3's rule · 12 minutes · ★★

Pair $m$ makes $\rho_m = L\,\theta_m / 2\pi$ turns in training. Write the rule by parts. The lesson's $\alpha$
and $\beta$ are called low and high here:

$$\gamma_m = \frac{\rho_m - \text{low}}{\text{high} - \text{low}} \text{, clipped to } 0 \dots 1, \qquad
\theta'_m = (1 - \gamma_m)\,\frac{\theta_m}{s} + \gamma_m\,\theta_m$$

One of the cases comes from Llama 3.1, which was trained on 8,192 tokens with base 500,000: low = 1, high = 4 and $s = 8$.
Its published code speaks of wavelengths and has three branches. If your function passes, it gives the same speeds.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.reference import speeds as rules
from course_lib.reference.absolute import frequencies


def by_parts(speeds, s, length, low, high):
    """New speeds, (pairs,): pairs with more than `high` turns stay, those with fewer than `low` are divided by s.

    speeds (pairs,): θ_m in radians per position. length: tokens of a training text. low < high: numbers of turns.
    """
    # The number of turns is length times speed, divided by 2π. The whole turn is 2π radians.
    rho = length * speeds / (2 * np.pi)
    # The ramp is 0 at `low` turns and 1 at `high` turns. The numerator is the number of turns minus `low`. The length
    # of the ramp is high − low. γ is 0 below `low` and 1 above `high`. The lower end of the clipping is 0.
    gamma = np.clip((rho - low) / (high - low), 0, 1)
    # The share 1 − γ belongs to the divided speed. The term γ θ is the share of the old speed. The term (1 − γ) θ / s
    # is the share of the slowed speed. The number 1 is the upper end of γ.
    return (1 - gamma) * speeds / s + gamma * speeds


def expected(speeds, s, length, low, high):
    """By wavelengths and one pair at a time, as in Llama 3.1's code."""
    found = []
    for theta in speeds:
        wavelength = 2 * np.pi / theta
        if wavelength < length / high:
            found.append(theta)
        elif wavelength > length / low:
            found.append(theta / s)
        else:
            smooth = (length / wavelength - low) / (high - low)
            found.append((1 - smooth) * theta / s + smooth * theta)
    return np.array(found)


def draw(rng):
    low = float(rng.uniform(0.5, 2))
    base = float(rng.choice([100.0, 10_000.0, 500_000.0]))
    return frequencies(2 * int(rng.integers(3, 12)), base), float(rng.uniform(2, 9)), 500, low, low * 8


ON_PASS = (
    "Not every layer needs it. In Gemma 3, five of every six layers see only a window of near keys, so only the sixth "
    "is stretched, by interpolation with s = 8. One program forgot to divide, and its short texts looked fine (mlx-vlm, pull "
    "request 1709)."
)


AXES = (Axis("pair"),)


CASES = [
    Case(np.array([1, 0.1, 0.01, 0.001]), 8.0, 40 * np.pi, 1.0, 4.0, label="four pairs with 20, 2, 0.2, 0.02 turns"),
    Case(frequencies(16), 8.0, 128, 1.0, 32.0, label="the study's head, YaRN's equations"),
    Case(frequencies(128, 500_000.0), 8.0, 8192, 1.0, 4.0, label="Llama 3.1"),
    Case(frequencies(8), 1.0, 64, 1.0, 4.0, label="s = 1 changes nothing"),
    Case(frequencies(8), 4.0, 20_000, 0.5, 2.0, label="a long training text"),
    Case(frequencies(8), 4.0, 6, 1.0, 2.0, label="no pair makes a turn"),
]


ALWAYS = [
    holds(
        (
            "Some result is greater than the old speed, or smaller than the old speed divided by s. Each new speed should "
            "lie between the two. Is γ clipped to 0 … 1?"
        ),
        lambda y, theta, s, *_: bool((np.asarray(y) <= theta * 1.0001).all() and (y >= theta / s * 0.9999).all()),
    ),
]


WRONG = """
return gamma * speeds / s + (1 - gamma) * speeds  # The two shares have changed places. A fast pair has γ = 1 and keeps
# its speed.
rho = length * speeds / 2 * np.pi  # You divide by 2 and multiply by π. Write the product 2π in parentheses.
rho = length * speeds / np.pi  # You divide by π, which counts half turns. A whole turn has 2π radians.
rho = length * speeds / 360  # You divide by 360 degrees. Speeds are in radians per position, so a turn is 2π.
rho = s * length * speeds / (2 * np.pi)  # You count the turns in the longer text of s · length tokens. The rule asks
# for the turns in training.
rho = length / s * speeds / (2 * np.pi)  # You count the turns with `length` or the speeds divided by s. The rule asks
# for the turns in training.
rho = 2 * np.pi / speeds  # You compare wavelengths with numbers of turns. The turns are the length divided by the
# wavelength.
rho = length * speeds  # Your ρ is an angle in radians. Divided by 2π it is a number of turns.
gamma = np.clip((rho - low) / high, 0, 1)  # Your ramp is `high` turns long. It is high − low turns long.
gamma = np.clip((high - rho) / (high - low), 0, 1)  # Your ramp falls. It should be 0 at `low` turns and 1 at `high`
# turns.
gamma = np.clip((np.arange(len(speeds)) - low) / (high - low), 0, 1)  # Your ramp is over the number of the pair. The
# equation has the number of turns.
gamma = np.clip(np.log(rho / low) / np.log(high / low), 0, 1)  # Your ramp is straight over the logarithm of the turns,
# and so over the number of the pair, as in YaRN's code. In the equation it is straight over the turns.
gamma = np.clip((1 / low - 1 / rho) / (1 / low - 1 / high), 0, 1)  # Your ramp is straight over the wavelength. In the
# equation it is straight over the turns.
gamma = np.clip(rho, low, high) / (high - low)  # You clip the turns to low … high, but then γ begins at low / (high −
# low). It should begin at 0.
gamma = np.where(rho > high, 1, np.where(rho < low, 0, 0.5))  # You mix every pair in between half and half. The share
# γ of the old speed grows with the turns.
gamma = (rho > (low + high) / 2) * 1.0  # You keep a pair or divide it, with a step in the middle. Between `low` and
# `high` the two speeds are mixed.
gamma = (rho > low) * 1.0  # You keep every pair with more than `low` turns. Between `low` and `high` the two speeds
# are mixed.
gamma = (rho > high) * 1.0  # You divide every pair with fewer than `high` turns. Between `low` and `high` the two
# speeds are mixed.
return speeds / ((1 - gamma) * s + gamma)  # You mix the divisors s and 1. The rule mixes the speeds θ/s and θ.
return speeds / s ** (1 - gamma)  # You mix in the exponent, which is a geometric mean. The rule adds two shares of
# speeds.
return gamma  # You return the shares γ. The new speeds are asked for.
return 1 / ((1 - gamma) / s + gamma)  # You return the divisors. The new speeds are asked for.
return (1 - gamma) / s + gamma  # You return the factors of the speeds. Multiply the old speeds by them.
return 2 * np.pi / ((1 - gamma) * speeds / s + gamma * speeds)  # You return wavelengths. The new speeds are asked for.
return (0.1 * np.log(s) + 1) * ((1 - gamma) * speeds / s + gamma * speeds)  # You multiply the speeds by YaRN's factor.
# It belongs to the scores, and this rule has none.
return gamma * speeds  # The share of the slowed speed is missing, or a `//` has rounded it down to 0. Add (1 − γ) θ /
# s.
return (1 - gamma) * speeds / s  # The share of the old speed is missing. Add γ θ.
return (1 - gamma) * speeds / s ** (np.arange(len(speeds)) / (len(speeds) - 1)) + gamma * speeds
return (1 - gamma) * speeds / s ** (np.arange(len(speeds)) / len(speeds)) + gamma * speeds  # Your s is inside the
# power, so pair 0 is not divided at all. The slowed speed of every pair is θ divided by s itself.
return speeds / s  # This is position interpolation, which divides every pair. Pairs with many turns should keep their
# speed.
return speeds / s ** (np.arange(len(speeds)) / (len(speeds) - 1))  # This is NTK-aware scaling, which does not look at
# turns.
return speeds + 0  # You return the speeds as they are.
"""


HINTS = [
    "`length * speeds / (2 * np.pi)` is the number of turns of each pair.",
    "`np.clip(x, 0, 1)` makes everything below 0 to 0 and everything above 1 to 1.",
    "With γ = 1 the result is the old speed, with γ = 0 the old speed divided by s.",
]


def right_reference(speeds, s, length, low, high):
    return rules.by_parts(speeds, s, length, low=low, high=high)
