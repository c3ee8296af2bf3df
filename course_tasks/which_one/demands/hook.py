"""The hook `bias`: a row of the formula that passes gradients, works on any device, and is right in a layer."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from course_lib import own_scheme
from course_lib.checking.arrays import describe_type
from course_lib.checking.attempt import attempt
from course_lib.checking.matching import matching
from course_lib.nn.position import Position

from ...hook_cases import case
from ..class_task import Broken, OfTheClass, said_again
from .formula import LOG_KERNEL, WRONG, numbers
from .probes import HEADS, drawn, gradients, tensors


def answers_a_row(cls: type) -> Broken | None:
    if cls.bias is Position.bias:  # type: ignore[attr-defined]
        return Broken(f"`{cls.__name__}` has no `bias` of its own", "The layer calls the hook of this name.")
    for heads, n_q, n_k, past in [(HEADS, 5, 5, 0), (2, 2, 6, 3), (1, 1, 4, 3)]:
        call = f"`bias({n_q}, {n_k}, {past})`"
        try:
            found = cls(heads).bias(n_q, n_k, past)
        except Exception:  # the next demand shows it, with its line
            return None
        if not isinstance(found, Tensor):
            told = "nothing (None): is there a `return`?" if found is None else describe_type(found)
            return Broken(f"{call} returned {told}", "A hook returns a tensor.", "wrong type")
        expected = (heads, n_q + n_k - 1)
        if found.shape != expected:
            cause = {
                (
                    heads,
                    n_q,
                    n_k,
                ): "This is the matrix. A hook gives one number per *offset*, and the layer puts them on the diagonals.",
                expected[::-1]: "The axis of heads comes first.",
                (1, expected[1]): "You return one row for all heads. Each head has its own.",
                (1, *expected): "You return one axis too many. There is a row for each head, and no batch.",
                (heads, 1, expected[1]): "You return one axis too many. There is a row for each head, and no axis of queries.",
            }.get(tuple(found.shape), "A hook returns one number for each head and offset. How many offsets are there?")
            return Broken(f"{call} has shape {tuple(found.shape)}, expected {expected}", cause, "wrong shape")
    return None


def follows_the_formula(cls: type) -> Broken | None:
    """The bias of the module's own a and c."""
    modules = [drawn(cls, heads, seed) for seed, heads in enumerate((1, 2, 3, 12))]
    sizes = [(5, 5, 0), (5, 5, 0), (1, 6, 5), (2, 6, 3)]
    cases = [case(numbers(m.a.tolist(), m.c.tolist()), *s, label="") for m, s in zip(modules, sizes, strict=True)]
    left = iter(modules)
    spec = replace(LOG_KERNEL, cases=cases)
    tried = attempt(spec, OfTheClass(lambda numbers, *sizes: next(left).bias(*sizes), cls))
    if tried.first is None:
        return None
    outcome, difference, one = tried.run.outcomes[tried.first], tried.differences[tried.first], cases[tried.first]
    assert difference is not None
    known = " ".join(matching(tried, WRONG.written))
    if outcome.value:
        n_q, n_k, past = one.args[1:]
        heads = len(one.args[0].given["a"])
        fact = f"`bias({n_q}, {n_k}, {past})` with {heads} head{'s' * (heads > 1)}: {difference.facts[0]}"
        return Broken(fact, known or "With the a and c of the module, the bias is −a · log(1 + c · |r|).", difference.status)
    told = outcome.error or f"`bias` returned {outcome.unusable}"
    return Broken(told, known or said_again(told), "raised" if outcome.error else "wrong type", outcome.line)


def passes_gradients(cls: type) -> Broken | None:
    module = drawn(cls)
    for name, parameter in module.named_parameters():
        (gradient,) = gradients(module.bias(4, 4, 0), [parameter])
        if not gradient.any(dim=-1).all():
            cause = "The numbers are right, but the gradient stops inside `bias`. `.detach()`, `.data`, `.item()`, `.tolist()`, `math.log`, `no_grad` and `torch.tensor(…)` of a tensor all stop it."
            return Broken(f"from `bias`, no gradient reaches some of `{name}`", cause)
    return None


def keeps_nothing(cls: type) -> Broken | None:
    """Longer texts leave nothing behind in the module, and each row is computed again."""
    module, held = drawn(cls), []
    for n in (4, 5, 6, 7, 8):
        found = module.bias(n, n, 0)
        held.append(sum(t.numel() for t in tensors(vars(module))))
        if found.shape != (HEADS, 2 * n - 1):
            fact = f"`bias({n}, {n}, 0)` after a shorter text has shape {tuple(found.shape)}, expected {(HEADS, 2 * n - 1)}"
            return Broken(fact, f"The numbers in {kept(module)} are those of the first call. Compute the offsets in each call.")
    if held[-1] > held[0]:
        fact = f"after four longer texts the module holds {held[-1] - held[0]} numbers more"
        return Broken(
            fact, f"{kept(module)} keeps tensors for every length it has seen, and never frees them."
        )
    return None


def kept(module: Any) -> str:
    """The attributes in which a module holds tensors that are no parameters, in words."""
    own = {name: value for name, value in vars(module).items() if name not in vars(nn.Module())}
    names = [name for name, value in own.items() if any(True for _ in tensors(value))]
    return " and ".join(f"`self.{name}`" for name in [*names, *dict(module.named_buffers())]) or "the module"


def moves(cls: type) -> Broken | None:
    """To another precision, and to another device: torch's "meta" has no numbers and checks where tensors are."""
    for name, parameter in cls(HEADS).named_parameters():
        if parameter.dtype != torch.float32:
            cause = "Parameters are made in float32, which is torch's default. NumPy's float64 does not fit into such a model."
            return Broken(f"`{name}` is {dtype_name(parameter.dtype)}", cause)
    for dtype in (torch.float64, torch.float32):
        found = cls(HEADS).to(dtype).bias(4, 4, 0).dtype
        if found != dtype:
            cause = "The bias should have the precision of the parameters. Do not use `.float()`, `.double()` or a dtype of your own."
            return Broken(f"in a layer of {dtype_name(dtype)} `bias` is {dtype_name(found)}", cause)
    cause = "Some tensor is always made on the CPU. `row_offsets(n_q, n_k, past, device)` takes a device, and a parameter has a `.device`."
    try:
        module = cls(HEADS).to("meta")
        there = module.bias(4, 4, 0).device.type
    except (RuntimeError, NotImplementedError) as error:
        return Broken(f"on another device `bias` fails: {str(error).splitlines()[0][:90]}", cause)
    return None if there == "meta" else Broken(f"on another device `bias` is on the {there}", cause)


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def agrees_in_a_layer(cls: type) -> Broken | None:
    def number(module: Any, head: int, r: int) -> float:
        return -module.a[head] * (1 + module.c[head] * abs(r)).log()

    try:
        found = own_scheme.agrees(lambda n_heads, d_head: cls(n_heads), own_scheme.with_bias(number))
    except Exception as error:
        error.args = ("; ".join([str(error), *getattr(error, "__notes__", [])]),)
        raise
    return (
        None
        if found.passed
        else Broken(f"in a layer, first with {found.trial}: {found.place}", found.cause, "wrong values")
    )
