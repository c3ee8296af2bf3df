"""The variants that the study compares: what each adds to a model that is otherwise the same.

Those of the registry, and a few that take a scheme apart. Any other has to be named before it can be planned:

    study.VARIANTS["t5-512"] = study.variant(SCHEMES["T5 buckets"], Use({"max_distance": 512}))
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checks import check_choice
from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position
from course_lib.reference.alibi import slopes
from course_lib.schemes import SCHEMES, Scheme, Sizes, Use

from .settings import Settings


@dataclass(frozen=True)
class Variant:
    """`input` changes the embeddings; layer l has position number l of `layers`, one for all layers where `shared`.

    The `layers` begin again after the last: of two, the first, third … layer has one, and the others have the other.
    """

    layers: tuple[Callable[[Settings], Position], ...] = (lambda s: Position(),)
    input: Callable[[Settings], nn.Module] | None = None
    shared: bool = False


def variant(scheme: Scheme, use: Use) -> Variant:
    """A scheme of the registry in a decoder. Raises ValueError, once it is made, for sizes that do not fit."""

    def make(settings: Settings) -> Any:
        # `longest`, because learned positions need a row for each; no text trains the rows past `length`.
        module = scheme.make(Sizes(settings.d_model, settings.n_heads, settings.longest, causal=True, **use.sizes))
        if isinstance(module, Position):
            module.scale = None  # all divide by √d_head here: T5 makes up for it in W_q, which must begin alike
        return module

    if "input" in scheme.enters:
        return Variant(input=make)
    return Variant((make, *Variant().layers * (use.every - 1)), shared=scheme.shared)


class LearnedDecay(DecayBias):
    """b_h(r) = −a_h · decay(|r|), where a_h = exp(s_h) is above 0 and s_h is learned.

    strengths: a_h at the start, one per head. decay: a name of `course_lib.nn.bias`. Source: KERPLE (Chi et al. 2022).
    With "log" it is their logarithmic kind with r₂ = 1, with "linear" their power kind with exponent 1.
    """

    def __init__(self, strengths: Sequence[float], decay: str) -> None:
        super().__init__(1.0, decay)
        self.log_strengths = nn.Parameter(torch.tensor(strengths).log())

    def bias(self, n_q: int, n_k: int, past: int) -> Tensor:
        return self.log_strengths.exp()[:, None] * super().bias(n_q, n_k, past)


VARIANTS = {name: variant(scheme, use) for scheme in SCHEMES.values() for name, use in scheme.runs.items()}
VARIANTS["window-64+rope"] = Variant(VARIANTS["window-64"].layers + VARIANTS["rope"].layers)
VARIANTS |= {  # one strength for all heads is "log-1" and "linear-one", one per head is "log-four" and "alibi"
    "log-2": variant(SCHEMES["log decay"], Use({"strength": 2})),
    "log-3": variant(SCHEMES["log decay"], Use({"strength": 3})),
    "linear-one": Variant((lambda s: DecayBias(1 / 16, "linear"),)),
    "log-four": Variant((lambda s: DecayBias([2.0 ** (2 - h) for h in range(s.n_heads)]),)),
    "linear-learned": Variant((lambda s: LearnedDecay(slopes(s.n_heads).tolist(), "linear"),)),
    "log-learned": Variant((lambda s: LearnedDecay([1.0] * s.n_heads, "log"),)),
}


def find(name: str) -> Variant:
    """The variant of that name. Raises ValueError for another name."""
    return VARIANTS[check_choice("scheme", name, VARIANTS)]
