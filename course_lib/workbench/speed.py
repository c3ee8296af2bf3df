"""What a scheme costs: its time beside attention without position, in one process and in turns, and what it keeps."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from ..nn.backends import attend
from ..nn.position import Position
from ..nn.terms import Terms
from ..nn.threads import one_thread
from ..reference.grid import check_whole
from .hooks import SILENT, Make, made, returned, says_nothing
from .report import Report

HEADS, D_HEAD = 8, 64
PASSES = ("forward", "forward and backward")


@dataclass(frozen=True, repr=False)
class Speed(Report):
    """forward, backward: how many times as long as plain attention, whose seconds `plain` holds, by name of the pass.

    `backward` is forward and backward together; `kept` are the bytes that the hooks return, by the number of tokens.
    """

    name: str
    status: str
    n: int
    rounds: int
    forward: float = 1.0
    backward: float = 1.0
    plain: dict[str, float] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)

    def lines(self) -> list[str]:
        if not self.attempted:
            return [f"not attempted: {SILENT.format(self.name)}, so it is plain attention"]
        ratios = zip(PASSES, (self.forward, self.backward), strict=True)
        return [
            f"{self.name} beside attention without position: {_tokens(self.n)}, {HEADS} heads of {D_HEAD}, causal",
            *(f"{way:21} {ratio:5.2f} times the {1000 * self.plain[way]:.0f} ms of plain" for way, ratio in ratios),
            "the hooks return " + ", ".join(f"{size:,} bytes for {_tokens(n)}" for n, size in self.kept.items()),
            f"one thread, in turns; the median of {self.rounds} round{'s' * (self.rounds > 1)}",
        ]


def _tokens(n: int) -> str:
    return f"{n:,} token{'s' * (n > 1)}"


@one_thread()  # more of them measure how busy the machine is
def benchmark(make: Make, n: int = 1024, rounds: int = 7) -> Speed:
    """The time of attention with the scheme make(n_heads, d_head) over that without, on this machine's CPU.

    The hooks are asked in every call, as a layer does; a few seconds. Raises ValueError for an n or rounds that are not
    whole numbers from 1 on, a `make` that is none, and a hook that returns another kind.
    """
    n, rounds, position = check_whole("n", n), check_whole("rounds", rounds), made(make, HEADS, D_HEAD)
    name = type(position).__name__
    if says_nothing(position):
        return Speed(name, "not attempted", n, rounds)
    x = torch.randn(1, n, HEADS * D_HEAD)
    q, k, v = (torch.randn(1, HEADS, n, D_HEAD, requires_grad=True) for _ in range(3))
    learned = [p for p in position.parameters() if p.requires_grad]
    runs = {
        "plain": lambda: scaled_dot_product_attention(q, k, v, is_causal=True),
        "yours": lambda: attention(position, x, q, k, v),
    }
    times = {
        "forward": interleaved({name: torch.no_grad()(run) for name, run in runs.items()}, rounds),
        "forward and backward": interleaved(
            {
                "plain": lambda: gradients(runs["plain"](), [q, k, v]),
                "yours": lambda: gradients(runs["yours"](), [q, k, v, *learned]),
            },
            rounds,
        ),
    }
    forward, backward = (ratio(times[way], "yours", "plain") for way in PASSES)
    kept = {m: sum(t.nbytes for t in returned(position, m, HEADS * D_HEAD).values()) for m in (n, 2 * n)}
    plain = {way: statistics.median(times[way]["plain"]) for way in PASSES}
    return Speed(name, "measured", n, rounds, forward, backward, plain, kept)


def attention(position: Position, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention with what the hooks say, as `RelativeAttention` computes it between its projections."""
    n = q.shape[-2]
    terms = Terms.of(position, n, n, 0, key_bias=position.key_bias(x, None), causal=True)
    return attend("sdpa", *position.rotate(q, k, 0, 0), v, terms)


def gradients(output: Tensor, of: list[Tensor]) -> object:
    return torch.autograd.grad(output, of, torch.ones_like(output), allow_unused=True)


def seconds(run: Callable[[], object], device: str = "cpu") -> float:
    """How long one call takes; on a GPU until its work is done."""
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def interleaved(
    runs: dict[str, Callable[[], object]], rounds: int, device: str = "cpu", tick: Callable[[], object] = lambda: None
) -> dict[str, list[float]]:
    """Seconds of each in every round; a round runs all of them once, so that a busy moment meets all alike."""
    for run in runs.values():
        run()
        tick()
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(seconds(run, device))
            tick()
    return times


def ratio(times: dict[str, list[float]], name: str, to: str) -> float:
    """The median of the ratios of one round each."""
    return statistics.median(a / b for a, b in zip(times[name], times[to], strict=True))
