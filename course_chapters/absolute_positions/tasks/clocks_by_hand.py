r"""Two clocks by hand · 12 minutes · ★ · first

A sinusoidal vector with four channels and convenient speeds: $\theta_0 = \pi/2$, a quarter turn (90°) per
position, and $\theta_1 = \pi/6$, a twelfth of a turn (30°). $P[p]$ is
$(\sin p\theta_0, \cos p\theta_0, \sin p\theta_1, \cos p\theta_1)$. Write down

- the four numbers of $P[1]$;
- the products $P[0] \cdot P[3]$ and $P[7] \cdot P[5]$, best without computing the vectors;
- the length of $P[5]$, the square root of the sum of its squares;
- the first position after 0 at which $P[p]$ equals $P[0]$.

Now a usual size, 512 channels. In the code of Vaswani et al., a word's vector has a length of about 1 at first, and is
multiplied by $\sqrt{512}$ before $P[p]$ is added. (A default `nn.Embedding` already begins with length $\sqrt{512}$.)
How long is $P[p]$, and how long is a word's vector of length 1 after this? Three decimals are enough.
"""

import numpy as np

from ...shared import FOUR_CHANNELS

SPEEDS = np.array([np.pi / 2, np.pi / 6])  # a quarter turn and a twelfth


def at(p):
    """P[p], rounded, so that 0 is 0."""
    return np.stack([np.sin(p * SPEEDS), np.cos(p * SPEEDS)], axis=-1).ravel().round(12)


ANSWER = {
    "P[1]": at(1),
    "P[0] · P[3]": at(0) @ at(3),
    "P[7] · P[5]": at(7) @ at(5),
    "length of P[5]": np.linalg.norm(at(5)),
    "first p > 0 with P[p] = P[0]": next(p for p in range(1, 100) if np.array_equal(at(p), at(0))),
    "length of P[p] with 512 channels": np.sqrt(512 / 2),
    "length of a word, times √512": np.sqrt(512),
}
AXES = {"P[1]": (FOUR_CHANNELS,)}
WRONG = {
    "P[1]": {
        (0, 1, 0, 1): "This is P[0]. At position 1 both clocks have moved.",
        (0, 1, 0.866, 0.5): "You exchanged sine and cosine. The sine comes first.",
        (1, 0, 0.866, 0.5): "The second clock is at 30°. Its sine is 0.5 and its cosine 0.866.",
        (1, 0.5, 0, 0.866): "Your two sines come first. Each clock has its sine and then its cosine.",
        (0.894, -0.448, -0.988, 0.154): "You get this if 90 and 30 are taken for radians. They are degrees.",
        (0.027, 1, 0.009, 1): "You get this if π/2 and π/6 are taken for degrees. They are radians.",
        (1, 0, 1, 0): "Both clocks are at 90° in your answer. The second turns by 30° per position.",
    },
    "P[0] · P[3]": {
        1.996: "You get this if π/2 and π/6 are taken for degrees. They are radians.",
        1: "Three positions on, the second clock has turned by 90°. What is the cosine of that?",
        -1: "Three positions on, the first clock has turned by 270°. What is the cosine of that?",
        0.866: "This is the cosine of 30°. Three positions on, the second clock has turned by 3 · 30°.",
        2: "This is the product of P[0] with itself. Here the distance is 3.",
    },
    "P[7] · P[5]": {
        2: "Did you turn the clocks by 7 + 5 positions? The product depends on the distance, 7 − 5.",
        1.998: "You get this if π/2 and π/6 are taken for degrees. They are radians.",
        0.5: "This is the part of the second clock. The first one has turned by 180° between positions 5 and 7.",
        -1: "This is the part of the first clock. The second one has turned by 60° between positions 5 and 7.",
        1.5: "The first clock turns by 180° between positions 5 and 7. What is the cosine of that?",
        -0.134: "The second clock turns by 2 · 30° between positions 5 and 7, not by 30°.",
    },
    "length of P[5]": {
        2: "The sum of the squares is 2, because each pair has sin² + cos² = 1. The length is its square root.",
        1: "Each clock has length 1, and there are two of them. Add the squares first.",
        4: "There are four channels, but each pair has sin² + cos² = 1.",
    },
    "first p > 0 with P[p] = P[0]": {
        3: "At position 3 the first clock is at 270° and the second at 90°.",
        4: "At position 4 the first clock is where it began, but the second is at 120°.",
        6: "At position 6 the second clock is at 180°, and so is the first.",
        **dict.fromkeys((24, 36, 48), "There both clocks are where they began, but not for the first time."),
    },
    "length of P[p] with 512 channels": {
        np.sqrt(512): "Each *pair* of channels has sin² + cos² = 1, and there are 256 pairs.",
        256: "This is the sum of the squares. The length is its square root.",
        512: "Each pair of channels has sin² + cos² = 1, and the length is the square root of the sum.",
        1: "Each pair of channels has length 1, and there are 256 pairs.",
    },
    "length of a word, times √512": {
        1: "This is the length before the multiplication by √512.",
        512: "This is 1 times 512. The factor is the square root of 512.",
        16: "This is the length of P[p]. A word of length 1 is multiplied by √512.",
        1 / np.sqrt(512): "You divided by √512. Multiply by it.",
    },
}
HINTS = [
    "The sine of 30° is 0.5, and the cosine of 30° is √3/2 = 0.866.",
    "The product of two of these vectors depends on their distance only: cos(3θ₀) + cos(3θ₁) for distance 3.",
    "Each pair of channels has sin² + cos² = 1, so the sum of the squares is the number of pairs.",
]
ON_PASS = "Without the factor √512, a word of length 1 would hardly count beside a position of length 16."
