"""Reading in segments: the memory, and how far back a stack of layers can see."""

from itertools import pairwise

import numpy as np

from ...reference.attention import causal_mask
from ..engine import Case, Mistake, Task
from .common import attend, normal, seen


def _read_segments(x, size, length, attend):
    """Outputs (n, d) of x (n, d), read in segments of `size` tokens.

    The memory holds the last `length` inputs; attend(segment, memory) reads one segment.
    """
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def _from_the_end(x, size, length, attend):
    return np.concatenate([attend(x[s : s + size], x[s - length : s]) for s in range(0, len(x), size)])


def _with_itself(x, size, length, attend):
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length) : s + size]) for s in starts])


def _windows(n, size, length):
    """Which keys each query sees: from `length` tokens before its segment up to itself."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return causal_mask(n) & (j >= i // size * size - length)


def _expected_segments(x, size, length, attend):
    """One long pass, in which a mask hides what no memory holds."""
    return seen(x, x, _windows(len(x), size, length))


def _slices(x, size, length, attend):
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length) : s]) for s in starts])


def _last_token_missing(x, size, length, attend):
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length) : s - 1]) for s in starts])


def _even_segments(x, size, length, attend):
    """As many segments as there should be, cut as evenly as `np.array_split` does."""
    starts = np.cumsum([0, *map(len, np.array_split(x, -(-len(x) // size)))])
    return np.concatenate([attend(x[s:e], x[max(0, s - length) : s]) for s, e in pairwise(starts)])


def _whole_segments(x, size, length, attend):
    """`length` counts segments."""
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length * size) : s]) for s in starts])


def _first_segment_only(x, size, length, attend):
    return attend(x[:size], x[:0])


def _padded(x, size, length, attend):
    """The last segment filled up with zeros, and its outputs left in."""
    return _slices(np.concatenate([x, np.zeros((-len(x) % size, x.shape[-1]))]), size, length, attend)


def _so_many_segments(x, size, length, attend):
    memory, outputs = x[:0], []
    for segment in np.array_split(x, size):
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


_TEXT = np.random.default_rng(2).normal(size=(10, 4))

read_segments = Task(
    title="Read a text in segments",
    minutes=12,
    difficulty=2,
    words=r"""`attend(segment, memory)` is a finished Transformer-XL layer (the first cell imports one, for $d = 4$): the segment $(n, d)$ looks at the memory
$(past, d)$ and at itself, and it gives the outputs of the segment. Use it to read a text of any length in segments of
`size` (the last one may be shorter), and return all outputs in order, $(n, d)$.

The memory is what the layer was **given** before, the last `length` rows of all earlier inputs: empty (`x[:0]`) for the
first segment, and possibly longer or shorter than a segment. With `length` 0 it stays empty. When it holds everything that
came before, your outputs equal those of one long pass, `attend(x, x[:0])`.""",
    solution=_read_segments,
    expected=_expected_segments,
    cases=[
        Case(_TEXT, 5, 5, attend, says="ten tokens, two segments, all remembered", axes=("token", "number")),
        Case(_TEXT, 4, 4, attend, says="segments of 4, the last one shorter", axes=("token", "number")),
        Case(_TEXT, 2, 6, attend, says="a memory of three segments", axes=("token", "number")),
        Case(_TEXT, 4, 2, attend, says="a memory shorter than a segment", axes=("token", "number")),
        Case(_TEXT, 3, 0, attend, says="no memory at all", axes=("token", "number")),
        Case(_TEXT[:3], 5, 5, attend, says="a text shorter than a segment", axes=("token", "number")),
        Case(_TEXT[:1], 1, 1, attend, says="one token alone", axes=("token", "number")),
    ],
    draw=lambda rng: (
        normal(rng, int(rng.integers(5, 13)), 4),
        int(rng.integers(2, 5)),
        int(rng.integers(1, 8)),
        attend,
    ),
    mistakes=[
        Mistake(
            "attend(segment, memory)",
            "attend(segment, x[:0])",
            "No output depends on anything before its own segment, as if the memory were always empty. "
            "Hand the memory to `attend`, as its second argument: behind the segment, the causal mask hides it.",
        ),
        Mistake(
            "memory = known[max(0, len(known) - length) :]",
            "memory = attend(segment, memory)",
            "What you remember are the outputs of the last segment. The memory keeps the layer's inputs, the last `length` of them.",
        ),
        Mistake(
            "np.concatenate([memory, segment])",
            "np.concatenate([memory, attend(segment, memory)])",
            "What you remember are the outputs. The memory keeps the layer's inputs, from which it makes keys anew.",
        ),
        Mistake(
            "known = np.concatenate([memory, segment])",
            "known = segment",
            "You keep rows of the last segment only. When `length` is longer than a segment, older rows stay in memory too.",
        ),
        Mistake(
            "known = np.concatenate([memory, segment])\n        memory = known[max(0, len(known) - length) :]",
            "memory = segment[-length:]",
            "You keep rows of the last segment only (and all of them when `length` is 0). When `length` is longer than a segment, older rows stay in memory too.",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known[max(0, len(known) - length - 1) :]",
            "Your memory is one row too long: it holds `length` rows, the last of them just before the segment.",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known[-(length + size) :]",
            "Your memory holds `length + size` rows. The segment just read counts among the last `length` rows.",
        ),
        Mistake(
            _last_token_missing,
            "The last token before the segment is missing from the memory, since a slice ends before its end. (And for the first segment that end is −1, which lets it see the future.)",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known[-length:]",
            "Right except for `length` 0: `[-0:]` is `[0:]` and keeps everything. Slice from `max(0, len(…) - length)`.",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known[:length]",
            "You remember the first `length` rows. The memory holds the last ones, the nearest to the next segment.",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known",
            "Every token sees all that came before: your memory has no end, or there is only one segment. It holds at most `length` rows.",
        ),
        Mistake(
            "known[max(0, len(known) - length) :]",
            "known[max(0, len(known) - size) :]",
            "Your memory is as long as a segment. How long it is says `length`.",
        ),
        Mistake(
            "np.concatenate([memory, segment])",
            "np.concatenate([segment, memory])",
            "The new segment stands before the old memory. Rows stay in the order of the text: memory first.",
        ),
        Mistake(
            "outputs.append(attend(segment, memory))\n        known = np.concatenate([memory, segment])",
            "known = np.concatenate([memory, segment])\n        memory = known[max(0, len(known) - length) :]\n        outputs.append(attend(segment, memory))",
            "The memory takes up the segment before it is read, so the segment meets itself twice. Read first, remember afterwards.",
        ),
        Mistake(
            "attend(segment, memory)",
            "attend(np.concatenate([memory, segment]), x[:0])",
            "You put memory and segment into one long segment and get outputs for the remembered tokens as well. `attend` takes them apart.",
        ),
        Mistake(
            "attend(segment, memory)",
            "attend(np.concatenate([memory, segment]), memory)",
            "The segment you hand over begins with the memory, so outputs come for remembered tokens too. `attend` joins the two itself.",
        ),
        Mistake(
            _with_itself,
            "The memory you hand over ends with the segment itself, which then meets itself twice. It ends where the segment begins.",
        ),
        Mistake(
            _from_the_end,
            "Where `start - length` is below 0, NumPy counts from the end of the text and your memory is empty. The slice begins at `max(0, start - length)`.",
        ),
        Mistake(
            "memory = x[:0]",
            "memory = np.zeros((length, x.shape[-1]))",
            "Your memory begins as rows of zeros. They are keys like any other and take their share of the weight: begin with an empty memory, `x[:0]`.",
        ),
        Mistake(
            "x[start : start + size]",
            "x[start:size]",
            "A slice ends at a place in the text and not after a number of tokens: the segment from `start` ends at `start + size`.",
        ),
        Mistake(
            "range(0, len(x), size)",
            "range(0, len(x) // size * size, size)",
            "The last, shorter segment is missing.",
        ),
        Mistake(
            "range(0, len(x), size)",
            "range(0, len(x), length)",
            "The loop goes forward by `length`. Segments begin every `size` tokens.",
        ),
        Mistake(
            "attend(segment, memory)",
            "attend(memory, segment)",
            "The two have changed places: it is `attend(segment, memory)`.",
        ),
        Mistake(
            _so_many_segments,
            "`np.array_split(x, size)` makes `size` segments. `size` is how long a segment is.",
        ),
        Mistake(
            _even_segments,
            "Your segments are all about equally long. Each has `size` tokens, and only the last one may be shorter: "
            "cut at 0, size, 2·size, …",
        ),
        Mistake(
            _whole_segments,
            "Your memory holds `length` segments. `length` counts rows: the last `length` tokens before the segment.",
        ),
        Mistake(
            _padded,
            "You fill up the last segment and hand back what comes out for the filling. Outputs are asked for as many tokens as there are in x.",
        ),
        Mistake(_first_segment_only, "Only the first segment comes back: is the `return` inside the loop?"),
        Mistake(
            "np.concatenate(outputs)",
            "outputs",
            "You return a list with a block for each segment. Put the blocks one behind the other, into one array.",
        ),
        Mistake(
            "np.concatenate(outputs)",
            "np.array(outputs)",
            "`np.array` lays the segments on an axis of their own, which fails when the last one is shorter. Put them one behind the other, into one array.",
        ),
        Mistake(
            "np.concatenate(outputs)",
            "np.concatenate(outputs, axis=1)",
            "The segments stand side by side. Tokens are on axis 0: put them one behind the other.",
        ),
        Mistake(
            "np.concatenate(outputs)",
            "outputs[-1]",
            "Only the last segment comes back. Collect the outputs of all of them.",
        ),
    ],
    alternatives=[_slices],
    hints=[
        "A loop over `range(0, len(x), size)`. Each round: attend, then remember.",
        "What may be remembered is memory and segment, one behind the other; keep the last `length` rows of that.",
        "Careful with `length` 0: `a[-0:]` is all of a. `a[max(0, len(a) - length):]` is right for every length.",
    ],
)


def _earliest(t, layers, size, length):
    """The first token that can influence the output of token t after `layers` layers."""
    for _ in range(layers):
        t = max(0, t // size * size - length)
    return t


def _expected_earliest(t, layers, size, length):
    """Follow who sees whom, layer by layer."""
    sees = _windows(t + 1, size, length)
    reached = np.arange(t + 1) == t
    for _ in range(layers):
        reached = reached @ sees
    return int(np.flatnonzero(reached)[0])


def _closed_form(t, layers, size, length):
    begin = t
    while layers:
        begin, layers = max(begin - begin % size - length, 0), layers - 1
    return begin


def _last_layer_without_memory(t, layers, size, length):
    return _earliest(t, layers - 1, size, length) // size * size if layers else t


def _without_end(t, layers, size, length):
    if not layers:
        return t
    return 0 if length else t // size * size


def _returns_early(t, layers, size, length):
    for _ in range(layers):
        return max(0, t // size * size - length)
    return None


earliest = Task(
    title="How far back?",
    minutes=8,
    difficulty=3,
    words=r"""A stack of `layers` layers reads a text in segments of `size` tokens; each layer remembers the last `length`
rows of its own input. Which is the earliest token, counted from 0, that can influence the output of token `t`? (Every
layer also passes its input on, so with 0 layers it is `t` itself.)

In one layer, token $t$ sees back to `length` tokens before the first token *of its segment*. What that token holds has,
one layer further down, looked back from *its* segment.

In the lesson's example, segments and memory of 4: `earliest(15, 3, 4, 4)` is 0 and `earliest(16, 3, 4, 4)` is 4. A loop
over the layers is all you need.""",
    solution=_earliest,
    expected=_expected_earliest,
    cases=[
        Case(15, 3, 4, 4, says="the lesson's example"),
        Case(16, 3, 4, 4, says="one token later, a new segment"),
        Case(50, 3, 4, 4, says="far into the text"),
        Case(50, 4, 8, 3, says="a memory shorter than a segment"),
        Case(50, 3, 4, 10, says="a memory longer than a segment"),
        Case(50, 2, 8, 0, says="no memory"),
        Case(3, 5, 4, 4, says="the first segment"),
        Case(9, 0, 4, 4, says="no layer"),
    ],
    draw=lambda rng: tuple(int(x) for x in rng.integers([30, 1, 2, 0], [90, 5, 9, 12])),
    mistakes=[
        Mistake(
            "max(0, t // size * size - length)",
            "max(0, t - length)",
            "You count back from the token itself. The memory ends where the segment begins: start from the first token of t's segment.",
        ),
        Mistake(
            "for _ in range(layers):\n        t = max(0, t // size * size - length)",
            "t = max(0, t // size * size - layers * length)",
            "`layers * length` steps from one segment's beginning: right when the memory is a whole number of segments. Any other lands inside a segment, and from there the next layer goes back to its beginning first.",
        ),
        Mistake(
            lambda t, layers, size, length: max(0, t // size * size - layers * length) if layers else t,
            "You take `layers * length` steps from one segment's beginning: right when the memory is a whole number of segments. Any other lands inside a segment, and from there the next layer goes back to its beginning first.",
        ),
        Mistake(_returns_early, "The `return` stands inside the loop, so that one layer is taken and no more."),
        Mistake(
            lambda t, layers, size, length: _earliest(t, layers, size, length) if length else t,
            "Without a memory t still sees its own segment, from the first token on. A `length` of 0 needs no case of its own.",
        ),
        Mistake(
            "max(0, t // size * size - length)",
            "abs(t // size * size - length)",
            "`abs` turns −3 into 3. No token stands before 0: below that it is 0 which counts.",
        ),
        Mistake(
            "t // size * size - length",
            "t // size * size - length - 1",
            "One token too far: the memory holds `length` tokens, the earliest of them `length` before the segment.",
        ),
        Mistake(
            "t // size * size - length",
            "(t // size - -(-length // size)) * size",
            "You round the memory up to whole segments. It may end inside one: it is `length` tokens long.",
        ),
        Mistake(
            lambda t, layers, size, length: max(0, t - layers * (size + length)),
            "You take `size + length` off the token itself, once per layer. Each layer goes back to the beginning of the segment it stands in, then by `length`.",
        ),
        Mistake(
            lambda t, layers, size, length: t - _earliest(t, layers, size, length),
            "This is how many tokens back it is. The number of the token itself is asked for.",
        ),
        Mistake(
            lambda t, layers, size, length: max(0, t // size * size - length - (layers - 1) * size) if layers else t,
            "Right while the memory is at most a segment long, and not empty. A longer one carries further with every layer.",
        ),
        Mistake(
            "for _ in range(layers):\n        t = max(0, t // size * size - length)",
            "t = t - layers * length",
            "Two things: memory ends where the segment begins, so start from the first token of t's segment; and no token stands before 0.",
        ),
        Mistake(
            "for _ in range(layers):\n        t = max(0, t // size * size - length)",
            "t = max(0, t // size * size - layers * size)",
            "You step back a whole segment per layer. How far memory reaches is `length`.",
        ),
        Mistake(
            "for _ in range(layers):\n        t = max(0, t // size * size - length)",
            "t = max(0, t // size * size - layers * (size + length))",
            "You go back by `size` and `length` in every layer. With a memory of one segment each layer adds one segment, not two.",
        ),
        Mistake(
            "for _ in range(layers):\n        t = max(0, t // size * size - length)",
            "t = max(0, t // size * size - length)",
            "This is one layer. What a token holds has looked back itself: each layer adds another step.",
        ),
        Mistake(
            "max(0, t // size * size - length)",
            "t // size * size - length",
            "No text begins before token 0: stop there.",
        ),
        Mistake(
            "t // size * size - length",
            "t // size * size + length",
            "Memory lies before the segment: subtract its length.",
        ),
        Mistake(
            "t // size * size - length",
            "t % size * size - length",
            "`t % size` is the place within the segment. Which segment it is says `t // size`.",
        ),
        Mistake(
            "t // size * size - length",
            "length - t // size * size",
            "The difference is the wrong way round: start from the first token of the segment and go back by `length`.",
        ),
        Mistake(
            "range(layers)", "range(layers - 1)", "One layer too few: already the first layer reads from its memory."
        ),
        Mistake("range(layers)", "range(layers + 1)", "One layer too many: with 0 layers a token holds itself alone."),
        Mistake(
            "t // size * size - length",
            "t // size * size - length + 1",
            "One token short: the memory holds `length` tokens, the earliest of them `length` before the segment.",
        ),
        Mistake(
            "t // size * size - length",
            "(t // size + 1) * size - 1 - length",
            "You count back from the last token of the segment. The memory ends where the segment begins.",
        ),
        Mistake(
            _last_layer_without_memory,
            "In one of the layers you go back to the beginning of the segment only. Each of them reads from its memory as well.",
        ),
        Mistake(
            _without_end,
            "With a memory you always reach token 0. But each layer takes one step back, and there are only `layers` of them.",
        ),
        Mistake(
            "t // size * size - length",
            "t // size * size",
            "This is the beginning of the segment. The memory reaches further back, by `length`.",
        ),
        Mistake(
            "t // size * size - length",
            "(t // size - 1) * size",
            "You step back one whole segment. How far memory reaches is `length`.",
        ),
        Mistake(
            "t // size * size - length",
            "t // size - length",
            "`t // size` is the number of the segment. Its first token is that times `size`.",
        ),
        Mistake(
            "t // size * size - length",
            "(t // size + 1) * size - length",
            "You count back from the end of the segment. The memory ends where the segment begins.",
        ),
    ],
    alternatives=[_closed_form],
    hints=[
        "One layer first. t = 9 with segments of 4 stands in the segment that begins at 8. With a memory of 3, what does it see first?",
        "The first token of t's segment is `t // size * size`.",
        "Then go on from the token you found, once per layer, and never below 0.",
    ],
)
