"""The claims ledger: sentences about relative positions that are often repeated, each with a cell that decides it.

from course_lib import ledger
ledger.judge("all_in_use")                   runs the deciding fact: its code, its value, the verdict, and why
ledger.overview()                            every sentence with its verdict
ledger.CLAIMS                                the claims by name; ledger.CLAIMS[name].fact() is what judge runs

A verdict is never written down as an answer. It is computed from the fact by the rule that stands beside it, so with
another fact it would be another one. "unsourced" means that no measurement known to the course supports the sentence.
"""

from . import alibi_rope, buckets, cost, grids, longer, models, positions
from .claim import VERDICTS, Claim
from .face import overview
from .judgement import Judgement, judge_claim

TOPICS = {
    "Positions and offsets": positions,
    "Grids and diagonals": grids,
    "T5's buckets": buckets,
    "ALiBi and RoPE": alibi_rope,
    "Time and memory": cost,
    "Longer texts": longer,
    "Models and history": models,
}
CLAIMS: dict[str, Claim] = {
    name: found for topic in TOPICS.values() for name, found in vars(topic).items() if isinstance(found, Claim)
}


def judge(name: str) -> Judgement:
    """Run the fact of one claim and say what follows. Raises ValueError for a name that is not in CLAIMS."""
    if name not in CLAIMS:
        raise ValueError(f"name={name!r}: expected one of {', '.join(CLAIMS)}")
    return judge_claim(CLAIMS[name])


__all__ = ["CLAIMS", "TOPICS", "VERDICTS", "Claim", "Judgement", "judge", "overview"]
