"""Chapter 07: what a learner reads after a slip."""

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
        "loops": (turn(), None),
        "interleaved": (turn(first="2 * m", second="2 * m + 1"), "interleaved pairs"),
        "past forgotten": (turn(angle="i * base ** (-2 * m / x.shape[-1])"), "`past` is forgotten"),
        "from one": (turn(angle="(past + i + 1) * base ** (-2 * m / x.shape[-1])"), "Positions count from 0"),
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
