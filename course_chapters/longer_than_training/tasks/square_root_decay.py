r"""Extend the study by one scheme · 12 minutes · ★★★

Between the logarithm and ALiBi's straight line there is room for another decay:
$b_h(r) = -s_h \sqrt{|r|}$, with a strength $s_h$ for each head. Write it as the hook `bias` of a `Position`: one
number per head and offset, in the order of `row_offsets(n_q, n_k, past)`, which the first cell imports. `row_offsets`
returns a tensor of whole numbers; return a float tensor. Hiding keys is the job of the mask.

When it passes, make a variant of the study's models with it (its name exists in this notebook only) and train it
together with its neighbours. These are three small models, which take about half a minute.

```python
import torch
import course_study as study

class SquareRootDecay(Position):
    def __init__(self, strengths):
        super().__init__()
        self.register_buffer("strengths", torch.tensor(strengths))

    bias = square_root_decay

study.VARIANTS["square-root"] = study.Variant((lambda settings: SquareRootDecay([1.0, 0.5, 0.25, 0.125]),))
runs = study.plan(study.Settings(), ["characters"], ["log-1", "square-root", "alibi"], seeds=1)
print(study.table(study.sweep(runs)))
```

Before you run it: do you expect a curve that rises, like the log decay's, or a flat one, like ALiBi's? (e^(−√d) falls
faster than any power of d. What does that say about the span? See the lesson, "How wide does a bias look?")
"""

import math

from course_kit.checking import Axis, Case
from course_kit.checking.arrays import describe_type
from course_kit.checking.runner import run
from course_lib.nn.grid import row_offsets

from .given import Decay


def square_root_decay(self, n_q, n_k, past):
    """b_h(r) = -strength_h * sqrt(|r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries are at past, past + 1, …, n_k keys at 0, 1, …
    self.strengths (heads,) is a tensor.
    """
    r = row_offsets(n_q, n_k, past)  # The n_q queries are at `past`, `past` + 1, …, and the n_k keys at 0, 1, ….
    distance = r.abs()  # The distance is |r|. Offsets of the past are negative and have no square root.
    strength = self.strengths[:, None]  # Each head has its own strength, along the first axis.
    bias = -strength * distance.sqrt()  # The bias is a penalty, minus the strength times the root of the distance.
    return bias  # There is one number per head and offset.


def expected(self, n_q, n_k, past):
    offsets = sorted({j - (past + i) for i in range(n_q) for j in range(n_k)})
    return [[-strength * math.sqrt(abs(r)) for r in offsets] for strength in self.numbers]


def draw(rng):
    strengths, n_q = rng.uniform(0.1, 2, size=int(rng.integers(1, 4))).round(3).tolist(), int(rng.integers(1, 7))
    return case(strengths, n_q, n_q + int(rng.integers(0, 4)), int(rng.integers(0, 4)), "a random case")


def case(strengths, n_q, n_k, past, label):
    """One call, the columns of whose answer are called by their offsets."""
    offsets = [f"{r}".replace("-", "−") for r in range(-(past + n_q - 1), n_k - past)]
    return Case(Decay(*strengths), n_q, n_k, past, label=label, axes=["head", Axis("offset", offsets)])


def afterwards(given):
    """A layer works with tensors, and calls its hook again and again."""
    module, made = Decay(0.5, 2.0), []
    run(lambda: made.append(given(module, 2, 6, 3)), [Case()], lambda value: {}, 2.0)
    if not isinstance(made[0], type(module.strengths)):
        kinds = "`torch.stack` of a list of tensors, `torch.tensor` of numbers, `torch.from_numpy` of a NumPy array"
        fact = f"The values are right, but your function returned {describe_type(made[0])}."
        return "wrong type", fact, f"A hook returns a torch tensor: {kinds}."
    if module.strengths.tolist() != list(module.numbers):
        cause = "The values are right, but your function writes into `self.strengths`, which the layer keeps."
        return "property broken", "", cause
    return None


CASES = [
    case([1.0], 5, 5, 0, "the five tokens"),
    case([0.5, 2.0], 5, 5, 0, "two heads"),
    case([1.0, 0.5], 1, 6, 5, "one new token after five, with a cache"),
    case([0.3], 2, 6, 3, "two queries, six keys, three tokens before"),
    case([1.0], 1, 1, 0, "one token alone"),
    case([0.5], 2, 303, 301, "two queries after 301 tokens"),
]
ON_PASS = (
    "Rises or flat? On the texts of the committed runs, with the study's own settings and seed 0, the loss at 128 and "
    "at 1,024 tokens was 1.720 and 1.787 with log-1, 1.689 and 1.690 with ALiBi, and 1.709 and 1.715 with your scheme. "
    "One seed decides nothing, but that is what its bounded span lets one expect."
)
WRONG = """
r = row_offsets(n_q, None, past)  # You count past + n_q keys, as `row_offsets` does without n_k. There are n_k.
r = row_offsets(n_q, n_k, 0)  # Your result is right without a cache. The first query is at `past`, so pass `past` on.
r = row_offsets(n_k, n_q, past)  # You exchanged queries and keys. `row_offsets` takes n_q first, then n_k.
r = row_offsets(n_k, n_k, 0)  # Right when queries and keys are the same tokens. The n_q queries begin at `past`.
r = row_offsets(1, n_q + n_k - 1, 0)  # Your distances count up from 0. Offsets begin with the farthest past.
r = row_offsets(1, n_q + n_k - 1, n_q + n_k - 2)  # Your last offset is 0. Keys after a query have offsets above 0.
r = row_offsets(n_q, n_k, past).flip(0)  # Your offsets are in reverse order. They ascend, so the past comes first.
distance = r.clamp(min=0)  # Keys before the query get 0. Their offsets are negative, but the distance is |r|.
distance = r.clamp(max=0).abs()  # You give 0 to the keys after the query. The decay is the same both ways, by |r|.
distance = r
distance = -r  # The offsets of one side are negative under your root, which is nan. The distance is |r|.
strength = strengths[:, None]  # The strengths belong to the module, so they are `self.strengths`.
strength = self.strengths  # The strengths (heads,) are lined up with the offsets. Give them a second axis, (heads, 1).
strength = self.strengths[:, None] ** 2  # You square the strength. Multiply the root by the strength itself.
strength = self.strengths.mean()
strength = self.strengths[0]
strength = self.strengths[:1, None]  # All your heads have the same strength. Each has its own, along the first axis.
strength = 1  # The strengths are missing, so every head decays equally. Multiply the root by `self.strengths`.
bias = -strength * distance.sqrt().long()  # You cut off the decimals of the roots. Keep them as floats.
bias = -strength * distance.bfloat16().double().sqrt()
bias = -strength * distance.bfloat16().sqrt()  # Your distances are in bfloat16, which has eight bits. Beyond 256 it
# rounds.
bias = -strength * distance  # This is ALiBi's straight line, because the square root is missing.
bias = -strength * distance / 2  # You halve the distance, as `** 1/2` does. `** 0.5` and `.sqrt()` take the root.
bias = -strength * distance.log1p()  # This is the log decay. The task asks for the square root of the distance.
bias = -strength * (1 + distance).sqrt()  # You add 1 under the root. The token itself is at distance 0 and has bias 0.
bias = -strength * distance.sqrt().sqrt()  # This is the fourth root, the square root taken twice. Take it once.
bias = -(strength * distance).sqrt()  # You take the root of the strength as well. It multiplies the root.
return bias.masked_fill(r > 0, -float("inf"))  # You give −∞ to the keys after the query. Hiding keys is the mask's job.
return bias.exp()  # You return e to the power of the bias. Return the bias itself, which is added to the scores.
return bias.unfold(1, n_k, 1).flip(1)  # You return a matrix (n_q, n_k). A hook gives one number per head and offset.
"""
HINTS = [
    "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the absolute value of each.",
    "The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), so give the strengths a second axis.",
    "The bias is minus the strength times the root of the distance.",
]
