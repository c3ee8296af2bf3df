"""The claims ledger: each verdict follows from a computed fact and would be another one if the fact were another."""

import ast
import copy
import inspect
import json
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib import ledger
from course_lib.figures.colours import contrast
from course_lib.ledger import face
from course_lib.ledger.claim import VERDICTS
from course_lib.ledger.judgement import NOT_RUN, judge_claim

CLAIMS = ledger.CLAIMS
SOURCE = Path(__file__).parents[1] / "source"
every_claim = pytest.mark.parametrize("name", CLAIMS)
FACTS = {}


def run(name):
    """The fact of a claim, computed once for all tests; skips what cannot be run here."""
    claim = CLAIMS[name]
    if claim.needs:
        pytest.importorskip(claim.needs)
    if name not in FACTS:
        FACTS[name] = claim.fact()
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
    assert 32 <= len(CLAIMS) <= 40
    counts = Counter(claim.stated for claim in CLAIMS.values())
    assert set(counts) == set(VERDICTS) and min(counts.values()) >= 4
    assert counts["true"] >= 10


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
    first, start = run(name), time.perf_counter()
    assert CLAIMS[name].fact() == first
    assert time.perf_counter() - start < 10  # far below a second where nothing else runs


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
    reason = ledger.judge(name).because
    assert reason == judge_claim(claim).because and "{" not in reason and "-0" not in reason
    assert reason != claim.because and str(fact) not in reason


@every_claim
def test_sources_and_chapters(name):
    claim = CLAIMS[name]
    assert len(claim.source) > 10 and not claim.source.endswith(".")
    assert list(SOURCE.glob(f"{claim.chapter}_*.py")), f"no chapter {claim.chapter}"


def test_a_judgement_reads_the_same_in_every_run():
    one, other = ledger.judge("all_in_use"), ledger.judge("all_in_use")
    assert repr(one) == repr(other) and one._repr_html_() == other._repr_html_()
    assert repr(one).startswith(
        'false: "T5\'s encoder uses all of its 32 buckets."\n  computed: used 31 · never used 16\n'
    )
    with pytest.raises(ValueError, match="name='buckets': expected one of words_in_another_order, "):
        ledger.judge("buckets")
    with pytest.raises(ValueError, match="name='buckets'"):
        ledger.overview(["buckets"])


@every_claim
def test_the_face_shows_all_of_it(name):
    fact, judgement = run(name), ledger.judge(name)
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


def test_the_overview_counts_what_was_judged():
    pytest.importorskip("transformers")
    picture = ledger.overview()
    html = picture._repr_html_()
    counts = Counter(claim.stated for claim in CLAIMS.values())
    assert f"{len(CLAIMS)} sentences" in picture.alt and len(html.encode()) < 32_000
    for verdict, count in counts.items():
        assert f"{count} {verdict}" in picture.alt and html.count(face.chip(verdict)) == count
    assert all(face.escape(claim.statement) in html for claim in CLAIMS.values())
    assert all(face.escape(topic) in html for topic in ledger.TOPICS)
    assert sum(
        len([c for c in vars(m).values() if isinstance(c, ledger.Claim)]) for m in ledger.TOPICS.values()
    ) == len(CLAIMS)


def test_what_cannot_be_run_says_so():
    claim = replace(CLAIMS["all_in_use"], needs="no_such_package")
    judgement = judge_claim(claim)
    assert judgement.verdict == NOT_RUN and judgement.fact is None
    assert "no_such_package, which is not installed here" in judgement.because and '"false"' in judgement.because
    html = judgement._repr_html_()
    assert "– not run here" in html and "Computed" not in html and repr(judgement).startswith("not run here: ")


def test_a_fact_that_comes_out_otherwise_is_told():
    claim = CLAIMS["all_in_use"]
    judgement = judge_claim(replace(claim, fact=lambda: claim.otherwise))
    assert judgement.verdict == "true" and 'came out as "false"; here the fact is another one' in judgement.because


def test_the_ledger_itself_needs_no_torch():
    code = "import sys; from course_lib import ledger; ledger.judge('all_in_use'); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_files_stay_short():
    files = Path(inspect.getfile(ledger)).parent.glob("*.py")
    assert all(len(file.read_text(encoding="utf-8").splitlines()) <= 200 for file in files)
