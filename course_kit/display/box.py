"""An opaque coloured box around the text of a check or a report."""

import linecache
import re
import traceback
from collections.abc import Callable
from html import escape

from .formatting import subscripts

GREEN, AMBER, GREY = (
    ("#e6f4ea", "#0b4f25", "#1e8e3e"),
    ("#fff4d6", "#5c3b00", "#b06000"),
    ("#f1f3f4", "#3c4043", "#5f6368"),
)


def box(lines: list[str], colours: tuple[str, str, str]) -> str:
    """Lines of HTML in an opaque box that reads the same on a light and a dark page."""
    ground, ink, edge = colours
    style = (
        f"background:{ground};color:{ink};border-left:6px solid {edge};padding:8px 14px;line-height:1.6;"
        "max-width:760px;overflow-wrap:anywhere"  # a long name or number may not widen the page
    )
    inside = "".join(f'<div style="background:{ground};color:{ink}">{line}</div>' for line in lines)
    return f'<div class="rp-result" style="{style}">{inside}</div>'


def alert(text: str, code: str = "") -> str:
    """What went wrong, with the line of code that did; a screen reader reads it out at once."""
    lines = [rich(text), code_block(code)] if code else [rich(text)]
    return f'<div role="alert">{box(lines, AMBER)}</div>'


def line_of(error: BaseException, function: Callable) -> str:
    """The learner's own line in which an error arose: the deepest that shares its globals with the function."""
    home = getattr(function, "__globals__", None) or getattr(type(function).__call__, "__globals__", None)
    found = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if frame.f_globals is home:
            found = f"line {number}: {linecache.getline(name, number, frame.f_globals).strip()}".rstrip(": ")
    return found


def rich(text: str, *, formulas: bool = False) -> str:
    """Escaped text, with `code` between backticks set as code, and *words* between asterisks stressed.

    With `formulas`, the i of x_i is lowered. A check does without, because x_i may be a name in the learner's code.
    """
    style = "background:#ffffff;color:#202124;padding:0 4px;font-size:inherit"
    pieces = re.split(r"`([^`]+)`", escape(text, quote=False))  # every other one is code
    words = [re.sub(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])", r"<em>\1</em>", piece) for piece in pieces[::2]]
    code = [f'<code style="{style}">{piece}</code>' for piece in pieces[1::2]]
    words = [subscripts(piece) for piece in words] if formulas else words
    return "".join(a + b for a, b in zip(words, [*code, ""]))


def code_block(text: str) -> str:
    style = "background:#ffffff;color:#202124;padding:4px 8px;margin:2px 0;white-space:pre-wrap;font-size:13px"
    return f'<pre style="{style}">{escape(text, quote=False)}</pre>'
