"""What the capstone's class must be, demand by demand: the first that is broken is told. This imports torch."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_kit.checking.arrays import NOTHING, close, describe_type, same
from course_kit.checking.axes import Axis
from course_kit.checking.relations import FINISHES, Pair, common
from course_lib import own_scheme
from course_lib.nn.grid import row_offsets
from course_lib.nn.position import Position

Demand = tuple[Any, str, str]  # whether it is broken, the fact, the cause
HEADS, NUMBERS = 3, (-1.0, -5.0, -20.0, 0.0, 3.0, 20.0)  # in all parameters
READ = "It is read without parentheses and computed each time, so make it a `@property`."
OWN = "Each head has its own number."
WRITES = "Reading a property must not write, not even under `no_grad`. Otherwise it undoes the work of the optimizer."
STALE = "Something computed in `__init__` or in an earlier call is kept, and does not learn. Compute it in each call."
FEW = "Each head learns an a and a c. Does one number serve several heads, or both a and c?"
MANY = "Each head learns an a and a c, and nothing else. Is there a parameter that is never read?"
BELOW = (
    "An optimizer can move a parameter below 0. Learn one of which the number is a positive function, such as `exp`."
)
STOPS = (
    "The gradient is 0 there, so the number cannot leave that value. `clamp`, `relu` and `abs` at 0 have this effect."
)
UPPER = "The number has an upper limit, as a sigmoid has. It must be able to reach any number above 0."
LOWER = "The number has a lower limit, as 1 + e^x has. It must be able to reach any number above 0."
DETACHED = "`.detach()`, `.data`, `.item()`, `no_grad`, `math` and `torch.tensor(…)` of a tensor all stop the gradient."
DTYPE = "The bias must have the precision of the parameters. Do not use `.float()`, `.double()` or a dtype of your own."
DEVICE = (
    "Some tensor is made on the CPU. `row_offsets(n_q, n_k, past, device)` takes a device; a parameter has `.device`."
)
SHAPES = {  # of bias(5, 5, 0) with 3 heads
    (3, 5, 5): "This is the matrix. A hook gives one number per *offset*, and the layer puts them on the diagonals.",
    (9, 3): "The axis of heads comes first.",
    (1, 9): "You return one row for all heads. Each head has its own.",
}
OTHER_SHAPE = "A hook returns one row for each head, with a number for each of the n_q + n_k − 1 offsets."


def first_broken(cls: type, wrong: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    """The fact and the cause of the first broken demand; `wrong` are formulas, each with its cause."""
    asked = (demand for demands in (numbers(cls), positive(cls), hook(cls, wrong)) for demand in demands)
    return next(((fact, cause) for broken, fact, cause in asked if broken), None)


def numbers(cls: Any) -> Iterator[Demand]:
    """a and c: tensors with a number per head that begin at 1, learn, and are read without being written."""
    name = f"`{cls.__name__}`"
    yield not issubclass(cls, Position), f"{name} is not a `Position`", "The layer calls hooks of a `Position`."
    for heads, name in ((HEADS, "a"), (HEADS, "c"), (1, "a"), (1, "c")):
        value = getattr(cls(heads), name)
        told = f"`{name}` is {NOTHING if value is None else describe_type(value)}"
        yield callable(value), told, READ
        yield not isinstance(value, Tensor), told, f"`{name}` is a tensor with a number for each head."
        told = f"with {heads} heads `{name}` has shape {tuple(value.shape)}, expected ({heads},)"
        yield value.shape != (heads,), told, "Each head has one number, and no other axis." if heads == 1 else OWN
    for name in ("a", "c"):
        module = cls(HEADS)
        start = getattr(module, name)
        for x in (-20.0, 20.0, 0.7):
            now = getattr(fill(module, x), name)
            written = any((p != x).any() for p in module.parameters())
            yield written, f"reading `{name}` changes the parameters", WRITES
        module = drawn(cls)
        learns = any(g.any() for g in gradients(module, getattr(module, name)))
        yield not learns, f"nothing is learned for `{name}`", not_learned(module)
        yield torch.equal(now, start), f"the parameters have changed, and `{name}` is still what it was", STALE
        euler = math.isclose(start[0], math.e, rel_tol=1e-4)
        told, one = f"`{name}` is {start[0]:.4g} at the start, expected 1", torch.ones_like(start)
        wrong = not torch.allclose(start, one, atol=1e-5)
        yield wrong, told, "e¹ is not 1. Begin the parameter at 0." if euler else "Both a and c begin at 1."
    number = sum(p.numel() for p in module.parameters())
    yield number != 2 * HEADS, f"with {HEADS} heads {number} numbers are learned", FEW if number < 2 * HEADS else MANY


def positive(cls: Any) -> Iterator[Demand]:
    """For every value of the parameters a and c are above 0, can be large and small, and go on learning."""
    for name in ("a", "c"):
        found = {x: (module := fill(cls(HEADS).double(), x), getattr(module, name)) for x in (-2e3, *NUMBERS, 2e3)}
        for x in NUMBERS:
            value = found[x][1]
            told = f"`{name}` is {value[0]:.4g} when the parameters are {x:g}".replace("-", "−")
            yield not (value.isfinite() & (value >= 0)).all(), told, BELOW
        lowest, highest = (float(f(found[x][1][0] for x in found)) for f in (min, max))
        yield highest < 10, f"`{name}` is at most {highest:g}, whatever the parameters", UPPER
        for x in NUMBERS:
            (module, value), there = found[x], f"when the parameters are {x:g}".replace("-", "−")
            yield not any(g.any() for g in gradients(module, value)), f"`{name}` stops learning {there}", STOPS
            yield (value == 0).any(), f"`{name}` is 0 {there}", "The number must be above 0."
        yield lowest >= 1e-3, f"`{name}` is at least {lowest:g}, whatever the parameters", LOWER
    module = drawn(cls)
    both = "Is there one parameter for both, or do you read a wrong row?"
    yield torch.allclose(module.a, module.c), "`a` and `c` are always equal", both
    alike = min(len(set(module.a.tolist())), len(set(module.c.tolist()))) < HEADS
    yield alike, "several heads have the same number, whatever is learned", OWN


def hook(cls: Any, wrong: Sequence[Sequence[str]]) -> Iterator[Demand]:
    """`bias`: a row of the formula, from the current numbers, that learns, moves to a device, and serves a layer."""
    name = f"`{cls.__name__}`"
    yield cls.bias is Position.bias, f"{name} has no `bias` of its own", "The layer calls the hook of this name."
    failed: list[tuple[dict[str, Any], Pair]] = []
    for heads, *sizes in ((HEADS, 5, 5, 0), (1, 6, 6, 0), (2, 1, 6, 5), (12, 2, 6, 3), (2, 4, 3, 1)):
        (n_q, n_k, past), module = sizes, drawn(cls, heads)
        row, call = module.bias(n_q, n_k, past), f"`bias({n_q}, {n_k}, {past})`"
        told = f"{call} returned {NOTHING if row is None else describe_type(row)}"
        yield not isinstance(row, Tensor), told, "A hook returns a torch tensor."
        shape, wanted = tuple(row.shape), (heads, n_q + n_k - 1)
        yield shape != wanted, f"{call} has shape {shape}, expected {wanted}", SHAPES.get(shape, OTHER_SHAPE)
        r, a, c = row_offsets(n_q, n_k, past).double(), module.a.detach()[:, None], module.c.detach()[:, None]
        names = {"a": a, "c": c, "r": r, "d": r.abs(), "unpast": row_offsets(n_q, n_k, 0).abs(), "inf": math.inf}
        names |= {"swapped": row_offsets(n_k, n_q, past).abs(), "call": call}
        right = -a * (c * r.abs()).log1p()
        pair = Pair(row.detach().double().numpy(), right.numpy(), [Axis("head"), Axis("offset")])
        if not same(pair.yours, pair.expected):
            failed.append((names, pair))
    module = drawn(cls)
    stale = torch.equal(module.bias(4, 4, 0), fill(module, 0.7).bias(4, 4, 0))
    yield stale, "the parameters have changed, and `bias` still returns the same", STALE
    if failed:
        names, pair = failed[0]
        head, k = np.argwhere(~close(pair.yours, pair.expected))[0]
        told = f"{names['call']}: head {head}, offset {names['r'][k]:.0f}: yours {pair.yours[head, k]:.4g}, with the "
        told += f"module's a and c the formula gives {pair.expected[head, k]:.4g}"
        told = told.replace("-", "−").replace("inf", "∞")
        formulas = ((one, cause) for several, cause in wrong for one in several.split(" | "))
        causes = (cause for f, cause in formulas if all(same(p.yours, eval(f, names).numpy()) for names, p in failed))
        yield True, told, next(causes, "") or common(FINISHES, [pair for _, pair in failed])
    module = drawn(cls)
    learns = all(g.any(-1).all() for g in gradients(module, module.bias(4, 4, 0)))
    yield not learns, "the numbers are right, but from `bias` no gradient reaches some parameter", DETACHED
    held = []
    for n in (4, 5, 6, 7, 8):
        yield module.bias(n, n, 0).shape != (HEADS, 2 * n - 1), f"a text of {n} tokens gets an earlier row", STALE
        held.append(sum(t.numel() for t in tensors(vars(module))))
    grown = f"after four longer texts the module holds {held[-1] - held[0]} numbers more"
    yield held[-1] > held[0], grown, "It keeps tensors for every length it has seen, and never frees them."
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
    own = {name: value for name, value in vars(module).items() if name not in vars(nn.Module())}
    kept = {name: value for name, value in own.items() if any(True for _ in tensors(value))}
    for name, value in kept.items():
        if any(tensor.grad_fn for tensor in tensors(value)):
            return f"`self.{name}` was computed once, in `__init__`. Compute it in the property, so that it learns."
    kinds = {name: "a plain tensor" if isinstance(value, Tensor) else "a Python list" for name, value in kept.items()}
    kinds |= {name: "a buffer" for name, _ in module.named_buffers()}
    kinds |= {name: "a frozen parameter" for name, p in module.named_parameters() if not p.requires_grad}
    for name, kind in kinds.items():
        return f"`self.{name}` is {kind}, so no optimizer changes it. Keep it as an `nn.Parameter(…)`."
    return DETACHED if any(True for _ in module.parameters()) else "The module has no `nn.Parameter(…)`."


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


def gradients(module: nn.Module, of: Tensor) -> list[Tensor]:
    """The gradient of the sum for each parameter, zero where there is no way to it."""
    parameters = [p if p.requires_grad else p.clone().requires_grad_() for p in module.parameters()]
    if not of.requires_grad or not parameters:
        return [torch.zeros_like(p) for p in parameters]
    found = torch.autograd.grad(of.sum(), parameters, allow_unused=True, retain_graph=True)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(parameters, found, strict=True)]


def tensors(held: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries."""
    if isinstance(held, Tensor):
        yield held
    for value in held.values() if isinstance(held, dict) else held if isinstance(held, (list, tuple)) else ():
        yield from tensors(value)
