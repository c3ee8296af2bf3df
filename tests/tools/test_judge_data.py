"""What passes between the judge and a hand-in: values come across as they are, and nothing else does."""

import json
from fractions import Fraction

import numpy as np
import pytest
import torch

from course_lib.checking.arrays import describe_type
from tools.judge.data import LARGEST, decode, encode


def across(value):
    return decode(json.loads(json.dumps(encode(value))))


@pytest.mark.parametrize("value", [
    None, True, 1, 1.5, "a word", ..., 1 + 2j, (1, [2, {"a": 3}]), {1, 2}, np.float32(0.1), np.int8(-3), float("inf"),
], ids=repr)  # fmt: skip
def test_a_plain_value_keeps_its_type(value):
    found = across(value)
    assert type(found) is type(value) and found == value


@pytest.mark.parametrize("array", [
    np.arange(6).reshape(2, 3), np.zeros((0, 2)), np.array(1.5), np.array([True, False]), np.array(["a", "bc"]),
    np.float16([1, np.nan]), np.arange(6).reshape(2, 3).T,
], ids=repr)  # fmt: skip
def test_an_array_keeps_its_dtype_and_shape(array):
    found = across(array)
    assert type(found) is np.ndarray and found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_a_view_of_a_tensor_is_a_view_again():
    row = torch.arange(5, dtype=torch.float16)
    found = across(row.unfold(0, 3, 1).expand(4, 3, 3))
    assert torch.equal(found[2], row.unfold(0, 3, 1)) and found.dtype == torch.float16
    assert found.untyped_storage().nbytes() == row.untyped_storage().nbytes()


def test_a_tensor_says_whether_it_learns_and_was_computed():
    leaf = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    assert across(leaf).requires_grad and across(leaf).grad_fn is None
    assert across(2 * leaf).grad_fn is not None and not across(leaf.detach()).requires_grad
    assert across(torch.empty(2, 3, device="meta")).shape == (2, 3)


@pytest.mark.parametrize("value", [(x for x in "ab"), print, len, object(), np.datetime64("2026-01-01"), pytest])
def test_what_is_no_value_comes_across_as_the_name_of_its_type(value):
    assert describe_type(across(value)).split()[1] in (describe_type(value).split()[1], "array")


def test_numbers_of_other_kinds_are_floats():
    assert across(Fraction(1, 4)) == 0.25 and across(10**30) == 1e30


ONE = {"kind": "tensor", "dtype": "float32", "bytes": "AAAAAA==", "offset": 0, "learns": False, "computed": False}


@pytest.mark.parametrize("data", [
    [1], {"kind": "no such"}, {"kind": ["x"]}, {"kind": "lent", "module": "os", "name": "system"},
    {"kind": "array", "dtype": "object", "shape": [1], "bytes": ""},
    {"kind": "array", "dtype": "float64", "shape": [10**12], "bytes": ""},
    ONE | {"shape": [4], "stride": [1]}, ONE | {"shape": [1], "stride": [-5]}, ONE | {"shape": [10**12], "stride": [0]},
    {"kind": "list", "items": [0] * 100_001}, "x" * 1001, {"kind": "dict", "items": [[[1], 2]]},
], ids=lambda data: str(data)[:40])  # fmt: skip
def test_data_that_nobody_encodes_is_refused(data):
    with pytest.raises(ValueError, match="data: "):
        decode(data)


def test_too_much_and_too_deep_is_refused():
    with pytest.raises(ValueError, match=f"expected at most {LARGEST:,}"):
        encode(np.zeros(LARGEST))
    nested: list = []
    for _ in range(50):
        nested = [nested]
    with pytest.raises(ValueError, match="nested more than 20 deep"):
        encode(nested)
