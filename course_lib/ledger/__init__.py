"""The claims ledger: sentences about relative positions that are often repeated, each with a cell that decides it.

from course_lib import ledger
ledger.judge("all_in_use")                   runs the deciding fact: its code, its value, the verdict, and why
ledger.topic("T5's buckets")                 the sentences of one topic, to guess at; verdict and fact are in folds
ledger.counts()                              how many are true, half true, false and unsourced, by topic
ledger.overview()                            every sentence with its verdict
ledger.CLAIMS                                the claims by name; ledger.CLAIMS[name].fact() is what judge runs
ledger.TOPICS                                the same by topic

A verdict is never written down as an answer. It is computed from the fact by the rule that stands beside it, so with
another fact it would be another one. Where a fact begins with figures that others reported, or with what the published
code of a model gives (recorded in published.py), it says "quoted and computed", and the source says whose they are.
"unsourced" means that no measurement known to the course supports the sentence.
"""

from .claim import VERDICTS, Claim
from .judgement import Judgement
from .tables import counts, overview
from .topics import CLAIMS, TOPICS, Topic, judge, topic

__all__ = ["CLAIMS", "TOPICS", "VERDICTS", "Claim", "Judgement", "Topic", "counts", "judge", "overview", "topic"]
