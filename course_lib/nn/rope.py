"""RoPE: queries and keys turned pair by pair by an angle that grows with position."""

import functools

import torch
from torch import Tensor

from ..reference.absolute import check_pairs
from .absolute import frequencies
from .position import Position


class RoPE(Position):
    """(R_i q_i) · (R_j k_j) = q_i · (R_{j−i} k_j): pair m of a vector at position p turns by p · base^(−2m/d).

    Pair m is channels (m, m + d/2), half-split (GPT-NeoX, Llama), or (2m, 2m + 1) with `interleaved` (RoFormer,
    GPT-J); `reference.rope.to_half_split` is the permutation between them. Nothing is learned.
    Raises ValueError for odd d_head, or vectors of another. Source: Su et al. 2021, section 3.2.2, eq. 34.
    """

    def __init__(self, d_head: int, *, base: float = 10000.0, interleaved: bool = False) -> None:
        super().__init__()
        self.d_head, self.base, self.interleaved = check_pairs("d_head", d_head), base, interleaved

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        if q.shape[-1] != self.d_head:
            raise ValueError(f"q {tuple(q.shape)}: expected (…, n_q, {self.d_head}), the d_head of this RoPE")
        turn = functools.partial(rotate, base=self.base, interleaved=self.interleaved)
        return turn(q, past), turn(k, past if first_key is None else first_key)


def rotate(x: Tensor, past: int = 0, *, base: float = 10000.0, interleaved: bool = False) -> Tensor:
    """Row i of x (…, n, d), at position p = past + i, turned by the angles p · base^(−2m/d); shape and dtype stay.

        (a, b) → (a cos − b sin, a sin + b cos)

    Raises ValueError for odd d. Source: Su et al. 2021, section 3.2.2, eq. 34.
    """
    n, d = x.shape[-2:]
    cos, sin = _cos_sin(n, past, check_pairs("d", d), base, x.dtype, x.device)
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    # (a cos − b sin, a sin + b cos), each in one pass less: in memory-bound work that is most of the time.
    turned = torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)
    return torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)


@functools.lru_cache(maxsize=8)
def _cos_sin(n: int, past: int, d: int, base: float, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    """cos and sin of every angle, (n, d/2); queries and keys, and all layers of a model, ask for the same ones."""
    with torch.inference_mode(False):  # what is kept must serve training, too
        theta = frequencies(d, base, torch.empty((), dtype=dtype, device=device))
        angle = torch.arange(past, past + n, device=device)[:, None] * theta
        return angle.cos().to(dtype), angle.sin().to(dtype)
