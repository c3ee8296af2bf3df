"""Claims about absolute positions."""

import numpy as np

from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index
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
