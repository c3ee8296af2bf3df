"""Which scheme? Answers to a few questions combine: the worst verdict wins, and every verdict has its reason.

from course_chapters.which_one import guide
guide.picture()                              every question, every answer, and what it means for each scheme
guide.ask({question: answer, …}, "ALiBi")    which schemes these answers leave, and why or why not ALiBi
guide.decide({question: answer, …})          what these answers mean together, scheme by scheme
guide.QUESTIONS                              question → answer → rules: those of `rules.py`, completed
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from textwrap import fill
from typing import NamedTuple

from course_chapters.measured import STEPS
from course_kit.contents import number
from course_kit.display.box import rich
from course_kit.display.formatting import escape
from course_kit.display.picture import SUPPRESS, Picture
from course_lib.checks import check_choice
from course_lib.schemes import NOTHING, SCHEMES

from .rules import CAVEAT, FITS, OTHERS, OUT, RULES, UNKNOWN, Rule, Verdict

MARKS = {FITS: "✓", CAVEAT: "~", UNKNOWN: "?", OUT: "✗"}
WORDS = {FITS: "fits", CAVEAT: "possible, with a caveat", UNKNOWN: "no verdict yet", OUT: "ruled out"}
MADE_OF_OTHERS = {  # RoPE with other speeds after training; windows in turn with layers that see all keys
    "stretched RoPE": "stretching_rope",
    "hybrid": "windows_and_sinks",
}
BASELINES = ("none", "learned", "sinusoidal")
CANDIDATES = {name: scheme.topic for name, scheme in SCHEMES.items()} | MADE_OF_OTHERS
CANDIDATES = dict(sorted(CANDIDATES.items(), key=lambda item: "" if item[0] in BASELINES else number(item[1])))
NOTE = (
    "The words at the end of a line name its ground. Computed: it follows from how a scheme is made, or from what you "
    f"have. “Small models” are those of chapter {number('longer_than_training')}: two layers, trained for {STEPS:,} "
    "steps on texts of 128 tokens, tested up to 1,024. They are a reason to test yours, so they give a caveat at most."
)


class Decision(NamedTuple):
    """What several answers mean for one scheme: the worst verdict, and every rule that applies, the worst first."""

    verdict: Verdict
    rules: list[Rule]


def _parameters() -> Iterator[Rule]:
    """What the registry says of each scheme, if position may have no parameters."""
    learns = {name: scheme.parameters for name, scheme in SCHEMES.items() if scheme.parameters != NOTHING}
    for name, count in learns.items():
        yield Rule(OUT, [name], [CANDIDATES[name]], f"It learns {count.text} numbers.")
    free = [name for name in CANDIDATES if name not in learns]
    yield Rule(FITS, free, sorted({CANDIDATES[name] for name in free}, key=number), "Nothing is learned.")


def _complete(rules: Sequence[Rule]) -> list[Rule]:
    """These rules, in which every candidate has a verdict: one that they leave out has none yet."""
    named = {scheme for rule in rules for scheme in rule.schemes}
    others = [scheme for scheme in CANDIDATES if scheme not in named]
    if OTHERS in named:
        return [rule._replace(schemes=others) if rule.schemes == [OTHERS] else rule for rule in rules]
    why, ground = "The guide has no rule for it in this case.", "not judged"
    return [*rules, *(Rule(UNKNOWN, [scheme], [CANDIDATES[scheme]], why, ground) for scheme in others if rules)]


QUESTIONS = {question: {answer: _complete(RULES[question][answer]) for answer in RULES[question]} for question in RULES}
QUESTIONS["May position have parameters?"] = {"parameters": [], "no parameters": list(_parameters())}


def decide(answers: Mapping[str, str]) -> dict[str, Decision]:
    """{scheme: Decision} for {question: answer}. Raises ValueError for a question or answer that is not there."""
    rules = []
    for question, answer in answers.items():
        options = QUESTIONS[check_choice("question", question, QUESTIONS)]
        rules += options[check_choice(f"answers[{question!r}]", answer, options)]
    found = {}
    for scheme in CANDIDATES:
        reasons = sorted((rule for rule in rules if scheme in rule.schemes), key=lambda rule: -rule.verdict)
        found[scheme] = Decision(max((rule.verdict for rule in reasons), default=FITS), reasons)
    return found


def ask(answers: Mapping[str, str], *schemes: str) -> None:
    """Print which schemes fit these answers, which have no verdict yet, and what the worst rule says of some schemes.

    Raises ValueError for a question, an answer or a scheme that is not there.
    """
    found = decide(answers)
    listed = {v: ", ".join(scheme for scheme, decision in found.items() if decision.verdict == v) for v in Verdict}
    print(f"{WORDS[FITS]}: {listed[FITS] or 'nothing'}")
    if listed[UNKNOWN]:
        print(f"{WORDS[UNKNOWN]}: {listed[UNKNOWN]}")
    for scheme in schemes:
        verdict, rules = found[check_choice("scheme", scheme, CANDIDATES)]
        worst = [rule.why for rule in rules if rule.verdict == verdict]
        print(fill(f"{scheme}: {WORDS[verdict]}. {' '.join(worst[-1:])}", width=100, subsequent_indent="  "))


def picture() -> Picture:
    """Every question, with a fold for each answer: what it means for each scheme."""
    title = "Which one? A guide to the schemes"
    alt = f"{title}: {len(QUESTIONS)} questions, and what each answer says about {len(CANDIDATES)} schemes."
    given = sorted({rule.verdict for options in QUESTIONS.values() for rules in options.values() for rule in rules})
    marks = ", ".join(f"{MARKS[verdict]} {WORDS[verdict]}" for verdict in given)
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
        names = "others" if len(rule.schemes) > len(CANDIDATES) - 5 else ", ".join(rule.schemes)
        backed = f"{escape(rule.ground)}, ch. {', '.join(map(number, rule.chapters))}"
        why = rich(rule.why, formulas=True)
        lines.append(f"<li>{MARKS[rule.verdict]} <b>{escape(names)}</b>: {why} <i>{backed}</i></li>")
    summary = f"<summary {SUPPRESS}><b>{escape(answer)}</b> <span>{said}</span></summary>"
    return f"<details>{summary}<ul>{''.join(lines)}</ul></details>"
