"""Predict first: a question whose answers each have a reason, shown once the reader has committed to one."""

from collections.abc import Mapping

from ..display.formatting import escape, prose
from ..display.picture import Picture


def question(text: str, options: Mapping[str, str], answer: str, *, title: str = "Before you run it") -> Picture:
    """Radio buttons and a Check button; after checking, every option shows what it tells.

    `options` maps each answer to its reason, `answer` is the right one of them; `backticks` in any text make code.
    Without scripts the options are a list, with the answer in a fold below.
    Raises ValueError for an empty question, fewer than two options, an option without a reason, or an unknown answer.
    """
    check_question(text, options, answer)
    listed = "".join(f"<li>{prose(option)}</li>" for option in options)
    reasons = "".join(f"<li><b>{prose(option)}</b>: {prose(reason)}</li>" for option, reason in options.items())
    body = (
        f'<p style="margin:0 0 6px"><b>{escape(title)}.</b> {prose(text)}</p><ul>{listed}</ul>'
        '<details><summary data-lm-suppress-shortcuts="true">Answer, and what each choice tells</summary>'
        f"<p><b>{prose(answer)}</b></p><ul>{reasons}</ul></details>"
    )
    data = {
        "title": title,
        "text": prose(text),
        "options": [[prose(option), prose(reason), option == answer] for option, reason in options.items()],
    }
    return Picture(
        "question", body, alt=text, title=title, styles=["controls", "question"], script="question.js", data=data
    )


def check_question(text: str, options: Mapping[str, str], answer: str) -> None:
    """A ValueError if these do not make a question: see `question`."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text={text!r}: expected a question")
    if not isinstance(options, Mapping) or len(options) < 2:
        raise ValueError(f"options={options!r}: expected two or more answers, each with its reason")
    for option, reason in options.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ValueError(f"options[{option!r}]={reason!r}: expected what this answer tells the reader")
    if answer not in options:
        raise ValueError(f"answer={answer!r}: expected one of {', '.join(map(repr, options))}")
