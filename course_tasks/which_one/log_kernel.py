"""The hook of a new scheme."""

import math

from course_lib.checking import CodingTask
from course_lib.contents import number

from ..hook_cases import StandIn, case, row_offsets
from .learned_hook import asked_in_training, read_hook


def numbers(a, c):
    """The module of the hook, with an a and a c for each head."""
    return StandIn("Kerple", a=a, c=c)


def _log_kernel(self, n_q, n_k, past):
    """b_h(r) = -a_h * log(1 + c_h * |r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries are at past, past + 1, …, n_k keys at 0, 1, …
    self.a and self.c (heads,) are tensors of positive numbers.
    """
    distance = row_offsets(n_q, n_k, past).abs()
    return -self.a[:, None] * (self.c[:, None] * distance).log1p()


def _by_loops(self, n_q, n_k, past):
    """Every pair of a query and a key, as the oracle counts offsets."""
    found = {}
    for head, (a, c) in enumerate(zip(self.given["a"], self.given["c"], strict=True)):
        for i in range(n_q):
            for j in range(n_k):
                r = j - (past + i)
                found[head, r] = -a * math.log(1 + c * abs(r))
    everywhere = sorted({r for _, r in found})
    return [[found[head, r] for r in everywhere] for head in range(len(self.given["a"]))]


_AFTER = (
    f"With c = 1 in every head this is chapter {number('bias_by_hand')}'s log decay, of strength a. With a tiny c "
    f"and a large a it is nearly ALiBi's straight line, of slope a · c, because log(1 + x) is about x. So this is "
    f"one family, and training chooses a member for each head."
)

log_kernel = CodingTask(
    title="The hook of a new scheme",
    minutes=10,
    difficulty=2,
    words="""KERPLE (Chi et al., 2022) is a family of learned decays. Its logarithmic one is

$$b_h(r) = -a_h \\log(1 + c_h |r|), \\qquad a_h, c_h > 0.$$

It is the log decay of [[bias_by_hand|chapter #]] with two numbers for each head: a strength $a_h$, and $c_h$, which sets the unit in which
distance is counted. The paper writes $r_1$ and $r_2$ for them, and learns both.

Write it as the hook `bias` of a `Position`: one number per head and offset, in the order of
`row_offsets(n_q, n_k, past)`, as a tensor. `self.a` and `self.c` are tensors, one number per head. Hiding keys is
the job of the mask. Training must reach both numbers, so compute everything with torch.""",
    solution=_log_kernel,
    expected=_by_loops,
    hook="self.a` or `self.c",
    reader=read_hook,
    afterwards=asked_in_training(lambda: numbers([0.5, 2.0], [3.0, 0.25])),
    on_pass=_AFTER,
    cases=[
        case(numbers([1.0], [2.0]), 5, 5, 0, label="the five tokens"),
        case(numbers([0.5, 2.0], [3.0, 0.25]), 5, 5, 0, label="two heads"),
        case(numbers([1.5, 0.5], [0.1, 1.0]), 1, 6, 5, label="one new token after five, with a cache"),
        case(numbers([0.3], [0.7]), 2, 6, 3, label="two queries, six keys, three tokens before"),
        case(numbers([0.8], [1.7]), 1, 1, 0, label="one token alone"),
        case(numbers([2.0**-h for h in range(1, 13)], [0.3 * h for h in range(1, 13)]), 3, 3, 0, label="12 heads"),
    ],
    draw=lambda rng: case(
        numbers(*rng.uniform(0.1, 3, size=(2, int(rng.integers(1, 4)))).round(3).tolist()),
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
    the distance: It is |r|, because 1 + c·r is negative for most offsets of the past and has no logarithm.
self.a[:, None]
    the strength a: Each head multiplies its logarithm by −a. The heads are along the first axis.
-self.a[:, None]
    the strength a: Each head multiplies its logarithm by −a, so far keys get a penalty.
self.c[:, None]
    the factor c: Each head multiplies the distance inside the logarithm by its own c, along the first axis.
self.c[:, None] * distance
    c times the distance: The logarithm is that of 1 + c·|r|.
distance
    the distance: It is multiplied by c inside the logarithm, log(1 + c·|r|).
(self.c[:, None] * distance).log1p()
    the logarithm: It is log(1 + c·|r|).
""",
    slips="""
.abs() →
    Keys before the query have negative offsets, and 1 + c·r is below 0 for most of them, so it has no logarithm (nan).
    The distance is |r|.
row_offsets(n_q, n_k, past).abs() → -row_offsets(n_q, n_k, past)
    Keys after the query have positive offsets, so −r is negative there and the logarithm is nan. The distance is |r|.
(self.c[:, None] * distance).log1p() → (self.c[:, None] * distance).log()
    The 1 is missing. At distance 0 you take log 0 = −∞, and minus that is +∞. It is log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → (1 + self.c[:, None] * distance).log1p()
    You add 1 twice, because `log1p(x)` is already log(1 + x).
(self.c[:, None] * distance).log1p() → (self.c[:, None] + distance).log()
    You add c to the distance, and the 1 is missing. It is log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → (self.c[:, None] + distance).log1p()
    You add c to the distance. It multiplies the distance, log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → self.c[:, None] * distance.log1p()
    Your c is outside the logarithm, where it is a second strength. It multiplies the distance inside, log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → (self.c[:, None] * (1 + distance)).log()
    You multiply the 1 by c as well, so you get log c plus the log decay. It is log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → (self.c[:, None] * (1 + distance)).log1p()
    You add 1 to the distance, and `log1p` adds another. log(1 + c·|r|) is `log1p` of c·|r|.
(self.c[:, None] * distance).log1p() → distance ** self.c[:, None]
    You use a power of the distance, −a·|r|^c, which is another kernel of the paper. Here it is −a·log(1 + c·|r|).
-self.a[:, None] * (self.c[:, None] * distance) → -self.a[:, None].exp() * (self.c[:, None].exp() * distance)
or -self.a[:, None] → -self.a[:, None].exp()
or self.c[:, None] * distance → self.c[:, None].exp() * distance
    You apply `exp`. `self.a` and `self.c` are the numbers themselves, and already positive.
(self.c[:, None] * distance).log1p() → (distance / self.c[:, None]).log1p()
    You divide by c. It multiplies the distance, so a larger c gives a faster decay.
(self.c[:, None] * distance).log1p() → distance.log1p()
    This is the log decay with a strength, because c is missing. It multiplies the distance inside the logarithm.
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -(self.c[:, None] * distance).log1p()
    The strength a is missing, so every head decays by its c only.
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -(self.a[:, None] * self.c[:, None] * distance).log1p()
    Your strength is inside the logarithm. It multiplies the whole of it, −a·log(1 + c·|r|).
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -(self.c[:, None] * distance).log1p() / self.a[:, None]
    You divide by a. A stronger head decays more, so multiply.
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -self.c[:, None] * (self.a[:, None] * distance).log1p()
    You exchanged a and c. The logarithm is multiplied by a, and the distance inside it by c.
(self.c[:, None] * distance).log1p() → (self.c[:, None] * distance).log1p() / math.log(2)
or (self.c[:, None] * distance).log1p() → (self.c[:, None] * distance).log1p() / math.log(10)
    You take the logarithm to base 2 or 10. `log` in this course is to base e.
(self.c[:, None] * distance).log1p() → self.c[:, None] * distance
    This is a straight line, as in ALiBi, because the logarithm is missing.
(self.c[:, None] * distance).log1p() → (self.c[:, None] * distance).sqrt()
    This is the square root decay. Here it is log(1 + c·|r|).
* distance) → * distance**2)
    You square the distance. Inside the logarithm it is |r|.
* distance) → * distance).long()
    `.long()` cuts off the decimals. Keep the numbers floats.
self.c[:, None] * distance → self.c[:, None].mean() * distance
or self.c[:, None] * distance → self.c[0] * distance
    All your heads get the same c. Each has its own.
-self.a[:, None] → -self.a[0]
or -self.a[:, None] → -self.a.mean()
    All your heads get the same strength a. Each has its own.
-self.a[:, None] → -self.a.flip(0)[:, None]
or self.c[:, None] * distance → self.c.flip(0)[:, None] * distance
    The heads of one of your factors are in reverse order. Head h has a_h and c_h.
-self.a[:, None] * (self.c[:, None] * distance) → -self.a * (self.c * distance)
or -self.a[:, None] * (self.c[:, None] * distance) → -self.a * (self.c[:, None] * distance)
or -self.a[:, None] * (self.c[:, None] * distance) → -self.a[:, None] * (self.c * distance)
    The shapes do not fit together. Both a and c need a second axis, as in `self.a[:, None]`.
-self.a → -a
    The numbers belong to the module, so they are `self.a` and `self.c`.
n_k, past) → n_k, 0)
    Your result is right without a cache. The first query is at position `past`, so pass `past` on to `row_offsets`, and
    add nothing to what it returns.
n_k, past) → None, past)
    Without n_k, `row_offsets` assumes n_k = past + n_q. There can be more keys or fewer, so pass n_k on.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_q, past)
    You exchanged queries and keys. `row_offsets` takes n_q first, then n_k.
row_offsets(n_q, n_k, past) → row_offsets(n_k, n_k, 0)
    Your result is right when queries and keys are the same tokens. In general there are n_q queries, and the first is
    at `past`.
.log1p() → .log1p().flip(-1)
    Your offsets are in reverse order. They ascend, as in `row_offsets`, so the past comes first.
.abs() → .clamp(min=0)
    Keys before the query get 0, because their offsets are negative and you clamp at 0. The distance is |r|.
(self.c[:, None] * distance).log1p() → (distance ** self.c[:, None]).log1p()
    You use c as an exponent, log(1 + |r|^c). It multiplies the distance, log(1 + c·|r|).
... → return _log_kernel(self, n_q, n_k, past).softmax(dim=-1)
    You apply a softmax. A bias is added to the scores, and the softmax comes later, in the layer.
-self.a[:, None] * (self.c[:, None] * distance).log1p() → (1 + self.c[:, None] * distance) ** -self.a[:, None]
    You return e to the power of the bias. A bias is added to the scores, before any e^x.
... → return -row_offsets(n_q, n_k, past).abs().log1p()[None]
    This is the log decay of strength 1. Here each head has its own a and c.
... → return -self.a[:, None] * (1 + self.c[:, None] * row_offsets(n_q, n_k, past)).abs().log()
    You take the absolute value too late. It is the distance |r| that is multiplied by c, and then 1 is added.
""",
    alternatives=[
        lambda self, n_q, n_k, past: (
            -self.a.outer(row_offsets(n_q, n_k, past) * 0 + 1)
            * (1 + self.c.outer(row_offsets(n_q, n_k, past).abs().double())).log()
        ),
    ],
    hints=[
        "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is their absolute value.",
        "The shapes (heads, 1) and (offsets,) multiply to (heads, offsets), as with `self.c[:, None]`.",
        "log(1 + x) is `x.log1p()`. The bias is −a times that of c times the distance.",
    ],
)


@log_kernel.wrong(
    "You return the matrix, (heads, n_q, n_k). A hook gives one number per *offset*, and the layer puts them on the "
    "diagonals."
)
def _grid(self, n_q, n_k, past):
    from course_lib.nn.grid import to_grid

    return to_grid(_log_kernel(self, n_q, n_k, past)[:, None], n_q)


@log_kernel.wrong(
    "You return the matrix (n_q, n_k) of one head. A hook gives one number per head and *offset*: (heads, offsets)."
)
def _matrix_of_head_0(self, n_q, n_k, past):
    return _grid(self, n_q, n_k, past)[0]


@log_kernel.wrong(
    "You give −∞ to the keys after the query. Hiding keys is the job of the mask, and the bias does not know about it."
)
def _causal(self, n_q, n_k, past):
    return _log_kernel(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, -math.inf)


@log_kernel.wrong(
    "You give 0 to the keys after the query, more than to any key before it. The decay is the same both ways, by |r|."
)
def _past_only(self, n_q, n_k, past):
    return _log_kernel(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, 0.0)


@log_kernel.wrong(
    "You use the offsets of the first query only, one for each key. n_q queries and n_k keys have n_q + n_k − 1 "
    "offsets."
)
def _keys_of_one_query(self, n_q, n_k, past):
    import torch

    return -self.a[:, None] * (self.c[:, None] * (torch.arange(n_k) - past).abs()).log1p()


@log_kernel.wrong(
    "Your distances count up from 0. The offsets go from the farthest past to the farthest future, as in `row_offsets`."
)
def _distances_counted_from_0(self, n_q, n_k, past):
    import torch

    return -self.a[:, None] * (self.c[:, None] * torch.arange(n_q + n_k - 1)).log1p()
