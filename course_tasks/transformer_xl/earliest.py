"""How far back?"""

import numpy as np

from course_lib.checking import Case, CodingTask

from .common import windows


def _earliest(t, layers, size, length):
    """The first token that can influence the output of token t after `layers` layers."""
    for _ in range(layers):
        t = max(0, t // size * size - length)
    return t


def _followed(t, layers, size, length):
    """Follow who sees whom, layer by layer."""
    sees = windows(t + 1, size, length)
    reached = np.arange(t + 1) == t
    for _ in range(layers):
        reached = reached @ sees
    return int(np.flatnonzero(reached)[0])


def _with_remainder(t, layers, size, length):
    begin = t
    while layers:
        begin, layers = max(begin - begin % size - length, 0), layers - 1
    return begin


earliest = CodingTask(
    title="How far back?",
    minutes=8,
    difficulty=3,
    words=r"""A stack of `layers` layers reads a text in segments of `size` tokens. Each layer remembers the last
`length` rows of its own input. Which is the earliest token, counted from 0, that can influence the output of token `t`?
(Every layer also passes its input on, so with 0 layers it is `t` itself.)

In one layer, token $t$ sees back to `length` tokens before the first token *of its segment*.

In the lesson's example, with segments and memory of 4, `earliest(15, 3, 4, 4)` is 0 and `earliest(16, 3, 4, 4)` is 4. A
loop over the layers is all you need.""",
    solution=_earliest,
    expected=_followed,
    cases=[
        Case(15, 3, 4, 4, label="the lesson's example"),
        Case(16, 3, 4, 4, label="one token later, a new segment"),
        Case(50, 3, 4, 4, label="far into the text"),
        Case(50, 4, 8, 3, label="a memory shorter than a segment"),
        Case(50, 3, 4, 10, label="a memory longer than a segment"),
        Case(50, 2, 8, 0, label="no memory"),
        Case(3, 5, 4, 4, label="the first segment"),
        Case(9, 0, 4, 4, label="no layer"),
    ],
    draw=lambda rng: tuple(int(x) for x in rng.integers([30, 1, 2, 0], [90, 5, 9, 12])),
    pieces="""
layers
    the number of layers: Each layer looks back once, the first one too. With 0 layers the answer is t itself.
0
    the lower limit: The text begins at token 0.
length
    the reach of the memory: It is `length` tokens, counted back from the first token of t's segment.
t // size * size - length
    the step back: It goes from the first token of t's segment back by `length`.
t // size
    the number of the segment: It is `t // size`. The remainder, `t % size`, is the place within the segment.
t // size * size
    the first token of the segment: It is the number of the segment times its size.
size
    the size of a segment: The first token of a segment is the number of the segment times `size`.
""",
    slips="""
t // size * size - length → t - length
    You count back from the token itself. The memory ends where t's segment begins, so start from its first token.
max(0, t // size * size - length) → abs(t // size * size - length)
    `abs` turns −3 into 3. There is no token before 0, so use 0 in place of anything below.
max(0, t // size * size - length) → t // size * size - length
    You go back past the beginning of the text. There is no token before 0, so stop there.
t // size * size - length → (t // size - -(-length // size)) * size
    You round the memory up to whole segments. It may begin inside a segment, because it is `length` tokens long.
... → return max(0, t // size - layers * -(-length // size)) * size
    You count in whole segments. A memory may begin inside a segment, because it is `length` tokens long, and with no
    layer the answer is t itself.
t // size * size - length → (t // size + 1) * size - 1 - length
or t // size * size - length → (t // size + 1) * size - length
    You count back from the end of the segment. The memory ends where the segment begins.
max(0, t // size * size - length) → max(0, t - length) // size * size
    You go back by `length` first, and then to the beginning of a segment. Do it the other way round: begin at the first
    token of t's segment, and count back by `length` from there.
t // size * size - length → (t // size - 1) * size
or ... → return max(0, t // size * size - layers * size)
    You step back by one whole segment per layer. The memory reaches back by `length`.
... → return max(0, t // size * size - length)
    This is one layer. Each layer adds another step, because what a token holds has looked back itself.
... → return max(0, t // size * size - layers * length)
or ... → return max(0, t // size * size - layers * length) if layers else t
    You take all `layers * length` steps from the beginning of one segment. If the memory ends inside a segment, the
    next layer first goes back to the beginning of that one.
... → return max(0, t // size * size - length - (layers - 1) * size) if layers else t
    This is right only with a memory of 1 to `size` tokens. A longer one reaches further with every layer.
... → return t - layers * length
    You start from the token itself, not from the first one of its segment, and you may end before token 0.
... → return max(0, t // size * size - layers * (size + length))
    You go back by `size` and by `length` in every layer. With a memory of one segment, that is two segments, not one.
... → return max(0, t - layers * (size + length))
    You go back by `size + length` from the token itself, once per layer. Each layer goes back to the beginning of the
    segment it has reached, and from there by `length`.
t = max → return max
return t → return None
    The `return` is inside the loop, so only one layer is taken.
range(layers) → range(layers if length else 0)
    Without a memory t still sees its own segment, so a `length` of 0 needs no case of its own.
... → return t - _followed(t, layers, size, length)
    This is the number of tokens back. The task asks for the number of the token itself.
... → return _followed(t, layers - 1, size, length) // size * size if layers else t
    In one of the layers you go back only to the beginning of the segment. Each one reads its memory.
... → return t if not layers else 0 if length else t // size * size
or ... → return 0 if layers else t
    With a memory you always reach token 0. But each layer takes one step, and there are only `layers`.
""",
    alternatives=[_with_remainder],
    hints=[
        "Try one layer first. With segments of 4, t = 9 lies in the segment that begins at 8. With a memory of 3, what "
        "is the first token it sees?",
        "The first token of t's segment is `t // size * size`.",
        "Then repeat this from the token you found, once per layer, and never go below 0.",
    ],
)
