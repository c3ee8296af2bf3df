"""The a and c of each head: learned, 1 at the start, above 0 whatever is learned."""

import math

import torch
from torch import Tensor, nn

from course_lib.checking.arrays import describe_type
from course_lib.contents import number as chapter
from course_lib.nn.position import Position

from ..class_task import Broken
from .probes import HEADS, asked, drawn, filled, gradients, tensors

NAMES = ("a", "c")
STALE = (
    "Something is kept from `__init__` or from an earlier call, so it does not change when a and c learn. Compute it in each call."
)
BELOW = "An optimizer can move a parameter below 0. Learn a parameter of which the number is a positive function, such as `exp`."
STOPS = "The gradient is 0 there, so the number cannot leave that value. `clamp`, `relu` and `abs` at 0 have this effect."
WRITES = (
    "Reading a property must not write, not even through `.data` or under `no_grad`. Otherwise reading it undoes the "
    "work of the optimizer."
)


def is_a_position(cls: type) -> Broken | None:
    if not issubclass(cls, Position):
        return Broken(
            f"`{cls.__name__}` is not a `Position`", "A scheme is `class Kerple(Position)`, because the layer calls its hooks."
        )
    return None


def has_numbers(cls: type) -> Broken | None:
    """a and c are tensors with a number per head."""
    for heads in (HEADS, 1):
        module = cls(heads)
        for name in NAMES:
            if not isinstance(vars(cls).get(name, property()), (property, Tensor)):
                told = describe_type(vars(cls)[name]).partition(":")[0]
                return Broken(
                    f"`{name}` is {told}", f"`self.{name}` is read without parentheses and computed each time, so make it a `@property`."
                )
            value = getattr(module, name)
            if not isinstance(value, Tensor):
                told = "nothing (None): is there a `return`?" if value is None else describe_type(value)
                return Broken(f"`{name}` is {told}", f"`{name}` is a tensor with a number for each head.")
            if value.shape != (heads,):
                shared = value.numel() == 1 < heads
                cause = "The heads share this number, but each needs its own." if shared else "Each head has one number."
                return Broken(f"`{name}` has shape {tuple(value.shape)} with {heads} heads, expected ({heads},)", cause)
    return None


def only_reads(cls: type) -> Broken | None:
    """Reading a and c leaves the parameters as they are."""
    for number in (-20.0, 20.0):
        module = filled(cls(HEADS), number)
        before = [p.detach().clone() for p in module.parameters()]
        for name in NAMES:
            getattr(module, name)
            if not all(map(torch.equal, before, module.parameters())):
                return Broken(f"reading `{name}` changes the parameters", WRITES)
    return None


def learns(cls: type) -> Broken | None:
    """a and c come from parameters that an optimizer sees."""
    module = drawn(cls)
    parameters = list(module.parameters())
    for name in NAMES:
        reached = [bool(g.any()) for g in gradients(getattr(module, name), parameters)]
        if not any(reached):
            return Broken(f"nothing is learned for `{name}`", not_learned(module, name))
    learned = sum(p.numel() for p in parameters)
    if learned != 2 * HEADS:
        cause = "Each head learns an a and a c, and nothing else. Is there a parameter that is never read?"
        if learned < 2 * HEADS:
            cause = "Each head learns an a and a c. Does one number serve several heads, or both a and c?"
        return Broken(f"{learned} numbers are learned for {HEADS} heads, expected {2 * HEADS}", cause)
    return None


def not_learned(module: nn.Module, name: str) -> str:
    """Why no gradient gets from `name` to a parameter."""
    parameters, buffers = dict(module.named_parameters()), dict(module.named_buffers())
    plain = [key for key, value in vars(module).items() if isinstance(value, Tensor)]
    lists = [
        key for key, v in vars(module).items() if isinstance(v, (list, tuple, dict)) and key[0] != "_" and tensors(v)
    ]
    if frozen := [key for key, p in parameters.items() if not p.requires_grad]:
        return f"`self.{frozen[0]}` is a parameter with requires_grad=False, so no optimizer changes it."
    if computed := [key for key in plain if vars(module)[key].grad_fn is not None]:
        return f"`self.{computed[0]}` was computed once, in `__init__`, and does not change when the parameter learns. Compute it in `{name}`."
    if plain:
        return f"`self.{plain[0]}` is a plain tensor. No optimizer sees it, and `.to()` leaves it behind. Make it an `nn.Parameter(…)`."
    if lists:
        return f"`self.{lists[0]}` is a Python {type(vars(module)[lists[0]]).__name__}, and no optimizer looks into it. Keep the `nn.Parameter` itself, or an `nn.ParameterList`."
    if buffers:
        return f"`self.{next(iter(buffers))}` is a buffer. It moves with the module and is saved, but no optimizer changes it. Make it an `nn.Parameter(…)`."
    if not parameters:
        return "The module has no parameter. Make an `nn.Parameter(…)` in `__init__` and keep it as `self.something`."
    return f"There is a parameter, but no gradient from `{name}` reaches it. `.detach()`, `.data`, `.item()`, `no_grad` and `torch.tensor(…)` of a tensor all stop the gradient."


def begins_at_1(cls: type) -> Broken | None:
    module = cls(HEADS)
    for name in NAMES:
        value = getattr(module, name).double()
        if not torch.allclose(value, torch.ones_like(value), atol=1e-5):
            cause = f"Both a and c begin at 1, so the bias begins as the log decay of chapter {chapter('bias_by_hand')}, with strength 1."
            if abs(value[0].item() - math.e) < 1e-4:
                cause = "e¹ is not 1. Begin the parameter at 0, which is the logarithm of 1."
            return Broken(f"`{name}` is {shown(value[0])} at the start, expected 1", cause)
    return None


def follows_the_parameters(cls: type) -> Broken | None:
    """What was computed before does not affect what is computed after the optimizer has moved the parameters."""
    module = cls(HEADS)
    before = {name: getattr(module, name).tolist() for name in NAMES}
    row = asked(module, 4, 4, 0)
    filled(module, 0.7)
    changed = [f"`{name}` is still what it was" for name in NAMES if getattr(module, name).tolist() == before[name]]
    if not changed and row is not None and torch.equal(row, module.bias(4, 4, 0)):
        changed = ["`bias` still returns the same"]
    return Broken(f"the parameters have changed, and {changed[0]}", STALE) if changed else None


def stays_positive(cls: type) -> Broken | None:
    """For every value of the parameters a and c are above 0, can be large and small, and go on learning."""
    modules = {number: filled(cls(HEADS).double(), number) for number in (-1.0, -5.0, -20.0, 0.0, 3.0, 20.0)}
    for name in NAMES:
        for number, module in modules.items():
            value = getattr(module, name)
            if not value.isfinite().all() or (value < 0).any():
                return Broken(f"`{name}` is {shown(value[0])} {there(number)}", BELOW)
        if (most := max(getattr(module, name).max().item() for module in modules.values())) < 10:
            fact = f"`{name}` is at most {most:g}, whatever the parameters"
            return Broken(fact, "The number has an upper limit, as a sigmoid has. It must be able to reach any number above 0.")
        for number, module in modules.items():
            value = getattr(module, name)
            if not any(g.any() for g in gradients(value, list(module.parameters()))):
                return Broken(f"`{name}` stops learning {there(number)}", STOPS)
            if (value == 0).any():
                return Broken(
                    f"`{name}` is 0 {there(number)}",
                    "The number must be above 0. With 0, a far key would get the same bias as the query itself.",
                )
        ends = torch.stack([getattr(filled(cls(HEADS).double(), number), name) for number in (-2000.0, 2000.0)])
        if (least := ends.amin().item()) >= 1e-3:  # far out, where also √(1 + x²) + x has come down
            fact = f"`{name}` is at least {least:g}, whatever the parameters"
            return Broken(fact, "The number has a lower limit, as 1 + e^x has. It must be able to reach any number above 0.")
    return None


def there(number: float) -> str:
    return f"when the parameters are {number:g}".replace("-", "−")


def heads_differ(cls: type) -> Broken | None:
    """Each head has numbers of its own, and a and c are not the same ones."""
    module = drawn(cls)
    for name in NAMES:
        value = getattr(module, name)
        if len(set(value.tolist())) < HEADS:
            return Broken(f"`{name}` is the same for several heads, whatever is learned", "Each head has its own.")
    if torch.allclose(module.a, module.c):
        return Broken(
            "`a` and `c` are always equal",
            "They are two numbers, and both are learned. Is there one parameter for both, or do you read a wrong row?",
        )
    return None


def shown(number: Tensor) -> str:
    return f"{number.item():.4g}".replace("-", "−")
