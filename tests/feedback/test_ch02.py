"""What a learner reads after a slip: the words that must be there, and those that would be true by accident."""

import numpy as np
import pytest

from course_lib.tasks import tasks_of
from course_lib.tasks.engine.faces import Result

from .slips import ACCIDENTAL, cell, each, told

CH02 = tasks_of("ch02")

SOFTMAX = "    e = np.exp(s - s.max(-1, keepdims=True))\n    w = e / e.sum(-1, keepdims=True)\n"
DISTANCE = "    d = abs(np.arange(len(scores)) - i)\n"
NAIVE = "    e = np.exp(s)\n    w = e / e.sum(-1, keepdims=True)\n"
LOOPED = """
    b = np.zeros((n, n))
    for i in range({rows}):
        for j in range({columns}):
            b[i, j] = -scale * np.log(1 + abs(j - i))
{back}"""

HIDDEN = """
    n = len(scores)
    s = {}
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return {}"""
AHEAD = "    i, j = np.arange(n)[:, None], np.arange(n)\n    s = np.where(j > i, future_scale, past_scale)\n    return "
SHARE = """
    p = np.arange(len(scores))
    r = p - p[:, None]
    s = scores - scale * ({log} if decay == "log" else abs(r))
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) * ({far} >= at_least)).sum() / len(p)"""

SLIPS = {
    "scaled_scores": {
        "return in the outer loop": (
            """
    s = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            s[i, j] = q[i] @ k[j] / q.shape[1] ** 0.5
        return s
""",
            "All rows after the first are 0: is the `return` indented too far?",
        ),
        "return in the inner loop": (
            """
    s = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            s[i, j] = q[i] @ k[j] / q.shape[1] ** 0.5 + 0.0
            return s
""",
            "is the `return` indented too far?",
        ),
        "whole numbers": (
            """
    s = np.zeros((len(q), len(k)), dtype=int)
    for i in range(len(q)):
        for j in range(len(k)):
            s[i, j] = q[i] @ k[j] / q.shape[1] ** 0.5
    return s
""",
            "`dtype=int`",
        ),
        "no transpose": ("    return q @ k / np.sqrt(q.shape[-1])", "`q @ k.T`"),
        "no transpose, np.dot": ("    return np.dot(q, k) / np.sqrt(q.shape[-1])", "is a transpose missing?"),
        "entry by entry": ("    return q * k / np.sqrt(q.shape[-1])", "every key in `q @ k.T`"),
        "an unknown name": ("    return q @ k.T / np.sqrt(d_k)", "knows only its arguments"),
        "an if on an array": ("    s = q @ k.T\n    if s > 0:\n        return s\n    return s", "use `np.where`"),
        "exit": ("    exit()", "A function ends with `return`"),
        "math.sqrt of an array": ("    return math.sqrt(q) @ k", "`math.log` takes one"),
    },
    "bias_matrix": {
        "only j >= i": (
            LOOPED.format(rows="n", columns="i, n", back="    return b"),
            "Below the diagonal everything of yours is 0",
        ),
        "only j <= i": (LOOPED.format(rows="n", columns="i + 1", back="    return b"), "in both directions"),
        "one row too few": (
            LOOPED.format(rows="n - 1", columns="n - 1", back="    return b"),
            "The last row and the last column are untouched",
        ),
        "return in the outer loop": (
            LOOPED.format(rows="n", columns="n", back="        return b"),
            "All rows after the first are 0",
        ),
        "return in the inner loop": (
            LOOPED.format(rows="n", columns="n", back="            return b"),
            "All but the first entry is 0: is the `return` indented too far?",
        ),
        "whole numbers": (
            LOOPED.format(rows="n", columns="n", back="    return b").replace("(n, n)", "(n, n), dtype=int"),
            "`dtype=int`",
        ),
        "np.zeros(n, n)": ("    b = np.zeros(n, n)\n    return b", "`np.zeros((n, n))`"),
        "log without 1": (
            "    i, j = np.arange(n)[:, None], np.arange(n)\n    return -scale * np.log(abs(j - i))",
            "Yours is infinite in 5 of 25 entries, first at query \"The\", key \"The\": the logarithm of 0",
        ),
        "math.log without 1": (
            "    return [[-scale * math.log(abs(j - i)) for j in range(n)] for i in range(n)]",
            "There is no logarithm of 0",
        ),
        "index too large": (
            LOOPED.format(rows="n + 1", columns="n", back="    return b"),
            "Indices run from 0 to n − 1",
        ),
    },
    "biased_attention": {
        "weights rounded": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n" + SOFTMAX + "    w = np.round(w, 2)\n    return w @ v, w",
            "weights: Right, but rounded to 2 decimals",
        ),
        "bias turned round": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias.T\n" + SOFTMAX + "    return w @ v, w",
            "The bias is transposed",
        ),
        "largest without its axis": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n    e = np.exp(s - s.max(-1))\n"
            "    w = e / e.sum(-1, keepdims=True)\n    return w @ v, w",
            "largest scores of the rows have lost their axis",
        ),
        "no keepdims": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
            "    w = e / e.sum(axis=1)\n    return w @ v, w",
            "`keepdims=True`",
        ),
        "no keepdims, no maximum": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n    e = np.exp(s)\n"
            "    w = e / e.sum(axis=1)\n    return w @ v, w",
            "`keepdims=True`",
        ),
        "no softmax": ("    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n    return s @ v, s", "the softmax is missing"),
        "bias after the softmax": (
            "    s = q @ k.T / np.sqrt(q.shape[-1])\n" + SOFTMAX + "    w = w + bias\n    return w @ v, w",
            "The bias comes after the softmax",
        ),
        "minus the bias, no maximum": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) - bias\n" + NAIVE + "    return w @ v, w",
            "You subtract the bias",
        ),
        "weights transposed": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n" + SOFTMAX + "    return w.T @ v, w",
            "`weights.T @ v`",
        ),
        "bias multiplied": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) * bias\n" + SOFTMAX + "    return w @ v, w",
            "The bias is multiplied",
        ),
        "wrong output": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n" + SOFTMAX + "    return w @ np.sin(v), w",
            "Your weights are right; your output is not.",
        ),
        "no maximum": (
            "    s = q @ k.T / np.sqrt(q.shape[-1]) + bias\n" + NAIVE + "    return w @ v, w",
            "e^x overflowed",
        ),
    },
    "biased_attention_torch": {
        "k.transpose(1, 2)": (
            "    s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5\n    return (s + bias).softmax(-1) @ v",
            "You swap heads and tokens",
        ),
        "bias[:, None]": (
            "    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n    return (s + bias[:, None]).softmax(-1) @ v",
            "the heads become batches",
        ),
        "bias[0]": (
            "    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n    return (s + bias[0]).softmax(-1) @ v",
            "Head 0 is right, the others are not",
        ),
        "only head 0 gets it right": (
            "    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n    b = bias.clone()\n    b[1:] = b[1:].sin()\n"
            "    return (s + b).softmax(-1) @ v",
            "Head 0 is right, the others are not",
        ),
        "output and weights": (
            "    w = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + bias).softmax(-1)\n    return w @ v, w",
            "returned 2 values; one is wanted",
        ),
        "bias scaled": (
            "    s = (q @ k.transpose(-2, -1) + bias) / q.shape[-1] ** 0.5\n    return s.softmax(-1) @ v",
            "The bias is scaled along with the scores",
        ),
        "bias after the softmax": (
            "    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n    return (s.softmax(-1) + bias) @ v",
            "The bias comes after the softmax",
        ),
        ".T": ("    s = q @ k.T / q.shape[-1] ** 0.5\n    return (s + bias).softmax(-1) @ v", "`.T`"),
    },
    "row_weights": {
        "no 1": (
            DISTANCE + "    s = scores - np.outer(scales, np.log(np.maximum(d, 1)))\n" + SOFTMAX + "    return w",
            "the logarithm of the distance itself",
        ),
        "no abs": (
            "    d = np.arange(len(scores)) - i\n    s = scores - np.outer(scales, np.log(1 + d))\n"
            + SOFTMAX + "    return w",
            "Yours is nan in",
        ),
        "softmax over λ": (
            "    d = abs(np.arange(len(scores)) - i)\n    s = scores - np.outer(scales, np.log(1 + d))\n"
            "    e = np.exp(s)\n    return e / e.sum(axis=0)",
            "softmax along the wrong axis?",
        ),
        "λ fixed": (
            DISTANCE + "    s = scores - np.outer(np.ones(len(scales)), 0.3 * np.log(1 + d))\n"
            + SOFTMAX + "    return w",
            "λ is fixed at 0.3",
        ),
        "scaled twice": (
            "    d = abs(np.arange(len(scores)) - i)\n    s = scores / 2 - np.outer(scales, np.log(1 + d))\n"
            + SOFTMAX + "    return w",
            "scaled already",
        ),
        "return in the loop": (
            DISTANCE + "    for x in scales:\n        e = np.exp(scores - x * np.log(1 + d))\n"
            "        return e / e.sum()",
            "One row instead of several: there should be one for each λ. Is the `return` inside the loop?",
        ),
        "the last λ only": (
            DISTANCE + "    for x in scales:\n        e = np.exp(scores - x * np.log(1 + d))\n"
            "    return e / e.sum()",
            "Yours is the last: collect the rows in a list",
        ),
        "labels": ("    return np.zeros((len(scales), len(scores))) + i", 'λ 0.1, key "The"'),
    },
    "far_share": {
        "no 1": (SHARE.format(log="np.log(np.maximum(abs(r), 1))", far="abs(r)"), "logarithm of the distance itself"),
        "keys in the past only": (SHARE.format(log="np.log1p(abs(r))", far="-r"), "only keys before the query"),
        "mean of the far cells": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores - scale * (np.log1p(d) if decay == 'log' else d)\n" + SOFTMAX
            + "    return w[d >= at_least].mean()",
            "You average over the far cells",
        ),
        "threshold in the bias": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores - scale * (np.log1p(at_least) if decay == 'log' else at_least)\n" + SOFTMAX
            + "    return (w * (d >= at_least)).sum(-1).mean()",
            "The bias comes to nothing. Does it use `at_least`?",
        ),
        "near share": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores - scale * (np.log1p(d) if decay == 'log' else d)\n" + SOFTMAX
            + "    return (w * (d < at_least)).sum(-1).mean()",
            "This is 1 minus the right answer: you took the near keys",
        ),
        "percent": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores - scale * (np.log1p(d) if decay == 'log' else d)\n" + SOFTMAX
            + "    return 100 * (w * (d >= at_least)).sum(-1).mean()",
            "not percent",
        ),
        "scaled twice": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores / 2 - scale * (np.log1p(d) if decay == 'log' else d)\n" + SOFTMAX
            + "    return (w * (d >= at_least)).sum(-1).mean()",
            "scaled already",
        ),
        "after the query only": (
            "    p = np.arange(len(scores))\n    d = p - p[:, None]\n"
            "    s = scores - scale * (np.log1p(abs(d)) if decay == 'log' else abs(d))\n" + SOFTMAX
            + "    return (w * (d >= at_least)).sum(-1).mean()",
            "in both directions",
        ),
        "something odd": (
            "    p = np.arange(len(scores))\n    d = abs(p - p[:, None])\n"
            "    s = scores - scale * (np.log1p(d) if decay == 'log' else d ** 1.5)\n" + SOFTMAX
            + "    return (w * (d >= at_least)).sum(-1).mean() + 0.01 * scale",
            "wrong values",
        ),
        "nan": (
            "    p = np.arange(len(scores))\n    d = p - p[:, None]\n"
            "    s = scores - scale * (np.log(d) if decay == 'log' else d)\n" + SOFTMAX
            + "    return (w * (d >= at_least)).sum(-1).mean()",
            "The absolute value is missing",
        ),
    },
    "asymmetric_bias": {
        "scale inside": (AHEAD + "-np.log1p(s * abs(j - i))", "has moved into the logarithm"),
        "no 1": (AHEAD + "-s * np.log(np.maximum(abs(j - i), 1))", "the logarithm of the distance itself"),
        "no 1, log of 0": (AHEAD + "-s * np.log(abs(j - i))", "The 1 is missing"),
        "no abs": (
            "    i, j = np.arange(n)[:, None], np.arange(n)\n"
            "    return -np.where(j > i, future_scale, past_scale) * np.log(1 + j - i)",
            "The absolute value is missing",
        ),
        "log of the offset": (
            "    i, j = np.arange(n)[:, None], np.arange(n)\n"
            "    return -np.where(j > i, future_scale, past_scale) * np.log(j - i)",
            "Yours is nan in 10 and infinite in 5 of 25 entries",
        ),
        "an if on an array": (
            "    o = np.arange(n) - np.arange(n)[:, None]\n    if o < 0:\n        return -past_scale * np.log1p(-o)\n"
            "    return -future_scale * np.log1p(o)",
            "use `np.where`, or two loops",
        ),
        "scales added": (
            "    o = np.arange(n) - np.arange(n)[:, None]\n    return -(past_scale + future_scale) * np.log1p(abs(o))",
            "The two scales are added",
        ),
        "two results": (
            "    o = abs(np.arange(n) - np.arange(n)[:, None])\n"
            "    return -past_scale * np.log1p(o), -future_scale * np.log1p(o)",
            "several results of the right shape: return one",
        ),
    },
    "causal_weights": {
        "masked scores": (HIDDEN.format("np.where(np.tri(n) > 0, scores + bias, -np.inf)", "s"), "softmax is missing"),
        "rounded": (
            HIDDEN.format("np.where(np.tri(n) > 0, scores + bias, -np.inf)", "np.round(w, 2)"),
            "rounded to 2 decimals",
        ),
        **{
            f"{hidden} instead of −∞, {how}": (HIDDEN.format(made.format(hidden), "w"), "Some key after its query gets")
            for hidden in (-10, -20, -100)
            for how, made in {
                "put": "np.where(np.tri(n) > 0, scores + bias, {})",
                "added": "scores + bias + {} * (np.tri(n) == 0)",
            }.items()
        },
        "diagonal hidden": (
            "    n = len(scores)\n    s = np.where(np.tri(n, n, -1, dtype=bool), scores + bias, -np.inf)\n" + SOFTMAX
            + "    return w",
            "A token may look at itself",
        ),
        "0 times infinity": (
            "    s = scores + bias + np.triu(np.ones(scores.shape), 1) * -np.inf\n" + SOFTMAX + "    return w",
            "because 0 · ∞ is",
        ),
        "axis 0": (
            "    s = np.where(np.tri(len(scores), dtype=bool), scores + bias, -np.inf)\n    e = np.exp(s)\n"
            "    return e / e.sum(axis=0)",
            "softmax along the wrong axis?",
        ),
        "no keepdims": (
            "    s = np.where(np.tri(len(scores), dtype=bool), scores + bias, -np.inf)\n    e = np.exp(s)\n"
            "    return e / e.sum(axis=1)",
            "`keepdims=True`",
        ),
        "no keepdims, and the bias twice": (
            "    s = np.where(np.tri(len(scores), dtype=bool), scores + 2 * bias, -np.inf)\n    e = np.exp(s)\n"
            "    return e / e.sum(axis=1)",
            "sum to 1",
        ),
    },
    "cached_bias": {
        "no column": (
            "    i = np.arange(n_q) + n_k - n_q\n    return -scale * np.log1p(abs(np.arange(n_k) - i))",
            "Your queries lie in a row",
        ),
        "the wrong slice": (
            "    p = np.arange(n_k)\n    return (-scale * np.log1p(abs(p - p[:, None])))[n_q:]",
            "The last n_q of n_k tokens stand at n_k − n_q",
        ),
        "the wrong range": (
            "    i = np.arange(n_q, n_k)[:, None]\n    return -scale * np.log1p(abs(np.arange(n_k) - i))",
            "The last n_q of n_k tokens stand at n_k − n_q",
        ),
        "the last row only": (
            "    p = np.arange(n_k)\n    return (-scale * np.log1p(abs(p - p[:, None])))[n_k - n_q:][-1]",
            "One row instead of several",
        ),
    },
}  # fmt: skip


@each(SLIPS)
def test_a_slip_is_named(name, body, words):
    text = told(CH02[name], body)
    assert words in text, text
    if "nan" in words or "infinite" in words:
        assert "must depend on" not in text and "must sum to 1" not in text, text


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["bias_matrix", "asymmetric_bias", "causal_weights", "cached_bias", "scaled_scores"])
def test_what_is_not_finite_is_asked_for_no_property(name, value):
    task = CH02[name]

    def odd(*args):
        result = np.array(task.right(*args))
        result[-1, 0] = value
        return result

    result = task.check(odd)
    assert result.status == "wrong values" and result.cause.startswith(f"Yours is {'nan' if value != value else 'inf'}")


def test_the_largest_difference_may_be_infinite():
    def odd(n, scale):
        b = np.array(CH02["bias_matrix"].right(n, scale)) + 0.1
        b[-1, -1] = np.inf
        return b

    text = repr(CH02["bias_matrix"].check(odd))
    assert 'largest difference: query "mat", key "mat": yours ∞' in text


def test_one_right_case_is_no_evidence():
    """A constant is right for one token, or without a bias, and that is no fact about the arguments."""
    for name, task in CH02.items():
        if hasattr(task, "right") and not task.tensors:
            for change in (np.zeros_like, lambda x: x * x + 0.37, lambda x: np.sin(7 * x)):
                result = task.check(lambda *args, task=task, change=change: changed(task.right(*args), change))
                assert not any(words in repr(result) for words in ACCIDENTAL), (name, result)


def changed(result, change):
    return tuple(map(change, result)) if isinstance(result, tuple) else change(np.asarray(result, float))


# ---------------------------------------------------------------- answers in words and numbers


@pytest.mark.parametrize("given", ["rises, then falls", "Rises then  falls.", " rises,then falls"])
def test_an_answer_in_words_may_miss_its_comma(given):
    assert CH02["neighbour"].check(given).passed


def test_the_neighbour_gains_only_part_of_what_far_keys_lose():
    assert "gains part of what they lose" in CH02["neighbour"].check("falls").cause


@pytest.mark.parametrize("form", [lambda x: [x], lambda x: np.array([x]), float, np.float32])
def test_a_number_in_brackets_is_a_number(form):
    task = CH02["self_dominates"]
    assert task.check({key: form(value) for key, value in task.expected().items()}).passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda a, b: {"largest": b, "more than half": a}, "changed places"),
        (lambda a, b: {"largest": np.log(2), "more than half": b}, "divide by log 2"),
        (lambda a, b: {"largest": [np.log(2)], "more than half": b}, "divide by log 2"),
        (lambda a, b: {"largest": 1 / np.log10(2), "more than half": b}, "base 10"),
    ],
)
def test_a_slip_with_the_pencil_is_named(change, words):
    right = CH02["self_dominates"].expected()
    assert words in CH02["self_dominates"].check(change(right["largest"], right["more than half"])).cause


# ---------------------------------------------------------------- how the verbs are called


@pytest.mark.parametrize("name", CH02)
def test_a_verb_with_empty_parentheses_says_what_belongs_there(name):
    result = CH02[name].check()
    assert isinstance(result, Result) and result.status == "not attempted"
    assert f"`task.{name}.check({name})`" in repr(result)
    assert f"task.{name}." in repr(CH02[name].compare())


def test_compare_speaks_of_itself():
    text = repr(CH02["bias_matrix"].compare("x"))
    assert "`compare(bias_matrix)`" in text and "check" not in text


def test_an_answer_has_nothing_to_compare_and_says_so():
    text = repr(CH02["neighbour"].compare("rises"))
    assert "nothing to set side by side" in text and "`task.neighbour.check(neighbour)`" in text


def test_much_printing_is_slow(monkeypatch):
    task = CH02["bias_matrix"]
    monkeypatch.setattr(task, "seconds", 0.3)

    def talks(n, scale):
        for k in range(1_000_000):
            print(k)
        return task.right(n, scale)

    text = repr(task.check(talks))
    assert "printing so much is slow" in text
    assert "Your code printed more than 10,000 lines; the first 3: 0 ⏎ 1 ⏎ 2" in text


ENDLESS = """
from course_lib.tasks import ch02 as task
task.bias_matrix.seconds = 0.05

def deaf(n, scale):
    while True:
        try:
            while True:
                pass
        except:
            pass

def plain(n, scale):
    while True:
        pass

print({repr(task.bias_matrix.check(f)) for f in (plain, deaf) * 10} == {repr(task.bias_matrix.check(plain))})
"""


def test_a_kernel_stays_silent_when_endless_loops_are_stopped():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = [nbformat.v4.new_code_cell(source) for source in (ENDLESS, "import time; time.sleep(0.5)")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [output.get("text", output.output_type) for made in notebook.cells for output in made.outputs]
    assert shown == ["True\n"]


@pytest.mark.parametrize("hidden", ["-np.inf", "-1e9", "np.finfo(float).min"])
def test_any_number_that_leaves_no_weight_hides(hidden):
    body = HIDDEN.format(f"np.where(np.tri(n) > 0, scores + bias, {hidden})", "w")
    assert CH02["causal_weights"].check(cell(body, CH02["causal_weights"])).passed


@pytest.mark.parametrize("made", ["scales[:, None] * np.log1p(d)", "np.outer(scales, np.log1p(d))"])
def test_the_scales_are_an_array(made):
    body = DISTANCE + f"    s = scores - {made}\n" + SOFTMAX + "    return w"
    assert CH02["row_weights"].check(cell(body, CH02["row_weights"])).passed


def test_two_slips_that_give_one_number_are_both_named():
    cause = CH02["self_dominates"].check({**CH02["self_dominates"].expected(), "largest": 1.0}).cause
    assert "left out" in cause and "base 2" in cause
