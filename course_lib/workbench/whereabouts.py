"""Where a scheme and its definition part: the first score that differs, and what all the failures have in common."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ..nn.layer import RelativeAttention
from .definition import Definition, projected, scale_of
from .hooks import scores

if TYPE_CHECKING:
    from .agreement import Trial

CLOSE = 1e-4  # what a wrong formula does to a score is larger
EXACT = 1e-12  # what is float64 throughout is nearer
DIGITS = "Right but for the last digits: is something float32 in a float64 layer?"


class Added(NamedTuple):
    """What was added to the scaled q·k, (heads, n_q, n_k): by the scheme, and by the definition."""

    yours: Tensor
    defined: Tensor


@torch.no_grad()
def place(
    definition: Definition, layer: RelativeAttention, x: Tensor, source: Tensor, *, past: int
) -> tuple[str, Added]:
    """The first score that differs, in words, and what was added to all of them."""
    heads = [(q, k) for q, k, _ in projected(layer, x[0], source[0])]
    rows = [definition.scores(layer.position, h, q, k, past) for h, (q, k) in enumerate(heads)]
    defined = torch.tensor(rows, dtype=torch.float64)
    content = torch.stack([scale_of(layer.position, q) * torch.from_numpy(q @ k.T) for q, k in heads])
    yours = scores(layer, x, source, past)[0].double()
    wrong = ((yours - defined).abs() < CLOSE).logical_not().nonzero()  # nan is wrong, too
    if not len(wrong):
        return "every score agrees to four decimals; the answer does not", Added(yours - content, defined - content)
    head, i, j = wrong[0].tolist()
    r = f"{j - past - i}".replace("-", "−")
    told = f"score of head {head}, query at position {past + i}, key at {j} (offset {r}): "
    told += f"yours {_shown(yours[head, i, j])}, by the definition {_shown(defined[head, i, j])}"
    told += f" ({len(wrong)} of {defined.numel()} scores differ)"
    return told, Added(yours - content, defined - content)


def cause(failed: Sequence["Trial"], added: Added) -> str:
    """What all failures share, or how what was added is related to the definition; or ""."""
    first, (yours, defined) = failed[0], added
    if first.dtype != torch.float64:
        return "Right in float64, wrong in float32: does a number lose its digits on the way?"
    if first.backend != "eager" or first.step:
        return "Right at first, wrong when asked again: does a hook keep something between calls?"
    if _same(yours, defined):
        digits = (yours - defined).abs().max() > EXACT
        return DIGITS if digits else "The slip comes after the scores: are the value vectors there, and right?"
    for message, related in _RELATIONS.items():
        if any(_same(yours, other) for other in related(defined)):
            return message
    for message, special in _CONTRASTS.items():
        if all(special(trial) for trial in failed):
            return message
    return ""


_RELATIONS: dict[str, Callable[[Tensor], list[Tensor]]] = {
    "What is added has the opposite sign.": lambda a: [-a],
    "Past and future have changed places: offset r has what belongs to −r.": lambda a: [a.mT],
    "The heads have changed places: each has what belongs to another.": lambda a: [
        a.flip(0),
        *(a.roll(n, 0) for n in range(1, len(a))),
    ],
    "All heads have what belongs to head 0.": lambda a: [a[:1].expand_as(a)],
    "Nothing is added to any score.": lambda a: [torch.zeros_like(a)],
}
_CONTRASTS: dict[str, Callable[["Trial"], object]] = {  # the narrowest first
    "Right in self-attention, wrong on a memory of another length: n_k is not always past + n_q.": lambda t: t.n_k,
    "Right without a cache, wrong with one: the first query stands at position `past`.": lambda t: t.past or t.step,
    "Right with one head, wrong with several: does each head get what is its own, in order?": lambda t: t.heads > 1,
    "Right where queries and keys are the same tokens, wrong elsewhere: what do n_k and `past` change?": lambda t: (
        t.past or t.step or t.n_k
    ),
}


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(((a - b).abs() < CLOSE).all())


def _shown(number: Tensor) -> str:
    return f"{number.item():.4f}".replace("-", "−")
