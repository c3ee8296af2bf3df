"""What does a scheme cost? Its time beside that of attention without position, and the bytes of its hooks."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from course_lib.nn.backends import attend
from course_lib.nn.terms import Terms
from course_lib.nn.threads import one_thread

from ..report import Report
from .scheme import Make, made, not_attempted, returned, says_nothing


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
