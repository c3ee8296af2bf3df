"""The right answer passes in other forms: lists, tensors, another precision."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from course_kit.checking import Case, CodingTask, Prediction
from course_tasks import tasks_of, topics

from .common import BASICS, SLOPE, _mask, _softmax, array_task, right


@pytest.mark.parametrize(
    "form",
    [
        lambda x: tuple(map(tuple, x.tolist())),
        list,
        lambda x: x + 1e-12,
        np.asfortranarray,
        np.ma.masked_array,
        lambda x: torch.tensor(x, requires_grad=True),
        lambda x: torch.tensor(x).bfloat16(),
        lambda x: list(torch.tensor(x)),
    ],
)
def test_other_forms_of_the_right_array_pass(form):
    """Beside those in which every task is tried."""
    assert SLOPE.check(lambda n, strength: form(right(n, strength))).passed


def test_arrays_and_lists_pass_for_tensors():
    def _tripled(x):
        """Three times x, a tensor."""
        return 3 * x

    tripled = array_task(_tripled, expected=lambda x: 3 * x, tensors=True)
    for answer in (lambda x: torch.add(x, x) + x, lambda x: x.numpy() * 3, lambda x: [3 * float(v) for v in x]):
        assert tripled.check(answer).passed


def test_a_broadcast_serves_only_where_it_is_right():
    twos = array_task(_softmax, expected=lambda x: np.full(3, 2.0))
    assert twos.check(lambda x: 2.0).passed and twos.check(lambda x: [[2.0]]).passed
    assert twos.check(lambda x: 3.0).status == "wrong shape"
    assert SLOPE.check(lambda n, strength: right(n, strength)[0]).status == "wrong shape"


def test_rounding_beyond_the_tolerance_is_wrong_and_named():
    result = SLOPE.check(lambda n, strength: np.round(right(n, strength) * 1.0001, 6))
    assert result.status == "wrong values"
    assert "factor" in result.cause or "rounded" in result.cause


def test_numbers_pass_for_truth_values_with_a_note():
    task = CodingTask("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
    for kind in (int, float):
        result = task.check(lambda n, kind=kind: _mask(n).astype(kind))
        assert result.passed and "False and True, which were asked for" in repr(result)
    assert not task.check(_mask).notes and not task.check(lambda n: _mask(n).tolist()).notes
    assert not task.check(lambda n: 2 * _mask(n)).notes[1:]  # what is wrong has no such note


def in_form(value, number):
    """The same answer with each number made by `number`, and each truth value in quotes."""
    if isinstance(value, dict):
        return {key: in_form(item, number) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [in_form(item, number) for item in value]
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return np.str_(value) if isinstance(value, str) else number(float(value))


@pytest.mark.parametrize("number", [Fraction, lambda x: Decimal(repr(x)), np.float64], ids=["½", "decimal", "float64"])
@pytest.mark.parametrize("topic", topics())
def test_the_right_answer_to_every_prediction_passes_in_other_forms(topic, number):
    for task in tasks_of(topic).values():
        if isinstance(task, Prediction):
            result = task.check(in_form(task.expected(), number))
            assert result.passed, result
