"""The guide: the rules are whole, their words are what modules do and what was measured, and answers combine."""

import re
from itertools import product

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_kit.contents import number
from course_lib import schemes
from course_lib.nn.attention import attention, causal_mask
from course_lib.nn.cache import SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position
from course_lib.nn.terms import Terms
from course_lib.reference.alibi import slopes
from course_lib.reference.t5 import bucket_starts
from course_lib.schemes import Sizes
from course_tasks import comparison, guide
from course_tasks.guide import CAVEAT, FITS, OUT, QUESTIONS, SCHEMES
from course_tasks.measured import BITS, COMPARED, COPY, TEXT, losses, repaired, right, verdict

ASKED, LENGTHS, FIND, WEIGHTS, COMPUTED, PARAMETERS = QUESTIONS
EXACT, NEAREST = "an exact distance: “three back”", "the nearest of a kind: “the last write”"
LONGER, FLASH = "longer than in training", "a flash kernel without a bias"
RULES = [(q, a, rule) for q, options in QUESTIONS.items() for a, rules in options.items() for rule in rules]
CELLS = {(q, a, scheme): rule for q, a, rule in RULES for scheme in rule.schemes}
TABLE = comparison.table(n=16)


def why(question, answer, scheme):
    return CELLS[question, answer, scheme].why


def test_every_answer_speaks_of_every_scheme_once_or_of_none():
    for question, options in QUESTIONS.items():
        for answer, rules in options.items():
            named = [scheme for rule in rules for scheme in rule.schemes]
            assert not rules or sorted(named) == sorted(SCHEMES), (question, answer)
    assert list(SCHEMES)[:3] == ["none", "learned", "sinusoidal"]
    assert not any(rule.why == guide.UNTOLD for _, _, rule in RULES)
    read = guide.read("# A question?\n## an answer\n✓ none,\n  learned: Why\n  not. [alibi]")
    told, untold = read["A question?"]["an answer"]
    assert told == (FITS, ("none", "learned"), "Why not.", ("alibi",))
    assert untold.verdict == CAVEAT and len(untold.schemes) == len(SCHEMES) - 2  # such as one that a reader registers


def test_a_measurement_is_told_as_one_and_rules_nothing_out():
    for _, _, rule in RULES:
        assert list(map(number, rule.chapters)) == sorted(map(number, rule.chapters))
        measured = "longer_than_training" in rule.chapters
        assert measured == bool(re.search("[Ss]mall models", rule.why)), rule
        assert not (measured and rule.verdict == OUT), rule


# --- what was measured ----------------------------------------------------------------------------------------------

RUNS = {"none": "none", "sinusoidal": "sinusoidal", "log decay": "log-1", "Shaw": "shaw-32", "ALiBi": "alibi",
        "RoPE": "rope", "Transformer-XL": "transformer-xl", "T5 buckets": "t5-64", "sliding window": "window-64",
        "FoX": "fox", "hybrid": "window-64+none", "FIRE": "fire"}  # fmt: skip
NAMED = {"text": TEXT, "copying": COPY, "flip-flop": BITS}
WITHOUT = {"T5 buckets": "t5-256", "hybrid": "rope+none"}  # what breaks: a run that lacks what the scheme needs


@pytest.mark.parametrize("scheme", RUNS)
def test_longer_texts_fit_who_stayed_level_and_the_words_are_the_study_s(scheme):
    said, run = why(LENGTHS, LONGER, scheme), RUNS[scheme]
    words = re.findall(r"level in ([\w, -]+)", said)
    tasks = [task for task in NAMED if words and task in words[0]]
    assert all(verdict(run, NAMED[task]) == "level" for task in tasks)
    assert bool(tasks) == (verdict(run) == "level")
    conditions = scheme == "T5 buckets" and verdict(run, TEXT, "table-rate-1") == "breaks"
    assert (CELLS[LENGTHS, LONGER, scheme].verdict == FITS) == (bool(tasks) and not conditions)
    assert "broke" not in said or verdict(WITHOUT.get(scheme, run)) == "breaks"
    if tasks:  # with all keys masked that are as far back as a training text is long, nothing is lost
        assert (losses(run, what="far_masked") - losses(run))[:, 3].max() < 0.001


def test_what_is_said_of_longer_texts_without_a_number():
    for scheme in ("none", "sinusoidal"):
        assert "worse than guessing in copying" in why(LENGTHS, LONGER, scheme)
        assert losses(RUNS[scheme], COPY).mean(axis=0)[3] > np.log(16)
    assert verdict("sinusoidal-scaled") == "breaks" and verdict("shaw-32", COPY) == "level"  # "went on copying"
    for task in (TEXT, COPY):  # "last in text and copying"
        assert max(COMPARED, key=lambda run: losses(run, task)[:, 0].mean()) == "none"
    assert verdict("window-64+none", TEXT, "long-4000") == "rises"
    masked = (losses("fire", what="far_masked")[:, 3] - losses("fire")[:, 0]).mean()
    assert 0.9 < masked / guide.FACTS["lost"]["fire"] < 1  # "nearly as much with far keys masked"
    assert repaired("YaRN's code", further=60, at=1024)[3] < repaired("as trained", further=60, at=1024)[3]
    parts = losses("rope", what="by_position").mean(axis=0) - losses("transformer-xl", what="by_position").mean(axis=0)
    place = guide.FACTS["rope_breaks"] // 32
    assert parts[place - 1] < parts[3] + 0.05 < parts[3] + 0.5 < parts[place] < parts[place + 1]


def test_who_copies_and_who_finds_the_last_write():
    for scheme, run in (RUNS | {"learned": "learned"}).items():
        if scheme != "FIRE":
            said, share = why(FIND, EXACT, scheme), right(run, COPY)
            at = share if "every length" in said else share[:1]
            assert ("without error" in said) == (at.min() > 0.9999), scheme
    assert right("fox", COPY).min() > 0.99
    assert np.ptp(right("alibi", COPY)) < 0.005 and right("alibi", COPY, "quick")[0] < 0.7  # "slowly"
    assert repaired_right("YaRN's code").min() > 0.9999 and repaired_right("interpolated").max() < 0.1
    shared = [int(np.argmax(np.diff(bucket_starts(bidirectional=both)) > 1)) for both in (False, True)]
    assert f"up to {shared[0] - 1} ({shared[1] - 1} in an encoder)" in why(FIND, EXACT, "T5 buckets")
    for scheme in ("Transformer-XL", "ALiBi", "FoX", "sliding window"):
        assert right(RUNS[scheme], BITS).min() > (0.98 if scheme == "sliding window" else 0.999)
    assert right("rope", BITS)[0] > 0.99 and right("rope", BITS)[3] < 0.7 and right("log-1", BITS)[0] > 0.99


def repaired_right(repair):
    return right(f"{repair}, 0 at 128", COPY, "repairs")


# --- what modules do ------------------------------------------------------------------------------------------------

HOOKED = [name for name, scheme in schemes.SCHEMES.items() if isinstance(scheme.module(Sizes()), Position)]


def layer(name, backend="auto"):
    scheme = schemes.SCHEMES[name]
    sizes = Sizes(16, 2, 32, clip=2, keys=3, causal=True if scheme.other and scheme.other[1] else None)
    torch.manual_seed(0)
    return RelativeAttention(16, 2, scheme.module(sizes), causal=True, backend=backend).requires_grad_(False)


@pytest.mark.parametrize("name", HOOKED)
def test_a_memory_equals_one_pass_unless_the_guide_rules_it_out(name):
    if CELLS[ASKED, "text in segments, with a memory", name].verdict < OUT:
        x, memory, one = torch.randn(1, 12, 16), SegmentMemory(12), layer(name)
        assert torch.allclose(torch.cat([one(part, cache=memory) for part in x.split(4, 1)], 1), one(x), atol=1e-5)


@pytest.mark.parametrize("name", schemes.SCHEMES)
def test_what_computes_it_is_what_the_table_found(name):
    works, enters = TABLE[name, "fused"].value, set(TABLE[name, "where it enters"].value)
    assert (CELLS[COMPUTED, "FlexAttention", name].verdict == FITS) == ("flex" in works)
    added = enters - {"input", "rotate"}
    ways_round = {"ALiBi", "FoX", "sink", "sliding window"}  # by one more channel or key, or an argument of its own
    expected = FITS if not added else CAVEAT if name in ways_round else OUT
    assert CELLS[COMPUTED, FLASH, name].verdict == expected
    assert (CELLS[PARAMETERS, "no parameters", name].verdict == OUT) == (TABLE[name, "learns"].value > 0)
    if TABLE[name, "direction"].value in ("blind", "mirror") and enters:
        assert CELLS[ASKED, "text, read both ways", name].verdict == CAVEAT


def test_one_more_channel_or_key_brings_alibi_fox_and_a_sink_into_any_kernel():
    q, k, v = torch.randn(3, 2, 4, 6, 8, dtype=torch.float64)
    m, a, scale = torch.from_numpy(slopes(4))[:, None], torch.randn(4, dtype=torch.float64), 8**-0.5
    longer_q = torch.cat([q, torch.full((2, 4, 6, 1), 1 / scale, dtype=q.dtype)], -1)
    for key_bias in (m * torch.arange(6), torch.randn(2, 4, 6, dtype=torch.float64)):  # ALiBi's m · j, FoX's −c_j
        longer_k = torch.cat([k, key_bias[..., None].expand(2, 4, 6, 1)], -1)
        found = scaled_dot_product_attention(longer_q, longer_k, v, is_causal=True, scale=scale)
        terms = Terms(key_bias=key_bias.expand(2, 4, 6), mask=causal_mask(6, 6))
        assert torch.allclose(found, attention(q, k, v, terms)[0])
    sink = torch.cat([torch.zeros(2, 4, 1, 8, dtype=q.dtype), a[:, None, None].expand(2, 4, 1, 1)], -1)
    keys = torch.cat([torch.cat([k, torch.zeros_like(k[..., :1])], -1), sink], -2)
    values = torch.cat([v, torch.zeros_like(v[..., :1, :])], -2)
    found = scaled_dot_product_attention(longer_q, keys, values, scale=scale)
    assert torch.allclose(found, attention(q, k, v, Terms(sink=a))[0])


def test_the_worst_verdict_wins_and_the_reasons_are_kept():
    for answers in product(*(QUESTIONS[q].items() for q in (ASKED, LENGTHS, FIND))):
        found = guide.decide({q: answer for q, (answer, _) in zip(QUESTIONS, answers, strict=False)})
        for scheme, decision in found.items():
            rules = [rule for _, rules in answers for rule in rules if scheme in rule.schemes]
            assert decision.verdict == max(rule.verdict for rule in rules) == decision.rules[0].verdict
            assert sorted(decision.rules) == sorted(rules)
    assert all(decision == (FITS, []) for decision in guide.decide({}).values())
    for answer in list(QUESTIONS[WEIGHTS])[1:]:
        assert [decision.verdict for decision in guide.decide({WEIGHTS: answer}).values()].count(FITS) == 1
    assert {d.verdict for d in guide.decide({WEIGHTS: "from T5", COMPUTED: FLASH}).values()} == {OUT}


def test_the_picture_says_it_too():
    whole = guide.picture()._repr_html_()
    assert all(f"<b>{answer}</b>" in whole for options in QUESTIONS.values() for answer in options)
    assert whole.count("<li>") == len(RULES) and whole.count("speaks against none") == 5
    told = guide.picture({ASKED: "an image, in windows", LENGTHS: "as in training"}).alt
    assert "fits: Swin, axial RoPE, M-RoPE; possible, with a caveat: none, learned, sinusoidal" in told
    for wrong, message in (({"What?": "yes"}, "question='What?'"), ({PARAMETERS: "some"}, "'some': expected one of"),
                           ("from T5", "answers='from T5': expected a dictionary")):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(message)):
            guide.picture(wrong)
