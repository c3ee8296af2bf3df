r"""Extend the study by one scheme · 12 minutes · ★★★

Between the logarithm and ALiBi's straight line there is room for another decay:
$b_h(r) = -s_h \sqrt{|r|}$, with a strength $s_h$ for each head. Write it as the hook `bias` of a `Position`: one
number per head and offset, in the order of `row_offsets(n_q, n_k, past)`, which the first cell imports. `row_offsets`
returns a tensor of whole numbers; return a float tensor. Hiding keys is the job of the mask.

When it passes, make a scheme of it (its name exists in this notebook only) and train it together with its neighbours.
These are three small models, which take about half a minute.

```python
import torch
from course_lib import study

class SquareRootDecay(Position):
    def __init__(self, strengths):
        super().__init__()
        self.register_buffer("strengths", torch.tensor(strengths))

    bias = square_root_decay

study.schemes.PLAIN["square-root"] = study.Scheme((lambda settings: SquareRootDecay([1.0, 0.5, 0.25, 0.125]),))
runs = study.plan(study.Settings(), ["characters"], ["log-1", "square-root", "alibi"], seeds=1)
print(study.table(study.sweep(runs)))
```

Before you run it: do you expect a curve that rises, like the log decay's, or a flat one, like ALiBi's? The task
`grows_with_n` says whether its span is bounded.
"""

import math

from ..given import StandIn
from ..hook_cases import by_loops, cases_of, random_case, row_offsets


def square_root_decay(self, n_q, n_k, past):
    """b_h(r) = -strength_h * sqrt(|r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries are at past, past + 1, …, n_k keys at 0, 1, …
    self.strengths (heads,) is a tensor.
    """
    # The first query is at position `past`, and `row_offsets` counts from there. There are n_k keys, and with a cache
    # more of them than queries. There are n_q queries, and with a cache fewer of them than keys. The queries are at
    # `past`, `past` + 1, …, and the keys at 0, 1, …. The distance is |r|, because the offsets of the past are
    # negative, and negative numbers have no square root.
    distance = row_offsets(n_q, n_k, past).abs()
    # The bias is minus the strength times the root, with heads along the first axis and offsets along the second. Each
    # head multiplies the root by minus its strength, so that far keys get a penalty. The penalty is the strength times
    # the square root of the distance.
    return -self.strengths[:, None] * distance.sqrt()


def _decay(*strengths):
    return StandIn("SquareRootDecay", strengths=strengths)


_AFTER = (
    "Rises or flat? On the texts of the committed runs, with the study's own settings and seed 0, the loss at 128 and "
    "at 1,024 tokens was 1.720 and 1.787 with log-1, 1.689 and 1.690 with ALiBi, and 1.709 and 1.715 with your scheme. "
    "It is nearly flat, because its span is bounded."
)


expected = by_loops(lambda distance, strength: -strength * math.sqrt(distance))


HOOK = "self.strengths"


ON_PASS = _AFTER


CASES = cases_of(
    _decay(1.0),
    _decay(0.5, 2.0),
    _decay(1.0, 0.5),
    _decay(0.3),
    _decay(1.0),
    _decay(*[2.0**-h for h in range(1, 13)]),
)


def draw(rng):
    return random_case(rng, _decay(*rng.uniform(0.1, 2, size=int(rng.integers(1, 4))).round(3).tolist()))


WRONG = """
distance = row_offsets(n_q, None, past).abs()  # Without n_k, `row_offsets` assumes n_k = past + n_q. There can be more
# keys or fewer, so pass n_k on.
distance = row_offsets(n_q, n_k, 0).abs()  # Your result is right without a cache. The first query is at position
# `past`, so pass `past` on to `row_offsets`, and add nothing to what it returns.
distance = row_offsets(n_k, n_q, past).abs()  # You exchanged queries and keys. `row_offsets` takes n_q first, then
# n_k.
distance = row_offsets(n_k, n_k, 0).abs()  # Your result is right when queries and keys are the same tokens. In general
# there are n_q queries, and the first is at `past`.
distance = row_offsets(1, n_k, past).abs()  # You use the offsets of the first query only, one for each key. n_q
# queries and n_k keys have n_q + n_k − 1 offsets.
distance = row_offsets(1, n_q + n_k - 1, 0).abs()  # Your distances count up from 0. The offsets go from the farthest
# past to the farthest future, as in `row_offsets`.
distance = row_offsets(n_q, n_k, past).flip(0).abs()  # Your offsets are in reverse order. They ascend, as in
# `row_offsets`, so the past comes first.
distance = row_offsets(n_q, n_k, past).clamp(min=0)  # Keys before the query get 0, because their offsets are negative
# and you clamp at 0. The distance is |r|.
distance = row_offsets(n_q, n_k, past).clamp(max=0).abs()  # You give 0 to the keys after the query, more than to any
# key before it. The decay is the same both ways, by |r|.
return square_root_decay(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, -float('inf'))
# You give −∞ to the keys after the query. Hiding keys is the job of the mask, so give each of them its bias.
return square_root_decay(self, n_q, n_k, past).softmax(dim=-1)  # You apply a softmax. A bias is added to the scores,
# and the softmax comes later, in the layer.
return square_root_decay(self, n_q, n_k, past).exp()  # You return e to the power of the bias. Return the bias itself,
# because it is added to the scores.
return square_root_decay(self, n_q, n_k, past).unfold(1, n_k, 1).flip(1)  # You return the matrix, (heads, n_q, n_k).
# A hook gives one number per *offset*, and the layer puts them on the diagonals.
return square_root_decay(self, n_q, n_k, past).unfold(1, n_k, 1).flip(1)[0]  # You return the matrix (n_q, n_k) of one
# head. A hook gives one number per head and *offset*: (heads, offsets).
distance = -row_offsets(n_q, n_k, past)  # Keys after the query have positive offsets, so −r is negative there and its
# square root is nan. The distance is |r|.
return -self.strengths[:, None] * distance.sqrt().long()  # `.long()` cuts off the decimals of the roots. A bias may be
# any number, so keep it a float.
return -strengths[:, None] * distance.sqrt()  # The strengths belong to the module, so they are `self.strengths`.
return -self.strengths[:, None] ** 2 * distance.sqrt()  # You square the strength. Multiply the root by the strength
# itself.
return -self.strengths[:, None] * distance  # This is ALiBi's straight line, because the square root is missing.
return -self.strengths[:, None] * distance.log1p()  # This is the log decay. The task asks for the square root of the
# distance.
return -self.strengths[:, None] * (1 + distance).sqrt()  # You add 1 under the root. The token itself is at distance 0,
# and its bias is 0.
return -self.strengths[:, None] * distance.sqrt().sqrt()  # You take the square root twice. Take it once.
return -(self.strengths[:, None] * distance).sqrt()  # You take the root of the strength as well. The strength
# multiplies the root of the distance.
return -self.strengths.mean() * distance.sqrt()  # All your heads get the mean strength. Each head has its own, along
# the first axis.
return -self.strengths[0] * distance.sqrt()  # All your heads get the first strength. Each head has its own, along the
# first axis.
return -self.strengths[:1, None] * distance.sqrt()  # All your heads get the strength of head 0. Each head has its own,
# along the first axis.
return -distance.sqrt()  # The strengths are missing, so every head decays equally. Multiply the root by
# `self.strengths`.
"""


HINTS = [
    "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the absolute value of each.",
    "The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), so give the strengths a second axis.",
    "The bias is minus the strength times the root of the distance.",
]


def right_outer_product(self, n_q, n_k, past):
    return -self.strengths.outer(row_offsets(n_q, n_k, past).abs().double() ** 0.5)
