"""Longer than training: small transformers that differ in position alone, trained at one length and tested at others.

from course_lib import study
study.sweep(study.Settings(steps=100), study.plan(["characters"], ["rope", "alibi"], seeds=2), "mine.jsonl")
study.watch(["none", "alibi"])               the losses, drawn while the models train, with a Stop button
study.fit({"Shaw": make}, draw, steps=150)   one layer learns a small task, with three seeds, in some seconds
study.committed("long-2000")                 the results that come with the course
study.table(rows), study.curves(rows)        mean and interval over seeds
study.verdict(study.rise(rows))              is the loss of a scheme level on longer texts, does it rise, or break?

python -m course_lib.study --help            the same from a terminal, on all cores or many machines
python -m course_lib.study.released --help   what the released model does when it is changed
"""

from .data import QUICK, TASKS
from .model import Model
from .one_layer import OneLayer, fit
from .results import committed, pick, read
from .run import evaluate, run, train
from .schemes import Scheme, ablation, compared, find, later
from .settings import PRESETS, Settings
from .summary import BREAKS, LEVEL, Interval, curves, interval, rise, table, verdict
from .sweep import plan, sweep
from .watch import watch

__all__ = [
    "BREAKS",
    "LEVEL",
    "PRESETS",
    "QUICK",
    "TASKS",
    "Interval",
    "Model",
    "OneLayer",
    "Scheme",
    "Settings",
    "ablation",
    "committed",
    "compared",
    "curves",
    "evaluate",
    "find",
    "fit",
    "interval",
    "later",
    "pick",
    "plan",
    "read",
    "rise",
    "run",
    "sweep",
    "table",
    "train",
    "verdict",
    "watch",
]
