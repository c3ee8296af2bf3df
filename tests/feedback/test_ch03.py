"""What a learner of chapter 03 reads after a slip."""

import numpy as np
import pytest

from course_lib.tasks import tasks_of

from .slips import each, told

CH03 = tasks_of("ch03")

INDEX = "    i = past + np.arange(n_q)[:, None]\n    j = np.arange(n_k)\n"
ROWS = """
    c = len(table) // 2
    rows = np.clip(np.arange(len(k)) - past - np.arange(len(q))[:, None], -c, c) + c
"""
LOOPED = """
    c = len(table) // 2
    s = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            r = max(-c, min(c, j - i - past))
            s[i, j] = {score}
    return s
"""
VALUES = """
    c = len(table) // 2
    out = np.zeros((len(weights), table.shape[1]))
    for i in range(len(weights)):
        for j in range(weights.shape[1]):
            r = max(-c, min(c, j - i - past))
            {step}
    return out
"""
PART = "    n, k = len(q), len(table) // 2\n    i, j = np.arange(n)[:, None], np.arange(n)\n"
PAIRS = """
    n, clip = len(q), len(table) // 2
    i, j = np.arange(n)[:, None], np.arange(n)
    vectors = table[np.clip(j - i, -clip, clip) + clip]
"""

LAYERS = """
    def draw(rows):
        return [{rng}.normal(size=(rows, d_head)) / np.sqrt(d_head) for seed in seeds]
    return draw(d_model), draw(2 * clip + 1), draw(2 * clip + 1)
"""
GENERATORS = """
    g = [np.random.default_rng(seed) for seed in seeds]
    return [[rng.{draw}(size=(r, d_head)){scale} for rng in g] for r in (d_model, 2 * clip + 1, 2 * clip + 1)]
"""

SLIPS = {
    "relative_index": {
        "clip cut to the keys": (
            INDEX + "    c = min(clip, n_k - 1)\n    return np.clip(j - i, -c, c) + c",
            "keeps its 2·clip + 1 rows",
        ),
        "brackets forgotten": (
            "    i, j = np.arange(n_q)[:, None], np.arange(n_k)\n    return np.clip(j - past + i, -clip, clip) + clip",
            "brackets round",
        ),
        "limits in the wrong order": (INDEX + "    return np.clip(j - i, clip, -clip) + clip", "the wrong order"),
        "min and max swapped": (
            "    return [[min(-clip, max(clip, j - past - i)) + clip for j in range(n_k)] for i in range(n_q)]",
            "the wrong order",
        ),
        "past from the shapes": (
            "    i, j = n_k - n_q + np.arange(n_q)[:, None], np.arange(n_k)\n"
            "    return np.clip(j - i, -clip, clip) + clip",
            "n_k − n_q",
        ),
        "shifted by past": (INDEX + "    return np.clip(j - i, -clip, clip) + past", "You shift by `past`"),
        "modulo": (INDEX + "    return (j - i + clip) % (2 * clip + 1)", "With % far offsets"),
        "query minus key": (INDEX + "    return np.clip(i - j, -clip, clip) + clip", "key minus query"),
        "clip after the shift": (INDEX + "    return np.clip(j - i + clip, -clip, clip)", "Clip the offset, then"),
        "offsets, not rows": (INDEX + "    return np.clip(j - i, -clip, clip)", "Rows are counted from 0"),
        "past forgotten": (
            "    i = np.arange(n_q)[:, None]\n    return np.clip(np.arange(n_k) - i, -clip, clip) + clip",
            "the first query stands at position past",
        ),
        "past on both": (
            INDEX + "    j = past + j\n    return np.clip(j - i, -clip, clip) + clip",
            "the first query stands at position past",
        ),
        "past on the keys": (
            "    i = np.arange(n_q)[:, None]\n    j = past + np.arange(n_k)\n"
            "    return np.clip(j - i, -clip, clip) + clip",
            "`past` has the wrong sign",
        ),
        "min and max of arrays": (INDEX + "    return max(-clip, min(clip, j - i)) + clip", "`np.clip(x, low, high)`"),
        "no column": (
            "    return np.clip(np.arange(n_k) - past - np.arange(n_q), -clip, clip) + clip",
            "The query or the key axis is missing",
        ),
        "square": (
            "    i = past + np.arange(n_k)[:, None]\n    return np.clip(np.arange(n_k) - i, -clip, clip) + clip",
            "The rows are the queries",
        ),
        "keys as rows": (INDEX + "    return (np.clip(j - i, -clip, clip) + clip).T", "row i belongs to query i"),
        "looped, nothing clipped": (
            "    return [[j - past - i + clip for j in range(n_k)] for i in range(n_q)]",
            "Nothing is clipped",
        ),
    },
    "shaw_scores": {
        "the vector on both sides": (
            """
    i, j, c = past + np.arange(len(q))[:, None], np.arange(len(k)), len(table) // 2
    a = table[np.clip(j - i, -c, c) + c]
    return np.einsum("ijd,ijd->ij", q[:, None] + a, k + a) / np.sqrt(q.shape[-1])""",
            "it meets itself",
        ),
        "only the position divided": (
            LOOPED.format(score="q[i] @ k[j] + q[i] @ table[r + c] / np.sqrt(q.shape[-1])"),
            "Put brackets round the sum",
        ),
        "divided twice": (
            LOOPED.format(score="(q[i] @ k[j] + q[i] @ table[r + c] / np.sqrt(q.shape[-1])) / np.sqrt(q.shape[-1])"),
            "divided by √d twice",
        ),
        "2 for √d": (LOOPED.format(score="q[i] @ (k[j] + table[r + c]) / 2"), "√d is fixed at 2"),
        "√ of the rows": (
            LOOPED.format(score="q[i] @ (k[j] + table[r + c]) / np.sqrt(len(table))"),
            "number of rows of the table",
        ),
        "brackets forgotten": (
            LOOPED.replace("j - i - past", "j - past + i").format(
                score="q[i] @ (k[j] + table[r + c]) / np.sqrt(q.shape[-1])"
            ),
            "brackets round `past + i`",
        ),
        "masked": (
            LOOPED.format(score="q[i] @ (k[j] + table[r + c]) / np.sqrt(q.shape[-1]) if j <= past + i else -np.inf"),
            "No mask is asked for",
        ),
        "no look-up": ("    return (q @ k.T + q @ table.T) / np.sqrt(q.shape[-1])", "rows of the table, not keys"),
        "key times vector": (
            LOOPED.format(score="q[i] @ (k[j] * table[r + c]) / np.sqrt(q.shape[-1])"),
            "They are added, k + a",
        ),
        "position outside": (
            LOOPED.format(score="q[i] @ k[j] / np.sqrt(len(q[i])) + q[i] @ table[r + c]"),
            "outside the scaling",
        ),
        "not scaled": (LOOPED.format(score="q[i] @ (k[j] + table[r + c])"), "not scaled"),
        "added to the query": (
            LOOPED.format(score="(q[i] + table[r + c]) @ k[j] / np.sqrt(len(q[i]))"),
            "the key reads the table",
        ),
        "past forgotten": (
            LOOPED.replace(" - past", "").format(score="q[i] @ (k[j] + table[r + c]) / np.sqrt(len(q[i]))"),
            "query i stands at position past + i",
        ),
        "no shift": (LOOPED.format(score="q[i] @ (k[j] + table[r]) / np.sqrt(len(q[i]))"), "not shifted"),
        "return in the loop": (
            LOOPED.format(score="q[i] @ (k[j] + table[r + c]) / np.sqrt(len(q[i]))").replace(
                "    return s", "        return s"
            ),
            "`return` indented too far",
        ),
        "all rows for all queries": (
            ROWS + "    return (q @ k.T + (q @ table.T)[:, rows]) / np.sqrt(q.shape[-1])",
            "Each query needs its own row",
        ),
        "table instead of products": (
            ROWS + "    return (q @ k.T + table[rows].sum(-1)) / np.sqrt(q.shape[-1])",
            "the same for every query",
        ),
        "matmul of vectors": (
            ROWS + "    return (q @ k.T + q @ table[rows].T) / np.sqrt(q.shape[-1])",
            "`table[rows]` has three axes",
        ),
        "table added to the keys": ("    return q @ (k + table).T / np.sqrt(q.shape[-1])", "row j of the table"),
    },
    "value_term": {
        "+= with repeated indices": (
            "    c, (n_q, n_k) = len(table) // 2, weights.shape\n    i = np.arange(n_q)[:, None]\n"
            "    rows = np.clip(np.arange(n_k) - past - i, -c, c) + c\n    m = np.zeros((n_q, len(table)))\n"
            "    m[i, rows] += weights\n    return m @ table",
            "`np.add.at`",
        ),
        "= in a loop": (
            VALUES.replace("table.shape[1]", "len(table)", 1)
            .replace("return out", "return out @ table")
            .format(step="out[i, r + c] = weights[i, j]"),
            "`=` overwrites",
        ),
        "beyond the clip dropped": (
            VALUES.format(step="out[i] += weights[i, j] * table[r + c] * (abs(j - i - past) <= c)"),
            "Offsets beyond the clip are left out",
        ),
        "keys ahead dropped": (
            VALUES.format(step="out[i] += weights[i, j] * table[r + c] * (j <= i + past)"),
            "No mask is asked for",
        ),
        "return in the inner loop": (
            VALUES.format(step="out[i] += weights[i, j] * table[r + c]").replace(
                "    return out", "            return out"
            ),
            "inside the loop over the keys",
        ),
        "never reset": (
            "    c, out, total = len(table) // 2, [], np.zeros(table.shape[1])\n    for i in range(len(weights)):\n"
            "        for j in range(weights.shape[1]):\n"
            "            total = total + weights[i, j] * table[max(-c, min(c, j - i - past)) + c]\n"
            "        out.append(total)\n    return out",
            "Start with zeros for every query",
        ),
        "the same array appended": (
            "    c, out, total = len(table) // 2, [], np.zeros(table.shape[1])\n    for i in range(len(weights)):\n"
            "        for j in range(weights.shape[1]):\n"
            "            total += weights[i, j] * table[max(-c, min(c, j - i - past)) + c]\n"
            "        out.append(total)\n    return out",
            "Start a new array",
        ),
        "brackets forgotten": (
            VALUES.replace("j - i - past", "j - past + i").format(step="out[i] += weights[i, j] * table[r + c]"),
            "brackets round `past + i`",
        ),
        "no weights": (VALUES.format(step="out[i] += table[r + c]"), "The weights have no effect"),
        "assigned": (VALUES.format(step="out[i] = weights[i, j] * table[r + c]"), "last key"),
        "past forgotten": (
            VALUES.replace(" - past", "").format(step="out[i] += weights[i, j] * table[r + c]"),
            "query i stands at position past + i",
        ),
        "weights transposed": (VALUES.format(step="out[i] += weights[j, i] * table[r + c]"), "`weights[i, j]`"),
        "no shift": (VALUES.format(step="out[i] += weights[i, j] * table[r]"), "not shifted"),
        "weights @ table": ("    return weights @ table", "gives key j the row j"),
        "i − j": (
            VALUES.replace("j - i - past", "i + past - j").format(step="out[i] += weights[i, j] * table[r + c]"),
            "Before and after have changed places",
        ),
        "sum over queries": (
            "    c = len(table) // 2\n"
            "    rows = np.clip(np.arange(weights.shape[1]) - past - np.arange(len(weights))[:, None], -c, c) + c\n"
            "    return (weights[..., None] * table[rows]).sum(0)",
            "sum over the keys",
        ),
    },
    "offset_profile": {
        "a sum over all": (
            "    n_q, n_k = weights.shape\n    p = np.array([np.trace(weights, r) for r in range(1 - n_q, n_k)])\n"
            "    return p / p.sum()",
            "or by the sum of all weights, which equals it",
        ),
        "+= with repeated places": (
            """
    n_q, n_k = weights.shape
    place = np.arange(n_k) - np.arange(n_q)[:, None] + n_q - 1
    sums, counts = np.zeros((2, n_q + n_k - 1))
    sums[place] += weights
    counts[place] += 1
    return sums / counts""",
            "adds once per place, to sums and counts alike",
        ),
        "the lesson's n − |r|": (
            "    from course_lib.reference.grid import from_grid, row_offsets\n    n = len(weights)\n"
            "    return from_grid(weights)[0] / (n - abs(row_offsets(n)))",
            "in a square only",
        ),
        "n_q − |r|": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.trace(weights, r) / (n_q - abs(r)) for r in range(1 - n_q, n_k)]",
            "in a square only",
        ),
        "n_k − |r|": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.trace(weights, r) / (n_k - abs(r)) for r in range(1 - n_q, n_k)]",
            "in a square only",
        ),
        "rounded": (
            "    n_q, n_k = weights.shape\n"
            "    return [round(np.diagonal(weights, r).mean(), 2) for r in range(1 - n_q, n_k)]",
            "Keep all digits",
        ),
        "upside down": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.diagonal(np.flipud(weights), r).mean() for r in range(1 - n_q, n_k)]",
            "upside down",
        ),
        "median": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.median(np.diagonal(weights, r)) for r in range(1 - n_q, n_k)]",
            "This is the median",
        ),
        "+= with repeated indices": (
            "    n_q, n_k = weights.shape\n    o = np.arange(n_k) - np.arange(n_q)[:, None] + n_q - 1\n"
            "    s, m = np.zeros(n_q + n_k - 1), np.zeros(n_q + n_k - 1)\n    s[o] += weights\n"
            "    np.add.at(m, o, 1)\n    return s / m",
            "`np.add.at`",
        ),
        "shifted by n_k − 1": (
            "    n_q, n_k = weights.shape\n    p = np.zeros(n_q + n_k - 1)\n    for r in range(1 - n_q, n_k):\n"
            "        p[r + n_k - 1] = np.diagonal(weights, r).mean()\n    return p",
            "So the shift is n_q − 1",
        ),
        "sums": (
            "    n_q, n_k = weights.shape\n    return [np.diagonal(weights, r).sum() for r in range(1 - n_q, n_k)]",
            "These are sums",
        ),
        "np.trace": (
            "    n_q, n_k = weights.shape\n    return [np.trace(weights, r) for r in range(1 - n_q, n_k)]",
            "These are sums",
        ),
        "divided by n": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.trace(weights, r) / n_q for r in range(1 - n_q, n_k)]",
            "its own number of pairs",
        ),
        "from 0": (
            "    return [np.diagonal(weights, r).mean() for r in range(len(weights))]",
            "Only the offsets from 0 on, one for each query",
        ),
        "range too short": (
            "    n_q, n_k = weights.shape\n"
            "    return [np.diagonal(weights, r).mean() for r in range(1 - n_q, n_k - 1)]",
            "The last offset is missing",
        ),
        "return in the loop": (
            "    n_q, n_k = weights.shape\n    p = np.zeros(n_q + n_k - 1)\n"
            "    for r in range(1 - n_q, n_k):\n        p[r + n_q - 1] = np.diagonal(weights, r).mean()\n"
            "        return p",
            "is the `return` indented too far?",
        ),
        "index not shifted": (
            "    n_q, n_k = weights.shape\n    p = np.zeros(n_q + n_k - 1)\n"
            "    for r in range(1 - n_q, n_k):\n        p[r] = np.diagonal(weights, r).mean()\n    return p",
            "begins with offset 0",
        ),
        "zeros counted": (
            "    n_q, n_k = weights.shape\n    g = np.zeros((n_q, n_q + n_k - 1))\n"
            "    for i in range(n_q):\n        g[i, n_q - 1 - i : n_q - 1 - i + n_k] = weights[i]\n"
            "    return g.mean(axis=0)",
            "its own number of pairs",
        ),
        "square only": (
            "    n = len(weights)\n    return [np.diagonal(weights, r).mean() for r in range(1 - n, n)]",
            "more keys than queries",
        ),
    },
    "position_part": {
        "shifted twice": (
            PART + "    rows = np.clip(j - i + k, -k, k) + k\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "shifted twice",
        ),
        "limit one too high": (
            PART + "    rows = np.clip(j - i + k, 0, 2 * k + 1)\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "is the limit right?",
        ),
        "the text's own example": (
            PART + "    rows = np.clip(j - i, -1, 1) + 1\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "The clip is fixed at 1",
        ),
        "no shift": (
            PART + "    rows = np.clip(j - i, -k, k)\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "Clipped, but not shifted",
        ),
        "clipped to k": (
            PART + "    rows = np.clip(j - i + k, 0, k)\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "keys ahead still share row k",
        ),
        "no clipping": (
            PART + "    rows = j - i + k\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "run out of the table",
        ),
        "turned round": (
            PART + "    rows = np.clip(i - j, -k, k) + k\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "key minus query",
        ),
        "turned round, still clipped late": (
            PART + "    rows = np.clip(i - j + k, -k, k)\n    return (q[:, None] * table[rows]).sum(axis=-1)",
            "j − i was right",
        ),
        "the bug once more": (
            PART + "    r = j - i + k\n    rows = np.minimum(k, np.maximum(-k, r))\n"
            "    return (q[:, None] * table[rows]).sum(axis=-1)",
            "the bug is still there",
        ),
    },
    "key_scores": {
        "position outside the scaling": (
            PAIRS + '    return q @ k.T / np.sqrt(q.shape[-1]) + np.einsum("id,ijd->ij", q, vectors)',
            "outside the scaling",
        ),
        "q and k swapped": (
            PAIRS + '    return np.einsum("ijd,jd->ij", k[:, None] + vectors, q) / np.sqrt(q.shape[-1])',
            "changed places as a whole",
        ),
        "the letter of the key": (
            PAIRS + '    return np.einsum("ijd,id->ij", q[:, None] + vectors, k) / np.sqrt(q.shape[-1])',
            "the key's letter is j",
        ),
        "only the position divided": (
            PAIRS + '    return q @ k.T + np.einsum("id,ijd->ij", q, vectors) / np.sqrt(q.shape[-1])',
            "Put brackets round the sum",
        ),
        "the query has no say": (
            PAIRS + "    return (q @ k.T + vectors.sum(-1)) / np.sqrt(q.shape[-1])",
            "The query has no say",
        ),
        "√n": (
            PAIRS + '    return np.einsum("id,ijd->ij", q, k + vectors) / np.sqrt(n)',
            "You divide by √n",
        ),
        "both": (
            PAIRS + '    return np.einsum("ijd,ijd->ij", q[:, None] + vectors, k + vectors) / np.sqrt(q.shape[-1])',
            "the vector meets itself",
        ),
        "k[:, None]": (
            PAIRS + '    return np.einsum("id,ijd->ij", q, k[:, None] + vectors) / np.sqrt(q.shape[-1])',
            "gives pair (i, j) the key of i",
        ),
        "only the letters": (
            PAIRS + '    return np.einsum("jd,ijd->ij", q, k + vectors) / np.sqrt(q.shape[-1])',
            "its letter in `einsum` is i",
        ),
        "position alone": (
            PAIRS + '    return np.einsum("id,ijd->ij", q, vectors) / np.sqrt(q.shape[-1])',
            "The keys are gone",
        ),
        "the bug in other words": (
            PAIRS + '    return (q @ k.T + np.einsum("jd,ijd->ij", k, vectors)) / np.sqrt(q.shape[-1])',
            "the bug is still there",
        ),
        "shapes do not meet": (PAIRS + "    return q @ (k + vectors).T / np.sqrt(q.shape[-1])", "has three axes"),
    },
    "random_layers": {
        "seed, seed + 1, seed + 2": (
            """
    rows = d_model, 2 * clip + 1, 2 * clip + 1
    return [[np.random.default_rng(seed + k).normal(size=(r, d_head)) / np.sqrt(d_head) for seed in seeds]
            for k, r in enumerate(rows)]""",
            "are the seeds of other layers",
        ),
        "seeds two apart": (
            """
    rows = d_model, 2 * clip + 1, 2 * clip + 1
    return [[np.random.default_rng(seed + 2 * k).normal(size=(r, d_head)) / np.sqrt(d_head) for seed in seeds]
            for k, r in enumerate(rows)]""",
            "Layers of two different seeds share numbers",
        ),
        "seed + rows": (
            LAYERS.format(rng="np.random.default_rng(seed + rows)"),
            "The two tables repeat each other",
        ),
        "seed ignored": (LAYERS.format(rng="np.random.default_rng()"), "must depend on its seed alone"),
        "the global generator": (LAYERS.format(rng="np.random"), "must depend on its seed alone"),
        "a fixed seed": (LAYERS.format(rng="np.random.default_rng(0)"), "the seed has no effect"),
        "np.random.seed inside": (
            "    def draw(rows, seed):\n        np.random.seed(seed)\n"
            "        return np.random.randn(rows, d_head) / np.sqrt(d_head)\n"
            "    return [[draw(r, seed) for seed in seeds] for r in (d_model, 2 * clip + 1, 2 * clip + 1)]",
            "The key table repeats numbers of W_q",
        ),
        "one generator for all": (
            "    rng = np.random.default_rng(seeds[0])\n"
            "    return [[rng.normal(size=(r, d_head)) / np.sqrt(d_head) for seed in seeds]"
            " for r in (d_model, 2 * clip + 1, 2 * clip + 1)]",
            "One generator for all layers",
        ),
        "shuffled sign": (
            "    w, a = [], []\n    for seed in seeds:\n        rng = np.random.default_rng(seed)\n"
            "        w.append(rng.normal(size=(d_model, d_head)) / d_head**0.5)\n"
            "        a.append(rng.normal(size=(2 * clip + 1, d_head)) / d_head**0.5)\n    return w, a, [-b for b in a]",
            "The two tables repeat each other",
        ),
        "uniform numbers": (GENERATORS.format(draw="uniform", scale=""), "scatter around 0"),
        "without scale": (GENERATORS.format(draw="normal", scale=""), "too large"),
        "one array": (
            "    return [np.random.default_rng(seed).normal(size=(d_model, d_head)) / d_head**0.5 for seed in seeds]",
            "expected a tuple of 3",
        ),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH03[name], body)
    assert "✓" not in text and words in text, text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([-3, -3, -3, -3, -3, -2, -1, 0, 1, 2], "Rows are counted from 0"),
        ([6, 6, 6, 6, 6, 5, 4, 3, 2, 1], "key minus query"),
        ([-3, -3, -2, -1, 0, 1, 2, 3, 3, 3], "shifted first and clipped afterwards"),
        ([0, 0, 0, 0, 0, 0, 1, 2, 3, 4], "clipped at 2"),
        ([0, 0, 0, 0, 0, 0, 0, 1, 2, 2], "a table of three rows"),
        ([0, 0, 0, 0, 1, 2, 3, 4, 5, 6], "position 6"),
        ([6, 6, 6, 6, 6, 5, 4, 3, 4, 5], "An offset keeps its sign"),
        ([0, 0, 0, 0, 0, 1, 2, 3, 3, 3], "share its row"),
    ],
)
def test_a_slip_with_the_pencil_is_named(rows, words):
    right = CH03["table_rows"].expected()
    result = CH03["table_rows"].check({**right, "rows": rows})
    assert not result.passed and words in result.cause, result


def test_an_array_of_rows_is_an_answer():
    right = CH03["table_rows"].expected()
    assert CH03["table_rows"].check({**right, "rows": np.array(right["rows"])}).passed


def test_independent_streams_pass_and_a_hidden_copy_does_not():
    """Numbers that stand somewhere in the middle of another array are found, too."""
    task = CH03["random_layers"]

    def hidden(seeds, d_model, d_head, clip):
        w_q, _, value_tables = task.right(seeds, d_model, d_head, clip)
        flat = [np.concatenate([w.ravel()[7:], c.ravel()])[: c.size] for w, c in zip(w_q, value_tables)]
        return w_q, [f.reshape(c.shape) for f, c in zip(flat, value_tables)], value_tables

    assert "repeats numbers" in repr(task.check(hidden))
    assert all(task.check(alternative).passed for alternative in task.alternatives)
