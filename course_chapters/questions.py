"""The questions of the course: each has a function that decides it, so no answer is typed in.

from course_tasks import questions
questions.claims("t5_buckets")               the sentences of one chapter, to judge; then why, and the code
questions.quiz()                             the closing quiz; quiz("rope", "alibi") asks about some chapters
questions.CLAIMS, questions.QUIZ             the same by name; CLAIMS[name].decide() runs the code of one

The questions of a chapter are in the file named like its topic. A verdict or answer is computed from facts, and so is
every number in a reason that neither the question nor the code gives. Figures that others reported are in the code.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

from course_kit import figures
from course_kit.contents import TOPICS
from course_kit.display.formatting import check_choice
from course_kit.display.picture import Picture
from course_kit.figures.question import Question

ALL = {
    name: found
    for topic in TOPICS
    if find_spec(f"{__name__}.{topic}")
    for name, found in vars(import_module(f"{__name__}.{topic}")).items()
    if isinstance(found, Question)
}
CLAIMS = {name: question for name, question in ALL.items() if question.because}
QUIZ = {name: question for name, question in ALL.items() if not question.because}
GUESS = (
    "True, half true, false or unsourced? Half true: it holds under a condition that it does not mention. Unsourced: "
    "no measurement known to this course supports it."
)


def claims(topic: str) -> Picture:
    """The claims of one chapter, to judge. Raises ValueError for a topic without claims."""
    return figures.claims(_of(topic, CLAIMS), GUESS, title=TOPICS[topic].title)


def quiz(*topics: str, title: str = "Quiz") -> Picture:
    """The closing quiz, or its questions about some chapters. Raises ValueError for a topic without any."""
    return figures.quiz([q for topic in topics or _topics(QUIZ) for q in _of(topic, QUIZ)], title=title)


def _of(topic: str, questions: Mapping[str, Question]) -> list[Question]:
    """Those of a chapter."""
    check_choice("topic", topic, _topics(questions))
    return [q for q in questions.values() if q.chapter == topic]


def _topics(questions: Mapping[str, Question]) -> list[str]:
    """The topics that have such questions."""
    return list(dict.fromkeys(q.chapter for q in questions.values()))
