"""A scheme beside its definition: what is right agrees, what is wrong is found, placed and explained."""

import html
import math
import re

import pytest
import torch
from torch import nn

from course_lib import workbench
from course_lib.display.box import AMBER, GREEN, GREY
from course_lib.nn.bias import DecayBias
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position, Vectors
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.workbench.against_definition import BACKENDS

from ..schemes.definitions import SCHEMES, shaw_row
from .common import SAY_NOTHING, PerHead, changed, number, verdict

OF_ANY_SIZE = [name for name, scheme in SCHEMES.items() if scheme.least == 2]  # trials have heads of 4 and 6 channels


@pytest.mark.parametrize("name", [name for name in OF_ANY_SIZE if name not in SAY_NOTHING])
def test_every_scheme_of_the_course_agrees(name):
    backends = ["eager", "sdpa", *["flex"] * (name == "Shaw")]
    found = workbench.agrees(SCHEMES[name].make, SCHEMES[name].definition, backends)
    assert found.passed, found
    assert found.largest[torch.float64] < 1e-10 and found.largest[torch.float32] < 1e-5
    assert ("flex" in found.refused) == (name == "Shaw")  # FlexAttention takes no value vectors


@pytest.mark.slow
@pytest.mark.parametrize("name", ["T5 buckets, causal", "Music Transformer", "RoPE"])
def test_schemes_agree_by_flex(name):
    """A bias, a vector per offset and a rotation; that flex equals eager for every scheme, test_backends shows."""
    found = workbench.agrees(SCHEMES[name].make, SCHEMES[name].definition, ["flex"])
    assert found.passed and not found.refused, found


@pytest.mark.parametrize(("backends", "words", "number_of"), [
    (("eager", "sdpa"), "eager and sdpa", 44),
    pytest.param(BACKENDS, "eager, sdpa and flex", 66, marks=pytest.mark.slow),
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


def test_faces():
    """The box holds the lines of the text; a verdict has its colour, a measurement none."""
    right, wrong = verdict(PerHead), verdict(SLIPS["past ignored"][0])
    measured = workbench.benchmark(lambda n, d: DecayBias(), n=8, rounds=1)
    for found, (ground, _, _) in ((right, GREEN), (wrong, AMBER), (measured, GREY)):
        page = found._repr_html_()
        assert page.startswith(f'<div class="rp-result" style="background:{ground}')
        text = html.unescape(re.sub("<[^>]+>", "", page))
        assert all(line.strip().replace("`", "") in text for line in repr(found).splitlines())
