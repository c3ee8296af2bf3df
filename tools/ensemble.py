"""How far are the asserts of a lesson from failing? Its trainings, run with other seeds and on other processors.

    python -m tools.ensemble t5_buckets              40 runs, a table of the smallest margin of each assert
    python -m tools.ensemble t5_buckets --runs 12

Every run executes the lesson's cells. It multiplies each initial weight by 1 ± 3e-7. The runs are shared out among the
kinds of processor that torch can play (`ATEN_CPU_CAPABILITY`), each with one thread and two, and each kind has a run
with the lesson's own seeds and others with seeds that are moved. An assert records by how much it holds instead of
raising. Shown are the asserts whose margin is not the same in all runs, and any that fails.
"""

import argparse
import ast
import contextlib
import io
import itertools
import multiprocessing
import os
import sys
from collections import defaultdict
from unittest.mock import patch

import numpy as np
import torch

from course_chapters import lesson_file
from course_study import small

NOISE = 3e-7  # a few last digits of a float32
SIGNS = {ast.Gt: 1, ast.GtE: 1, ast.Lt: -1, ast.LtE: -1}  # of the left side minus the right side


class Recorded(ast.NodeTransformer):
    """`assert a < b < c and d` becomes `_record(line, [(-1, a, b), (-1, b, c), (0, d, 0)])`."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        parts: list[tuple[int, ast.expr, ast.expr]] = []
        tests = [node.test]
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
            tests = node.test.values
        for test in tests:
            if isinstance(test, ast.Compare) and all(type(op) in SIGNS for op in test.ops):
                sides = [test.left, *test.comparators]
                parts += [(SIGNS[type(op)], a, b) for op, a, b in zip(test.ops, sides, sides[1:])]
            else:
                parts.append((0, test, ast.Constant(0)))
        rows: list[ast.expr] = [ast.Tuple([ast.Constant(sign), a, b], ast.Load()) for sign, a, b in parts]
        call = ast.Call(ast.Name("_record", ast.Load()), [ast.Constant(node.lineno), ast.List(rows, ast.Load())], [])
        return ast.copy_location(ast.Expr(call), node)


def margin(sign: int, a: object, b: object) -> float:
    """By how much a comparison holds: negative if it does not, and infinite if it holds without being about size."""
    if not sign:
        return np.inf if np.asarray(a).all() else -np.inf
    a, b = (x.detach() if isinstance(x, torch.Tensor) else x for x in (a, b))
    return float(np.min(sign * (np.asarray(a, dtype=float) - np.asarray(b, dtype=float))))


def run(topic: str, number: int, moved: int) -> dict[int, float]:
    """The smallest margin of each assert by its line, in run `number`; every seed is moved by `moved`."""
    noise, initialise, seeded = np.random.default_rng(number), torch.optim.Optimizer.__init__, torch.manual_seed
    reproducible, train = small.reproducible, small.train

    def disturbed(optimizer, *args, **kwargs):
        initialise(optimizer, *args, **kwargs)
        with torch.no_grad():
            for parameter in (p for group in optimizer.param_groups for p in group["params"]):
                signs = noise.choice([-1.0, 1.0], size=parameter.shape)
                parameter *= torch.as_tensor(1 + NOISE * signs, dtype=parameter.dtype)

    def train_moved(model, draw, steps, learning_rate, seed):
        return train(model, draw, steps, learning_rate, seed + moved)

    margins: dict[int, float] = defaultdict(lambda: np.inf)

    def record(line: int, parts: list[tuple[int, object, object]]) -> None:
        margins[line] = min(margins[line], *(margin(*part) for part in parts))

    scope = {"__name__": "__main__", "_record": record}
    tree = ast.fix_missing_locations(Recorded().visit(ast.parse(lesson_file(topic).read_text(encoding="utf-8"))))
    with (
        contextlib.redirect_stdout(io.StringIO()),
        patch.object(torch.optim.Optimizer, "__init__", disturbed),
        patch.object(torch, "manual_seed", lambda seed: seeded(seed + moved)),
        patch.object(torch, "set_num_threads", lambda threads: None),  # a lesson asks for one
        patch.object(small, "reproducible", lambda seed: reproducible(seed + moved)),
        patch.object(small, "train", train_moved),
    ):
        exec(compile(tree, str(lesson_file(topic)), "exec"), scope)
    return dict(margins)


def kinds() -> list[tuple[str, int]]:
    """The kinds of processor that this one can play, each with one thread and two."""
    wide = "AVX512" in torch.backends.cpu.get_cpu_capability()
    return list(itertools.product(["default", "avx2", *["avx512"] * wide], (1, 2)))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topic")
    parser.add_argument("--runs", type=int, default=40)
    asked = parser.parse_args(arguments)
    found: dict[int, list[float]] = defaultdict(list)
    os.environ["MPLBACKEND"] = "Agg"
    for first, (capability, threads) in enumerate(kinds()):
        os.environ["ATEN_CPU_CAPABILITY"] = capability  # torch reads it once, so each kind needs a new process
        numbers = range(first, asked.runs, len(kinds()))
        runs = [(asked.topic, number, 1000 * moved) for moved, number in enumerate(numbers)]
        with multiprocessing.get_context("spawn").Pool(1, torch.set_num_threads, [threads]) as process:
            for margins in process.starmap(run, runs):
                for line, least in margins.items():
                    found[line].append(least)
        print(f"{capability}, {threads} thread{'s' * (threads > 1)}: done", file=sys.stderr, flush=True)
    lines = lesson_file(asked.topic).read_text(encoding="utf-8").splitlines()
    print("line  failed  least margin")
    for line, every in sorted(found.items()):
        least, failed = min(every), sum(x < 0 for x in every)
        if failed or f"{least:.4f}" != f"{max(every):.4f}":
            print(f"{line:4}  {failed:3}/{len(every):2}  {least:12.4f}  {lines[line - 1].strip()}")


if __name__ == "__main__":
    main(sys.argv[1:])
