"""A page, a module that reads from top to bottom, becomes an exercise; and no rule says of it what is not true."""

import sys
import textwrap

import numpy as np
import pytest

from course_kit.checking import CodingTask, Prediction
from course_kit.checking.lines import facts, messages, with_line
from course_kit.checking.pages import pages

from .common import cell

SLOPE = '''\
r"""Slope · 8 minutes · ★★ · first

Build $-s\\,|j - i|$.
"""

import numpy as np

from course_kit.checking import Case
from course_kit.checking.pages import holds


def slope(n, scale):
    """The slope, (n, n)."""
    i, j = np.arange(n)[:, None], np.arange(n)  # Queries go down, keys go across.
    distance = abs(j - i)  # The distance counts in both directions.
    # A far key costs more, so the slope is negative.
    return -scale * distance


def expected(n, scale):
    return [[-scale * abs(j - i) for j in range(n)] for i in range(n)]


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


def wrong_in_a_loop(n, scale):
    """Only the first row
    is filled."""
    b = np.zeros((n, n))
    b[0] = -scale * np.arange(n)
    return b


def right_outer(n, scale):
    return -scale * abs(np.subtract.outer(np.arange(n), np.arange(n)))
'''
SUM = '"""A sum · 2 minutes · ★\n\nAdd.\n"""\nANSWER = {"a": 1 + 1}\nWRONG = {"a": {3: "Too many."}}\nHINTS = ["one"]\n'


@pytest.fixture
def topic(tmp_path, monkeypatch):
    """The exercises of a folder with these pages, by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def made(**files):
        folder = tmp_path / "of_pages"
        folder.mkdir()
        for name, text in {"__init__": "", **files}.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return pages(__import__("of_pages").__name__)

    yield made
    for name in [name for name in sys.modules if name.startswith("of_pages")]:
        del sys.modules[name]


@pytest.fixture
def slope(topic):
    return topic(**{"1_slope": SLOPE})["slope"]


def test_pages_become_exercises_in_the_order_of_their_numbers(topic):
    found = topic(**{"2_slope": SLOPE, "1_total": SUM, "helpers": "1 / 0"})
    (total, slope), names = found.values(), list(found)
    assert names == ["total", "slope"] and isinstance(total, Prediction) and isinstance(slope, CodingTask)
    assert (slope.title, slope.minutes, slope.difficulty, slope.first) == ("Slope", 8, 2, True)
    assert slope.words == "Build $-s\\,|j - i|$." and slope.spec.seconds == 0.5 and not total.first
    assert total.check({"a": 2}).passed and total.check({"a": 3}).cause == "Too many."
    assert [task.origin()[0].name for task in found.values()] == ["1_total.py", "2_slope.py"]


def test_a_page_needs_a_title(topic):
    with pytest.raises(ValueError, match=r"of_pages\.1_slope: 'Slope': expected a first line as `The bias"):
        topic(**{"1_slope": '"""Slope"""'})


def test_what_is_right_passes_and_what_is_wrong_has_its_message(slope):
    assert slope.check(slope.spec.solution).passed and slope.check(cell(slope.solution_source())).passed
    assert [slope.check(function).passed for function in slope.alternatives] == [True]
    messages = [message for message, _ in slope.wrong_programs.written]
    assert messages == [*["One direction is free in your result."] * 2, "Only the first row is filled."]
    for message, program in slope.wrong_programs.written:
        assert slope.check(lambda *given, program=program: program(*given)).cause == message


def test_a_bug_hunt_begins_with_its_wrong_line_and_no_comments(topic):
    task = topic(**{"1_slope": SLOPE + 'BUG = "distance = j - i"\n'})["slope"]
    assert "    distance = j - i\n    return -scale * distance" in task.stub() and "#" not in task.stub()
    assert task.check(cell(task.stub())).status == "not attempted"
    rewritten = task.check(lambda n, scale: scale * np.subtract.outer(np.arange(n), np.arange(n)))
    assert "the bug is still there" in rewritten.cause


def attempt(body):
    return cell("def slope(n, scale):\n" + textwrap.indent(body, "    "))


def test_the_learners_own_line_is_quoted_if_another_in_its_place_makes_all_right(slope):
    body = "i, j = np.arange(n)[:, None], np.arange(n)\ndistance = abs(j + i)\nreturn -scale * distance"
    result = slope.check(attempt(body))
    said = "The mistake is in your line `distance = abs(j + i)`. The distance counts in both directions."
    assert result.cause == said and result.known


def test_a_right_line_is_not_quoted_because_the_solution_does_without_those_above_it(topic):
    short = SLOPE.replace("    distance = abs(j - i)  # The distance counts in both directions.\n", "")
    task = topic(**{"1_slope": short.replace("-scale * distance", "-scale * abs(j - i)").replace("distance =", "i =")})
    result = task["slope"].check(attempt("i, j = np.arange(n)[:, None], np.arange(n)\nb = -scale * (j + i)\nreturn b"))
    assert "your line" not in result.cause


def test_a_rule_speaks_of_the_numbers_and_quotes_nothing_of_the_solution(slope):
    result = slope.check(lambda n, scale: abs(np.subtract.outer(np.arange(n), np.arange(n))) - scale)
    said = "Your result is what you get when a term is added instead of multiplied."
    assert result.cause == f"{said} A far key costs more, so the slope is negative." and result.known
    assert "`" not in slope.check(lambda n, scale: -scale * np.subtract.outer(np.arange(n), np.arange(n)).T).cause


def test_several_lines_that_may_be_wrong_are_no_cause(slope):
    assert not slope.check(lambda n, scale: np.zeros((n, n))).cause.startswith("Your result is what you get")


# ---------------------------------------------------------------- lines

FUNCTION = '''\
def f(x, n):
    """Words."""
    a, b = x[:n], x[n:]
    y = np.zeros(n)
    for k in range(n):
        y[k] = a[k]  # A fact.
    # Another,
    # in two lines.
    y = (
        y + 1
    )
    return y'''


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        ("return a", "return y", "return a"),
        ("a, b = b, a", "x[n:]\n", "x[n:]\n    a, b = b, a\n"),
        ("b, a = x", "a, b = x[:n], x[n:]", "b, a = x"),
        ("y[k] = b[k]", "y[k] = a[k]  # A fact.", "y[k] = b[k]"),
        ("x = x[0]", "    a, b = x[:n]", "    x = x[0]\n    a, b = x[:n]"),
        ("n = 2; return x", "    a, b", "    n = 2\n    a, b"),
    ],
)
def test_a_line_takes_the_place_of_the_one_that_assigns_the_same(line, old, new):
    wanted = FUNCTION.replace(old, new)
    assert with_line(FUNCTION, line) == (wanted.replace("return y", "return x") if ";" in line else wanted)


def test_a_line_that_assigns_what_the_function_does_not_is_refused():
    with pytest.raises(ValueError, match="f: 'z = 1': no line of the function assigns z"):
        with_line(FUNCTION, "z = 1")


def test_a_fact_is_behind_its_line_or_above_it():
    assert facts(FUNCTION) == {6: "A fact.", 9: "Another, in two lines."}


def test_a_wrong_line_needs_a_message():
    assert list(messages("\na = 1\nb = 2  # One,\n# two.\nc = '#'  # Three.\n")) == [
        ("a = 1", "One, two."), ("b = 2", "One, two."), ("c = '#'", "Three."),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="line 'b = 2': expected `code  # message`"):
        list(messages("a = 1  # One.\nb = 2"))
