"""Try out a scheme of your own: check it against its definition, time it beside plain attention, train it in the study.

    from course_study import own_scheme

    def make(n_heads, d_head):               # any Position
        return DecayBias(0.3)

    own_scheme.agrees(make, own_scheme.with_bias(lambda module, head, r: -0.3 * math.log(1 + abs(r))))
    own_scheme.benchmark(make)
    own_scheme.train(make)

`agrees` takes what the scheme adds, written a second time in plain Python: a number per offset (`with_bias`), vectors
on keys and values and a number beside them (`with_vectors`), turned pairs of channels (`with_rotation`), or any other
`Definition`.

Two kinds of schemes cannot be written as a `Position`: positions that are counted from the scores, as in CoPE
(Golovneva et al. 2024), because no hook sees the scores; and a product of matrices along the path from the key to the
query, as in PaTH (Yang et al. 2025). A *sum* along the path is a difference c_i − c_j, so FoX fits.
"""

import copy
import math
import statistics
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

import course_study as study
from course_kit.checking.axes import Axis
from course_kit.checking.difference import Pair
from course_kit.checking.relations import FINISHES, WEAK, common
from course_lib.checks import check_function
from course_lib.definition import Definition, by_definition, defined, numbers, randomise, scale_of
from course_lib.definition import with_bias as with_bias
from course_lib.definition import with_rotation as with_rotation
from course_lib.definition import with_vectors as with_vectors
from course_lib.nn.backends import attend
from course_lib.nn.cache import KeyValueCache, SegmentMemory
from course_lib.nn.layer import RelativeAttention
from course_lib.nn.position import Position, Vectors
from course_lib.nn.terms import Terms
from course_lib.nn.threads import one_thread

from .report import Report
from .run import inputs

Make = Callable[[int, int], Position]
LIMIT = "No hook sees the scores, as CoPE would need, and none returns matrices, as PaTH would need."
HOOKS = {
    **dict.fromkeys(("bias", "key_vectors", "value_vectors"), ("n_q", "n_k", "past")),
    "prepare": ("q", "k", "past", "first_key"),
    "key_bias": ("x", "before"),
    "sink": (),
}


def made(make: Make, n_heads: int, d_head: int) -> Position:
    """The scheme make(n_heads, d_head). A ValueError if there is none, or if a hook asks for what no hook is given."""
    check_function("make", make, "n_heads", "d_head")
    position = make(n_heads, d_head)
    if not isinstance(position, Position):
        raise ValueError(f"make({n_heads}, {d_head}) returned a {type(position).__name__}: expected a Position")
    for hook, arguments in HOOKS.items():
        check_function(hook, getattr(position, hook), *arguments, but=f". {LIMIT}")
    for hook in ("key_vectors", "value_vectors"):
        found = getattr(position, hook)(2, 2, 0)
        if not isinstance(found, Vectors | None):
            raise ValueError(f"{hook} returned a {type(found).__name__}: expected Vectors(table, first), or None")
    return position


def returned(position: Position, n: int, d_model: int) -> dict[str, Tensor]:
    """The tensors that the hooks return for a text of n tokens; of vectors, their table."""
    found = {hook: getattr(position, hook)(n, n, 0) for hook in ("bias", "key_vectors", "value_vectors")}
    found |= {"key_bias": position.key_bias(torch.zeros(1, n, d_model), None), "sink": position.sink()}
    tables = {hook: answer.table if isinstance(answer, Vectors) else answer for hook, answer in found.items()}
    return {hook: table for hook, table in tables.items() if table is not None}


def says_nothing(position: Position, d_model: int) -> bool:
    """Whether no hook has been written: then it is attention without position."""
    return type(position).prepare is Position.prepare and not returned(position, 2, d_model)


def not_attempted(name: str) -> tuple[str, list[str]]:
    hooks = ", ".join(f"`{hook}`" for hook in HOOKS)
    return "not attempted", [f"not attempted: no hook of {name} says anything yet ({hooks})"]


# --- does it agree? -----------------------------------------------------------------------------------------------


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


# --- what does it cost? -------------------------------------------------------------------------------------------


@dataclass(repr=False)
class Speed(Report):
    """How many times as long as plain attention, and the bytes that the hooks return, by the number of tokens."""

    forward: float = 1.0
    backward: float = 1.0  # forward and backward together
    kept: dict[int, int] = field(default_factory=dict)


@one_thread()  # more of them measure how busy the machine is
def benchmark(make: Make, n: int = 1024, rounds: int = 7) -> Speed:
    """The time of causal attention with the scheme make(n_heads, d_head) over that without, on this machine's CPU.

    The hooks are asked in every call, as a layer does; a few seconds. Raises ValueError for a `make` that makes no
    scheme.
    """
    heads, d = 8, 64
    name = type(position := made(make, heads, d)).__name__
    if says_nothing(position, heads * d):
        return Speed(*not_attempted(name))
    x = torch.randn(1, n, heads * d)
    q, k, v = (torch.randn(1, heads, n, d, requires_grad=True) for _ in range(3))
    learned = [p for p in position.parameters() if p.requires_grad]

    def plain() -> Tensor:
        return scaled_dot_product_attention(q, k, v, is_causal=True)

    def yours() -> Tensor:
        terms = Terms.of(position, n, n, 0, key_bias=position.key_bias(x, None), causal=True)
        return attend("sdpa", *position.prepare(q, k, 0, 0), v, terms)

    forward = interleaved({"plain": torch.no_grad()(plain), "yours": torch.no_grad()(yours)}, rounds)
    both = {"plain": lambda: gradients(plain(), [q, k, v]), "yours": lambda: gradients(yours(), [q, k, v, *learned])}
    backward = interleaved(both, rounds)
    ratios = [statistics.median(b / a for a, b in zip(t["plain"], t["yours"])) for t in (forward, backward)]
    kept = {m: sum(t.nbytes for t in returned(position, m, heads * d).values()) for m in (n, 2 * n)}
    lines = [f"{name} beside attention without position: {n:,} tokens, {heads} heads of {d}, causal"]
    for way, ratio, times in zip(("forward", "forward and backward"), ratios, (forward, backward)):
        lines.append(f"{way:21} {ratio:5.2f} times the {1000 * statistics.median(times['plain']):.0f} ms of plain")
    lines.append("the hooks return " + ", ".join(f"{size:,} bytes for {m:,} tokens" for m, size in kept.items()))
    lines.append(f"one thread, in turns; medians of {rounds} rounds")
    return Speed("measured", lines, ratios[0], ratios[1], kept)


def gradients(output: Tensor, of: list[Tensor]) -> object:
    return torch.autograd.grad(output, of, torch.ones_like(output), allow_unused=True)


def interleaved(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each in every round; a round runs all of them once, so that a busy moment meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name] += [time.perf_counter() - begin] * (number > 0)  # the first round is not counted
    return times


# --- what does it learn? ------------------------------------------------------------------------------------------


@dataclass(repr=False)
class Training(Report):
    """rows: the results, yours first, as lines of a results file. loss: of each scheme at each length. model: yours."""

    rows: list[study.results.Row] = field(default_factory=list)
    model: study.Model | None = None

    @property
    def loss(self) -> dict[str, list[float]]:
        return {row["scheme"]: row["loss"] for row in self.rows}


def train(
    make: Make,
    task: str = "characters",
    against: Sequence[str] = ("log-1", "alibi"),
    steps: int | None = None,
    seed: int = 0,
) -> Training:
    """Train a model whose every layer has its own make(n_heads, d_head), and test it up to 8 times its length.

    `against` are schemes of the study. Their committed results serve where settings, seed and text are the same; with
    other `steps`, and with a Python whose help texts are others, they are trained here, each for some seconds.
    Raises ValueError for an unknown task or scheme, for a `make` that makes no scheme, and as `study.Settings` does.
    """
    settings = study.Settings() if steps is None else study.Settings(steps=steps)
    sizes = settings.n_heads, settings.d_head
    name = type(position := made(make, *sizes)).__name__
    if says_nothing(position, settings.d_model):
        return Training(*not_attempted(name))
    others = [run for run in study.plan(settings, [task], against, seed + 1) if run.inputs["seed"] == seed]
    model = study.train(settings, task, study.Variant((lambda _: make(*sizes),)), seed)
    rows = [{**inputs(settings, task, name, seed), **study.evaluate(model, settings, task)}]
    for other in others:
        committed = study.pick(study.committed("quick"), **other.inputs)
        rows += committed or [{**other.inputs, **other.outcome()}]
    lines = [f"{name} after {settings.steps} steps on {settings.length} tokens, seed {seed}"]
    lines += study.table(rows).splitlines()
    if any(map(math.isnan, rows[0]["loss"])):
        lines.append("A loss is nan: a hook returned nan or ∞, or the training ran away.")
    return Training("trained", lines, rows, model)
