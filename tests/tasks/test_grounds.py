"""What tasks rest on: bugs hide where they should, forecasts depend on no seed, and what the words say is so."""

from importlib import import_module

import numpy as np
import torch

from course_chapters import tasks_of
from course_chapters.measured import rises
from course_chapters.windows_and_sinks.tasks.given import counter, crowded, near_counter
from course_lib.schemes import NOTHING, SCHEMES

LONGER, LAST, WINDOWS = map(tasks_of, ("longer_than_training", "which_one", "windows_and_sinks"))
REMAINS = import_module("course_chapters.which_one.tasks.what_remains")


def test_the_fused_kernel_takes_a_fixed_mask_of_two_or_four_axes():
    fused = import_module("course_chapters.fast_attention.tasks.sdpa_traps").fused
    assert fused(torch.zeros(8, 8)) and fused(torch.zeros(1, 3, 8, 8))


# ---------------------------------------------------------------- longer than training


def test_the_untouched_evaluation_is_flat_and_the_repaired_one_rises():
    task = LONGER["loss_by_length"]
    for case in task.spec.cases:
        curve = task.spec.solution(*case.args)
        assert np.ptp(task.starter(*case.args)) < 0.01 and (len(curve) == 1 or curve[-1] > 10 * curve[0])


def test_no_forecast_depends_on_the_choice_of_the_seeds():
    """The answer is the same for every single seed, so it is no chance."""
    for pair, right in LONGER["rises_more"].expected().items():
        (other,) = set(pair.split(" or ")) - {right}
        assert min(rises(right)) > max(rises(other)), pair


# ---------------------------------------------------------------- windows and sinks


def test_the_models_use_the_far_keys_ignore_them_suffer_from_them_and_need_only_the_first():
    task = WINDOWS["use_of_far_keys"].spec
    found = {case.args[0]: task.solution(*case.args) for case in task.cases[:3]}
    assert found[counter] > 0.1 and found[near_counter] == 0 and found[crowded] < -0.1
    anchored, short = task.cases[3:5]
    assert task.solution(*anchored.args) == 0 and task.solution(*short.args) == 0  # a text without far keys


# ---------------------------------------------------------------- which one


def test_each_situation_leaves_one_candidate_at_most_and_its_words_name_all_four():
    words = LAST["what_remains"].words
    for name, candidates in REMAINS.SITUATIONS.items():
        line = words.split(f"- `{name}`: ")[1].split("\n- ")[0]
        assert line.split("`")[1::2] == list(candidates)
        assert sum(not out for out in candidates.values()) <= 1
        for scheme, out in candidates.items():
            entry = SCHEMES[scheme]
            assert out != REMAINS.LEARNS or entry.parameters != NOTHING
            assert out != REMAINS.ADDS or set(entry.enters) - {"input", "rotate"}
    assert list(LAST["what_remains"].expected().values()).count("no scheme") == 1
