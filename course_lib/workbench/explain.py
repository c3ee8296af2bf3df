"""Where a scheme and its definition part: the first score that differs, and what all the failures have in common."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..nn.layer import RelativeAttention
from .definition import Definition, projected, scale_of, scores_of
from .trials import Trial, scores_asked, split

CLOSE = 1e-4  # what a wrong formula does to a score is larger
SMALL = 1e-6  # and to an answer in float64
ELSEWHERE = "every score agrees to four decimals; the answer does not"
VALUES = "The slip comes after the scores: are the value vectors there, and right?"
NOTHING_SEEN = "a query has only scores of −∞: its answer is nan, yours and the definition's"
MASK = (
    "A query for which no key is left has no softmax. Which keys are hidden is the mask's business; a bias is finite."
)


class Scores(NamedTuple):
    """Of one text, each (heads, n_q, n_k): yours and the definition's, q·k without either, and what a mask leaves."""

    yours: Tensor
    defined: Tensor
    content: Tensor
    seen: Tensor

    def differ(self) -> Tensor:
        return ~same(self.yours, self.defined) & self.seen


def explained(
    definition: Definition, layer: RelativeAttention, source: Tensor, failed: Sequence[Trial], size: float
) -> tuple[str, str]:
    """The place of the first failure, in words, and its cause or "". `size` is how much its answer differs."""
    trial = failed[0]
    texts = compared(definition, layer, trial, source)
    text = next((b for b, one in enumerate(texts) if one.differ().any()), 0)
    found = texts[text]
    if found.differ().any():
        place = _first(found, trial.past) if not text else f"in the second text: {_first(found, trial.past)}"
        if text and len(failed) > 1:
            return place, "Right for the first text of a batch, wrong for the next: is a batch axis lost or mixed up?"
        return place, cause(found, definition, layer, failed)
    if any((one.defined.isneginf() | ~one.seen).all(-1).any() for one in texts):
        return NOTHING_SEEN, MASK
    if trial.dtype == torch.float64 and size < SMALL:
        return ELSEWHERE, "Right but for the last digits: is something float32 in a float64 layer?"
    return ELSEWHERE, _history(trial) or f"{VALUES} {_contrast(failed)}".rstrip()


@torch.no_grad()
def compared(definition: Definition, layer: RelativeAttention, trial: Trial, source: Tensor) -> list[Scores]:
    """Text by text, the scores of the layer and those of the definition."""
    yours = scores_asked(layer, trial, source).double()
    x, keys = split(trial, source)
    seen = torch.ones(yours.shape[-2:]).tril(trial.past if trial.causal else yours.shape[-1]) > 0
    found = []
    for b, own in enumerate(yours.expand(len(x), -1, -1, -1)):
        heads = [(q, k) for q, k, _ in projected(layer, x[b], keys[b])]
        rows = [scores_of(definition, layer.position, h, q, k, trial.past, keys[b]) for h, (q, k) in enumerate(heads)]
        defined = torch.tensor(rows, dtype=torch.float64)
        if layer.position.key_bias(source, None) is not None:  # known up to what all keys of a query share
            defined = defined + (own - defined)[..., :1]
        content = torch.stack([torch.from_numpy(q @ k.T) for q, k in heads])
        found.append(Scores(own, defined, content, seen.expand_as(own)))
    return found


def cause(found: Scores, definition: Definition, layer: RelativeAttention, failed: Sequence[Trial]) -> str:
    """What all failures share, or how what was added is related to the definition; or ""."""
    d_head = layer.query.out_features // layer.n_heads
    own, stated = (scale_of(scale, d_head) for scale in (layer.position.scale, definition.scale))
    if history := _history(failed[0]):
        return history
    if abs(own - stated) > CLOSE:
        return f"q·k is multiplied by {own:.4g}, by the definition by {stated:.4g}: is `scale` set in one of them only?"
    yours, defined = found.yours - own * found.content, found.defined - stated * found.content
    for message, related in _RELATIONS.items():
        if any(same(yours, other).all() for other in related(defined) if other.shape == yours.shape):
            return message
    return _contrast(failed)


def _contrast(failed: Sequence[Trial]) -> str:
    """What the trials that fail have in common, and no others have."""
    return next((message for message, special in _CONTRASTS.items() if all(map(special, failed))), "")


def _history(first: Trial) -> str:
    """What it means that all trials before this one are right."""
    if first.dtype != torch.float64:
        return "Right in float64, wrong in float32: does a number lose its digits on the way?"
    if first.backend != "eager" or first.step:
        return "Right at first, wrong when asked again: does a hook keep something between calls?"
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
_CONTRASTS: dict[str, Callable[[Trial], object]] = {  # the narrowest first
    "Right near by, wrong far away: what becomes of a large distance?": lambda t: t.far,
    "Right with a cache of keys, wrong with a memory of hidden states: there the keys begin at `first_key`, not at "
    "`past`.": lambda t: t.segments,
    "Right in self-attention, wrong on a memory of another length: n_k is not always past + n_q.": lambda t: t.n_k,
    "Right without a cache, wrong with one: the first query stands at position `past`.": lambda t: t.past or t.step,
    "Right with one head, wrong with several: does each head get what is its own, in order?": lambda t: t.heads > 1,
    "Right where queries and keys are the same tokens, wrong elsewhere: what do n_k and `past` change?": lambda t: (
        t.past or t.step or t.n_k
    ),
}


def same(a: Tensor, b: Tensor) -> Tensor:
    """Where two numbers are as good as equal; ∞ is equal to ∞, and nan to nan."""
    return ((a - b).abs() < CLOSE) | (a == b) | (a.isnan() & b.isnan())


def _first(found: Scores, past: int) -> str:
    wrong = found.differ().nonzero()
    head, i, j = wrong[0].tolist()
    r = f"{j - past - i}".replace("-", "−")
    told = f"score of head {head}, query at position {past + i}, key at {j} (offset {r}): "
    told += f"yours {_shown(found.yours[head, i, j])}, by the definition {_shown(found.defined[head, i, j])}"
    return told + f" ({len(wrong)} of {int(found.seen.sum())} scores differ)"


def _shown(number: Tensor) -> str:
    return f"{number.item():.4f}".replace("-", "−").replace("inf", "∞")
