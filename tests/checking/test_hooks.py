"""A task whose answer is a hook of a module: it returns a tensor, and leaves the module as it is."""

import pytest

from course_tasks import tasks_of

torch = pytest.importorskip("torch")
TASK = tasks_of("longer_than_training")["square_root_decay"]
RIGHT = TASK.spec.solution


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda *given: RIGHT(*given).numpy(), "an ndarray; a hook returns a torch tensor: `torch.from_numpy"),
        (lambda *given: RIGHT(*given).tolist(), "a list; a hook returns a torch tensor: `torch.tensor(…)`"),
        (lambda *given: list(RIGHT(*given)), "a list of tensors; a hook returns a torch tensor: `torch.stack"),
        (lambda *given: print(end=""), "nothing (None)"),
        (lambda self, *given: (RIGHT(self, *given), self.strengths.mul_(2))[0], "writes into `self.strengths`"),
        (lambda self, *given: (RIGHT(self, *given), self.strengths.unsqueeze_(0))[0], "writes into `self.strengths`"),
    ],
)
def test_a_hook_returns_a_tensor_and_leaves_its_module_as_it_is(wrong, words):
    for _ in range(2):
        result = TASK.check(wrong)
        assert not result.passed and words in repr(result)
    assert TASK.check(RIGHT).passed
