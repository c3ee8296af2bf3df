"""What the demands share: modules with given parameters, and what hangs on them."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

HEADS = 3


def drawn(cls: type, heads: int = HEADS, seed: int = 0) -> Any:
    """A module in float64 whose parameters are normal random numbers."""
    module, generator = cls(heads).double(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return module


def filled(module: Any, value: float) -> Any:
    """The module with this number in all of its parameters."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(value)
    return module


def gradients(of: Tensor, parameters: list[nn.Parameter]) -> list[Tensor]:
    """The gradient of the sum of `of` for each parameter; zeros where there is no way to it."""
    if not of.requires_grad:
        return [torch.zeros_like(p) for p in parameters]
    learned = [p for p in parameters if p.requires_grad]
    found = torch.autograd.grad(of.sum(), learned, allow_unused=True, retain_graph=True) if learned else ()
    by_id = {id(p): g for p, g in zip(learned, found, strict=True) if g is not None}
    return [by_id.get(id(p), torch.zeros_like(p)) for p in parameters]


def tensors(held: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries."""
    if isinstance(held, Tensor):
        yield held
    elif isinstance(held, dict):
        for value in held.values():
            yield from tensors(value)
    elif isinstance(held, (list, tuple)):
        for value in held:
            yield from tensors(value)


def asked(module: Any, *sizes: int) -> Tensor | None:
    """The bias, or None where there is none yet: another demand says so."""
    try:
        found = module.bias(*sizes)
    except Exception:
        return None
    return found.detach().clone() if isinstance(found, Tensor) else None
