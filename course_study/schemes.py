"""The schemes that the study compares: what each adds to a model that is otherwise the same."""

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from course_lib import schemes
from course_lib.nn.bias import DecayBias
from course_lib.nn.position import Position
from course_lib.nn.rope import RoPE
from course_lib.reference.alibi import slopes
from course_lib.schemes import Sizes

from .settings import Settings


@dataclass(frozen=True)
class Scheme:
    """`input` changes the embeddings; layer l has position number l of `layers`, one for all layers where `shared`."""

    layers: tuple[Callable[[Settings], Position], ...] = (lambda s: Position(),)
    input: Callable[[Settings], nn.Module] | None = None
    shared: bool = False


def registered(scheme: schemes.Scheme, number: float | None = None) -> Scheme:
    """A scheme of the registry in a decoder; `number` is the size that the name of a run gives."""
    size: dict[str, Any] = {} if number is None else {scheme.size: number}

    def make(settings: Settings) -> Any:
        # `longest`, because learned positions need a row for each; no text trains the rows past `length`.
        module = scheme.make(Sizes(settings.d_model, settings.n_heads, settings.longest, causal=True, **size))
        if isinstance(module, Position):
            module.scale = None  # all divide by √d_head here: T5 makes up for it in W_q, which must begin alike
        return module

    return Scheme(input=make) if "input" in scheme.enters else Scheme((make,), shared=scheme.shared)


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


RUNS = {scheme.run: scheme for scheme in schemes.SCHEMES.values() if scheme.run}
PLAIN = {run: registered(scheme) for run, scheme in RUNS.items() if not scheme.size}
PLAIN |= {  # one strength for all heads is "log-1" and "linear-one", one per head is "log-four" and "alibi"
    "linear-one": Scheme((lambda s: DecayBias(1 / 16, "linear"),)),
    "log-four": Scheme((lambda s: DecayBias([2.0 ** (2 - h) for h in range(s.n_heads)]),)),
    "linear-learned": Scheme((lambda s: LearnedDecay(slopes(s.n_heads).tolist(), "linear"),)),
    "log-learned": Scheme((lambda s: LearnedDecay([1.0] * s.n_heads, "log"),)),
}
NUMBERED: dict[str, Callable[[float], Scheme]] = {  # "t5-256" is the family "t5" with 256
    **{run: functools.partial(registered, scheme) for run, scheme in RUNS.items() if scheme.size},
    "rope-base": lambda base: Scheme((lambda s: RoPE(s.d_head, base=base),)),
}


def find(name: str) -> Scheme:
    """The scheme of that name: one of PLAIN, or a family of NUMBERED and its number, as in "t5-256" or "log-0.3".

    "rope+none": the first layer has one, the second the other, and so on in turn. Raises ValueError for another name.
    """
    if "+" in name:
        parts = [find(part) for part in name.split("+")]
        if any(part.input for part in parts):
            raise ValueError(f"scheme={name!r}: expected schemes of attention, not of the input")
        return Scheme(tuple(layer for part in parts for layer in part.layers))
    family, _, number = name.rpartition("-")
    if name in PLAIN:
        return PLAIN[name]
    if family in NUMBERED and re.fullmatch(r"\d+(\.\d+)?", number):
        return NUMBERED[family](float(number) if "." in number else int(number))
    numbered = ", ".join(f"{family}-NUMBER" for family in NUMBERED)
    raise ValueError(f"scheme={name!r}: expected one of {', '.join(PLAIN)}, {numbered}")
