"""The form of all questions: the words in a decorator, and below them the function that decides."""

from collections.abc import Callable, Mapping
from typing import Any

from course_kit.figures.question import Question

VERDICTS = ("true", "half true", "false", "unsourced")


def question(text: str, options: Mapping[str, str]) -> Callable[[Callable[[], Any]], Question]:
    """A question for the quiz: `options` maps each answer to what it tells.

    The function below returns the right answer or how it begins, perhaps with the facts that reasons name.
    """
    return lambda decide: Question(text, options, decide, chapter=_topic(decide))


def claim(statement: str, because: str, source: str) -> Callable[[Callable[[], Any]], Question]:
    """A sentence that is often repeated: true, half true, false or unsourced?

    The function below returns the verdict and the facts that `because` names.
    """
    return lambda decide: Question(statement, dict.fromkeys(VERDICTS, ""), decide, because, source, _topic(decide))


def judged(*holds: Any) -> str:
    """ "true" where a sentence holds in all cases, "false" where in none, and otherwise "half true"."""
    return "true" if all(holds) else "half true" if any(holds) else "false"


def _topic(decide: Callable[[], Any]) -> str:
    """The chapter: the folder of its file."""
    return decide.__module__.split(".")[1]
