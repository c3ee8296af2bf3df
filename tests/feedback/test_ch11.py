"""Chapter 11: what a learner reads after a slip."""

from itertools import combinations

import numpy as np
import pytest

from course_lib.figures.decision_guide import decide
from course_lib.figures.decision_rules import OUT
from course_lib.tasks import tasks_of
from course_lib.tasks.ch11 import remains

from .slips import each, told

CH11 = tasks_of("ch11")

FIVE = """
    d = {d}
    learned = {learned}
    t5 = {t5}
    shaw = {shaw}
    music = {music}
    xl = {xl}
    return {end}
"""
COUNTS = {
    "d": "D // H",
    "learned": "n * D",
    "t5": "H * B",
    "shaw": "layers * 2 * (2 * k + 1) * D",
    "music": "layers * n * D",
    "xl": "layers * (D * D + 2 * D)",
    "end": "learned, t5, shaw, music, xl",
}


def five(**changed):
    return FIVE.format(**{**COUNTS, **changed})


def orders(rule, runs="list(losses.values())"):
    return f"    runs = {runs}\n    return [[{rule} for b in runs] for a in runs]\n"


TABLE = """
    runs = list(losses.values())
    holds = np.zeros((len(runs), len(runs)), dtype=bool)
    for i, a in enumerate(runs):
        for j, b in enumerate(runs):
            holds[{place}] = {rule}
    return holds
"""

LEARNED_NUMBERS = {
    "right": (five(), None),
    "a float": (five(d="D / H", music="layers * H * n * d"), None),
    "an array": (five(end="np.array([learned, t5, shaw, music, xl])"), None),
    "by name": (five(end='{"xl": xl, "t5": t5, "learned": learned, "shaw": shaw, "music": music}'), None),
    "a table of T5's in each layer": (five(t5="layers * B * H"), "which umT5 has"),
    "buckets alone": (five(t5="B"), "per bucket *and head*"),
    "T5 by offsets": (five(t5="(2 * n - 1) * H"), "not per offset"),
    "T5's bias": (five(t5="n * n * H"), "What is learned is the table"),
    "keys alone": (five(shaw="layers * (2 * k + 1) * D"), "one table too few"),
    "Shaw's heads forgotten": (five(shaw="layers * 2 * (2 * k + 1) * d"), "shaw: every head has tables of its own"),
    "keys alone, heads forgotten": (five(shaw="layers * (2 * k + 1) * d"), "shaw: two factors are missing"),
    "2k": (five(shaw="layers * 2 * 2 * k * D"), "offset 0 has a vector too"),
    "k + 1": (five(shaw="layers * 2 * (k + 1) * D"), "though a decoder has no use for them"),
    "d is D": (five(d="D", shaw="layers * H * 2 * (2 * k + 1) * d"), "H · d is D"),
    "Shaw without clipping": (five(shaw="layers * 2 * (2 * n - 1) * D"), "Past ±k they share"),
    "one layer of Shaw": (five(shaw="2 * (2 * k + 1) * D"), "shaw: this is one layer"),
    "one layer of music": (five(music="n * D"), "music: this is one layer"),
    "offsets ahead": (five(music="layers * (2 * n - 1) * D"), "offsets ahead have no vector"),
    "music clipped": (five(music="layers * (2 * k + 1) * D"), "nothing is clipped here"),
    "music's values": (five(music="2 * layers * n * D"), "nothing is added to the values"),
    "one head of music": (five(music="n * d"), "the table of one head"),
    "no u and v": (five(xl="layers * D**2"), "u and v are missing"),
    "u and v once": (five(xl="layers * D**2 + 2 * D"), "`untie_r`"),
    "u and v of one head": (five(xl="layers * (D**2 + 2 * d)"), "every head has its own u and v"),
    "sinusoids": (five(xl="layers * (D**2 + n * D + 2 * D)"), "the sinusoids are computed, not learned"),
    "the map of keys": (five(xl="layers * (2 * D**2 + 2 * D)"), "one map W_r"),
    "learned in each layer": (five(learned="layers * n * D"), "before the first layer, not in each"),
    "a number per position": (five(learned="n"), "a vector of D channels, not a number"),
    "another order": (five(end="learned, shaw, t5, music, xl"), "`t5` and `shaw` have changed places"),
    "t5 first": (five(end="t5, learned, shaw, music, xl"), "`learned` and `t5` have changed places"),
    "the last first": (five(end="xl, music, shaw, t5, learned"), "`learned` comes first"),
    "the two clips": (five().replace("    d =", "    k, B = B, k\n    d ="), "if `k` and `B` changed places"),
    "layers and width": (
        five().replace("    d =", "    layers, D = D, layers\n    d ="),
        "if `layers` and `D` changed",
    ),
    "one layer of Shaw's keys": (five(shaw="(2 * k + 1) * D"), "each layer has its own"),
    "no parentheses": (five(shaw="layers * 2 * 2 * k + 1 * D"), "needs parentheses"),
    "no rows beyond the text": (five(shaw="layers * 2 * (2 * min(k, n - 1) + 1) * D"), "however short the text"),
    "no rows beyond n": (five(shaw="layers * 2 * (2 * min(k, n) + 1) * D"), "also where k is larger"),
    "music of k": (five(music="layers * (k + 1) * D"), "k has no say"),
    "music of one head, ahead too": (five(music="layers * (2 * n - 1) * d"), "music: two slips"),
    "one map": (five(xl="D * D"), "one map W_r alone"),
    "a map for each head": (five(xl="layers * (H * D * D + 2 * D)"), "serves all heads"),
    "bytes": (five(end="[4 * c for c in (learned, t5, shaw, music, xl)]"), "these are bytes"),
    "one of them is None": (five(xl="None"), "returned None for `xl`"),
    "a column": (five(end="np.array([learned, t5, shaw, music, xl])[:, None]"), "an array of shape (5, 1)"),
    "lazy": (five(end="(c for c in (learned, t5, shaw, music, xl))"), "into a list"),
    "heads of learned": (five(learned="n * D * H"), "all heads together already."),
    "four of them": (five(end="learned, t5, shaw, music"), "expected a tuple of 5: learned, t5, shaw, music, xl"),
    "their sum": (five(end="learned + t5 + shaw + music + xl"), "returned an int; expected a tuple of 5"),
    "two slips in two schemes": (five(t5="layers * B * H", xl="layers * D**2"), "which umT5 has"),
    "the second of them": (five(shaw="layers * (2 * k + 1) * D", xl="D**2"), "one table too few"),
    "all of them for one layer": (
        five(shaw="2 * (2 * k + 1) * D", music="n * D", xl="D**2 + 2 * D"),
        "shaw: this is one layer",
    ),
}

SURE_ORDERS = {
    "right": (orders("max(a) < min(b)"), None),
    "every pair of runs": (orders("all(x < y for x in a for y in b)"), None),
    "arrays": (TABLE.format(place="i, j", rule="(np.array(a)[:, None] < np.array(b)).all()"), None),
    "with a condition": (orders("a != b and max(a) < min(b)"), None),
    "untouched": (orders("np.mean(a) < np.mean(b)"), "Find the bug and mend it"),
    "means in another form": (orders("sum(a) / len(a) < sum(b) / len(b)"), "the bug is still there"),
    "medians": (orders("np.median(a) < np.median(b)"), "These are medians"),
    "sums": (orders("sum(a) < sum(b)"), "whoever has more seeds looks worse"),
    "best and best": (orders("min(a) < min(b)"), "both may have been lucky"),
    "worst and worst": (orders("max(a) < max(b)"), "b may have had a better one"),
    "best and worst": (orders("min(a) < max(b)"), "whether a *can* be better"),
    "any": (orders("any(x < y for x in a for y in b)"), "whether a *can* be better"),
    "worst and mean": (orders("max(a) < np.mean(b)"), "The mean of b still stands for all its seeds"),
    "less or equal": (orders("max(a) <= min(b)"), "Equal losses are no order"),
    "the larger loss": (orders("min(a) > max(b)"), "The wrong way round"),
    "transposed": (TABLE.format(place="j, i", rule="max(a) < min(b)"), "have rows and columns changed places"),
    "the other way": (orders("max(a) > min(b)"), "which orders do *not* hold"),
    "seed by seed": (orders("all(x < y for x, y in zip(a, b))"), "You compare seed 0 with seed 0"),
    "seed by seed, strictly": (orders("all(x < y for x, y in zip(a, b, strict=True))"), "`strict=True` stops"),
    "seed by seed, as arrays": (orders("(np.array(a) < np.array(b)).all()"), "entry by entry"),
    "more of the seeds": (orders("sum(x < y for x, y in zip(a, b)) > len(a) / 2"), "who wins more of the seeds"),
    "standard deviations": (
        orders("np.mean(a) + np.std(a) < np.mean(b) - np.std(b)"),
        "further apart than the two standard deviations.",
    ),
    "of samples": (
        orders("np.mean(a) + np.std(a, ddof=1) < np.mean(b) - np.std(b, ddof=1)"),
        "the two standard deviations (with n − 1)",
    ),
    "lists": (orders("a < b"), "by their first entries that differ, as in a dictionary"),
    "sorted lists": (orders("sorted(a) < sorted(b)"), "sorted, that is the best of each"),
    "no max": (orders("a < min(b)"), "A list cannot be compared with a number"),
    "less or equal, but not itself": (
        orders("a is not b and max(a) <= min(b)"),
        "the diagonal needs no care of its own",
    ),
    "less or equal, in means too": (
        orders("np.mean(a) < np.mean(b) and max(a) <= min(b)"),
        "has a meeting with equal losses",
    ),
    "better, neither, worse": (orders("int(max(a) < min(b)) - int(max(b) < min(a))"), "These are 1, 0 and −1"),
    "how many meetings": (orders("sum(x < y for x in a for y in b)"), "One of yours is another number"),
    "a share of meetings": (orders("np.less.outer(a, b).mean()"), "One of yours is another number"),
    **{
        f"{share} of the meetings": (orders(f"np.less.outer(a, b).mean() >= {share}"), "One that is lost is enough")
        for share in (0.9, 0.93, 0.95, 0.99)
    },
    "rounded": (orders("round(max(a), 1) < round(min(b), 1)"), "You round first"),
    "rounded to two digits": (orders("round(max(a), 2) < round(min(b), 2)"), "however small the gap"),
    "quarters": (orders("np.percentile(a, 75) < np.percentile(b, 25)"), "is reversed in some meeting"),
    "best and best, worst and worst": (
        orders("min(a) < min(b) and max(a) < max(b)"),
        "the two may still overlap in between",
    ),
    "without the best and the worst": (
        orders("np.mean(sorted(a)[1:]) < np.mean(sorted(b)[:-1])"),
        "is reversed in some meeting",
    ),
    "means with a margin": (orders("np.mean(a) < np.mean(b) - 0.1"), "is reversed in some meeting"),
    "a t-test": (
        orders("np.mean(b) - np.mean(a) > 2 * np.sqrt(np.var(a) / len(a) + np.var(b) / len(b))"),
        "is reversed in some meeting",
    ),
    "as many as the shortest": (
        orders("max(a) < min(b)", "[r[: min(map(len, losses.values()))] for r in losses.values()]"),
        "cut to the shortest",
    ),
    "a table of runs": (
        "    runs = np.array(list(losses.values()))\n    return runs.max(1)[:, None] < runs.min(1)",
        "take the worst and the best of each list first",
    ),
    "along the wrong axis": (
        "    runs = np.array(list(losses.values()))\n    return runs.max(0)[:, None] < runs.min(0)",
        "the seeds are along axis 1",
    ),
    "lazy rows": ("    return [(max(a) < min(b) for b in losses.values()) for a in losses.values()]", "into a list"),
    "by name": (
        "    return {a: {b: max(x) < min(y) for b, y in losses.items()} for a, x in losses.items()}",
        "a number or an array is wanted",
    ),
    "None": (orders("max(a) < min(b) or None"), "False is asked for"),
    "sorted in place": (
        "    for runs in losses.values():\n        runs.sort()\n" + orders("a[-1] < b[0]"),
        "writes into its argument `losses`",
    ),
    "names": (orders("max(a) < min(b)", "losses"), "gives the *names*"),
    "items": (orders("max(a) < min(b)", "losses.items()"), "a name and its losses"),
    "sorted schemes": (orders("max(a) < min(b)", "sorted(losses.values(), key=np.mean)"), "sorted by their means"),
    "a gap": (orders("min(b) - max(a)"), "True or False is asked for"),
    "itself": (orders("max(a) < min(b) or a == b"), "No scheme is better than itself"),
    "as many seeds": (orders("len(a) == len(b) and max(a) < min(b)"), "It needs no such condition"),
    "pairs": (
        "    return [(a, b) for a in losses for b in losses if max(losses[a]) < min(losses[b])]",
        "a row and a column for each scheme",
    ),
    "return in the loop": (
        TABLE.format(place="i, j", rule="max(a) < min(b)").replace("    return holds", "        return holds"),
        "is the `return` indented too far?",
    ),
}

SLIPS = {"learned_numbers": LEARNED_NUMBERS, "sure_orders": SURE_ORDERS}


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH11[name], body)
    if words is None:
        assert "passed" in text, text
    else:
        assert words and words in text, text


REMAINS = [
    ("memory", "sinusoidal", "token t of every segment looks alike"),
    ("memory", "Shaw", 'by "no parameters": (2k + 1)'),
    ("memory", "transformer-xl", 'by "no parameters": A map of d_model'),
    ("memory", "no scheme", "one of the four is left"),
    ("encoder", "none", "blind to order"),
    ("encoder", "learned", "the table ends"),
    ("encoder", "Music Transformer", "it has no vector, or one that no text has trained"),
    ("image", "Shaw", "flash kernel for GPUs has no place"),
    ("image", "Swin", "flash kernel for GPUs has no place"),
    ("image", "ALiBi", "where the patch below is far"),
    ("three back", "T5 buckets", 'by "no parameters": A number per bucket'),
    ("three back", "learned", "the table ends"),
    ("three back", "no scheme", "A caveat, or that another would do better, rules nothing out"),
    ("Llama", "ALiBi", "These weights were trained with another scheme"),
    ("Llama", "no scheme", "rules nothing out"),
    ("T5", "T5 buckets", "flash kernel for GPUs has no place"),
    ("T5", "RoPE", "These weights were trained with another scheme"),
]


@pytest.mark.parametrize(("situation", "wrong", "words"), REMAINS)
def test_a_scheme_that_is_ruled_out_is_told_why(situation, wrong, words):
    task = CH11["what_remains"]
    result = task.check({**task.expected(), situation: wrong})
    assert not result.passed and words in result.cause and f"{situation}: " in result.cause, result


def test_a_name_that_is_no_candidate_is_told_the_candidates():
    task = CH11["what_remains"]
    said = repr(task.check({**task.expected(), "Llama": "rotary"}))
    assert '"rotary" is none of the words: "Transformer-XL", "T5 buckets", "ALiBi", "RoPE", "no scheme"' in said


# ---------------------------------------------------------------- what the words of the tasks say


def test_each_situation_leaves_one_candidate_at_most_and_its_words_name_all_four():
    words = CH11["what_remains"].words
    for name, (answers, candidates) in remains.SITUATIONS.items():
        line = words.split(f"- `{name}`: ")[1].split("\n- ")[0]
        assert line.split("`")[1::2] == list(candidates)
        assert sum(decide(answers)[scheme].verdict != OUT for scheme in candidates) <= 1
    assert list(CH11["what_remains"].expected().values()).count("no scheme") == 1


def test_the_price_of_what_is_left_is_the_guide_s():
    task = CH11["what_remains"]
    (note,) = task.check(task.expected()).notes
    assert 'Llama, `RoPE` by "longer than in training": It meets angles never seen' in note
    assert "three back, `ALiBi`" in note and "so content must make up for it" in note
    assert "memory" not in note and "T5" not in note  # a log decay fits, and of no scheme there is no price


def test_a_decoder_learns_as_many_numbers_as_its_modules_hold():
    nn = pytest.importorskip("torch.nn")
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.shaw import ShawVectors
    from course_lib.nn.t5 import T5Bias

    shared = T5Bias(4, bidirectional=False)
    t5 = nn.ModuleList(RelativeAttention(16, 4, shared, causal=True) for _ in range(3))
    shaw = nn.ModuleList(RelativeAttention(16, 4, ShawVectors(4, 4, 5), causal=True) for _ in range(3))
    plain = nn.ModuleList(RelativeAttention(16, 4, None, causal=True) for _ in range(3))
    count = [sum(p.numel() for p in stack.parameters()) for stack in (t5, shaw, plain)]
    assert [count[0] - count[2], count[1] - count[2]] == list(
        CH11["learned_numbers"].expected(3, 16, 4, 20, 5, 32)[1:3]
    )


def test_what_is_told_of_gpt_2_is_counted():
    task = CH11["learned_numbers"]
    (case,) = (case for case in task.cases if "GPT-2" in case.says)
    counts = zip(task.returns, task.expected(*case.args))
    assert f"{'; '.join(f'{name} {count:,}' for name, count in counts)}. Only" in task.then
    layers, D, H, n, k, B = case.args
    longer = task.expected(layers, D, H, 2 * n, k, B)
    grow = [name for name, one, other in zip(task.returns, task.expected(*case.args), longer) if one != other]
    assert grow == ["learned", "music"]


def test_how_many_orders_the_seeds_undo():
    (case,) = (case for case in CH11["sure_orders"].cases if "flip-flop" in case.says)
    (losses,) = case.args
    means, sure = (np.sum(function(losses)) for function in (CH11["sure_orders"].given, CH11["sure_orders"].right))
    assert f"order all {means} pairs" in CH11["sure_orders"].then and means == len(list(combinations(losses, 2)))
    assert f"Of these orders {sure} hold" in CH11["sure_orders"].then


def test_chance_alone_parts_two_equal_schemes_once_in_ten_times():
    deals = list(combinations(range(6), 3))
    parted = [deal for deal in deals if deal in ((0, 1, 2), (3, 4, 5))]
    assert (len(deals), len(parted)) == (20, 2)
    assert "there are 20 ways" in CH11["sure_orders"].words and "2 of these part them" in CH11["sure_orders"].words
