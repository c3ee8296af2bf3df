"""Claims about absolute positions. What a model's code gives is recorded in published.py."""

import numpy as np

from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index
from course_tasks.claims import published
from course_tasks.claims.claim import claim


@claim(
    "With relative positions nothing in a longer text is new: every distance was seen in training.",
    stated="half true",
    verdict=lambda fact: "true" if max(fact.values()) == 0 else "half true" if min(fact.values()) == 0 else "false",
    otherwise={"every offset its own": 0.0, "clipped": 0.0},
    because="At twice the training length, a scheme with a number for every offset meets offsets that it never saw "
    "in {fact[every offset its own]:.1%} of the pairs. With clipping it is {fact[clipped]:.0%}: far offsets share a "
    "row that was trained.",
    source="run: trained at 128, tested at 256, all pairs counted, clipped at 16; Shaw et al. 2018, section 3.2",
)
def nothing_new():
    trained, tested = offsets(128), offsets(256)
    alone = np.isin(tested, trained, invert=True).mean()
    clipped = np.isin(clip_index(tested, 16), clip_index(trained, 16), invert=True).mean()
    return {"every offset its own": round(float(alone), 4), "clipped": round(float(clipped), 4)}


@claim(
    "BART has a relative position bias.",
    stated="false",
    verdict=lambda fact: "true" if fact["relative"] > 0 else "false",
    otherwise={"absolute": 0, "relative": 2},
    because="A small BART has {fact[absolute]} tables for positions, one in its encoder and one in its decoder, and each "
    "holds a vector per absolute position. Tables for offsets: {fact[relative]}.",
    source="the parameters of BartModel of transformers 5.23.0, models/bart/modeling_bart.py",
    quoted=True,
)
def bart_is_relative():
    tables = published.BART_TABLES
    rows = published.BART_LONGEST + 2  # a row for each position, and two that no position uses
    absolute = [name for name in tables if tables[name] == rows]
    return {"absolute": len(absolute), "relative": len(tables) - len(absolute)}
