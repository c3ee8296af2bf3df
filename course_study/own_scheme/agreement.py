"""Does a scheme agree with its definition? If not: in which trial, at which score, and perhaps why."""

import copy
import math
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from course_kit.checking.axes import Axis
from course_kit.checking.causes.relations import FINISHES, WEAK, common
from course_kit.checking.difference import Pair
from course_lib.definition import Definition, by_definition, defined, numbers, randomise, scale_of
from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.threads import one_thread

from ..report import Report
from .scheme import Make, made, not_attempted, says_nothing


@dataclass(frozen=True)
class Trial:
    """A layer, and a text that it reads in `parts`, the last of which is compared. `fails`: what is wrong if it is the
    first trial that fails."""

    name: str
    fails: str = ""
    heads: int = 2
    d_head: int = 4
    parts: tuple[int, ...] = (3,)  # all but the last go into a cache, or with `segments` into a memory of hidden states
    n_k: int = 0  # other tokens to look at
    causal: bool = False
    segments: bool = False
    backend: str = "eager"
    dtype: torch.dtype = torch.float64


HEADS = "Does each head get its own numbers, in order?"
QUERIES = "Nothing is wrong in self-attention, but n_k is not always past + n_q."
ONE = "Nothing is wrong with several queries. With one?"
PAST = "Nothing is wrong without a cache. With one, the first query is at position `past`."
AGAIN = "Does a hook keep something between calls?"
SEGMENTS = "Nothing is wrong with a cache of keys. With a memory of hidden states, keys begin at `first_key`."
FAR = "Nothing is wrong near by. What becomes of a large distance?"
DIGITS = "Nothing is wrong in float64. Does a number lose digits on the way?"
TRIALS = (  # from the simplest on
    Trial("one head and six tokens", heads=1, parts=(6,)),
    Trial("a causal mask", heads=1, parts=(6,), causal=True),
    Trial("three heads of six channels", HEADS, heads=3, d_head=6, parts=(5,)),
    Trial("twelve heads", HEADS, heads=12, causal=True),
    Trial("three queries on seven other keys", QUERIES, n_k=7),
    Trial("a single query on seven other keys", ONE, parts=(1,), n_k=7),
    Trial("four tokens in a cache", PAST, parts=(4, 3)),
    Trial("one token at a time", AGAIN, parts=(1,) * 7, causal=True),
    Trial("a memory of hidden states", SEGMENTS, parts=(4, 3), segments=True),
    Trial("250 tokens in a cache", FAR, parts=(250, 1)),
    Trial("the fused kernel and float32", DIGITS, parts=(5,), causal=True, backend="sdpa", dtype=torch.float32),
)
TOLERANCE = 1e-5  # of answers of size about 1: numbers in float32 are right in a float64 layer, too


@dataclass(repr=False)
class Agreement(Report):
    """The first trial that failed, the first score there that differs, and what may be wrong, or ""."""

    trial: str = ""
    place: str = ""
    cause: str = ""


@one_thread()
def agrees(make: Make, definition: Definition) -> Agreement:
    """Whether layers with the scheme make(n_heads, d_head) answer as `definition` says, in eleven trials.

    Every parameter is drawn at random. What the scheme or the definition raises is raised, with a note of the trial.
    Raises ValueError for a `make` that makes no scheme, and for what is not a definition.
    """
    name = type(scheme := made(make, 2, 4)).__name__
    if not isinstance(definition, Definition):
        raise ValueError(f"definition={definition!r}: expected with_bias(…), with_vectors(…) or another Definition")
    if says_nothing(scheme, 8):
        return Agreement(*not_attempted(name))
    for trial in TRIALS:
        try:
            place, cause = tried(make, definition, trial)
        except Exception as error:
            error.add_note(f"in the trial with {trial.name}")
            raise
        if place:
            lines = [f"{name} differs from its definition", f"first in the trial with {trial.name}", place]
            return Agreement("failed", lines + [f"→ {cause}"] * bool(cause), trial.name, place, cause)
    names = "; ".join(trial.name for trial in TRIALS)
    lines = [f"{name} agrees with its definition in {len(TRIALS)} trials", *textwrap.wrap(names, 100)]
    return Agreement("passed", lines)


@torch.no_grad()
def tried(make: Make, definition: Definition, trial: Trial) -> tuple[str, str]:
    """The place of the first difference in a trial, in words, and its cause; twice "" if there is none."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(trial.heads)
        d_model = trial.heads * trial.d_head
        scheme = make(trial.heads, trial.d_head)
        layer = RelativeAttention(d_model, trial.heads, scheme, causal=trial.causal, backend=trial.backend)
        randomise(layer.to(trial.dtype))
        text = torch.randn(2, sum(trial.parts), d_model, dtype=trial.dtype)
        other = torch.randn(2, trial.n_k, d_model, dtype=trial.dtype) if trial.n_k else None
    *before, x = text.split(trial.parts, 1)
    cache = None if other is not None else SegmentMemory(8) if trial.segments else KeyValueCache()
    for part in before:
        layer(part, cache=cache)
    scores, got = layer.scores(x, other, cache=copy.deepcopy(cache)), layer(x, other, cache=cache)
    source, past = text if other is None else other, text.shape[1] - x.shape[1]
    off = (got.double() - by_definition(definition, layer, x, source, past=past)).abs().max().item()
    if off < TOLERANCE:
        return "", ""
    if layer.position.key_bias(source, None) is None:
        for b, own in enumerate(scores):
            _, rows, content, _ = zip(*defined(definition, layer, x[b], source[b], past))
            if difference := explained(definition, layer, numbers(own), np.array(rows), np.array(content), past):
                place, cause = difference
                simpler_ones_agree = before or trial.n_k  # so the cause is what this trial has and they have not
                return place, trial.fails if simpler_ones_agree else cause or trial.fails
    cause = trial.fails or "Are there value vectors, and the right ones?"
    return f"the answer differs by {off:.1g}, but its scores do not", cause


def explained(
    definition: Definition, layer: RelativeAttention, yours: Any, rows: Any, content: Any, past: int
) -> tuple[str, str] | None:
    """Where scores (heads, n_q, n_k) differ from those of the definition, and how; None if they do not."""
    yours, seen = np.array(yours), np.tril(np.ones_like(rows), past if layer.causal else rows.shape[-1]) > 0
    wrong = ~np.isclose(yours, rows, atol=1e-4, equal_nan=True) & seen
    if not wrong.any():
        return None
    head, i, j = np.argwhere(wrong)[0]
    place = f"score of head {head}, query at position {past + i}, key at {j} (offset {j - past - i}): yours "
    place += f"{yours[head, i, j]:.4f}, by the definition {rows[head, i, j]:.4f} ({wrong.sum()} scores differ)"
    d_head = layer.query.in_features // layer.n_heads
    own, stated = scale_of(layer.position.scale, d_head), scale_of(definition.scale, d_head)
    if not math.isclose(own, stated, rel_tol=1e-4):
        cause = f"q·k is multiplied by {own:.4g}, in the definition by {stated:.4g}. Is `scale` set in one of them?"
    else:
        axes = [Axis(name) for name in ("head", "query", "key")]
        mine, right = (np.round(s - own * content, 9) for s in (yours, rows))
        related = common((*FINISHES, *WEAK), [Pair(mine, right, axes)])
        cause = f"{related} This is about what is added to q·k." if related else ""
    return place.replace("-", "−"), cause
