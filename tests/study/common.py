"""A study so small that a run takes some milliseconds, and what two results must have in common."""

import json

import torch

from course_lib import study
from course_lib.study.__main__ import main

torch.set_num_threads(1)
SIZES = {"length": 8, "steps": 2, "d_model": 8, "n_heads": 2, "n_layers": 2, "batch": 2, "test_texts": 16}
SMALL = study.Settings(**SIZES)
WIDER = study.Settings(**{**SIZES, "length": study.schemes.SHORTEST}, tests=(34, 68))  # here all schemes have a place
EVERY = [*study.compared(WIDER.length), "linear-buckets-16", "log-buckets-16"]
TYPED = [word for name, value in SIZES.items() for word in (f"--{name.replace('_', '-')}", str(value))]
PLAN = ["--tasks", "copy-back", "flip-flop", "--schemes", "none", "rope", "--seeds", "2"]
RUNS = study.plan(["copy-back", "flip-flop"], ["none", "rope"], 2)


def small(**changed):
    return study.Settings(**{**SIZES, **changed})


def command(*words, out):
    """The exit status of the command in this process; what it writes, capsys has."""
    try:
        return main([*TYPED, *PLAN, "--out", str(out), *map(str, words)])
    except SystemExit as stopped:
        return stopped.code


def numbers(rows):
    """What must be the same in every repetition, by run: all but the seconds."""
    return {study.results.key(row): {**row, "seconds": 0} for row in rows}


def result(scheme="rope", seed=0, settings=SMALL, **changed):
    """A row such as a run gives, without the run."""
    n = len(settings.tests)
    row = {"task": "copy-back", "scheme": scheme, "seed": seed, "loss": [1.0] * n, "accuracy": [0.5] * n}
    return {**row, "by_position": [None, 1.0], "settings": settings.as_json(), "seconds": 0.1, **changed}


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
