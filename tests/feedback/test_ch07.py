"""Chapter 07: what a learner reads after a slip."""

import re

import numpy as np
import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH07 = tasks_of("ch07")

TURN = """
    half = x.shape[-1] // 2
    y = np.zeros(x.shape)
    for i in range(x.shape[-2]):
        for m in range(half):
            angle = {angle}
            a, b = x[..., i, {first}], x[..., i, {second}]
            y[..., i, {first}] = {one}
            y[..., i, {second}] = {two}
    return y
"""
RIGHT = {
    "angle": "(past + i) * base ** (-2 * m / x.shape[-1])",
    "first": "m",
    "second": "m + half",
    "one": "a * np.cos(angle) - b * np.sin(angle)",
    "two": "a * np.sin(angle) + b * np.cos(angle)",
}


def turn(**changed):
    return TURN.format(**{**RIGHT, **changed})


NO_DOTS = turn().replace("[..., ", "[")
RIGHT_ANGLE = "(past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)"
SLICES = """
    half = x.shape[-1] // 2
    angle = {angle}
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=-1)
"""

STEPS = """
    n = len(q)
    found, cache = np.zeros((n, n)), []
    for t in range(n):
        query = {query}
        cache.append({key})
        for j in range(t + 1):
            found[t, j] = {score}
    return found
"""
STEP = {
    "query": "rotate(q[t : t + 1], past=t)[0]",
    "key": "rotate(k[t : t + 1], past=t)[0]",
    "score": "query @ cache[j] / np.sqrt(len(query))",
}


def steps(**changed):
    return STEPS.format(**{**STEP, **changed})


WEIGHTS = """
    n = content.shape[-1]
    i, j = np.arange(n)[:, None], np.arange(n)
    bias = {bias}
    return softmax(content + bias)
"""

SLIPS = {
    "alibi_slopes": {
        "the plain formula from head 9 on": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    return first + [2 ** (-8 * h / n_heads) for h in range(lower + 1, n_heads + 1)]
""",
            "The slopes of the next lower power of two are right, and what comes after them is not",
        ),
        "the plain formula from 0": ("    return [2 ** (-8 * h / n_heads) for h in range(n_heads)]", "Count from 1"),
        "both lists from 0": (
            """
    low = 2 ** math.floor(math.log2(n_heads))
    first, more = ([2 ** (-8 * h / n) for h in range(n)] for n in (low, 2 * low))
    return first + more[::2][: n_heads - low]
""",
            "Each of the two lists counts heads from 0",
        ),
        "another base": (
            "    return [3 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]",
            "Yours is wrong when the number of heads is a power of two, too",
        ),
        "recursion": (
            """
    def power_of_two(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**h for h in range(n)]
    lower = 2 ** math.floor(math.log2(n_heads))
    return power_of_two(lower) + power_of_two(2 * lower)[0::2][: n_heads - lower]
""",
            None,
        ),
        "an array": (
            """
    lower = 2 ** int(np.log2(n_heads))
    m = 2.0 ** (-8 * np.arange(1, lower + 1) / lower)
    more = 2.0 ** (-8 * np.arange(1, 2 * lower + 1, 2) / (2 * lower))
    return np.concatenate([m, more[: n_heads - lower]])
""",
            None,
        ),
        "the bug again": (
            "    return np.array([2 ** (-8 * (h + 1) / n_heads) for h in range(n_heads)])",
            "the bug is still there",
        ),
        "the first of sixteen": (
            """
    higher = 1
    while higher < n_heads:
        higher *= 2
    return [2 ** (-8 * h / higher) for h in range(1, n_heads + 1)]
""",
            "first slopes of the next *higher*",
        ),
        "sorted": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    m += [2 ** (-8 * h / (2 * lower)) for h in range(1, 2 * lower + 1, 2)][: n_heads - lower]
    return sorted(m)[::-1]
""",
            "keep the order",
        ),
        "the even ones": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    return m + m[: n_heads - lower]
""",
            "which you have already",
        ),
        "neighbours": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    return m + [2 ** (-4 * h / lower) for h in range(1, n_heads - lower + 1)]
""",
            "Take every other one",
        ),
        "from zero": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2 ** (-8 * h / lower) for h in range(lower)]
    return m + [2 ** (-4 * h / lower) for h in range(1, 2 * lower, 2)][: n_heads - lower]
""",
            "Count from 1",
        ),
        "halving": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2.0 ** -(h + 1) for h in range(lower)]
    return m + [2 ** (-4 * h / lower) for h in range(1, 2 * lower, 2)][: n_heads - lower]
""",
            "That is so for 8 heads only",
        ),
        "half a step back": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    m = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    return m + [2 ** (-8 * (h - 0.5) / lower) for h in range(1, n_heads - lower + 1)]
""",
            None,
        ),
        "on below 2⁻⁸": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    return [2 ** (-8 * h / lower) for h in range(1, n_heads + 1)]
""",
            "those of heads 1 to 8",
        ),
        "in between": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    first = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    more = [2 ** (-4 * h / lower) for h in range(1, 2 * lower, 2)][: n_heads - lower]
    result = []
    for h in range(lower):
        result.append(first[h])
        if h < len(more):
            result.append(more[h])
    return result
""",
            "come last, not in between",
        ),
        "8 and 16": (
            """
    eight = [2 ** (-8 * h / 8) for h in range(1, 9)]
    sixteen = [2 ** (-8 * h / 16) for h in range(1, 17)]
    return (eight + sixteen[::2])[:n_heads]
""",
            "you always begin with 8",
        ),
        "8 and 16, but not for powers": (
            """
    if math.log2(n_heads).is_integer():
        return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
    eight = [2 ** (-8 * h / 8) for h in range(1, 9)]
    sixteen = [2 ** (-8 * h / 16) for h in range(1, 17)]
    return (eight + sixteen[::2])[:n_heads]
""",
            "you always begin with 8",
        ),
        "if n_heads == 12": (
            """
    if n_heads == 12:
        return [2**-h for h in range(1, 9)] + [2 ** (-h / 2) for h in range(1, 8, 2)]
    return [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
""",
            "12 is mended, the other numbers are not",
        ),
        "append": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    s = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    s.append([2 ** (-4 * h / lower) for h in range(1, 2 * lower, 2)][: n_heads - lower])
    return s
""",
            "a list inside the list",
        ),
        "append where needed": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    s = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    if lower < n_heads:
        s.append([2 ** (-4 * h / lower) for h in range(1, 2 * lower, 2)][: n_heads - lower])
    return s
""",
            "a list inside the list",
        ),
        "cut first": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    s = [2 ** (-8 * h / lower) for h in range(1, lower + 1)]
    return s + [2 ** (-4 * h / lower) for h in range(1, 2 * lower + 1)][: n_heads - lower][::2]
""",
            "Cut *after* taking every other",
        ),
        "arrays added": (
            """
    lower = 2 ** math.floor(math.log2(n_heads))
    a = 2.0 ** (-8 * np.arange(1, lower + 1) / lower)
    b = 2.0 ** (-4 * np.arange(1, 2 * lower, 2) / lower)
    return a + b[: n_heads - lower]
""",
            "it joins only lists",
        ),
        "a layer of its own": (
            """
    def of(n):
        return [2 ** (-8 * h / n) for h in range(1, n + 1)]
    lower = 2 ** math.floor(math.log2(n_heads))
    return of(lower) + (of(n_heads - lower) if n_heads > lower else [])
""",
            "as a layer of their own",
        ),
    },
    "encoder_weights": {
        "distance": (WEIGHTS.format(bias="-slopes[:, None, None] * abs(i - j)"), None),
        "distance by np.where": (
            WEIGHTS.format(bias="-slopes[:, None, None] * np.where(j > i, j - i, i - j)"),
            None,
        ),
        "i − j": (WEIGHTS.format(bias="-slopes[:, None, None] * (i - j)"), "still the weights of m · j"),
        "j − n": (WEIGHTS.format(bias="slopes[:, None, None] * (j - n + 1)"), "still the weights of m · j"),
        "−m j": (WEIGHTS.format(bias="-slopes[:, None, None] * j"), "looks at the beginning of the text"),
        "rewarded": (WEIGHTS.format(bias="slopes[:, None, None] * abs(i - j)"), "Distance is rewarded"),
        "the future free": (
            WEIGHTS.format(bias="-slopes[:, None, None] * np.where(j > i, 0, i - j)"),
            "Keys after the query go without",
        ),
        "a mask": (
            WEIGHTS.format(bias="np.where(j > i, -np.inf, -slopes[:, None, None] * (i - j))"),
            "no mask",
        ),
        "slopes without axes": (WEIGHTS.format(bias="-slopes * abs(i - j)"), "`slopes` is (heads,)"),
        "one slope": (WEIGHTS.format(bias="-slopes[0] * abs(i - j)"), "the slope of the first"),
        "heads last": (WEIGHTS.format(bias="-slopes[None, None, :] * abs(i - j)"), "puts the heads last"),
        "heads in the middle": (
            WEIGHTS.format(bias="-slopes[None, :, None] * abs(i - j)"),
            "puts the heads where the queries are",
        ),
        "m i": (WEIGHTS.format(bias="slopes[:, None, None] * i"), "constant along a row"),
        "rounded": (
            WEIGHTS.format(bias="-slopes[:, None, None] * abs(i - j)").replace(
                "softmax(content + bias)", "np.round(softmax(content + bias), 3)"
            ),
            "rounded",
        ),
        "log": (WEIGHTS.format(bias="-slopes[:, None, None] * np.log1p(abs(i - j))"), "decay of chapter 02"),
        "head by head": (
            """
    n = content.shape[-1]
    result = []
    for h, m in enumerate(slopes):
        bias = np.array([[-m * abs(i - j) for j in range(n)] for i in range(n)])
        result.append(softmax(content[h] + bias))
    return result
""",
            None,
        ),
        "no softmax": (
            WEIGHTS.format(bias="-slopes[:, None, None] * abs(i - j)").replace(
                "softmax(content + bias)", "content + bias"
            ),
            "These are the scores",
        ),
    },
    "rope": {
        "angles in half precision": (
            SLICES.format(angle=f"({RIGHT_ANGLE}).astype(np.float16)"),
            "The angles are in half precision. The formula is right",
        ),
        "speeds in half precision": (
            SLICES.format(angle=RIGHT_ANGLE.replace("base **", "np.float16(base **") + ")"),
            "The speeds are in half precision",
        ),
        "angles rounded, then in full precision": (
            SLICES.format(angle=f"np.float16({RIGHT_ANGLE}).astype(float)"),
            "is something computed too coarsely?",
        ),
        "angles in single precision": (SLICES.format(angle=f"({RIGHT_ANGLE}).astype(np.float32)"), None),
        "loops": (turn(), None),
        "interleaved": (turn(first="2 * m", second="2 * m + 1"), "interleaved pairs"),
        "past forgotten": (turn(angle="i * base ** (-2 * m / x.shape[-1])"), "`past` is forgotten"),
        "from one": (turn(angle="(past + i + 1) * base ** (-2 * m / x.shape[-1])"), "Positions count from 0"),
        "shape of two": (
            turn().replace("half = x", "n, d = x.shape\n    half = x", 1),
            "further axes may stand in front",
        ),
        "no dots": (NO_DOTS, "the last two"),
        "no dots, rows of the first axis": (NO_DOTS.replace("x.shape[-2]", "len(x)"), "the last two"),
        "the second axis": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    a, b = x[:, :half], x[:, half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=-1)
""",
            "cuts the second axis",
        ),
        "joined along axis 1": (SLICES.format(angle=RIGHT_ANGLE).replace("axis=-1", "axis=1"), "axis=-1"),
        "from past to n": (
            SLICES.format(angle=RIGHT_ANGLE.replace("past + np.arange(x.shape[-2])", "np.arange(past, x.shape[-2])")),
            "should end at past + n",
        ),
        "a loop from past to n": (
            """
    half = x.shape[-1] // 2
    y = np.zeros(x.shape)
    for p in range(past, x.shape[-2]):
        for m in range(half):
            angle = p * base ** (-2 * m / x.shape[-1])
            a, b = x[..., p, m], x[..., p, m + half]
            y[..., p, m] = a * np.cos(angle) - b * np.sin(angle)
            y[..., p, m + half] = a * np.sin(angle) + b * np.cos(angle)
    return y
""",
            "The positions end at past + n",
        ),
        "a speed for every channel": (
            SLICES.format(angle=RIGHT_ANGLE.replace("np.arange(half) / half", "2 * np.arange(2 * half) / (2 * half)")),
            "one angle per *pair*",
        ),
        "rotate_half, a speed for every channel": (
            """
    d = x.shape[-1]
    theta = base ** (-2 * np.arange(d) / d)
    angle = np.outer(past + np.arange(x.shape[-2]), theta)
    other = np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1)
    return x * np.cos(angle) + other * np.sin(angle)
""",
            "one angle per *pair*",
        ),
        "whole-number division": (turn(angle="(past + i) * base ** (-2 * m // x.shape[-1])"), "Pair 0 is right"),
        "linspace": (
            SLICES.format(angle=RIGHT_ANGLE.replace("(-np.arange(half) / half)", "-np.linspace(0, 1, half)")),
            "Pair 0 is right",
        ),
        "some other speed": (
            SLICES.format(angle=RIGHT_ANGLE.replace("np.arange(half) / half", "(np.arange(half) / half) ** 2")),
            "Pair 0 is right, the others turn by a wrong angle",
        ),
        "in degrees": (SLICES.format(angle=f"np.degrees({RIGHT_ANGLE})"), "Your angles are degrees:"),
        "2π": (SLICES.format(angle=f"2 * np.pi * {RIGHT_ANGLE}"), "a factor 2π"),
        "nothing": ("    return x", "Nothing is turned"),
        "half the exponent": (turn(angle="(past + i) * base ** (-m / x.shape[-1])"), "too slowly"),
        "twice the exponent": (turn(angle="(past + i) * base ** (-2 * m / half)"), "too fast"),
        "positive exponent": (turn(angle="(past + i) * base ** (2 * m / x.shape[-1])"), "the exponent is negative"),
        "to the right": (
            turn(one="a * np.cos(angle) + b * np.sin(angle)", two="b * np.cos(angle) - a * np.sin(angle)"),
            "You turn to the right",
        ),
        "a plus": (turn(one="a * np.cos(angle) + b * np.sin(angle)"), "a cos − b sin"),
        "overwritten": (
            """
    half = x.shape[-1] // 2
    y = np.array(x)
    for i in range(x.shape[-2]):
        for m in range(half):
            angle = (past + i) * base ** (-2 * m / x.shape[-1])
            y[..., i, m] = y[..., i, m] * np.cos(angle) - y[..., i, m + half] * np.sin(angle)
            y[..., i, m + half] = y[..., i, m] * np.sin(angle) + y[..., i, m + half] * np.cos(angle)
    return y
""",
            "keep a copy",
        ),
        "10000": (turn(angle="(past + i) * 10000 ** (-2 * m / x.shape[-1])"), "Right for base 10000 only"),
        "one speed": (turn(angle="past + i"), "All pairs turn at the same speed"),
        "degrees": (turn(angle="np.radians((past + i) * base ** (-2 * m / x.shape[-1]))"), "in radians already"),
        "added": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    return x + np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)
""",
            "RoPE multiplies",
        ),
        "rotate_half": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    angle = np.concatenate([angle, angle], axis=-1)
    other = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angle) + other * np.sin(angle)
""",
            None,
        ),
        "rotate_half without the minus": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    angle = np.concatenate([angle, angle], axis=-1)
    other = np.concatenate([x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angle) + other * np.sin(angle)
""",
            "a cos − b sin",
        ),
        "rotate_half with repeated angles": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    angle = np.repeat(angle, 2, axis=-1)
    other = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angle) + other * np.sin(angle)
""",
            "angles are laid out for interleaved pairs",
        ),
        "the library's": ("    return rotate(x, past=past, base=base)", None),
        "the first axis": (
            """
    half = x.shape[-1] // 2
    angle = (past + np.arange(len(x)))[:, None] * base ** (-np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=-1)
""",
            "You count along the first axis",
        ),
    },
    "half_split_rows": {
        "heads in reverse": (
            "    by_head = w.reshape(n_heads, len(w) // n_heads, -1)[::-1]\n"
            "    return np.concatenate([by_head[:, ::2], by_head[:, 1::2]], axis=1).reshape(w.shape)",
            "the heads come in reverse",
        ),
        "one head only": (
            "    return np.concatenate([w[::2], w[1::2]]) if n_heads == 1 else w.copy()",
            "with several they are left as they were",
        ),
        "twice": (
            "    for _ in range(2):\n        x = w.reshape(n_heads, len(w) // n_heads, -1)\n"
            "        w = np.concatenate([x[:, ::2], x[:, 1::2]], axis=1).reshape(w.shape)\n    return w",
            "put in order twice",
        ),
        "every n-th row": (
            "    heads = [w[h::n_heads] for h in range(n_heads)]\n"
            "    return np.concatenate([x for head in heads for x in (head[::2], head[1::2])])",
            "takes one row of each head in turn",
        ),
        "through pairs": (
            "    return w.reshape(n_heads, len(w) // n_heads // 2, 2, -1).swapaxes(1, 2).reshape(w.shape)",
            None,
        ),
        "the way back": (
            "    return w.reshape(n_heads, 2, len(w) // n_heads // 2, -1).swapaxes(1, 2).reshape(w.shape)",
            "the way back",
        ),
        "all heads": ("    return np.concatenate([w[::2], w[1::2]], axis=0)", "Still over all heads at once"),
        "a loop": (
            """
    d = len(w) // n_heads
    parts = []
    for h in range(n_heads):
        head = w[h * d : (h + 1) * d]
        parts += [head[::2], head[1::2]]
    return np.concatenate(parts)
""",
            None,
        ),
        "odd first": (
            """
    d = len(w) // n_heads
    parts = []
    for h in range(n_heads):
        head = w[h * d : (h + 1) * d]
        parts += [head[1::2], head[::2]]
    return np.concatenate(parts)
""",
            "The odd channels come first",
        ),
        "columns": ("    return np.concatenate([w[:, ::2], w[:, 1::2]], axis=1)", "are the *rows* of w"),
        "no order": ("    return w.copy()", "Nothing has changed its place"),
        "heads sorted": (
            "    heads = w.reshape(n_heads, len(w) // n_heads, -1)\n"
            "    return np.concatenate([heads[::2], heads[1::2]]).reshape(w.shape)",
            "You sort the *heads*",
        ),
        "all even rows of all heads": (
            "    heads = w.reshape(n_heads, len(w) // n_heads, -1)\n"
            "    return np.concatenate([heads[:, ::2], heads[:, 1::2]], axis=0).reshape(w.shape)",
            "Still over all heads at once",
        ),
    },
    "decoder_scores": {
        "by hand": (steps(), None),
        "bare cache": (
            """
    found = np.zeros((len(q), len(q)))
    for t in range(len(q)):
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), rotate(k[: t + 1]))
    return found
""",
            None,
        ),
        "the key at 0": (steps(key="rotate(k[t : t + 1])[0]"), "The new key is not turned"),
        "the key bare": (steps(key="k[t]"), "The new key is not turned"),
        "the query at 0": (steps(query="q[t]"), "The new query is not turned"),
        "both at 0": (steps(query="q[t]", key="k[t]"), "without any position"),
        "no root": (steps(score="query @ cache[j]"), "not scaled any more"),
        "one too far": (steps(key="rotate(k[t : t + 1], past=t + 1)[0]"), "The key stands one place too far"),
        "concatenate lost": (
            """
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        cache = rotate(k[t : t + 1], past=t)
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), cache)
    return found
""",
            "the cache has lost the older ones",
        ),
        "weights": (
            """
    seen = np.tril(np.ones((len(q), len(q)), bool))
    return softmax(np.where(seen, scores(rotate(q), rotate(k)), -np.inf))
""",
            "These are weights",
        ),
        "without itself": ("    return np.tril(scores(rotate(q), rotate(k)), -1)", "the token sees itself, too"),
        "swapped": ("    return np.tril(scores(rotate(k), rotate(q)))", "have changed places"),
        "swapped in the loop": (
            """
    found, cache = np.zeros((len(q), len(k))), np.zeros((0, k.shape[-1]))
    for t in range(len(q)):
        cache = np.concatenate([cache, rotate(k[t : t + 1], past=t)])
        found[t, : t + 1] = scores(cache, rotate(q[t : t + 1], past=t))
    return found
""",
            "have changed places",
        ),
        "all at once, no mask": ("    return scores(rotate(q), rotate(k))", "must be 0"),
        "the bug again": (
            """
    found, cache = np.zeros((len(q), len(q))), k[:0]
    for t in range(len(q)):
        cache = rotate(np.concatenate([cache, k[t : t + 1]]), past=0)
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), cache)
    return found
""",
            "the bug is still there",
        ),
        "the cache turned from past on": (
            """
    found, cache = np.zeros((len(q), len(q))), k[:0]
    for t in range(len(q)):
        cache = rotate(np.concatenate([cache, k[t : t + 1]]), past=t)
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), cache)
    return found
""",
            "The whole cache is turned at every step",
        ),
        "bare keys turned from past on": (
            """
    found = np.zeros((len(q), len(q)))
    for t in range(len(q)):
        found[t, : t + 1] = scores(rotate(q[t : t + 1], past=t), rotate(k[: t + 1], past=t))
    return found
""",
            "as if the oldest key stood at position t",
        ),
    },
}


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH07[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words and words in text, text


ANSWERS = [
    ("slopes_by_hand", {"4 heads": [1 / 2, 1 / 4, 1 / 8, 1 / 16]}, "the first four slopes of 8"),
    ("slopes_by_hand", {"4 heads": [1, 1 / 4, 1 / 16, 1 / 64]}, "you count heads from 0"),
    ("slopes_by_hand", {"4 heads": [4, 16, 64, 256]}, "one divided by the slopes"),
    ("slopes_by_hand", {"4 heads": [1 / 4, 1 / 8, 1 / 16, 1 / 32]}, "and then you halve"),
    ("slopes_by_hand", {"6 heads, authors' code": [2 ** (-8 * h / 6) for h in range(1, 7)]}, "the formula alone"),
    ("slopes_by_hand", {"6 heads, authors' code": [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64]}, "all slopes of 4"),
    ("slopes_by_hand", {"6 heads, authors' code": [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 64, 1 / 256]}, "but sorted"),
    ("slopes_by_hand", {"6 heads, authors' code": [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 4]}, "every other"),
    ("slopes_by_hand", {"6 heads, head 1 by 2^(−8h/H)": 0.25}, "the authors' slope"),
    ("slopes_by_hand", {"6 heads, head 1 by 2^(−8h/H)": 2.5198}, "the exponent is negative"),
    ("slopes_by_hand", {"bias, head 1 of 4, key 3 back": 0.75}, "the sign"),
    ("slopes_by_hand", {"bias, head 1 of 4, key 3 back": -1.5}, "With 4 heads"),
    ("slopes_by_hand", {"bias, head 1 of 4, key 3 back": -1}, "four steps"),
    ("slopes_by_hand", {"4 heads": [2, 4, 6, 8]}, "these are exponents"),
    ("slopes_by_hand", {"6 heads, head 1 by 2^(−8h/H)": 1 / 256}, "you took h = 6"),
    ("slopes_by_hand", {"bias, head 1 of 4, key 3 back": 0.25}, "this is the slope"),
    ("turned_by_hand", {"q at position 1": [-1, -2]}, "only one gets a minus"),
    ("turned_by_hand", {"k at position 2": [-4, -1]}, "changes no places"),
    ("turned_by_hand", {"product, q at 1 and k at 2": 9}, "the second summand"),
    ("turned_by_hand", {"product, q at 1001 and k at 1002": -6}, "only the key is turned"),
    ("turned_by_hand", {"product, q at 1001 and k at 1002": 7}, "j − i, not i − j"),
    ("turned_by_hand", {"q at position 1": [1, -2]}, "to the right"),
    ("turned_by_hand", {"q at position 1": [1, 2]}, "the sign is missing"),
    ("turned_by_hand", {"k at position 2": [-4, 1]}, "one quarter turn"),
    ("turned_by_hand", {"k at position 2": [4, 1]}, "changes both signs and no places"),
    ("turned_by_hand", {"product, q at 1 and k at 2": 6}, "without a turn"),
    ("turned_by_hand", {"product, q at 1 and k at 2": 7}, "the sign"),
    ("turned_by_hand", {"product, q at 1001 and k at 1002": 0}, "nothing is lost"),
    ("turned_by_hand", {"product, q at 1 and k at 0": -7}, "a turn back"),
    ("turned_by_hand", {"product, q at 1 and k at 5": -7}, "one whole turn"),
    ("moved", {"weights, ALiBi": "changes"}, "i − j stays"),
    ("moved", {"weights, m · j without a mask": "changes"}, "softmax takes that away"),
    ("moved", {"weights, RoPE": "changes"}, "the same additional angle"),
    ("moved", {"a turned key in the cache": "same"}, "Only products with queries stay"),
    ("moved", {"output, values turned as well": "same"}, "turns when the text moves"),
    ("moved", {"weights, interleaved weights in half-split code": "changes"}, "relative, and wrong"),
    ("moved", {"weights, RoPE with positions in bfloat16": "same"}, "share a position"),
]


@pytest.mark.parametrize(("name", "wrong", "words"), ANSWERS)
def test_a_slip_with_the_pencil_is_named(name, wrong, words):
    result = CH07[name].check({**CH07[name].expected(), **wrong})
    assert not result.passed and words in result.cause, result


def test_heads_are_counted_from_one():
    halves = CH07["slopes_by_hand"].check(
        {**CH07["slopes_by_hand"].expected(), "4 heads": [1 / 2, 1 / 4, 1 / 8, 1 / 16]}
    )
    assert "head 1: 0.5000 is not right" in repr(halves)
    assert "head 9: yours" in told(CH07["alibi_slopes"], SLIPS["alibi_slopes"]["on below 2⁻⁸"][0])
    assert "head 1, query" in told(CH07["encoder_weights"], SLIPS["encoder_weights"]["−m j"][0])


@pytest.mark.parametrize("field", ["product, q at 1 and k at 0", "product, q at 1 and k at 5"])
def test_one_off_is_chance_where_nothing_is_counted(field):
    answer = CH07["turned_by_hand"]
    right = answer.expected()
    assert "1 too" not in answer.check({**right, field: right[field] + 1}).cause


def test_fields_still_to_fill_in_can_be_told_apart():
    text = repr(CH07["turned_by_hand"].check({"q at position 1": [-1, 2]}))
    assert '"product, q at 1 and k at 2", "product, q at 1001 and k at 1002"' in text


def test_the_hints_run_and_leave_the_line_to_the_learner():

    task = CH07["half_split_rows"]
    made, printed = re.findall(r"`([^`]+)`", task.hints[0])
    scope = {"np": np, "half_split_rows": task.given}
    exec(made, scope)
    assert eval(printed, scope).tolist() == [0, 2, 100, 102, 1, 3, 101, 103]
    assert not any("concatenate" in hint for hint in CH07["decoder_scores"].hints)
