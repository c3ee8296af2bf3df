"""A task whose answer is a hook of a module."""

import numpy as np
import pytest

from course_kit.checking import Case

from .common import array_task


class Module:
    """Stands for a module that holds a tensor."""

    def __init__(self):
        import torch

        self.strengths = torch.ones(2)

    def __array__(self, dtype=None, copy=None):
        return self.strengths.numpy()


def hook_task():
    def _hook(self, n):
        """The strengths times n."""
        return n * self.strengths

    return array_task(
        _hook, expected=lambda self, n: 1.0 * n * np.ones(2), cases=[Case(Module(), 2)], hook="self.strengths"
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda self, n: (n * self.strengths).numpy(), "an ndarray; a hook returns a torch tensor: `torch.from_numpy"),
        (lambda self, n: (n * self.strengths).tolist(), "a list; a hook returns a torch tensor: `torch.tensor(…)`"),
        (lambda self, n: list(n * self.strengths), "a list of tensors; a hook returns a torch tensor: `torch.stack"),
        (lambda self, n: print(end=""), "nothing (None)"),
        (lambda self, n: self.strengths.mul_(n), "your function writes into `self.strengths`"),
        (lambda self, n: self.strengths.unsqueeze_(0) * n, "your function writes into `self.strengths`"),
    ],
)
def test_a_hook_returns_a_tensor_and_leaves_its_module_as_it_is(wrong, words):
    pytest.importorskip("torch")
    assert hook_task().check(hook_task().spec.solution).passed
    for _ in range(2):
        result = hook_task().check(wrong)
        assert not result.passed and words in repr(result)
