"""Bug hunt: position in one layer of twelve."""

import numpy as np

from course_lib.checking import Case, CodingTask
from course_lib.reference.t5 import t5_bias

from ..shared import KEY, QUERY
from .common import CONTENT
from .common import table as made

AXES = ("layer", "head", QUERY, KEY)


def _stack_scores(content, table):
    """Scores of every layer of an encoder with one shared table.

    content (layers, heads, n, n) holds each layer's q·k. table (num_buckets, heads)
    belongs to the first layer, which passes its bias on. Returns (layers, heads, n, n).
    """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
        result.append(scores + bias)
    return result


def _stack_scores_given(content, table):
    """Scores of every layer of an encoder with one shared table.

    content (layers, heads, n, n) holds each layer's q·k. table (num_buckets, heads)
    belongs to the first layer, which passes its bias on. Returns (layers, heads, n, n).
    """
    bias = np.zeros(1)
    result = []
    for number, scores in enumerate(content):
        if number == 0:
            bias = t5_bias(content.shape[-1], table=table)
            scores = scores + bias
        result.append(scores)
    return result


stack_scores = CodingTask(
    title="Bug hunt: position in one layer of twelve",
    minutes=8,
    difficulty=2,
    words="""T5's layers share one table. The first layer owns it, makes the bias and passes it on. In this code the
bias is passed on, and yet only one layer of a stack of twelve has position. All shapes are right, and every test of a
single layer passes. Find the bug and fix it: the scores of *every* layer should be its q·k plus the shared bias.""",
    solution=_stack_scores,
    starter=_stack_scores_given,
    expected=lambda content, table: np.asarray(content) + t5_bias(np.shape(content)[-1], table=table),
    cases=[
        Case(np.stack([CONTENT[None]] * 3), made(0, 1), label="three layers", axes=AXES),
        Case(np.multiply.outer(range(4), [CONTENT, -CONTENT]), made(1, 2), label="four layers, two heads", axes=AXES),
        Case(CONTENT[None, None], made(2, 1), label="one layer", axes=AXES),
        Case(np.zeros((2, 1, 1, 1)), made(3, 1), label="one token alone"),
    ],
    draw=lambda rng: (
        rng.normal(size=(int(rng.integers(2, 5)), heads := int(rng.integers(1, 4)), n := int(rng.integers(2, 7)), n)),
        rng.normal(size=((8, 32)[rng.integers(2)], heads)),
    ),
    pieces="""
scores
    the q·k of the layer: The scores of a layer are its q·k plus the bias.
bias
    the bias: Every layer adds it once, to its own q·k.
-1
    the axis of the tokens: The bias is made for the tokens, which are on the last axis of content.
t5_bias(content.shape[-1], table=table)
    the bias: The first layer makes it, with its table.
enumerate(content)
    `enumerate`: It gives each layer with its number.
result.append(scores + bias)
    the `append`: Every layer has its own scores, and all of them are in the result.
""",
    slips="""
scores + bias → (scores + bias if number == 0 else scores)
    Only the first layer adds the bias. The others get it and do not use it. Which line belongs outside the `if`?
scores + bias → scores + (number > 0) * bias
    The first layer has no bias, and only the later ones add it. Every layer should.
scores + bias → scores + (number == len(content) - 1) * bias
    Only the last layer has the bias. Is the line that adds it below the loop?
scores + bias → scores + (2 if number == 0 else 1) * bias
    The first layer adds the bias twice, once inside the `if` and once below it.
scores + bias → scores + (number + 1) * bias
    The bias adds up: layer 1 has it twice, layer 2 three times. Each layer should add it once, to its own scores.
scores + bias → scores + 2**number * bias
    The bias doubles from layer to layer. Each layer should add it once, to its own scores.
scores + bias → content[: number + 1].sum(axis=0) + bias
    The scores add up from layer to layer. Each layer has its own q·k, and only the bias is shared.
scores + bias → content[0] + bias
    Every layer gets the scores of the first. Each has its own q·k.
scores + bias → scores / np.sqrt(scores.shape[-1]) + bias
or scores + bias → scores / 2 + bias
    You divide the scores. T5 does not scale, so add the bias to the bare q·k.
scores + bias → scores + bias.mean(axis=0)
    All heads get the same, averaged bias. Head h has column h of the table.
scores + bias → scores + bias[:1]
    All heads get the bias of head 0. Head h has column h of the table.
scores + bias → scores + bias.swapaxes(-1, -2)
    You transposed the bias, so left and right are exchanged. Leave it as the first layer made it.
... → return content + t5_bias(content.shape[-1], table=table)[:, None]
    With `bias[:, None]` the heads are where the layers should be. (heads, n, n) aligns from the right by itself.
... → return content + t5_bias(len(content), table=table)
or ... → return content + t5_bias(len(content), table=table)[None]
or content.shape[-1] → len(content)
    You make the bias for as many tokens as there are layers. The tokens are on the last axis, `content.shape[-1]`.
table=table) → table=table, bidirectional=False)
    These are a decoder's buckets. An encoder looks both ways, so leave `t5_bias` as it was.
return result → return result[-1]
    You return only the last layer. Return the whole list.
return result → return result[-1:]
    Only the last layer is in your result. Is the `append` outside the loop, along with the sum?
return result → return result[:1]
    Only the first layer is in your result. Is the `return` inside the loop?
""",
    alternatives=[
        lambda content, table: content + t5_bias(content.shape[-1], table=table),
        lambda content, table: [scores + t5_bias(scores.shape[-1], table=table) for scores in content],
    ],
    hints=[
        "Follow the second layer through the loop, line by line. What is added to its scores?",
        "`bias` is still there for the second layer, but no line adds it.",
        "Owning the table and adding the bias are two questions. Only the first of them needs the `if`.",
    ],
)
