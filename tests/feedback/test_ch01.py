"""What a learner reads after a slip in chapter 01: the words that must be there, none that are true by accident."""

import numpy as np
import pytest

from course_lib.example import K, Q, V
from course_lib.reference.attention import softmax
from course_lib.tasks import tasks_of

from .slips import cell, each, told

CH01 = tasks_of("ch01")

ATTEND = "    o = softmax(q @ k.T / np.sqrt(q.shape[1])) @ v\n"
OWN = """
    e = np.exp(q @ k.T / np.sqrt(q.shape[1]))
    w = e / e.sum({axis})
"""
BACK = "    b = np.argsort(order)\n"
TABLE = """
    P = np.zeros((n, d){dtype})
    for p in range(n):
        for m in range({pairs}):
            P[p, 2 * m] = math.sin({p} / base ** ({exponent}))
            P[p, 2 * m + 1] = math.cos({p} / base ** ({exponent}))
{back}return P
"""
LOOP = dict(dtype="", pairs="d // 2", p="p", exponent="2 * m / d", back="    ")
ANGLE = "    t = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)\n"
BLOCKS = """
    R = np.zeros((d, d))
    for m in range(d // 2):
        a = s * base ** (-2 * m / d)
        R[{at}, {at}] = [[{block}]]
{back}return R
"""
BLOCK = dict(at="2 * m : 2 * m + 2", block="np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)", back="    ")
COUNT = """
    a = r = 0
    for i in range(test):
        for j in range(test):
            a += {absolute}
            r += {relative} and (clip is None or clip >= train)
    return a, r
"""
PAIRS = dict(absolute="i >= train or j >= train", relative="abs(j - i) >= train")
MET = """
    seen = {seen}
    a = r_new = 0
    for i in range(test):
        for j in range(test):
            a += i >= train or j >= train
            r = j - i
            r_new += {clipped} not in seen
    return a, r_new
"""
CLIPPED = "(r if clip is None else max(-clip, min(clip, r)))"
STEP = """
    past = len(cache)
    new = new + {positions}
    cache = np.concatenate([cache, new])
    i, j = {first}np.arange(len(new))[:, None], np.arange(len(cache))
    scores = np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf)
    return softmax(scores) @ cache, cache
"""


def table(**change):
    return TABLE.format(**{**LOOP, **change})


def blocks(**change):
    return BLOCKS.format(**{**BLOCK, **change})


def count(**change):
    return COUNT.format(**{**PAIRS, **change})


def met(seen, clipped=CLIPPED):
    return MET.format(seen=seen, clipped=clipped)


def step(positions, first="past + "):
    return STEP.format(positions=positions, first=first)


SLIPS = {
    "attend_and_restore": {
        "shuffled again": (ATTEND + "    return o[order]", "You shuffle once more instead of back"),
        "shuffled again, row by row": (
            ATTEND + "    r = np.zeros_like(o)\n    for a in range(len(o)):\n        r[a] = o[order[a]]\n    return r",
            "You shuffle once more instead of back",
        ),
        "shuffled again, before": (
            "    q, k, v = q[order], k[order], v[order]\n" + ATTEND + "    return o",
            "You shuffle once more instead of back",
        ),
        "shuffled again, by a matrix": (
            ATTEND + "    return np.eye(len(order))[order] @ o",
            "You shuffle once more instead of back",
        ),
        "order not used": (ATTEND + "    return o", "still in the shuffled order"),
        "sorted": (ATTEND + "    return o[sorted(order)]", "still in the shuffled order"),
        "back and forth": (
            BACK + "    q, k, v = q[b], k[b], v[b]\n" + ATTEND + "    return o[order]",
            "still in the shuffled order",
        ),
        "put back twice": (BACK + "    q, k, v = q[b], k[b], v[b]\n" + ATTEND + "    return o[b]", "put back twice"),
        "values only": (BACK + "    v = v[b]\n" + ATTEND + "    return o", "Only the values are back in order"),
        "weights only": (
            BACK + "    w = softmax(q @ k.T / np.sqrt(q.shape[1]))\n    return w[b][:, b] @ v",
            "Rows and columns of the weights are put back",
        ),
        "return in the loop": (
            ATTEND + "    r = 0 * o\n    for a in range(len(o)):\n        r[order[a]] = o[a]\n        return r",
            "is the `return` inside the loop?",
        ),
        "softmax over the queries": (
            OWN.format(axis="axis=0, keepdims=True") + BACK + "    return (w @ v)[b]",
            "over the queries",
        ),
        "no keepdims": (OWN.format(axis="axis=1") + BACK + "    return (w @ v)[b]", "`keepdims=True` keeps it"),
        "queries and keys swapped": (
            ATTEND.replace("q @ k.T", "k @ q.T") + BACK + "    return o[b]",
            "lie on their side",
        ),
        "scaled after the softmax": (
            BACK + "    return (softmax(q @ k.T) / np.sqrt(q.shape[1]) @ v)[b]",
            "You divide by √d after the softmax",
        ),
        "divided by 2": (
            ATTEND.replace("np.sqrt(q.shape[1])", "2") + BACK + "    return o[b]",
            "for the five tokens only",
        ),
        "width of v": (ATTEND.replace("q.shape[1]", "v.shape[1]") + BACK + "    return o[b]", "You took that of v"),
        "as wide as q": (ATTEND + "    r = np.empty_like(q)\n    r[order] = o\n    return r", "it is as wide as v"),
        "columns": (ATTEND + "    return o[:, np.argsort(order)]", "You index the columns"),
        "both results": (
            "    from course_lib.reference.attention import attention\n"
            "    return attention(q, k, v)[np.argsort(order)]",
            "take the first",
        ),
        "in place": (
            ATTEND + "    for a in range(len(order)):\n        o[order[a]] = o[a]\n    return o",
            "You overwrite rows",
        ),
        "unscaled": (BACK + "    return (softmax(q @ k.T) @ v)[b]", "The scores are not scaled"),
    },
    "sinusoidal_table": {
        "sines first": (ANGLE + "    return np.hstack([np.sin(t), np.cos(t)])", "in another layout"),
        "cosine first": (ANGLE + "    return np.stack([np.cos(t), np.sin(t)], -1).reshape(n, d)", "changed places"),
        "degrees": (
            ANGLE + "    t = np.deg2rad(t)\n    return np.stack([np.sin(t), np.cos(t)], -1).reshape(n, d)",
            "in radians already",
        ),
        "m for 2m": (table(exponent="m / d"), "Your exponent is −m/d"),
        "4m": (table(exponent="4 * m / d"), "The 2 of 2m comes in twice"),
        "no division sign": (table(exponent="2 * m // d"), "pairs turn at the same speed"),
        "positions from 1": (table(p="(p + 1)"), "Your first position is 1"),
        "one pair too few": (table(pairs="d // 2 - 1"), "The last pair of channels is empty"),
        "as many pairs as channels": (table(pairs="d"), "m counts pairs"),
        "half of d as a float": (table(pairs="d / 2"), "divide with `//`"),
        "return in the inner loop": (table(back="            "), "is the `return` inside the inner loop"),
        "one row, appended": (
            "    row, P = np.zeros(d), []\n    for p in range(n):\n"
            "        row[0::2] = np.sin(p * base ** (-np.arange(0, d, 2) / d))\n"
            "        row[1::2] = np.cos(p * base ** (-np.arange(0, d, 2) / d))\n        P.append(row)\n    return P",
            "The same array, appended n times?",
        ),
        "positions negated": (table(p="-p"), "Is there a minus before p?"),
        "divided by theta": (
            "    t = np.arange(n)[:, None] / base ** (-np.arange(0, d, 2) / d)\n"
            "    return np.stack([np.sin(t), np.cos(t)], -1).reshape(n, d)",
            "or you divide by θ",
        ),
        "from the left": (
            "    t = np.arange(n)[:, None] * (1 / base**2 * np.arange(d // 2) / d)\n"
            "    return np.stack([np.sin(t), np.cos(t)], -1).reshape(n, d)",
            "from the left",
        ),
        "return in the loop": (table(back="        "), "All rows after the first are 0"),
        "whole numbers": (table(dtype=", dtype=int"), "`dtype=int`"),
        "each channel its own": (
            "    c = np.arange(d)\n    t = np.arange(n)[:, None] / base ** (2 * c / d)\n"
            "    return np.where(c % 2 == 0, np.sin(t), np.cos(t))",
            "Every channel has a frequency of its own",
        ),
        "the channel for 2m": (
            "    c = np.arange(d)\n    t = np.arange(n)[:, None] / base ** (c / d)\n"
            "    return np.where(c % 2 == 0, np.sin(t), np.cos(t))",
            "Sine and cosine of a pair turn at different speeds",
        ),
        "no parentheses": (
            "    t = np.arange(n)[:, None] * base ** -np.arange(0, d, 2) / d\n"
            "    return np.stack([np.sin(t), np.cos(t)], -1).reshape(n, d)",
            "Without parentheses",
        ),
        "no column": (
            "    t = np.arange(n) * base ** (-np.arange(0, d, 2) / d)\n    return np.sin(t)",
            "is a `[:, None]`",
        ),
        "into too few columns": (
            ANGLE + "    P = np.zeros((n, d))\n    P[:, 0:2] = np.sin(t)\n    P[:, 1:2] = np.cos(t)\n    return P",
            "has another shape than the place",
        ),
    },
    "shift_matrix": {
        "the identity rolled": ("    return np.roll(np.eye(d), s)", "Without an `axis`"),
        "its columns rolled": ("    return np.roll(np.eye(d), s, axis=1)", "No channel moves"),
        "its rows rolled": ("    return np.roll(np.eye(d), s, axis=0)", "No channel moves"),
        "identity, first pair only": (
            "    R = np.eye(d)\n    R[:2, :2] = [[np.cos(s), np.sin(s)], [-np.sin(s), np.cos(s)]]\n    return R",
            "Only the first pair turns",
        ),
        "as many blocks as channels": (blocks().replace("d // 2", "d"), "m counts the pairs"),
        "channels moved": ("    return np.eye(d, k=s)", "No channel moves"),
        "channels moved back": ("    return np.eye(d, k=-s)", "No channel moves"),
        "sine and cosine swapped": (
            blocks(block="np.sin(a), np.cos(a)], [-np.cos(a), np.sin(a)"),
            "Try s = 0",
        ),
        "both negative": (blocks(block="np.cos(a), -np.sin(a)], [-np.sin(a), np.cos(a)"), "Both sines of a block"),
        "one too far": (blocks().replace("s * base", "(s + 1) * base"), "One place too far"),
        "next frequency": (blocks().replace("-2 * m", "-2 * (m + 1)"), "m begins at 0"),
        "ones": (blocks().replace("zeros", "ones"), "there must be zeros"),
        "a list of blocks": (
            "    B = []\n    for m in range(d // 2):\n        a = s * base ** (-2 * m / d)\n"
            "        B.append([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])\n    return B",
            "These are the d/2 blocks",
        ),
        "transposed": (blocks(block="np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)"), "This turns back"),
        "no minus": (blocks(block="np.cos(a), np.sin(a)], [np.sin(a), np.cos(a)"), "Both sines have the same sign"),
        "overlapping": (blocks(at="m : m + 2"), "Your blocks overlap"),
        "return in the loop": (blocks(back="        "), "Only the first pair is filled"),
        "one angle": (blocks().replace("a = s * base ** (-2 * m / d)", "a = s"), "All pairs turn by the same angle"),
        "m for 2m": (blocks().replace("-2 * m", "-m"), "exponent −m/d"),
        "base 10000": (blocks().replace("base **", "10000 **"), "`base` has no effect"),
        "no shift": (blocks().replace("s * base", "base"), "The shift has no effect"),
        "one block": ("    return [[np.cos(s), np.sin(s)], [-np.sin(s), np.cos(s)]]", "the block of one pair"),
        "halves": (
            "    a = s * base ** (-np.arange(0, d, 2) / d)\n    c, t = np.diag(np.cos(a)), np.diag(np.sin(a))\n"
            "    return np.block([[c, t], [-t, c]])",
            "all sines first and then all cosines",
        ),
        "halves, turned back": (
            "    a = s * base ** (-np.arange(0, d, 2) / d)\n    c, t = np.diag(np.cos(a)), np.diag(np.sin(a))\n"
            "    return np.block([[c, -t], [t, c]])",
            "Two things",
        ),
        "cosines only": (
            "    a = s * base ** (-np.arange(0, d, 2) / d)\n    return np.diag(np.repeat(np.cos(a), 2))",
            "Only the cosines are there",
        ),
    },
    "unseen_pairs": {
        "the lesson's formulas": (
            "    m = test - train\n    return test**2 - train**2, m * (m + 1)",
            "In a shorter text nothing is new",
        ),
        "the lesson's formulas, any clip": (
            "    m = test - train\n    r = m * (m + 1)\n    if clip is not None:\n        r = 0\n"
            "    return test**2 - train**2, r",
            "In a shorter text nothing is new",
        ),
        "return in the loop": (
            count().replace("    return", "        return"),
            "is the `return` inside the loop over the queries?",
        ),
        "return in the loop, clip not used": (
            count().replace("    return", "        return").replace(" and (clip is None or clip >= train)", ""),
            "is the `return` inside the loop over the queries?",
        ),
        "return in the inner loop": (count().replace("    return", "            return"), "Yours is always 0, 0"),
        "more than, twice": (
            count(absolute="i > train or j > train", relative="abs(j - i) > train"),
            "Position and offset `train` are new",
        ),
        "more than, twice, clipped": (
            met("range(-train, train + 1)").replace("i >= train or j >= train", "i > train or j > train"),
            "are new themselves",
        ),
        "offsets ahead only": (met("range(train)"), "leaves out the negative ones"),
        "offsets from −train": (met("range(-train, train)"), "one too many, −train"),
        "offsets to ±train": (met("range(-train, train + 1)"), "one too many at each end"),
        "clipped in training only": (
            met("{max(-clip, min(clip, r)) if clip is not None else r for r in range(1 - train, train)}", clipped="r"),
            "when only the offsets of the training texts are clipped",
        ),
        "beyond the clip left out": (
            count().replace("(clip is None or clip >= train)", "(clip is None or abs(j - i) <= clip)"),
            "Pairs beyond ±clip are still pairs",
        ),
        "a pair beyond the clip is new": (
            count().replace("and (clip is None or clip >= train)", "or (clip is not None and abs(j - i) > clip)"),
            "Every pair beyond ±clip counts as new",
        ),
        "each two positions once": (
            "    n, m = min(train, test), max(test - train, 0)\n"
            "    relative = 0 if clip is not None and clip < train else m * (m + 1) // 2\n"
            "    return (test * (test + 1) - n * (n + 1)) // 2, relative",
            "either each two positions are counted once, or only keys up to the query",
        ),
        "length clipped": (
            "    m = max((test if clip is None else min(clip, test)) - train, 0)\n"
            "    return test**2 - min(test, train) ** 2, m * (m + 1)",
            "Clipping does not shorten the text",
        ),
        "squares": ("    m = test - train\n    return test**2 - train**2, m * m", "which together is not m²"),
        "offsets": (
            "    seen = {j - i for i in range(train) for j in range(train)}\n"
            "    new = {j - i for i in range(test) for j in range(test)} - seen\n"
            "    return max(test**2 - train**2, 0), len(new)",
            "you count how many offsets are new",
        ),
        "and for or": (count(absolute="i >= train and j >= train"), "in which both positions are new"),
        "queries only": (count(absolute="i >= train"), "You count pairs whose query is new"),
        "more than": (count(relative="abs(j - i) > train"), "The offset `train` itself is new"),
        "more than, positions": (count(absolute="i > train or j > train"), "The position `train` itself is new"),
        "one corner": (count(relative="j - i >= train"), "You count one corner"),
        "clip 0": (count().replace("clip is None or clip >= train", "not clip or clip >= train"), "`if clip` is false"),
        "clip at train": (count().replace("clip >= train", "clip > train"), "Clipped at `train`"),
        "None compared": (count().replace("clip is None or clip >= train", "clip >= train"), "None is no number"),
        "below 0": (
            "    m = test - train\n    r = m * (m + 1)\n    if clip is not None and clip < train:\n        r = 0\n"
            "    return test**2 - train**2, r",
            "In a shorter text nothing is new",
        ),
    },
    "decode_step": {
        "the bug in other words": (step("table[0 : len(new)]"), "Each step still begins at position 0"),
        "the first position": (step("table[past]"), "get the position of the first of them"),
        "one too far": (step("table[past + 1 : past + 1 + len(new)]"), "One position too far"),
        "one too early": (step("table[past - 1 : past - 1 + len(new)]"), "One position too early"),
        "to the end": (step("table[past:]"), "the whole rest of the table"),
        "a slice of a length": (step("table[past : len(new)]"), "A slice names its end"),
        "new ones counted": (
            step("table[past + len(new) : past + 2 * len(new)]"),
            "You count the new tokens among those read before",
        ),
        "the mask mended": (step("table[: len(new)]", first=""), "The mask was right"),
        "the mask instead": (step("table[: len(new)]").replace("j <= i", "j < i"), "a later step still begins"),
        "no mask instead": (step("table[: len(new)]").replace("j <= i", "j >= 0"), "a later step still begins"),
        "no mask": (step("table[past : past + len(new)]").replace("j <= i", "j >= 0"), "Nothing is masked any more"),
        "past taken too late": (
            step("table[len(cache) : len(cache) + len(new)]")
            .replace("    past = len(cache)\n", "")
            .replace("    i, j", "    past = len(cache)\n    i, j"),
            "the length before the new tokens came",
        ),
        "the cache grows first": (
            """
    cache = np.concatenate([cache, new])
    past = len(cache)
    new = new + table[past - len(new) : past]
    i, j = past + np.arange(len(new))[:, None], np.arange(len(cache))
    scores = np.where(j <= i, new @ cache.T / np.sqrt(new.shape[1]), -np.inf)
    return softmax(scores) @ cache, cache
""",
            "add those before it grows",
        ),
        "queries without positions": (
            step("0").replace("[cache, new]", "[cache, new + table[past : past + len(new)]]"),
            "their queries do not",
        ),
        "return in the loop": (
            "    for x in new:\n        cache = np.vstack([cache, x + table[len(cache)]])\n        h = cache[-1]\n"
            "        return [softmax(cache @ h / np.sqrt(len(h))) @ cache], cache",
            "is the `return` inside the loop?",
        ),
        "all positions, queries without": (
            step("0").replace("[cache, new])", "[cache, new]) + table[: past + len(new)]"),
            "the queries get none",
        ),
        "old rows too": (step("table[: past + len(new)]"), "the rows of the old tokens as well"),
        "results swapped": (
            step("table[past : past + len(new)]").replace(
                "softmax(scores) @ cache, cache", "cache, softmax(scores) @ cache"),
            "in the wrong order",
        ),
        "only the new ones kept": (
            step("table[past : past + len(new)]").replace("@ cache, cache", "@ cache, new"),
            "The next step needs the whole one",
        ),
        "both": (step("table[past : past + len(new)]", first=""), "the mask counts its queries from 0"),
        "again at each step": (
            """
    cache = np.concatenate([cache, new])
    cache = cache + table[: len(cache)]
    past = len(cache) - len(new)
    i, j = past + np.arange(len(new))[:, None], np.arange(len(cache))
    scores = np.where(j <= i, cache[past:] @ cache.T / np.sqrt(new.shape[1]), -np.inf)
    return softmax(scores) @ cache, cache
""",
            "old tokens have them already",
        ),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH01[name], body)
    assert words in text, text


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"scores": [1, 1, 0, 2, 1]}, "divide each by √d_k"),
        ({"scores": [0.25, 0.25, 0, 0.5, 0.25]}, "You divided by d_k = 4"),
        ({"scores": Q @ K[3] / 2}, "(a column)"),
        ({"scores": Q[4] @ K.T / 2}, 'This is the row of "mat"'),
        ({"scores": Q[1] @ K.T / 2}, 'This is the row of "cat"'),
        ({"scores": Q[3] @ K.T / 5**0.5}, "the number of keys"),
        ({"weights": np.array([1.6487, 1.6487, 0, 2.7183, 1.6487]) / 7.6644}, "e⁰ is 1"),
        ({"weights": [19.0, 19.0, 11.5, 31.4, 19.0]}, "These are percent"),
        ({"output": softmax([0.5, 0.5, 0, 1, 0.5]) @ K}, "You averaged the keys"),
        ({"weights": [0.2, 0.2, 0, 0.4, 0.2]}, "The softmax takes e to each score first"),
        ({"weights": np.exp([0.5, 0.5, 0, 1, 0.5])}, "Divide each by their sum"),
        ({"weights": softmax([1, 1, 0, 2, 1])}, "the softmax of the raw scores"),
        ({"output": softmax([0.5, 0.5, 0, 1, 0.5])[:4]}, '"mat" is forgotten'),
        ({"output": np.array([0.5, 0.5, 0, 1, 0.5]) @ V}, "Mix them by the weights"),
    ],
)
def test_a_slip_with_the_pencil_is_named(part, words):
    task = CH01["row_of_on"]
    assert words in task.check({**task.expected(), **part}).cause
    assert words in task.check({**dict.fromkeys(task.expected(), ...), **part}).cause


def test_a_row_half_done_is_right_so_far():
    task = CH01["row_of_on"]
    assert "right so far" in repr(task.check({"scores": task.expected()["scores"], "weights": ..., "output": ...}))


@pytest.mark.parametrize(
    ("line", "choice", "words"),
    [
        ("all outputs", "equivarient", "write one of the three words"),
        ("all outputs", "permutation equivariant", "write one of the three words"),
        ("all outputs", "invariant", "Row 0 belongs to whoever stands first"),
        ("their mean", "equivariant", "A mean is a single row"),
        ("all outputs, keys and values shuffled only", "equivariant", "belong to the queries"),
        ("all outputs, keys shuffled only", "invariant", "the values do not"),
        ("all outputs under a causal mask", "equivariant", "The mask stays in its place"),
    ],
)
def test_a_wrong_claim_about_shuffling_is_answered(line, choice, words):
    task = CH01["after_a_shuffle"]
    assert words in task.check({**task.expected(), line: choice}).cause


def test_every_claim_about_shuffling_has_an_answer():
    task = CH01["after_a_shuffle"]
    for line, right in task.expected().items():
        for choice in {"invariant", "equivariant", "neither"} - {right}:
            assert task.check({**task.expected(), line: choice}).cause, (line, choice)


def test_the_softmax_of_the_lesson_is_good_enough():
    body = OWN.format(axis="axis=1, keepdims=True") + BACK + "    return (w @ v)[b]"
    assert CH01["attend_and_restore"].check(cell(body, CH01["attend_and_restore"])).passed


@pytest.mark.parametrize(("held", "passes"), [("np.float16", False), ("np.float32", True), ("float", True)])
@pytest.mark.parametrize("returned", ["angle.dtype", "float"])
def test_angles_in_half_precision_do_not_reach_far(held, passes, returned):
    body = f"""
    angle = (np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)).astype({held})
    table = np.zeros((n, d), {returned})
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return table"""
    result = CH01["sinusoidal_table"].check(cell(body, CH01["sinusoidal_table"]))
    assert result.passed == passes and (passes or "float16" in result.cause), result
