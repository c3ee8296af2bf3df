r"""RoPE in code · 15 minutes · ★★

Rotate every row. Row $i$ is at position $p = $ `past` $+ i$. Pair $m$ is channels $m$ and $m + d/2$
(half-split), and

$$(a, b) \to (a \cos p\theta_m - b \sin p\theta_m,\; a \sin p\theta_m + b \cos p\theta_m),
\qquad \theta_m = \text{base}^{-2m/d}$$

There may be further axes before `(n, d)`, for heads and batch. Loops are welcome; slices are shorter.
"""

import numpy as np

from course_lib.checking import Axis, Case
from course_lib.checking.pages import holds
from course_lib.example import K, Q
from course_lib.reference.rope import rotate

from ..shared import CHANNEL, QUERY, normal


def rope(x, past, base):
    """RoPE with half-split pairs: row i of x (..., n, d), at position past + i, is rotated; same shape.

    Pair m is channels m and m + d/2, and turns by base^(-2m/d) radians per position.
    """
    half = x.shape[-1] // 2  # The axis of the channels is always the last one, −1.
    # Row i is at position past + i. The axis of the tokens is always the one before the last, −2.
    position = past + np.arange(x.shape[-2])
    # The exponent is −2m/d, so pair 0 turns by 1 radian per position and every later pair more slowly. Pairs count
    # from 0, and pair 0 turns by 1 radian per position.
    theta = base ** (-np.arange(half) / half)
    # Pair m turns by base^(−2m/d) radians per position. The position has one row per token, and each row is multiplied
    # by all the speeds.
    angle = position[:, None] * theta
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angle), np.sin(angle)
    # The first channel becomes a cos − b sin. The second channel becomes a sin + b cos. The joining of the halves runs
    # along the channels, the last axis, whatever other axes there are.
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


ROW, KEY = Axis("row"), Axis("key")


def _angles(x, past, base, speeds=None):
    return np.outer(past + np.arange(x.shape[-2]), base ** (-2 * np.arange(speeds or x.shape[-1] // 2) / x.shape[-1]))


def _as_llama(x, angle, halves=None):
    """RoPE as Llama's code writes it, with an angle for every channel."""
    a, b = halves or np.split(x, 2, axis=-1)
    return x * np.cos(angle) + np.concatenate([-b, a], axis=-1) * np.sin(angle)


TEXTS = normal(np.random.default_rng(0), 2, 3, 5, 6).round(2)


NEW = normal(np.random.default_rng(1), 3, 1, 4).round(2)


def expected(x, past, base):
    return rotate(x, past=past, base=base)


CASES = [
    Case(Q, 0, 10000.0, label="the queries of the five tokens", axes=(QUERY, CHANNEL)),
    Case(K, 7, 10000.0, label="the keys, after seven tokens", axes=(KEY, CHANNEL)),
    Case(np.ones((4, 8)), 0, 100.0, label="eight channels, base 100", axes=(ROW, CHANNEL)),
    Case(np.array([[1.0, 0.0]]), 3, 10000.0, label="one pair, one token", axes=(ROW, CHANNEL)),
    Case(TEXTS, 0, 10000.0, label="two texts, three heads", axes=("text", "head", ROW, CHANNEL)),
    Case(NEW, 500, 1000.0, label="three heads, one new token", axes=("head", ROW, CHANNEL)),
]


def draw(rng):
    return (
        normal(rng, *rng.integers((1, 2), (4, 7)), 2 * rng.integers(2, 6)),
        int(rng.integers(1, 200)),
        float(rng.choice([100, 1000, 10000])),
    )


ALWAYS = [
    holds(
        "A rotation keeps the length of every row, and yours does not. Is a sign wrong, or is half precision used?",
        lambda y, x, *_: np.allclose(np.linalg.norm(y, axis=-1), np.linalg.norm(x, axis=-1), atol=1e-4),
    ),
]


WRONG = """
cos, sin = (np.float16(np.cos(angle)), np.float16(np.sin(angle)))  # Your angles are right, but sines and cosines are
# in half precision, which keeps three digits.
angle = np.float16(position[:, None] * theta)  # The formula is right, but your angles are in half precision, which
# rounds an angle of 500 to a quarter of a radian.
theta = np.float16(base ** (-np.arange(half) / half))  # The formula is right, but your speeds are in half precision.
# Multiplied by position 500, a small error is large.
return np.concatenate([a * cos + b * sin, b * cos - a * sin], axis=-1)  # You rotate to the right. The first channel
# should become a cos − b sin. (The scores would be right with −(j − i).)
return np.concatenate([a * cos - b * sin, b * sin + a * cos], axis=-1)  # In the second channel a and b have changed
# places. It becomes a sin + b cos.
return np.concatenate([a * sin - b * cos, a * sin + b * cos], axis=-1)  # In the first channel sine and cosine have
# changed places. It becomes a cos − b sin.
cos, sin = (np.sin(angle), np.cos(angle))  # `cos` and `sin` have changed places. At angle 0 nothing should turn.
return np.concatenate([a * cos - b * sin, (a * cos - b * sin) * sin + b * cos], axis=-1)  # The first half is right.
# For the second you use the first half as it is *after* the rotation. Keep a copy of it.
return np.concatenate([a * cos - b * sin, b], axis=-1)  # The second half is not rotated. It becomes a sin + b cos.
return np.concatenate([a * cos, b * cos], axis=-1)  # The sines are missing. A rotation mixes the two channels of a
# pair.
return np.concatenate([a + cos, b + sin], axis=-1)  # You add cosines and sines, as sinusoidal positions do. RoPE
# multiplies by them.
return np.concatenate([a * sin + b * cos, a * cos - b * sin], axis=-1)  # The two halves of the result have changed
# places.
return [a * cos - b * sin, a * sin + b * cos]  # You return the two halves in a list. Join them along the channels with
# `np.concatenate([…], axis=-1)`.
return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)  # Your numbers are right but in the
# wrong places. The channels of pair m are m and m + d/2, not neighbours.
a, b = (x[..., ::2], x[..., 1::2])  # You read the pairs (0, 1), (2, 3), … and write them half-split, so channels
# change places. Pair m is m and m + d/2.
b, a = (x[..., :half], x[..., half:])  # Your a and b have changed places. The first half is a, and the second is b.
a, b = (x[:, :half], x[:, half:])  # `x[:, :half]` cuts the second axis. The channels are the last one: `x[..., :half]`
# and `x[..., half:]`.
position = np.full(x.shape[-2], past)  # All your rows are at the same position. They are at past, past + 1, …
position = past + np.arange(x.shape[0])  # You count along the first axis. The rows are the axis before the last, so
# there are `x.shape[-2]` of them.
position = np.arange(past, x.shape[-2])  # Your `arange` ends at n. There are n positions whatever `past` is, so it
# should end at past + n.
theta = base ** (-np.arange(half) / x.shape[-1])  # Your speeds fall too slowly. The exponent is −2m/d, which is
# −m/(d/2).
theta = base ** (-np.linspace(0, 1, half))  # Pair 0 is right, but the others turn too slowly. `np.linspace(0, 1, …)`
# goes up to 1, and 2m/d stays below it.
theta = 10000 ** (-np.arange(half) / half)  # You wrote 10000 into the formula, so it is right for that base only. Use
# `base`.
theta = 1 / (base * np.arange(1, half + 1) / half)  # You multiply by the base. It is raised to a power, base^(−2m/d).
theta = base ** (-np.arange(half)[::-1] / half)  # Your speeds are in reverse order. Pair 0 is the fastest.
theta = base ** (-2 * np.arange(x.shape[-1]) / x.shape[-1])
theta = base ** (-np.arange(x.shape[-1]) / x.shape[-1])  # You make a speed for every channel. The two channels of a
# pair share one, so there are d/2 speeds.
angle = np.radians(position[:, None] * theta)  # You convert your angles from degrees to radians. p · θ is in radians
# already.
angle = np.degrees(position[:, None] * theta)  # Your angles are in degrees. `np.cos` and `np.sin` take radians, and p
# · θ is in radians.
angle = 2 * position[:, None] * theta  # Your angles are twice as large as they should be. Is something rotated twice?
angle = 2 * np.pi * position[:, None] * theta  # Your angles have an additional factor 2π. Pair 0 turns by 1 radian per
# position, not by a whole turn.
angle = position[:, None] * theta / (2 * np.pi)  # You divide the angles by 2π. Pair 0 turns by 1 radian per position.
return rotate(x, past=past, base=base, interleaved=True)  # You rotate interleaved pairs, (0, 1), (2, 3), … Here the
# pairs are half-split, (m, m + d/2).
return _as_llama(x, _angles(x, past, base, x.shape[-1]))
return _as_llama(x, _angles(x, past, np.sqrt(base), x.shape[-1]))  # You make a speed for every channel. The two
# channels of a pair share one, so there are d/2 speeds.
return _as_llama(x, _angles(x, past, base).repeat(2, axis=-1))  # Your angles are in the order of interleaved pairs,
# θ₀, θ₀, θ₁, θ₁, … Half-split pairs need θ₀, θ₁, … twice.
return np.moveaxis(rotate(np.moveaxis(x, 0, -2), past=past, base=base), -2, 0)  # You count the positions along the
# first axis. The rows are the axis before the last, so write `x[..., i, m]`.
return x + 0  # You return x as it is. Nothing is rotated.
"""


HINTS = [
    "The angles are a table (n, d/2): `position[:, None] * theta`.",
    "`x[..., :half]` and `x[..., half:]` are the first and the second channels of all pairs at once.",
    "`np.concatenate([first, second], axis=-1)` joins the two halves again.",
]


def wrong_program_33(x, past, base):
    """Your positions end at n. There are n rows whatever `past` is, so they end at past + n."""
    y = np.zeros(x.shape)
    y[..., past:, :] = rotate(x, base=base)[..., past:, :]
    return y


def wrong_program_36(x, past, base):
    """`x[:, :half]` cuts the second axis. The channels are the last one: `x[..., :half]` and `x[..., half:]`."""
    h = x.shape[-1] // 2
    return _as_llama(x, np.tile(_angles(x, past, base), 2), (x[:, :h], x[:, h:]))


def wrong_loops_without_dots(x, past, base):
    """`x[i, m]` takes the first two axes. Rows and channels are the last two: `x[..., i, m]`, `y[..., i, m]`."""
    y, half = np.zeros(x.shape), x.shape[-1] // 2
    for (i, m), angle in np.ndenumerate(_angles(x, past, base)):
        a, b = x[i, m], x[i, m + half]
        y[i, m], y[i, m + half] = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return y


def right_in_one_line(x, past, base):
    return _as_llama(x, np.tile(_angles(x, past, base), 2))
