"""The claims: each verdict follows from a computed fact and would be another one if the fact were another."""

import ast
import copy
import functools
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from course_tasks import claims
from course_tasks.claims import study_facts as measured
from course_tasks.claims.claim import VERDICTS

CLAIMS = claims.CLAIMS
every_claim = pytest.mark.parametrize("name", CLAIMS)
FACTS = {}


def run(name):
    """The fact of a claim, computed once for all tests."""
    if name not in FACTS:
        FACTS[name] = CLAIMS[name].fact()
    return copy.deepcopy(FACTS[name])


@every_claim
def test_the_verdict_follows_from_the_fact(name):
    claim = CLAIMS[name]
    assert claim.name == name and claim.verdict(run(name)) == claim.stated


@every_claim
def test_another_fact_would_give_another_verdict(name):
    claim = CLAIMS[name]
    other = claim.verdict(claim.otherwise)
    assert other in VERDICTS and other != claim.stated


@every_claim
def test_a_fact_is_computed_and_the_reason_quotes_it(name):
    """No function returns a literal, and a reason has its numbers from the fact."""
    function = ast.parse(CLAIMS[name].code).body[-1]
    for node in ast.walk(function):
        if isinstance(node, ast.Return):
            with pytest.raises(ValueError):
                ast.literal_eval(node.value)
    assert "{fact" in CLAIMS[name].because and "{" not in claims.decide(name).because


@every_claim
def test_the_code_that_is_shown_is_what_runs(name):
    """The imports and the function, in a cell of their own, compute the same."""
    fact, cell = run(name), {}
    exec(CLAIMS[name].code, cell)
    assert cell[CLAIMS[name].fact.__name__]() == fact
    assert not CLAIMS[name].code.startswith("@") and "claim import" not in CLAIMS[name].code
    rule = eval(f"lambda fact: {CLAIMS[name].rule}")
    assert rule(fact) == CLAIMS[name].stated and rule(CLAIMS[name].otherwise) != CLAIMS[name].stated


def test_level_is_a_rise_whose_interval_stays_below_the_bound(monkeypatch):
    """The verdicts about longer texts share the rule of the study, and turn when the seeds do."""
    found = {name: run(name)["level"] for name in CLAIMS if "level" in run(name)}
    assert {name: count for name, count in found.items() if count} == {
        "alibi_stays_level": 3, "last_bucket_is_safe": 1, "hybrids_are_level": 1,
    }  # fmt: skip
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
    made = [{"task": "t", "scheme": scheme, "seed": seed, "loss": [1.0, loss]}
            for scheme, seeds in rows.items() for seed, loss in enumerate(seeds)]  # fmt: skip
    monkeypatch.setattr(measured, "runs", lambda preset: made)
    assert measured.schemes("t") == ["none", "a", "b", "c"] and measured.unbeaten("t") == ["a", "b"]


def test_a_chapter_with_another_fact_shows_another_verdict(monkeypatch):
    topic, name = "t5_buckets", "all_in_use"
    claim, before = CLAIMS[name], repr(claims.chapter(topic))

    @functools.wraps(claim.fact)  # the code that is shown stays
    def otherwise():
        return claim.otherwise

    monkeypatch.setitem(claims.CHAPTERS[topic], name, replace(claim, fact=otherwise))
    after = claims.chapter(topic)
    assert before.replace(f'"{claim.statement}" → false', f'"{claim.statement}" → true') == repr(after)
    assert "used 32" in after._repr_html_()


def test_no_claim_is_written_down_and_then_forgotten():
    for file in Path(inspect.getfile(claims)).parent.glob("*.py"):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        made = [f.name for f in body if isinstance(f, ast.FunctionDef) and "claim(" in ast.unparse(f.decorator_list)]
        assert made == list(claims.CHAPTERS.get(file.stem, ()))
