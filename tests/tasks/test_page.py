"""The command for authors finds the wrong lines that nobody reads, and the answers that get other words."""

from ..checking.common import slope_task
from .page import changed, wrong_ones

ANSWER = """\
import numpy as np


def slope(n, strength):
    return {} * abs(np.subtract.outer(np.arange(n), np.arange(n)))
"""


def test_a_wrong_line_is_read_or_else_it_is_said_what_is_read_in_its_place():
    task = slope_task(
        wrong="""
return strength * abs(j - i)  # The sign!
return -strength * abs(i - j)  # Not wrong.
return -strength * (j - i)  # First.
return strength * (i - j)  # Second.
return (i - j) * strength  # Third.
return -strength * np.abz(j - i)  # A typo.
"""
    )
    shown = [line for line, _ in wrong_ones(task)]
    assert shown[0] == "   2  return strength * abs(j - i)" and "(raises AttributeError: module 'numpy'" in shown[5]
    both = "First. Or: Second."
    not_wrong = "NOT WRONG: it is right in all cases"
    words = ["", not_wrong, f"read: {both}", f"read: {both}", f"NEVER READ: {both}", "", ""]  # the last is a function
    assert [words for _, words in wrong_ones(task)] == words


def test_recorded_answers_get_other_words_or_none():
    answers = [{"source": ANSWER.format(factor)} for factor in ("strength", "0 * strength", "-2 * strength")]
    before = slope_task(wrong="return strength * abs(j - i)  # The sign!\nreturn -2 * strength * abs(j - i)  # Half!")
    now = slope_task(wrong="return strength * abs(j - i)  # A plus!")
    sign, half = changed(before, now, answers)
    assert "before  named: The sign!\n  now     named: A plus!" in sign
    assert "before  named: Half!" in half
