"""The right answer passes in other forms: lists, tensors, another precision."""

import numpy as np
import pytest
import torch

from course_kit.checking import Case, CodingTask

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


def test_a_broadcast_serves_only_where_it_is_right():
    twos = array_task(_softmax, expected=lambda x: np.full(3, 2.0))
    assert twos.check(lambda x: 2.0).passed and twos.check(lambda x: [[2.0]]).passed
    assert twos.check(lambda x: 3.0).status == "wrong shape"
    assert SLOPE.check(lambda n, strength: right(n, strength)[0]).status == "wrong shape"


def test_numbers_pass_for_truth_values_with_a_note():
    task = CodingTask("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
    for kind in (int, float):
        result = task.check(lambda n, kind=kind: _mask(n).astype(kind))
        assert result.passed and "False and True, which were asked for" in repr(result)
    assert not task.check(_mask).notes and not task.check(lambda n: _mask(n).tolist()).notes
    assert not task.check(lambda n: 2 * _mask(n)).notes[1:]  # what is wrong has no such note
