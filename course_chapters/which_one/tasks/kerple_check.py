"""What the capstone's class must be, demand by demand: if it is broken, the fact, the cause. This imports torch."""

from collections.abc import Iterator
from math import inf
from typing import Any

import torch
from torch import Tensor, nn

from course_kit.checking.arrays import NOTHING, describe_type, shaped
from course_kit.checking.lines import messages
from course_lib.definition import randomise
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position
from course_study import own_scheme

from .kerple_messages import DEVICE, FORMULAS

HEADS = 3
TEXTS = (HEADS, 5, 5, 0), (1, 6, 6, 0), (2, 1, 6, 5), (12, 2, 6, 3), (2, 4, 3, 1)  # heads, n_q, n_k and past
Text = tuple[str, dict[str, Any], Tensor]  # the call, what a formula is computed from, and the learner's bias
PROPERTY = "It should be a `@property`, read without parentheses, that returns a tensor with one number for each head."
WRITES = "Reading a property must not write, not even under `no_grad`. Otherwise it undoes the work of the optimizer."
STALE = "Is something kept from `__init__` or an earlier call, or are the parameters not read?"
BEGIN = "Both a and c begin at 1. If the number is e to the power of a parameter, the parameter begins at 0."
COUNT = "Each head learns an a and a c, and nothing else. Does one number serve several, or is one never read?"
POSITIVE = "Learn a parameter of which it is a positive function, such as `exp`, which can reach any number above 0."
STOPS = "The gradient is 0 there, so the number stays. `clamp`, `relu` and `abs` at 0 have this effect."
OWN = "Each head has its own a and its own c. Is there one parameter for several, or do you read a wrong row?"
SHAPE = "A hook returns a row for each head, with a number for each *offset*. The layer puts them on the diagonals."
DETACHED = "`.detach()`, `.data`, `.item()`, `no_grad`, `math` and `torch.tensor(…)` of a tensor all stop the gradient."
GROWS = "What it keeps grows with the texts that it has seen. Keep only what is learned."
DTYPE = "The bias must have the precision of the parameters. Do not use `.float()`, `.double()` or a dtype of your own."


def numbers(cls: Any) -> Iterator[tuple[Any, str, str]]:
    """a and c: tensors with a positive number per head that begin at 1, learn, and are read without being written."""
    yield not issubclass(cls, Position), "the class is not a `Position`", "The layer calls hooks of a `Position`."
    for heads, name in ((HEADS, "a"), (HEADS, "c"), (1, "a"), (1, "c")):
        value = getattr(cls(heads), name)
        told = NOTHING if value is None else shaped(value) or describe_type(value)
        fits = isinstance(value, Tensor) and value.shape == (heads,)
        yield not fits, f"with {heads} heads `{name}` is {told}", PROPERTY
    for name in "ac":
        getattr(low := fill(cls(HEADS), -20.0), name)
        yield any((p != -20).any() for p in low.parameters()), f"reading `{name}` changes the parameters", WRITES
        module = drawn(cls)
        start, value = getattr(cls(HEADS), name), getattr(module, name)
        yield not any(gradients(module, value)), f"nothing is learned for `{name}`", not_learned(module)
        same, one = (torch.allclose(start, other.to(start)) for other in (value, torch.ones(HEADS)))
        yield same, f"the parameters have changed, and `{name}` is still what it was", STALE
        yield not one, f"`{name}` is {start[0]:.4g} at the start, expected 1", BEGIN
    n = sum(p.numel() for p in module.parameters())
    yield n != 2 * HEADS, f"with {HEADS} heads {n} numbers are learned", COUNT
    for name in "ac":  # above 0 for every value of the parameters, large or small, and learned on
        modules = {x: fill(cls(HEADS).double(), x) for x in (-2e3, 2e3, -20, -5, -1, 0, 3, 20)}
        found = {x: getattr(module, name) for x, module in modules.items()}
        low, high = (f(float(value[0]) for value in found.values()) for f in (min, max))
        for x, value in list(found.items())[2:]:
            there = f"when the parameters are {x}"
            yield not (value > 0).all(), f"`{name}` is {value[0]:.4g} {there}", POSITIVE
            yield high > 10 and not any(gradients(modules[x], value)), f"`{name}` stops learning {there}", STOPS
        yield high < 10 or low >= 1e-3, f"`{name}` always stays between {low:g} and {high:g}", POSITIVE
    yield len({*module.a.tolist(), *module.c.tolist()}) < 2 * HEADS, "some numbers are equal, whatever is learned", OWN


def hook(cls: Any) -> Iterator[tuple[Any, str, str]]:
    """`bias`: a row of the formula, from the current numbers, that learns, moves to a device, and serves a layer."""
    yield cls.bias is Position.bias, "the class has no `bias` of its own", "The layer calls the hook of this name."
    texts: list[Text] = []
    for heads, n_q, n_k, past in TEXTS:
        module, call = drawn(cls, heads), f"`bias({n_q}, {n_k}, {past})`"
        row = module.bias(n_q, n_k, past)
        told = NOTHING if row is None else describe_type(row)
        yield not isinstance(row, Tensor), f"{call} returned {told}", "A hook returns a torch tensor."
        wanted = (heads, n_q + n_k - 1)
        yield row.shape != wanted, f"{call} has shape {tuple(row.shape)}, expected {wanted}", SHAPE
        r, a, c = row_offsets(n_q, n_k, past).double(), module.a.detach()[:, None], module.c.detach()[:, None]
        names = {"a": a, "c": c, "d": r.abs(), "r": r, "past": past, "inf": inf}
        texts.append((call, names, row.detach().double()))
    module = drawn(cls)
    stale = torch.equal(module.bias(4, 4, 0), fill(module, 0.7).bias(4, 4, 0))
    yield stale, "the parameters have changed, and `bias` still returns the same", STALE
    for call, names, yours in texts:
        right = -names["a"] * (names["c"] * names["d"]).log1p()
        for head, k in differs(yours, right).nonzero().tolist():
            told = f"{call}: head {head}, offset {names['r'][k]:.0f}: yours {yours[head, k]:.4g}, with the "
            told += f"module's a and c the formula gives {right[head, k]:.4g}"
            yield True, told, cause_of(texts)
    yield not all(gradients(module, module.bias(4, 4, 0))), "right, but some parameter gets no gradient", DETACHED
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
    device = cls(HEADS).to("meta").bias(4, 4, 0).device  # no numbers there, so a tensor from the CPU does not fit
    yield device.type != "meta", f"in a layer on another device `bias` is on the {device}", DEVICE
    definition = own_scheme.with_bias(lambda m, head, r: -m.a[head] * (1 + m.c[head] * abs(r)).log())
    agreement = own_scheme.agrees(lambda n_heads, d_head: cls(n_heads), definition)
    yield not agreement.passed, f"in a layer, first with {agreement.trial}: {agreement.place}", agreement.cause


def cause_of(texts: list[Text]) -> str:
    """The message of the first wrong formula that gives the biases of all texts, or ""."""
    for _, formula, message in messages(FORMULAS):
        if not any(differs(yours, eval(formula, {}, names)).any() for _, names, yours in texts):
            return message
    return ""


def not_learned(module: nn.Module) -> str:
    """Why an optimizer sees no number: what the module keeps in place of an `nn.Parameter`."""
    frozen = {name: p for name, p in module.named_parameters() if not p.requires_grad}
    for name, value in {**vars(module), **dict(module.named_buffers()), **frozen}.items():
        if name not in vars(nn.Module()) and list(tensors(value)):
            kind = "frozen" if name in frozen else describe_type(value)
            return f"`self.{name}` is {kind}, so no optimizer changes it. Make an `nn.Parameter(…)` of what is learned."
    return DETACHED if list(module.parameters()) else "The module has no `nn.Parameter(…)`."


def drawn(cls: type, heads: int = HEADS) -> Any:
    """A module in float64 with random parameters, the same in every check."""
    module = cls(heads).double()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(heads)
        randomise(module)
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
    return [bool(row) for p in module.parameters() for row in ([0] if p.grad is None else p.grad.any(-1).ravel())]


def differs(yours: Tensor, formula: Tensor) -> Tensor:
    """Where they differ, as far as float32 can tell."""
    return ~torch.isclose(yours, formula.expand_as(yours).to(yours), rtol=1e-4, atol=1e-4, equal_nan=True)


def tensors(held: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries."""
    if isinstance(held, Tensor):
        yield held
    for value in held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else ():
        yield from tensors(value)
