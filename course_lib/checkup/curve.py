"""The curve of each head: what position alone adds to a score, read off a text of one token, repeated.

All values are equal in such a text, so the output of attention does not depend on its weights, and every layer gets
equal rows. Queries and keys are then equal, too, but for their positions. So

    ln(w_ij / w_ii) = score_ij − score_ii

is a function of i and j alone: the scheme, in every head of every layer, from one call.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from .models import Asked, Examined

TOKEN = 42
LOWEST = -80.0  # lower, float32 loses the weights; a curve ends there
FLAT = 2e-6  # a curve that departs less from its mean sees no position
Sample = tuple[NDArray, NDArray]  # distances (n,), and a curve for each head (heads, n)


@dataclass(frozen=True)
class Curve:
    """One layer's curve, of the last query: `logs` (heads, reach) at the distances 0, 1, … `reach` − 1."""

    logs: NDArray
    middle: float  # how far the curve of a query in the middle differs from it
    missing: float  # the share of the weight that no key gets

    @property
    def reach(self) -> int:
        """How many keys a query sees."""
        return self.logs.shape[1]

    @property
    def size(self) -> float:
        """How far a curve departs from its mean."""
        return float(abs(self.logs - self.logs.mean(-1, keepdims=True)).max())

    @property
    def flat(self) -> bool:
        """Whether the layer sees no position."""
        return self.size < FLAT


def curves(model: Examined, n: int, stride: int = 1) -> list[Curve]:
    """The curve of every layer in a text of n equal tokens at the positions 0, stride, 2 · stride, …

    Raises Refused for a model that shows no weights.
    """
    ids = torch.full((1, n), min(TOKEN, model.vocabulary - 1))
    positions = None if stride == 1 else stride * torch.arange(n)[None]
    weights, _ = model.shown(Asked(ids, positions, last=1))
    return [curve_of(layer) for layer in weights]


def curve_of(weights: Tensor) -> Curve:
    """Of the weights (heads, n, n) of a layer."""
    n = weights.shape[-1]
    last, middle = (weights[:, i, : i + 1].double().numpy()[:, ::-1] for i in (n - 1, n // 2))  # by distance

    def of(row: NDArray) -> NDArray:
        reach = (row > 0).any(0).sum()
        with np.errstate(divide="ignore"):
            return (np.log(row[:, :reach]) - np.log(row[:, :1])).clip(LOWEST)

    logs, other = of(last), of(middle)
    both = min(logs.shape[1], other.shape[1])
    return Curve(logs, float(abs(logs[:, :both] - other[:, :both]).max()), float(1 - last.sum(-1).mean()))


def unexplained(samples: Sequence[Sample], speeds: ArrayLike) -> float:
    """The share of the curves that no sum of cos(θ_m r) and sin(θ_m r) explains, in the worst head.

    Heads whose curve reaches LOWEST are left out; 0 if no head is left.
    """
    r = np.concatenate([distances for distances, _ in samples])
    found = np.concatenate([logs for _, logs in samples], -1).T
    found = found[:, found.min(0) > LOWEST]
    angles = r[:, None] * np.asarray(speeds)
    basis = np.concatenate([np.ones((len(r), 1)), np.cos(angles), np.sin(angles)], 1)
    rest = found - basis @ np.linalg.lstsq(basis, found, rcond=1e-9)[0]
    spread = np.linalg.norm(found - found.mean(0), axis=0).clip(1e-30)
    return float((np.linalg.norm(rest, axis=0) / spread).max(initial=0.0))


def suspects(theta: NDArray, own_base: float) -> Iterator[tuple[str, NDArray]]:
    """Speeds that a faulty program might use in place of θ, with what it did. own_base: that of the file, for θ."""
    share = np.arange(len(theta)) / len(theta)
    plain = own_base**-share
    yield "the file's base without its scaling rule explains it", plain
    yield "twice as fast: is it rotated twice, or a factor of 2 ignored?", 2 * theta
    yield "speeds rounded to bfloat16 explain it", torch.tensor(theta).bfloat16().double().numpy()
    for factor in (2, 3, 4):
        yield f"the speeds of a head {factor} times as wide explain it", theta ** (1 / factor)
    for factor in (4, 8, 16, 32):
        if not np.allclose(factor * theta, plain):
            yield f"{factor} times as fast: is a scaling factor ignored?", factor * theta
    for factor in (2, 4, 8, 16, 32):
        yield f"{factor} times as slow: a factor is applied that the file does not name for this layer", theta / factor
    for base in {1e3, 1e4, 1e5, 1.5e5, 5e5, 1e6, 2e6, 5e6, 1e7} - {own_base}:
        yield f"base {base:,.0f} explains it", base**-share
