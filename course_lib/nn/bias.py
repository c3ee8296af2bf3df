"""The fixed decays of `reference.bias` as a module: nothing to learn, nothing to store but a number per head."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ..reference.bias import DECAYS, check_decay
from .grid import row_offsets
from .position import Position

_DECAYS: dict[str, Callable[[Tensor], Tensor]] = {
    "log": torch.log1p,
    "linear": lambda d: d,
    "square root": torch.sqrt,
    "quadratic": torch.square,
}
assert _DECAYS.keys() == DECAYS.keys()


class DecayBias(Position):
    """b(r) = −scale · decay(|r|) per offset r = j − i, one scale for all heads or one each.

    scale: a number, or a sequence of n_heads numbers. `forward_scale`, of the same kind, is for keys after the
    query (r > 0); the same as `scale` by default. Raises ValueError for an unknown decay or a scale that is
    negative or not finite. Source: with decay "log" it is the logarithmic kind of KERPLE (Chi et al. 2022) with
    r₂ = 1 and a fixed r₁ = scale; with decay "linear" it is ALiBi's form.
    """

    def __init__(
        self,
        scale: float | Sequence[float] = 0.3,
        decay: str = "log",
        forward_scale: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        self.decay, self.scales = decay, _numbers(scale)
        self.forward_scales = self.scales if forward_scale is None else _numbers(forward_scale)
        for past_scale in self.scales:
            check_decay(decay, scale=past_scale)
        for future_scale in self.forward_scales:
            check_decay(decay, forward_scale=future_scale)
        # Holds nothing: it says where and in what precision the layer lives. The scales themselves stay exact.
        self.register_buffer("like", torch.empty(0), persistent=False)

    like: Tensor

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        r = row_offsets(n_q, n_k, past, self.like.device)
        dtype = torch.promote_types(self.like.dtype, torch.float32)  # bfloat16 has no 257
        before, after = (
            torch.tensor(s, dtype=dtype, device=r.device)[:, None] for s in (self.scales, self.forward_scales)
        )
        return (-torch.where(r > 0, after, before) * _DECAYS[self.decay](r.abs().to(dtype))).to(self.like.dtype)


def _numbers(scale: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(scale) if isinstance(scale, Sequence) else (scale,)
