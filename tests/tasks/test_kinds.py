"""Each task is tried in every kind of call that its arguments allow: late, with one query, with a base of its own, …"""

import numpy as np
import pytest

from course_chapters import tasks_of, topics
from course_kit.checking import CodingTask

TASKS = [task for topic in topics() for task in tasks_of(topic).values() if isinstance(task, CodingTask)]
LATE = 257  # the first whole number that bfloat16 does not hold


def calls(task):
    """The arguments of each call, and the rows of its result."""
    for case, right in zip(task.spec.all_cases, task.spec.right, strict=True):
        rows = {array.shape[-2] for array in right.values() if array.ndim > 1}
        yield case.arguments(task.spec.signature), min(rows, default=1)


def having(*names):
    tasks = [task for task in TASKS if set(names) <= set(task.spec.signature.parameters)]
    assert tasks
    return pytest.mark.parametrize("task", tasks, ids=lambda task: task.name)


@having("past")
def test_a_past_is_long_and_short_before_one_row_and_before_several(task):
    pasts = [(given["past"], rows) for given, rows in calls(task)]
    assert any(past >= LATE and past % 2 for past, _ in pasts)
    assert any(past > 0 and rows == 1 for past, rows in pasts) and any(past > 0 and rows > 1 for past, rows in pasts)


@having("n_q", "n_k")
def test_queries_are_one_and_several_and_as_many_as_keys_or_not(task):
    sizes = [(given["n_q"], given["n_k"]) for given, _ in calls(task)]
    assert any(n_q > 1 and n_q != n_k for n_q, n_k in sizes) and any(n_q == n_k > 1 for n_q, n_k in sizes)
    assert any(n_q == 1 for n_q, _ in sizes) or task.name == "grid_steps"  # the step from query to query
    assert any(n_k >= LATE for _, n_k in sizes)


@having("base")
def test_a_base_is_below_and_above_that_of_the_paper(task):
    bases = {given["base"] for given, _ in calls(task)}
    assert min(bases) < 10_000 < max(bases)


@having("bias")
def test_a_score_is_far_below_0_or_hidden(task):
    lowest = [np.min(given["bias"]) for given, _ in calls(task)]
    scores = [np.min(value) for given, _ in calls(task) for value in given.values() if getattr(value, "size", 0)]
    assert min(lowest) == -np.inf or min(scores) < -500
