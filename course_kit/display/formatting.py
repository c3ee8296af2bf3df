"""Words and numbers as a picture shows them: escaped, and with a true minus sign."""

import html
import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from course_lib.example import TOKENS

MINUS = "−"
CODE = 'style="background-color:#f0f2f4;color:#1b1f24"'  # else code takes the colours of a dark theme


def escape(text: object) -> str:
    """Any text as HTML, in an element or in an attribute between double quotes."""
    return html.escape(str(text), quote=True)


def subscripts(line: str) -> str:
    """HTML whose x_i is an x with a small i below."""
    return re.sub(r"_(ij|[a-z])\b", r"<sub>\1</sub>", line)


def number(value: float, digits: int = 4) -> str:
    """A number to read: fixed digits, "−" for minus, no "−0.0000", "∞" and "nan" as such."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(value).replace("-", MINUS)
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    shown = f"{value:.{digits}f}"
    if float(shown) == 0.0:
        shown = shown.lstrip("-")
    return shown.replace("-", MINUS)


def one_line(text: str, length: int) -> str:
    """One line of at most `length` characters, without memory addresses: those change from run to run."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    return text if len(text) <= length else text[: length - 1] + "…"


def any_number(value: Any, digits: int = 4) -> str:
    """The same for any number of NumPy's, with a power of ten where fixed digits would not show how large it is."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if np.iscomplexobj(value):
        return f"{value:.{digits}g}"
    value = float(value)  # half precision has no 1e6 to compare with
    if not digits or value == 0 or not math.isfinite(value) or 10.0 ** -max(digits, 4) <= abs(value) < 1e6:
        return number(value, digits)
    return f"{value:.{max(digits - 1, 3)}e}".replace("-", MINUS)


def with_sign(value: float, digits: int = 4) -> str:
    """The same with "+" before what is above zero, as for an offset: −2, 0, +2."""
    return ("+" if value > 0 else "") + number(value, digits)


def decimals(values: Iterable[float], most: int = 4) -> int:
    """As few decimals as show all the numbers as they are, at most `most`: 1 and 2, but 0.25 and 1.50."""
    finite = [v for v in values if math.isfinite(v)]
    return next((d for d in range(most) if all(abs(v - round(v, d)) < 5e-7 for v in finite)), most)


def script_json(data: Any) -> str:
    """Compact JSON that is safe inside <script>: no "</script>" and no "<!--" can appear in it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def token_names(n: int) -> list[str]:
    """The tokens of the example, and after them numbers."""
    return [*TOKENS[:n], *map(str, range(len(TOKENS), n))]
