"""The decision guide: the table is complete, what it says of small models is what was measured, and answers combine."""

import re
from itertools import pairwise, product

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib import study
from course_lib.contents import number
from course_lib.figures.decision_guide import VERDICTS, Rule, named
from course_lib.nn.alibi import ALiBi
from course_lib.nn.attention import attention, causal_mask
from course_lib.nn.bias import DecayBias
from course_lib.nn.cache import SegmentMemory
from course_lib.nn.fire import FIRE
from course_lib.nn.fox import FoX
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.music_transformer import MusicTransformer
from course_lib.nn.position import Combined, Position
from course_lib.nn.rope import RoPE
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.sink import Sink
from course_lib.nn.sliding_window import SlidingWindow
from course_lib.nn.t5 import T5Bias
from course_lib.nn.terms import Terms
from course_lib.nn.transformer_xl import TransformerXL
from course_lib.nn.window import WindowAttention
from course_lib.reference.alibi import slopes
from course_lib.reference.t5 import bucket_starts
from course_lib.study import verdict
from course_tasks import comparison, guide
from course_tasks.comparison.beyond_training import rise, runs
from course_tasks.guide import CAVEAT, FITS, OUT, QUESTIONS, SCHEMES, UNTOLD
from course_tasks.measured import COMPARED, study_rows

from .test_figures import static

ASKED, LENGTHS, FIND, WEIGHTS, COMPUTED, PARAMETERS = QUESTIONS
EXACT, NEAREST = "an exact distance: “three back”", "the nearest of a kind: “the last write”"
LONGER = "longer than in training"
RULES = [(q, a, rule) for q, options in QUESTIONS.items() for a, rules in options.items() for rule in rules]
CELLS = {(q, a, scheme): rule for q, a, rule in RULES for scheme in named(rule)}
GUESSING = 2.77  # ln 16
LAYERS = {
    "none": Position,
    "log decay": lambda: DecayBias(0.3),
    "Shaw": lambda: ShawVectors(2, 8, clip=2),
    "Music Transformer": lambda: MusicTransformer(2, 8, max_length=32),
    "Transformer-XL": lambda: TransformerXL(16, 2),
    "T5 buckets": lambda: T5Bias(2, bidirectional=False),
    "ALiBi": lambda: ALiBi(2),
    "RoPE": lambda: RoPE(8),
    "sliding window": lambda: Combined(RoPE(8), SlidingWindow(3)),
    "sink": lambda: Sink(2),
    "FoX": lambda: FoX(16, 2),
    "FIRE": lambda: FIRE(2, threshold=4.0),
}


# --- the table -----------------------------------------------------------------------------------------------------


def test_the_schemes_are_those_of_the_comparison_and_two_made_of_these_by_chapter():
    assert [scheme for scheme in SCHEMES if scheme not in ("stretched RoPE", "hybrid")] == list(comparison.SCHEMES)
    baselines, others = list(SCHEMES)[:3], [number(topic) for _, topic in list(SCHEMES.values())[3:]]
    assert baselines == ["none", "learned", "sinusoidal"] and others == sorted(others)


def test_the_guide_has_a_rule_for_every_scheme_and_says_where_it_has_none():
    """A scheme without a rule, such as one that a reader registers, is not shown as if it fitted."""
    assert not [cell for cell, rule in CELLS.items() if rule.why == UNTOLD]
    rule = Rule(FITS, "none, learned", "Why.", "alibi")
    asked = guide.completed({"A question?": {"an answer": [rule], "another": []}})["A question?"]
    told, untold = asked["an answer"]
    assert told == rule and untold.why == UNTOLD and untold.verdict == CAVEAT
    assert sorted(named(told) + named(untold)) == sorted(SCHEMES) and asked["another"] == []


def test_every_answer_speaks_of_every_scheme_once_or_of_none():
    for question, options in QUESTIONS.items():
        for answer, rules in options.items():
            schemes = [scheme for rule in rules for scheme in named(rule)]
            assert not rules or sorted(schemes) == sorted(SCHEMES), (question, answer)
    neutral = [answer for options in QUESTIONS.values() for answer, rules in options.items() if not rules]
    assert neutral == ["as in training", "nothing special", "new ones", "any way", "parameters"]
    answers = [answer for options in QUESTIONS.values() for answer in options]
    assert len(set(answers)) == len(answers)  # a reason is told with its answer alone


def test_every_reason_is_a_short_sentence_with_its_chapters_and_no_praise():
    for _, _, rule in RULES:
        assert rule.verdict in VERDICTS and rule.why.strip().endswith((".", ".)")) and len(rule.why) <= 160
        order = [number(topic) for topic in rule.chapters.split(", ")]
        assert order == sorted(set(order)), rule
        assert not re.search(r"\b(best|better|superior|state.of.the.art)\b", rule.why.replace("does better by 0.8", ""))


def test_what_small_models_did_is_told_as_such_and_rules_nothing_out():
    for _, _, rule in RULES:
        measured = "longer_than_training" in rule.chapters
        assert measured == bool(re.search("[Ss]mall models", rule.why)), rule
        assert rule.verdict < OUT or not measured, rule
    assert "of large models it says nothing" in static(guide.picture())


# --- what was measured ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured():
    rows = study_rows()

    def points(kind, task, scheme):
        return [point.mean for point in study.curves(rows, kind)[task][scheme]]

    return points


def why(question, answer, scheme):
    return CELLS[question, answer, scheme].why


RUNS = {"none": "none", "sinusoidal": "sinusoidal", "log decay": "log-1", "Shaw": "shaw-32",
        "Transformer-XL": "transformer-xl", "T5 buckets": "t5-64", "ALiBi": "alibi", "RoPE": "rope",
        "sliding window": "window-64", "hybrid": "window-64+none", "FoX": "fox"}  # fmt: skip
BROKE = {"T5 buckets": "t5-256", "hybrid": "rope+none"}  # a run that lacks what the scheme needs
NAMED = {"text": "characters", "copying": "copy-back", "flip-flop": "flip-flop"}


def test_level_and_lost_are_the_words_of_the_comparison():
    """What the guide says of a task is what the rule of the comparison says, from the interval of the rise."""
    told = set()
    for scheme, run in RUNS.items():
        said = why(LENGTHS, LONGER, scheme)
        for words in re.findall(r"level in ([\w, -]+)", said):
            for task in NAMED.keys() & set(re.split(", | and ", words)):
                assert verdict(rise(run, NAMED[task])) == "level", (scheme, task)
                told.add((scheme, task, "level"))
        for nats, task in re.findall(r"lost (\d\.\d\d) nats in ([\w-]+)", said):
            found = rise(run, NAMED[task])
            assert verdict(found) != "level" and f"{found.mean:.2f}" == nats, (scheme, task)
            told.add((scheme, task, "lost"))
        if "broke" in said:
            assert verdict(rise(BROKE.get(scheme, run))) == "breaks", scheme
    assert told == {
        ("none", "text", "lost"), ("log decay", "text", "lost"), ("Shaw", "text", "lost"),
        ("T5 buckets", "text", "level"),
        *((scheme, task, "level") for scheme in ("Transformer-XL", "ALiBi", "sliding window", "FoX") for task in NAMED),
        *(("hybrid", task, "level") for task in ("text", "copying")),
    }  # fmt: skip
    assert verdict(rise("shaw-32", "copy-back")) == "level" and "went on copying" in why(LENGTHS, LONGER, "Shaw")


def test_what_fits_longer_texts_is_what_stayed_level_in_text():
    level = {scheme for scheme, run in RUNS.items() if verdict(rise(run)) == "level"}
    fits = {scheme for scheme in SCHEMES if CELLS[LENGTHS, LONGER, scheme].verdict == FITS}
    assert level == {"Transformer-XL", "T5 buckets", "ALiBi", "sliding window", "hybrid", "FoX"}
    slow = study.rise(study.pick(study.committed("table-rate-1"), task="characters", scheme="t5-64"))
    assert verdict(slow) == "breaks" and "let the table learn fast" in why(LENGTHS, LONGER, "T5 buckets")
    assert fits == level - {"T5 buckets"}


def test_level_is_not_use():
    """With all keys masked that are as far back as a training text is long, a level model loses nothing."""
    assert "masked that are 128 or more back, the loss of a level model at 1,024 tokens did not rise" in guide.NOTE
    for scheme, run in RUNS.items():
        if verdict(rise(run)) == "level":
            for row in runs(run):
                assert row["settings"]["length"] == 128 and row["settings"]["tests"][3] == 1024
                assert row["far_masked"][3] - row["loss"][3] < 0.001, scheme


def test_where_the_reads_fell_all_seeds_agree():
    """ "Fell" is said where the interval of the fall lies below 0."""
    for scheme in ("Shaw", "T5 buckets", "log decay"):
        reads = [row["accuracy"] for row in runs(RUNS[scheme], "flip-flop")]
        fall = study.interval([late - early for early, *_, late in reads])
        assert (fall.high < 0) == ("fell" in why(FIND, NEAREST, scheme)), scheme


def test_the_losses_in_longer_texts_are_those_of_the_study(measured):
    for scheme, name in {"none": "none", "log decay": "log-1", "Shaw": "shaw-32"}.items():
        loss = measured("loss", "characters", name)
        assert re.findall(r"\d\.\d\d", why(LENGTHS, LONGER, scheme)) == [f"{loss[3] - loss[0]:.2f}"], scheme
    for scheme in ("none", "sinusoidal"):
        assert measured("loss", "copy-back", scheme)[3] > GUESSING
        assert "ended worse than guessing in copying" in why(LENGTHS, LONGER, scheme)
    said = why(LENGTHS, LONGER, "sinusoidal")
    assert verdict(rise("sinusoidal-scaled")) == "breaks" and "broke in text, with larger embeddings too" in said


def test_where_rope_breaks():
    place = {}
    for scheme in ("rope", "transformer-xl"):
        rows = runs(scheme)
        place[scheme] = [sum(column) / 3 for column in zip(*(row["by_position"] for row in rows), strict=True)]
    gap = [a - b for a, b in zip(place["rope"], place["transformer-xl"], strict=True)]  # each part is 32 places
    usual = gap[3]  # places 96 to 127
    assert len(gap) == 1024 // 32 and gap[4] < usual + 0.05 < usual + 0.5 < gap[5] < gap[6]
    assert f"trained at 128 broke from place {5 * 32} on" in why(LENGTHS, LONGER, "RoPE")


def test_who_copies_three_back(measured):
    for scheme, name in {"none": "none", "log decay": "log-1", "ALiBi": "alibi"}.items():
        told = re.findall(r"\d\.\d\d", why(FIND, EXACT, scheme))
        assert told[0] == f"{measured('accuracy', 'copy-back', name)[0]:.2f}"
    assert f"{1 / 16:.2f}" in why(FIND, EXACT, "none")
    assert measured("accuracy", "copy-back", "log-0.3")[0] < measured("accuracy", "copy-back", "log-1")[0]
    assert {f"{right:.2f}" for right in measured("accuracy", "copy-back", "alibi")} == {"0.96"}
    early = study.curves(study.committed("quick"), "accuracy")["copy-back"]["alibi"][0].mean
    assert early < 0.7 and "learned slowly" in why(FIND, EXACT, "ALiBi")
    for name in ("learned", "sinusoidal", "rope"):
        assert measured("accuracy", "copy-back", name)[0] > 0.9999
    for name in ("shaw-32", "transformer-xl", "window-64", "window-64+none"):
        assert min(min(row["accuracy"]) for row in runs(name, "copy-back")) > 0.9999
    for bidirectional, alone in ((False, 15), (True, 7)):
        starts = bucket_starts(bidirectional=bidirectional)
        assert [b - a for a, b in pairwise(starts)][: alone + 1] == [1] * (alone + 1)
    copied, said = measured("accuracy", "copy-back", "t5-64"), why(FIND, EXACT, "T5 buckets")
    assert copied[0] > 0.9999 and f"at 8 times the length {copied[3]:.2f} right" in said
    assert "up to 15 (7 in an encoder)" in said


def test_who_finds_the_last_write(measured):
    at = {name: measured("accuracy", "flip-flop", name) for name in COMPARED}
    low, high = (f(at[name][0] for name in ("none", "learned", "sinusoidal")) for f in (min, max))
    assert f"{low:.2f} to {high:.2f}" in why(FIND, NEAREST, "none")
    larger = [row["accuracy"][0] for row in runs("sinusoidal-scaled", "flip-flop")]
    assert f"larger embeddings: {sum(larger) / len(larger):.2f}" in why(FIND, NEAREST, "sinusoidal")
    for scheme, numbers in {
        "log decay": [at["log-0.3"][0], at["log-1"][3]],
        "Shaw": [f(row["accuracy"][3] for row in runs("shaw-32", "flip-flop")) for f in (min, max)],
        "T5 buckets": [at["t5-64"][3], at["t5-256"][3]],
    }.items():
        assert re.findall(r"\d\.\d\d", why(FIND, NEAREST, scheme)) == [f"{number:.2f}" for number in numbers], scheme
    assert min(*at["alibi"], *at["transformer-xl"]) > 0.999 and at["log-1"][0] > 0.99
    assert at["rope"][0] > 0.99 and at["rope"][3] < 0.7


# --- what the library does -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", LAYERS)
def test_segments_with_a_memory_equal_one_pass_where_the_table_says_so(scheme):
    assert CELLS[ASKED, "text in segments, with a memory", scheme].verdict < OUT
    torch.manual_seed(0)
    layer, x = RelativeAttention(16, 2, LAYERS[scheme](), causal=True), torch.randn(1, 12, 16)
    memory = SegmentMemory(12)
    with torch.no_grad():
        parts = torch.cat([layer(part, cache=memory) for part in x.split(4, 1)], 1)
        assert torch.allclose(parts, layer(x), atol=1e-5)


@pytest.mark.parametrize("scheme", LAYERS)
def test_flex_attention_takes_what_the_table_says(scheme):
    layer = RelativeAttention(16, 2, LAYERS[scheme](), causal=True, backend="flex")
    verdict, refused = CELLS[COMPUTED, "FlexAttention", scheme].verdict, ""
    try:
        with torch.no_grad():
            layer(torch.randn(1, 5, 16))
    except ValueError as error:
        refused = str(error)
    assert (verdict == FITS) == (not refused) and (scheme == "Shaw") == refused.startswith("value_vectors")


@pytest.mark.parametrize("scheme", LAYERS)
def test_parameters_are_counted_as_the_table_says(scheme):
    verdict = CELLS[PARAMETERS, "no parameters", scheme].verdict
    assert (verdict == OUT) == any(True for _ in LAYERS[scheme]().parameters())


def test_a_bias_that_falls_never_gives_the_third_key_most():
    for scheme in ("log decay", "ALiBi"):
        near, third = LAYERS[scheme]().bias(1, 9, 8)[..., [-2, -4]].unbind(-1)  # one back, three back
        assert (near > third).all() and "the nearest key more than the third" in why(FIND, EXACT, scheme)


def test_windows_that_shift_tell_places_which_one_window_does_not():
    torch.manual_seed(0)
    plain, shifted = (WindowAttention(8, 2, 4, shift=shift).requires_grad_(False) for shift in (0, 2))
    for layer in (plain, shifted):
        layer.table.zero_()  # no position
    image = torch.randn(1, 8, 8, 8)

    def swap(image):
        """Two patches of the first window change places."""
        other = image.clone()
        other[:, 0, 0], other[:, 3, 3] = image[:, 3, 3], image[:, 0, 0]
        return other

    assert torch.allclose(plain(swap(image)), swap(plain(image)), atol=1e-6)
    assert (shifted(plain(swap(image))) - swap(shifted(plain(image)))).abs().max() > 1e-3
    assert CELLS[ASKED, "an image, in windows", "none"].verdict == CAVEAT


WAYS_ROUND = {
    "ALiBi": "one more channel", "FoX": "one more channel", "sink": "one more key", "sliding window": "window_size",
}  # fmt: skip


def test_what_adds_to_the_scores_does_not_fit_a_kernel_without_a_bias():
    x = torch.randn(1, 2, 4, 8)
    for scheme, make in LAYERS.items():
        position = make()
        added = position.bias(4, 4, 0) is not None or position.key_vectors(4, 4, 0) is not None
        expected = CAVEAT if scheme in WAYS_ROUND else OUT if added else FITS
        assert CELLS[COMPUTED, "a flash kernel without a bias", scheme].verdict == expected, scheme
        assert WAYS_ROUND.get(scheme, "") in why(COMPUTED, "a flash kernel without a bias", scheme)
    assert not torch.equal(RoPE(8).rotate(x, x, 0, 0)[0], x)


def test_a_mask_that_learns_falls_back_on_a_cpu_and_the_guide_says_so():
    """Of torch's kernels only the memory-efficient one, for a GPU, returns a fourth gradient: that of its mask."""
    kernels = ("flash_attention_for_cpu", "flash_attention", "efficient_attention")
    ops = [getattr(torch.ops.aten, f"_scaled_dot_product_{kernel}_backward").default for kernel in kernels]
    assert [len(op._schema.returns) for op in ops] == [3, 3, 4]
    told = [rule.why for _, _, rule in RULES if "mask that learns" in rule.why]
    assert len(told) == 3 and all("on a cpu" in why.lower() or "by the formula" in why for why in told)


def test_alibi_fits_into_one_more_channel():
    q, k, v = torch.randn(3, 2, 4, 6, 8, dtype=torch.float64)
    m, scale = torch.from_numpy(slopes(4))[:, None, None], 8**-0.5
    longer_q = torch.cat([q, torch.full((2, 4, 6, 1), 1 / scale, dtype=q.dtype)], -1)
    longer_k = torch.cat([k, (m * torch.arange(6.0)[:, None]).expand(2, 4, 6, 1)], -1)
    found = scaled_dot_product_attention(longer_q, longer_k, v, is_causal=True, scale=scale)
    mask = causal_mask(6, 6)
    bias = ALiBi(4).double().bias(6, 6, 0)
    assert torch.allclose(found, attention(q, k, v, Terms(bias=bias, mask=mask))[0])
    late = torch.arange(2000.0, 2048.0) / 2  # bfloat16 rounds: neighbours become one
    assert len(set(late.bfloat16().tolist())) < len(late) / 4


# --- answers combine -----------------------------------------------------------------------------------------------


def test_the_worst_verdict_wins_and_the_reasons_are_kept():
    for answers in product(*(list(QUESTIONS[q].items()) for q in (ASKED, LENGTHS, FIND))):
        found = guide.decide({q: answer for q, (answer, _) in zip(QUESTIONS, answers, strict=False)})
        for scheme, decision in found.items():
            rules = [rule for _, rules in answers for rule in rules if scheme in named(rule)]
            assert decision.verdict == max(rule.verdict for rule in rules)
            assert sorted(decision.rules) == sorted(rules) and decision.rules[0].verdict == decision.verdict
    assert all(decision == (FITS, []) for decision in guide.decide({}).values())


def test_published_weights_bring_their_scheme():
    for answer in list(QUESTIONS[WEIGHTS])[1:]:
        assert [decision.verdict for decision in guide.decide({WEIGHTS: answer}).values()].count(FITS) == 1
    found = guide.decide({WEIGHTS: "from T5", COMPUTED: "a flash kernel without a bias"})
    assert all(decision.verdict == OUT for decision in found.values())


def test_a_decoder_that_reads_longer_texts_and_copies():
    found = guide.decide({ASKED: "text, left to right", LENGTHS: LONGER, FIND: EXACT})
    assert {s: d.verdict for s, d in found.items() if d.verdict < OUT} == {
        "none": CAVEAT, "sinusoidal": CAVEAT, "log decay": CAVEAT, "Shaw": CAVEAT, "Transformer-XL": FITS,
        "T5 buckets": CAVEAT, "ALiBi": CAVEAT, "RoPE": CAVEAT, "M-RoPE": CAVEAT, "stretched RoPE": CAVEAT,
        "sliding window": FITS, "sink": CAVEAT, "log scale": CAVEAT, "hybrid": FITS, "FoX": FITS, "FIRE": CAVEAT,
    }  # fmt: skip


# --- the picture ---------------------------------------------------------------------------------------------------


def numbers(topics):
    return ", ".join(map(number, topics.split(", ")))


def test_the_static_body_holds_the_whole_table():
    text = static(guide.picture())
    for question, answer, rule in RULES:
        assert f". {question}</b>" in text and f"<i>{answer}</i>" in text
        mark = VERDICTS[rule.verdict][0]
        told = "all others" if len(named(rule)) == len(SCHEMES) - 1 else rule.schemes
        code = re.sub(r"`([^`]*)`", r"<code[^>]*>\1</code>", re.escape(rule.why).replace("\\`", "`"))
        code = code.replace("'", "&#x27;")
        assert re.search(rf"<b>{mark} {told}</b>: <span>{code} <i>{numbers(rule.chapters)}</i>", text), rule
    assert text.count("speaks against none") == 5
    for name, (what, topic) in SCHEMES.items():
        assert f"<b>{name}</b>: <span>{what} <i>{number(topic)}</i>".replace("'", "&#x27;") in text


def test_answers_given_stand_in_the_words_for_the_eye_and_for_the_ear():
    answers = {ASKED: "an image, in windows", LENGTHS: "as in training"}
    picture = guide.picture(answers, title="For an image")
    outcome = "fits: Swin, axial RoPE, M-RoPE; possible, with a caveat: none, learned, sinusoidal"
    assert (
        outcome in static(picture) and outcome in picture.alt and "an image, in windows; as in training" in picture.alt
    )
    assert picture.alt.startswith(f"For an image: 6 questions, and what each answer says about {len(SCHEMES)} schemes.")
    assert "By the answers given" not in static(guide.picture())


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"What?": "yes"}, r"question='What\?': expected one of 'What is attended\?', "),
        ({PARAMETERS: "some"}, r"answers\['May .*'\]='some': expected one of 'parameters', 'no parameters'"),
        ("from T5", "answers='from T5': expected a dictionary from question to answer"),
    ],
)
def test_what_is_not_in_the_table_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        guide.picture(wrong)
