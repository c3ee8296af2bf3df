"""The quiz: many questions in one picture, each committed to before its reasons are shown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..contents import TOPICS, Chapter, number
from ..display.formatting import check_choice, escape, prose
from ..display.picture import SUPPRESS, Picture
from .question import check_question

LETTERS = "ABCDEFGH"


class Question(NamedTuple):
    """A question, what each answer tells, the right one of them, and the topic of the chapter that teaches it."""

    name: str
    chapter: str
    text: str
    options: Mapping[str, str]
    answer: str


def quiz(questions: Sequence[Question], *, title: str = "Quiz") -> Picture:
    """One question at a time, with a score: a checked answer counts, and shows what each option tells.

    After the last one come the chapters to read again. `backticks` in any text make code. Without scripts all
    questions are a list, each with its answer and reasons in a fold below.
    Raises ValueError for no questions, for one that `figures.question` would refuse, and for an unknown chapter.
    """
    if not questions:
        raise ValueError(f"questions={questions!r}: expected one or more")
    for q in questions:
        check_question(q.text, q.options, q.answer)
        check_choice("chapter", q.chapter, TOPICS)
        if len(q.options) > len(LETTERS):
            raise ValueError(f"options: {len(q.options)} of them; expected {len(LETTERS)} at most")
    topics = {q.chapter for q in questions}
    taught = [chapter for topic, chapter in TOPICS.items() if topic in topics]
    body = "".join(
        [
            f"<p><b>{escape(title)}</b></p>",
            *(_asked(k, q) for k, q in enumerate(questions, 1)),
            _links(taught),
        ]
    )
    data = {
        "title": title,
        "questions": [(list(q.options).index(q.answer), taught.index(TOPICS[q.chapter])) for q in questions],
    }
    many = "" if len(questions) == 1 else "s"
    chapters = f"chapter{'' if len(taught) == 1 else 's'} {', '.join(chapter.number for chapter in taught)}"
    alt = f"{title}: {len(questions)} question{many} about {chapters}, with a reason for every answer."
    styles = ["controls", "question", "quiz"]
    return Picture("quiz", body, alt=alt, title=title, styles=styles, script="quiz.js", data=data)


def _asked(k: int, q: Question) -> str:
    """One question. The script takes its words from here: they travel once."""
    right = LETTERS[list(q.options).index(q.answer)]
    return (
        f"<div class=rp-asked><p><b>{k}.</b> <span>{prose(q.text)}</span></p>{_lettered(q.options)}"
        f"<details><summary {SUPPRESS}>Answer, and what each choice tells</summary>"
        f"<p><b>{right}</b>, chapter {number(q.chapter)}</p>{_lettered(q.options.values())}</details></div>"
    )


def _lettered(texts: Iterable[str]) -> str:
    return f"<ol type=A>{''.join(f'<li>{prose(text)}</li>' for text in texts)}</ol>"


def _links(chapters: Sequence[Chapter]) -> str:
    """The chapters, as notebooks beside the one with the quiz."""
    links = []
    for chapter in chapters:
        name = f"{chapter.number} · {escape(chapter.title)}"
        links.append(f'<li><a href="{chapter.file}.ipynb" {SUPPRESS} style="color:#0b5f5a">{name}</a></li>')
    return f"<p><b>The chapters</b></p><ul class=rp-chapters>{''.join(links)}</ul>"
