"""The claims ledger: sentences about relative positions that are often repeated, each with a cell that decides it.

from course_tasks import claims
claims.decide("all_in_use")                   runs the deciding fact: its code, its value, the verdict, and why
claims.topic("T5's buckets")                 the sentences of one topic, to guess at; verdict and fact are in folds
claims.counts()                              how many are true, half true, false and unsourced, by topic
claims.overview()                            every sentence with its verdict
claims.CLAIMS                                the claims by name; claims.CLAIMS[name].fact() is what decide runs
claims.TOPICS                                the same by topic

A verdict is never written down as an answer. It is computed from the fact by the rule that stands beside it, so with
another fact it would be another one. Where a fact begins with figures that others reported, or with what the published
code of a model gives (recorded in published.py), it says "quoted and computed", and the source says whose they are.
"unsourced" means that no measurement known to the course supports the sentence.
"""

from .claim import VERDICTS, Claim
from .overview import counts, overview
from .ruling import Ruling
from .topics import CLAIMS, TOPICS, Topic, decide, topic

__all__ = ["CLAIMS", "TOPICS", "VERDICTS", "Claim", "Ruling", "Topic", "counts", "decide", "overview", "topic"]
