"""Does a scheme do what its definition says? Layers with random weights against the loops of the oracle."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import torch
from torch import Tensor

from ..nn.cache import KeyValueCache
from ..nn.layer import RelativeAttention
from ..nn.position import Position
from .definition import Definition, by_definition
from .hooks import says_nothing
from .report import Report
from .whereabouts import cause, place

Make = Callable[[int, int], Position]
BACKENDS = ("eager", "sdpa", "flex")
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}  # of answers of size about 1
D_HEAD = 4


@dataclass(frozen=True)
class Trial:
    """One text and one layer. n_k: a memory of another length to look at; step: tokens at a time, with a cache."""

    heads: int
    n_q: int
    past: int = 0
    n_k: int | None = None
    causal: bool = False
    step: int | None = None
    backend: str = "eager"
    dtype: torch.dtype = torch.float64

    def __str__(self) -> str:
        looked_at = f"{self.n_q} tokens" if self.n_k is None else f"{self.n_q} queries on {self.n_k} keys"
        said = [f"{self.heads} head{'s' * (self.heads > 1)}", looked_at if self.n_q > 1 else "1 token"]
        said += [f"after {self.past} in the cache"] * bool(self.past) + ["one at a time"] * bool(self.step)
        said += ["causal"] * self.causal + [self.backend, _name(self.dtype)]
        return ", ".join(said)


SHAPES = (  # from the simplest on: the first that fails is told
    Trial(1, 6),
    Trial(1, 6, causal=True),
    Trial(3, 5),
    Trial(12, 4, causal=True),
    Trial(1, 3, n_k=7),
    Trial(2, 5, n_k=2),
    Trial(1, 3, past=4),
    Trial(3, 1, past=6, causal=True),
    Trial(2, 7, causal=True, step=1),
)


@dataclass(frozen=True, repr=False)
class Agreement(Report):
    """`passed`, and the largest difference by precision; of a failure the first trial, the place and the cause."""

    name: str
    status: str
    largest: dict[torch.dtype, float] = field(default_factory=dict)
    backends: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)  # of these, what the ones say that cannot
    trial: Trial | None = None
    place: str = ""
    cause: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def lines(self) -> list[str]:
        if not self.attempted:
            return [f"not attempted: every hook of {self.name} says nothing yet"]
        if not self.passed:
            told = [f"first with {self.trial}", self.place, *([f"→ {self.cause}"] if self.cause else [])]
            return [f"{self.name} differs from its definition", *told]
        *most, last = [backend for backend in self.backends if backend not in self.refused]
        exact = " and ".join(f"{TOLERANCE[dtype]:.0e} in {_name(dtype)}" for dtype in self.largest)
        return [
            f"{self.name} agrees with its definition in {(len(most) + 1) * len(SHAPES) * len(TOLERANCE)} trials",
            "1, 2, 3 and 12 heads; as many keys as queries, more and fewer; causal and not; with a cache, one by one",
            f"by {', '.join(most)}{' and ' * bool(most)}{last}; no difference reaches {exact}",
            *(f"{backend} cannot: {words}" for backend, words in self.refused.items()),
        ]


def agrees(make: Make, definition: Definition, backends: Sequence[str] = BACKENDS) -> Agreement:
    """Whether layers with the scheme make(n_heads, d_head) answer as `definition` says, in trials of every kind.

    Every parameter is drawn at random. A backend that refuses what eager can do (FlexAttention takes no value vectors)
    is named and does not count as a failure. What the scheme itself raises is raised.
    """
    name = type(make(1, D_HEAD)).__name__
    if says_nothing(make(2, D_HEAD)):
        return Agreement(name, "not attempted")
    largest: dict[torch.dtype, float] = dict.fromkeys(TOLERANCE, 0.0)
    refused: dict[str, str] = {}
    failed: list[Trial] = []
    trials = [replace(s, backend=b, dtype=d) for d, b, s in product(TOLERANCE, backends, SHAPES)]
    for trial in trials:
        layer, source = drawn(make, trial)
        try:
            got = answer(layer, trial, source)
        except ValueError as error:
            if trial.backend == "eager":
                raise
            refused[trial.backend] = str(error)
            continue
        wrong = largest_difference(got, by_definition(definition, layer, *split(trial, source), past=trial.past))
        largest[trial.dtype] = max(largest[trial.dtype], wrong)
        if not wrong < TOLERANCE[trial.dtype]:  # nan is wrong, too
            failed.append(trial)
    if not failed:
        return Agreement(name, "passed", largest, tuple(backends), refused)
    first = failed[0]
    layer, source = drawn(make, first)
    where, added = place(definition, layer, *split(first, source), past=first.past)
    return Agreement(name, "failed", largest, tuple(backends), refused, first, where, cause(failed, added))


@torch.no_grad()
def answer(layer: RelativeAttention, trial: Trial, source: Tensor) -> Tensor:
    """The layer's answer for the tokens of a trial, in the way the trial asks for it."""
    x, source = split(trial, source)
    if trial.n_k is not None:
        return layer(x, source)
    cache = KeyValueCache()
    if trial.past:
        layer(source[:, : trial.past], cache=cache)
    return torch.cat([layer(part, cache=cache) for part in x.split(trial.step or trial.n_q, 1)], 1)


def split(trial: Trial, source: Tensor) -> tuple[Tensor, Tensor]:
    """The tokens that ask, (1, n_q, d_model), and those that are looked at, (1, n_k, d_model)."""
    return (source[:, -trial.n_q :], source) if trial.n_k is None else source.split((trial.n_q, trial.n_k), 1)


def drawn(make: Make, trial: Trial) -> tuple[RelativeAttention, Tensor]:
    """A layer whose weights and tables are random, of a size that keeps answers about 1, and tokens for it.

    The same in every call; the caller's random numbers are left alone.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(trial.heads)
        d_model = trial.heads * D_HEAD
        scheme = make(trial.heads, D_HEAD)
        layer = RelativeAttention(d_model, trial.heads, scheme, causal=trial.causal, backend=trial.backend)
        randomise(layer)
        source = torch.randn(1, trial.past + trial.n_q + (trial.n_k or 0), d_model, dtype=torch.float64)
    return layer.to(trial.dtype), source.to(trial.dtype)


def randomise(layer: RelativeAttention) -> None:
    """Every parameter normal, with a deviation that keeps scores and answers about 1."""
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5 if parameter.dim() else 1.0)


def largest_difference(got: Tensor, expected: Tensor) -> float:
    return (got.double() - expected).abs().max().item()


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
