"""The fixed decays of `reference.bias` as a module: nothing to learn, nothing to store but a number per head."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ..reference.bias import DECAYS, check_decay
from .grid import row_offsets
from .position import Position

CURVES: dict[str, Callable[[Tensor], Tensor]] = {
    "log": torch.log1p,
    "linear": lambda d: d,
}
assert CURVES.keys() == DECAYS.keys()


class DecayBias(Position):
    """b(r) = −strength · decay(|r|) per offset r = j − i, one strength for all heads or one each.

    strength: a number, or a sequence of n_heads numbers. Raises ValueError for an unknown decay or a strength that is
    negative or not finite. Source: with decay "log" it is the logarithmic kind of KERPLE (Chi et al. 2022) with
    r₂ = 1 and a fixed r₁ = strength; with decay "linear" it is ALiBi's form.
    """

    def __init__(self, strength: float | Sequence[float] = 0.3, decay: str = "log") -> None:
        super().__init__()
        self.decay, self.strengths = decay, tuple(strength) if isinstance(strength, Sequence) else (strength,)
        for one in self.strengths:
            check_decay(decay, strength=one)
        # Holds nothing: it says where and in what precision the layer lives. The strengths themselves stay exact.
        self.register_buffer("like", torch.empty(0), persistent=False)

    like: Tensor

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        r = row_offsets(n_q, n_k, past, self.like.device)
        dtype = torch.promote_types(self.like.dtype, torch.float32)  # bfloat16 has no 257
        strength = torch.tensor(self.strengths, dtype=dtype, device=r.device)[:, None]
        return (-strength * CURVES[self.decay](r.abs().to(dtype))).to(self.like.dtype)
