"""RoPE in code."""

import numpy as np

from ...example import K, Q
from ...reference.rope import rotate
from ..engine import Axis, Case, Mistake, Property, Task
from .common import QUERY


def _rope(x, past, base):
    """RoPE with half-split pairs: row i of x (..., n, d) stands at position past + i and is turned; same shape.

    Pair m is channels m and m + d/2, and turns by base^(-2m/d) radians per position.
    """
    half = x.shape[-1] // 2
    position = past + np.arange(x.shape[-2])
    theta = base ** (-np.arange(half) / half)
    angle = position[:, None] * theta
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def _rotate_half(x, past, base):
    """As Llama's code writes it: x cos + rotate_half(x) sin."""
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-2 * np.arange(half) / x.shape[-1]))
    angle = np.concatenate([angle, angle], axis=-1)
    return x * np.cos(angle) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angle)


def _complex(x, past, base):
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
    z = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angle)
    return np.concatenate([z.real, z.imag], axis=-1)


def _loops(x, past, base):
    x = np.asarray(x, float)
    y, d = np.zeros(x.shape), x.shape[-1]
    for i in range(x.shape[-2]):
        for m in range(d // 2):
            angle = (past + i) * base ** (-2 * m / d)
            a, b = x[..., i, m], x[..., i, m + d // 2]
            y[..., i, m] = a * np.cos(angle) - b * np.sin(angle)
            y[..., i, m + d // 2] = a * np.sin(angle) + b * np.cos(angle)
    return y


def _loops_without_dots(x, past, base):
    """y[i, m] = …: right without further axes only."""
    y, half = np.zeros(x.shape), x.shape[-1] // 2
    for i in range(x.shape[-2]):
        for m in range(half):
            angle = (past + i) * base ** (-m / half)
            a, b = x[i, m], x[i, m + half]
            y[i, m] = a * np.cos(angle) - b * np.sin(angle)
            y[i, m + half] = a * np.sin(angle) + b * np.cos(angle)
    return y


def _loops_from_past_to_n(x, past, base):
    """for p in range(past, n): nothing is left to do when past is large."""
    y, half = np.zeros(x.shape), x.shape[-1] // 2
    for p in range(past, x.shape[-2]):
        for m in range(half):
            angle = p * base ** (-m / half)
            a, b = x[..., p, m], x[..., p, m + half]
            y[..., p, m] = a * np.cos(angle) - b * np.sin(angle)
            y[..., p, m + half] = a * np.sin(angle) + b * np.cos(angle)
    return y


def _an_angle_per_channel(x, past, base, divisor=1):
    """x cos + rotate_half(x) sin with d speeds."""
    half, d = x.shape[-1] // 2, x.shape[-1]
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-2 * np.arange(d) / (divisor * d)))
    return x * np.cos(angle) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angle)


def _half_of_the_second_axis(x, past, base):
    """rotate_half with x[:, :half]."""
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
    angle = np.concatenate([angle, angle], axis=-1)
    return x * np.cos(angle) + np.concatenate([-x[:, half:], x[:, :half]], axis=-1) * np.sin(angle)


def _times(factor):
    """A mistake: all angles multiplied by a factor."""

    def wrong(x, past, base):
        half = x.shape[-1] // 2
        angle = factor * np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
        a, b = x[..., :half], x[..., half:]
        cos, sin = np.cos(angle), np.sin(angle)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)

    return wrong


def _half_overwritten(x, past, base):
    """The second channel is made from the first one as it has become."""
    x = np.array(x, float)
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
    x[..., :half] = x[..., :half] * np.cos(angle) - x[..., half:] * np.sin(angle)
    x[..., half:] = x[..., :half] * np.sin(angle) + x[..., half:] * np.cos(angle)
    return x


def _added(x, past, base):
    """Sinusoids added instead of a turn."""
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half))
    return x + np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


def _interleaved_out(x, past, base):
    """The right numbers, laid down interleaved."""
    y = rotate(x, past=past, base=base)
    half = x.shape[-1] // 2
    return np.stack([y[..., :half], y[..., half:]], axis=-1).reshape(x.shape)


def _past_once_more(x, past, base):
    return rotate(rotate(x, past=past, base=base), past=past, base=base)


def _repeated_angles(x, past, base):
    half = x.shape[-1] // 2
    angle = np.outer(past + np.arange(x.shape[-2]), base ** (-np.arange(half) / half)).repeat(2, axis=-1)
    return x * np.cos(angle) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angle)


def _lengths_stay(result, x, past, base):
    return np.allclose(np.linalg.norm(result, axis=-1), np.linalg.norm(x, axis=-1), atol=1e-4)


def _position_0_stays(result, x, past, base):
    return past != 0 or np.allclose(np.asarray(result)[..., 0, :], x[..., 0, :], atol=1e-5)


def _speeds_are_right(result, x, past, base):
    """Not only that of pair 0, where every pair keeps its length."""
    y, right, half = np.asarray(result, float), rotate(x, past=past, base=base), x.shape[-1] // 2
    if y.shape != right.shape:
        return True
    keeps = np.allclose(np.hypot(y[..., :half], y[..., half:]), np.hypot(x[..., :half], x[..., half:]), atol=1e-4)
    first = np.allclose(y[..., [0, half]], right[..., [0, half]], atol=1e-4)
    return not (keeps and first) or np.allclose(y, right, atol=1e-4)


_CHANNEL = Axis("channel")

rope = Task(
    title="RoPE in code",
    minutes=15,
    difficulty=2,
    words=r"""Turn every row. Row $i$ stands at position $p = $ `past` $+ i$, pair $m$ is channels $m$ and $m + d/2$ (half-split), and

$$(a, b) \to (a \cos p\theta_m - b \sin p\theta_m,\; a \sin p\theta_m + b \cos p\theta_m),
\qquad \theta_m = \text{base}^{-2m/d}$$

Before `(n, d)` there may be further axes, for heads and batch. Loops are welcome; slices are shorter.""",
    solution=_rope,
    expected=lambda x, past, base: rotate(x, past=past, base=base),
    cases=[
        Case(Q, 0, 10000.0, says="the queries of the five tokens", axes=(QUERY, _CHANNEL)),
        Case(K, 7, 10000.0, says="the keys, after seven tokens", axes=(Axis("key"), _CHANNEL)),
        Case(np.ones((4, 8)), 0, 100.0, says="eight channels, base 100", axes=(Axis("row"), _CHANNEL)),
        Case(np.array([[1.0, 0.0]]), 3, 10000.0, says="one pair, one token", axes=(Axis("row"), _CHANNEL)),
        Case(
            np.random.default_rng(0).normal(size=(2, 3, 5, 6)).round(2),
            0,
            10000.0,
            says="two texts, three heads",
            axes=("text", "head", "row", _CHANNEL),
        ),
        Case(
            np.random.default_rng(1).normal(size=(3, 1, 4)).round(2),
            500,
            1000.0,
            says="three heads, one new token",
            axes=("head", "row", _CHANNEL),
        ),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(1, 4)), int(rng.integers(2, 7)), 2 * int(rng.integers(2, 6)))),
        int(rng.integers(1, 200)),
        float((100, 1000, 10000)[rng.integers(3)]),
    ),
    properties=[
        Property(
            "position 0 is not turned",
            _position_0_stays,
            "The row at position 0 has changed: its angle is 0 in every pair.",
        ),
        Property(
            "lengths stay",
            _lengths_stay,
            "A turn keeps the length of every row. Yours has changed some: is a sign wrong, or is something computed in half precision?",
        ),
        Property(
            "all speeds are right",
            _speeds_are_right,
            "Pair 0 is right, the others turn by a wrong angle: pair m turns by base^(−2m/d) per position. Is the formula another one, or is something computed too coarsely?",
        ),
    ],
    mistakes=[
        *(
            Mistake(
                old,
                f"np.float16({old})",
                f"{what} in half precision. The formula is right, but float16 keeps three digits: {so}.",
            )
            for old, what, so in (
                ("position[:, None] * theta", "The angles are", "an angle of 500 is rounded to quarters of a radian"),
                (
                    "base ** (-np.arange(half) / half)",
                    "The speeds are",
                    "at position 500 a small fault has grown by 500",
                ),
            )
        ),
        Mistake(
            "np.cos(angle), np.sin(angle)",
            "np.float16(np.cos(angle)), np.float16(np.sin(angle))",
            "Sines and cosines are in half precision, which keeps three digits. The angles are right.",
        ),
        Mistake(
            "a * cos - b * sin, a * sin + b * cos",
            "a * cos + b * sin, b * cos - a * sin",
            "You turn to the right. (Scores would come out the same with −(j − i); the wanted turn has −b sin in the first channel.)",
        ),
        Mistake(
            "a * cos - b * sin",
            "a * cos + b * sin",
            "First channel: a cos − b sin. With a plus it is no turn, and lengths change.",
        ),
        Mistake(
            "a * sin + b * cos",
            "a * sin - b * cos",
            "Second channel: a sin + b cos. With a minus it is mirrored.",
        ),
        Mistake(
            "a * sin + b * cos",
            "b * sin + a * cos",
            "Second channel: a and b have changed places. It is a sin + b cos.",
        ),
        Mistake(
            "a * cos - b * sin",
            "a * sin - b * cos",
            "First channel: sine and cosine have changed places. It is a cos − b sin.",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "np.arange(x.shape[-2])",
            "`past` is forgotten: the first row stands at position `past`, not at 0.",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "past + np.arange(x.shape[-2]) + 1",
            "Positions count from 0: the first row stands at `past`, not at past + 1.",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "past * np.arange(x.shape[-2])",
            "Positions are past + i. You multiply.",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "past - np.arange(x.shape[-2])",
            "The positions run backwards. They are past, past + 1, …",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "np.full(x.shape[-2], past)",
            "All rows stand at the same position. They are past, past + 1, …",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "past + np.arange(x.shape[0])",
            "You count along the first axis. The positions are the axis before the last: `x.shape[-2]`.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-np.arange(half) / x.shape[-1])",
            "The speeds fall too slowly: the exponent is −2m/d, which is −m/(d/2).",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-2 * np.arange(half) / half)",
            "The speeds fall too fast: the exponent is −2m/d. You divide 2m by d/2.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (np.arange(half) / half)",
            "The speeds grow from pair to pair: the exponent is negative.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-np.arange(1, half + 1) / half)",
            "Pairs count from 0: pair 0 turns by 1 radian per position.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "10000 ** (-np.arange(half) / half)",
            "Right for base 10000 only: take `base`.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "np.ones(half)",
            "All pairs turn at the same speed. Pair m turns by base^(−2m/d) per position.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "1 / (base * np.arange(1, half + 1) / half)",
            "The base is raised to a power; you multiply by it.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-np.arange(half)[::-1] / half)",
            "The speeds are in the wrong order: pair 0 is the fastest.",
        ),
        Mistake(
            "a, b = x[..., :half], x[..., half:]",
            "a, b = x[..., ::2], x[..., 1::2]",
            "You read pairs (0, 1), (2, 3), … and write them half-split: the channels change places. Read and write (m, m + d/2).",
        ),
        Mistake(
            lambda x, past, base: rotate(x, past=past, base=base, interleaved=True),
            "These are interleaved pairs, (0, 1), (2, 3), … Wanted are half-split ones: (m, m + d/2).",
        ),
        Mistake(
            _interleaved_out,
            "The right numbers in the wrong places: channel m and channel m + d/2 of the result, not side by side.",
        ),
        Mistake(
            "np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)",
            "np.concatenate([a * sin + b * cos, a * cos - b * sin], axis=-1)",
            "The two halves of the result have changed places.",
        ),
        Mistake(
            "a, b = x[..., :half], x[..., half:]",
            "b, a = x[..., :half], x[..., half:]",
            "a is the first half and b the second; yours have changed places.",
        ),
        Mistake(
            _half_overwritten,
            "The first half is right. For the second you use the first half as it is *after* the turn: keep a copy.",
        ),
        Mistake(_added, "You add cosines and sines, as chapter 01's positions do. RoPE multiplies: it turns."),
        Mistake(_past_once_more, "`past` is counted twice."),
        Mistake(_times(np.pi / 180), "Your angles are degrees turned into radians. p · θ is in radians already."),
        Mistake(
            _times(180 / np.pi), "Your angles are degrees: `np.cos` and `np.sin` take radians, and p · θ is in radians."
        ),
        Mistake(
            _times(2 * np.pi),
            "Your angles have a factor 2π. Pair 0 turns by 1 radian per position, not by a whole turn.",
        ),
        Mistake(_times(1 / (2 * np.pi)), "Your angles are divided by 2π. Pair 0 turns by 1 radian per position."),
        Mistake(lambda x, past, base: x + 0, "Nothing is turned: this is x as it came."),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-2 * np.arange(half) // x.shape[-1])",
            "Pair 0 is right, the others turn at a wrong speed: `//` divides in whole numbers. The exponent is a fraction: `/`.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** -np.linspace(0, 1, half)",
            "Pair 0 is right, the others turn at a wrong speed: `np.linspace(0, 1, …)` goes up to 1, and 2m/d stays below it. `np.arange(half) / half` does that.",
        ),
        Mistake(
            "past + np.arange(x.shape[-2])",
            "np.arange(past, x.shape[-2])",
            "`arange` should end at past + n, not at n: there are n positions, whatever `past` is.",
        ),
        Mistake(
            _loops_from_past_to_n, "The positions end at past + n, not at n: there are n rows, whatever `past` is."
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-2 * np.arange(x.shape[-1]) / x.shape[-1])",
            "You make a speed for every channel. There is one angle per *pair*: d/2 of them.",
        ),
        Mistake(
            "base ** (-np.arange(half) / half)",
            "base ** (-np.arange(x.shape[-1]) / x.shape[-1])",
            "You make a speed for every channel, −m/d with m up to d. There is one angle per *pair*: d/2 of them.",
        ),
        Mistake(
            _an_angle_per_channel,
            "You make a speed for every channel. There is one angle per *pair*, d/2 of them, the same for both channels.",
        ),
        Mistake(
            lambda x, past, base: _an_angle_per_channel(x, past, base, divisor=2),
            "You make a speed for every channel, −m/d with m up to d. There is one angle per *pair*, d/2 of them, the same for both channels.",
        ),
        Mistake(
            "a, b = x[..., :half], x[..., half:]",
            "a, b = x[:, :half], x[:, half:]",
            "`x[:, :half]` cuts the second axis, which is the channels only without further axes in front. They are always the last: `x[..., :half]`.",
        ),
        Mistake(
            _half_of_the_second_axis,
            "`x[:, :half]` cuts the second axis, and the channels are the last: `x[..., :half]`, and `x[..., half:]` too.",
        ),
        Mistake(
            _loops_without_dots,
            "`x[i, m]` means the first two axes. With further axes in front, rows and channels are the last two: `x[..., i, m]`, `y[..., i, m]`.",
        ),
        Mistake(
            "np.cos(angle), np.sin(angle)",
            "np.sin(angle), np.cos(angle)",
            "`cos` and `sin` have changed places: at angle 0 nothing should turn.",
        ),
        Mistake(
            "np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)",
            "np.concatenate([a * cos - b * sin, b], axis=-1)",
            "The second half is not turned.",
        ),
        Mistake(
            "np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)",
            "np.concatenate([a * cos, b * cos], axis=-1)",
            "The sines are missing: a turn mixes the two channels of a pair.",
        ),
        Mistake(
            "np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)",
            "[a * cos - b * sin, a * sin + b * cos]",
            "These are the two halves, one after the other in a list. Join them along the channels: `np.concatenate([…], axis=-1)`.",
        ),
        Mistake(
            "axis=-1",
            "axis=1",
            "Axis 1 is the channels only without further axes in front. Join the halves along the last one: axis=-1.",
        ),
        Mistake(
            "axis=-1",
            "axis=-2",
            "The two halves are joined along the tokens. They belong side by side, along the channels: axis=-1.",
        ),
        Mistake(
            "axis=-1",
            "axis=0",
            "The two halves are joined along the first axis. They belong side by side, along the channels: axis=-1.",
        ),
        Mistake(
            _repeated_angles,
            "The angles are laid out for interleaved pairs: θ₀, θ₀, θ₁, θ₁, … Half-split wants θ₀, θ₁, … twice, one copy for each half.",
        ),
    ],
    alternatives=[_rotate_half, _complex, _loops],
    hints=[
        "The angles are a table (n, d/2): `position[:, None] * theta`.",
        "`x[..., :half]` and `x[..., half:]` are the first and the second channels of all pairs at once.",
        "`np.concatenate([first, second], axis=-1)` puts the two halves together again.",
    ],
)
