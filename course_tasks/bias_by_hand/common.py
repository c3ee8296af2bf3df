"""What the tasks of this chapter share: two properties, and pieces of the penalty and of the softmax."""

import numpy as np

from course_lib.checking import Property


def _is_toeplitz(bias, *_):
    return np.allclose(np.asarray(bias)[1:, 1:], np.asarray(bias)[:-1, :-1], equal_nan=True)


def _sum_to_one(result, *_):
    weights = result[-1] if isinstance(result, tuple) else result
    return np.allclose(np.asarray(weights).sum(axis=-1), 1, atol=1e-5)


TOEPLITZ = Property(
    "constant along diagonals",
    _is_toeplitz,
    "Two pairs at the same offset get different biases. The bias depends on j − i alone.",
)
ROWS_SUM_TO_ONE = Property(
    "weights of a query sum to 1",
    _sum_to_one,
    "The weights of one query must sum to 1 over the keys that it may see.",
)

# of `-scale * np.log1p(abs(j - i))`
PENALTY = """
-scale
    the factor −scale: The bias is a penalty, so distant keys get negative numbers.
np.log1p(abs(j - i))
    the logarithm: The bias is −scale · log(1 + d), where d is the distance.
abs(j - i)
    the absolute value: The distance is |j − i|, so it counts in both directions and is never negative.
j - i
    the offset: It is the position of the key minus that of the query, j − i.
j
    the position of the key: The offset of a pair is j − i.
i
    the position of the query: The offset of a pair is j − i.
"""

# of `e = np.exp(s - s.max(axis=-1, keepdims=True))` and `e / e.sum(axis=-1, keepdims=True)`; a sum along another axis
# needs a slip of the task's own
SOFTMAX = """
keepdims=True
    `keepdims`: With `keepdims=True` the maximum or the sum of a row keeps its axis, so it stays with its row.
axis=-1
    the maximum: Each row has its own largest score, so the maximum runs over the keys, the last axis.
s.max(axis=-1, keepdims=True)
    the largest score: Subtract from each row its own largest score. This keeps e^x small and the weights the same.
np.exp(s - s.max(axis=-1, keepdims=True))
    the exponential: The softmax takes e^x of each score and divides it by the sum of its row.
e.sum(axis=-1, keepdims=True)
    the sum over the keys: Each row is divided by its own sum, once, so its weights sum to 1.
"""
