"""Extend the study by one scheme."""

import math

from course_lib.checking import CodingTask

from ..given import StandIn
from ..hook_cases import DECAY_PIECES, DECAY_SLIPS, by_loops, cases_of, random_case, row_offsets


def _decay(*strengths):
    return StandIn("SquareRootDecay", strengths=strengths)


def _square_root_decay(self, n_q, n_k, past):
    """b_h(r) = -strength_h * sqrt(|r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries are at past, past + 1, …, n_k keys at 0, 1, …
    self.strengths (heads,) is a tensor.
    """
    distance = row_offsets(n_q, n_k, past).abs()
    return -self.strengths[:, None] * distance.sqrt()


def _outer_product(self, n_q, n_k, past):
    return -self.strengths.outer(row_offsets(n_q, n_k, past).abs().double() ** 0.5)


_AFTER = (
    "Rises or flat? On the texts of the committed runs, with the study's own settings and seed 0, the loss at 128 and "
    "at 1,024 tokens was 1.720 and 1.787 with log-1, 1.689 and 1.690 with ALiBi, and 1.709 and 1.715 with your scheme. "
    "It is nearly flat, because its span is bounded."
)

square_root_decay = CodingTask(
    title="Extend the study by one scheme",
    minutes=12,
    difficulty=3,
    words="""Between the logarithm and ALiBi's straight line there is room for another decay:
$b_h(r) = -s_h \\sqrt{|r|}$, with a strength $s_h$ for each head. Write it as the hook `bias` of a `Position`: one
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
`grows_with_n` says whether its span is bounded.""",
    solution=_square_root_decay,
    expected=by_loops(lambda distance, strength: -strength * math.sqrt(distance)),
    hook="self.strengths",
    on_pass=_AFTER,
    cases=cases_of(
        _decay(1.0),
        _decay(0.5, 2.0),
        _decay(1.0, 0.5),
        _decay(0.3),
        _decay(1.0),
        _decay(*[2.0**-h for h in range(1, 13)]),
    ),
    draw=lambda rng: random_case(rng, _decay(*rng.uniform(0.1, 2, size=int(rng.integers(1, 4))).round(3).tolist())),
    pieces=DECAY_PIECES
    + """
row_offsets(n_q, n_k, past).abs()
    the distance: It is |r|, because the offsets of the past are negative, and negative numbers have no square root.
self.strengths[:, None]
    the strength: The bias is minus the strength times the root, with heads along the first axis and offsets along the
    second.
-self.strengths[:, None]
    the strength: Each head multiplies the root by minus its strength, so that far keys get a penalty.
distance.sqrt()
    the root: The penalty is the strength times the square root of the distance.
""",
    slips=DECAY_SLIPS.format(decay="_square_root_decay")
    + """
row_offsets(n_q, n_k, past).abs() → -row_offsets(n_q, n_k, past)
    Keys after the query have positive offsets, so −r is negative there and its square root is nan. The distance is |r|.
distance.sqrt() → distance.sqrt().long()
    `.long()` cuts off the decimals of the roots. A bias may be any number, so keep it a float.
self.strengths → strengths
    The strengths belong to the module, so they are `self.strengths`.
-self.strengths[:, None] * → -(self.strengths[:, None] ** 2) *
    You square the strength. Multiply the root by the strength itself.
distance.sqrt() → distance
    This is ALiBi's straight line, because the square root is missing.
distance.sqrt() → distance.log1p()
    This is the log decay. The task asks for the square root of the distance.
distance.sqrt() → (1 + distance).sqrt()
    You add 1 under the root. The token itself is at distance 0, and its bias is 0.
distance.sqrt() → distance.sqrt().sqrt()
    You take the square root twice. Take it once.
-self.strengths[:, None] * distance.sqrt() → -(self.strengths[:, None] * distance).sqrt()
    You take the root of the strength as well. The strength multiplies the root of the distance.
self.strengths[:, None] → self.strengths.mean()
    All your heads get the mean strength. Each head has its own, along the first axis.
self.strengths[:, None] → self.strengths[0]
    All your heads get the first strength. Each head has its own, along the first axis.
self.strengths[:, None] → self.strengths[:1, None]
    All your heads get the strength of head 0. Each head has its own, along the first axis.
-self.strengths[:, None] * → -
    The strengths are missing, so every head decays equally. Multiply the root by `self.strengths`.
""",
    alternatives=[_outer_product],
    hints=[
        "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the absolute value of "
        "each.",
        "The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), so give the strengths a second axis.",
        "The bias is minus the strength times the root of the distance.",
    ],
)
