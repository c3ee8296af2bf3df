"""The claims ledger: each verdict follows from a computed fact and would be another one if the fact were another."""

import ast
import copy
import functools
import inspect
import json
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from course_lib import study
from course_lib.contents import TOPICS, number
from course_lib.display.colours import contrast
from course_tasks import claims
from course_tasks.claims import html as face
from course_tasks.claims import study_facts as measured
from course_tasks.claims.claim import VERDICTS
from course_tasks.claims.ruling import judge_claim

CLAIMS = claims.CLAIMS
every_claim = pytest.mark.parametrize("name", CLAIMS)
every_topic = pytest.mark.parametrize("topic", claims.TOPICS)
judged = functools.cache(claims.topic)
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


def test_there_are_many_and_each_verdict_occurs():
    assert 38 <= len(CLAIMS) <= 44
    counts = Counter(claim.stated for claim in CLAIMS.values())
    assert set(counts) == set(VERDICTS) and min(counts.values()) >= 3
    assert counts["true"] >= 9


def test_statements_are_short_and_said_once():
    statements = [claim.statement for claim in CLAIMS.values()]
    assert len(set(statements)) == len(statements) and max(map(len, statements)) <= 160
    assert all(statement[-1] == "." for statement in statements)


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
def test_facts_are_the_same_again_and_quick(name):
    first, start = run(name), time.process_time()
    assert CLAIMS[name].fact() == first
    assert time.process_time() - start < 5  # seconds of this process, whatever else runs


@every_claim
def test_the_code_that_is_shown_is_what_runs(name):
    """The imports and the function, in a cell of their own, compute the same."""
    fact, cell = run(name), {}
    exec(CLAIMS[name].code, cell)
    assert cell[CLAIMS[name].fact.__name__]() == fact
    assert not CLAIMS[name].code.startswith("@") and "claim import" not in CLAIMS[name].code
    assert max(map(len, CLAIMS[name].code.splitlines())) <= 98, "wider than the page"
    rule = eval(f"lambda fact: {CLAIMS[name].rule}")
    assert rule(fact) == CLAIMS[name].stated and rule(CLAIMS[name].otherwise) != CLAIMS[name].stated


@every_claim
def test_the_numbers_in_the_reason_come_from_the_fact(name):
    claim, fact = CLAIMS[name], run(name)
    fields = re.findall(r"\{fact[^}]*\}", claim.because)
    assert fields, "the reason names nothing that was computed"
    rest = re.sub(r"\{[^}]*\}", "", claim.because)
    assert not re.search(r"(?<![A-Za-z])(?<!GPT-)\d", rest), rest
    reason = claims.decide(name).because
    assert reason == judge_claim(claim).because and "{" not in reason and "-0" not in reason
    assert reason != claim.because and str(fact) not in reason


@every_claim
def test_sources_and_chapters(name):
    claim = CLAIMS[name]
    assert len(claim.source) > 10 and not claim.source.endswith(".")
    assert claim.chapter in TOPICS


def test_what_is_quoted_says_so():
    """Where the figures that decide are those of others, both faces say it, and the source begins with them."""
    quoted = {name for name, claim in CLAIMS.items() if claim.quoted}
    assert quoted == {
        "less_than_five_percent",
        "any_length",
        "t5_divides",
        "bias_across",
        "gpt_uses_rope",
        "falcon_uses_alibi",
        "llama_halves",
        "rises_by_a_tenth",
        "t5_compares_on_glue",
        "t5_leads_in_translation",
        "who_began",
        "bart_is_relative",
        "shaw_shares_over_heads",
    }
    for name, claim in CLAIMS.items():
        shown, words = claims.decide(name), "quoted and computed" if name in quoted else "computed"
        assert f"<b>{words.capitalize()}:</b>" in shown._repr_html_() and f"\n  {words}: " in repr(shown)
        assert not (name in quoted and claim.source.startswith("run"))


def test_level_is_a_rise_whose_interval_stays_below_the_bound(monkeypatch):
    """The verdicts about longer texts share the rule of the study, and turn when the seeds do."""
    found = [name for name in CLAIMS if "level" in run(name)]
    assert found == ["rope_reads_longer", "alibi_stays_level", "sines_go_on", "last_bucket_is_safe", "any_length"]
    some = {"alibi_stays_level": 3, "last_bucket_is_safe": 1, "any_length": 3}
    assert {name: run(name)["level"] for name in found} == {name: some.get(name, 0) for name in found}
    assert f"at or below {study.LEVEL} nats" in CLAIMS["alibi_stays_level"].source

    for rises, share in (((0.1, 0.1, 0.1), 0), ((0.0, 0.0, 0.1), 0), ((0.01, 0.01, 0.01), 1)):
        losses = np.array([[1.0, 1.0 + rise] for rise in rises])
        monkeypatch.setattr(measured, "losses", lambda *args, losses=losses: losses)
        for name in found:
            fact = CLAIMS[name].fact()
            assert fact["level"] == share * len(fact["rise"]), name
            assert (CLAIMS[name].verdict(fact) == "false") == (share == 0), name


def test_a_judgement_reads_the_same_in_every_run():
    one, other = claims.decide("all_in_use"), claims.decide("all_in_use")
    assert repr(one) == repr(other) and one._repr_html_() == other._repr_html_()
    assert repr(one).startswith(
        'false: "T5\'s encoder uses all of its 32 buckets."\n  computed: used 31 · never used 16\n'
    )
    with pytest.raises(ValueError, match="name='buckets': expected one of 'words_in_another_order', "):
        claims.decide("buckets")
    with pytest.raises(ValueError, match="name='buckets'"):
        claims.overview(["buckets"])


@every_claim
def test_the_face_shows_all_of_it(name):
    fact, judgement = run(name), claims.decide(name)
    html = judgement._repr_html_()
    assert judgement.fact == fact and len(html.encode()) < 12_000
    for part in (judgement.verdict, judgement.because, CLAIMS[name].statement, CLAIMS[name].code, CLAIMS[name].source):
        assert face.escape(part) in html
    assert "<script" not in html and judgement.verdict in judgement.picture.alt


def test_verdicts_are_told_by_word_and_mark_and_colour():
    assert set(face.MARKS) == set(face.COLOURS) == set(VERDICTS)
    assert len(set(face.MARKS.values())) == len(set(face.COLOURS.values())) == 4
    assert all(contrast(colour, "#ffffff") >= 4.5 for colour in face.COLOURS.values())
    for verdict, mark in face.MARKS.items():
        assert f"{mark} {verdict}" in face.chip(verdict)


def test_every_claim_stands_in_one_topic():
    names = [name for claims in claims.TOPICS.values() for name in claims]
    assert len(claims.TOPICS) == 7 and sorted(names) == sorted(CLAIMS) and len(set(names)) == len(names)
    assert all(found[name] is CLAIMS[name] for found in claims.TOPICS.values() for name in found)
    for file in Path(inspect.getfile(claims)).parent.glob("*.py"):  # no claim is written down and then forgotten
        for function in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and any(
                "claim(" in ast.unparse(d) for d in function.decorator_list
            ):
                assert function.name in CLAIMS


@every_topic
def test_a_topic_hides_each_verdict_and_its_evidence_in_a_fold(topic):
    found = judged(topic)
    html = found._repr_html_()
    folds = re.findall(r"(?s)<details><summary [^>]*>(.*?)</summary>(.*?)</details>", html)
    assert len(folds) == len(claims.TOPICS[topic]) == html.count("<details")  # and none is open
    for (seen, hidden), (name, claim) in zip(folds, claims.TOPICS[topic].items(), strict=True):
        judgement = next(judgement for judgement in found.judgements if judgement.claim.name == name)
        assert face.escape(claim.statement) in seen
        assert hidden.startswith(face.chip(judgement.verdict))
        for part in (judgement.because, claim.code, claim.rule, claim.source, f"chapter {number(claim.chapter)}"):
            assert face.escape(part) in hidden and face.escape(part) not in seen
        assert f"<b>{claim.origin}:</b>" in hidden
        assert f'"{claim.statement}" → {judgement.verdict}' in repr(found)
    before = html.split("<details>")[0]
    assert "true, half true, false or unsourced? Guess first" in before
    assert not any(face.chip(verdict) in before or face.marked(verdict) in before for verdict in VERDICTS)
    assert "<script" not in html and "http" not in html


def test_all_topics_together_fit_into_a_notebook():
    pages = [judged(topic)._repr_html_() for topic in claims.TOPICS]
    stored = json.dumps([page.splitlines(keepends=True) for page in pages], ensure_ascii=False, indent=1)
    assert len(stored.encode()) < 120_000


def test_a_topic_reads_the_same_in_every_run_and_refuses_what_it_does_not_know():
    one, other = claims.topic("T5's buckets"), claims.topic("T5's buckets")
    assert repr(one) == repr(other) and one._repr_html_() == other._repr_html_()
    assert repr(one).splitlines()[0] == "T5's buckets" and len(repr(one).splitlines()) == 1 + len(one.judgements)
    with pytest.raises(ValueError, match="name='buckets': expected one of 'Positions and offsets', "):
        claims.topic("buckets")


def test_a_topic_with_another_fact_shows_another_verdict(monkeypatch):
    topic, name = "T5's buckets", "all_in_use"
    claim, before = CLAIMS[name], claims.topic(topic)

    @functools.wraps(claim.fact)  # the code that is shown stays
    def otherwise():
        return claim.otherwise

    monkeypatch.setitem(claims.TOPICS[topic], name, replace(claim, fact=otherwise))
    after = claims.topic(topic)
    assert repr(before).replace(f'"{claim.statement}" → false', f'"{claim.statement}" → true') == repr(after)
    for verdict, change in (("true", 1), ("false", -1)):
        chip = face.chip(verdict)
        assert after._repr_html_().count(chip) == before._repr_html_().count(chip) + change
    assert "used 32" in after._repr_html_() and "used 31" in before._repr_html_()


def test_words_of_a_claim_cannot_break_the_page():
    bad = "</summary><script>alert('1')</script> & \"x\""
    claim = CLAIMS["all_in_use"]
    judgement = judge_claim(replace(claim, statement=bad, because=bad, source=bad))
    plain, page = claims.topic("T5's buckets"), claims.Topic(bad, [judgement])
    for html in (page._repr_html_(), judgement._repr_html_()):
        assert "<script" not in html and "alert('1')" not in html and face.escape(bad) in html
    assert page._repr_html_().count("</summary>") == 1
    assert plain._repr_html_().count("</summary>") == len(claims.TOPICS["T5's buckets"])


def test_the_counts_are_those_of_the_verdicts():
    picture = claims.counts()
    html = picture._repr_html_()
    rows = {
        re.sub("<.*?>", "", head).strip(): [int(number) for number in re.findall(r"<td>(\d+)</td>", row)]
        for head, row in re.findall(r'(?s)<th scope="row">(.*?)</th>(.*?)</tr>', html)
    }
    for topic, found in claims.TOPICS.items():
        stated = Counter(claim.stated for claim in found.values())
        assert rows.pop(face.escape(topic)) == [*(stated[verdict] for verdict in VERDICTS), len(found)]
    stated = Counter(claim.stated for claim in CLAIMS.values())
    assert rows == {"All": [*(stated[verdict] for verdict in VERDICTS), len(CLAIMS)]}
    assert f"{stated['true']} of {len(CLAIMS)} sentences are true as they stand" in html
    assert all(f'<th scope="col">{face.marked(verdict)}</th>' in html for verdict in VERDICTS)
    assert len(html.encode()) < 12_000 and "<script" not in html


def test_the_overview_counts_what_was_judged():
    picture = claims.overview()
    html = picture._repr_html_()
    counts = Counter(claim.stated for claim in CLAIMS.values())
    assert f"{len(CLAIMS)} sentences" in picture.alt and len(html.encode()) < 16_000
    for verdict, count in counts.items():
        assert f"{count} {verdict}" in picture.alt and html.count(face.chip(verdict)) == count
    assert all(face.escape(claim.statement) in html for claim in CLAIMS.values())
    assert all(face.escape(topic) in html for topic in claims.TOPICS)


def test_a_fact_that_comes_out_otherwise_is_told():
    claim = CLAIMS["all_in_use"]
    judgement = judge_claim(replace(claim, fact=lambda: claim.otherwise))
    assert judgement.verdict == "true" and 'came out as "false"; here the fact is another one' in judgement.because


def test_the_ledger_itself_needs_no_torch():
    code = "import sys; from course_tasks import claims; claims.decide('all_in_use'); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


@pytest.mark.parametrize("name", claims.TOPICS["Models and history"])
def test_a_learner_needs_no_transformers(name, monkeypatch):
    """What a lesson shows must not depend on a package that requirements.txt does not have."""
    with_it = repr(claims.decide(name))
    monkeypatch.setitem(sys.modules, "transformers", None)  # an import of it fails now
    assert repr(claims.decide(name)) == with_it


def test_files_stay_short():
    files = Path(inspect.getfile(claims)).parent.glob("*.py")
    assert all(len(file.read_text(encoding="utf-8").splitlines()) <= 200 for file in files)
