"""A right answer passes in every sensible form: fractions, decimals, NumPy scalars, truth values in quotes."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from course_lib.checking import Prediction
from course_tasks import tasks_of, topics

from .test_answers import ANSWER, COUNTS, RIGHT_COUNTS

ANSWERS = {
    f"{chapter}.{name}": task
    for chapter in topics()
    for name, task in tasks_of(chapter).items()
    if isinstance(task, Prediction)
}


def in_form(value, number):
    """The same answer with each number made by `number`, and each truth value in quotes."""
    if isinstance(value, dict):
        return {key: in_form(item, number) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [in_form(item, number) for item in value]
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return np.str_(value) if isinstance(value, str) else number(float(value))


FORMS = {"fraction": Fraction, "decimal": lambda x: Decimal(repr(x)), "float64": np.float64, "float32": np.float32}


@pytest.mark.parametrize("number", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("task", ANSWERS.values(), ids=ANSWERS)
def test_the_right_answer_passes_in_other_forms(task, number):
    result = task.check(in_form(task.expected(), number))
    assert result.passed, result


def test_a_wrong_truth_value_in_quotes_is_wrong_and_not_of_a_wrong_type():
    assert COUNTS.check({**RIGHT_COUNTS, "seen": "False"}).status == "wrong values"
    assert COUNTS.check({**RIGHT_COUNTS, "seen": "yes"}).status == "wrong type"


def test_what_cannot_be_read_is_named_with_its_field():
    result = ANSWER.check({"near": object(), "word": "up"})
    assert result.facts == ("`share` is a dictionary in which 'near' is an object",)
