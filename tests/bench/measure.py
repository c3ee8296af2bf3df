"""What to time, and peak memory, each in a process of its own."""

import contextlib
import json
import math
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from .contender import Contender, Size
from .contenders import SCHEMES


def step(contender: Contender, inputs: list[torch.Tensor], backward: bool) -> Callable[[], object]:
    """One call to time: the output without gradients, or the gradients of q, k, v and all that learns."""

    def forward() -> object:
        with torch.no_grad():
            return contender.run(*inputs)

    def both() -> object:
        output = contender.run(*inputs)
        return torch.autograd.grad(output, [*inputs, *contender.learned], torch.ones_like(output))

    return both if backward else forward


def exponent(by_n: dict[int, float]) -> float | None:
    """p in time ~ n^p, from the smallest n to the largest."""
    n = sorted(by_n)
    return math.log(by_n[n[-1]] / by_n[n[0]]) / math.log(n[-1] / n[0]) if len(n) > 1 else None


def peak_memory(scheme: str, contender: str, size: Size, backward: bool) -> float | None:
    """Extra MB at the peak of one call, above inputs and tables, in a process of its own. None: it died."""
    arguments = {"scheme": scheme, "contender": contender, "n": size.n, "device": size.device, "backward": backward}
    command = [sys.executable, "-m", "tests.bench.measure", json.dumps(arguments | {"dtype": str(size.dtype)[6:]})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def _memory_here(scheme: str, contender: str, n: int, device: str, backward: bool, dtype: str) -> float:
    torch.set_num_threads(1)
    make, kind = SCHEMES[scheme].all()[contender], getattr(torch, dtype)
    small = Size(64, device=device, dtype=kind)
    step(make(small), small.inputs(), backward)()  # what is loaded at the first call is not what it needs
    size = Size(n, device=device, dtype=kind)
    run = step(make(size), size.inputs(), backward)
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        return (torch.cuda.max_memory_allocated() - before) / 2**20
    with contextlib.suppress(OSError):  # Linux: forget the peak of the imports
        Path("/proc/self/clear_refs").write_text("5")
    before = _peak()
    run()
    return _peak() - before


def _peak() -> float:
    """MB this process has needed so far at most. Linux counts the parent's peak in ru_maxrss, but not in VmHWM."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


if __name__ == "__main__":
    print(_memory_here(**json.loads(sys.argv[1])))
