"""Questions: choose, check, and be told what each option tells. One in a lesson, claims to judge, a quiz of many."""

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..contents import TOPICS
from ..display.box import rich
from ..display.formatting import escape
from ..display.picture import SUPPRESS, Picture

LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Question:
    """A question whose answer is computed.

    options: each answer, and what it tells. decide(): the right answer, or how it begins; perhaps with the facts that
    were found, by name. because: a reason that serves all options. `backticks` in any text make code, and {names} in
    a reason are facts. chapter: the topic of the lesson that teaches it.
    Raises ValueError for an option without a reason; `answer` raises it where what was computed begins no option, or
    several.
    """

    text: str
    options: Mapping[str, str]
    decide: Callable[[], Any]
    because: str = ""
    source: str = ""
    chapter: str = ""

    def __post_init__(self) -> None:
        for option, reason in self.options.items():
            if not self.because and not reason.strip():
                raise ValueError(f"options[{option!r}]={reason!r}: expected what this answer tells the reader")

    @functools.cached_property
    def decided(self) -> tuple[str, Mapping[str, Any]]:
        """The right option, and the facts."""
        found = self.decide()
        answer, facts = found if isinstance(found, tuple) else (found, {})
        begins = _signs(str(answer))
        right = [option for option in self.options if option == begins]
        right = right or [option for option in self.options if option.startswith(begins)]
        if len(right) != 1:
            options = ", ".join(map(repr, self.options))
            raise ValueError(f"answer={answer!r}: expected one of {options}, or how it begins")
        return right[0], facts

    @property
    def answer(self) -> str:
        """The right option."""
        return self.decided[0]

    def told(self, reason: str) -> str:
        """A reason with the facts in it."""
        facts = self.decided[1]
        return re.sub(r"(?<=\d)%", " %", _signs(reason.format_map(facts) if facts else reason))

    @property
    def code(self) -> str:
        """What decides it, as a cell can run it: the imports of its module that it uses, and the function."""
        source = inspect.getsource(sys.modules[self.decide.__module__])
        tree = ast.parse(source).body
        (node,) = (n for n in tree if isinstance(n, ast.FunctionDef) and n.name == self.decide.__name__)
        used = {name.id for part in node.body for name in ast.walk(part) if isinstance(name, ast.Name)}
        imports = []
        for line in tree:
            if isinstance(line, ast.Import | ast.ImportFrom):
                line.names = [alias for alias in line.names if (alias.asname or alias.name) in used]
                imports += [ast.unparse(line)] if line.names else []
        function = source.splitlines()[node.lineno - 1 : node.end_lineno]
        return "\n".join([*imports, *[""][: len(imports)], *function])

    @property
    def evidence(self) -> str:
        """Why, as HTML: the reason, the code that decides it, the source."""
        return (
            f"<p>{rich(self.told(self.because), formulas=True)}</p>"
            f'<pre class=rp-fact role=group tabindex=0 {SUPPRESS} aria-label="The code that decides it" '
            f'style="background-color:#f6f8fa;color:#1b1f24">{escape(self.code)}</pre>'
            f'<p class=rp-note style="color:#57606a">Source: {escape(self.source)}.</p>'
        )


def _signs(text: str) -> str:
    """True minus signs before numbers."""
    return re.sub(r"(?<!\w)-(?=\d)", "−", text)


def question(text: str, options: Mapping[str, str], answer: Any, *, title: str = "Before you run it") -> Picture:
    """One question: a Check button waits for a choice, then every option shows what it tells.

    `options` maps each answer to its reason; `answer` is the right one, or how it begins. Without scripts the options
    are a list, with the answer in a fold below. Raises ValueError as `Question` does.
    """
    asked, stop = Question(text, options, lambda: answer), "" if title.endswith("?") else "."
    return _picture("question", [_asked(asked, f"<b>{escape(title)}{stop}</b> ")], [asked], text, title)


def claims(questions: Sequence[Question], intro: str, *, title: str) -> Picture:
    """Sentences below each other: judge one, and read the verdict, why, and the code that decides it."""
    items = [f"<p>{escape(intro)}</p>", *map(_asked, questions)]
    many = f"{len(questions)} sentences" if len(questions) > 1 else "A sentence"
    return _picture("claims", items, questions, f"{many} to judge: {intro}", title)


def quiz(questions: Sequence[Question], *, title: str = "Quiz") -> Picture:
    """Questions below each other, with a count of the right ones; each, once checked, links to its chapter."""
    items = [f"<p><b>{escape(title)}</b></p>", *(_asked(q, f"<b>{k}.</b> ") for k, q in enumerate(questions, 1))]
    numbers = [topic.number for name, topic in TOPICS.items() if name in {q.chapter for q in questions}]
    many, chapters = "s" * (len(questions) > 1), f"chapter{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
    alt = f"{title}: {len(questions)} question{many} about {chapters}, with a reason for every answer."
    return _picture("quiz", items, questions, alt, title)


def _picture(kind: str, items: list[str], asked: Sequence[Question], alt: str, title: str) -> Picture:
    data = {"right": [list(q.options).index(q.answer) for q in asked], "counts": kind == "quiz"}
    styles = ["buttons", "question", *["claims"] * any(q.because for q in asked)]
    return Picture(kind, "".join(items), alt=alt, title=title, styles=styles, script="question.js", data=data)


def _asked(q: Question, label: str = "") -> str:
    """One question without its script, which takes its words from here: they travel once."""
    right = LETTERS[list(q.options).index(q.answer)]
    taught = f" {_link(q.chapter)}" if q.chapter and not q.because else ""
    why = f"<div class=rp-because>{q.evidence}</div>" if q.because else _lettered(map(q.told, q.options.values()))
    said = f"<b>“{escape(q.text)}”</b>" if q.because else f"{label}<span>{rich(q.text, formulas=True)}</span>"
    return (
        f'<div class="rp-asked{" rp-judged" * bool(q.because)}"><p>{said}</p>{_lettered(q.options)}'
        f"<details><summary {SUPPRESS}>Answer, and why</summary><p><b>{right}</b>{taught}</p>{why}</details></div>"
    )


def _link(topic: str) -> str:
    chapter = TOPICS[topic]
    style = "color:#0b5f5a;text-decoration:underline"
    text = f"Chapter {chapter.number} · {escape(chapter.title)}"
    return f'<a class=rp-taught href="{chapter.file}.ipynb" {SUPPRESS} style="{style}">{text}</a>'


def _lettered(texts: Iterable[str]) -> str:
    return f"<ol type=A>{''.join(f'<li>{rich(text, formulas=True)}</li>' for text in texts)}</ol>"
