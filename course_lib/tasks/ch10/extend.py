"""A scheme of one's own for the study: the hook `bias` of a decay between the logarithm and the straight line."""

import math

from ..engine import Mistake, Task
from ..hook import StandIn, case, row_offsets


def _decay(*strengths):
    return StandIn("SquareRootDecay", strengths=strengths)


def _square_root_decay(self, n_q, n_k, past):
    """b_h(r) = -strength_h * sqrt(|r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries stand at past, past + 1, …, n_k keys at 0, 1, …
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


def _grid(self, n_q, n_k, past):
    """The matrix in place of the row."""
    from ...nn.grid import to_grid

    return to_grid(_square_root_decay(self, n_q, n_k, past)[:, None], n_q)


def _causal(self, n_q, n_k, past):
    r = row_offsets(n_q, n_k, past)
    return _square_root_decay(self, n_q, n_k, past).masked_fill(r > 0, -math.inf)


def _past_only(self, n_q, n_k, past):
    r = row_offsets(n_q, n_k, past)
    return _square_root_decay(self, n_q, n_k, past).masked_fill(r > 0, 0.0)


def _distances_counted_from_0(self, n_q, n_k, past):
    import torch

    return -self.strengths[:, None] * torch.arange(n_q + n_k - 1).sqrt()


_AFTER = """Rises or flat? On the texts of the committed runs, with the study's own settings and seed 0, the loss at 64 and at \
512 tokens was 1.717 and 1.779 with log-1, 1.732 and 1.708 with ALiBi, and 1.752 and 1.744 with your scheme: flat, as its \
span is bounded."""

square_root_decay = Task(
    title="Extend the study by one scheme",
    minutes=12,
    difficulty=3,
    words="""Between the logarithm and ALiBi's straight line there is room: $b_h(r) = -s_h \\sqrt{|r|}$, with a strength $s_h$
for each head. Write it as the hook `bias` of a `Position`: one number per head and offset, in the order of
`row_offsets(n_q, n_k, past)`, which the first cell imports. `row_offsets` returns a tensor of whole numbers; return a
float tensor. Which keys are hidden is the mask's business.

When it passes, make a scheme of it (its name exists in this notebook only) and train it between its neighbours: three
small models, about a minute.

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

Before you run it: do you expect a curve that rises, as the log decay's, or a flat one, as ALiBi's? Task 4 says on which
side its span is.""",
    solution=_square_root_decay,
    expected=_by_loops,
    hook="self.strengths",
    then=_AFTER,
    cases=[
        case(_decay(1.0), 5, 5, 0, says="the five tokens"),
        case(_decay(0.5, 2.0), 5, 5, 0, says="two heads"),
        case(_decay(1.0, 0.5), 1, 6, 5, says="one new token after five, with a cache"),
        case(_decay(0.3), 2, 6, 3, says="two queries, six keys, three tokens before"),
        case(_decay(1.0), 1, 1, 0, says="one token alone"),
        case(_decay(*[2.0**-h for h in range(1, 13)]), 3, 3, 0, says="12 heads"),
    ],
    draw=lambda rng: case(
        _decay(*rng.uniform(0.1, 2, size=int(rng.integers(1, 4))).round(3).tolist()),
        n_q := int(rng.integers(1, 7)),
        n_q + int(rng.integers(0, 4)),
        int(rng.integers(0, 4)),
        says="a random case",
    ),
    mistakes=[
        Mistake(
            "* distance.sqrt()",
            "/ distance.sqrt()",
            "You divide by the root: infinite at distance 0. The penalty grows with the distance: multiply.",
        ),
        Mistake(
            "n_k, past)",
            "None, past)",
            "Left to itself, `row_offsets` takes n_k = past + n_q. There can be more keys or fewer: hand n_k on.",
        ),
        Mistake(
            "row_offsets(n_q, n_k, past).abs()",
            "-row_offsets(n_q, n_k, past)",
            "Keys after the query have positive offsets, and −r is negative there: no square root (nan). The distance is |r|: `.abs()`.",
        ),
        Mistake(
            "distance.sqrt()",
            "distance.sqrt().long()",
            "`.long()` cuts the roots off at the point. A bias may be any number: leave it a float.",
        ),
        Mistake(
            "self.strengths",
            "strengths",
            "The strengths belong to the module: `self.strengths`.",
        ),
        Mistake("-self.strengths[:, None] *", "-(self.strengths[:, None] ** 2) *", "The strength comes in squared."),
        Mistake(
            "-self.strengths",
            "self.strengths",
            "The sign is wrong: far keys are rewarded. A decay is 0 at distance 0 and negative everywhere else.",
        ),
        Mistake(
            ".abs()",
            "",
            "The past has negative offsets, and these have no square root (nan). The distance is |r|: `.abs()`.",
        ),
        Mistake("distance.sqrt()", "distance", "This is ALiBi's straight line: the square root is missing."),
        Mistake(
            "distance.sqrt()", "distance.log1p()", "This is the log decay. Here it is the square root of the distance."
        ),
        Mistake("distance.sqrt()", "distance.square()", "You square the distance. Take its root."),
        Mistake(
            "distance.sqrt()",
            "(1 + distance).sqrt()",
            "The token itself is at distance 0, and its bias is 0: there is no 1 under this root.",
        ),
        Mistake("distance.sqrt()", "distance.sqrt().sqrt()", "The root is taken twice."),
        Mistake(
            "-self.strengths[:, None] * distance.sqrt()",
            "-(self.strengths[:, None] * distance).sqrt()",
            "The strength has come under the root. It multiplies the root of the distance.",
        ),
        Mistake(
            "self.strengths[:, None]",
            "self.strengths",
            "(heads,) and (offsets,) do not go together: give the strengths a second axis, `self.strengths[:, None]`.",
        ),
        Mistake(
            "self.strengths[:, None]",
            "self.strengths[None]",
            "Heads and offsets lie along the same axis: the strengths need theirs in front, `self.strengths[:, None]`.",
        ),
        Mistake(
            "self.strengths[:, None]",
            "self.strengths.mean()",
            "All heads get the same, averaged strength. Each has its own.",
        ),
        Mistake("self.strengths[:, None]", "self.strengths[0]", "All heads get the first strength. Each has its own."),
        Mistake(
            "self.strengths[:, None]",
            "self.strengths[:1, None]",
            "All heads get the strength of head 0. Each has its own: `self.strengths[:, None]`.",
        ),
        Mistake(
            "self.strengths[:, None]",
            "self.strengths.flip(0)[:, None]",
            "The heads have each other's strengths: head h has strength h.",
        ),
        Mistake("-self.strengths[:, None] *", "-", "The strengths are missing: every head decays alike."),
        Mistake(
            "-self.strengths[:, None] * distance.sqrt()",
            "-distance.sqrt() / self.strengths[:, None]",
            "You divide by the strength. A stronger head decays faster: multiply.",
        ),
        Mistake(
            "n_k, past)",
            "n_k, 0)",
            "Right without a cache. The first query stands at position `past`, and `row_offsets(n_q, n_k, past)` counts from there: hand it on, and add nothing to what comes back.",
        ),
        Mistake(
            "row_offsets(n_q, n_k, past)",
            "row_offsets(n_k, n_q, past)",
            "Queries and keys have changed places: `row_offsets(n_q, n_k, past)`.",
        ),
        Mistake("n_k, past)", "n_k, past + 1)", "Every query stands one position too far: the first is at `past`."),
        Mistake(
            "row_offsets(n_q, n_k, past)",
            "row_offsets(n_q, n_q, past)",
            "There are n_k keys, and with a cache more of them than queries.",
        ),
        Mistake(
            "row_offsets(n_q, n_k, past)",
            "row_offsets(n_k, n_k, 0)",
            "Right when queries and keys are the same tokens. In general there are n_q queries, and the first stands at `past`.",
        ),
        Mistake(
            "distance.sqrt()",
            "distance.sqrt().flip(0)",
            "The offsets run backwards. They ascend, as in `row_offsets`: the past comes first.",
        ),
        Mistake(
            _grid,
            "This is the matrix, (heads, n_q, n_k). A hook gives one number per *offset*; the layer lays them on the diagonals.",
        ),
        Mistake(
            _causal,
            "Keys after the query get −∞ here. That is the mask's business: a bias says nothing of what is hidden.",
        ),
        Mistake(
            _past_only,
            "Keys after the query get 0, which is more than any key before it. The decay looks both ways: |r|.",
        ),
        Mistake(
            ".abs()",
            ".clamp(min=0)",
            "Keys before the query get 0: their offsets are negative, and a clamp at 0 takes them for no distance. It is |r|: `.abs()`.",
        ),
        Mistake(
            _distances_counted_from_0,
            "These distances count up from 0. The offsets go from the farthest past to the farthest future: `row_offsets`.",
        ),
        Mistake(
            "-self.strengths[:, None] * distance.sqrt()",
            "(-self.strengths[:, None] * distance.sqrt()).T",
            "This is (offsets, heads). The heads come first.",
        ),
        Mistake(
            "-self.strengths[:, None] * distance.sqrt()",
            "(-self.strengths[:, None] * distance.sqrt()).softmax(dim=-1)",
            "A bias is added to the scores. The softmax comes later, in the layer.",
        ),
        Mistake(
            "-self.strengths[:, None] * distance.sqrt()",
            "(-self.strengths[:, None] * distance.sqrt()).exp()",
            "A bias is added to the scores, before any e^x. What you return is already the factor that it becomes.",
        ),
    ],
    alternatives=[
        lambda self, n_q, n_k, past: -self.strengths.outer(row_offsets(n_q, n_k, past).abs().double() ** 0.5),
    ],
    hints=[
        "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the size of each.",
        "(heads, 1) times (offsets,) is (heads, offsets): `self.strengths[:, None]`.",
        "Minus the strength times the root of the distance.",
    ],
)
