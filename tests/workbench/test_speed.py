"""Times and stored numbers are those of what a layer does, whatever else the machine has to do."""

import os
import time
from types import SimpleNamespace

import pytest
import torch

from course_lib import workbench
from course_lib.nn.bias import DecayBias
from course_lib.nn.shaw import ShawVectors
from course_lib.nn.t5 import T5Bias


@pytest.fixture
def cpu_time(monkeypatch):
    """Measures without what other programs take; not on Windows, where this clock ticks too slowly."""
    if os.name != "nt":
        monkeypatch.setattr("course_lib.workbench.speed.time", SimpleNamespace(perf_counter=time.process_time))


def test_the_benchmark_measures_what_a_layer_does(cpu_time):
    found = workbench.benchmark(lambda n, d: T5Bias(n), n=128, rounds=3)
    assert 0.5 < found.forward < 50 and 0.5 < found.backward < 50
    assert found.kept == {128: 8 * 255 * 4, 256: 8 * 511 * 4}  # a float32 per head and offset
    assert "T5Bias beside attention without position: 128 tokens" in repr(found)
    vectors = workbench.benchmark(lambda n, d: ShawVectors(n, d, 2), n=64, rounds=1)
    assert vectors.kept[64] == 2 * 8 * 5 * 64 * 4  # two tables


def test_a_scheme_that_makes_a_grid_is_slow(cpu_time):
    """A hook that does as much work as attention itself must show in its ratio."""

    class Slow(DecayBias):
        def bias(self, n_q, n_k, past):
            torch.randn(8, n_q, n_k).softmax(-1)
            return super().bias(n_q, n_k, past)

    fast, slow = (
        workbench.benchmark(lambda n, d, cls=cls: cls(), n=512, rounds=5).forward for cls in (DecayBias, Slow)
    )
    assert slow > 1.5 * fast


def test_threads_are_as_before_and_sizes_are_checked():
    threads = torch.get_num_threads()
    workbench.benchmark(lambda n, d: DecayBias(), n=8, rounds=1)
    assert torch.get_num_threads() == threads
    with pytest.raises(ValueError, match="n=0: expected a whole number"):
        workbench.benchmark(lambda n, d: DecayBias(), n=0)
