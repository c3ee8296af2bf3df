"""The quiz as a picture: every word of it once, without scripts too; and what is refused."""

import html
import re

import pytest

from course_lib import figures
from course_lib.contents import TOPICS, number
from course_lib.figures.quiz import LETTERS, Question
from course_tasks.quiz import QUESTIONS

from .test_figures import static

GOOD = Question("good", "bias_by_hand", "Does `sat` gain?", {"Yes": "It <gains>.", "No": "It loses."}, "No")


def test_every_word_travels_once():
    picture = figures.quiz(QUESTIONS)
    whole = html.unescape(re.sub(r"</?code[^>]*>", "`", picture._repr_html_()))
    for question in QUESTIONS:
        for said in (f"<span>{question.text}</span>", *(f"<li>{r}</li>" for r in question.options.values())):
            assert whole.count(said) == 1, said
        assert all(f"<li>{option}</li>" in whole for option in question.options)


def test_each_answer_stands_in_a_fold_below_its_question():
    blocks = static(figures.quiz(QUESTIONS)).split("<div class=rp-asked>")[1:]
    assert len(blocks) == len(QUESTIONS)
    for place, (block, question) in enumerate(zip(blocks, QUESTIONS, strict=True), 1):
        shown, folded = block.split("<details>")
        assert f"<b>{place}.</b>" in shown and "Answer, and what each choice tells" in folded
        (letter,) = re.findall(rf"<p><b>(\w)</b>, chapter {number(question.chapter)}</p>", folded)
        assert list(question.options)[LETTERS.index(letter)] == question.answer
        for part in (shown, folded):
            assert part.split("</details>")[0].count("<li>") == len(question.options)


def test_it_links_to_the_chapters_it_asks_about_and_no_others():
    links = re.findall(r'href="([^"]+)"', static(figures.quiz([GOOD, GOOD._replace(chapter="rope")])))
    assert links == [f"{TOPICS['bias_by_hand'].file}.ipynb", f"{TOPICS['rope'].file}.ipynb"]
    assert len(re.findall("href=", static(figures.quiz(QUESTIONS)))) == len({q.chapter for q in QUESTIONS})


def test_its_words_cannot_become_html():
    picture = figures.quiz([GOOD], title="<i>Mine</i>")
    assert "It &lt;gains&gt;." in static(picture) and "&lt;i&gt;Mine" in static(picture)
    chapter = number("bias_by_hand")
    assert picture.alt == f"<i>Mine</i>: 1 question about chapter {chapter}, with a reason for every answer."
    assert picture._repr_html_().count("</script>") == 1


@pytest.mark.parametrize(
    "wrong, message",
    [
        ([], r"questions=\[\]: expected one or more"),
        ([GOOD, GOOD._replace(text=" ")], "text=' ': expected a question"),
        ([GOOD._replace(options={"a": "b"}, answer="a")], "expected two or more answers"),
        ([GOOD._replace(options={"Yes": "b", "No": ""})], r"options\['No'\]='': expected what"),
        ([GOOD._replace(answer="Perhaps")], "answer='Perhaps': expected one of 'Yes', 'No'"),
        ([GOOD._replace(chapter="2")], "chapter='2': expected one of 'start_here', 'blind_to_distance'"),
        (
            [GOOD._replace(options=dict.fromkeys("abcdefghi", "x"), answer="a")],
            "options: 9 of them; expected 8 at most",
        ),
    ],
)
def test_what_is_refused_says_why(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.quiz(wrong)
