"""The bench: what is right agrees, what is wrong is found and placed; times and losses are those of the course."""

import html
import math
import os
import re
import time
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from course_lib import study, workbench
from course_lib.display.box import AMBER, GREEN, GREY
from course_lib.nn.bias import DecayBias
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position, Vectors
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_lib.workbench.against_definition import BACKENDS

from ..schemes.definitions import SCHEMES, shaw_row

SAY_NOTHING = ("none", "T5, cross-attention")


class PerHead(Position):
    """b_h(r) = −s_h √|r|, with a strength for each head."""

    def __init__(self, n_heads):
        super().__init__()
        self.strength = nn.Parameter(torch.ones(n_heads))

    def bias(self, n_q, n_k, past):
        return -self.strength[:, None] * self.offsets(n_q, n_k, past).abs().sqrt()

    def offsets(self, n_q, n_k, past):
        return torch.arange(-(past + n_q - 1), n_k - past, dtype=self.strength.dtype)


def number(module, head, r):
    return -module.strength[head] * math.sqrt(abs(r))


def verdict(cls, backends=("eager", "sdpa")):
    return workbench.agrees(lambda n_heads, d_head: cls(n_heads), workbench.with_bias(number), backends)


def changed(**hooks):
    """A `PerHead` with other methods."""
    return type("Changed", (PerHead,), hooks)


# ---------------------------------------------------------------- the definition


@pytest.mark.parametrize("name", [name for name in SCHEMES if name not in SAY_NOTHING])
def test_every_scheme_of_the_course_agrees(name):
    backends = ["eager", "sdpa", *["flex"] * (name == "Shaw")]
    found = workbench.agrees(SCHEMES[name].make, SCHEMES[name].definition, backends)
    assert found.passed, found
    assert found.largest[torch.float64] < 1e-10 and found.largest[torch.float32] < 1e-5
    assert ("flex" in found.refused) == (name == "Shaw")  # FlexAttention takes no value vectors


@pytest.mark.parametrize("name", [pytest.param("T5 buckets, causal", marks=pytest.mark.slow("backends.t5")),
                                  pytest.param("Music Transformer",
                                               marks=pytest.mark.slow("backends.music_transformer")),
                                  pytest.param("RoPE", marks=pytest.mark.slow("backends.rope"))])  # fmt: skip
def test_schemes_agree_by_flex(name):
    """A bias, a vector per offset and a rotation; that flex equals eager for every scheme, test_fast shows."""
    found = workbench.agrees(SCHEMES[name].make, SCHEMES[name].definition, ["flex"])
    assert found.passed and not found.refused, found


@pytest.mark.parametrize("name", SAY_NOTHING)
def test_a_scheme_that_says_nothing_is_not_attempted(name):
    make = SCHEMES[name].make
    for found in (
        workbench.agrees(make, SCHEMES[name].definition),
        workbench.benchmark(make),
        workbench.train(make),
    ):
        assert not found.attempted and repr(found).startswith("○ not attempted: ")
        assert "`key_vectors`" in repr(found)  # a hook may be misspelt


@pytest.mark.parametrize(("backends", "words", "number_of"), [
    (("eager", "sdpa"), "eager and sdpa", 44),
    pytest.param(BACKENDS, "eager, sdpa and flex", 66, marks=pytest.mark.slow("backends.position")),
])  # fmt: skip
def test_what_it_says_of_a_right_scheme(backends, words, number_of):
    text = repr(verdict(PerHead, backends))
    assert text.startswith(f"✓ PerHead agrees with its definition in {number_of} trials")
    assert "with a memory; two texts at a time; distances up to 250" in text
    assert f"by {words}; no difference reaches 1e-10 in float64 and 1e-05 in float32" in text


SLIPS = {
    "sign": (changed(bias=lambda self, *n: -PerHead.bias(self, *n)), "What is added has the opposite sign."),
    "past ignored": (
        changed(bias=lambda self, n_q, n_k, past: PerHead.bias(self, n_q, n_k, 0)),
        "Right without a cache, wrong with one",
    ),
    "past twice": (
        changed(bias=lambda self, n_q, n_k, past: PerHead.bias(self, n_q, n_k + past, 2 * past)[:, : n_q + n_k - 1]),
        "Right without a cache, wrong with one",
    ),
    "n_k from past and n_q": (
        changed(
            bias=lambda self, n_q, n_k, past: nn.functional.pad(
                PerHead.bias(self, n_q, past + n_q, past), (0, n_k - past - n_q)
            )
        ),
        "Right in self-attention, wrong on a memory of another length",
    ),
    "heads turned round": (
        changed(bias=lambda self, *n: PerHead.bias(self, *n).flip(0)),
        "The heads have changed places",
    ),
    "heads moved on": (changed(bias=lambda self, *n: PerHead.bias(self, *n).roll(1, 0)), "The heads have changed"),
    "head 0 for all": (
        changed(bias=lambda self, *n: PerHead.bias(self, *n)[:1]),
        "All heads have what belongs to head 0.",
    ),
    "nothing": (changed(bias=lambda self, *n: 0 * PerHead.bias(self, *n)), "Nothing is added to any score."),
    "float32": (changed(bias=lambda self, *n: PerHead.bias(self, *n).float()), "Right but for the last digits"),
    "few digits": (
        changed(bias=lambda self, *n: PerHead.bias(self, *n) if self.strength.dtype == torch.float64
                else PerHead.bias(self, *n).bfloat16()),
        "Right in float64, wrong in float32",
    ),
    "another strength": (changed(bias=lambda self, *n: 2 * PerHead.bias(self, *n)), ""),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_wrong_scheme_is_told_where_and_why(slip):
    cls, words = SLIPS[slip]
    found = verdict(cls)
    assert not found.passed and found.cause.startswith(words), found
    assert "score" in found.place and found.trial is not None
    assert bool(words) == ("→" in repr(found))


def test_the_place_is_a_score_of_the_first_trial_that_fails():
    found = verdict(SLIPS["past ignored"][0])
    assert str(found.trial) == "1 head, 3 tokens, after 4 in the cache, eager, float64"
    assert found.place.startswith("score of head 0, query at position 4, key at 0 (offset −4): yours ")
    assert "(18 of 21 scores differ)" in found.place


def test_past_and_future_in_each_others_place():
    def make(n_heads, d_head):
        return DecayBias(0.3, forward_scale=0.9)

    def turned(module, head, r):
        return -(0.9 if r < 0 else 0.3) * math.log1p(abs(r))

    assert "Past and future have changed places" in workbench.agrees(make, workbench.with_bias(turned), ["eager"]).cause


def test_forgotten_value_vectors():
    class KeysOnly(ShawVectors):
        def value_vectors(self, n_q, n_k, past):
            return None

    definition = workbench.with_vectors(
        lambda module, head, r: shaw_row(module.key_table, head, 2, r),
        lambda module, head, r: shaw_row(module.value_table, head, 2, r),
    )
    found = workbench.agrees(lambda n, d: KeysOnly(n, d, 2), definition, ["eager"])
    assert found.place == "every score agrees to four decimals; the answer does not"
    assert found.cause.endswith("are the value vectors there, and right?")

    class NoPast(ShawVectors):
        def value_vectors(self, n_q, n_k, past):
            return super().value_vectors(n_q, n_k, 0)

    found = workbench.agrees(lambda n, d: NoPast(n, d, 2), definition, ["eager"])
    assert "value vectors" in found.cause and "Right without a cache, wrong with one" in found.cause


def test_a_forgotten_rotation_of_the_past():
    class NoPast(RoPE):
        def rotate(self, q, k, past, first_key=None):
            return super().rotate(q, k, 0, 0)

    found = workbench.agrees(lambda n, d: NoPast(d), SCHEMES["RoPE"].definition, ["eager"])
    assert "Right without a cache, wrong with one" in found.cause


FAULTY_TURNS = {
    "new keys at 0": (lambda turn, q, k, past, first_key: (turn(q, past), turn(k, 0)), "Right without a cache"),
    "first_key ignored": (lambda turn, q, k, past, first_key: (turn(q, past), turn(k, past)), "begin at `first_key`"),
    "only the first text": (
        lambda turn, q, k, past, first_key: tuple(
            torch.cat([turn(x[:1], start), x[1:]]) for x, start in ((q, past), (k, first_key))
        ),
        "Right for the first text of a batch",
    ),
    "the other texts lost": (
        lambda turn, q, k, past, first_key: (turn(q[:1], past), turn(k[:1], first_key)),
        "Right for the first text of a batch",
    ),
}


@pytest.mark.parametrize("name", FAULTY_TURNS)
def test_a_wrong_rotation_is_told_where_and_why(name):
    """The scores are those of the trial: with a cache, the keys are turned as they come."""
    faulty, words = FAULTY_TURNS[name]

    class Turned(RoPE):
        def rotate(self, q, k, past, first_key=None):
            def turn(x, start):
                return RoPE.rotate(self, x, x, start, start)[0]

            return faulty(turn, q, k, past, past if first_key is None else first_key)

    found = workbench.agrees(lambda n, d: Turned(d), SCHEMES["RoPE"].definition, ["eager"])
    assert not found.passed and words in found.cause, found
    assert "by the definition" in found.place


def test_texts_and_heads_in_each_others_place():
    """`repeat_interleave` where `repeat` was meant: nobody sees it with a single text."""

    class Mixed(PerHead):
        def bias(self, n_q, n_k, past):
            return None

        def rotate(self, q, k, past, first_key=None):
            return tuple(self.turn(x, start) for x, start in ((q, past), (k, past if first_key is None else first_key)))

        def turn(self, x, start):
            angle = torch.arange(start, start + x.shape[-2]) * self.strength[:, None]
            angle = angle.repeat_interleave(len(x), 0).unflatten(0, x.shape[:2])
            a, b = x[..., 0], x[..., 1]
            first, second = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
            return torch.cat([first[..., None], second[..., None], x[..., 2:]], -1)

    definition = workbench.with_rotation(lambda module, head: [(0, 1, module.strength[head])])
    found = workbench.agrees(lambda n, d: Mixed(n), definition, ["eager"])
    assert not found.passed and "Right with one head" in found.cause


def test_far_keys_are_tried():
    """The ramp of the lesson without its stop is the same at short distances."""

    class Straight(Position):
        def bias(self, n_q, n_k, past):
            return -0.25 * row_offsets(n_q, n_k, past).abs()[None]

    def ramp(module, head, r):
        return -0.25 * min(abs(r), 16)

    found = workbench.agrees(lambda n, d: Straight(), workbench.with_bias(ramp), ["eager"])
    assert not found.passed and found.cause.startswith("Right near by, wrong far away")
    assert "after 250 in the cache" in str(found.trial)

    class Future(Straight):
        def bias(self, n_q, n_k, past):
            return -0.25 * row_offsets(n_q, n_k, past).clamp(-16).abs()[None]

    found = workbench.agrees(lambda n, d: Future(), workbench.with_bias(ramp), ["eager"])
    assert not found.passed and "2 queries on 250 keys" in str(found.trial)


def test_a_table_that_is_too_short_fails_by_its_own_error_in_a_trial_that_is_named():
    class Short(Position):
        def bias(self, n_q, n_k, past):
            return torch.linspace(0, -1, 64)[row_offsets(n_q, n_k, past).abs()][None]

    with pytest.raises(IndexError) as raised:
        workbench.agrees(lambda n, d: Short(), workbench.with_bias(lambda module, head, r: -abs(r) / 63), ["eager"])
    assert "in the trial with 2 heads, 1 token, after 250 in the cache" in raised.value.__notes__[0]


def window(width, shift=0.0):
    return lambda module, head, r: -math.inf if abs(r) > width else shift


class Window(Position):
    def bias(self, n_q, n_k, past):
        return torch.where(row_offsets(n_q, n_k, past).abs() > 2, -torch.inf, 0.0)[None]


def test_minus_infinity_is_equal_to_itself():
    found = workbench.agrees(lambda n, d: Window(), workbench.with_bias(window(2)), ["eager"])
    assert found.place.startswith("a query has only scores of −∞") and "the mask's business" in found.cause
    found = workbench.agrees(lambda n, d: Window(), workbench.with_bias(window(2, 0.5)), ["eager"])
    assert "−∞" not in found.place and "key at 0 (offset 0)" in found.place


def test_the_scale_is_the_definitions():
    """A scheme that sets a scale by mistake is told so; one whose formula has a scale says it in its definition."""
    cls = changed(scale=1.0)
    found = verdict(cls)
    assert not found.passed and "q·k is multiplied by 1, by the definition by 0.5" in found.cause
    found = verdict(changed(scale=0.5))  # that of 4 channels
    assert "d_head 6" in str(found.trial) and "by 0.5, by the definition by 0.4082" in found.cause
    assert workbench.agrees(lambda n, d: cls(n), workbench.with_bias(number, scale=1.0), ["eager"]).passed


def test_a_bias_beside_vectors():
    """Vectors for a few offsets, and a number for the rest."""

    class Both(Position):
        def __init__(self, n_heads, d_head):
            super().__init__()
            self.near = nn.Parameter(torch.ones(n_heads, 4, d_head))
            self.far = nn.Parameter(torch.ones(n_heads, 1))

        def key_vectors(self, n_q, n_k, past):
            table = torch.cat([self.near, torch.zeros_like(self.near[:, :1])], 1)
            return Vectors(table[:, row_offsets(n_q, n_k, past).abs().clamp(max=4)])

        def bias(self, n_q, n_k, past):
            return torch.where(row_offsets(n_q, n_k, past).abs() < 4, 0 * self.far, self.far)

    def key(module, head, r):
        return module.near[head, abs(r)] if abs(r) < 4 else [0.0] * module.near.shape[-1]

    def bias(module, head, r):
        return 0.0 if abs(r) < 4 else module.far[head, 0]

    assert workbench.agrees(Both, workbench.with_vectors(key, bias=bias), ["eager", "sdpa"]).passed
    assert not workbench.agrees(Both, workbench.with_vectors(key), ["eager"]).passed


def returning(**hooks):
    """A make whose scheme has hooks that return this."""
    methods = {name: (lambda self, *sizes, value=value: value) for name, value in hooks.items()}
    return lambda n, d: type("Odd", (Position,), methods)()


def right(n_heads, d_head):
    return DecayBias()


ZERO = workbench.with_bias(lambda module, head, r: 0.0)
ODD = {
    "no function": (lambda: workbench.benchmark(None), "make=None: expected a function of (n_heads, d_head)"),
    "a scheme": (lambda: workbench.train(DecayBias()), "make=a DecayBias: expected a function"),
    "one argument": (lambda: workbench.agrees(lambda n: DecayBias(), ZERO), "make: too many positional arguments"),
    "makes None": (lambda: workbench.agrees(lambda n, d: None, ZERO), "make(2, 4) returned None: expected"),
    "makes a class": (lambda: workbench.agrees(lambda n, d: DecayBias, ZERO), "returned the class DecayBias"),
    "makes a Linear": (lambda: workbench.benchmark(lambda n, d: nn.Linear(2, 2)), "make(8, 64) returned a Linear"),
    "makes a tensor": (lambda: workbench.agrees(lambda n, d: torch.ones(2), ZERO), "returned a tensor (2,)"),
    "a list": (lambda: workbench.agrees(returning(bias=[0.0]), ZERO), "bias(2, 2, 0) returned a list: expected"),
    "bare vectors": (lambda: workbench.train(returning(key_vectors=torch.ones(1, 3, 4))), "expected Vectors("),
    "only q": (lambda: workbench.agrees(returning(rotate=torch.ones(1)), ZERO), "expected q and k, each (1, 2, 2, 4)"),
    "a function": (lambda: workbench.agrees(right, math.sqrt), "definition=a builtin_function_or_method: expected"),
    "no definition": (lambda: workbench.agrees(right, None), "definition=None: expected with_bias"),
    "a number": (lambda: workbench.with_bias(3), "number=3: expected a function of (module, head, r)"),
    "a number as scores": (lambda: workbench.Definition(3), "scores=3: expected a function"),
    "no number": (
        lambda: workbench.agrees(right, workbench.with_bias(lambda *a: None)),
        "the definition's number for head 0, offset 0: None; expected one number",
    ),
    "a short vector": (
        lambda: workbench.agrees(right, workbench.with_vectors(lambda *a: [0.0])),
        "the definition's vector for head 0, offset 0: [0.0]; expected 4 numbers",
    ),
    "a short value": (
        lambda: workbench.agrees(right, workbench.with_vectors(value=lambda *a: [0.0] * 9)), "expected 4 numbers"
    ),
    "channels": (
        lambda: workbench.agrees(right, workbench.with_rotation(lambda *a: [(0, 4, 1.0)])),
        "the definition's pairs of head 0: [(0, 4, 1.0)]; expected triples of two different channels from 0 to 3",
    ),
    "no rows": (lambda: workbench.agrees(right, workbench.Definition(lambda *a: [[0.0]])), "6 rows of 6 numbers"),
    "no backend": (lambda: workbench.agrees(right, ZERO, []), "backends=[]: expected a list of one or more"),
    "a name for backends": (lambda: workbench.agrees(right, ZERO, "eager"), "backends='eager': expected a list"),
    "no backend that can": (
        lambda: workbench.agrees(SCHEMES["Shaw"].make, SCHEMES["Shaw"].definition, ["flex"]), "none of them can"
    ),
    "n": (lambda: workbench.benchmark(right, n=1.5), "n=1.5: expected a whole number"),
    "rounds": (lambda: workbench.benchmark(right, rounds="7"), "rounds='7': expected a whole number"),
    "seed": (lambda: workbench.train(right, seed=1.5), "seed=1.5: expected a whole number"),
    "a name for neighbours": (lambda: workbench.train(right, against="alibi"), "against='alibi': expected a list"),
    "a function as neighbour": (lambda: workbench.train(right, against=[right]), "expected a list of names"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_what_is_none_is_told_so(name):
    call, words = ODD[name]
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


def test_a_hook_that_keeps_something_between_calls():
    class Drifting(PerHead):
        calls = 0

        def bias(self, n_q, n_k, past):
            self.calls += n_q == 1 and past < 6
            return super().bias(n_q, n_k, past) - self.calls * (super().bias(n_q, n_k, past) != 0)

    assert "keep something between calls" in verdict(Drifting).cause


def test_the_schemes_own_error_is_raised():
    def bias(self, n_q, n_k, past):
        raise ValueError("not yet")

    with pytest.raises(ValueError, match="not yet"):
        verdict(changed(bias=bias))


def test_the_callers_random_numbers_are_left_alone():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    verdict(PerHead)
    assert torch.equal(torch.rand(3), expected)


# ---------------------------------------------------------------- the time


@pytest.fixture
def cpu_time(monkeypatch):
    """Measures without what other programs take; not on Windows, where this clock ticks too slowly."""
    if os.name != "nt":
        monkeypatch.setattr("course_lib.workbench.speed.time", SimpleNamespace(perf_counter=time.process_time))


def test_the_benchmark_measures_what_a_layer_does(cpu_time):
    found = workbench.benchmark(lambda n, d: T5Bias(n), n=128, rounds=3)
    assert 0.5 < found.forward < 50 and 0.5 < found.backward < 50
    assert found.kept == {128: 8 * 255 * 4, 256: 8 * 511 * 4}  # a float32 per head and offset
    assert "T5Bias beside attention without position: 128 tokens" in repr(found)
    vectors = workbench.benchmark(lambda n, d: ShawVectors(n, d, 2), n=64, rounds=1)
    assert vectors.kept[64] == 2 * 8 * 5 * 64 * 4  # two tables


def test_a_scheme_that_makes_a_grid_is_slow(cpu_time):
    """A hook that does as much work as attention itself must show in its ratio."""

    class Slow(DecayBias):
        def bias(self, n_q, n_k, past):
            torch.randn(8, n_q, n_k).softmax(-1)
            return super().bias(n_q, n_k, past)

    fast, slow = (
        workbench.benchmark(lambda n, d, cls=cls: cls(), n=512, rounds=5).forward for cls in (DecayBias, Slow)
    )
    assert slow > 1.5 * fast


def test_threads_are_as_before_and_sizes_are_checked():
    threads = torch.get_num_threads()
    workbench.benchmark(lambda n, d: DecayBias(), n=8, rounds=1)
    assert torch.get_num_threads() == threads
    with pytest.raises(ValueError, match="n=0: expected a whole number"):
        workbench.benchmark(lambda n, d: DecayBias(), n=0)


# ---------------------------------------------------------------- the training


def test_training_equals_the_study():
    """The scheme log-1, given as one's own, has the losses of the study; neighbours of other settings are trained."""
    found = workbench.train(lambda n, d: DecayBias(1.0), task="copy-back", against=["log-1"], steps=3)
    assert found.live == ("DecayBias", "log-1") and found.loss["DecayBias"] == found.loss["log-1"]
    assert found.rows[1]["settings"] == study.Settings(steps=3).as_json()
    text = repr(found)
    assert "DecayBias after 3 steps on 64 tokens, seed 0" in text and "trained here: DecayBias, log-1" in text


def test_each_layer_has_a_scheme_of_its_own():
    found = workbench.train(lambda n, d: PerHead(n), task="copy-back", against=[], steps=2)
    first, second = (block.attention.position for block in found.model.blocks)
    assert first is not second and not torch.equal(first.strength, torch.ones(4))


@pytest.mark.slow("study.bias")
def test_committed_neighbours_stand_beside_a_run_of_the_same_settings():
    found = workbench.train(lambda n, d: DecayBias(1.0), task="flip-flop", against=["log-1"])
    assert found.live == ("DecayBias",)
    ours, theirs = found.loss["DecayBias"], found.loss["log-1"]
    assert ours == pytest.approx(theirs, abs=0.05)  # another processor rounds otherwise


def test_a_neighbour_named_twice_stands_once_and_a_loss_of_nan_is_told():
    class Undefined(Position):
        def bias(self, n_q, n_k, past):
            return torch.full((1, n_q + n_k - 1), torch.nan)

    found = workbench.train(lambda n, d: Undefined(), task="copy-back", against=["alibi", "alibi"], steps=2)
    assert [row["scheme"] for row in found.rows] == ["Undefined", "alibi"]
    assert "A loss is nan" in repr(found)


def test_an_unknown_neighbour_is_refused_before_the_training():
    with pytest.raises(ValueError, match="scheme='t6'"):
        workbench.train(lambda n, d: DecayBias(1.0), against=["t6"])


def test_faces():
    """The box holds the lines of the text; a verdict has its colour, a measurement none."""
    right, wrong = verdict(PerHead), verdict(SLIPS["past ignored"][0])
    measured = workbench.benchmark(lambda n, d: DecayBias(), n=8, rounds=1)
    for found, (ground, _, _) in ((right, GREEN), (wrong, AMBER), (measured, GREY)):
        page = found._repr_html_()
        assert page.startswith(f'<div class="rp-result" style="background:{ground}')
        text = html.unescape(re.sub("<[^>]+>", "", page))
        assert all(line.strip().replace("`", "") in text for line in repr(found).splitlines())
