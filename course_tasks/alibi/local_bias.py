"""Bug hunt: heads on several machines."""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask
from course_lib.example import TOKENS
from course_lib.reference.alibi import alibi_bias, slopes


def _local_bias(n_heads, rank, machines, n_k):
    """ALiBi's bias for one new query and the heads of machine `rank`: (n_heads // machines, n_k).

    The new query belongs to the last of n_k tokens. Machine 0 has the first heads of the model, machine 1 the next.
    """
    here = n_heads // machines
    mine = slopes(n_heads)[rank * here : (rank + 1) * here]
    return -mine[:, None] * np.arange(n_k)[::-1]


def _local_bias_given(n_heads, rank, machines, n_k):
    """ALiBi's bias for one new query and the heads of machine `rank`: (n_heads // machines, n_k).

    The new query belongs to the last of n_k tokens. Machine 0 has the first heads of the model, machine 1 the next.
    """
    here = n_heads // machines
    mine = slopes(here)
    return -mine[:, None] * np.arange(n_k)[::-1]


def _part_of_the_model(n_heads, rank, machines, n_k):
    return np.array_split(alibi_bias(1, n_k, n_heads=n_heads, past=n_k - 1)[:, 0], machines)[rank]


def _by_loop(n_heads, rank, machines, n_k):
    here = n_heads // machines
    return [[m * (j + 1 - n_k) for j in range(n_k)] for m in slopes(n_heads)[rank * here :][:here]]


def _case(n_heads, rank, machines, n_k, label):
    heads = np.split(np.arange(1, n_heads + 1).astype(str), machines)[rank].tolist()
    return Case(n_heads, rank, machines, n_k, label=label, axes=(Axis("head", heads), Axis("key", TOKENS)))


def _draw(rng):
    machines, here = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    return machines * here, int(rng.integers(machines)), machines, int(rng.integers(2, 8))


local_bias = CodingTask(
    title="Bug hunt: heads on several machines",
    minutes=8,
    difficulty=2,
    words="""A large model splits its heads evenly over several machines. While it writes, each machine computes the
bias for the one new query and its own heads. Machine 0 has the first heads of the model, machine 1 the next ones, and
so on. The new query belongs to the last of `n_k` tokens, so the bias of that token is 0.

On one machine this code is right. On four machines nothing is raised and all shapes are right, but the model writes
worse text. Fix it. `slopes(n_heads)` gives the slopes of a model with `n_heads` heads, head 1 first.""",
    solution=_local_bias,
    starter=_local_bias_given,
    expected=_part_of_the_model,
    axes=("head", "key"),
    cases=[
        _case(8, 0, 2, 5, "the five tokens, heads 1 to 4 of 8"),
        _case(8, 1, 2, 5, "the five tokens, heads 5 to 8 of 8"),
        _case(8, 0, 1, 5, "one machine with all 8 heads"),
        _case(8, 3, 4, 3, "the last of four machines, 3 tokens"),
        _case(12, 2, 3, 5, "twelve heads, the last of three machines"),
        _case(4, 1, 4, 5, "one head on each machine"),
        _case(8, 1, 2, 1, "the first token of a text"),
    ],
    draw=_draw,
    pieces="""
mine[:, None]
    the slope of each head: The bias has a row for each head and a column for each key, −m · distance.
n_heads // machines
    the number of heads on a machine: The heads are split evenly, so it is `n_heads // machines`.
rank * here
    the beginning of the block: The machines before this one have `rank * here` heads.
(rank + 1) * here
    the end of the block: Each machine has `here` heads, from `rank * here` up to `(rank + 1) * here`.
slopes(n_heads)
    the list of slopes: It belongs to the whole model, which has `n_heads` heads.
slopes(n_heads)[rank * here:(rank + 1) * here]
    the choice of heads: Each machine takes only its own heads from the slopes of the model.
np.arange(n_k)[::-1]
    the distance: The last token has distance 0, and the first has distance n_k − 1.
n_k
    the number of keys: The distances go from n_k − 1 down to 0.
""",
    slips="""
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[:here]
    Every machine uses the slopes of the first heads. Machine `rank` has the heads after `rank * here` others.
slopes(n_heads)[rank * here : (rank + 1) * here] → np.split(slopes(n_heads), here)[rank]
    You cut the slopes into `here` parts. Each machine has one part, so cut them into `machines` parts.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[rank::machines]
    You deal out the heads one by one. Each machine has a block of neighbouring heads.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(here * (rank + 1))[rank * here :]
    You take the slopes of a model with only the heads up to this machine. The model has `n_heads` heads.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[rank : rank + here]
    You start at head `rank`. The machines before this one have `rank * here` heads together.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[rank * here : here]
    A slice ends at a position, not after a number of entries. The block ends at `(rank + 1) * here`.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[rank * machines : rank * machines + here]
    You count `machines` heads per machine. Each machine has `here` heads.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[::-1][rank * here : (rank + 1) * here]
    You reversed the order of the heads. Machine 0 has the first, steepest heads of the list.
[rank * here : (rank + 1) * here] → [len(slopes(n_heads)) - (rank + 1) * here :][:here]
    You count the machines from the end of the list. Machine 0 has the first heads of the model.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads)[(rank - 1) * here : rank * here]
    You take the heads of the machine before. Machines are counted from 0, so machine 0 has the first `here` heads.
slopes(n_heads)[rank * here : (rank + 1) * here] → slopes(n_heads * machines)[rank * here : (rank + 1) * here]
    You take the slopes of a model with `n_heads * machines` heads. `n_heads` counts the heads of the whole model.
here = n_heads // machines → here = n_heads // machines; h = np.arange(here) + rank * here + 1
slopes(n_heads)[rank * here : (rank + 1) * here] → 2.0 ** (-8 * h / n_heads)
    This is the formula of the paper, which differs from the authors' code for twelve heads. Use `slopes(n_heads)`.
-mine[:, None] * np.arange(n_k)[::-1] → -mine[:, None] * abs(np.arange(n_k) - np.arange(here)[:, None])
    You take the distance from key to head. The heads share one query, which is at the position of the last token.
-mine[:, None] * np.arange(n_k)[::-1] → mine[:, None] * np.arange(n_k)
    This is m · j, which gives the same weights. But the bias itself is asked for, −m · distance: 0 for the last token.
-mine[:, None] * np.arange(n_k)[::-1] → -mine[:, None] * np.arange(n_k)
    The distances run the wrong way. The new query is the last token, so the last key has distance 0.
""",
    alternatives=[_by_loop],
    hints=[
        "Compare `slopes(4)` with `slopes(8)[:4]`. Which of the two does machine 0 of 2 need in a model with 8 heads?",
        "Compute the slopes of the whole model, then take the block of this machine.",
        "The block begins after `rank * here` heads and has `here` heads.",
    ],
)
