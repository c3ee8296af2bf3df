"""The bench: what is right agrees, what is wrong is found and placed; times and losses are those of the course."""

import html
import math
import re

import pytest
import torch
from torch import nn

from course_lib import study, workbench
from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias
from course_lib.tasks.engine.faces import AMBER, GREEN, GREY
from course_lib.workbench.agreement import BACKENDS

from .schemes import SCHEMES, shaw_row

SAY_NOTHING = ("none", "t5 cross-attention")
WITH_FLEX = ("t5 decoder", "shaw", "huang", "rope")


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
    backends = ["eager", "sdpa", *["flex"] * (name in WITH_FLEX)]  # which takes seconds
    found = workbench.agrees(SCHEMES[name].make, SCHEMES[name].definition, backends)
    assert found.passed, found
    assert found.largest[torch.float64] < 1e-10 and found.largest[torch.float32] < 1e-5
    assert ("flex" in found.refused) == (name == "shaw")  # FlexAttention takes no value vectors


@pytest.mark.parametrize("name", SAY_NOTHING)
def test_a_scheme_that_says_nothing_is_not_attempted(name):
    make = SCHEMES[name].make
    for found in (
        workbench.agrees(make, SCHEMES[name].definition),
        workbench.benchmark(make),
        workbench.train(make),
    ):
        assert not found.attempted and repr(found).startswith("○ not attempted: ")


def test_what_it_says_of_a_right_scheme():
    text = repr(verdict(PerHead, BACKENDS))
    assert text.startswith("✓ PerHead agrees with its definition in 54 trials")
    assert "by eager, sdpa and flex; no difference reaches 1e-10 in float64 and 1e-05 in float32" in text


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

    assert "Past and future have changed places" in workbench.agrees(make, workbench.with_bias(turned)).cause


def test_forgotten_value_vectors():
    class KeysOnly(ShawVectors):
        def value_vectors(self, n_q, n_k, past):
            return None

    definition = workbench.with_vectors(
        lambda module, head, r: shaw_row(module.key_table, head, 2, r),
        lambda module, head, r: shaw_row(module.value_table, head, 2, r),
    )
    found = workbench.agrees(lambda n, d: KeysOnly(n, d, 2), definition)
    assert found.place == "every score agrees to four decimals; the answer does not"
    assert "value vectors" in found.cause


def test_a_forgotten_rotation_of_the_past():
    class NoPast(RoPE):
        def rotate(self, q, k, past, first_key=None):
            return super().rotate(q, k, 0, 0)

    found = workbench.agrees(lambda n, d: NoPast(d), SCHEMES["rope"].definition)
    assert "Right without a cache, wrong with one" in found.cause


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


def test_the_benchmark_measures_what_a_layer_does():
    found = workbench.benchmark(lambda n, d: T5Bias(n), n=128, rounds=3)
    assert 0.5 < found.forward < 50 and 0.5 < found.backward < 50
    assert found.kept == {128: 8 * 255 * 4, 256: 8 * 511 * 4}  # a float32 per head and offset
    assert "T5Bias beside attention without position: 128 tokens" in repr(found)
    vectors = workbench.benchmark(lambda n, d: ShawVectors(n, d, 2), n=64, rounds=1)
    assert vectors.kept[64] == 2 * (8 * 5 * 64 * 4 + 127 * 8)  # two tables, and an index for each


def test_a_scheme_that_makes_a_grid_is_slow():
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
    with pytest.raises(ValueError, match="n=0, rounds=7: expected"):
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


@pytest.mark.slow
def test_committed_neighbours_stand_beside_a_run_of_the_same_settings():
    found = workbench.train(lambda n, d: DecayBias(1.0), task="flip-flop", against=["log-1"])
    assert found.live == ("DecayBias",)
    ours, theirs = found.loss["DecayBias"], found.loss["log-1"]
    assert ours == pytest.approx(theirs, abs=0.05)  # another processor rounds otherwise


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
