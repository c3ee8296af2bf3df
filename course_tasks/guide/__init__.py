"""The rules of the decision guide: question → answer → which schemes → verdict, reason, chapters that back it.

A plain table, a file for each question, to be read and to be changed. An answer without rules speaks for no scheme and
against none; every other answer says something about every scheme. No measurement rules a scheme out. What the study
measured on small models is reported as such: numbers are read from the committed runs, and
`tests/figures/test_decision_guide.py` tests the words. A scheme fits longer texts if small models stayed level in text,
at every learning rate that was tried.
"""

from collections.abc import Mapping

from course_lib import figures
from course_lib.contents import number
from course_lib.display.picture import Picture
from course_lib.figures.decision_guide import CAVEAT, FITS, OUT, Decision, Rule, named
from course_tasks.measured import STEPS

from .attended import ATTENDED
from .computing import COMPUTING
from .find import FIND
from .lengths import LENGTHS
from .parameters import PARAMETERS
from .rules import SCHEMES
from .weights import WEIGHTS

__all__ = ["CAVEAT", "FITS", "NOTE", "OUT", "QUESTIONS", "SCHEMES", "UNTOLD", "decide", "picture"]

NOTE = (
    "A scheme is ruled out by how it is made, or by what you have, never by a measurement alone. “Small models” are "
    f"those of chapter {number('longer_than_training')}: two layers, trained for {STEPS:,} steps on texts of 128 "
    "tokens, tested up to 1,024. What they did is a reason to test yours; of large models it says nothing. “Level” "
    "does not mean that the long text is used: in text, when all keys were masked that are 128 or more back, the loss "
    "of a level model at 1,024 tokens did not rise."
)
UNTOLD = "The guide has no rule for it here, so test it yourself."


def completed(questions: Mapping[str, Mapping[str, list[Rule]]]) -> dict[str, dict[str, list[Rule]]]:
    """The questions, where every answer with rules also says of which schemes it knows nothing yet."""
    found: dict[str, dict[str, list[Rule]]] = {}
    for question, options in questions.items():
        found[question] = {}
        for answer, rules in options.items():
            told = {scheme for rule in rules for scheme in named(rule)}
            rest = ", ".join(scheme for scheme in SCHEMES if scheme not in told)
            found[question][answer] = [*rules, Rule(CAVEAT, rest, UNTOLD, "which_one")] if rules and rest else rules
    return found


QUESTIONS = completed(
    {
        "What is attended?": ATTENDED,
        "How long are the texts (or windows)?": LENGTHS,
        "What must a token find?": FIND,
        "Which weights does it start from?": WEIGHTS,
        "How is it computed?": COMPUTING,
        "May position have parameters?": PARAMETERS,
    }
)


def picture(answers: Mapping[str, str] | None = None, *, title: str | None = None) -> Picture:
    """The guide with some questions answered, or none. Raises ValueError for a question or answer that is not there."""
    return figures.decision_guide(QUESTIONS, SCHEMES, answers, note=NOTE, title=title)


def decide(answers: Mapping[str, str]) -> dict[str, Decision]:
    """What the answers say about each scheme. Raises ValueError for a question or answer that is not there."""
    return figures.decide(QUESTIONS, SCHEMES, answers)
