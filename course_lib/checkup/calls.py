"""Ways to call a model that must not change its logits: the text padded, in a batch, packed, or read with a cache.

A check compares each with the text read alone. `compare` makes the same calls of two models.
Each number is the relative change of the logits, in the worst row. Healthy models reach 1.4e-5, the weakest fault found
here 2.8e-3, and the limit SAME is 1e-4.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .case import AT, KEEP, SHORT, Case, Checks
from .check import SAME, Check, change, judged
from .models import Asked, Examined

PAD, NEW = 7, 5  # tokens of padding, and tokens that a program numbers in another way than the prompt
FIRST = 15  # tokens of the first of two packed texts
PADDING = torch.arange(PAD + SHORT)[None] >= PAD  # False for padding
BY_MASK = (PADDING.cumsum(-1) - 1).clamp(0)  # the numbers that the mask gives
BY_PLACE = BY_MASK + PAD * (torch.arange(PAD + SHORT) >= PAD + SHORT - NEW)
AGAIN = AT - FIRST * (AT >= FIRST)  # the numbers start again in the second text
OWN = (AT.T < FIRST) == (AT < FIRST)  # a query may look at its own text

LEFT_PADDING = "which_one: Bug hunt: the prompt that moved"
A_ROW = "fast_attention: Deeper · A row that is not one text"
THREE_TRAPS = "fast_attention: Three traps of SDPA"
TWO_TEXTS = "released_model: Deeper · Two documents in one text"
CACHE = "fast_attention: Decoding: one new row, and a cache"
RING = "windows_and_sinks: The cache becomes a ring"


@dataclass(frozen=True)
class Call:
    """One way to call a model, as a check: are the last tokens of a text as they are if it is read alone?"""

    logits: Callable[[Examined, Tensor], Tensor]  # of the last tokens of a text
    good: str
    bad: str
    otherwise: str = "fault"
    first: int = 0  # the text begins at this token
    kind: str = ""  # for the pattern of `compare`, which does not make calls without one

    def __call__(self, case: Case) -> Check:
        ids = self.of(case.short, case.full)
        alone, found = case.alone(self.first, ids.shape[1]), self.logits(case.model, ids)
        check = judged(change(found, alone[:, -found.shape[1] :]), self.good, self.bad, otherwise=self.otherwise)
        unfilled = case.unfilled(ids.shape[1]) if self.kind == "cache" else ""
        return Check("skipped", f"{self.good}, but {unfilled}") if check.verdict == "fine" and unfilled else check

    def of(self, short: Tensor, full: Tensor) -> Tensor:
        """The text that it reads. With a cache, windows behave otherwise when they are full."""
        return full if self.kind == "cache" else short


def padded(ids: Tensor) -> Tensor:
    return torch.cat([ids.new_zeros(1, PAD), ids], 1)


def left_padded(positions: Tensor | None, last: int = SHORT) -> Callable[[Examined, Tensor], Tensor]:
    """The text behind padding, numbered in this way, or by the model."""
    return lambda model, ids: model.logits(Asked(padded(ids), positions, PADDING))[:, -last:]


def beside_another(model: Examined, ids: Tensor) -> Tensor:
    padding = torch.arange(SHORT) < torch.tensor([[SHORT], [SHORT - 9]])
    return model.logits(Asked(torch.cat([ids, ids.flip(1)]), padding=padding))[:1]


def packed(positions: Tensor | None) -> Callable[[Examined, Tensor], Tensor]:
    """Two texts in one, with a mask of blocks."""
    return lambda model, ids: model.logits(Asked(ids, positions, seen=OWN))[:, FIRST:]


def packed_by_numbers(cache: bool, mask: Tensor | None = None) -> Callable[[Examined, Tensor], Tensor]:
    return lambda model, ids: model.packed_by_numbers(Asked(ids, AGAIN, mask), cache)[:, FIRST:]


def behind_a_past(*lengths: int) -> Callable[[Examined, Tensor], Tensor]:
    """The last tokens, in parts of these lengths, with a cache that holds all before them."""

    def logits(model: Examined, ids: Tensor) -> Tensor:
        cache, found = None, []
        for part in ids.split([ids.shape[1] - sum(lengths), *lengths], 1):
            part_logits, cache = model.read_on(part, cache)
            found.append(part_logits)
        return torch.cat(found[1:], 1)

    return logits


def taken_back(model: Examined, ids: Tensor) -> Tensor:
    """Four wrong tokens are read, and taken out of the cache, before the last KEEP."""
    _, cache = model.read_on(ids[:, :-KEEP])
    getattr(cache, "activate_past_recording", lambda: None)()  # otherwise a windowed cache has no way back
    _, cache = model.read_on(ids[:, :4], cache)
    model.go_back(cache, 4)
    return model.read_on(ids[:, -KEEP:], cache)[0]


def generate(case: Case) -> Check:
    """Four new tokens in a batch of two, against four for the prompt alone."""
    prompt, other = case.ids[:, :20], case.ids[:, 20 : 40 + PAD]
    padding = torch.arange(20 + PAD) >= torch.tensor([[PAD], [0]])
    alone = case.model.generated(prompt, torch.ones_like(prompt), 4)
    both = case.model.generated(torch.cat([padded(prompt), other]), padding, 4)[:1]
    only_new = change(both[:, :1], alone[:, :1]) < SAME
    bad = "the new tokens are numbered in another way" if only_new else "the prompt differs: its mask or numbers"
    return judged(change(both, alone), "four new tokens as for the prompt alone", bad)


PLAIN, AS_ALONE = "as without padding", "the second text is as alone"
BLOCKS, NOT_ALONE = f"with a mask of blocks, {AS_ALONE}", "the second text is not as alone"
NUMBERS_ALONE = "numbers alone do not separate two texts: give a mask of blocks"
BEHIND = "not as at once: positions, window or bias are wrong behind a past"
COST = f"what it costs to number the prompt by the mask and {NEW} new tokens by their place: number both alike"
CALLS: Checks = {
    "left padding, numbered by the mask": (LEFT_PADDING, Call(
        left_padded(BY_MASK), PLAIN, f"not {PLAIN}: the padding is seen, or the given numbers are not used",
        kind="padded")),
    "left padding, without numbers": (LEFT_PADDING, Call(
        left_padded(None), PLAIN, f"not {PLAIN}: always give positions, counted from the mask", "know",
        kind="padded")),
    "new tokens numbered by their place": (A_ROW, Call(
        left_padded(BY_PLACE, NEW), "makes no difference", COST, "know")),
    "generate in a left padded batch": (LEFT_PADDING, generate),
    "another, shorter text in the batch": (THREE_TRAPS, Call(
        beside_another, "no influence", "a neighbour changes the result: does each text have its own mask?",
        kind="padded")),
    "packed, numbers run on": (TWO_TEXTS, Call(
        packed(None), BLOCKS, f"{NOT_ALONE}: let its numbers start again", "know", FIRST, "padded")),
    "packed, numbers start again": (TWO_TEXTS, Call(
        packed(AGAIN), BLOCKS, f"{NOT_ALONE}, in spite of a mask of blocks and numbers from 0",
        first=FIRST, kind="padded")),
    "packed by numbers alone, without a cache": (A_ROW, Call(
        packed_by_numbers(False), AS_ALONE, NUMBERS_ALONE, "know", FIRST)),
    "packed by numbers alone, with a mask of ones": (A_ROW, Call(
        packed_by_numbers(False, torch.ones(1, SHORT)), AS_ALONE, f"{NUMBERS_ALONE}, or none", "know", FIRST)),
    "packed by numbers alone, with a cache": (A_ROW, Call(
        packed_by_numbers(True), AS_ALONE, f"{NUMBERS_ALONE}, or switch the cache off", "know", FIRST)),
    "cache: in two chunks": (CACHE, Call(behind_a_past(SHORT // 2), "as at once", BEHIND, kind="cache")),
    "cache: one by one": (CACHE, Call(behind_a_past(*[1] * KEEP), "as at once", BEHIND, kind="cache")),
    "cache: four tokens read, and taken back": (RING, Call(
        taken_back, "as if never read", "what was taken back is still seen", kind="cache")),
}  # fmt: skip
