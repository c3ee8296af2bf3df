"""A check-up for your own language model: is its scheme of position what its file says, and right in every call?

For causal models, and the decoder of T5. Encoders, linear layers and kernels of a GPU are not examined.

    print(checkup(model))                        any causal model of transformers, or of the course
    print(checkup(model, text, tokenizer))       and does it use far text?
    print(compare(mine, theirs))                 two implementations of the same weights
    print(*read(config).words, sep="\\n")         what a config.json says, in words
"""

from .check import Check, Report
from .config import read
from .run import checkup, compare

__all__ = ["Check", "Report", "checkup", "compare", "read"]
