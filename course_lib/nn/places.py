"""Where tokens are in a text: counted from a first one on, or with a position of their own each."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from ..checks import check_whole

LONGEST = 2**24  # numbers in a row that a scheme is asked for


@dataclass(frozen=True)
class Places:
    """The positions of queries i (batch or 1, n_q) and of keys j (batch or 1, n_k), where tokens have their own."""

    i: Tensor
    j: Tensor

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """The n_q, n_k and past of the shortest row that holds every offset j − i."""
        back, ahead = self.i.max() - self.j.min(), self.j.max() - self.i.min()
        n_q, n_k = max(int(back), 0) + 1, max(int(ahead), 0) + 1
        check_span(n_q + n_k)
        return n_q, n_k, 0

    @cached_property
    def columns(self) -> Tensor:
        """Where in this row each query and key finds its offset, (batch or 1, n_q, n_k)."""
        return self.j[:, None, :] - self.i[:, :, None] + self.sizes[0] - 1


def places_of(q: Tensor, past: int, i: Tensor | None, k: Tensor, first_key: int, j: Tensor | None) -> Places | None:
    """Places of queries and keys from given positions (batch or 1, n, 1); those not given are counted.

    None if all are counted, from `past` and from `first_key` on.
    """
    if i is None and j is None:
        return None
    i, j = (
        counted(first, x)[None] if at is None else at[..., 0].to(x.device)
        for x, first, at in ((q, past, i), (k, first_key, j))
    )
    return Places(i, j)


def counted(past: int, x: Tensor) -> Tensor:
    """The positions past … past + n − 1 of the rows of x (…, n, d), or a ValueError unless `past` is whole."""
    past = check_whole("past", past, None)
    return torch.arange(past, past + x.shape[-2], device=x.device)


def check_positions(name: str, positions: Tensor, x: Tensor) -> Tensor:
    """Positions of the rows of x (…, n, d), (n,) or with every axis of (…, n), of which some may be 1.

    Raises ValueError for another shape and for what is not whole.
    """
    n, lead = x.shape[-2], x.shape[:-1]
    if not isinstance(positions, Tensor) or positions.is_floating_point() or positions.dtype == torch.bool:
        got = f" of {positions.dtype}" if isinstance(positions, Tensor) else f"={positions!r}"
        raise ValueError(f"{name}{got}: expected a tensor of whole numbers")
    fits = positions.dim() == len(lead) and all(m in (1, size) for m, size in zip(positions.shape, lead))
    if positions.shape[-1:] != (n,) or not (fits or positions.dim() == 1):
        raise ValueError(f"{name} {tuple(positions.shape)}: expected ({n},) or {tuple(lead)}")
    return positions.to(x.device, torch.int64)


def check_from_0(positions: Tensor, whose: str) -> None:
    """A ValueError for positions below 0, also of hidden tokens, where a scheme has no number for them."""
    if (positions < 0).any():
        raise ValueError(f"positions: {int(positions.min())}, expected 0 or more for {whose}, of hidden tokens, too")


def check_span(span: int) -> None:
    """A ValueError for positions so far apart that what lies between does not fit into memory."""
    if span > LONGEST:
        raise ValueError(f"positions: {span} of them from first to last, expected at most {LONGEST}")


def angles(positions: Tensor, speeds: Tensor) -> Tensor:
    """p · θ_m for positions (…) and speeds (pairs,): (…, pairs) in float64.

    In float32 an angle is off by 0.5 at position 10⁷, in bfloat16 from 257 on. Where the device of the positions has no
    float64 (MPS), a CPU computes the angles.
    """
    device = torch.device("cpu") if positions.device.type == "mps" else positions.device
    return positions.to(device)[..., None] * speeds.to(device, torch.float64)
