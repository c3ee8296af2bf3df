"""Extend the study by one scheme."""

import math

from course_lib.checking import CodingTask

from ..hook_cases import StandIn, case, row_offsets


def _decay(*strengths):
    return StandIn("SquareRootDecay", strengths=strengths)


def _square_root_decay(self, n_q, n_k, past):
    """b_h(r) = -strength_h * sqrt(|r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries are at past, past + 1, …, n_k keys at 0, 1, …
    self.strengths (heads,) is a tensor.
    """
    distance = row_offsets(n_q, n_k, past).abs()
    return -self.strengths[:, None] * distance.sqrt()


def _by_loops(self, n_q, n_k, past):
    """Every pair of a query and a key, as the oracle counts offsets."""
    found = {}
    for strength in self.given["strengths"]:
        for i in range(n_q):
            for j in range(n_k):
                r = j - (past + i)
                found[strength, r] = -strength * math.sqrt(abs(r))
    everywhere = sorted({r for _, r in found})
    return [[found[strength, r] for r in everywhere] for strength in self.given["strengths"]]


def _outer_product(self, n_q, n_k, past):
    return -self.strengths.outer(row_offsets(n_q, n_k, past).abs().double() ** 0.5)


_AFTER = (
    "Rises or flat? On the texts of the committed runs, with the study's own settings and seed 0, the loss at 64 and "
    "at 512 tokens was 1.717 and 1.779 with log-1, 1.732 and 1.708 with ALiBi, and 1.752 and 1.744 with your scheme. "
    "It is flat, because its span is bounded."
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
These are three small models, which take about a minute.

```python
import torch
from course_lib import study

class SquareRootDecay(Position):
    def __init__(self, strengths):
        super().__init__()
        self.register_buffer("strengths", torch.tensor(strengths))

    bias = square_root_decay

study.schemes.PLAIN["square-root"] = study.Scheme(lambda settings: SquareRootDecay([1.0, 0.5, 0.25, 0.125]))
runs = study.plan(["characters"], ["log-1", "square-root", "alibi"], seeds=1)
print(study.table(study.sweep(study.Settings(), runs)))
```

Before you run it: do you expect a curve that rises, like the log decay's, or a flat one, like ALiBi's? Task 4 says
whether its span is bounded.""",
    solution=_square_root_decay,
    expected=_by_loops,
    hook="self.strengths",
    on_pass=_AFTER,
    cases=[
        case(_decay(1.0), 5, 5, 0, label="the five tokens"),
        case(_decay(0.5, 2.0), 5, 5, 0, label="two heads"),
        case(_decay(1.0, 0.5), 1, 6, 5, label="one new token after five, with a cache"),
        case(_decay(0.3), 2, 6, 3, label="two queries, six keys, three tokens before"),
        case(_decay(1.0), 1, 1, 0, label="one token alone"),
        case(_decay(*[2.0**-h for h in range(1, 13)]), 3, 3, 0, label="12 heads"),
    ],
    draw=lambda rng: case(
        _decay(*rng.uniform(0.1, 2, size=int(rng.integers(1, 4))).round(3).tolist()),
        n_q := int(rng.integers(1, 7)),
        n_q + int(rng.integers(0, 4)),
        int(rng.integers(0, 4)),
        label="a random case",
    ),
    pieces="""
past
    `past`: The first query is at position `past`, and `row_offsets` counts from there.
n_k
    the number of keys: There are n_k keys, and with a cache more of them than queries.
n_q
    the number of queries: There are n_q queries, and with a cache fewer of them than keys.
row_offsets(n_q, n_k, past)
    the row of offsets: The queries are at `past`, `past` + 1, …, and the keys at 0, 1, ….
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
    slips="""
n_k, past) → None, past)
    Without n_k, `row_offsets` assumes n_k = past + n_q. There can be more keys or fewer, so pass n_k on.
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
n_k, past) → n_k, 0)
    Your result is right without a cache. The first query is at position `past`, so pass `past` on to `row_offsets`, and
    add nothing to what it returns.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_q, past)
    You exchanged queries and keys. `row_offsets` takes n_q first, then n_k.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_k, 0)
    Your result is right when queries and keys are the same tokens. In general there are n_q queries, and the first is
    at `past`.
-self.strengths[:, None] * → -
    The strengths are missing, so every head decays equally. Multiply the root by `self.strengths`.
.abs() → .clamp(min=0)
    Keys before the query get 0, because their offsets are negative and you clamp at 0. The distance is |r|.
-self.strengths[:, None] * distance.sqrt() → (-self.strengths[:, None] * distance.sqrt()).softmax(dim=-1)
    You apply a softmax. A bias is added to the scores, and the softmax comes later, in the layer.
-self.strengths[:, None] * distance.sqrt() → (-self.strengths[:, None] * distance.sqrt()).exp()
    You return e to the power of the bias. Return the bias itself, because it is added to the scores.
distance.sqrt() → distance.sqrt().masked_fill(row_offsets(n_q, n_k, past) > 0, math.inf)
    You give −∞ to the keys after the query. Hiding keys is the job of the mask, so give each of them its bias.
distance.sqrt() → distance.sqrt().masked_fill(row_offsets(n_q, n_k, past) > 0, 0.0)
    You give 0 to the keys after the query, more than to any key before it. The decay is the same both ways, by |r|.
row_offsets(n_q, n_k, past).abs() → row_offsets(1, n_q + n_k - 1, 0)
    Your distances count up from 0. The offsets go from the farthest past to the farthest future, as in `row_offsets`.
-self.strengths[:, None] * distance.sqrt() → (-self.strengths[:, None] * distance.sqrt()).unfold(1, n_k, 1).flip(1)
    You return the matrix, (heads, n_q, n_k). A hook gives one number per *offset*, and the layer puts them on the
    diagonals.
""",
    alternatives=[_outer_product],
    hints=[
        "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the absolute value of "
        "each.",
        "The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), so give the strengths a second axis.",
        "The bias is minus the strength times the root of the distance.",
    ],
)
