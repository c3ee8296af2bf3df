"""What a learner reads after a slip in chapter 05."""

import numpy as np
import pytest

from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import to_grid
from course_lib.tasks import tasks_of

from .slips import each, told

CH05 = tasks_of("ch05")

TERMS = """
    n_q, n_k = len(q), len(k)
    a, b, c, d = (np.zeros((n_q, n_k)) for _ in range(4))
    for i in range(n_q):
        for j in range(n_k):
            r_ij = r[{row}]
            a[i, j] = q[i] @ k[j]
            b[i, j] = q[i] @ r_ij
            c[i, j] = {c}
            d[i, j] = {d}
    return a, b, c, d, {scores}
"""
USUAL = {"row": "j - i + n_q - 1", "c": "u @ k[j]", "d": "v @ r_ij", "scores": "(a + b + c + d) / np.sqrt(len(q[0]))"}


def terms(**other):
    return TERMS.format(**{**USUAL, **other})


SHIFT = """
    n_q, n_k = rows.shape
    grid = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range({visible}):
            grid[i, j] = rows[i, {column}]
    return grid
"""
READ = """
    memory, outputs = {begin}, []
    for start in range(0, len(x), size):
        segment = x[start:start + size]
        out = attend(segment, memory)
        outputs.append(out)
        memory = {memory}
    return {back}
"""
BY_PLACE = "x[max(0, start + size - length):start + size]"


def read(begin="x[:0]", memory="np.concatenate([memory, segment])[-length:]", back="np.concatenate(outputs)"):
    return READ.format(begin=begin, memory=memory, back=back)


WITH_ROWS = """
    n_q, n_k = len(q), len(k)
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    a, c = q @ k.T, np.tile(u @ k.T, (n_q, 1))
    {rows}
    return {a}, b, c, d, (a + b + c + d) / np.sqrt(q.shape[-1])"""
LOOKED_UP = "row = j - i + {}; b, d = (q @ r.T)[i, row], (v @ r.T)[row]"
SHIFTED = (
    "b, d = (np.hstack([np.zeros((n_q, 1)), x[:, :n_k]]).ravel()[n_q:].reshape(n_q, n_k)"
    " for x in (q @ r.T, np.tile(v @ r.T, (n_q, 1))))"
)

SLIPS = {
    "four_terms": {
        "offset 0 in the middle": (WITH_ROWS.format(rows=LOOKED_UP.format("len(r) // 2"), a="a"), "in the middle of r"),
        "shifted by the keys": (WITH_ROWS.format(rows=LOOKED_UP.format("n_k - 1"), a="a"), "as many queries as keys"),
        "the causal shift": (WITH_ROWS.format(rows=SHIFTED, a="a"), "hold junk"),
        "u inside (a)": (WITH_ROWS.format(rows=LOOKED_UP.format("n_q - 1"), a="a + c"), "has (c) in it already"),
        "u and v swapped": (terms(c="v @ k[j]", d="u @ r_ij"), "changed places"),
        "the distance as row": (terms(row="i - j + n_q - 1"), "mirrored"),
        "the offset as row": (terms(row="j - i"), "counts from the end"),
        "n_k for n_q": (terms(row="j - i + n_k - 1"), "as many queries as keys"),
        "off by one": (terms(row="j - i + n_q"), "One row too far"),
        "one row short": (terms(row="j - i + n_q - 2"), "One row short"),
        "the memory twice": (terms(row="j - i + n_q - 1 - (n_k - n_q)"), "a second time"),
        "the terms scaled": (
            terms(scores="(a + b + c + d) / np.sqrt(len(q[0]))").replace(
                "return a, b, c, d,", "s = len(q[0]) ** 0.5\n    return a / s, b / s, c / s, d / s,"
            ),
            "asked for unscaled",
        ),
        "scores first": (
            terms(scores="s").replace("return a, b, c, d, s", "return (a + b + c + d) / len(q[0]) ** 0.5, a, b, c, d"),
            "The scores come last",
        ),
        "masked": (
            terms(scores="np.where(np.tri(n_q, n_k, n_k - n_q) > 0, (a + b + c + d) / np.sqrt(len(q[0])), -np.inf)"),
            "Your scores are masked",
        ),
        "masked without the memory": (
            terms(scores="np.where(np.tri(n_q, n_k) > 0, (a + b + c + d) / np.sqrt(len(q[0])), -np.inf)"),
            "forgets the memory",
        ),
        "four names for one array": (
            terms()
            .replace("a, b, c, d = (np.zeros((n_q, n_k))", "a = b = c = d = np.zeros((n_q, n_k))")
            .replace(" for _ in range(4))", ""),
            "under four names",
        ),
        "as many keys as queries": (terms().replace("len(q), len(k)", "len(q), len(q)"), "a column for each key"),
        "(c) counted twice": (
            terms().replace("a[i, j] = q[i] @ k[j]", "a[i, j] = (q[i] + u) @ k[j]"), "(c) is counted twice"
        ),
        "b not laid out": (
            "    n_q = len(q)\n    row = np.arange(len(k)) - np.arange(n_q)[:, None] + n_q - 1\n"
            "    a, b, c, d = q @ k.T, q @ r.T, np.tile(u @ k.T, (n_q, 1)), (v @ r.T)[row]\n"
            "    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[1])",
            "a column per offset",
        ),
        "entry by entry": (
            "    n_q = len(q)\n    row = np.arange(len(k)) - np.arange(n_q)[:, None] + n_q - 1\n"
            "    a, b = q * k, (q @ r.T)[np.arange(n_q)[:, None], row]\n"
            "    c, d = np.tile(u @ k.T, (n_q, 1)), (v @ r.T)[row]\n"
            "    return a, b, c, d, (a + b + c + d) / np.sqrt(q.shape[1])",
            "multiplies entry by entry",
        ),
        "not scaled": (terms(scores="a + b + c + d"), "The scores are not scaled"),
        "scaled (a) alone": (terms(scores="a / np.sqrt(len(q[0])) + b + c + d"), "Only (a) is scaled"),
        "u meets the query": (terms(c="u @ q[i]"), "cancels in the softmax"),
        "v meets the key": (terms(d="v @ k[j]"), "In (d) v meets the keys"),
        "the products in pairs": (
            "    n_q = len(q)\n    row = np.arange(len(k)) - np.arange(n_q)[:, None] + n_q - 1\n"
            "    a = (q + u) @ k.T\n    b = ((q + v) @ r.T)[np.arange(n_q)[:, None], row]\n"
            "    c = np.tile(u @ k.T, (n_q, 1))\n    d = (v @ r.T)[row]\n"
            "    return a, b, c, d, (a + b) / np.sqrt(q.shape[1])",
            "each of the four stands alone",
        ),
        "the scores alone": ("    return q @ k.T / 2", "a, b, c, d, scores"),
        "r not laid out": (
            "    a, b = q @ k.T, q @ r.T\n    return a, b, u @ k.T, v @ r.T, a",
            "b",
        ),
    },
    "relative_shift": {
        "junk left": (
            "    n_q, n_k = rows.shape\n    padded = np.hstack([np.zeros((n_q, 1)), rows])\n"
            "    return padded.reshape(n_k + 1, n_q)[1:].reshape(n_q, n_k)",
            "stands junk",
        ),
        "no past, in the zeros": (SHIFT.format(visible="i + 1", column="j - i + n_q - 1"), "the memory is forgotten"),
        "no past at all": (SHIFT.format(visible="i + 1", column="n_k - 1 - (i - j)"), "query i stands at position i"),
        "no end": (SHIFT.format(visible="n_k", column="j - i + n_q - 1"), "there is no such column"),
        "one column too far": (SHIFT.format(visible="n_k - n_q + i", column="j - i + n_q"), "One column too far"),
        "i and j swapped": (
            SHIFT.format(visible="n_k - n_q + i + 1", column="i - j + n_q - 1"), "one query later is one column earlier"
        ),
        "i and j swapped, no past": (
            SHIFT.format(visible="i + 1", column="i - j + n_q - 1"), "the memory is missing from the `if`"
        ),
        "always a memory of two": (SHIFT.format(visible="min(n_k, 3 + i)", column="2 - i + j"), "the first case only"),
        "minus infinity": (
            SHIFT.format(visible="n_k - n_q + i + 1", column="j - i + n_q - 1").replace(
                "np.zeros((n_q, n_k))", "np.full((n_q, n_k), -np.inf)"
            ),
            "Masking with −∞ comes later",
        ),
        "moved to the right": (
            SHIFT.format(visible="n_k", column="j - (n_q - 1 - i)").replace(
                "            grid", "            if j >= n_q - 1 - i:\n                grid"
            ),
            "It has to move left",
        ),
        "the other triangle": (
            "    n_q, n_k = rows.shape\n    padded = np.hstack([np.zeros((n_q, 1)), rows])\n"
            "    return np.triu(padded.reshape(n_k + 1, n_q)[1:].reshape(n_q, n_k), n_k - n_q)",
            "the other side",
        ),
        "not cut anew": (
            "    n_q, n_k = rows.shape\n    padded = np.hstack([np.zeros((n_q, 1)), rows])\n    return padded[:, :-1]",
            "nothing is cut anew",
        ),
        "mirrored": ("    return rows[:, ::-1]", "none is shifted"),
        "rolled by too much": (
            "    n_q, n_k = rows.shape\n"
            "    return np.tril([np.roll(rows[i], -(n_k - 1 - i)) for i in range(n_q)], n_k - n_q)",
            "must not move at all",
        ),
        "rolled to the right": (
            "    n_q, n_k = rows.shape\n"
            "    return np.tril([np.roll(rows[i], n_q - 1 - i) for i in range(n_q)], n_k - n_q)",
            "rolls to the right",
        ),
        "distance for column": (
            SHIFT.format(visible="n_k - n_q + i + 1", column="n_k - n_q + i - j"), "the distance for the column"
        ),
        "only square": (
            "    n_q, n_k = rows.shape\n    padded = np.hstack([np.zeros((n_q, 1)), rows])\n"
            "    return np.tril(padded.reshape(n_q + 1, n_k)[1:])",
            "only when there is no memory",
        ),
        "zeros behind": (
            "    n_q, n_k = rows.shape\n    padded = np.hstack([rows, np.zeros((n_q, 1))])\n"
            "    return np.tril(padded.reshape(n_k + 1, n_q)[1:].reshape(n_q, n_k), n_k - n_q)",
            "the column of zeros belongs in front",
        ),
        "the diagonal too": (SHIFT.format(visible="n_k - n_q + i", column="j - i + n_q - 1"), "may look at itself"),
    },
    "full_shift": {
        "no transpose": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(2 * n, n)[1:][:n]",
            "two to a query",
        ),
        "another cut of the pieces": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(2 * n, n)[1:][::2].T",
            "Every second piece",
        ),
        "the last keys": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(-1)[n:].reshape(n, 2 * n - 1)[:, -n:]",
            "the keys are the first n of every row",
        ),
        "all of the row": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(-1)[n:].reshape(n, 2 * n - 1)",
            "only the first n belong to keys",
        ),
        "rolled the wrong way": (
            "    n = len(rows)\n    return np.stack([np.roll(rows[i], -i)[n - 1:] for i in range(n)])",
            "the wrong way",
        ),
        "another query": (
            "    n = len(rows)\n    return np.array([[rows[j, j - i + n - 1] for j in range(n)] for i in range(n)])",
            "a number of query j",
        ),
        "one column too far": (
            "    n = len(rows)\n    return np.array([[rows[i, j - i + n] for j in range(n)] for i in range(n)])",
            "One column too far",
        ),
        "masked": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return np.tril(padded.reshape(-1)[n:].reshape(n, 2 * n - 1)[:, :n])",
            "leave out the mask",
        ),
        "the last pieces": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(2 * n, n)[1:][n - 1:]",
            "The last pieces",
        ),
        "nine columns": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(-1)[n:].reshape(n, 9)[:, :n]",
            "for five tokens only",
        ),
        "nothing shifted": ("    return rows[:, :len(rows)]", "Nothing is shifted"),
        "the old width": (
            "    n = len(rows)\n    padded = np.hstack([np.zeros((n, 1)), rows])\n"
            "    return padded.reshape(-1)[n:].reshape(n, 2 * n)[:, :n]",
            "`reshape` cuts anew",
        ),
    },
    "read_segments": {
        "segments of even length": (
            """
    memory, outputs = x[:0], []
    for segment in np.array_split(x, -(-len(x) // size)):
        outputs.append(attend(segment, memory))
        memory = np.concatenate([memory, segment])
        memory = memory[max(0, len(memory) - length):]
    return np.concatenate(outputs)""",
            "all about equally long",
        ),
        "length in segments": (
            "    starts = range(0, len(x), size)\n"
            "    return np.concatenate([attend(x[s:s + size], x[max(0, s - length * size):s]) for s in starts])",
            "`length` counts rows",
        ),
        "the memory behind": (
            """
    memory, outputs = x[:0], []
    for start in range(0, len(x), size):
        segment = x[start:start + size]
        outputs.append(attend(np.concatenate([segment, memory]), x[:0])[: len(segment)])
        memory = np.concatenate([memory, segment])
        memory = memory[max(0, len(memory) - length):]
    return np.concatenate(outputs)""",
            "as if the memory were always empty",
        ),
        "[-0:]": (read(), "Right except for `length` 0"),
        "never remembered": (read(memory="memory"), "No output depends on anything before its own segment"),
        "outputs remembered": (read(memory="out"), "What you remember are the outputs"),
        "outputs remembered, as many as wanted": (
            read(memory="np.concatenate([memory, out])[max(0, len(memory) + len(out) - length):]"), "are the outputs"
        ),
        "the last segment only": (read(memory="segment[max(0, len(segment) - length):]"), "of the last segment only"),
        "without end": (read(memory="np.concatenate([memory, segment])"), "your memory has no end"),
        "zeros first": (
            read("np.zeros((length, x.shape[1]))", "np.concatenate([memory, segment])[len(segment):]"), "rows of zeros"
        ),
        "None first": (read(begin="None"), "`x[:0]`"),
        "a list comes back": (read(memory=BY_PLACE, back="outputs"), "You return a list"),
        "an array of segments": (read(memory=BY_PLACE, back="np.array(outputs)"), "an axis of their own"),
        "side by side": (read(memory=BY_PLACE, back="np.hstack(outputs)"), "side by side"),
        "the first only": (read(memory=BY_PLACE, back="outputs[0]"), "Only the first segment"),
        "the end of the last segment": (read(memory="segment[-length:]"), "all of them when `length` is 0"),
        "a row too many": (read(memory="x[max(0, start + size - length - 1):start + size]"), "one row too long"),
        "a row too few": (
            "    return np.concatenate(\n"
            "        [attend(x[s:s + size], x[max(0, s - length):s - 1]) for s in range(0, len(x), size)])",
            "The last token before the segment",
        ),
        "remembered before it is read": (
            "    memory, outputs = x[:0], []\n    for start in range(0, len(x), size):\n"
            "        segment = x[start:start + size]\n        both = np.concatenate([memory, segment])\n"
            "        memory = both[max(0, len(both) - length):]\n        outputs.append(attend(segment, memory))\n"
            "    return np.concatenate(outputs)",
            "Read first, remember afterwards",
        ),
        "changed places": (
            read(memory=BY_PLACE).replace("segment, memory)", "memory, segment)"), "it is `attend(segment, memory)`"
        ),
        "step of the memory": (
            read("x[:0]", "np.concatenate([memory, segment])[max(0, len(memory) + len(segment) - length):]").replace(
                "len(x), size", "len(x), length"
            ),
            "Segments begin every `size` tokens",
        ),
        "so many segments": (
            read(memory="np.concatenate([memory, segment])[max(0, len(memory) + len(segment) - length):]")
            .replace("start in range(0, len(x), size)", "segment in np.array_split(x, size)")
            .replace("        segment = x[start:start + size]\n", ""),
            "how long a segment is",
        ),
        "only the last": (read(memory=BY_PLACE, back="out"), "Only the last segment"),
        "from the end": (
            "    return np.concatenate([attend(x[s:s + size], x[s - length:s]) for s in range(0, len(x), size)])",
            "`max(0, start - length)`",
        ),
        "one long pass": ("    return attend(x, x[:0])", "there is only one segment"),
    },
    "earliest": {
        "the last token of the segment": (
            "    for _ in range(layers):\n        t = max(0, (t // size + 1) * size - 1 - length)\n    return t",
            "the last token of the segment",
        ),
        "one layer without its memory": (
            "    for _ in range(layers - 1):\n        t = max(0, t // size * size - length)\n"
            "    return t // size * size if layers else t",
            "In one of the layers",
        ),
        "to the beginning of the text": (
            "    return t if not layers else 0 if length else t // size * size",
            "always reach token 0",
        ),
        "from the token": ("    return max(0, t - layers * length)", "from the token itself"),
        "one segment's beginning": ("    return max(0, t // size * size - layers * length)", "lands inside a segment"),
        "a segment per layer": ("    return max(0, t // size * size - layers * size)", "is `length`"),
        "number of the segment": ("    return max(0, (t // size - layers) * size)", "is `length`"),
        "right for a short memory": (
            "    if layers == 0:\n        return t\n    return max(0, t // size * size - length - (layers - 1) * size)",
            "A longer one carries further",
        ),
        "0 layers thought of": (
            "    return max(0, t // size * size - layers * length) if layers else t", "lands inside a segment"
        ),
        "return in the loop": (
            "    for _ in range(layers):\n        t = max(0, t // size * size - length)\n        return t",
            "inside the loop",
        ),
        "no memory, no segment": (
            "    if length == 0:\n        return t\n"
            "    for _ in range(layers):\n        t = max(0, t // size * size - length)\n    return t",
            "still sees its own segment",
        ),
        "abs": ("    for _ in range(layers):\n        t = abs(t // size * size - length)\n    return t", "`abs` turns"),
        "a token too far": (
            "    for _ in range(layers):\n        t = max(0, t // size * size - length - 1)\n    return t",
            "One token too far",
        ),
        "whole segments": (
            "    for _ in range(layers):\n        t = max(0, (t // size + -length // size) * size)\n    return t",
            "round the memory up",
        ),
        "how many tokens": (
            "    first = t\n    for _ in range(layers):\n        first = max(0, first // size * size - length)\n"
            "    return t - first",
            "how many tokens back",
        ),
        "size and length off the token": ("    return max(0, t - layers * (size + length))", "off the token itself"),
        "one layer": ("    return max(0, t // size * size - length)", "This is one layer"),
        "no stop": (
            "    for _ in range(layers):\n        t = t // size * size - length\n    return t", "stop there"
        ),
        "true division": (
            "    for _ in range(layers):\n        t = max(0, t / size * size - length)\n    return int(t)",
            "the token itself",
        ),
        "both at once": ("    return max(0, t // size * size - layers * (size + length))", "`size` and `length`"),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH05[name], body)
    assert words in text, text


@pytest.mark.parametrize("n", range(1, 12))
def test_the_hunted_shift_is_right_in_one_causal_cell(n):
    rows = 1.0 + np.arange(n * (2 * n - 1)).reshape(n, 2 * n - 1)
    same = CH05["full_shift"].given(rows) == to_grid(rows, n)
    assert same[causal_mask(n)].sum() == 1 and causal_mask(n).sum() == n * (n + 1) // 2


@pytest.mark.parametrize("n", range(2, 12))
def test_the_hunted_shift_leaks_nothing_under_a_mask(n):
    query = np.repeat(np.arange(n), 2 * n - 1).reshape(n, 2 * n - 1)
    found = CH05["full_shift"].given(query)
    assert np.all(found <= np.arange(n)[:, None], where=causal_mask(n))


def test_the_answers_are_what_the_lesson_says():
    assert CH05["one_score"].expected() == {"a": 2, "b": 3, "c": 4, "d": 5, "score": 7}
    assert list(CH05["gradients"].expected().values()) == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": 2, "b": 3, "c": 4, "d": 5, "score": 14}, "inside the scaling"),
        ({"a": 2, "b": 3, "c": 1, "d": 0, "score": 3}, "changed places"),
        (
            {"a": 2, "b": 3, "c": 4, "d": 5, "score": 3.5},
            "square root, √d = 2, and a mean of the four terms is not asked for",
        ),
        ({"a": 2, "b": 3, "c": 4, "d": 5}, "still to fill in: score"),
        ({"a": 6, "b": 8, "c": 4, "d": 5, "score": 7}, "in one product"),
        ({"a": 2, "b": 3, "c": 0, "d": 1, "score": 3}, "The partners"),
        ({"a": 2, "b": 3, "c": 0, "d": 5, "score": 5}, "This is r · u. In (c) u meets the key"),
        ({"a": 2, "b": 3, "c": 5, "d": 4, "score": 7}, "the one with the key"),
        ({"a": 2, "b": 15, "c": 4, "d": 5, "score": 13}, "This is q · u"),
        ({"a": 2, "b": 3, "c": 4, "d": 9, "score": 9}, "This is u · v"),
        ({"a": 2, "b": 4, "c": 3, "d": 5, "score": 7}, "(b) and (c) have changed places"),
        ({"a": 2, "b": 3, "c": 4, "d": 7, "score": 8}, "sign"),
        ({"a": 1, "b": 1.5, "c": 2, "d": 2.5, "score": 7}, "Only the score"),
        ({"a": 1, "b": 1.5, "c": 2, "d": 2.5, "score": 3.5}, "once more"),
        ({"a": 2, "b": 3, "c": 4, "d": 5, "score": 11.5}, "(c) and (d) are not"),
        ({"a": 2, "b": 3, "c": 4, "d": 5, "score": 5}, "(c) is missing"),
    ],
)
def test_a_slip_with_the_pencil_is_named(given, words):
    assert words in repr(CH05["one_score"].check(given))
