"""RoPE: queries and keys turned pair by pair by an angle that grows with position."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from ..checks import check_whole
from ..reference.absolute import check_base, check_pairs
from ..reference.rope import check_factor, check_speeds
from .absolute import frequencies
from .kept import kept
from .places import Places, angles, check_positions
from .position import Position

Speeds = Iterable[float] | Callable[[int], Iterable[float]]


class RoPE(Position):
    """(R_i q_i) · (R_j k_j) = q_i · (R_{j−i} k_j): pair m of a vector at position p turns by p · θ_m.

    Pair m is channels (m, m + d/2), half-split (GPT-NeoX, Llama), or (2m, 2m + 1) with `interleaved` (RoFormer,
    GPT-J); `reference.rope.to_half_split` is the permutation between them. Nothing is learned.

    θ_m = base^(−2m/d), or `speeds`: d/2 numbers in radians per position. With 0 a pair does not turn. With fewer
    numbers, only the first 2·len(speeds) channels are paired and turned. A function of n gives the numbers for a text
    of n tokens: then a cache keeps the keys as they are before they are turned, because each new token may change all
    angles. `factor` multiplies what is turned; a score of vectors turned in full is multiplied by its square.
    `reference.speeds` has the rules by which a trained model is stretched.
    Raises ValueError for odd d_head, vectors of another, more than d/2 speeds, and a base or factor not above 0.
    Source: Su et al. 2021, sections 3.2.2 and 3.4.2, eq. 34.
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
        self.d_head, self.base, self.interleaved = check_pairs("d_head", d_head), check_base(base), interleaved
        self.speeds = speeds if speeds is None or callable(speeds) else check_speeds(speeds, d_head)
        self.factor = check_factor(factor)
        self.caches_unrotated = callable(speeds)

    def prepare(self, q: Tensor, k: Tensor, past: int, first_key: int | None = None) -> tuple[Tensor, Tensor]:
        first_key = past if first_key is None else first_key
        n = max(past + q.shape[-2], first_key + k.shape[-2])
        speeds = self.speeds(n) if callable(self.speeds) else self.speeds
        return self._turned(q, speeds, past=past), self._turned(k, speeds, past=first_key)

    def prepare_at(self, q: Tensor, k: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        i, j = places.i[:, None], places.j[:, None]  # beside the heads
        if not callable(self.speeds):
            return self._turned(q, self.speeds, positions=i), self._turned(k, self.speeds, positions=j)
        for at in (i, j):
            if ((at.diff() < 0) | ((at.diff() == 0) & (at[..., 1:] > 0))).any():  # padding may share position 0
                raise ValueError("positions: fall or repeat, expected one text, for speeds that depend on its length")
        lengths = (torch.maximum(i.amax((1, 2)), j.amax((1, 2))) + 1).tolist()  # without the padding of each text
        of_each = [self.speeds(n) for n in lengths]

        def turned(x: Tensor, positions: Tensor) -> Tensor:
            texts = zip(x.chunk(len(of_each)), of_each, positions.expand(len(of_each), -1, -1).split(1))
            return torch.cat([self._turned(text, speeds, positions=at) for text, speeds, at in texts])

        return turned(q, i), turned(k, j)

    def _turned(self, x: Tensor, speeds: Iterable[float] | None, **where: Any) -> Tensor:
        if x.shape[-1] != self.d_head:
            raise ValueError(f"q {tuple(x.shape)}: expected (…, n_q, {self.d_head}), the d_head of this RoPE")
        return rotate(x, base=self.base, interleaved=self.interleaved, speeds=speeds, factor=self.factor, **where)


def rotate(
    x: Tensor,
    past: int = 0,
    *,
    positions: Tensor | None = None,
    base: float = 10000.0,
    interleaved: bool = False,
    speeds: Iterable[float] | None = None,
    factor: float = 1.0,
) -> Tensor:
    """Row i of x (…, n, d), at position p = past + i or positions[…, i], turned by p · θ_m; shape and dtype stay.

        (a, b) → factor · (a cos − b sin, a sin + b cos)

    positions, whole numbers, broadcast to (…, n). θ_m, speeds and factor as in `RoPE`. The angles are computed in
    float64. Raises ValueError for odd d, more than d/2 speeds, a base or factor not above 0, and positions or an x that
    they do not fit. Source: Su et al. 2021, sections 3.2.2 and 3.4.2, eq. 34.
    """
    if x.dim() < 2 or not x.is_floating_point():
        raise ValueError(f"x {tuple(x.shape)} of {x.dtype}: expected (…, n, d), floating-point numbers")
    d = check_pairs("d", x.shape[-1])
    given = None if speeds is None else check_speeds(speeds, d)
    numbers = d, base, given, check_factor(factor), x.dtype
    if positions is None:
        cos, sin = _counted(x.shape[-2], check_whole("past", past, None), x.device, *numbers)
    else:
        cos, sin = _cos_sin(check_positions("positions", positions, x), *numbers)
    return turned_pairs(x, cos, sin, interleaved)


def turned_pairs(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    """x (…, n, d) with its pairs turned by the angles that have these cos and sin, (…, n, pairs)."""
    turning = 2 * cos.shape[-1]
    a, b = (x[..., 0:turning:2], x[..., 1:turning:2]) if interleaved else x[..., :turning].chunk(2, -1)
    pairs = turned(a, b, cos, sin)
    y = torch.stack(pairs, -1).flatten(-2) if interleaved else torch.cat(pairs, -1)
    return y if turning == x.shape[-1] else torch.cat([y, x[..., turning:]], -1)


def turned(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """(a cos − b sin, a sin + b cos), each in one pass less: in memory-bound work that is most of the time."""
    return torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)


@kept
def _counted(n: int, past: int, device: torch.device, *numbers: Any) -> tuple[Tensor, Tensor]:
    """cos and sin for n tokens from `past` on; queries and keys, and all layers of a model, ask for the same ones."""
    with torch.inference_mode(False):  # what is kept must serve training, too
        return _cos_sin(torch.arange(past, past + n, device=device), *numbers)


def _cos_sin(
    positions: Tensor, d: int, base: float, speeds: tuple[float, ...] | None, factor: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """cos and sin of every angle at positions (…), times the factor: (…, pairs)."""
    theta = frequencies(d, base) if speeds is None else torch.tensor(speeds, dtype=torch.float64)
    angle = angles(positions, theta)
    cos, sin = ((factor * f).to(positions.device, dtype) for f in (angle.cos(), angle.sin()))
    return cos, sin
