"""The sheet of conventions and formulas, docs/conventions.html: source/conventions.html with what the registry knows.

A formula between dollars becomes HTML. A mark [[NAME of a scheme]] becomes the first cells of its row: its name and
chapter, where it enters, its formula, and how many numbers it learns. A mark [[FUNCTION]] becomes those of one in
course_lib/reference/speeds.py: its name, and the formula that its docstring states.
"""

import re

from course_lib.display.formatting import escape
from course_lib.figures.map_of_schemes import PLACES
from course_lib.reference import speeds
from course_lib.schemes import SCHEMES, Scheme

SCRIPTS = {"_": "sub", "^": "sup"}


def sheet(text: str) -> str:
    """The text with its marks filled in. Raises KeyError with a mark that names neither a scheme nor a function."""

    def fill(mark: re.Match[str]) -> str:
        name = mark[1]
        if name in SCHEMES:
            return scheme_cells(SCHEMES[name])
        if not hasattr(speeds, name):
            raise KeyError(mark[0])
        return cells(f"<code>{name}</code>", mathematics(stated_formula(name)))

    text = re.sub(r"\$([^$]+)\$", lambda found: mathematics(found[1]), text)
    return re.sub(r"\[\[([^\]]+)\]\]", fill, text)


def scheme_cells(scheme: Scheme) -> str:
    places = [place.where.partition(",")[0] for place in PLACES if place.hook in scheme.enters]
    where = ", ".join(dict.fromkeys(places)) or "nowhere"
    learned = re.sub(r"(?<=\d)·", "", scheme.parameters).replace("·", " ")
    name = f"{escape(scheme.name)} <small>{scheme.chapter}</small>"
    return cells(name, where, mathematics(scheme.formula), mathematics(learned))


def cells(first: str, *others: str) -> str:
    """The beginning of a row. Its last cell and its end are up to the page: HTML lets both tags be left out."""
    return f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def stated_formula(name: str) -> str:
    """The first formula in the docstring of a function of `speeds`: it ends before a comma, a point or a sentence."""
    found = re.search(r"((?:θ'_m|√\S*) (?:= )?.+?)(?:, | for |\. |\.$)", getattr(speeds, name).__doc__)
    assert found is not None, name
    return found[1]


def mathematics(text: str) -> str:
    """A formula as HTML: single letters are italic, what follows "_" is lowered, what follows "^" raised.

    Several letters or a bracket are lowered or raised together: s_ij, e^{s_ij}, s^(m / (M − 1)).
    """
    found = re.search(r"([_^])(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\((?:[^()]|\([^()]*\))*\))|(\w+|\S))", text)
    if found is None:
        letters = re.sub(r"(?<![A-Za-z])([A-Za-z]|[ijk]{2})(?![A-Za-z])", r"<i>\1</i>", text.replace("<", "&lt;"))
        return letters.replace("'", "′")
    tag = SCRIPTS[found[1]]
    inner = next(filter(None, found.groups()[1:]))
    inner = inner[1:-1] if inner.startswith("(") else inner
    before, after = mathematics(text[: found.start()]), mathematics(text[found.end() :])
    return f"{before}<{tag}>{mathematics(inner)}</{tag}>{after}"
