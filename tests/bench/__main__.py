"""python -m tests.bench [--scheme … --n … --device … --backward --memory … --json FILE --markdown FILE --plot FILE]"""

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from course_lib.workbench.speed import interleaved, ratio

from . import learning_table, report
from .contender import Size
from .contenders import SCHEMES
from .measure import exponent, peak_memory, step


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--scheme", nargs="+", default=[], help=f"of: {', '.join(SCHEMES)}; all by default")
    parser.add_argument("--n", nargs="*", type=int, help="lengths, 512 1024 2048 by default, on cuda 1024 … 16384")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--backward", action="store_true", help="forward + backward, too")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="more than one on a busy machine measures the machine")
    parser.add_argument("--memory", nargs="*", type=int, default=[], metavar="N", help="lengths to measure memory at")
    parser.add_argument("--no-peers", action="store_true", help="only the limit and ours")
    parser.add_argument("--learning-table", action="store_true", help="instead: FlexAttention, dense bias and ours")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args(argv)
    for name in given.scheme:
        if name not in SCHEMES:
            parser.error(f"--scheme {name!r}: expected one of {', '.join(map(repr, SCHEMES))}")
    if given.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda: torch sees no GPU here")
    if given.rounds < 1 or any(n < 1 for n in [*(given.n or []), *given.memory]):
        parser.error("--n, --memory and --rounds: expected whole numbers, 1 or more")
    given.scheme = given.scheme or list(SCHEMES)
    if given.n is None:
        given.n = [512, 1024, 2048] if given.device == "cpu" else [1024, 2048, 4096, 8192, 16384]
    return given


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Every chosen scheme, its contenders side by side, with a progress bar."""
    dtype = torch.bfloat16 if given.device == "cuda" else torch.float32
    passes = [False, True] if given.backward else [False]
    rows: dict[tuple[str, str, bool], dict[str, Any]] = {}
    contenders = {
        name: {c: make for c, make in SCHEMES[name].all().items() if not given.no_peers or c in ("limit", "ours")}
        for name in given.scheme
    }
    calls = sum(len(made) for made in contenders.values()) * len(passes)
    total = calls * (len(given.n) * (given.rounds + 1) + len(given.memory))
    with tqdm(total=total, file=sys.stderr, unit="call", smoothing=0) as bar:
        for scheme, made in contenders.items():
            for backward in passes:
                for contender in made:
                    row = {
                        "scheme": scheme,
                        "contender": contender,
                        "backward": backward,
                        "ms": {},
                        "ratio": {},
                        "mb": {},
                    }
                    rows[scheme, contender, backward] = row
                for n in given.n:
                    bar.set_description(f"{scheme}, n = {n}")
                    torch.manual_seed(0)
                    size, runs = Size(n, device=given.device, dtype=dtype), {}
                    inputs = size.inputs()
                    for contender, make in made.items():
                        try:
                            runs[contender] = step(make(size), inputs, backward)
                            runs[contender]()
                        except Exception as error:  # a peer that does not run here is a note, not the end
                            if contender in ("limit", "ours"):
                                raise
                            rows[scheme, contender, backward]["note"] = f"{type(error).__name__}: {error}"[:80]
                            runs.pop(contender, None)
                    times = interleaved(runs, given.rounds, given.device, lambda: bar.update())
                    bar.update((len(made) - len(runs)) * (given.rounds + 1))
                    for contender, found in times.items():
                        row = rows[scheme, contender, backward]
                        row["ms"][str(n)] = 1e3 * statistics.median(found)
                        row["ratio"][str(n)] = ratio(times, contender, "limit")
                for contender in made:
                    row = rows[scheme, contender, backward]
                    row["exponent"] = exponent({int(n): ms for n, ms in row["ms"].items()})
                    for n in given.memory:
                        bar.set_description(f"{scheme}, memory, n = {n}")
                        size = Size(n, device=given.device, dtype=dtype)
                        row["mb"][str(n)] = peak_memory(scheme, contender, size, backward)
                        bar.update()
    settings = (
        f"Batch 1, 8 heads, d 64, {str(dtype)[6:]}, {given.device}; medians over {given.rounds} interleaved rounds, as "
        "multiples of `scaled_dot_product_attention` without position (is_causal=True for causal schemes) in the same "
        "round. Projections excluded. Memory: above inputs and tables, peak of one call in a process of its own (on a "
        "CPU what was freed while the inputs were made, up to the size of one of them, is used first and not counted)."
    )
    return {
        "machine": report.machine(given.device),
        "settings": settings,
        "lengths": given.n,
        "memory_lengths": given.memory,
        "rows": list(rows.values()),
    }


def learn(given: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The learning table: its figures and its page."""
    lines = learning_table.compare(given.n, device=given.device, rounds=given.rounds)
    errors = {}
    for name in learning_table.CONTENDERS:
        for causal in (True, False):
            try:
                found = learning_table.largest_error(name, causal, given.device)
                errors[f"{name}, {'causal' if causal else 'full'}"] = found
            except Exception as error:  # as in the table
                errors[f"{name}, {'causal' if causal else 'full'}"] = {"note": f"{type(error).__name__}: {error}"[:160]}
    results = {"machine": report.machine(given.device), "lines": lines, "errors": errors}
    head = "# A learned bias per offset: " + ", ".join(f"{k} {v}" for k, v in results["machine"].items())
    page = [head, "", "Batch 1, 8 heads, d 64, bfloat16; median time, extra memory at the peak of one call.", ""]
    page += [learning_table.markdown(lines), "## Largest error against float64, relative to the largest number", ""]
    page += [
        f"* {name}: " + ", ".join(f"{k} {v:.1e}" if isinstance(v, float) else str(v) for k, v in found.items())
        for name, found in errors.items()
    ]
    return results, "\n".join(page) + "\n"


def main(argv: list[str] | None = None) -> None:
    given = arguments(argv)
    torch.set_num_threads(given.threads)
    if given.learning_table:
        results, page = learn(given)
    else:
        results = measure(given)
        page = report.markdown(results)
        if given.plot:
            report.plot(results, given.plot)
    print(page)
    if given.markdown:
        given.markdown.write_text(page, encoding="utf-8")
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
