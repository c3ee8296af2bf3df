"""Longer than training: small transformers that differ in position alone, trained at one length and tested at others.

import course_study as study
study.sweep(study.plan(study.Settings(steps=100), ["characters"], ["rope", "alibi"], seeds=2), "mine.jsonl")
study.train(study.Settings(), "characters", "alibi", seed=0)       one model
study.fit({"Shaw": make}, draw, steps=150)   one layer learns a small task, with three seeds, in some seconds
study.committed("long")                      the results that come with the course
study.table(rows)                            the mean over the seeds, the best and the worst
study.verdict(rows)                          is the loss of a scheme level on longer texts, does it rise, or break?

python -m course_study --help            the same from a terminal, and longer studies
"""

from .model import Model
from .results import Run, committed, key, pick, read, sweep
from .run import evaluate, plan, run, train
from .settings import COMPARED, PRESETS, Settings
from .small import Small, fit
from .summary import rises, solved, table, verdict
from .variants import VARIANTS, Variant, find, variant
