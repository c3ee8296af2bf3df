"""One learned bias per offset on a GPU: FlexAttention, the dense bias, and ours; bfloat16, n up to 16,384.

Times are medians over rounds; memory is what one call allocates at its peak above inputs and table. What fails (out of
memory, a kernel that does not exist) is written down as such and does not stop the rest.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.nn.backends import flex_attention
from course_lib.nn.fast import fast_attention
from course_lib.nn.terms import Terms
from course_lib.workbench.speed import seconds

from .contender import Contender, Size
from .measure import step
from .peers import offsets

Build = Callable[[Size, bool], Contender]


def _table(size: Size) -> Tensor:
    return size.leaf(size.heads, 2 * size.n - 1)


def no_position(size: Size, causal: bool) -> Contender:
    return Contender(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal))


def dense(size: Size, causal: bool) -> Contender:
    """The bias of every pair, (heads, n, n), in memory, as the mask of `scaled_dot_product_attention`."""
    row = _table(size)

    def run(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        r = offsets(size.n, size.device)
        bias = row[:, r + size.n - 1]
        bias = bias.masked_fill(r > 0, -torch.inf) if causal else bias
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None])

    return Contender(run, [row])


def flex(size: Size, causal: bool) -> Contender:
    row = _table(size)
    return Contender(lambda q, k, v: flex_attention(q, k, v, Terms(bias=row, causal=causal)), [row])


def ours(size: Size, causal: bool) -> Contender:
    row = _table(size)
    return Contender(lambda q, k, v: fast_attention(q, k, v, Terms(bias=row, causal=causal)), [row])


CONTENDERS: dict[str, Build] = {"no position": no_position, "dense bias": dense, "FlexAttention": flex, "ours": ours}


def largest_error(name: str, causal: bool, device: str) -> dict[str, float]:
    """Output and table gradient against float64 eager attention, relative to the largest number, at n = 512."""
    torch.manual_seed(0)
    size = Size(512, heads=4, device=device, dtype=torch.bfloat16)
    contender, inputs = CONTENDERS[name](size, causal), size.inputs()
    exact_inputs = [x.detach().double().requires_grad_() for x in inputs]
    row = [x.detach().double().requires_grad_() for x in contender.learned]
    r = offsets(size.n, device)
    bias = row[0][:, r + size.n - 1] if row else torch.zeros(1, device=device, dtype=torch.float64)
    s = exact_inputs[0] @ exact_inputs[1].mT * size.d**-0.5 + bias
    exact = (s.masked_fill(r > 0, -torch.inf) if causal else s).softmax(-1) @ exact_inputs[2]
    grad = torch.randn_like(exact)
    output = contender.run(*inputs)
    got = [output, *torch.autograd.grad(output, [*inputs, *contender.learned], grad.to(output.dtype))]
    want = [exact, *torch.autograd.grad(exact, [*exact_inputs, *row], grad)]
    errors = [((a.double() - b).abs().max() / b.abs().max()).item() for a, b in zip(got, want)]
    return {"output": errors[0], "gradients": max(errors[1:])}


def compare(
    lengths: list[int],
    *,
    heads: int = 8,
    device: str = "cuda",
    rounds: int = 7,
    limit_s: float = 420,
    quiet: bool = False,
) -> list[dict[str, Any]]:
    """A line per contender, length, direction and pass. Stops taking on new work after limit_s seconds."""
    from tqdm import tqdm

    started, lines = time.monotonic(), []
    work = [
        (causal, n, name, back)
        for causal in (True, False)
        for n in lengths
        for back in (False, True)
        for name in CONTENDERS
    ]
    for causal, n, name, backward in tqdm(work, desc="learning table", disable=quiet, file=sys.stderr):
        line: dict[str, Any] = {"name": name, "causal": causal, "n": n, "backward": backward}
        lines.append(line)
        if time.monotonic() - started > limit_s:
            line["note"] = "not run: out of time"
            continue
        try:
            line |= _one(
                CONTENDERS[name], Size(n, heads=heads, device=device, dtype=torch.bfloat16), causal, backward, rounds
            )
        except Exception as error:  # a table with a hole and its reason is better than none
            line["note"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]
        if device == "cuda":
            torch.cuda.empty_cache()
    return lines


def _one(build: Build, size: Size, causal: bool, backward: bool, rounds: int) -> dict[str, float]:
    torch.manual_seed(0)
    run = step(build(size, causal), size.inputs(), backward)
    run()  # compiles
    memory = 0.0
    if size.device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        torch.cuda.synchronize()
        memory = (torch.cuda.max_memory_allocated() - before) / 2**20
    return {"ms": 1e3 * statistics.median(seconds(run, size.device) for _ in range(rounds)), "mb": memory}


def markdown(lines: list[dict[str, Any]]) -> str:
    """One row per length and pass, one column per contender: milliseconds / MB, in brackets times no position."""
    out = []
    for causal in (True, False):
        out += [f"### {'Causal' if causal else 'Full'}", "", "| n | pass | " + " | ".join(CONTENDERS) + " |"]
        out += ["|---|---|" + "---|" * len(CONTENDERS)]
        chosen = [line for line in lines if line["causal"] == causal]
        for n, backward in sorted({(line["n"], line["backward"]) for line in chosen}):
            row = {line["name"]: line for line in chosen if (line["n"], line["backward"]) == (n, backward)}
            base = row.get("no position", {}).get("ms")
            cells = [_cell(row.get(name, {}), base) for name in CONTENDERS]
            out.append(f"| {n} | {'forward + backward' if backward else 'forward'} | " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out)


def _cell(line: dict[str, Any], base: float | None) -> str:
    if "ms" not in line:
        return line.get("note", "—")
    times = f" ({line['ms'] / base:.2f}×)" if base else ""
    return f"{line['ms']:.2f} ms{times}, {line['mb']:.0f} MB"
