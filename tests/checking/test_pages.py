"""A page, a module that reads from top to bottom, becomes an exercise; and no rule says of it what is not true."""

import re
import sys
import textwrap

import numpy as np
import pytest

from course_kit.checking import CodingTask, Prediction
from course_kit.checking.pages import page

from .common import cell

PAGE = '''\
r"""Slope · 8 minutes · ★★ · first

Build $-s\\,|j - i|$.
"""

import numpy as np

from course_kit.checking import Case, holds


def slope(n, strength):
    """The slope, (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)  # Queries go down, keys go across.
    distance = abs(j - i)  # The distance counts in both directions.
    # A far key costs more, so the slope is negative.
    return -strength * distance


def expected(n, strength):
    return [[-strength * abs(j - i) for j in range(n)] for i in range(n)]


CASES = [Case(3, 0.5, label="three tokens"), Case(4, 2.0)]
SECONDS = 0.5


def draw(rng):
    return int(rng.integers(2, 6)), float(rng.uniform(0.1, 2))


ALWAYS = [holds("A token is at distance 0 from itself.", lambda b, *_: not np.diagonal(b).any())]
WRONG = """
distance = np.maximum(j - i, 0)
distance = np.maximum(i - j, 0)  # One direction is free in
# your result.
"""
HINTS = ["first", "second"]


def wrong_in_a_loop(n, strength):
    """Only the first row
    is filled."""
    b = np.zeros((n, n))
    b[0] = -strength * np.arange(n)
    return b
'''
SUM = '"""A sum · 2 minutes · ★\n\nAdd.\n"""\nANSWER = {"a": 1 + 1}\nWRONG = {"a": {3: "Too many."}}\nHINTS = ["one"]\n'


@pytest.fixture
def topic(tmp_path, monkeypatch):
    """The exercises of a folder with these pages, by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def made(**files):
        folder = tmp_path / "of_pages"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return {name: page("of_pages", name) for name in files}

    yield made
    for name in [name for name in sys.modules if name.startswith("of_pages")]:
        del sys.modules[name]


@pytest.fixture
def slope(topic):
    return topic(slope=PAGE)["slope"]


def test_pages_become_exercises(topic):
    total, slope = topic(total=SUM, slope=PAGE).values()
    assert isinstance(total, Prediction) and isinstance(slope, CodingTask)
    assert (slope.title, slope.minutes, slope.difficulty, slope.first) == ("Slope", 8, 2, True)
    assert slope.words == "Build $-s\\,|j - i|$." and slope.spec.seconds == 0.5 and not total.first
    assert total.check({"a": 2}).passed and total.check({"a": 3}).cause == "Too many."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (PAGE, '"""Slope"""', "of_pages.slope: 'Slope': expected a first line as `The bias"),
        ("distance = np.maximum(j - i, 0)\n", "z = 1\n", "slope.py:33: 'z = 1': slope: no line of the function assi"),
        ("np.maximum(i - j, 0)", "maximum(", "slope.py:34: 'distance = maximum(': '(' was never closed"),
        ("is free in\n# your result.", "free.\nb = 1", "slope.py:35: 'b = 1': expected `code  # message`"),
        ("SECONDS", "SECOND", "of_pages.slope: SECOND: expected an option, or a name that the page itself uses"),
        ("SECONDS", "# SECOND, not SECONDS\nSECOND", "of_pages.slope: SECOND: expected an option"),
    ],
)
def test_a_page_needs_a_title_wrong_lines_that_fit_and_options_that_exist(topic, old, new, message):
    assert PAGE.count(old) == 1
    with pytest.raises(ValueError, match=re.escape(message)):
        _ = topic(slope=PAGE.replace(old, new))["slope"].wrong_programs.written


def test_what_is_right_passes_and_what_is_wrong_has_its_message(slope):
    assert slope.check(slope.spec.solution).passed and slope.check(cell(slope.solution_source())).passed
    assert slope.check(lambda n, strength: -strength * abs(np.subtract.outer(np.arange(n), np.arange(n)))).passed
    messages = [message for message, _ in slope.wrong_programs.written]
    assert messages == [*["One direction is free in your result."] * 2, "Only the first row is filled."]
    for message, program in slope.wrong_programs.written:
        assert slope.check(lambda *given, program=program: program(*given)).cause == message


def test_a_bug_hunt_begins_with_its_wrong_line_and_no_comments(topic):
    task = topic(slope=PAGE + 'BUG = "distance = j - i"\n')["slope"]
    assert "    distance = j - i\n    return -strength * distance" in task.stub() and "#" not in task.stub()
    for before, other in (("", "The slope"), ("import numpy as np\n\n", "A slope")):  # a docstring is no change
        untouched = cell(before + task.stub().replace("The slope", other))
        assert task.check(untouched).status == "not attempted"
    for old, new in (("-strength", "strength"), ("j - i", "j - 2 * i"), ("arange(n)[:", "arange(n + 1)[:")):
        assert task.check(cell(task.stub().replace(old, new))).status.startswith("wrong")
    rewritten = task.check(lambda n, strength: strength * np.subtract.outer(np.arange(n), np.arange(n)))
    assert "the bug is still there" in rewritten.cause


def attempt(body):
    return cell("def slope(n, strength):\n" + textwrap.indent(body, "    "))


def test_the_learners_own_line_is_quoted_if_another_in_its_place_makes_all_right(slope):
    body = "i, j = np.arange(n)[:, None], np.arange(n)\ndistance = abs(j + i)\nreturn -strength * distance"
    result = slope.check(attempt(body))
    said = "The mistake is in your line `distance = abs(j + i)`. The distance counts in both directions."
    assert result.cause == said and result.named


def test_a_right_line_is_not_quoted_because_the_solution_does_without_those_above_it(topic):
    short = PAGE.replace("    distance = abs(j - i)  # The distance counts in both directions.\n", "")
    short = short.replace("-strength * distance", "-strength * abs(j - i)").replace("distance =", "i =")
    body = "i, j = np.arange(n)[:, None], np.arange(n)\nb = -strength * (j + i)\nreturn b"
    result = topic(slope=short)["slope"].check(attempt(body))
    assert "your line" not in result.cause


def test_a_rule_speaks_of_the_numbers_and_quotes_nothing_of_the_solution(slope):
    result = slope.check(lambda n, strength: abs(np.subtract.outer(np.arange(n), np.arange(n))) - strength)
    said = "Your result is what you get when a value is added instead of multiplied."
    assert result.cause == f"{said} A far key costs more, so the slope is negative." and result.named
    assert "`" not in slope.check(lambda n, strength: -strength * np.subtract.outer(np.arange(n), np.arange(n)).T).cause


@pytest.mark.parametrize("number", [0.0, -1.0])
def test_one_number_everywhere_says_nothing_of_a_line(slope, number):
    assert not slope.check(lambda n, strength: number * np.ones((n, n))).cause.startswith("Your result is what you get")


def test_a_wrong_line_says_more_than_an_argument_that_is_never_read(slope):
    body = "i, j = np.arange(n)[:, None], np.arange(n)\ndistance = abs(j - i)\nreturn -0.5 * distance"
    assert "in your line `return -0.5 * distance`" in slope.check(attempt(body)).cause


@pytest.mark.parametrize(
    ("end", "words"),
    [("    return b", "0. Is the `return` indented too far?"), ("return 0 * b", "0. Is this ever filled?")],
)
def test_what_is_asked_of_an_empty_result_fits_the_learners_code(slope, end, words):
    body = f"b = np.zeros((n, n))\nfor i in range(n):\n    b[i, 0] = -strength * i\n{end}"
    assert words in slope.check(attempt(body)).cause
