"""Every seeded fault is found: by the check-up alone, or else by comparing the program with a right one."""

import pytest

from course_lib.checkup import checkup, compare
from course_lib.checkup.transformers_model import Transformers

from .families import family
from .faults import CACHE, FAULTS, KEYS

WINDOWS = ["window in prefill only", "window one too wide behind a past", "no window", "window one too wide"]
ALONE = [name for name, (*_, found_by, _) in FAULTS.items() if found_by]
COMPARED = {  # what only a right program shows: the first call that differs
    "other pairs": "7 tokens",
    "T5 scaled": "one token",
    "queries one ahead": "7 tokens",
}


class Faulty(Transformers):
    """A model whose every call has the fault."""

    def __init__(self, model, fault):
        super().__init__(model)
        self.fault = fault

    def _run(self, **given):
        with self.fault(self.model):
            return super()._run(**given)


@pytest.mark.parametrize("name", ALONE)
def test_the_checkup_finds_a_fault_alone(name):
    kind, more, fault, found_by, _ = FAULTS[name]
    model = family(kind, **more)
    with fault(model):
        faults = [check.name for check in checkup(model).faults]
    assert found_by in faults, faults


@pytest.mark.parametrize("size", [128, 512])
@pytest.mark.parametrize("name", WINDOWS)
def test_a_large_window_is_filled(name, size):
    kind, _, fault, found_by, _ = FAULTS[name]
    model = family(kind, sliding_window=size)
    assert not checkup(model).faults
    with fault(model):
        assert found_by in [check.name for check in checkup(model).faults]


def test_a_window_that_is_too_large_to_fill_is_not_called_fine():
    found = {check.name: check for check in checkup(family("mistral", sliding_window=4096)).checks}
    for name in (KEYS, CACHE):
        assert found[name].verdict == "skipped" and "the window of 4,096 is larger than the " in found[name].says


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_finds_what_the_checkup_cannot(name):
    kind, more, fault, *_ = FAULTS[name]
    model = family(kind, **more)
    with fault(model):
        assert not checkup(model).faults
    differ = compare(Faulty(model, fault), model).faults
    assert differ[0].name == COMPARED[name] and differ[0].says == "first behind layer 0"


def test_a_base_that_the_file_lost_too_differs_more_with_length():
    model, right = (family("llama", rope_parameters={"rope_type": "default", "rope_theta": b}) for b in (1e4, 1e5))
    right.load_state_dict(model.state_dict())
    assert not checkup(model).faults
    report = compare(model, right)
    assert report.words[0] == "It differs little at first, and more with length: the base, or a window."


def test_every_fault_is_asked():
    assert set(FAULTS) == {*ALONE, *COMPARED} and len(FAULTS) + 1 == 33
