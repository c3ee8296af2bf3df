"""Which scheme? The learner's answers combine: the worst verdict wins, and every verdict has its reason and chapter."""

from collections.abc import Mapping
from typing import NamedTuple

from ..contents import number
from ..display.formatting import check_choice, escape, prose
from ..display.picture import Picture

FITS, CAVEAT, OUT = 0, 1, 2  # the largest of several verdicts wins
VERDICTS = {FITS: ("✓", "fits"), CAVEAT: ("~", "possible, with a caveat"), OUT: ("✗", "ruled out")}


class Rule(NamedTuple):
    """What one answer means for some schemes."""

    verdict: int
    schemes: str  # names, with commas
    why: str
    chapters: str  # the topics of the chapters that back it, with commas


Questions = Mapping[str, Mapping[str, list[Rule]]]  # question → answer → rules
Schemes = Mapping[str, tuple[str, str]]  # name → (what it is, the topic of its chapter)


class Decision(NamedTuple):
    """What the answers say about one scheme: the worst verdict, and every rule that applies, the worst first."""

    verdict: int
    rules: list[Rule]


def decision_guide(
    questions: Questions,
    schemes: Schemes,
    answers: Mapping[str, str] | None = None,
    *,
    note: str = "",
    title: str | None = None,
) -> Picture:
    """Short questions, and for every scheme: fits, possible with a caveat, or ruled out, with reasons.

    `answers` are given from the beginning, {question: answer} in the words of `questions`; by default none is. Without
    scripts every rule is in a list. Raises ValueError for a question or answer that is not there.
    """
    answers = {} if answers is None else answers
    found = decide(questions, schemes, answers)
    heading = title or "Which one? A guide through the schemes"
    alt = f"{heading}: {len(questions)} questions, and what each answer says about {len(schemes)} schemes."
    outcome = ""
    if answers:
        groups = {name: [s for s in found if found[s].verdict == v] for v, (_, name) in VERDICTS.items()}
        outcome = "; ".join(f"{name}: {', '.join(group)}" for name, group in groups.items() if group) + "."
        alt += f" The answers: {'; '.join(answers.values())}. {outcome}"
    names = list(schemes)

    def packed(rules: list[Rule]) -> list[tuple[int, list[int]]]:
        return [(rule.verdict, [names.index(scheme) for scheme in named(rule)]) for rule in rules]

    data = {
        "title": heading,
        "schemes": names,
        "verdicts": [VERDICTS[verdict] for verdict in (FITS, CAVEAT, OUT)],
        "questions": [
            (question, [(answer, packed(rules)) for answer, rules in options.items()])
            for question, options in questions.items()
        ],
        "chosen": [list(options).index(answers[q]) if q in answers else -1 for q, options in questions.items()],
        "note": note,
    }
    body = _body(questions, schemes, heading, note, outcome)
    styles = ["controls", "decision"]
    return Picture("decision-guide", body, alt=alt, title=title, styles=styles, script="decision_guide.js", data=data)


def decide(questions: Questions, schemes: Schemes, answers: Mapping[str, str]) -> dict[str, Decision]:
    """{scheme: Decision} for {question: answer}. Raises ValueError for one that is not in the table."""
    if not isinstance(answers, Mapping):
        raise ValueError(f"answers={answers!r}: expected a dictionary from question to answer")
    rules = []
    for question, answer in answers.items():
        options = questions[check_choice("question", question, questions)]
        rules += options[check_choice(f"answers[{question!r}]", answer, options)]
    found = {}
    for scheme in schemes:
        reasons = sorted((rule for rule in rules if scheme in named(rule)), key=lambda rule: -rule.verdict)
        found[scheme] = Decision(max((rule.verdict for rule in reasons), default=FITS), reasons)
    return found


def named(rule: Rule) -> list[str]:
    """The schemes of a rule."""
    return rule.schemes.split(", ")


def _body(questions: Questions, schemes: Schemes, heading: str, note: str, outcome: str) -> str:
    """Every rule as a line. The script takes the reasons from here: they travel once."""
    marks = ", ".join(f"{mark} {name}" for mark, name in VERDICTS.values())
    parts = [
        f"<p><b>{escape(heading)}</b></p><p>{marks}; the worst verdict of all answers wins. The numbers at the end of "
        f"a line are chapters. {escape(note)}</p>"
    ]
    if outcome:
        parts.append(f"<p>By the answers given: {escape(outcome)}</p>")
    parts.append(f"<p><b>The schemes</b></p>{_list([_line(name, *what) for name, what in schemes.items()])}")
    for k, (question, options) in enumerate(questions.items(), 1):
        parts.append(f"<p><b>{k}. {escape(question)}</b></p>")
        for answer, rules in options.items():
            lines = [
                _line(f"{VERDICTS[rule.verdict][0]} {_short(rule, len(schemes))}", rule.why, rule.chapters)
                for rule in rules
            ]
            told = f"</p>{_list(lines)}" if lines else ": speaks against none</p>"
            parts.append(f"<p><i>{escape(answer)}</i>{told}")
    return "".join(parts)


def _list(lines: list[str]) -> str:
    return f"<ul style=list-style:none>{''.join(lines)}</ul>"


def _short(rule: Rule, count: int) -> str:
    return "all others" if len(named(rule)) == count - 1 else rule.schemes


def _line(name: str, why: str, chapters: str) -> str:
    numbers = ", ".join(map(number, chapters.split(", ")))
    return f"<li><b>{escape(name)}</b>: <span>{prose(why)} <i>{numbers}</i></span></li>"
