"""The guide: the rules are whole, their words are what modules do and what was measured, and answers combine."""

import re
from html import escape
from itertools import product

import numpy as np
import pytest

from course_kit.contents import number
from course_lib import schemes
from course_lib.reference.t5 import bucket_starts
from course_tasks import guide
from course_tasks.guide import CAVEAT, FITS, OUT, QUESTIONS, SCHEMES
from course_tasks.measured import COMPARED, COPY, losses, right

ASKED, LENGTHS, FIND, WEIGHTS, COMPUTED, PARAMETERS = QUESTIONS
EXACT = "an exact distance: “three back”"
FLASH = "a flash kernel without a bias"
RULES = [(q, a, rule) for q, options in QUESTIONS.items() for a, rules in options.items() for rule in rules]
CELLS = {(q, a, scheme): rule for q, a, rule in RULES for scheme in rule.schemes}


def test_every_answer_speaks_of_every_scheme_once_or_of_none():
    for question, options in QUESTIONS.items():
        for answer, rules in options.items():
            named = [scheme for rule in rules for scheme in rule.schemes]
            assert not rules or sorted(named) == sorted(SCHEMES), (question, answer)
    assert list(SCHEMES)[:3] == ["none", "learned", "sinusoidal"]
    read = guide.read("# A question?\n## an answer\n✓ none,\n  learned: Why\n  not. [alibi]")
    assert read == {"A question?": {"an answer": [(FITS, ("none", "learned"), "Why not.", ("alibi",), "computed")]}}


def test_every_verdict_has_its_ground_and_small_models_give_a_caveat_at_most():
    for _, _, rule in RULES:
        assert list(map(number, rule.chapters)) == sorted(map(number, rule.chapters))
        assert rule.ground and (rule.ground != guide.SMALL or rule.verdict == CAVEAT), rule
        assert rule.verdict < OUT or rule.ground == guide.COMPUTED, rule
        if rule.ground == guide.SMALL or "mall models" in rule.why:  # beside another ground they are a remark
            assert "longer_than_training" in rule.chapters, rule
    for answer, rules in list(QUESTIONS[WEIGHTS].items())[1:]:  # every scheme that is given is that of a model
        assert all(rule.ground != guide.COMPUTED for rule in rules if rule.verdict == FITS), answer


# --- what was measured ----------------------------------------------------------------------------------------------


def test_the_remarks_on_small_models():
    """What is said without a number; the numbers are read from the same rows."""
    assert max(COMPARED, key=lambda run: losses(run)[:, 0].mean()) == "none"  # "last in our small models' short texts"
    for repair, copies in (("YaRN's code", True), ("interpolated", False)):
        share = right(f"{repair}, 0 at 128", COPY, "repairs")
        assert share.min() > 0.9999 if copies else share.max() < 0.1
    for run in ("alibi", "fox"):  # "learned to"
        assert right(run, COPY).min() > 0.9
    shared = [int(np.argmax(np.diff(bucket_starts(bidirectional=both)) > 1)) for both in (False, True)]
    assert f"up to {shared[0] - 1} ({shared[1] - 1} in an encoder)" in CELLS[FIND, EXACT, "T5 buckets"].why


# --- what modules do ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", schemes.SCHEMES)
def test_what_computes_it_is_what_the_registry_says(name):
    scheme = schemes.SCHEMES[name]
    scores_only = scheme.name != "Swin" and "value_vectors" not in scheme.enters  # what a `score_mod` can say
    assert (CELLS[COMPUTED, "FlexAttention", name].verdict == FITS) == scores_only
    added = set(scheme.enters) - {"input", "rotate"}
    ways_round = {"ALiBi", "FoX", "sink", "sliding window"}  # by one more channel or key, or an argument of its own
    expected = FITS if not added else CAVEAT if name in ways_round else OUT
    assert CELLS[COMPUTED, FLASH, name].verdict == expected
    if scheme.direction in ("blind", "mirror") and scheme.enters:
        assert CELLS[ASKED, "text, read both ways", name].verdict == CAVEAT


def test_the_worst_verdict_wins_and_the_reasons_are_kept():
    for answers in product(*(QUESTIONS[q].items() for q in (ASKED, LENGTHS, FIND))):
        found = guide.decide({q: answer for q, (answer, _) in zip(QUESTIONS, answers, strict=False)})
        for scheme, decision in found.items():
            rules = [rule for _, rules in answers for rule in rules if scheme in rule.schemes]
            assert decision.verdict == max(rule.verdict for rule in rules) == decision.rules[0].verdict
            assert sorted(decision.rules) == sorted(rules)
    assert all(decision == (FITS, []) for decision in guide.decide({}).values())
    for answer in list(QUESTIONS[WEIGHTS])[1:]:
        assert FITS in [decision.verdict for decision in guide.decide({WEIGHTS: answer}).values()]
    assert {d.verdict for d in guide.decide({WEIGHTS: "T5", COMPUTED: FLASH}).values()} == {OUT}


def test_the_picture_and_the_printed_answer_say_it_too(capsys):
    whole = guide.picture()._repr_html_()
    assert all(f"<b>{answer}</b>" in whole for options in QUESTIONS.values() for answer in options)
    assert whole.count("<li>") == len(RULES) and all(escape(rule.ground) in whole for _, _, rule in RULES)
    guide.ask({ASKED: "an image, in windows", LENGTHS: "as in training"}, "Swin", "FoX")
    fits, swin, fox = capsys.readouterr().out.splitlines()
    assert fits == "fits: Swin, axial RoPE, M-RoPE" and swin.startswith("Swin: fits. Made for it")
    assert fox == "FoX: ruled out. It needs a causal mask, and patches have no order."
    for wrong, message in (({"What?": "yes"}, "question='What?'"), ({PARAMETERS: "some"}, "'some': expected one of")):
        with pytest.raises(ValueError, match=re.escape(message)):
            guide.ask(wrong)
