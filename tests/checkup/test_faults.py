"""Every seeded fault is found: by the check-up alone, or else by comparing the program with a right one."""

import pytest

from course_lib.checkup import checkup, compare
from course_lib.checkup.transformers_model import Transformers

from .families import family
from .faults import CACHE, FAULTS, KEYS, SPEEDS

WINDOWS = ["window in prefill only", "window one too wide behind a past", "no window", "window one too wide"]
ALONE = [name for name, (*_, found_by, _) in FAULTS.items() if found_by]
COMPARED = {  # what only a right program shows: the first call that differs
    "other pairs": "7 tokens",
    "T5 scaled": "one token",
    "queries one ahead": "7 tokens",
    "scale": "7 tokens",
    "heads tiled": "one token",
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
    report = compare(Faulty(model, fault), model)
    differ, says = report.faults, {"one token": "even one token: weights", "7 tokens": "or the scale or norm"}
    assert says[COMPARED[name]] in report.words[0]
    assert differ[0].name == COMPARED[name] and differ[0].says == "first behind layer 0"


GEMMA = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
}
LOST = {  # the layers with wrong speeds, what they are made of, and the cause that is named
    "the factor": ("full", lambda local, far: 8 * far, "the file's base without its scaling rule explains it"),
    "the base": ("full", lambda local, far: local, "base 10,000 explains it; or the speeds of sliding attention"),
    "factor on local layers": ("sliding", lambda local, far: local / 8, "8 times as slow: a factor is applied that"),
    "rule on local layers": ("sliding", lambda local, far: far, "the speeds of full attention explain it"),
    "base on local layers": ("sliding", lambda local, far: 8 * far, "base 1,000,000 explains it"),
    "nothing known": ("sliding", lambda local, far: local + 0.1, "none of the usual mistakes explains it"),
}


@pytest.mark.parametrize("window", [16, 512])
@pytest.mark.parametrize("name", LOST)
def test_the_cause_that_is_named_is_the_true_one(name, window):
    where, change, cause = LOST[name]
    model = family("gemma3_text", sliding_window=window, rope_parameters=GEMMA)
    assert not checkup(model).faults
    rotary = model.model.rotary_emb
    new = change(rotary.sliding_attention_inv_freq, rotary.full_attention_inv_freq).clone()
    setattr(rotary, f"{where}_attention_inv_freq", new)
    [fault] = [check for check in checkup(model).faults if check.name == SPEEDS]
    assert ("in layer 3; " in fault.says) == (where == "full") and cause in fault.says, fault.says
    assert "base 10,000" not in fault.says or where == "full"  # the base of a right file is no explanation


def test_a_base_that_the_file_lost_too_differs_more_with_length():
    model, right = (family("llama", rope_parameters={"rope_type": "default", "rope_theta": b}) for b in (1e4, 1e5))
    right.load_state_dict(model.state_dict())
    assert not checkup(model).faults
    report = compare(model, right)
    assert report.words[0] == "It differs little at first, and more with length: the base, or a window."


def test_every_fault_is_asked():
    assert set(FAULTS) == {*ALONE, *COMPARED} and len(FAULTS) + 1 == 36
