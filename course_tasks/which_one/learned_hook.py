"""A hook whose numbers learn: once its values are right, it is asked as training asks it."""

from collections.abc import Callable
from typing import Any

from course_lib.checking import Case
from course_lib.checking.arrays import Outputs, Unusable, as_array, as_outputs, check_tensor, describe_type
from course_lib.checking.runner import run

from .class_task import said_again

CUT = (
    "The numbers are right, but no gradient reaches `self.{}`, which should be learned. `.detach()`, `.data`, `.item()`, "
    "`float`, `math.log`, `no_grad`, NumPy and `torch.tensor(…)` of a tensor all stop the gradient."
)
KEPT = "The first result is right, but it stays the same when a has learned. Compute the row in each call."
REBOUND = "The first result is right, but your function puts something else into `self.{}`, and the next call finds it there."
SHAPE = "Yours has shape {}, expected {}: one number per head and offset, and no axis for a batch."


def read_hook(value: Any) -> Outputs:
    """The row that a hook returned, as an array. Raises Unusable for what torch alone did not compute."""
    import torch

    of_tensors = isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor)
    if not of_tensors and value is not None and value is not Ellipsis and not isinstance(value, torch.Tensor):
        as_array(value)  # a `...` in a list is no answer yet
        raise Unusable(f"{describe_type(value)}; a hook returns a torch tensor, and what learns is computed with torch only")
    if value is not None and value is not Ellipsis:
        check_tensor(value)
    return as_outputs(value)


def asked_in_training(learned: Callable[[], Any]) -> Callable[[Callable], tuple[str, str, str] | None]:
    """The question to a hook whose values are right: does it learn? `learned()` makes its module."""

    def ask(hook: Callable) -> tuple[str, str, str] | None:
        found: list[str] = []
        done = run(lambda: found.append(in_training(hook, learned())), [Case()], lambda value: {}, 2.0)
        if done.stopped:
            return "did not finish", f"when a and c learn: {done.why()}", ""
        if error := done.outcomes[0].error:
            return "raised", f"when a and c learn: {error}", said_again(error)
        return ("property broken", "", found[0]) if found[0] else None

    return ask


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
