"""What the capstone's class must be, demand by demand: the first that is broken is told. This imports torch."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_kit.checking.arrays import NOTHING, describe_type, shaped
from course_kit.checking.lines import messages
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_study import own_scheme

Demand = tuple[Any, str, str]  # whether it is broken, the fact, the cause
HEADS = 3
TEXTS = (HEADS, 5, 5, 0), (1, 6, 6, 0), (2, 1, 6, 5), (12, 2, 6, 3), (2, 4, 3, 1)  # heads, n_q, n_k and past
PROPERTY = "It should be a `@property`, read without parentheses, that returns a tensor with one number for each head."
WRITES = "Reading a property must not write, not even under `no_grad`. Otherwise it undoes the work of the optimizer."
STALE = "Something computed in `__init__` or in an earlier call is kept, and does not learn. Compute it in each call."
BEGIN = "Both a and c begin at 1. If the number is e to the power of a parameter, the parameter begins at 0."
COUNT = "Each head learns an a and a c, and nothing else. Does one number serve several, or is one never read?"
POSITIVE = "Learn a parameter of which it is a positive function, such as `exp`, which can reach any number above 0."
STOPS = "The gradient is 0 there, so the number stays. `clamp`, `relu` and `abs` at 0 have this effect."
OWN = "Each head has its own a and its own c. Is there one parameter for several, or do you read a wrong row?"
SHAPE = "A hook returns a row for each head, with a number for each *offset*. The layer puts them on the diagonals."
DETACHED = "`.detach()`, `.data`, `.item()`, `no_grad`, `math` and `torch.tensor(…)` of a tensor all stop the gradient."
KEEP = "Keep what is learned as an `nn.Parameter(…)`, and compute in the property what follows from it."
GROWS = "It keeps tensors for every length it has seen, and never frees them."
DTYPE = "The bias must have the precision of the parameters. Do not use `.float()`, `.double()` or a dtype of your own."
DEVICE = "A tensor is made on the CPU. `row_offsets(n_q, n_k, past, device)` takes a device, and parameters have one."


def numbers(cls: Any) -> Iterator[Demand]:
    """a and c: tensors with a number per head that begin at 1, learn, and are read without being written."""
    name = f"`{cls.__name__}`"
    yield not issubclass(cls, Position), f"{name} is not a `Position`", "The layer calls hooks of a `Position`."
    for heads, name in product((HEADS, 1), "ac"):
        value = getattr(cls(heads), name)
        told = NOTHING if value is None else shaped(value) or describe_type(value)
        fits = isinstance(value, Tensor) and value.shape == (heads,)
        yield not fits, f"with {heads} heads `{name}` is {told}", PROPERTY
    for name in "ac":
        start, low = getattr(cls(HEADS), name), fill(cls(HEADS), -20.0)
        getattr(low, name)
        yield any((p != -20).any() for p in low.parameters()), f"reading `{name}` changes the parameters", WRITES
        value = getattr(module := drawn(cls), name)
        yield not any(gradients(module, value)), f"nothing is learned for `{name}`", not_learned(module)
        stale = torch.allclose(value, start.to(value))
        yield stale, f"the parameters have changed, and `{name}` is still what it was", STALE
        one = torch.allclose(start, torch.ones_like(start), atol=1e-5)
        yield not one, f"`{name}` is {start[0]:.4g} at the start, expected 1", BEGIN
    number = sum(p.numel() for p in module.parameters())
    yield number != 2 * HEADS, f"with {HEADS} heads {number} numbers are learned", COUNT


def positive(cls: Any) -> Iterator[Demand]:
    """For every value of the parameters a and c are above 0, can be large and small, and go on learning."""
    for name in "ac":
        filled = {x: fill(cls(HEADS).double(), x) for x in (-2e3, -20, -5, -1, 0, 3, 20, 2e3)}
        found = {x: (module, getattr(module, name)) for x, module in filled.items()}
        low, high = (f(float(value[0]) for _, value in found.values()) for f in (min, max))
        for x, (module, value) in list(found.items())[1:-1]:
            there = f"when the parameters are {x}".replace("-", "−")
            yield not (value > 0).all(), f"`{name}` is {value[0]:.4g} {there}".replace("-", "−"), POSITIVE
            yield high > 10 and not any(gradients(module, value)), f"`{name}` stops learning {there}", STOPS
        yield high < 10, f"`{name}` is at most {high:g}, whatever the parameters", POSITIVE
        yield low >= 1e-3, f"`{name}` is at least {low:g}, whatever the parameters", POSITIVE
    module = drawn(cls)
    alike = len({*module.a.tolist(), *module.c.tolist()}) < 2 * HEADS
    yield alike, "some of the numbers are equal, whatever is learned", OWN


def hook(cls: Any, wrong: str) -> Iterator[Demand]:
    """`bias`: a row of the formula, from the current numbers, that learns, moves to a device, and serves a layer."""
    name = f"`{cls.__name__}`"
    yield cls.bias is Position.bias, f"{name} has no `bias` of its own", "The layer calls the hook of this name."
    failed: list[dict[str, Any]] = []
    for heads, n_q, n_k, past in TEXTS:
        module, call = drawn(cls, heads), f"`bias({n_q}, {n_k}, {past})`"
        row = module.bias(n_q, n_k, past)
        told = NOTHING if row is None else describe_type(row)
        yield not isinstance(row, Tensor), f"{call} returned {told}", "A hook returns a torch tensor."
        wanted = (heads, n_q + n_k - 1)
        yield row.shape != wanted, f"{call} has shape {tuple(row.shape)}, expected {wanted}", SHAPE
        r, a, c = row_offsets(n_q, n_k, past).double(), module.a.detach()[:, None], module.c.detach()[:, None]
        names = {"a": a, "c": c, "r": r, "d": r.abs(), "inf": math.inf, "call": call}
        names |= {"unpast": row_offsets(n_q, n_k, 0).abs(), "swapped": row_offsets(n_k, n_q, past).abs()}
        names |= {"yours": row.detach().double(), "right": -a * (c * r.abs()).log1p()}
        if not agree(names["yours"], names["right"]):
            failed.append(names)
    module = drawn(cls)
    stale = torch.equal(module.bias(4, 4, 0), fill(module, 0.7).bias(4, 4, 0))
    yield stale, "the parameters have changed, and `bias` still returns the same", STALE
    for names in failed:
        yours, right = names["yours"], names["right"]
        head, k = next(index for index in np.ndindex(*right.shape) if not agree(yours[index], right[index]))
        told = f"{names['call']}: head {head}, offset {names['r'][k]:.0f}: yours {yours[head, k]:.4g}, with the "
        told += f"module's a and c the formula gives {right[head, k]:.4g}"
        formulas = ((one, cause) for several, cause in messages(wrong) for one in several.split(" | "))
        causes = (cause for one, cause in formulas if all(agree(each["yours"], eval(one, each)) for each in failed))
        yield True, told.replace("-", "−").replace("inf", "∞"), next(causes, "")
    module = drawn(cls)
    reached = all(gradients(module, module.bias(4, 4, 0)))
    yield not reached, "the numbers are right, but from `bias` no gradient reaches some parameter", DETACHED
    held = []
    for n in (4, 5, 6, 7, 8):
        yield module.bias(n, n, 0).shape != (HEADS, 2 * n - 1), f"a text of {n} tokens gets an earlier row", STALE
        held.append(sum(t.numel() for t in tensors(vars(module))))
    yield held[-1] > held[0], f"after four longer texts the module holds {held[-1] - held[0]} numbers more", GROWS
    for dtype in (torch.float64, torch.float32):
        found = cls(HEADS).to(dtype).bias(4, 4, 0).dtype
        yield found != dtype, f"in a layer of {dtype} `bias` is {found}", DTYPE
    made = {str(p.dtype) for p in cls(HEADS).parameters()} - {"torch.float32"}
    yield made, f"a parameter is {', '.join(made)}", "Make it in float32. NumPy's float64 does not fit into a model."
    try:
        there = cls(HEADS).to("meta").bias(4, 4, 0).device.type  # it has no numbers, and checks where tensors are
    except (RuntimeError, NotImplementedError) as error:
        there = str(error).splitlines()[0][:90]
    yield there != "meta", f"on another device `bias` fails: {there}", DEVICE
    definition = own_scheme.with_bias(lambda m, head, r: -m.a[head] * (1 + m.c[head] * abs(r)).log())
    agreement = own_scheme.agrees(lambda n_heads, d_head: cls(n_heads), definition)
    yield not agreement.passed, f"in a layer, first with {agreement.trial}: {agreement.place}", agreement.cause


def not_learned(module: nn.Module) -> str:
    """Why an optimizer sees no number: what the module keeps in place of an `nn.Parameter`."""
    frozen = {name: p for name, p in module.named_parameters() if not p.requires_grad}
    for name, value in {**vars(module), **dict(module.named_buffers()), **frozen}.items():
        if name not in vars(nn.Module()) and list(tensors(value)):
            kind = "frozen" if name in frozen else describe_type(value)
            return f"`self.{name}` is {kind}, so no optimizer changes it. {KEEP}"
    return DETACHED if list(module.parameters()) else "The module has no `nn.Parameter(…)`."


def drawn(cls: type, heads: int = HEADS) -> Any:
    """A module in float64 with random parameters, the same in every check."""
    module = cls(heads).double()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(heads)
        own_scheme.randomise(module)
    return module


def fill(module: Any, value: float) -> Any:
    """The module with this number in all of its parameters."""
    for parameter in module.parameters():
        nn.init.constant_(parameter, value)
    return module


def gradients(module: nn.Module, of: Tensor) -> list[bool]:
    """For each row of each parameter, whether the sum of a tensor has a gradient there."""
    module.zero_grad()
    if of.requires_grad:
        of.sum().backward()
    rows = [[False] if p.grad is None else p.grad.any(-1).ravel().tolist() for p in module.parameters()]
    return [row for parameter in rows for row in parameter]


def agree(a: Tensor, b: Tensor) -> bool:
    """Equal as far as float32 can tell."""
    return torch.allclose(a, b.expand_as(a).to(a), rtol=1e-4, atol=1e-4, equal_nan=True)


def tensors(held: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries."""
    if isinstance(held, Tensor):
        yield held
    for value in held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else ():
        yield from tensors(value)
