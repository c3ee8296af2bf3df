"""The claims: sentences about relative positions that are often repeated, each with code that decides it.

from course_tasks import claims
claims.chapter("t5_buckets")                 the sentences of one chapter, to guess at; verdict and fact are in folds
claims.decide("all_in_use")                  runs the fact of one claim: its code, its value, the verdict, and why
claims.overview()                            the sentences of all chapters with their verdicts
claims.CLAIMS                                the claims by name; claims.CLAIMS[name].fact() is what decide runs
claims.CHAPTERS                              the same by chapter

The claims of a chapter are in the file named like its topic.
A verdict is never written down as an answer. It is computed from the fact by the rule that stands beside it, so with
another fact it would be another one. Where a fact begins with figures that others reported, it says "quoted and
computed", and the source says whose they are.
"unsourced" means that no measurement known to the course supports the sentence.
"""

from .chapters import CHAPTERS, CLAIMS, Rulings, chapter, decide
from .claim import VERDICTS, Claim
from .overview import overview
from .ruling import Ruling

__all__ = ["CHAPTERS", "CLAIMS", "VERDICTS", "Claim", "Ruling", "Rulings", "chapter", "decide", "overview"]
