"""The hook of a new scheme."""

import math

from course_lib.checking import CodingTask
from course_lib.contents import number

from ..given import StandIn
from ..hook_cases import DECAY_PIECES, DECAY_SLIPS, by_loops, cases_of, random_case, row_offsets
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
    expected=by_loops(lambda distance, a, c: -a * math.log(1 + c * distance)),
    hook="self.a` or `self.c",
    reader=read_hook,
    afterwards=asked_in_training(lambda: numbers([0.5, 2.0], [3.0, 0.25])),
    on_pass=f"With c = 1 in every head this is chapter {number('bias_by_hand')}'s log decay, of strength a. With a "
    "tiny c and a large a it is nearly ALiBi's straight line, of slope a · c, because log(1 + x) is about x. So this "
    "is one family, and training chooses a member for each head.",
    cases=cases_of(
        numbers([1.0], [2.0]),
        numbers([0.5, 2.0], [3.0, 0.25]),
        numbers([1.5, 0.5], [0.1, 1.0]),
        numbers([0.3], [0.7]),
        numbers([0.8], [1.7]),
        numbers([2.0**-h for h in range(1, 13)], [0.3 * h for h in range(1, 13)]),
    ),
    draw=lambda rng: random_case(
        rng, numbers(*rng.uniform(0.1, 3, size=(2, int(rng.integers(1, 4)))).round(3).tolist())
    ),
    pieces=DECAY_PIECES
    + """
row_offsets(n_q, n_k, past).abs()
    the distance: It is |r|, because 1 + c·r is negative for most offsets of the past and has no logarithm.
self.a[:, None]
    the strength a: Each head multiplies its logarithm by −a. The heads are along the first axis.
-self.a[:, None]
    the strength a: Each head multiplies its logarithm by −a, so distant keys get a penalty.
self.c[:, None]
    the factor c: Each head multiplies the distance inside the logarithm by its own c, along the first axis.
self.c[:, None] * distance
    c times the distance: The logarithm is that of 1 + c·|r|.
distance
    the distance: It is multiplied by c inside the logarithm, log(1 + c·|r|).
(self.c[:, None] * distance).log1p()
    the logarithm: It is log(1 + c·|r|).
""",
    slips=DECAY_SLIPS.format(decay="_log_kernel")
    + """
.abs() →
    Keys before the query have negative offsets, and 1 + c·r is below 0 for most of them, so it has no logarithm (nan).
    The distance is |r|.
row_offsets(n_q, n_k, past).abs() → -row_offsets(n_q, n_k, past)
    Keys after the query have positive offsets, so −r is negative there and the logarithm is nan. The distance is |r|.
.log1p() → .log()
    The 1 is missing. At distance 0 you take log 0 = −∞, and minus that is +∞. It is log(1 + c·|r|).
(self.c[:, None] → (1 + self.c[:, None]
    You add 1 twice, because `log1p(x)` is already log(1 + x).
* distance).log1p() → + distance).log()
    You add c to the distance, and the 1 is missing. It is log(1 + c·|r|).
* distance) → + distance)
    You add c to the distance. It multiplies the distance, log(1 + c·|r|).
(self.c[:, None] * distance).log1p() → self.c[:, None] * distance.log1p()
    Your c is outside the logarithm, where it is a second strength. It multiplies the distance inside, log(1 + c·|r|).
* distance).log1p() → * (1 + distance)).log()
    You multiply the 1 by c as well, so you get log c plus the log decay. It is log(1 + c·|r|).
* distance) → * (1 + distance))
    You add 1 to the distance, and `log1p` adds another. log(1 + c·|r|) is `log1p` of c·|r|.
(self.c[:, None] * distance).log1p() → distance ** self.c[:, None]
    You use a power of the distance, −a·|r|^c, which is another kernel of the paper. Here it is −a·log(1 + c·|r|).
self.c[:, None] * distance → distance ** self.c[:, None]
    You use c as an exponent, log(1 + |r|^c). It multiplies the distance, log(1 + c·|r|).
-self.a[:, None] * (self.c[:, None] * distance) → -self.a[:, None].exp() * (self.c[:, None].exp() * distance)
or -self.a[:, None] → -self.a[:, None].exp()
or self.c[:, None] * distance → self.c[:, None].exp() * distance
    You apply `exp`. `self.a` and `self.c` are the numbers themselves, and already positive.
self.c[:, None] * distance → distance / self.c[:, None]
    You divide by c. It multiplies the distance, so a larger c gives a faster decay.
(self.c[:, None] * distance) → distance
    This is the log decay with a strength, because c is missing. It multiplies the distance inside the logarithm.
-self.a[:, None] * → -
    The strength a is missing, so every head decays by its c only.
-self.a[:, None] * (self.c → -(self.a[:, None] * self.c
    Your strength is inside the logarithm. It multiplies the whole of it, −a·log(1 + c·|r|).
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -(self.c[:, None] * distance).log1p() / self.a[:, None]
    You divide by a. A stronger head decays more, so multiply.
-self.a[:, None] * (self.c[:, None] * distance).log1p() → -self.c[:, None] * (self.a[:, None] * distance).log1p()
    You exchanged a and c. The logarithm is multiplied by a, and the distance inside it by c.
.log1p() → .log1p() / math.log(2)
or .log1p() → .log1p() / math.log(10)
    You take the logarithm to base 2 or 10. `log` in this course is to base e.
.log1p() →
    This is a straight line, as in ALiBi, because the logarithm is missing.
.log1p() → .sqrt()
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
