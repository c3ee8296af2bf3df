"""The formula of the capstone's hook: its right values, and what is said to a hook that computes another formula."""

import math
from typing import Any

from course_lib.checking.arrays import Outputs, Unusable, as_array, as_outputs, check_tensor, describe_type
from course_lib.checking.solution_source import SolutionSource
from course_lib.checking.spec import Spec
from course_lib.checking.wrong_lines import WrongPrograms

from ...given import StandIn
from ...hook_cases import DECAY_SLIPS, by_loops, row_offsets


def numbers(a: Any, c: Any) -> StandIn:
    """The module of the hook, with an a and a c for each head."""
    return StandIn("Kerple", a=a, c=c)


def _log_kernel(self, n_q, n_k, past):  # type: ignore[no-untyped-def]  # as a learner writes it
    """b_h(r) = -a_h * log(1 + c_h * |r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending."""
    distance = row_offsets(n_q, n_k, past).abs()
    return -self.a[:, None] * (self.c[:, None] * distance).log1p()


def read_hook(value: Any) -> Outputs:
    """The row that a hook returned, as an array. Raises Unusable for what torch alone did not compute."""
    import torch

    of_tensors = isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor)
    if not of_tensors and value is not None and value is not Ellipsis and not isinstance(value, torch.Tensor):
        as_array(value)  # a `...` in a list is no answer yet
        raise Unusable(f"{describe_type(value)}; a hook returns a torch tensor, and what learns is computed with torch only")
    if value is not None and value is not Ellipsis:
        check_tensor(value)
    return as_outputs(value)


SLIPS = """
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
"""

LOG_KERNEL = Spec(
    name="log_kernel",
    solution=_log_kernel,
    expected=by_loops(lambda distance, a, c: -a * math.log(1 + c * distance)),
    cases=(),
    draw=None,
    properties=(),
    returns=(),
    axes=(),
    tensors=False,
    hook="self.a` or `self.c",
    exact=False,
    reader=read_hook,
    seconds=2.0,
)
WRONG = WrongPrograms(
    SolutionSource(_log_kernel, "log_kernel"), "", DECAY_SLIPS.format(decay="_log_kernel") + SLIPS, None
)
