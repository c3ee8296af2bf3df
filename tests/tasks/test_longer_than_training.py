"""What the tasks of the longer texts rest on: the study, and an evaluation that hides a rise."""

from importlib import import_module

import numpy as np
import pytest

from course_lib.reference import oracle
from course_tasks import tasks_of
from course_tasks.measured import study_rows

from .notebook import defined, prepared

CH10 = tasks_of("longer_than_training")
more = import_module("course_tasks.longer_than_training.1_rises_more").more


def test_the_untouched_evaluation_is_flat_and_the_mended_one_rises():
    task = CH10["loss_by_length"]
    for case in task.spec.cases:
        flat, curve = task.starter(*case.args), task.spec.solution(*case.args)
        assert np.ptp(flat) < 0.01
        assert len(curve) == 1 or curve[-1] > 10 * curve[0]


def test_the_hook_works_in_a_layer():
    torch = pytest.importorskip("torch")
    from course_lib.nn.layer import RelativeAttention
    from course_lib.nn.position import Position

    task = CH10["square_root_decay"]

    class SquareRootDecay(Position):
        def __init__(self, strengths):
            super().__init__()
            self.register_buffer("strengths", torch.tensor(strengths))

        bias = defined(task.solution_source(), task.name, prepared(task))

    torch.manual_seed(0)
    layer = RelativeAttention(8, 2, SquareRootDecay([1.0, 0.25]), causal=True)
    x = torch.randn(1, 6, 8)
    q, k, v = (
        linear(x)[0].unflatten(-1, (2, 4)).transpose(0, 1).tolist() for linear in (layer.query, layer.key, layer.value)
    )
    heads = [
        oracle.attention_with_bias(q[h], k[h], v[h], lambda r, s=strength: -s * abs(r) ** 0.5, scale=0.5, causal=True)[
            0
        ]
        for h, strength in enumerate((1.0, 0.25))
    ]
    expected = layer.out(torch.tensor(heads).transpose(0, 1).flatten(1))
    assert torch.allclose(layer(x)[0], expected, atol=1e-5)


def test_no_forecast_hangs_on_the_choice_of_the_seeds():
    """Which scheme of a pair rises more is the same for every single seed, so that the answer is no chance."""
    rows = study_rows()
    for seed in sorted({row.get("seed") for row in rows}, key=str):
        chosen = [row for row in rows if row.get("seed") == seed]
        for pair, right in CH10["rises_more"].expected().items():
            assert more(chosen, *pair.split(" or ")) == right, (seed, pair)
