"""What a contender is: made for one size, a function of q, k, v (batch, heads, n, d), and the tensors it learns."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

CLIP = 16  # of Shaw's vectors
WINDOW = 256  # keys that a sliding window shows, and no more than a quarter of the text


@dataclass(frozen=True)
class Size:
    """One size of problem, and the source of everything random in it."""

    n: int
    batch: int = 1
    heads: int = 8
    d: int = 64
    device: str = "cpu"
    dtype: torch.dtype = torch.float32

    def random(self, *shape: int, scale: float = 1.0) -> Tensor:
        return scale * torch.randn(*shape, device=self.device, dtype=self.dtype)

    def inputs(self) -> list[Tensor]:
        return [self.random(self.batch, self.heads, self.n, self.d).requires_grad_() for _ in range(3)]

    def leaf(self, *shape: int) -> Tensor:
        return self.random(*shape, scale=0.3).requires_grad_()


def window(size: Size) -> int:
    return min(WINDOW, size.n // 4)


@dataclass
class Contender:
    run: Callable[[Tensor, Tensor, Tensor], Tensor]
    learned: list[Tensor] = field(default_factory=list)


Make = Callable[[Size], Contender]
