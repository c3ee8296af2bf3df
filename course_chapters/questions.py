"""The questions of the course: each has a function that decides it, so no answer is typed in.

from course_chapters import questions
questions.claims("t5_buckets")               the sentences of one chapter, to judge; then why, and the code
questions.quiz()                             the closing quiz; quiz("rope", "alibi") asks about some chapters
questions.claims_of(), questions.quiz_of()   the same by name; claims_of()[name].decide() runs the code of one

The questions of a chapter are in `questions.py` in its folder, which is read when they are asked. A verdict or answer
is computed from facts, and so is every number in a reason that neither the question nor the code gives. Figures that
others reported are in the code.
"""

from importlib import import_module
from importlib.util import find_spec

from course_kit import figures
from course_kit.contents import TOPICS
from course_kit.display.picture import Picture
from course_kit.figures.question import Question
from course_lib.checks import check_choice

GUESS = (
    "True, half true, false or unsourced? Half true: it holds under a condition that it does not mention. Unsourced: "
    "no measurement known to this course supports it."
)


def claims(topic: str) -> Picture:
    """The claims of one chapter, to judge. Raises ValueError for a topic without claims."""
    return figures.claims(list(claims_of(topic).values()), GUESS, title=TOPICS[topic].title)


def quiz(*topics: str) -> Picture:
    """The closing quiz, or its questions about some chapters. Raises ValueError for a topic without any."""
    asked = list(quiz_of(*topics).values())
    return figures.quiz(asked, title="Quiz" if topics else f"The whole course in {len(asked)} questions")


def claims_of(*topics: str) -> dict[str, Question]:
    """The claims of some chapters by name, of all when none is named. Raises ValueError for a topic without claims."""
    return _of(topics, is_claim=True)


def quiz_of(*topics: str) -> dict[str, Question]:
    """The same of the questions in the quiz."""
    return _of(topics, is_claim=False)


def _of(topics: tuple[str, ...], is_claim: bool) -> dict[str, Question]:
    found: dict[str, Question] = {}
    for topic in topics or TOPICS:
        asked = _asked(check_choice("topic", topic, TOPICS))
        own = {name: question for name, question in asked.items() if bool(question.because) == is_claim}
        if topics and not own:
            raise ValueError(f"topic={topic!r}: expected a chapter with such questions")
        found |= own
    return found


def _asked(topic: str) -> dict[str, Question]:
    """All questions of a chapter by name."""
    module = f"course_chapters.{topic}.questions"
    names = vars(import_module(module)) if find_spec(module) else {}
    return {name: value for name, value in names.items() if isinstance(value, Question)}
