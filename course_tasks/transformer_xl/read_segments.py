"""Read a text in segments."""

import numpy as np

from course_lib.checking import Case, CodingTask

from .common import normal, windows
from .given import attend, seen


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


def _one_long_pass(x, size, length, attend):
    """One long pass, in which a mask hides what no memory holds."""
    return seen(x, x, windows(len(x), size, length))


def _slices(x, size, length, attend):
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length) : s]) for s in starts])


_TEXT = np.random.default_rng(2).normal(size=(10, 4))


read_segments = CodingTask(
    title="Read a text in segments",
    minutes=12,
    difficulty=2,
    words=r"""`attend(segment, memory)` is a finished Transformer-XL layer (the first cell imports one for $d = 4$). The
segment $(n, d)$ looks at the memory $(past, d)$ and at itself, and the layer gives the outputs of the segment. Use it
to read a text of any length in segments of `size` (the last one may be shorter), and return all outputs in order,
$(n, d)$.

The memory holds what the layer was **given** before, namely the last `length` rows of all earlier inputs. It is empty
(`x[:0]`) for the first segment, and it may be longer or shorter than a segment. With `length` 0 it stays empty. When it
holds everything that came before, your outputs equal those of one long pass, `attend(x, x[:0])`.""",
    solution=_read_segments,
    expected=_one_long_pass,
    cases=[
        Case(_TEXT, 5, 5, attend, label="ten tokens, two segments, all remembered"),
        Case(_TEXT, 4, 4, attend, label="segments of 4, the last one shorter"),
        Case(_TEXT, 2, 6, attend, label="a memory of three segments"),
        Case(_TEXT, 4, 2, attend, label="a memory shorter than a segment"),
        Case(_TEXT, 3, 0, attend, label="no memory at all"),
        Case(_TEXT[:3], 5, 5, attend, label="a text shorter than a segment"),
        Case(_TEXT[:1], 1, 1, attend, label="one token alone"),
    ],
    axes=("token", "number"),
    draw=lambda rng: (
        normal(rng, int(rng.integers(5, 13)), 4),
        int(rng.integers(2, 5)),
        int(rng.integers(1, 8)),
        attend,
    ),
    pieces="""
range(0, len(x), size)
    the loop over the segments: Segments begin every `size` tokens.
start + size
    the end of the segment: A slice ends at a position in the text, and the segment ends `size` tokens after `start`.
x[start : start + size]
    the segment: It goes from `start` to `start + size`.
np.concatenate([memory, segment])
    the concatenation of memory and segment: It is one array, with the rows in the order of the text.
len(known) - length
    the beginning of the memory: The memory holds `length` rows, the last of them just before the next segment.
np.concatenate(outputs)
    the concatenation of the outputs: Each segment gives a block of rows, and the result is one array of all rows.
x[:0]
    the first memory: It is empty, because nothing was read before the first segment.
""",
    slips="""
attend(segment, memory) → attend(segment, x[:0])
    No output depends on anything before its own segment, as if the memory were always empty. Pass the memory to
    `attend` as its second argument.
memory = known[max(0, len(known) - length) :] → memory = attend(segment, memory)
    You remember the outputs of the last segment. The memory keeps the layer's inputs, the last `length` of them.
np.concatenate([memory, segment]) → np.concatenate([memory, attend(segment, memory)])
    You remember the outputs. The memory keeps the layer's inputs, and the layer computes their keys again.
known = np.concatenate([memory, segment]) → known = segment
    You keep rows of the last segment only. When `length` is longer than a segment, older rows stay in memory too.
known = np.concatenate([memory, segment]) →
memory = known[max(0, len(known) - length) :] → memory = segment[-length:]
    You keep rows of the last segment only (and all of them when `length` is 0). When `length` is longer than a segment,
    older rows stay in memory too.
known[max(0, len(known) - length) :] → known[-(length + size) :]
    Your memory holds `length + size` rows. The segment you just read is part of the last `length` rows.
known[max(0, len(known) - length) :] → known[-length:]
    This is right except for `length` 0, because `[-0:]` is `[0:]` and keeps everything. Slice from `max(0, len(…) -
    length)`.
known[max(0, len(known) - length) :] → known[:length]
    You remember the first `length` rows. The memory holds the last ones, which are nearest to the next segment.
known[max(0, len(known) - length) :] → known
    Every token sees all that came before, so your memory has no limit or there is only one segment. The memory holds at
    most `length` rows.
known[max(0, len(known) - length) :] → known[max(0, len(known) - size) :]
    Your memory is as long as a segment. It should have `length` rows.
np.concatenate([memory, segment]) → np.concatenate([segment, memory])
    You put the new segment before the old memory. Rows stay in the order of the text, with the memory first.
attend(segment, memory) → attend(np.concatenate([memory, segment]), x[:0])
    You join memory and segment into one long segment, so you also get outputs for the remembered tokens. Pass the two
    separately.
attend(segment, memory) → attend(np.concatenate([memory, segment]), memory)
    Your segment begins with the memory, so you also get outputs for the remembered tokens. `attend` joins the two
    itself.
memory = x[:0] → memory = np.zeros((length, x.shape[-1]))
    Your memory begins as rows of zeros. They are keys like any other and take their share of the weight, so begin with
    an empty memory, `x[:0]`.
attend(segment, memory) → attend(memory, segment)
    You call `attend` with an empty segment. It takes the segment first and the memory second.
attend(segment, memory) → attend(segment, x[max(0, start - length) : start - 1])
    The last token before the segment is missing from the memory, because a slice stops one before its end. (For the
    first segment that end is −1, so it sees the future.)
attend(segment, memory) → attend(segment, x[max(0, start - length) : start + size])
    Your memory contains the segment, so the segment meets itself twice. The memory ends where the segment begins.
attend(segment, memory) → attend(segment, x[start - length : start])
    Where `start - length` is below 0, NumPy counts from the end of the text, so your memory is empty. Begin the slice
    at `max(0, start - length)`.
attend(segment, memory) → attend(segment, x[max(0, start - length * size) : start])
    Your memory holds `length` segments. `length` counts rows, the last ones before the segment.
range(0, len(x), size) → range(0, len(x) // size * size, size)
    You leave out the last, shorter segment.
np.concatenate(outputs) → np.array(outputs)
    `np.array` puts the segments on an axis of their own, which fails when the last one is shorter. Concatenate them
    into one array.
np.concatenate(outputs) → np.concatenate(outputs, axis=1)
    You put the segments side by side. Tokens are on axis 0, so concatenate along that axis.
np.concatenate(outputs) → outputs[-1]
    You return only the last segment. Collect the outputs of all of them.
... → return attend(x[:size], x[:0])
    You return only the first segment. Is the `return` inside the loop?
outputs.append(attend(segment, memory)) →
memory = known[max(0, len(known) - length) :] → outputs.append(attend(segment, memory))
known = np.concatenate([memory, segment]) → memory = _last(np.concatenate([memory, segment]), length)
    You remember the segment before you read it, so it meets itself twice. Read first, and remember afterwards.
""",
    alternatives=[_slices],
    hints=[
        "Loop over `range(0, len(x), size)`. In each round, attend first, then remember.",
        "Concatenate memory and segment, and keep the last `length` rows of that.",
        "Careful with `length` 0, because `a[-0:]` is all of a. `a[max(0, len(a) - length):]` is right for every "
        "length.",
    ],
)


@read_segments.wrong("`np.array_split(x, size)` makes `size` segments. `size` is the length of a segment.")
def _so_many_segments(x, size, length, attend):
    return _split_evenly(x, size, length, attend)


@read_segments.wrong(
    "Your segments are all about equally long. Each has `size` tokens, and only the last may be shorter. Cut at 0, "
    "size, 2·size, …"
)
def _even_segments(x, size, length, attend):
    return _split_evenly(x, -(-len(x) // size), length, attend)


@read_segments.wrong(
    "Your segments are all about equally long. Each has `size` tokens, and only the last may be shorter. Cut at 0, "
    "size, 2·size, …"
)
def _fewer_even_segments(x, size, length, attend):
    return _split_evenly(x, max(1, len(x) // size), length, attend)


@read_segments.wrong("You pad the last segment and return outputs for the padding too. Return one output per token.")
def _padded(x, size, length, attend):
    return _slices(np.concatenate([x, np.zeros((-len(x) % size, x.shape[-1]))]), size, length, attend)


def _split_evenly(x, count, length, attend):
    memory, outputs = x[:0], []
    for segment in np.array_split(x, count):
        outputs.append(attend(segment, memory))
        memory = _last(np.concatenate([memory, segment]), length)
    return np.concatenate(outputs)


def _last(rows, length):
    return rows[max(0, len(rows) - length) :]
