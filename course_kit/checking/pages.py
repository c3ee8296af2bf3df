"""A task as a page: a module that reads from top to bottom, and what makes an exercise of it.

A page is a file of a chapter's folder `tasks`, such as `bias_matrix.py`; a line of `__init__.py` beside it makes the
exercise and says where among the tasks it comes. A page has

    a docstring     `The bias matrix · 8 minutes · ★`, with ` · first` for a task to begin with, and below it the words
    bias_matrix     the solution; the comment behind a line, or above it, says what is true of that line
    expected        the right result, from the reference; `draw` makes the arguments of a random case
    CASES, HINTS    and other options of CodingTask, in capitals; ALWAYS has the properties
    BUG             for a bug hunt: the line that the learner finds in the place of the right one
    given           for a bug hunt whose bug is more than a line: what the learner finds, below the solution's docstring
    WRONG           wrong lines, each with the message as its comment: see `messages` and `with_line`
    wrong_…         a wrong program of several lines, whose docstring is the message

A page without a function of its own name asks for an answer. ANSWER is the right one, and WRONG has the messages of
wrong ones, as `wrong` of Prediction has them.
"""

import ast
import inspect
import linecache
import re
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from .coding import CodingTask
from .exercise import Exercise
from .lines import bare, with_line
from .prediction import Prediction
from .solution_source import SolutionSource, compiled
from .spec import Spec

TITLE = re.compile(r"(.+) · (\d+) minutes · (★{1,3})( · first)?")
OTHER = {"ANSWER", "BUG", "ALWAYS", "AFTER"}  # what a page says in capitals, besides options
FUNCTIONS = ("expected", "draw", "afterwards", "words_of")  # options that are functions


def page(package: str, name: str) -> Exercise:
    """The exercise of the page with this name in the package."""
    return exercise(import_module(f"{package}.{name}"))


def exercise(page: ModuleType) -> Exercise:
    """The exercise that a page describes. Raises ValueError for a page whose first line is not a title."""
    name = page.__name__.rpartition(".")[2]
    first, _, words = (page.__doc__ or "").partition("\n")
    if not (title := TITLE.fullmatch(first)):
        raise ValueError(f"{page.__name__}: {first!r}: expected a first line as `The bias matrix · 8 minutes · ★`")
    about = {
        "module": page.__name__,
        "title": title[1],
        "minutes": int(title[2]),
        "difficulty": len(title[3]),
        "words": words.strip(),
    }
    made = coding_task(page, name, about) if name in vars(page) else prediction(page, name, about)
    made.first, made.after = bool(title[4]), getattr(page, "AFTER", "")
    return made


def prediction(page: ModuleType, name: str, about: dict[str, Any]) -> Prediction:
    """An answer to commit to."""
    return Prediction(name, expected=lambda: page.ANSWER, **about, **options(page, Prediction, Exercise))


def coding_task(page: ModuleType, name: str, about: dict[str, Any]) -> CodingTask:
    """A function to write, or one with a bug in it."""
    solution = vars(page)[name]
    source = SolutionSource(solution, name)
    starter = None
    if "BUG" in vars(page):
        starter = found(source, bare(with_line(source.whole(), page.BUG)))
    elif "given" in vars(page):
        starter = found(source, source.head + "\n" + inspect.getsource(page.given).partition("\n")[2])
    wrong = [
        (" ".join(str(function.__doc__).split()), function)
        for name, function in vars(page).items()
        if name.startswith("wrong_")
    ]
    return CodingTask(
        solution=solution,
        starter=starter,
        properties=getattr(page, "ALWAYS", ()),
        wrong_functions=wrong,
        **about,
        **options(page, CodingTask, Spec),
    )


def options(page: ModuleType, *kinds: type) -> dict[str, Any]:
    """What else a page says of an exercise of these kinds. Raises ValueError for an unused name in capitals."""
    names = {name for kind in kinds for name in inspect.signature(kind).parameters}
    for name in sorted(unread_capitals(page) - {name.upper() for name in names} - OTHER):
        raise ValueError(f"{page.__name__}: {name}: expected an option, or a name that the page itself uses")
    values = {name: vars(page)[name.upper()] for name in names if name.upper() in vars(page)}
    return values | {name: vars(page)[name] for name in FUNCTIONS if name in vars(page) and name in names}


def unread_capitals(page: ModuleType) -> set[str]:
    """The names in capitals that a page assigns and never reads."""
    nodes = list(ast.walk(ast.parse(inspect.getsource(page))))
    names = [node for node in nodes if isinstance(node, ast.Name) and node.id.isupper()]
    assigned, read = ({name.id for name in names if isinstance(name.ctx, kind)} for kind in (ast.Store, ast.Load))
    return assigned - read


def found(source: SolutionSource, text: str) -> Callable:
    """The function that the learner finds in a bug hunt; its source can be read as that of a function in a file."""
    file = f"<{source.name} with a bug>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    return compiled(text, source.name, source.globals, file)
