"""The hook of a scheme that the course has not built: KERPLE's logarithm, with a strength and a unit per head."""

import math

from ..engine import Mistake
from ..hook import StandIn, case, row_offsets
from .learned_hook import LearnedHook


def numbers(a, c):
    """The module of the hook, with an a and a c for each head."""
    return StandIn("Kerple", a=a, c=c)


def _log_kernel(self, n_q, n_k, past):
    """b_h(r) = -a_h * log(1 + c_h * |r|) for every offset r, (heads, n_q + n_k - 1), offsets ascending.

    The hook `bias` of a Position: n_q queries stand at past, past + 1, …, n_k keys at 0, 1, …
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


def _grid(self, n_q, n_k, past):
    """The matrix in place of the row."""
    from ...nn.grid import to_grid

    return to_grid(_log_kernel(self, n_q, n_k, past)[:, None], n_q)


def _causal(self, n_q, n_k, past):
    return _log_kernel(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, -math.inf)


def _past_only(self, n_q, n_k, past):
    return _log_kernel(self, n_q, n_k, past).masked_fill(row_offsets(n_q, n_k, past) > 0, 0.0)


def _distances_counted_from_0(self, n_q, n_k, past):
    import torch

    return -self.a[:, None] * (self.c[:, None] * torch.arange(n_q + n_k - 1)).log1p()


def _keys_of_one_query(self, n_q, n_k, past):
    import torch

    return -self.a[:, None] * (self.c[:, None] * (torch.arange(n_k) - past).abs()).log1p()


def _size_of_the_whole(self, n_q, n_k, past):
    return -self.a[:, None] * (1 + self.c[:, None] * row_offsets(n_q, n_k, past)).abs().log()


def _matrix_of_head_0(self, n_q, n_k, past):
    return _grid(self, n_q, n_k, past)[0]


_AFTER = """With c = 1 in every head this is chapter 02's log decay, of strength a. With a tiny c and a large a it is nearly \
ALiBi's straight line, of slope a · c, for log(1 + x) is about x: one family, and training chooses a member for each head."""

log_kernel = LearnedHook(
    title="The hook of a new scheme",
    minutes=10,
    difficulty=2,
    words="""KERPLE (Chi et al., 2022) is a family of learned decays. Its logarithmic one is

$$b_h(r) = -a_h \\log(1 + c_h |r|), \\qquad a_h, c_h > 0.$$

It is chapter 02's log decay with two numbers for each head: a strength $a_h$, and $c_h$, which sets the unit in which
distance is counted. The paper writes $r_1$ and $r_2$ for them, and learns both.

Write it as the hook `bias` of a `Position`: one number per head and offset, in the order of
`row_offsets(n_q, n_k, past)`, as a tensor. `self.a` and `self.c` are tensors, one number per head. Which keys are hidden
is the mask's business. Training must reach both numbers: compute with torch throughout.""",
    solution=_log_kernel,
    expected=_by_loops,
    hook="self.a` or `self.c",
    learned=lambda: numbers([0.5, 2.0], [3.0, 0.25]),
    then=_AFTER,
    cases=[
        case(numbers([1.0], [2.0]), 5, 5, 0, says="the five tokens"),
        case(numbers([0.5, 2.0], [3.0, 0.25]), 5, 5, 0, says="two heads"),
        case(numbers([1.5, 0.5], [0.1, 1.0]), 1, 6, 5, says="one new token after five, with a cache"),
        case(numbers([0.3], [0.7]), 2, 6, 3, says="two queries, six keys, three tokens before"),
        case(numbers([0.8], [1.7]), 1, 1, 0, says="one token alone"),
        case(numbers([2.0**-h for h in range(1, 13)], [0.3 * h for h in range(1, 13)]), 3, 3, 0, says="12 heads"),
    ],
    draw=lambda rng: case(
        numbers(*rng.uniform(0.1, 3, size=(2, int(rng.integers(1, 4)))).round(3).tolist()),
        n_q := int(rng.integers(1, 7)),
        n_q + int(rng.integers(0, 4)),
        int(rng.integers(0, 4)),
        says="a random case",
    ),
    mistakes=[
        Mistake(
            "-self.a",
            "self.a",
            "The sign is wrong: far keys are rewarded. A decay is 0 at distance 0 and negative everywhere else.",
        ),
        Mistake(
            ".abs()",
            "",
            "The past has negative offsets, and 1 + c·r is below 0 for most of them: no logarithm (nan). The distance is |r|: `.abs()`.",
        ),
        Mistake(
            "row_offsets(n_q, n_k, past).abs()",
            "-row_offsets(n_q, n_k, past)",
            "Keys after the query have positive offsets, and −r is negative there: no logarithm (nan). The distance is |r|: `.abs()`.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * distance).log()",
            "The 1 is missing: at distance 0 this is log 0 = −∞, and minus that is +∞. log(1 + x) is `log1p`.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(1 + self.c[:, None] * distance).log1p()",
            "The 1 comes in twice: `log1p(x)` is log(1 + x) already.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] + distance).log()",
            "c and the distance are added, and the 1 is missing: 1 + c·|r|.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] + distance).log1p()",
            "c is added to the distance. It multiplies it: log(1 + c·|r|).",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "self.c[:, None] * distance.log1p()",
            "c stands outside of the logarithm, where it is a second strength. It multiplies the distance inside: log(1 + c·|r|).",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * (1 + distance)).log()",
            "c multiplies the 1 as well: log(c + c·|r|) is log c plus the log decay. The 1 stands alone: log(1 + c·|r|).",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * (1 + distance)).log1p()",
            "A 1 is added to the distance, and `log1p` adds another: log(1 + c·|r|) is `log1p` of c·|r|.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "distance ** self.c[:, None]",
            "This is a power of the distance, −a·|r|^c, another kernel of the paper's. Here it is −a·log(1 + c·|r|).",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance)",
            "-self.a[:, None].exp() * (self.c[:, None].exp() * distance)",
            "`self.a` and `self.c` are the numbers themselves, and positive already: no `.exp()`.",
        ),
        Mistake("-self.a[:, None]", "-self.a[:, None].exp()", "`self.a` is the number itself: no `.exp()`."),
        Mistake(
            "self.c[:, None] * distance",
            "self.c[:, None].exp() * distance",
            "`self.c` is the number itself: no `.exp()`.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(distance / self.c[:, None]).log1p()",
            "You divide by c. It multiplies the distance: a larger c, a faster decay.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "distance.log1p()",
            "This is the log decay with a strength: c is missing. It multiplies the distance inside the logarithm.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "-(self.c[:, None] * distance).log1p()",
            "The strength a is missing: every head decays by its c alone.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "-(self.a[:, None] * self.c[:, None] * distance).log1p()",
            "The strength has come under the logarithm. It multiplies the whole of it: −a·log(1 + c·|r|).",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "-(self.c[:, None] * distance).log1p() / self.a[:, None]",
            "You divide by a. A stronger head decays more: multiply.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "-self.c[:, None] * (self.a[:, None] * distance).log1p()",
            "a and c have changed places: a multiplies the logarithm, c the distance inside it.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * distance).log1p() / math.log(2)",
            "This is the logarithm to base 2. `log` in this course is to base e.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * distance).log1p() / math.log(10)",
            "This is the logarithm to base 10. `log` in this course is to base e.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "self.c[:, None] * distance",
            "This is a straight line, ALiBi's: the logarithm is missing.",
        ),
        Mistake(
            "(self.c[:, None] * distance).log1p()",
            "(self.c[:, None] * distance).sqrt()",
            "This is the square root of chapter 10. Here it is log(1 + c·|r|).",
        ),
        Mistake(
            "* distance)",
            "* distance**2)",
            "You square the distance. It is |r| inside the logarithm.",
        ),
        Mistake("* distance)", "* distance).long()", "`.long()` cuts numbers off at the point. Leave them floats."),
        Mistake(
            "self.c[:, None] * distance",
            "self.c[:, None].mean() * distance",
            "All heads get the same, averaged c. Each has its own.",
        ),
        Mistake(
            "self.c[:, None] * distance",
            "self.c[0] * distance",
            "All heads get the c of head 0. Each has its own: `self.c[:, None]`.",
        ),
        Mistake(
            "-self.a[:, None]",
            "-self.a[0]",
            "All heads get the strength of head 0. Each has its own: `self.a[:, None]`.",
        ),
        Mistake(
            "-self.a[:, None]",
            "-self.a.mean()",
            "All heads get the same, averaged strength. Each has its own.",
        ),
        Mistake(
            "-self.a[:, None]",
            "-self.a.flip(0)[:, None]",
            "The heads have each other's strengths: head h has a_h.",
        ),
        Mistake(
            "self.c[:, None] * distance",
            "self.c.flip(0)[:, None] * distance",
            "The heads have each other's c: head h has c_h.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance)",
            "-self.a * (self.c * distance)",
            "(heads,) and (offsets,) do not go together: give a and c a second axis, `self.a[:, None]` and `self.c[:, None]`.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance)",
            "-self.a * (self.c[:, None] * distance)",
            "(heads,) and (heads, offsets) do not go together: a needs a second axis, too, `self.a[:, None]`.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance)",
            "-self.a[:, None] * (self.c * distance)",
            "(heads,) and (offsets,) do not go together: c needs a second axis, too, `self.c[:, None]`.",
        ),
        Mistake("-self.a", "-a", "The numbers belong to the module: `self.a` and `self.c`."),
        Mistake(
            "n_k, past)",
            "n_k, 0)",
            "Right without a cache. The first query stands at position `past`, and `row_offsets(n_q, n_k, past)` counts from there: hand it on, and add nothing to what comes back.",
        ),
        Mistake("n_k, past)", "n_k, past + 1)", "Every query stands one position too far: the first is at `past`."),
        Mistake(
            "n_k, past)",
            "None, past)",
            "Left to itself, `row_offsets` takes n_k = past + n_q. There can be more keys or fewer: hand n_k on.",
        ),
        Mistake(
            "row_offsets(n_q, n_k, past)",
            "row_offsets(n_k, n_q, past)",
            "Queries and keys have changed places: `row_offsets(n_q, n_k, past)`.",
        ),
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
            ".log1p()",
            ".log1p().flip(-1)",
            "The offsets run backwards. They ascend, as in `row_offsets`: the past comes first.",
        ),
        Mistake(
            _grid,
            "This is the matrix, (heads, n_q, n_k). A hook gives one number per *offset*; the layer lays them on the diagonals.",
        ),
        Mistake(
            _matrix_of_head_0,
            "This is the matrix (n_q, n_k) of one head. A hook gives one number per head and *offset*: (heads, offsets).",
        ),
        Mistake(
            _size_of_the_whole,
            "The size is taken too late: it is the distance, |r|, that is counted, and then 1 + c·|r|.",
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
            "(self.c[:, None] * distance).log1p()",
            "(distance ** self.c[:, None]).log1p()",
            "c is an exponent in yours, log(1 + |r|^c). It multiplies the distance: log(1 + c·|r|).",
        ),
        Mistake(
            _keys_of_one_query,
            "These are the offsets of the first query alone, one for each key. n_q queries and n_k keys have n_q + n_k − 1 offsets.",
        ),
        Mistake(
            lambda self, n_q, n_k, past: -row_offsets(n_q, n_k, past).abs().log1p()[None],
            "This is the log decay of chapter 02 with strength 1. Here each head has its own a and c: `self.a` and `self.c`.",
        ),
        Mistake(
            _distances_counted_from_0,
            "These distances count up from 0. The offsets go from the farthest past to the farthest future: `row_offsets`.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "(-self.a[:, None] * (self.c[:, None] * distance).log1p()).T",
            "This is (offsets, heads). The heads come first.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "(-self.a[:, None] * (self.c[:, None] * distance).log1p()).softmax(dim=-1)",
            "A bias is added to the scores. The softmax comes later, in the layer.",
        ),
        Mistake(
            "-self.a[:, None] * (self.c[:, None] * distance).log1p()",
            "(-self.a[:, None] * (self.c[:, None] * distance).log1p()).exp()",
            "A bias is added to the scores, before any e^x. What you return is already the factor that it becomes.",
        ),
    ],
    alternatives=[
        lambda self, n_q, n_k, past: (
            -self.a.outer(row_offsets(n_q, n_k, past) * 0 + 1)
            * (1 + self.c.outer(row_offsets(n_q, n_k, past).abs().double())).log()
        ),
    ],
    hints=[
        "`row_offsets(n_q, n_k, past)` holds the offsets in the right order. The distance is the size of each.",
        "(heads, 1) times (offsets,) is (heads, offsets): `self.c[:, None]`.",
        "log(1 + x) is `x.log1p()`. Minus a times that of c times the distance.",
    ],
)
