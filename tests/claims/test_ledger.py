"""The claims: each verdict follows from a computed fact and would be another one if the fact were another."""

import ast
import copy
import functools
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from course_lib import study
from course_lib.contents import CONTENTS, TOPICS
from course_lib.display.colours import contrast
from course_tasks import claims
from course_tasks.claims import html as face
from course_tasks.claims import study_facts as measured
from course_tasks.claims.claim import VERDICTS
from course_tasks.claims.ruling import judge_claim

CLAIMS = claims.CLAIMS
every_claim = pytest.mark.parametrize("name", CLAIMS)
CHAPTERS = claims.CHAPTERS
every_chapter = pytest.mark.parametrize("topic", CHAPTERS)
judged = functools.cache(claims.chapter)
ROOT = Path(__file__).resolve().parents[2]
SOURCES = {c.topic: (ROOT / "source" / f"{c.file}.py").read_text(encoding="utf-8") for c in CONTENTS}
FACTS = {}


def run(name):
    """The fact of a claim, computed once for all tests."""
    if name not in FACTS:
        FACTS[name] = CLAIMS[name].fact()
    return copy.deepcopy(FACTS[name])


def leaves(fact, path=()):
    """The path to every number, word and truth value in a fact, and to every list: it may be empty."""
    inside = fact.items() if isinstance(fact, dict) else enumerate(fact) if isinstance(fact, list) else ()
    for key, value in inside:
        yield from leaves(value, (*path, key))
    if not isinstance(fact, dict):
        yield path


def neighbours(fact):
    """Facts that differ from this one in one place: negated, scaled, moved, emptied, or another word of the fact."""
    places = dict.fromkeys(leaves(fact))
    words = {found for path in places if isinstance(found := at(fact, path), str)}
    for path in places:
        value = at(fact, path)
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, int | float):
            others = [-value, 0, 10 * value, value / 10, value + 1, value - 1, value + 1000]
            others += [at(fact, other) for other in places if isinstance(at(fact, other), int | float)]
        elif isinstance(value, list):
            others = [[]]
        else:
            others = [*words, "Transformer-XL", "ALiBi"]
        yield from (changed(fact, path, other) for other in others if other != value)


def at(fact, path):
    for key in path:
        fact = fact[key]
    return fact


def changed(fact, path, value):
    if not path:
        return value
    fact = copy.deepcopy(fact)
    at(fact, path[:-1])[path[-1]] = value
    return fact


def kind(fact):
    """The shape of a fact: its names, and whether each value is a number, a word, or a list of such."""
    if isinstance(fact, dict):
        return {key: kind(value) for key, value in fact.items()}
    if isinstance(fact, list):
        return "list"
    return "number" if type(fact) in (int, float) else type(fact).__name__


@every_claim
def test_the_verdict_follows_from_the_fact(name):
    claim = CLAIMS[name]
    assert claim.name == name and claim.verdict(run(name)) == claim.stated


@every_claim
def test_another_fact_would_give_another_verdict(name):
    claim, fact = CLAIMS[name], run(name)
    assert kind(claim.otherwise) == kind(fact), "the other fact must be one that could have been computed"
    other = claim.verdict(claim.otherwise)
    assert other in VERDICTS and other != claim.stated


@every_claim
def test_changing_the_fact_in_one_place_flips_the_verdict(name):
    claim, fact = CLAIMS[name], run(name)
    found = []
    for other in neighbours(fact):
        try:
            found.append(claim.verdict(other))
        except (TypeError, ValueError, IndexError):  # a list emptied where the rule compares its largest
            continue
    assert set(found) <= set(VERDICTS)
    assert set(found) - {claim.stated}, "no single change of the fact changes the verdict"


@every_claim
def test_facts_are_computed_and_plain(name):
    fact = run(name)
    assert json.loads(json.dumps(fact)) == fact and "np." not in repr(fact) and "tensor" not in repr(fact)
    function = ast.parse(CLAIMS[name].code).body[-1]
    assert any(isinstance(node, ast.Call | ast.BinOp) for node in ast.walk(function))
    for node in ast.walk(function):
        if isinstance(node, ast.Return):
            with pytest.raises(ValueError):  # no literal is returned
                ast.literal_eval(node.value)


@every_claim
def test_the_code_that_is_shown_is_what_runs(name):
    """The imports and the function, in a cell of their own, compute the same."""
    fact, cell = run(name), {}
    exec(CLAIMS[name].code, cell)
    assert cell[CLAIMS[name].fact.__name__]() == fact
    assert not CLAIMS[name].code.startswith("@") and "claim import" not in CLAIMS[name].code
    rule = eval(f"lambda fact: {CLAIMS[name].rule}")
    assert rule(fact) == CLAIMS[name].stated and rule(CLAIMS[name].otherwise) != CLAIMS[name].stated


@every_claim
def test_the_numbers_in_the_reason_come_from_the_fact(name):
    claim, fact = CLAIMS[name], run(name)
    fields = re.findall(r"\{fact[^}]*\}", claim.because)
    assert fields, "the reason names nothing that was computed"
    rest = re.sub(r"\{[^}]*\}", "", claim.because)
    assert not re.search(r"(?<![A-Za-z])(?<!GPT-)(?<!Llama )(?<!LLaMA )\d", rest), rest
    reason = claims.decide(name).because
    assert reason == judge_claim(claim).because and "{" not in reason and "-0" not in reason
    assert reason != claim.because and str(fact) not in reason


@every_claim
def test_what_is_quoted_says_so(name):
    """Where the figures that decide are those of others, both faces say it, and the source begins with them."""
    claim, shown = CLAIMS[name], claims.decide(name)
    words = "quoted and computed" if claim.quoted else "computed"
    assert f"<b>{words.capitalize()}:</b>" in shown._repr_html_() and f"\n  {words}: " in repr(shown)
    assert not (claim.quoted and claim.source.startswith("run"))


def test_level_is_a_rise_whose_interval_stays_below_the_bound(monkeypatch):
    """The verdicts about longer texts share the rule of the study, and turn when the seeds do."""
    found = {name: run(name)["level"] for name in CLAIMS if "level" in run(name)}
    assert found == {
        "rope_reads_longer": 0,
        "alibi_stays_level": 3,
        "sines_go_on": 0,
        "last_bucket_is_safe": 1,
        "nope_is_best": 0,
        "hybrids_are_level": 1,
    }
    assert f"at or below {study.LEVEL} nats" in measured.SOURCE

    verdicts = {}
    for rises, share in (((0.1, 0.1, 0.1), 0), ((0.0, 0.0, 0.1), 0), ((0.01, 0.01, 0.01), 1)):
        losses = np.array([[1.0, 1.0 + rise] for rise in rises])
        monkeypatch.setattr(measured, "losses", lambda *args, losses=losses: losses)
        for name in found:
            fact = CLAIMS[name].fact()
            assert fact["level"] == share * len(fact["rise"]), name
            verdicts.setdefault(name, []).append(CLAIMS[name].verdict(fact))
    assert all(first == second != third for first, second, third in verdicts.values()), verdicts


def test_the_schemes_that_are_compared_have_the_same_seeds(monkeypatch):
    """A scheme with fewer seeds is left out, and one that is worse by less than a thousandth of a nat is not beaten."""
    rows = {"none": (0.5, 0.6), "a": (0.1001, 0.1008), "b": (0.1, 0.1), "c": (0.2, 0.2), "new": (0.0,)}
    made = [
        {"task": "t", "scheme": scheme, "seed": seed, "loss": [1.0, loss]}
        for scheme, seeds in rows.items()
        for seed, loss in enumerate(seeds)
    ]
    monkeypatch.setattr(measured, "runs", lambda preset: made)
    assert measured.schemes("t") == ["none", "a", "b", "c"] and measured.unbeaten("t") == ["a", "b"]


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="name='buckets': expected one of 'words_in_another_order', "):
        claims.decide("buckets")
    for asked in (claims.overview, claims.chapter):
        with pytest.raises(ValueError, match="topic='buckets'"):
            asked("buckets")


def test_verdicts_are_told_by_word_and_mark_and_colour():
    assert set(face.MARKS) == set(face.COLOURS) == set(VERDICTS)
    assert len(set(face.MARKS.values())) == len(set(face.COLOURS.values())) == 4
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in face.COLOURS.values())
    for verdict, mark in face.MARKS.items():
        assert f"{mark} {verdict}" in face.chip(verdict)


def test_every_claim_is_in_the_file_of_its_chapter():
    names = [name for found in CHAPTERS.values() for name in found]
    assert list(CHAPTERS) == [topic for topic in TOPICS if topic != "start_here"] and all(CHAPTERS.values())
    assert names == list(CLAIMS) and len(set(names)) == len(names)
    for file in Path(inspect.getfile(claims)).parent.glob("*.py"):  # no claim is written down and then forgotten
        body = ast.parse(file.read_text(encoding="utf-8")).body
        made = [f.name for f in body if isinstance(f, ast.FunctionDef) and "claim(" in ast.unparse(f.decorator_list)]
        assert made == list(CHAPTERS.get(file.stem, ()))


@pytest.mark.parametrize("topic", SOURCES)
def test_a_lesson_shows_its_own_claims_and_the_last_all_of_them(topic):
    source = SOURCES[topic]
    assert re.findall(r"claims\.chapter\((.*?)\)", source) == [f'"{topic}"'] * (topic in CHAPTERS)
    assert source.count("claims.overview()") == (topic == "which_one")


@every_chapter
def test_a_chapter_hides_each_verdict_and_its_evidence_in_a_fold(topic):
    found = judged(topic)
    html = found._repr_html_()
    folds = re.findall(r"(?s)<details><summary [^>]*>(.*?)</summary>(.*?)</details>", html)
    assert len(folds) == len(CHAPTERS[topic]) == html.count("<details")  # and none is open
    for (seen, hidden), (name, claim) in zip(folds, CHAPTERS[topic].items(), strict=True):
        judgement = next(judgement for judgement in found.rulings if judgement.claim.name == name)
        assert face.escape(claim.statement) in seen
        assert hidden.startswith(face.chip(judgement.verdict))
        for part in (judgement.because, claim.code, claim.rule, claim.source):
            shown = face.prose(part) if part == judgement.because else face.escape(part)
            assert shown in hidden and shown not in seen
        assert f"<b>{claim.origin}:</b>" in hidden
        assert f'"{claim.statement}" → {judgement.verdict}' in repr(found)
    before = html.split("<details>")[0]
    assert "True, half true, false or unsourced? Guess first" in before
    assert not any(face.chip(verdict) in before or face.marked(verdict) in before for verdict in VERDICTS)
    assert "<script" not in html and "http" not in html


def test_a_chapter_with_another_fact_shows_another_verdict(monkeypatch):
    topic, name = "t5_buckets", "all_in_use"
    claim, before = CLAIMS[name], claims.chapter(topic)

    @functools.wraps(claim.fact)  # the code that is shown stays
    def otherwise():
        return claim.otherwise

    monkeypatch.setitem(CHAPTERS[topic], name, replace(claim, fact=otherwise))
    after = claims.chapter(topic)
    assert repr(before).replace(f'"{claim.statement}" → false', f'"{claim.statement}" → true') == repr(after)
    for verdict, change in (("true", 1), ("false", -1)):
        chip = face.chip(verdict)
        assert after._repr_html_().count(chip) == before._repr_html_().count(chip) + change
    assert "used 32" in after._repr_html_() and "used 31" in before._repr_html_()


def test_words_of_a_claim_cannot_break_the_page():
    bad = "</summary><script>alert('1')</script> & \"x\""
    claim = CLAIMS["all_in_use"]
    judgement = judge_claim(replace(claim, statement=bad, because=bad, source=bad))
    plain, page = claims.chapter("t5_buckets"), claims.Rulings("t5_buckets", [judgement])
    for html in (page._repr_html_(), judgement._repr_html_()):
        assert "<script" not in html and "alert('1')" not in html and face.escape(bad) in html
    assert page._repr_html_().count("</summary>") == 1
    assert plain._repr_html_().count("</summary>") == len(CHAPTERS["t5_buckets"])


def test_the_overview_has_every_claim_with_its_verdict_under_a_link_to_its_chapter():
    picture = claims.overview()
    html = picture._repr_html_()
    parts = re.split(r'<th scope="row"[^>]*>\d\d · <a href="([^"]+)"', html)
    assert parts[1::2] == [f"{TOPICS[topic].file}.ipynb" for topic in CHAPTERS]
    for part, (topic, found) in zip(parts[2::2], CHAPTERS.items(), strict=True):
        assert face.escape(TOPICS[topic].title) in part and part.count("<tr") == len(found) + (topic != "which_one")
        for claim in found.values():
            assert f"<td>{face.escape(claim.statement)}</td><td>{face.chip(claim.stated)}</td>" in part
    stated = Counter(claim.stated for claim in CLAIMS.values())
    assert f"{len(CLAIMS)} sentences" in picture.alt and len(html.encode()) < 30_000
    assert all(f"{count} {verdict}" in picture.alt for verdict, count in stated.items())
    assert repr(claims.overview("rope", "alibi")).count("sentences") == 1


def test_a_fact_that_comes_out_otherwise_is_told():
    claim = CLAIMS["all_in_use"]
    judgement = judge_claim(replace(claim, fact=lambda: claim.otherwise))
    assert judgement.verdict == "true" and 'came out as "false"; here the fact is another one' in judgement.because


def test_the_ledger_itself_needs_no_torch():
    code = "import sys; from course_tasks import claims; claims.decide('all_in_use'); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
