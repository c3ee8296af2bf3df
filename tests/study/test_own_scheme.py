"""A scheme of one's own: what is right agrees, what is wrong is placed and explained, and it trains in the study."""

import math
import os
import time
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from course_lib.nn.bias import DecayBias
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_study import own_scheme

from ..schemes.definitions import DEFINED

SAY_NOTHING = ("none", "T5, cross-attention")
OF_ANY_SIZE = [name for name, scheme in DEFINED.items() if scheme.least == 2]  # trials have heads of 4 and 6 channels


class PerHead(Position):
    """b_h(r) = −s_h √|r|, with a strength for each head."""

    def __init__(self, n_heads):
        super().__init__()
        self.strength = nn.Parameter(torch.ones(n_heads))

    def bias(self, n_q, n_k, past):
        return -self.strength[:, None] * row_offsets(n_q, n_k, past).abs().to(self.strength.dtype).sqrt()


def number(module, head, r):
    return -module.strength[head] * math.sqrt(abs(r))


def verdict(**hooks):
    """What `agrees` says of a `PerHead` with other methods."""
    cls = type("Changed", (PerHead,), hooks)
    return own_scheme.agrees(lambda n_heads, d_head: cls(n_heads), own_scheme.with_bias(number))


bias = PerHead.bias


def drifting(self, n_q, n_k, past):
    """Right at first; it counts the calls for a single query after others, and the count gets into the numbers."""
    self.calls = getattr(self, "calls", 0) + (n_q == 1 and 0 < past < 6)
    return bias(self, n_q, n_k, past) - self.calls * (bias(self, n_q, n_k, past) != 0)


# --- agrees -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in OF_ANY_SIZE if name not in SAY_NOTHING])
def test_every_scheme_of_the_course_agrees(name):
    found = own_scheme.agrees(DEFINED[name].make, DEFINED[name].definition)
    assert found.passed, found


SLIPS = {
    "sign": (lambda self, *n: -bias(self, *n), "wrong sign"),
    "past ignored": (lambda self, n_q, n_k, past: bias(self, n_q, n_k, 0), "Nothing is wrong without a cache"),
    "n_k from past and n_q": (
        lambda self, n_q, n_k, past: nn.functional.pad(bias(self, n_q, past + n_q, past), (0, n_k - past - n_q)),
        "n_k is not always past + n_q",
    ),
    "heads reversed": (lambda self, *n: bias(self, *n).flip(0), "in reverse order along the head axis"),
    "nothing": (lambda self, *n: 0 * bias(self, *n), "the same number"),
    "a single query": (lambda self, n_q, *n: (n_q > 1) * bias(self, n_q, *n), "with several queries. With one?"),
    "few digits": (
        lambda self, *n: bias(self, *n) if self.strength.dtype == torch.float64 else bias(self, *n).bfloat16(),
        "Nothing is wrong in float64",
    ),
    "something kept": (drifting, "keep something between calls"),
    "another strength": (lambda self, *n: 2 * bias(self, *n), "2 times what it should be"),
    "a square": (lambda self, *n: -self.strength[:, None] * row_offsets(*n) ** 2, ""),
}  # fmt: skip


def test_a_right_scheme_whose_numbers_are_float32_agrees():
    found = verdict(bias=lambda self, *n: bias(self, *n).float())
    assert found.passed and "250 tokens in a cache" in repr(found), found


@pytest.mark.parametrize("slip", SLIPS)
def test_a_wrong_scheme_is_told_where_and_why(slip):
    wrong, words = SLIPS[slip]
    found = verdict(bias=wrong)
    assert not found.passed and words in found.cause, found
    assert "score" in found.place and found.trial and bool(words) == ("→" in repr(found))
    if slip == "past ignored":  # the first score of the first trial that fails
        assert found.trial == "four tokens in a cache" and "head 0, query at position 4, key at 0" in found.place


def test_forgotten_value_vectors():
    class KeysOnly(ShawVectors):
        def value_vectors(self, n_q, n_k, past):
            return None

    found = own_scheme.agrees(lambda n, d: KeysOnly(n, d, 2), DEFINED["Shaw"].definition)
    assert "its scores do not" in found.place and "value vectors" in found.cause


FAULTY_TURNS = {
    "new keys at 0": (lambda turn, q, k, past, first_key: (turn(q, past), turn(k, 0)), "without a cache"),
    "first_key ignored": (lambda turn, q, k, past, first_key: (turn(q, past), turn(k, past)), "`first_key`"),
    "only the first text": (
        lambda turn, q, k, past, first_key: tuple(
            torch.cat([turn(x[:1], start), x[1:]]) for x, start in ((q, past), (k, first_key))
        ),
        "",
    ),
}


@pytest.mark.parametrize("name", FAULTY_TURNS)
def test_a_wrong_rotation_is_told_where_and_why(name):
    faulty, words = FAULTY_TURNS[name]

    class Turned(RoPE):
        def prepare(self, q, k, past, first_key=None):
            def turn(x, start):
                return RoPE.prepare(self, x, x, start, start)[0]

            return faulty(turn, q, k, past, past if first_key is None else first_key)

    found = own_scheme.agrees(lambda n, d: Turned(d), DEFINED["RoPE"].definition)
    assert not found.passed and words in found.cause and "by the definition" in found.place


def test_far_keys_are_tried():
    """The ramp of the lesson without its stop is the same at short distances."""

    class Straight(Position):
        def bias(self, n_q, n_k, past):
            return -0.25 * row_offsets(n_q, n_k, past).abs()[None]

    found = own_scheme.agrees(lambda n, d: Straight(), own_scheme.with_bias(lambda m, head, r: -0.25 * min(abs(r), 16)))
    assert not found.passed and found.cause.startswith("Nothing is wrong near by")


def test_the_scale_is_the_definitions():
    """A scheme that sets a scale by mistake is told so; one whose formula has a scale says it in its definition."""
    assert "q·k is multiplied by 1, in the definition by 0.5" in verdict(scale=1.0).cause
    assert "by 0.5, in the definition by 0.4082" in verdict(scale=0.5).cause  # that of 4 channels
    cls = type("Unscaled", (PerHead,), {"scale": 1.0})
    assert own_scheme.agrees(lambda n, d: cls(n), own_scheme.with_bias(number, scale=1.0)).passed


def test_errors_of_the_scheme_are_raised_and_random_numbers_are_left_alone():
    def late(self, n_q, n_k, past):
        if past:
            raise ArithmeticError("not yet")
        return bias(self, n_q, n_k, past)

    with pytest.raises(ArithmeticError, match="not yet") as raised:
        verdict(bias=late)
    assert raised.value.__notes__ == ["in the trial with four tokens in a cache"]
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    verdict()
    assert torch.equal(torch.rand(3), expected)


# --- what is no scheme --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAY_NOTHING)
def test_a_scheme_that_says_nothing_is_not_attempted(name):
    make, definition = DEFINED[name].make, DEFINED[name].definition
    for found in (own_scheme.agrees(make, definition), own_scheme.benchmark(make), own_scheme.train(make)):
        assert not found.attempted and repr(found).startswith("○ not attempted: ")


def asking(**hooks):
    """A make whose scheme has these hooks."""
    return lambda n, d: type("Odd", (Position,), hooks)()


REFUSED = {
    "make=DecayBias": lambda: own_scheme.benchmark(DecayBias()),
    "make takes": lambda: own_scheme.benchmark(lambda n: DecayBias()),
    "returned a NoneType": lambda: own_scheme.benchmark(lambda n, d: None),
    "key_vectors returned a Tensor": lambda: own_scheme.benchmark(
        asking(key_vectors=lambda self, *n: torch.ones(1, 3, 4))
    ),
    "bias takes": lambda: own_scheme.benchmark(asking(bias=lambda self, n_q, n_k, past, scores: scores)),
    "number takes": lambda: own_scheme.with_bias(lambda module, head: 0.0),
    "definition=": lambda: own_scheme.agrees(lambda n, d: DecayBias(), math.sqrt),
    "scheme='t6'": lambda: own_scheme.train(lambda n, d: DecayBias(), against=["t6"]),
}


@pytest.mark.parametrize("named", REFUSED)
def test_what_is_no_scheme_and_no_definition_is_named(named):
    with pytest.raises(ValueError, match=named):
        REFUSED[named]()


# --- benchmark and train ------------------------------------------------------------------------------------------


def test_the_benchmark_measures_what_a_layer_does(monkeypatch):
    if os.name != "nt":  # without what other programs take; on Windows this clock ticks too slowly
        monkeypatch.setattr(own_scheme.speed, "time", SimpleNamespace(perf_counter=time.process_time))

    class Slow(DecayBias):
        def bias(self, n_q, n_k, past):
            torch.randn(8, n_q, n_k).softmax(-1)  # as much work as attention itself
            return super().bias(n_q, n_k, past)

    threads = torch.get_num_threads()
    fast, slow = (own_scheme.benchmark(lambda n, d, cls=cls: cls(), n=512, rounds=5) for cls in (DecayBias, Slow))
    assert slow.forward > 1.5 * fast.forward and 0.5 < fast.backward < 50 and torch.get_num_threads() == threads
    found = own_scheme.benchmark(lambda n, d: T5Bias(n), n=64, rounds=1)
    assert found.kept == {64: 8 * 127 * 4, 128: 8 * 255 * 4}  # a float32 per head and offset


def test_training_equals_the_study_and_each_layer_has_a_scheme_of_its_own():
    found = own_scheme.train(lambda n, d: DecayBias(1.0), task="copy-back", against=["log-1", "log-1"], steps=3, seed=1)
    assert found.loss["DecayBias"] == found.loss["log-1"] and len(found.rows) == 2
    assert "DecayBias after 3 steps on 128 tokens, seed 1" in repr(found)
    first, second = (block.attention.position for block in found.model.blocks)
    assert first is not second


def test_a_loss_of_nan_is_told():
    make = asking(bias=lambda self, n_q, n_k, past: torch.full((1, n_q + n_k - 1), torch.nan))
    assert "A loss is nan" in repr(own_scheme.train(make, task="copy-back", against=[], steps=2))
