"""Which scheme? Answers to a few questions combine: the worst verdict wins, and every verdict has its reason.

from course_chapters.which_one import guide
guide.picture()                              every question, every answer, and what it means for each scheme
guide.ask({question: answer, …}, "ALiBi")    which schemes these answers leave, and why or why not ALiBi
guide.decide({question: answer, …})          what these answers mean together, scheme by scheme
guide.QUESTIONS                              question → answer → rules, read from the text in `rules.py`
"""

from collections.abc import Iterator, Mapping
from itertools import starmap
from textwrap import fill
from typing import NamedTuple

from course_chapters.measured import STEPS
from course_kit.contents import number
from course_kit.display.box import rich
from course_kit.display.formatting import check_choice, escape
from course_kit.display.picture import SUPPRESS, Picture
from course_lib import schemes

from .rules import FACTS, RULES, SHARED

FITS, CAVEAT, OUT = 0, 1, 2  # the largest of several verdicts wins
MARKS, WORDS = "✓~✗", ("fits", "possible, with a caveat", "ruled out")
MADE_OF_OTHERS = {  # RoPE with other speeds after training; windows in turn with layers that see all keys
    "stretched RoPE": "stretching_rope",
    "hybrid": "windows_and_sinks",
}
BASELINES = ("none", "learned", "sinusoidal")
SCHEMES = {name: scheme.topic for name, scheme in schemes.SCHEMES.items()} | MADE_OF_OTHERS
SCHEMES = dict(sorted(SCHEMES.items(), key=lambda item: "" if item[0] in BASELINES else number(item[1])))
NOTE = (
    "The words at the end of a line name its ground. Computed: it follows from how a scheme is made, or from what you "
    f"have. “Small models” are those of chapter {number('longer_than_training')}: two layers, trained for {STEPS:,} "
    "steps on texts of 128 tokens, tested up to 1,024. They are a reason to test yours, so they give a caveat at most."
)
COMPUTED, SMALL = "computed", "small models"


class Rule(NamedTuple):
    """What one answer means for some schemes, why, the topics of the chapters that back it, and the ground."""

    verdict: int
    schemes: tuple[str, ...]
    why: str
    chapters: tuple[str, ...]
    ground: str = COMPUTED


class Decision(NamedTuple):
    """What several answers mean for one scheme: the worst verdict, and every rule that applies, the worst first."""

    verdict: int
    rules: list[Rule]


def read(text: str) -> dict[str, dict[str, list[Rule]]]:
    """The questions in a text such as RULES."""
    found: dict[str, dict[str, list[Rule]]] = {}
    for line in text.replace("\n  ", " ").strip().splitlines():
        if line.startswith("# "):
            answers = found.setdefault(line[2:], {})
        elif line.startswith("## "):
            rules = answers.setdefault(line[3:], [])
        elif line:
            rules.append(_rule(SHARED.get(line, line), rules))
    return found


def _rule(line: str, above: list[Rule]) -> Rule:
    said, backed = line.removesuffix("]").rsplit(" [", 1)
    names, why = said[2:].split(": ", 1)
    ground, _, chapters = backed.rpartition(": ")
    taken = {scheme for rule in above for scheme in rule.schemes}
    named = [scheme for scheme in SCHEMES if scheme not in taken] if names == "others" else names.split(", ")
    why, topics = why.format_map(FACTS), tuple(chapters.split(", "))
    return Rule(MARKS.index(line[0]), tuple(named), why, topics, ground or COMPUTED)


def _parameters() -> Iterator[Rule]:
    """What the registry says of each scheme, if position may have no parameters."""
    learns = {name: scheme.parameters for name, scheme in schemes.SCHEMES.items() if scheme.parameters != "0"}
    for name, count in learns.items():
        yield Rule(OUT, (name,), f"It learns {count} numbers.", (SCHEMES[name],))
    free = tuple(name for name in SCHEMES if name not in learns)
    yield Rule(FITS, free, "Nothing is learned.", tuple(sorted({SCHEMES[name] for name in free}, key=number)))


QUESTIONS = read(RULES) | {"May position have parameters?": {"parameters": [], "no parameters": list(_parameters())}}


def decide(answers: Mapping[str, str]) -> dict[str, Decision]:
    """{scheme: Decision} for {question: answer}. Raises ValueError for a question or answer that is not there."""
    rules = []
    for question, answer in answers.items():
        options = QUESTIONS[check_choice("question", question, QUESTIONS)]
        rules += options[check_choice(f"answers[{question!r}]", answer, options)]
    found = {}
    for scheme in SCHEMES:
        reasons = sorted((rule for rule in rules if scheme in rule.schemes), key=lambda rule: -rule.verdict)
        found[scheme] = Decision(max((rule.verdict for rule in reasons), default=FITS), reasons)
    return found


def ask(answers: Mapping[str, str], *schemes: str) -> None:
    """Print which schemes these answers leave, and what the worst of their rules says of some schemes.

    Raises ValueError for a question, an answer or a scheme that is not there.
    """
    found = decide(answers)
    print("fits:", ", ".join(scheme for scheme, decision in found.items() if decision.verdict == FITS) or "nothing")
    for scheme in schemes:
        verdict, rules = found[check_choice("scheme", scheme, SCHEMES)]
        worst = [rule.why for rule in rules if rule.verdict == verdict]
        print(fill(f"{scheme}: {WORDS[verdict]}. {' '.join(worst[-1:])}", width=100, subsequent_indent="  "))


def picture() -> Picture:
    """Every question, with a fold for each answer: what it means for each scheme."""
    title = "Which one? A guide to the schemes"
    alt = f"{title}: {len(QUESTIONS)} questions, and what each answer says about {len(SCHEMES)} schemes."
    marks = ", ".join(f"{mark} {word}" for mark, word in zip(MARKS, WORDS))
    intro = f"{marks}; the worst verdict of all answers wins. {NOTE}"
    body = f"<p><b>{title}</b></p><p>{escape(intro)}</p>"
    for question, options in QUESTIONS.items():
        body += f"<p class=rp-question>{escape(question)}</p>{''.join(starmap(_fold, options.items()))}"
    return Picture("guide", body, alt=alt, title=title, styles=["decision"])


def _fold(answer: str, rules: list[Rule]) -> str:
    """An answer and what fits, and in its fold the rules, those that fit first."""
    fits = ", ".join(scheme for rule in rules if rule.verdict == FITS for scheme in rule.schemes)
    said = f"{MARKS[FITS]} {escape(fits)}" if rules else "rules nothing out"
    lines = []
    for rule in sorted(rules, key=lambda rule: rule.verdict):
        names = "others" if len(rule.schemes) > len(SCHEMES) - 5 else ", ".join(rule.schemes)
        backed = f"{escape(rule.ground)}, ch. {', '.join(map(number, rule.chapters))}"
        why = rich(rule.why, formulas=True)
        lines.append(f"<li>{MARKS[rule.verdict]} <b>{escape(names)}</b>: {why} <i>{backed}</i></li>")
    summary = f"<summary {SUPPRESS}><b>{escape(answer)}</b> <span>{said}</span></summary>"
    return f"<details>{summary}<ul>{''.join(lines)}</ul></details>"
