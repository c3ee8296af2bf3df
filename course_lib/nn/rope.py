"""RoPE: queries and keys turned pair by pair by an angle that grows with position."""

import functools
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ..reference.absolute import check_pairs
from .absolute import frequencies
from .position import Position


Speeds = Sequence[float] | Callable[[int], Sequence[float]]


class RoPE(Position):
    """(R_i q_i) · (R_j k_j) = q_i · (R_{j−i} k_j): pair m of a vector at position p turns by p · θ_m.

    Pair m is channels (m, m + d/2), half-split (GPT-NeoX, Llama), or (2m, 2m + 1) with `interleaved` (RoFormer,
    GPT-J); `reference.rope.to_half_split` is the permutation between them. Nothing is learned.

    θ_m = base^(−2m/d), or `speeds`: d/2 numbers in radians per position, of which 0 leaves its pair as it is. Fewer
    numbers turn only the first 2·len(speeds) channels. A function gives the numbers for the length of the text that has
    been read; then keys are cached before they are turned. `factor` multiplies cos and sin, and so the scores of
    turned channels by factor². `reference.speeds` has the rules by which a trained model is stretched.
    Raises ValueError for odd d_head, vectors of another, more than d/2 speeds, and a factor that is not above 0.
    Source: Su et al. 2021, section 3.2.2, eq. 34.
    """

    def __init__(
        self,
        d_head: int,
        *,
        base: float = 10000.0,
        interleaved: bool = False,
        speeds: Speeds | None = None,
        factor: float = 1.0,
    ) -> None:
        super().__init__()
        self.d_head, self.base, self.interleaved = check_pairs("d_head", d_head), base, interleaved
        self.speeds = speeds if speeds is None or callable(speeds) else check_speeds(speeds, d_head)
        self.caches_unrotated = callable(speeds)
        if not 0 < factor < float("inf"):
            raise ValueError(f"factor={factor}: expected a number above 0")
        self.factor = factor

    def rotate(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        if q.shape[-1] != self.d_head:
            raise ValueError(f"q {tuple(q.shape)}: expected (…, n_q, {self.d_head}), the d_head of this RoPE")
        speeds = self.speeds(past + q.shape[-2]) if callable(self.speeds) else self.speeds
        how = {"base": self.base, "interleaved": self.interleaved, "speeds": speeds, "factor": self.factor}
        return rotate(q, past, **how), rotate(k, past if first_key is None else first_key, **how)


def rotate(
    x: Tensor,
    past: int = 0,
    *,
    base: float = 10000.0,
    interleaved: bool = False,
    speeds: Sequence[float] | None = None,
    factor: float = 1.0,
) -> Tensor:
    """Row i of x (…, n, d), at position p = past + i, turned by the angles p · θ_m; shape and dtype stay.

        (a, b) → factor · (a cos − b sin, a sin + b cos)

    θ_m, speeds and factor as in `RoPE`. Raises ValueError for odd d and for more than d/2 speeds.
    Source: Su et al. 2021, section 3.2.2, eq. 34.
    """
    n, d = x.shape[-2:]
    given = None if speeds is None else check_speeds(speeds, d)
    cos, sin = _cos_sin(n, past, check_pairs("d", d), base, given, factor, x.dtype, x.device)
    turning, rest = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    a, b = (turning[..., 0::2], turning[..., 1::2]) if interleaved else turning.chunk(2, -1)
    # (a cos − b sin, a sin + b cos), each in one pass less: in memory-bound work that is most of the time.
    turned = torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)
    return torch.cat([torch.stack(turned, -1).flatten(-2), rest] if interleaved else [*turned, rest], -1)


def check_speeds(speeds: Sequence[float], d: int) -> tuple[float, ...]:
    """The speeds as numbers, or a ValueError unless there are 1 to d/2 of them, all finite."""
    found = tuple(float(speed) for speed in speeds)
    if not 1 <= len(found) <= d // 2 or not all(abs(speed) < float("inf") for speed in found):
        raise ValueError(f"speeds: {len(found)} of them, {found[:4]}…; expected 1 to {d // 2} finite numbers for d={d}")
    return found


@functools.lru_cache(maxsize=8)
def _cos_sin(
    n: int,
    past: int,
    d: int,
    base: float,
    speeds: tuple[float, ...] | None,
    factor: float,
    dtype: torch.dtype,
    device: torch.device,
) -> tuple[Tensor, Tensor]:
    """cos and sin of every angle, (n, pairs); queries and keys, and all layers of a model, ask for the same ones."""
    with torch.inference_mode(False):  # what is kept must serve training, too
        theta = frequencies(d, base, torch.empty((), dtype=dtype, device=device))
        if speeds is not None:
            theta = torch.tensor(speeds, dtype=theta.dtype, device=device)
        angle = torch.arange(past, past + n, device=device)[:, None] * theta
        return (factor * angle.cos()).to(dtype), (factor * angle.sin()).to(dtype)
