r"""RoPE in code · 15 minutes · ★★ · first

Rotate every row. Row $i$ is at position $p = $ `past` $+ i$. Pair $m$ is channels $m$ and $m + d/2$
(half-split), and

$$(a, b) \to (a \cos p\theta_m - b \sin p\theta_m,\; a \sin p\theta_m + b \cos p\theta_m),
\qquad \theta_m = \text{base}^{-2m/d}$$

There may be further axes before `(n, d)`, for heads and batch. Loops are welcome; slices are shorter.
"""

import numpy as np

from course_kit.checking import Axis, Case
from course_lib.example import K, Q
from course_lib.reference.rope import rotate

from ...shared import CHANNEL, QUERY, bfloat16, normal  # noqa: F401 (wrong lines use bfloat16)


def rope(x, past, base):
    """RoPE with half-split pairs: row i of x (..., n, d), at position past + i, is rotated; same shape.

    Pair m is channels m and m + d/2, and turns by base^(-2m/d) radians per position.
    """
    half = x.shape[-1] // 2  # There are d/2 pairs, because the channels are the last axis.
    position = past + np.arange(x.shape[-2])  # Row i is at position past + i. The rows are the axis before the last.
    theta = base ** (-np.arange(half) / half)  # The exponent is −2m/d, and pairs count from 0, so pair 0 has speed 1.
    angle = position[:, None] * theta  # Each position is multiplied by each speed. These are radians.
    a, b = x[..., :half], x[..., half:]  # The first half of the channels is a, and the second is b.
    cos, sin = np.cos(angle), np.sin(angle)  # Each pair has the cosine and the sine of its own angle.
    first = a * cos - b * sin  # The first channel of a pair becomes a cos − b sin.
    second = a * sin + b * cos  # The second channel of a pair becomes a sin + b cos.
    return np.concatenate([first, second], axis=-1)  # The halves are joined along the channels, the last axis.


def expected(x, past, base):
    """Far on, only to the digits that an angle in float32 leaves."""
    return rotate(x, past=past, base=base).astype(np.float32 if past > 1000 else float)


def draw(rng):
    x = normal(rng, *rng.integers((1, 2), (4, 7)), 2 * rng.integers(2, 6))
    return x, int(rng.integers(1, 200)), float(rng.choice([100, 1000, 10000]))


def llama(x, angle):
    """The rotation as Llama's code writes it, with an angle for every channel."""
    a, b = np.split(x, 2, axis=-1)
    return x * np.cos(angle) + np.concatenate([-b, a], axis=-1) * np.sin(angle)


RNG, ROW = np.random.default_rng(0), Axis("row")
CASES = [
    Case(Q, 0, 10000.0, label="the queries of the five tokens", axes=(QUERY, CHANNEL)),
    Case(K, 7, 10000.0, label="the keys, after seven tokens", axes=("key", CHANNEL)),
    Case(np.ones((4, 8)), 0, 100.0, label="eight channels, base 100", axes=(ROW, CHANNEL)),
    Case(normal(RNG, 2, 3, 5, 6), 0, 10000.0, label="two texts, three heads", axes=("text", "head", ROW, CHANNEL)),
    Case(normal(RNG, 3, 1, 4), 500, 1000.0, label="three heads, one new token", axes=("head", ROW, CHANNEL)),
    Case(normal(RNG, 301, 16), 1025, 500_000.0, label="301 rows far on, eight pairs, base 500,000"),
    Case(normal(RNG, 1, 4), 9, 10000.0, label="one row"),
]
WRONG = """
cos, sin = np.float16(np.cos(angle)), np.float16(np.sin(angle))  # Your sines and cosines are in half precision.
angle = np.float16(position[:, None] * theta)
angle = np.float16(position[:, None] * theta).astype(float)  # Your angles are in half precision. It rounds far angles.
position = bfloat16(past + np.arange(x.shape[-2]))  # Your positions are in bfloat16, which has eight bits. Beyond 256
# it rounds them, so neighbours share a position.
angle = bfloat16(position[:, None] * theta)  # Your angles are in bfloat16, which has eight bits. Far angles lose
# whole turns.
theta = bfloat16(base ** (-np.arange(half) / half))  # Your speeds are in bfloat16, which has eight bits. Far on that
# shows.
cos, sin = bfloat16(np.cos(angle)), bfloat16(np.sin(angle))  # Your sines and cosines are in bfloat16, with eight bits.
theta = np.float16(base ** (-np.arange(half) / half))  # Your speeds are in half precision. At position 500 that shows.
first, second = a * cos + b * sin, b * cos - a * sin  # You rotate to the right. The first becomes a cos − b sin.
second = b * sin + a * cos  # Your second channel is a cos + b sin. It becomes a sin + b cos.
first = a * sin - b * cos  # Your first channel is a sin − b cos. It becomes a cos − b sin.
cos, sin = np.sin(angle), np.cos(angle)  # Sine and cosine have changed places. At angle 0 nothing should turn.
second = first * sin + b * cos  # For the second half you use the first half *after* its rotation. Keep a copy of it.
first, second = a * cos, b * cos  # The sines are missing. A rotation mixes the two channels of a pair.
first, second = a + cos, b + sin  # You add cosines and sines, as sinusoidal positions do. RoPE multiplies by them.
return np.concatenate([second, first], axis=-1)  # The two halves of the result have changed places.
return np.stack([first, second], axis=-1).reshape(x.shape)  # You put pairs side by side. Pair m is m and m + d/2.
a, b = x[..., ::2], x[..., 1::2]  # You read the pairs (0, 1), (2, 3), … and write them half-split.
a, b = x[:, :half], x[:, half:]  # You cut the second axis. The channels are the last one: `x[..., :half]`.
return rotate(x.reshape(-1, x.shape[-1]), past=past, base=base).reshape(x.shape)  # Your positions run on from head to
# head. In every head, row 0 is at position `past`.
position = np.full(x.shape[-2], past)  # All your rows are at the same position. They are at past, past + 1, …
position = past + np.arange(x.shape[0])
return np.moveaxis(rotate(np.moveaxis(x, 0, -2), past=past, base=base), -2, 0)
# You count the positions along the first axis. The rows are the axis before the last, `x.shape[-2]` of them.
return rotate(x.swapaxes(max(-3, -x.ndim), -2), past=past, base=base).swapaxes(max(-3, -x.ndim), -2)
# You count the positions along the heads. The rows are the axis before the last, in every head.
position = past + np.arange(x.shape[-2])[::-1]  # Your positions run backwards. Row 0 is at `past`, the last at past +
# n − 1.
position = past + 1 + np.arange(x.shape[-2])  # Your positions are one too far. Row 0 is at position `past`.
position = np.arange(past, x.shape[-2])
return rotate(x, base=base) * (np.arange(x.shape[-2]) >= past)[:, None]
# Your positions end at n. There are n rows whatever `past` is, so they end at past + n.
theta = base ** (-np.arange(half) / x.shape[-1])  # Your speeds fall too slowly. −2m/d is −m/(d/2).
theta = base ** (-2 * np.arange(half) / half)  # Your speeds fall too fast, as with the exponent −4m/d. It is −2m/d.
theta = base ** (np.arange(half) / half)  # Your speeds rise from pair to pair. The exponent has a minus sign.
theta = (np.arange(half) == 0) + 0.0 * base
cos, sin = np.cos(angle) * (theta == 1), np.sin(angle) * (theta == 1)  # You rotate pair 0 only. Each of the d/2 pairs
# turns, at its own speed.
theta = np.ones(half)  # All your pairs have speed 1. It is base^(−2m/d). Does a whole-number division make 2m/d 0?
theta = base ** (-np.linspace(0, 1, half))  # Your exponents end at −1, as `np.linspace(0, 1, …)` does. 2m/d is below 1.
theta = base ** -(1.0 * np.arange(half)) / half  # You divide the power by d/2. Only its exponent is divided: −m/(d/2).
theta = 10000 ** (-np.arange(half) / half)  # Your base is always 10000. Use the one that is given.
theta = 1 / (base * np.arange(1, half + 1) / half)  # You multiply by the base. It is raised to a power, base^(−2m/d).
theta = base ** (-np.arange(half)[::-1] / half)  # Your speeds are in reverse order. Pair 0 is the fastest.
theta = base ** (-np.arange(2 * half) / half)  # Your angles have d columns. The two channels of a pair share one, so
# d/2 do.
return llama(x, np.outer(position, base ** (-np.arange(2 * half) / half)))
return llama(x, np.outer(position, base ** (-np.arange(2 * half) / x.shape[-1])))  # You make a speed for every channel.
# The two channels of a pair share one, so there are d/2 speeds.
angle = np.radians(position[:, None] * theta)  # You take the angles for degrees. p · θ is in radians.
angle = np.degrees(position[:, None] * theta)  # Your angles are in degrees. `np.cos` and `np.sin` take radians.
angle = 2 * position[:, None] * theta  # Your angles are twice as large as they should be. Is something rotated twice?
angle = 2 * np.pi * position[:, None] * theta  # Your angles have a factor 2π. Pair 0 turns by 1 radian per position.
angle = position[:, None] * theta / (2 * np.pi)  # You divide the angles by 2π. Pair 0 turns by 1 radian per position.
return rotate(x, past=past, base=base, interleaved=True)  # Your pairs are (0, 1), (2, 3), … Here they are (m, m + d/2).
return llama(x, np.repeat(angle, 2, axis=-1))  # Your angles are those of interleaved pairs, θ₀, θ₀, θ₁, θ₁, …
"""
HINTS = [
    "The angles are a table (n, d/2): `position[:, None] * theta`.",
    "`x[..., :half]` and `x[..., half:]` are the first and the second channels of all pairs at once.",
    "`np.concatenate([first, second], axis=-1)` joins the two halves again.",
]


def wrong_loops_without_dots(x, past, base):
    """`x[i, m]` takes the first two axes. Rows and channels are the last two: `x[..., i, m]`, `y[..., i, m]`."""
    y, half = np.zeros(x.shape), x.shape[-1] // 2
    angles = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
    for (i, m), angle in np.ndenumerate(angles):
        a, b = x[i, m], x[i, m + half]
        y[i, m], y[i, m + half] = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return y


def wrong_before_the_split(x, past, base):
    """You rotate all heads as one vector, as before the split, so pairs and speeds run on from head to head. Each head
    has its own pairs, and all heads the same speeds."""
    if x.ndim == 2:
        return rotate(x, past=past, base=base)
    wide = np.moveaxis(x, -3, -2)
    turned = rotate(wide.reshape(*wide.shape[:-2], -1), past=past, base=base)
    return np.moveaxis(turned.reshape(wide.shape), -2, -3)
