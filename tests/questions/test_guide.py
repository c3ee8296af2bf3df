"""The guide: the rules are whole, their words are what modules do and what was measured, and answers combine."""

import re
from html import escape
from itertools import product

import numpy as np
import pytest

from course_chapters.measured import COMPARED, COPY, losses, right
from course_chapters.which_one import guide
from course_chapters.which_one.guide import CANDIDATES, QUESTIONS
from course_chapters.which_one.guide.rules import CAVEAT, COMPUTED, FITS, OUT, SMALL, UNKNOWN
from course_kit.contents import number
from course_lib.reference.t5 import bucket_starts
from course_lib.schemes import SCHEMES, Direction

ASKED, LENGTHS, FIND, WEIGHTS, HOW, PARAMETERS = QUESTIONS
EXACT = "an exact distance: “three back”"
FLASH = "a flash kernel without a bias"
RULES = [(q, a, rule) for q, options in QUESTIONS.items() for a, rules in options.items() for rule in rules]
CELLS = {(q, a, scheme): rule for q, a, rule in RULES for scheme in rule.schemes}
JUDGED = [(q, a) for q in (ASKED, LENGTHS, FIND, HOW) for a, rules in QUESTIONS[q].items() if rules]  # rules by hand


def test_every_answer_speaks_of_every_scheme_once_or_of_none():
    for question, options in QUESTIONS.items():
        for answer, rules in options.items():
            named = [scheme for rule in rules for scheme in rule.schemes]
            assert not rules or sorted(named) == sorted(CANDIDATES), (question, answer)
    assert list(CANDIDATES)[:3] == ["none", "learned", "sinusoidal"]


@pytest.mark.parametrize("scheme", CANDIDATES)
def test_the_rules_judge_a_scheme_by_every_answer_or_not_at_all_yet(scheme):
    unknown = [cell for cell in JUDGED if CELLS[*cell, scheme].verdict is UNKNOWN]
    assert unknown in ([], JUDGED)


def test_a_scheme_without_a_rule_has_no_verdict():
    judged, other = guide._complete([guide.Rule(FITS, [s for s in CANDIDATES if s != "FoX"], [], "")])
    assert (judged.verdict, other.verdict, other.schemes) == (FITS, UNKNOWN, ["FoX"])
    assert FITS < CAVEAT < UNKNOWN < OUT  # another answer may rule it out, and none can make it fit


def test_every_verdict_has_its_ground_and_small_models_give_a_caveat_at_most():
    for _, _, rule in RULES:
        assert list(map(number, rule.chapters)) == sorted(map(number, rule.chapters))
        assert rule.ground and (rule.ground != SMALL or rule.verdict == CAVEAT), rule
        assert rule.verdict < OUT or rule.ground == COMPUTED, rule
        if rule.ground == SMALL or "mall models" in rule.why:  # beside another ground they are a remark
            assert "longer_than_training" in rule.chapters, rule
    for answer, rules in list(QUESTIONS[WEIGHTS].items())[1:]:  # every scheme that is given is that of a model
        assert all(rule.ground != COMPUTED for rule in rules if rule.verdict == FITS), answer


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


@pytest.mark.parametrize("name", [name for name in SCHEMES if CELLS[HOW, FLASH, name].verdict is not UNKNOWN])
def test_what_computes_it_is_what_the_registry_says(name):
    scheme = SCHEMES[name]
    scores_only = scheme.name != "Swin" and "value_vectors" not in scheme.enters  # what a `score_mod` can say
    assert (CELLS[HOW, "FlexAttention", name].verdict == FITS) == scores_only
    added = set(scheme.enters) - {"input", "rotate"}
    ways_round = {"ALiBi", "FoX", "sink", "sliding window"}  # by one more channel or key, or an argument of its own
    expected = FITS if not added else CAVEAT if name in ways_round else OUT
    assert CELLS[HOW, FLASH, name].verdict == expected
    if scheme.direction in (Direction.BLIND, Direction.MIRROR) and scheme.enters:
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
    assert {d.verdict for d in guide.decide({WEIGHTS: "T5", HOW: FLASH}).values()} == {OUT}


def test_the_picture_and_the_printed_answer_say_it_too(capsys):
    whole = guide.picture()._repr_html_()
    assert all(f"<b>{answer}</b>" in whole for options in QUESTIONS.values() for answer in options)
    assert whole.count("<li>") == len(RULES) and all(escape(rule.ground) in whole for _, _, rule in RULES)
    image = {ASKED: "an image, in windows", LENGTHS: "as in training"}
    guide.ask(image, "Swin", "FoX")
    fits, *_, swin, fox = capsys.readouterr().out.splitlines()
    fitting = [scheme for scheme, decision in guide.decide(image).items() if decision.verdict == FITS]
    assert fits == f"fits: {', '.join(fitting)}" and "Swin" in fitting and swin.startswith("Swin: fits. Made for it")
    assert fox == "FoX: ruled out. It needs a causal mask, and patches have no order."
    for wrong, message in (({"What?": "yes"}, "question='What?'"), ({PARAMETERS: "some"}, "'some': expected one of")):
        with pytest.raises(ValueError, match=re.escape(message)):
            guide.ask(wrong)
