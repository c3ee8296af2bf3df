"""A vector per absolute position, added to the input before the first layer."""

import torch
from torch import Tensor, nn

from ..reference.absolute import check_length, check_pairs
from ..reference.grid import check_whole


class Sinusoidal(nn.Module):
    """x_p + P[p], P[p, 2m] = sin(p · base^(−2m/d)), P[p, 2m + 1] = cos(p · base^(−2m/d)): nothing learned, no end.

    Raises ValueError for odd d_model. Source: Vaswani et al. 2017, sections 3.4 and 3.5.
    """

    def __init__(self, d_model: int, *, base: float = 10000.0) -> None:
        super().__init__()
        self.d_model, self.base = check_pairs("d_model", d_model), base

    def forward(self, x: Tensor, past: int = 0) -> Tensor:
        """x (batch, n, d_model), whose first token is at position `past`, with its positions added."""
        positions = past + torch.arange(x.shape[-2], device=x.device)
        return x + sinusoidal(positions, self.d_model, base=self.base, dtype=x.dtype)


class Learned(nn.Module):
    """x_p + table[p], a learned vector per position: `table` (max_length, d_model).

    Raises ValueError past its length, where no vector was ever trained. Source: Gehring et al. 2017, section 3.1.
    """

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(check_whole("max_length", max_length), check_whole("d_model", d_model)))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, past: int = 0) -> Tensor:
        """x (batch, n, d_model), whose first token is at position `past`, with its positions added."""
        end = past + x.shape[-2]
        check_length(end, len(self.table))
        return x + self.table[past:end]


def frequencies(d: int, base: float, like: Tensor) -> Tensor:
    """base^(−2m/d) for m = 0 … d/2 − 1, in float32 or better: bfloat16 cannot tell position 257 from 256."""
    dtype = torch.promote_types(like.dtype, torch.float32)
    return base ** (-torch.arange(0, d, 2, device=like.device, dtype=dtype) / d)


def sinusoidal(positions: Tensor, d: int, *, base: float = 10000.0, dtype: torch.dtype | None = None) -> Tensor:
    """P of `Sinusoidal` for positions (…), whole numbers, negative ones too: (…, d) in `dtype`.

    Raises ValueError for odd d.
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    theta = frequencies(check_pairs("d", d), base, torch.empty((), dtype=dtype, device=positions.device))
    angle = positions[..., None] * theta
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2).to(dtype)
