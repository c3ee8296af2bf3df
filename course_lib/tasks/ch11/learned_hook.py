"""A hook whose numbers learn: once its values are right, it is asked as training asks it."""

from collections.abc import Callable
from typing import Any

from ..engine import Case, Result, Task
from ..engine.run import run
from ..engine.values import Parts, Unusable, kind, plain
from .class_task import said_again

CUT = (
    "The numbers are right, but no gradient gets to `self.{}`, and it is to be learned: `.detach()`, `.data`, `.item()`, "
    "`float`, `math.log`, `no_grad`, NumPy and `torch.tensor(…)` of a tensor cut the way back."
)
KEPT = "Right the first time. When a has learned, your function answers as before: compute the row anew in each call."
REBOUND = (
    "Right the first time, but your function puts something else into `self.{}`, and the next call finds it there."
)
SHAPE = "Yours has shape {}, expected {}: a number per head and offset, and no axis for a batch."


class LearnedHook(Task):
    """`learned()` makes the module of a hook, whose a and c are tensors with a number for each of two heads."""

    def __init__(self, *args: Any, learned: Callable[[], Any], **options: Any) -> None:
        super().__init__(*args, **options)
        self.learned = learned

    def _read(self, value: Any) -> Parts:
        import torch

        of_tensors = isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor)
        if not of_tensors and value is not None and value is not Ellipsis and not isinstance(value, torch.Tensor):
            plain(value)  # a `...` in a list is no answer yet
            raise Unusable(f"{kind(value)}; a hook returns a torch tensor, and what learns is computed by torch alone")
        return super()._read(value)

    def _check(self, given: Any) -> Result:
        result = super()._check(given)
        if not result.passed:
            return result
        found: list[str] = []

        def ask() -> None:
            found.append(in_training(given, self.learned()))

        done = run(ask, [Case()], lambda value: {}, self.seconds)
        if done.stopped:
            return Result("did not finish", self.title, ("when a and c learn:", done.why()))
        if error := done.outcomes[0].error:
            return Result("raised", self.title, ("when a and c learn:", error), said_again(error), result.code)
        return Result("property broken", self.title, (), found[0]) if found[0] else result


def in_training(hook: Callable, module: Any) -> str:
    """What is wrong with a hook when its a and c learn and it is called again, or ""."""
    import torch

    held = {name: getattr(module, name).requires_grad_() for name in ("a", "c")}
    row = hook(module, 3, 3, 0)
    for name, tensor in held.items():
        if getattr(module, name) is not tensor:
            return REBOUND.format(name)
        reached = (
            torch.autograd.grad(row.sum(), tensor, retain_graph=True, allow_unused=True) if row.requires_grad else ()
        )
        if not any(gradient is not None and gradient.all() for gradient in reached):
            return CUT.format(name)
    if row.shape != (len(module.a), 5):
        return SHAPE.format(tuple(row.shape), (len(module.a), 5))
    with torch.no_grad():
        held["a"].mul_(2)
    return KEPT if torch.equal(row, hook(module, 3, 3, 0)) else ""
