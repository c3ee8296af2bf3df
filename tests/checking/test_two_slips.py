"""An answer with two slips: both are named, or one that explains the case shown; and nothing is said too much."""

import ast

import numpy as np
import pytest

from course_kit.checking import Case, holds
from course_kit.checking.causes.two_slips import Clash, merged, pairs, tree

from .common import array_task, right, slope_task

RIGHT = "def f(n, a):\n    x = n + a\n    return 2 * x"
SIGN = "The sign!"


def merge(one, other):
    return ast.unparse(merged(*map(tree, (RIGHT, one, other))))


def test_changes_of_two_lines_and_of_one_line_are_joined():
    no_two, minus, far = (RIGHT.replace(*change) for change in (("2 * x", "x"), ("+ a", "- a"), ("n +", "n ** 2 +")))
    assert "x = n - a\n    return x" in merge(no_two, minus)
    assert "x = n ** 2 - a\n" in merge(minus, far)


def test_two_changes_of_one_place_clash():
    minus, both = RIGHT.replace("+ a", "- a"), RIGHT.replace("+ a", "- a").replace("2", "3")
    for other in (RIGHT.replace("+ a", "* a"), both):  # a slip that contains another one is not beside it
        with pytest.raises(Clash):
            merge(minus, other)


def test_a_line_more_joins_a_change_of_another_line_and_not_of_its_own_place():
    changes = ("+ a", "+ a\n    x = -x"), ("2 * ", ""), ("+ a", "- a")
    more, none, minus = (RIGHT.replace(*change) for change in changes)
    assert "x = n + a\n    x = -x\n    return x" in merge(more, none)
    with pytest.raises(Clash):
        merge(more, more.replace("-x", "x + 1"))
    assert "x = n - a\n    x = -x\n" in merge(more, minus)


def test_a_wrong_line_and_what_was_done_to_its_result_are_named():
    result = slope_task(wrong=DOUBLED).check(lambda n, s: s * abs(np.arange(n) - 2 * np.arange(n)[:, None]))
    said = "You count the queries twice. With that repaired: Every entry has the wrong sign."
    assert result.cause == said and result.named


def test_a_message_that_is_untrue_beside_another_slip_is_not_said_beside_it():
    wrong = [("A.", RIGHT.replace("2", "3")), ("B.", RIGHT.replace("a\n", "1\n"))]
    alone = [(said, RIGHT.replace("n +", "n -")) for said in ("The rest is right.", "Your sums are nan.")]
    assert [message for message, _ in pairs(RIGHT, [*wrong, *alone])] == ["A. And: B."]


DOUBLED = "i, j = 2 * np.arange(n)[:, None], np.arange(n)  # You count the queries twice."
WRONG = f"return strength * abs(j - i)  # {SIGN}\n{DOUBLED}"


def test_both_of_two_slips_are_named():
    def both(n, strength):
        return strength * abs(np.arange(n) - 2 * np.arange(n)[:, None])

    result = slope_task(wrong=WRONG).check(both)
    assert result.cause == f"{SIGN} And: You count the queries twice." and result.named


def test_what_explains_the_case_shown_alone_is_said_of_this_case():
    result = slope_task(wrong=WRONG).check(lambda n, strength: right(n, strength) * (-1) ** (n > 2) + (n == 2))
    assert result.cause == f"In this case: {SIGN}" and result.named


def test_an_argument_that_matters_in_another_case_only_is_said_besides():
    def _moved(n, past):
        """Positions."""
        return past + 1.0 * np.arange(n)

    cases = [Case(4, 0), Case(3, 2), Case(5, 1)]
    task = array_task(_moved, cases=cases, wrong="return past - 1.0 * np.arange(n)  # Backwards!")
    result = task.check(lambda n, past: -np.arange(n) + (n - 4) ** 3)
    assert result.cause == "In this case: Backwards! Besides, your code never reads `past`."
    assert task.check(lambda n, past: -np.arange(n) + past * n - past).cause == "In this case: Backwards!"


def test_what_other_values_of_an_argument_would_not_change_is_not_blamed():
    def _turned(n, base):
        """n powers of the base, the first of which is 1."""
        return float(base) ** np.arange(n)

    task = array_task(_turned, cases=[Case(1, 5.0), Case(3, 2.0)])
    assert (
        "never reads"
        not in task.check(lambda n, base: np.full(n, np.pi) ** np.arange(1, n + 1)).cause.partition(" ")[0]
    )
    assert "never reads `base`" in task.check(lambda n, base: 3.0 ** np.arange(n)).cause


def _square(x):
    """x²."""
    return x**2


def test_a_broken_property_is_said_beside_a_case_without_it():
    at_least_1 = holds("Each is at least 1.", lambda result, x: result.min() >= 1)
    task = array_task(_square, cases=[Case(np.array([1.0, 3.0])), Case(np.array([2.0, 5.0]))], properties=[at_least_1])
    result = task.check(lambda x: x**2 + (x == 3) * np.pi - 30.0 * (x == 5))
    assert result.cause == "Each is at least 1." and "x=[2, 5]" in repr(result)


def test_all_wrong_parts_are_listed():
    def _powers(x):
        """x, x², x³."""
        return x, x**2, x**3

    task = array_task(_powers, ("first", "second", "third"))
    cause = task.check(lambda x: (x, np.log(x + 3), np.log(x + 4))).cause
    assert cause == "Right in every case: first. Not right: second, third."


def test_rows_that_are_not_moved_against_each_other_are_named():
    table = np.random.default_rng(0).normal(size=(4, 9))

    def _by_offset(n):
        """Row i, column j: entry j − i of the vector of row i."""
        return np.stack([[table[i, j - i + 4] for j in range(n)] for i in range(n)])

    task = array_task(_by_offset, cases=[Case(4, axes=("query", "key")), Case(3)])
    said = "Under a key every query has one offset: your result goes by the place of the key, and not by j − i."
    assert task.check(lambda n: table[:n, 4 : 4 + n]).cause == said
    assert task.check(lambda n: table[:n, 5 : 5 + n] + 0.1).cause != said
