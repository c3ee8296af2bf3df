"""What the tasks on windows and sinks rest on: bugs that hide where they should, a forecast that no seed decides."""

from importlib import import_module

import numpy as np
import pytest

from course_lib.reference.attention import softmax
from course_lib.reference.sliding_window import window_mask
from course_tasks import tasks_of
from course_tasks.windows_and_sinks.given import counter, crowded, near_counter

TASKS = tasks_of("windows_and_sinks")
FORECAST = import_module("course_tasks.windows_and_sinks.7_without_far_keys")


def test_the_given_window_has_one_key_too_many():
    given = TASKS["seen_keys"].starter
    assert (given(3, 9, 4) == window_mask(3, 9, w=5, past=6)).all()


@pytest.mark.parametrize("read", range(9))
def test_the_given_ring_is_right_for_one_token_at_a_time(read):
    task = TASKS["ring_step"]
    rng = np.random.default_rng(read)
    ring = rng.normal(size=(4, 2))
    for n, alike in ((1, True), (3, read < 2)):
        new = rng.normal(size=(n, 2))
        (seen, after), (right, ring_after) = (f(ring, read, new) for f in (task.starter, task.spec.solution))
        assert (after == ring_after).all() and (seen.shape == right.shape)
        assert np.array_equal(seen, right) == alike


def test_the_given_sink_has_no_effect():
    rng = np.random.default_rng(0)
    scores, values = rng.normal(size=(3, 5)), rng.normal(size=(5, 2))
    for a in (-2.0, 0.0, 3.0):
        assert np.allclose(TASKS["sink_output"].starter(scores, values, a), softmax(scores) @ values)


def test_the_three_models_use_the_far_keys_ignore_them_and_suffer_from_them():
    use = TASKS["use_of_far_keys"].spec.solution
    found = {case.args[0]: use(*case.args) for case in TASKS["use_of_far_keys"].spec.cases[:3]}
    assert found[counter] > 0.1 and found[near_counter] == 0 and found[crowded] < -0.1
    assert use(*TASKS["use_of_far_keys"].spec.cases[3].args) == 0  # a text without far keys


def test_a_model_that_sees_later_keys_is_noticed():
    """Masks that show the same later keys in both calls change every model's loss, but only one's difference."""
    task = TASKS["use_of_far_keys"].spec
    model, tokens, near = task.cases[2].args
    offset = np.arange(len(tokens)) - np.arange(len(tokens))[:, None]
    full, masked = (model(tokens, mask)[-near:].mean() for mask in (offset < len(tokens), offset > -near))
    assert abs(masked - full - task.solution(model, tokens, near)) > 0.01


def test_no_forecast_hangs_on_the_choice_of_the_seeds():
    for scheme in FORECAST.SCHEMES:
        found = FORECAST.changes(scheme)
        assert len(found) > 2 and len({FORECAST.said(change) for change in found}) == 1, (scheme, found)
        assert max(found) < 0.02, "no model misses the far keys"
