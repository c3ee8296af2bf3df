"""The questions: each answer and each number in a reason is computed, by the code that a reader is shown."""

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from course_chapters import measured, questions
from course_kit.contents import number
from course_kit.figures.question import Question

ALL = questions.claims_of() | questions.quiz_of()
every_question = pytest.mark.parametrize("name", ALL)


def numbers(text):
    """The numbers in a text, not those in names such as T5; "16_000" and "16,000" are equal."""
    return set(re.findall(r"(?<![A-Za-z])\d+(?:\.\d+)?", re.sub(r"(?<=\d)[,_](?=\d{3})", "", text)))


@every_question
def test_the_answer_is_computed_by_the_code_that_is_shown(name):
    """The imports and the function, in a cell of their own, give an answer that no line writes down as it is."""
    question, cell = ALL[name], {}
    assert question.decide.__name__ == name and question.chapter
    exec(question.code, cell)
    assert replace(question, decide=cell[name]).answer == question.answer
    returned = [node.value for node in ast.walk(ast.parse(question.code)) if isinstance(node, ast.Return)]
    answer = returned[-1].elts[0] if isinstance(returned[-1], ast.Tuple) else returned[-1]
    with pytest.raises(ValueError):
        ast.literal_eval(answer)


@every_question
def test_every_number_in_a_reason_is_computed_or_given(name):
    """What is not a fact is in the question, in an option or, of a claim, in the code and the source below it."""
    question = ALL[name]
    given = numbers(" ".join([question.text, *question.options, question.code, question.source]))
    for reason in (question.because, *question.options.values()):
        assert numbers(re.sub(r"\{[^}]*\}", "", reason)) <= given, reason
        assert "{" not in question.told(reason)
    facts = set(question.decided[1])
    named = set(re.findall(r"\{(\w+)", " ".join([question.because, *question.options.values()])))
    assert facts == named, "a fact that no reason names, or a name that is no fact"


def test_the_words_of_the_study(monkeypatch):
    """Every seed decides; a scheme that is worse by less than a thousandth of a nat is not beaten."""
    rows = {"none": (0.5, 0.6), "a": (0.1001, 0.1008), "b": (0.1, 0.1), "c": (0.3, 0.3), "new": (0.0,)}
    made = [
        {"task": "characters", "scheme": scheme, "seed": seed, "loss": [0.06, 0.06 + loss]}
        for scheme, seeds in rows.items()
        for seed, loss in enumerate(seeds)
    ]
    monkeypatch.setattr(measured, "committed", lambda file="": made)
    words = {"none": "breaks", "a": "rises", "b": "rises", "c": "breaks", "new": "one seed"}
    assert {run: measured.verdict(run) for run in rows} == words and measured.rise("none") == pytest.approx(0.55)
    assert measured.schemes() == ["none", "a", "b", "c"] and measured.unbeaten("characters") == ["a", "b"]
    with pytest.raises(ValueError, match=r"run='sine', task='characters': expected one of the runs"):
        measured.losses("sine")


def test_what_a_reader_asks_for():
    assert "farthest distances gets the fewest pairs" in questions.claims("t5_buckets")._repr_html_()
    chapters = f"{number('alibi')}, {number('rope')}"
    assert questions.quiz("rope", "alibi").alt.startswith(f"Quiz: 2 questions about chapters {chapters},")
    for wrong in (questions.claims, questions.quiz):
        with pytest.raises(ValueError, match="='start': expected one of"):
            wrong("start")


OPTIONS = {"−3 to 3": "Yes, {rows} rows.", "3": "No."}


@pytest.mark.parametrize(
    "wrong, message",
    [
        (dict(options={"Yes": "b", "No": ""}), r"options\['No'\]='': expected what"),
        (dict(decide=lambda: "4"), "answer='4': expected one of '−3 to 3', '3', or how it begins"),
    ],
)
def test_what_is_refused_says_why(wrong, message):
    with pytest.raises(ValueError, match=message):
        _ = Question(**{"text": "Which?", "options": OPTIONS, "decide": lambda: 3, **wrong}).answer


def test_an_answer_is_found_by_how_it_begins_and_facts_get_their_signs():
    question = Question("Which?", OPTIONS, lambda: ("-3", {"rows": -7}))
    assert question.answer == "−3 to 3" and question.told("{rows:,} rows of 5%") == "−7 rows of 5 %"
    assert Question("Which?", OPTIONS, lambda: np.int64(3)).answer == "3"
