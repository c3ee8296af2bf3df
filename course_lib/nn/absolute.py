"""A vector per absolute position, added to the input before the first layer."""

import torch
from torch import Tensor, nn

from ..checks import check_whole
from ..reference.absolute import check_base, check_length, check_pairs
from .places import angles, check_from_0, check_positions, counted


class Sinusoidal(nn.Module):
    """x_p + P[p], P[p, 2m] = sin(p · base^(−2m/d)), P[p, 2m + 1] = cos(p · base^(−2m/d)): nothing learned, no end.

    Raises ValueError for odd d_model. Source: Vaswani et al. 2017, sections 3.4 and 3.5.
    """

    def __init__(self, d_model: int, *, base: float = 10000.0) -> None:
        super().__init__()
        self.d_model, self.base = check_pairs("d_model", d_model), base

    def forward(self, x: Tensor, past: int = 0, *, positions: Tensor | None = None) -> Tensor:
        """x (batch, n, d_model), whose first token is at position `past`, with its positions added.

        positions (n,) or (batch, n), whole numbers: where each token is, in place of `past`. Raises ValueError for
        positions that are not whole.
        """
        _check_input(x, self.d_model)
        positions = counted(past, x) if positions is None else check_positions("positions", positions, x)
        return x + sinusoidal(positions, self.d_model, base=self.base, dtype=x.dtype)


class Learned(nn.Module):
    """x_p + table[p], a learned vector per position: `table` (max_length, d_model).

    Raises ValueError past its length and below 0, where no vector was ever trained. Source: Gehring et al. 2017,
    section 3.1.
    """

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(check_whole("max_length", max_length), check_whole("d_model", d_model)))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, x: Tensor, past: int = 0, *, positions: Tensor | None = None) -> Tensor:
        """x (batch, n, d_model), whose first token is at position `past`, with its positions added.

        positions (n,) or (batch, n), whole numbers: where each token is, in place of `past`.
        """
        _check_input(x, self.table.shape[-1])
        if positions is None:
            end = check_whole("past", past, 0) + x.shape[-2]
            check_length(end, len(self.table))
            return x + self.table[past:end]
        positions = check_positions("positions", positions, x)
        check_from_0(positions, "a learned table")
        check_length(int(positions.max()) + 1, len(self.table))
        return x + self.table[positions]


def frequencies(d: int, base: float) -> Tensor:
    """base^(−2m/d) for m = 0 … d/2 − 1, in float64. Raises ValueError for odd d and a base not above 0."""
    return check_base(base) ** (-torch.arange(0, check_pairs("d", d), 2, dtype=torch.float64) / d)


def sinusoidal(positions: Tensor, d: int, *, base: float = 10000.0, dtype: torch.dtype | None = None) -> Tensor:
    """P of `Sinusoidal` for positions (…), whole numbers, negative ones too: (…, d) in `dtype`.

    Raises ValueError for odd d.
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    angle = angles(positions, frequencies(d, base))
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2).to(positions.device, dtype)


def _check_input(x: Tensor, d_model: int) -> None:
    """A ValueError for another width, which might broadcast, and for whole numbers, which would round the positions."""
    if x.dim() < 2 or x.shape[-1] != d_model or not x.is_floating_point():
        raise ValueError(f"x {tuple(x.shape)} of {x.dtype}: expected (batch, n, {d_model}), floating-point numbers")
