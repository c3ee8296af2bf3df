"""Does a scheme do what its definition says? Layers with random weights against the loops of the oracle."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import torch
from torch import Tensor

from ..nn.backends import check_backend
from ..nn.layer import RelativeAttention
from ..nn.threads import one_thread
from .definition import Definition, by_definition
from .explain import explained
from .hooks import SILENT, Make, kind, made, says_nothing
from .report import Report
from .trials import BATCH, FAR, SHAPES, Trial, answer, name_of, split

BACKENDS = ("eager", "sdpa", "flex")
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}  # of answers of size about 1


@dataclass(frozen=True, repr=False)
class Agreement(Report):
    """`passed`, and the largest difference by precision; of a failure the first trial, the place and the cause."""

    name: str
    status: str
    largest: dict[torch.dtype, float] = field(default_factory=dict)
    backends: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)  # of these, what the ones say that cannot
    tried: int = 0
    trial: Trial | None = None
    place: str = ""
    cause: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def lines(self) -> list[str]:
        if not self.attempted:
            return [f"not attempted: {SILENT.format(self.name)}"]
        if not self.passed:
            told = [f"first with {self.trial}", self.place, *([f"→ {self.cause}"] if self.cause else [])]
            return [f"{self.name} differs from its definition", *told]
        *most, last = [backend for backend in self.backends if backend not in self.refused]
        exact = " and ".join(f"{TOLERANCE[dtype]:.0e} in {name_of(dtype)}" for dtype in self.largest)
        return [
            f"{self.name} agrees with its definition in {self.tried} trials",
            "1, 2, 3 and 12 heads; as many keys as queries, more and fewer; causal and not; with a cache, one by one,",
            f"with a memory; two texts at a time; distances up to {max(trial.farthest for trial in FAR)}",
            f"by {', '.join(most)}{' and ' * bool(most)}{last}; no difference reaches {exact}",
            *(f"{backend} cannot: {words}" for backend, words in self.refused.items()),
        ]


@one_thread()
def agrees(make: Make, definition: Definition, backends: Sequence[str] = BACKENDS) -> Agreement:
    """Whether layers with the scheme make(n_heads, d_head) answer as `definition` says, in trials of every kind.

    Every parameter is drawn at random. A backend that refuses what eager can do (FlexAttention takes no value vectors)
    is named and does not count as a failure. What the scheme itself raises is raised, with a note of the trial.
    Raises ValueError for a `make`, a definition and backends that are none, and for a hook that returns another kind.
    """
    scheme = made(make, 2, 4)
    if not isinstance(definition, Definition):
        raise ValueError(f"definition={kind(definition)}: expected with_bias(…), with_vectors(…) or a Definition")
    if isinstance(backends, str) or not backends:
        raise ValueError(f"backends={backends!r}: expected a list of one or more of {', '.join(map(repr, BACKENDS))}")
    backends, name = tuple(map(check_backend, backends)), type(scheme).__name__
    if says_nothing(scheme):
        return Agreement(name, "not attempted")
    largest: dict[torch.dtype, float] = dict.fromkeys(TOLERANCE, 0.0)
    refused: dict[str, str] = {}
    failed: dict[Trial, float] = {}
    trials = [replace(s, backend=b, dtype=d) for d, b, s in product(TOLERANCE, backends, SHAPES)]
    trials += [replace(s, backend=b) for b, s in product(backends, FAR)]
    for trial in trials:
        layer, source = drawn(make, trial)
        try:
            got = answer(layer, trial, source)
        except Exception as error:
            if trial.backend == "eager" or not isinstance(error, ValueError):
                error.add_note(f"in the trial with {trial}")
                raise
            refused[trial.backend] = str(error)
            continue
        wrong = largest_difference(got, by_definition(definition, layer, *split(trial, source), past=trial.past))
        largest[trial.dtype] = max(largest[trial.dtype], wrong)
        if not wrong < TOLERANCE[trial.dtype]:  # nan is wrong, too
            failed[trial] = wrong
    if len(refused) == len(backends):
        raise ValueError(f"backends={list(backends)}: none of them can; {'; '.join(refused.values())}")
    if not failed:
        tried = sum(trial.backend not in refused for trial in trials)
        return Agreement(name, "passed", largest, backends, refused, tried)
    first = next(iter(failed))
    where, cause = explained(definition, *drawn(make, first), list(failed), failed[first])
    return Agreement(name, "failed", largest, backends, refused, len(trials), first, where, cause)


def drawn(make: Make, trial: Trial) -> tuple[RelativeAttention, Tensor]:
    """A layer whose weights and tables are random, of a size that keeps answers about 1, and texts for it.

    The same in every call; the caller's random numbers are left alone.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(trial.heads)
        d_model = trial.heads * trial.d_head
        scheme = make(trial.heads, trial.d_head)
        layer = RelativeAttention(d_model, trial.heads, scheme, causal=trial.causal, backend=trial.backend)
        randomise(layer)
        source = torch.randn(BATCH, trial.past + trial.n_q + (trial.n_k or 0), d_model, dtype=torch.float64)
    return layer.to(trial.dtype), source.to(trial.dtype)


def randomise(layer: RelativeAttention) -> None:
    """Every parameter normal, with a deviation that keeps scores and answers about 1."""
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5 if parameter.dim() else 1.0)


def largest_difference(got: Tensor, expected: Tensor) -> float:
    return (got.double() - expected).abs().max().item()
