r"""Four pairs of channels, stretched with a pencil · 10 minutes · ★ · first

A head has four pairs of channels. They make a whole turn in 10, 100, 1,000 and 10,000 positions. It was
trained on texts of 200 tokens and now has to read 1,600, so $s = 8$. Where each pair has a number of its own, write a
list of four numbers, pair 0 first. If you round, keep two decimals or more. Answer these questions:

- How many turns does each pair make within 200 tokens, and how many pairs are closed (one turn or more)?
- By what does position interpolation divide the speed of each pair, and by what does NTK-aware scaling?
- With NTK, pair 2 turns farther in 1,600 tokens than it did in training. How many times as far? This is its *reach*.
- By parts with $\alpha = 1$ and $\beta = 3$, which share $\gamma$ of its old speed does pair 1 keep, and by what is its
  speed divided in the end?
"""

import numpy as np

from course_kit.checking import Axis
from course_lib.reference.speeds import by_parts, interpolated, ntk, turns

SPEEDS = 2 * np.pi / np.array([10, 100, 1000, 10_000])
TRAINED, LONG = 200, 1600
S, LOW, HIGH = LONG // TRAINED, 1, 3
TURNS = turns(SPEEDS, TRAINED)
ANSWER = {
    "turns in training": TURNS,
    "closed pairs": int((TURNS >= 1).sum()),
    "divisors, interpolation": SPEEDS / interpolated(SPEEDS, S),
    "divisors, NTK": SPEEDS / ntk(SPEEDS, S),
    "reach of pair 2 with NTK": float(turns(ntk(SPEEDS, S), LONG)[2] / TURNS[2]),
    "share of pair 1 kept, by parts": float((TURNS[1] - LOW) / (HIGH - LOW)),
    "divisor of pair 1, by parts": float(SPEEDS[1] / by_parts(SPEEDS, S, TRAINED, low=LOW, high=HIGH)[1]),
}
DIGITS = 2
ABOUT = {"turns in training": 0.001}
AXES = (Axis("pair", ["0", "1", "2", "3"]),)
OTHERWISE = {
    "turns in training": "Divide the 200 tokens by the number of positions in which the pair makes a whole turn.",
    "closed pairs": "Count the pairs that make one whole turn or more in 200 tokens.",
    "divisors, NTK": "Pair 0 keeps its speed, the last pair is divided by 8, and each step multiplies by the same "
    "factor.",
    "reach of pair 2 with NTK": "The text is 8 times as long. By how much is the pair slower than in training?",
    "share of pair 1 kept, by parts": "Pair 1 makes two turns. How far is that on the way from 1 turn to 3?",
    "divisor of pair 1, by parts": "Mix the old speed, 1, and the slowed one, 1/8. The divisor is one divided by that.",
}
WRONG = {
    "turns in training": {
        (0.05, 0.5, 5, 50): "You divided wavelengths by the length. Turns are the length divided by the wavelength.",
        (160, 16, 1.6, 0.16): "These are the turns in 1,600 tokens. Training had 200.",
        (2000, 20_000, 200_000, 2_000_000): "You multiplied by the wavelength. Divide the 200 tokens by it.",
        (125.664, 12.566, 1.257, 0.126): "These are radians. A turn has 2π of them.",
        (3.183, 0.318, 0.032, 0.003): "You divided by 2π. The wavelengths already count whole turns.",
        (20, 2, 0, 0): "Parts of a turn count as well: pair 2 needs 1,000 positions for a turn and has 200.",
    },
    "closed pairs": {
        1: "Pair 1 makes two turns in 200 tokens, so it is closed as well.",
        3: "Pair 2 makes only a fifth of a turn in 200 tokens.",
        0: "A pair is closed if it makes at least one turn in training. Pair 0 makes twenty.",
    },
    "divisors, interpolation": {
        (1, 2, 4, 8): "This is NTK-aware scaling. Interpolation treats all pairs alike.",
        (1, 1, 8, 8): "Interpolation does not look at turns. It divides every pair.",
        (0.125, 0.125, 0.125, 0.125): "These are the factors of the speeds. Their divisors are asked for.",
    },
    "divisors, NTK": {
        (8, 8, 8, 8): "This is interpolation. NTK leaves pair 0 as it is.",
        (8, 4, 2, 1): "You reversed the order. The fastest pair, 0, keeps its speed.",
        (1, 1, 8, 8): "NTK does not look at turns. Its divisors grow by the same factor from pair to pair.",
        (1, 3.333, 5.667, 8): "Your divisors grow by the same difference. They should grow by the same factor.",
        (1, 8, 64, 512): "You multiply by 8 at every step. The three steps from pair 0 to pair 3 give 8 together.",
        (1, 0.5, 0.25, 0.125): "These are the factors of the speeds. Their divisors are asked for.",
    },
    "reach of pair 2 with NTK": {
        8: "The text is 8 times as long, but the pair is slower than in training.",
        4: "This is the divisor of pair 2. Its reach depends on that and on the length of the text.",
        0.4: "These are the turns of pair 2 in 1,600 tokens. How many were they in training?",
        2.828: "This is 8 divided by the root of 8. Pair 2 is two of *three* steps on the way from 1 to 8.",
    },
    "share of pair 1 kept, by parts": {
        0.667: "You divided by 3. The ramp is 3 − 1 turns long, and it begins at 1.",
        0.333: "You divided by 3. The ramp from 1 turn to 3 is 3 − 1 turns long.",
        2: "These are the turns of pair 1. Its place on the ramp from 1 to 3 is asked for.",
    },
    "divisor of pair 1, by parts": {
        4.5: "You mixed the divisors 1 and 8. The rule mixes the speeds 1 and 1/8.",
        0.5625: "This is the factor of the speed. Its divisor is one divided by it.",
        2: "2 is the divisor of pair 1 by NTK. If you rounded to it, keep two decimals.",
        4: "This is half of 8. The rule mixes the speeds 1 and 1/8, not the divisors.",
    },
}
HINTS = [
    "Turns are the length divided by the wavelength.",
    "NTK divides pair 0 by 1 and pair 3 by 8, and in between by the same factor from pair to pair. Three steps "
    "multiply to 8.",
    "With a share of one half, the new speed is half of the old one plus half of an eighth of it.",
]
