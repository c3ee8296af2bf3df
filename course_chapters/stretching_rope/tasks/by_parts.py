r"""By parts, and with it Llama 3's rule · 12 minutes · ★★

Pair $m$ makes $\rho_m = L\,\theta_m / 2\pi$ turns in training. Write the rule by parts. The lesson's $\alpha$
and $\beta$ are called low and high here:

$$\gamma_m = \frac{\rho_m - \text{low}}{\text{high} - \text{low}} \text{, clipped to } 0 \dots 1, \qquad
\theta'_m = (1 - \gamma_m)\,\frac{\theta_m}{s} + \gamma_m\,\theta_m$$

One of the cases comes from Llama 3.1, first trained on 8,192 tokens with base 500,000: low = 1, high = 4 and
$s = 8$. Its published code speaks of wavelengths and has three branches. If your function passes, it gives the same
speeds.
"""

import numpy as np

from course_kit.checking import Axis, Case, holds
from course_lib.reference.absolute import frequencies
from course_lib.reference.speeds import llama3


def by_parts(speeds, s, length, low, high):
    """New speeds, (pairs,): pairs with more than `high` turns stay, those with fewer than `low` are divided by s.

    speeds (pairs,): θ_m in radians per position. length: tokens of a training text. low < high: numbers of turns.
    """
    rho = length * speeds / (2 * np.pi)  # The turns in training are length times speed, divided by 2π.
    # γ rises from 0 at `low` turns to 1 at `high`, and stays in 0 … 1.
    gamma = np.clip((rho - low) / (high - low), 0, 1)
    slowed = speeds / s  # Every pair has the same slowed speed, its old one divided by s.
    new = (1 - gamma) * slowed + gamma * speeds  # γ is the share of the old speed, and 1 − γ that of the slowed one.
    return new


def expected(speeds, s, length, low, high):
    return llama3(speeds, s, length, low=low, high=high)


def draw(rng):
    low = float(rng.uniform(0.5, 2))
    base = float(rng.choice([100.0, 10_000.0, 500_000.0]))
    return frequencies(2 * int(rng.integers(3, 12)), base), float(rng.uniform(2, 9)), 500, low, low * 8


AXES = (Axis("pair"),)
CASES = [
    Case(np.array([1, 0.1, 0.01, 0.001]), 8.0, 80 * np.pi, 1.0, 32.0, label="four pairs with 40, 4, 0.4, 0.04 turns"),
    Case(frequencies(16), 8.0, 128, 1.0, 32.0, label="the study's head, YaRN's equations"),
    Case(frequencies(128, 500_000.0), 8.0, 8192, 1.0, 4.0, label="Llama 3.1"),
    Case(frequencies(8), 1.0, 64, 1.0, 4.0, label="s = 1 changes nothing"),
    Case(frequencies(8), 4.0, 6, 1.0, 2.0, label="no pair makes a turn"),
    Case(np.array([0.1]), 8.0, 128, 1.0, 4.0, label="a single pair"),
]
BETWEEN = (
    "Some result is greater than the old speed, or smaller than the old speed divided by s. Each new speed should lie "
    "between the two. Is γ clipped to 0 … 1, and is it γ times one of them plus 1 − γ times the other?"
)
ALWAYS = [holds(BETWEEN, lambda y, theta, s, *_: ((y <= theta * 1.0001) & (y >= theta / s * 0.9999)).all())]
ON_PASS = (
    "Not every layer needs it. In Gemma 3 (from 4B on), five of every six layers see only a window of near keys, so "
    "only the sixth is stretched, by interpolation with s = 8. One program forgot to divide, and its short texts "
    "looked fine (mlx-vlm, pull request 1709)."
)
WRONG = """
rho = length * speeds / 2 * np.pi  # You divide by 2 and multiply by π. Write the product 2π in parentheses.
rho = length * speeds  # You compare radians with numbers of turns. A turn has 2π radians.
rho = length * speeds / np.pi  # You divide by π, which counts half turns. A whole turn has 2π radians.
rho = length * speeds / 360  # You divide by 360 degrees. Speeds are in radians per position, so a turn is 2π.
rho = s * length * speeds / (2 * np.pi)
rho = length / s * speeds / (2 * np.pi)  # You count with a length or speed that s has changed. Use those of training.
rho = 2 * np.pi / speeds  # You compare wavelengths with numbers of turns. The turns are the length over the wavelength.
gamma = np.clip((np.arange(len(speeds)) - low) / (high - low), 0, 1)  # Your ramp is over the pairs, not over the turns.
gamma = np.clip(np.log(rho / low) / np.log(high / low), 0, 1)  # Your ramp is straight over the logarithm of the turns,
# as in YaRN's code. In the equation it is straight over the turns.
gamma = np.clip((1 / low - 1 / rho) / (1 / low - 1 / high), 0, 1)  # Your ramp is over the wavelength, not the turns.
gamma = np.clip((rho - low) / high, 0, 1)  # You divide by `high`. From `low` to `high` are high − low turns.
gamma = np.clip(rho, low, high) / (high - low)  # You clip the turns to low … high, so your γ does not begin at 0.
gamma = np.clip((rho - low) / (high - low), low, high)  # You clip γ to low … high. It is a share, from 0 to 1.
gamma = np.where(rho > high, 1, np.where(rho < low, 0, 0.5))  # You mix half and half. The share γ grows with the turns.
gamma = np.where((rho > low) & (rho < high), 1 - gamma, gamma)  # Between `low` and `high` you exchange the two shares.
gamma = (rho > (low + high) / 2) * 1.0
gamma = (rho > low) * 1.0
gamma = (rho > high) * 1.0  # You keep a pair or divide it. Between `low` and `high` the two speeds are mixed.
new = gamma * slowed + (1 - gamma) * speeds  # You slow the fast pairs and keep the slow ones. From `high` turns on a
# pair keeps its speed: γ is 1 there, and it is the share of the old speed.
new = speeds / ((1 - gamma) * s + gamma)  # You mix the divisors s and 1. The rule mixes the speeds θ/s and θ.
new = speeds / s ** (1 - gamma)  # You mix in the exponent, a geometric mean. The rule adds two shares of speeds.
new = (1 - gamma / s + gamma) * speeds  # You divide γ alone by s. All of 1 − γ is divided: (1 − γ) / s, in parentheses.
new = gamma * speeds  # The share of the slowed speed is missing, or a `//` has rounded it down to 0. Add (1 − γ) θ / s.
new = slowed  # This is position interpolation, which divides every pair. Pairs with many turns should keep their speed.
new = speeds / s ** (np.arange(len(speeds)) / (len(speeds) - 1))  # This is NTK-aware scaling, which is blind to turns.
return gamma  # You return the shares γ. The new speeds are asked for.
return speeds / new  # You return the divisors. The new speeds are asked for.
return 2 * np.pi / new  # You return wavelengths. The new speeds are asked for.
return (0.1 * np.log(s) + 1) * new  # You multiply the speeds by YaRN's factor. It belongs to the scores.
"""
HINTS = [
    "`length * speeds / (2 * np.pi)` is the number of turns of each pair.",
    "`np.clip(x, 0, 1)` makes everything below 0 to 0 and everything above 1 to 1.",
    "With γ = 1 the result is the old speed, with γ = 0 the old speed divided by s.",
]


def wrong_ramp_over_pairs(speeds, s, length, low, high, rounded=False):
    """Your ramp is over the pairs, as in YaRN's code. Here it is over the turns."""
    pair, turns = np.arange(len(speeds)), length * speeds / (2 * np.pi)
    start, end = np.interp(-np.log([high, low]), -np.log(turns), pair)
    start, end = (np.floor(start), np.ceil(end)) if rounded else (start, end)
    share = np.clip((pair - start) / max(end - start, 0.001), 0, 1)
    return speeds * (1 - share) + speeds / s * share


def wrong_ramp_between_rounded_pairs(speeds, s, length, low, high):
    """Your ramp is over the pairs, between rounded ends, as in YaRN's code. Here it is over the turns."""
    return wrong_ramp_over_pairs(speeds, s, length, low, high, rounded=True)
