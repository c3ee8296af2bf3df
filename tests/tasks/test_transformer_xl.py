"""What the tasks of Transformer-XL rest on: the hunted shift, and the answers of the lesson."""


import numpy as np
import pytest

from course_lib.reference.attention import causal_mask
from course_lib.reference.grid import to_grid
from course_tasks import tasks_of

CH05 = tasks_of("transformer_xl")


@pytest.mark.parametrize("n", range(1, 12))
def test_the_hunted_shift_is_right_in_one_causal_cell(n):
    rows = 1.0 + np.arange(n * (2 * n - 1)).reshape(n, 2 * n - 1)
    same = CH05["full_shift"].starter(rows) == to_grid(rows, n)
    assert same[causal_mask(n)].sum() == 1 and causal_mask(n).sum() == n * (n + 1) // 2


@pytest.mark.parametrize("n", range(2, 12))
def test_the_hunted_shift_leaks_nothing_under_a_mask(n):
    query = np.repeat(np.arange(n), 2 * n - 1).reshape(n, 2 * n - 1)
    found = CH05["full_shift"].starter(query)
    assert np.all(found <= np.arange(n)[:, None], where=causal_mask(n))


def test_the_answers_are_what_the_lesson_says():
    assert CH05["one_score"].expected() == {"a": 2, "b": 3, "c": 4, "d": 5, "score": 7}
    assert list(CH05["gradients"].expected().values()) == [False, True, True, True, True]
