"""The right answer passes in other forms: lists, tensors, another precision."""

import numpy as np
import pytest

from course_lib.checking import Case, CodingTask
from course_lib.checking.arrays import as_array

from .common import BASICS, SLOPE, _mask, _softmax, array_task, expected_slope, right


def _tripled(x):
    """Three times x, a tensor."""
    return 3 * x


TRIPLED = array_task(_tripled, expected=lambda x: 3 * x, tensors=True)


@pytest.mark.parametrize(
    "form",
    [
        lambda x: x.tolist(),
        lambda x: tuple(map(tuple, x.tolist())),
        lambda x: list(x),
        np.float32,
        lambda x: x + 0j,
        lambda x: x + 1e-12,
        lambda x: x[None],
        lambda x: np.asfortranarray(x),
        lambda x: np.ma.masked_array(x),
    ],
)
def test_other_forms_of_the_right_array_pass(form):
    assert SLOPE.check(lambda n, scale: form(right(n, scale))).passed


def test_tensors_pass_for_arrays_and_arrays_for_tensors():
    torch = pytest.importorskip("torch")
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale), requires_grad=True)).passed
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale)).half()).passed
    assert SLOPE.check(lambda n, scale: torch.tensor(expected_slope(n, scale)).bfloat16()).passed
    assert SLOPE.check(lambda n, scale: [torch.tensor(row) for row in expected_slope(n, scale)]).passed
    assert TRIPLED.check(lambda x: torch.add(x, x) + x).passed
    assert TRIPLED.check(lambda x: x.numpy() * 3).passed
    assert TRIPLED.check(lambda x: [3 * float(v) for v in x]).passed


def test_a_broadcast_serves_only_where_it_is_right():
    twos = array_task(_softmax, expected=lambda x: np.full(3, 2.0))
    assert twos.check(lambda x: 2.0).passed and twos.check(lambda x: [[2.0]]).passed
    assert twos.check(lambda x: 3.0).status == "wrong shape"
    assert SLOPE.check(lambda n, scale: right(n, scale)[0]).status == "wrong shape"


def test_rounding_beyond_the_tolerance_is_wrong_and_named():
    result = SLOPE.check(lambda n, scale: np.round(right(n, scale) * 1.0001, 6))
    assert result.status == "wrong values"
    assert "factor" in result.cause or "rounded" in result.cause


def test_numbers_pass_for_truth_values_with_a_note():
    task = CodingTask("Mask", solution=_mask, expected=lambda n: np.tri(n) > 0, cases=[Case(4), Case(3)], **BASICS)
    for kind in (int, float):
        result = task.check(lambda n, kind=kind: _mask(n).astype(kind))
        assert result.passed and "False and True, which were asked for" in repr(result)
    assert not task.check(_mask).notes and not task.check(lambda n: _mask(n).tolist()).notes
    assert not task.check(lambda n: 2 * _mask(n)).notes[1:]  # what is wrong has no such note


def test_plain_leaves_an_array_as_it_is():
    x = np.arange(6.0).reshape(2, 3)
    assert as_array(x) is x
