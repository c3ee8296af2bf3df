"""The trials of `agrees`: texts, memories and caches of all kinds, and a layer's answer and scores in each."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..nn.cache import KeyValueCache, SegmentMemory
from ..nn.layer import RelativeAttention
from .hooks import scores, scores_in_parts

BATCH = 2  # different texts: what is right in one may be wrong in the next


@dataclass(frozen=True)
class Trial:
    """One layer and texts for it. n_k: a memory of another length to look at; step: tokens at a time, with a cache.

    `past` tokens come before, into a cache of keys and values, or with `segments` into a memory of hidden states.
    """

    heads: int
    n_q: int
    d_head: int = 4
    past: int = 0
    n_k: int | None = None
    causal: bool = False
    step: int | None = None
    segments: bool = False
    backend: str = "eager"
    dtype: torch.dtype = torch.float64

    def __str__(self) -> str:
        looked_at = f"{self.n_q} tokens" if self.n_k is None else f"{self.n_q} queries on {self.n_k} keys"
        said = [f"{self.heads} head{'s' * (self.heads > 1)}", looked_at if self.n_q > 1 else "1 token"]
        said += [f"after {self.past} in {'a SegmentMemory' if self.segments else 'the cache'}"] * bool(self.past)
        said += ["one at a time"] * bool(self.step) + ["causal"] * self.causal
        said += [f"d_head {self.d_head}"] * (self.d_head != Trial.d_head)
        return ", ".join([*said, self.backend, name_of(self.dtype)])

    @property
    def parts(self) -> list[int]:
        """How many tokens come at a time when there is a cache."""
        return [self.past] * bool(self.past) + [self.step or self.n_q] * (self.n_q // (self.step or self.n_q))

    @property
    def farthest(self) -> int:
        """The largest distance of a query and a key."""
        return max(self.past + self.n_q, self.n_k or 0) - 1

    @property
    def far(self) -> bool:
        return self.farthest > max(shape.farthest for shape in SHAPES)


SHAPES = (  # from the simplest on: the first that fails is told
    Trial(1, 6),
    Trial(1, 6, causal=True),
    Trial(3, 5, d_head=6),
    Trial(12, 4, causal=True),
    Trial(1, 3, n_k=7),
    Trial(2, 5, n_k=2),
    Trial(1, 3, past=4),
    Trial(3, 1, past=6, causal=True),
    Trial(2, 7, causal=True, step=1),
    Trial(2, 3, past=4, segments=True),
)
FAR = (Trial(2, 1, past=250, causal=True), Trial(1, 2, n_k=250))  # few queries, for the loops are slow


def split(trial: Trial, source: Tensor) -> tuple[Tensor, Tensor]:
    """The tokens that ask, (batch, n_q, d_model), and those that are looked at, (batch, n_k, d_model)."""
    return (source[:, -trial.n_q :], source) if trial.n_k is None else source.split((trial.n_q, trial.n_k), 1)


@torch.no_grad()
def answer(layer: RelativeAttention, trial: Trial, source: Tensor) -> Tensor:
    """The layer's answer for the tokens of a trial, in the way the trial asks for it."""
    if trial.n_k is not None:
        return layer(*split(trial, source))
    cache = SegmentMemory(trial.past) if trial.segments else KeyValueCache()
    return torch.cat([layer(part, cache=cache) for part in source.split(trial.parts, 1)], 1)[:, -trial.n_q :]


@torch.no_grad()
def scores_asked(layer: RelativeAttention, trial: Trial, source: Tensor) -> Tensor:
    """The scores (batch, heads, n_q, n_k) behind that answer, from hooks that are asked in the same order."""
    if trial.n_k is not None or trial.segments:
        return scores(layer, *split(trial, source), trial.past)
    return scores_in_parts(layer, source, trial.parts)[..., -trial.n_q :, :]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
