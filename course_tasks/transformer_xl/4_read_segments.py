"""Read a text in segments · 12 minutes · ★★

`attend(segment, memory)` is a finished Transformer-XL layer (the first cell imports one for $d = 4$). The
segment $(n, d)$ looks at the memory $(past, d)$ and at itself, and the layer gives the outputs of the segment. Use it
to read a text of any length in segments of `size` (the last one may be shorter), and return all outputs in order,
$(n, d)$.

The memory holds what the layer was **given** before, namely the last `length` rows of all earlier inputs. It is empty
(`x[:0]`) for the first segment, and it may be longer or shorter than a segment. With `length` 0 it stays empty. When it
holds everything that came before, your outputs equal those of one long pass, `attend(x, x[:0])`.
"""

import numpy as np

from course_lib.checking import Case

from .common import normal, windows
from .given import attend, seen


def read_segments(x, size, length, attend):
    """Outputs (n, d) of x (n, d), read in segments of `size` tokens.

    The memory holds the last `length` inputs; attend(segment, memory) reads one segment.
    """
    memory = x[:0]  # The first memory is empty, because nothing was read before the first segment.
    outputs = []
    for start in range(0, len(x), size):  # Segments begin every `size` tokens.
        # A slice ends at a position in the text, and the segment ends `size` tokens after `start`. The segment goes
        # from `start` to `start + size`.
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        # The concatenation of memory and segment is one array, with the rows in the order of the text.
        known = np.concatenate([memory, segment])
        # The memory holds `length` rows, the last of them just before the next segment.
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)  # Each segment gives a block of rows, and the result is one array of all rows.


def expected(x, size, length, attend):
    """One long pass, in which a mask hides what no memory holds."""
    return seen(x, x, windows(len(x), size, length))


_TEXT = np.random.default_rng(2).normal(size=(10, 4))


CASES = [
    Case(_TEXT, 5, 5, attend, label="ten tokens, two segments, all remembered"),
    Case(_TEXT, 4, 4, attend, label="segments of 4, the last one shorter"),
    Case(_TEXT, 2, 6, attend, label="a memory of three segments"),
    Case(_TEXT, 4, 2, attend, label="a memory shorter than a segment"),
    Case(_TEXT, 3, 0, attend, label="no memory at all"),
    Case(_TEXT[:3], 5, 5, attend, label="a text shorter than a segment"),
    Case(_TEXT[:1], 1, 1, attend, label="one token alone"),
]


AXES = ("token", "number")


def draw(rng):
    return (
        normal(rng, int(rng.integers(5, 13)), 4),
        int(rng.integers(2, 5)),
        int(rng.integers(1, 8)),
        attend,
    )


WRONG = """
known = np.concatenate([memory, attend(segment, memory)])  # You remember the outputs. The memory keeps the layer's
# inputs, and the layer computes their keys again.
known = segment  # You keep rows of the last segment only. When `length` is longer than a segment, older rows stay in
# memory too.
known = np.concatenate([segment, memory])  # You put the new segment before the old memory. Rows stay in the order of
# the text, with the memory first.
return np.array(outputs)  # `np.array` puts the segments on an axis of their own, which fails when the last one is
# shorter. Concatenate them into one array.
return np.concatenate(outputs, axis=1)  # You put the segments side by side. Tokens are on axis 0, so concatenate along
# that axis.
return outputs[-1]  # You return only the last segment. Collect the outputs of all of them.
return attend(x[:size], x[:0])  # You return only the first segment. Is the `return` inside the loop?
"""


HINTS = [
    "Loop over `range(0, len(x), size)`. In each round, attend first, then remember.",
    "Concatenate memory and segment, and keep the last `length` rows of that.",
    "Careful with `length` 0, because `a[-0:]` is all of a. `a[max(0, len(a) - length):]` is right for every length.",
]


def _split_evenly(x, count, length, attend):
    memory, outputs = x[:0], []
    for segment in np.array_split(x, count):
        outputs.append(attend(segment, memory))
        memory = _last(np.concatenate([memory, segment]), length)
    return np.concatenate(outputs)


def _last(rows, length):
    return rows[max(0, len(rows) - length) :]


def wrong_program_0(x, size, length, attend):
    """No output depends on anything before its own segment, as if the memory were always empty. Pass the memory to
    `attend` as its second argument."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, x[:0]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_1(x, size, length, attend):
    """You remember the outputs of the last segment. The memory keeps the layer's inputs, the last `length` of them."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = attend(segment, memory)
    return np.concatenate(outputs)


def wrong_program_4(x, size, length, attend):
    """You keep rows of the last segment only (and all of them when `length` is 0). When `length` is longer than a
    segment, older rows stay in memory too."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        memory = segment[-length:]
    return np.concatenate(outputs)


def wrong_program_5(x, size, length, attend):
    """Your memory holds `length + size` rows. The segment you just read is part of the last `length` rows."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[-(length + size) :]
    return np.concatenate(outputs)


def wrong_program_6(x, size, length, attend):
    """This is right except for `length` 0, because `[-0:]` is `[0:]` and keeps everything. Slice from `max(0, len(…) -
    length)`."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[-length:]
    return np.concatenate(outputs)


def wrong_program_7(x, size, length, attend):
    """You remember the first `length` rows. The memory holds the last ones, which are nearest to the next segment."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[:length]
    return np.concatenate(outputs)


def wrong_program_8(x, size, length, attend):
    """Every token sees all that came before, so your memory has no limit or there is only one segment. The memory
    holds at most `length` rows."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known
    return np.concatenate(outputs)


def wrong_program_9(x, size, length, attend):
    """Your memory is as long as a segment. It should have `length` rows."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - size) :]
    return np.concatenate(outputs)


def wrong_program_11(x, size, length, attend):
    """You join memory and segment into one long segment, so you also get outputs for the remembered tokens. Pass the
    two separately."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(np.concatenate([memory, segment]), x[:0]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_12(x, size, length, attend):
    """Your segment begins with the memory, so you also get outputs for the remembered tokens. `attend` joins the two
    itself."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(np.concatenate([memory, segment]), memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_13(x, size, length, attend):
    """Your memory begins as rows of zeros. They are keys like any other and take their share of the weight, so begin
    with an empty memory, `x[:0]`."""
    memory = np.zeros((length, x.shape[-1]))
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_14(x, size, length, attend):
    """You call `attend` with an empty segment. It takes the segment first and the memory second."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(memory, segment))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_15(x, size, length, attend):
    """The last token before the segment is missing from the memory, because a slice stops one before its end. (For the
    first segment that end is −1, so it sees the future.)"""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, x[max(0, start - length) : start - 1]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_16(x, size, length, attend):
    """Your memory contains the segment, so the segment meets itself twice. The memory ends where the segment
    begins."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, x[max(0, start - length) : start + size]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_17(x, size, length, attend):
    """Where `start - length` is below 0, NumPy counts from the end of the text, so your memory is empty. Begin the
    slice at `max(0, start - length)`."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, x[start - length : start]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_18(x, size, length, attend):
    """Your memory holds `length` segments. `length` counts rows, the last ones before the segment."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        outputs.append(attend(segment, x[max(0, start - length * size) : start]))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_19(x, size, length, attend):
    """You leave out the last, shorter segment."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x) // size * size, size):
        segment = x[start : start + size]
        outputs.append(attend(segment, memory))
        known = np.concatenate([memory, segment])
        memory = known[max(0, len(known) - length) :]
    return np.concatenate(outputs)


def wrong_program_24(x, size, length, attend):
    """You remember the segment before you read it, so it meets itself twice. Read first, and remember afterwards."""
    memory = x[:0]
    outputs = []
    for start in range(0, len(x), size):
        segment = x[start : start + size]
        memory = _last(np.concatenate([memory, segment]), length)
        outputs.append(attend(segment, memory))
    return np.concatenate(outputs)


def wrong_so_many_segments(x, size, length, attend):
    """`np.array_split(x, size)` makes `size` segments. `size` is the length of a segment."""
    return _split_evenly(x, size, length, attend)


def wrong_even_segments(x, size, length, attend):
    """Your segments are all about equally long. Each has `size` tokens, and only the last may be shorter. Cut at 0,
    size, 2·size, …"""
    return _split_evenly(x, -(-len(x) // size), length, attend)


def wrong_fewer_even_segments(x, size, length, attend):
    """Your segments are all about equally long. Each has `size` tokens, and only the last may be shorter. Cut at 0,
    size, 2·size, …"""
    return _split_evenly(x, max(1, len(x) // size), length, attend)


def wrong_padded(x, size, length, attend):
    """You pad the last segment and return outputs for the padding too. Return one output per token."""
    return right_slices(np.concatenate([x, np.zeros((-len(x) % size, x.shape[-1]))]), size, length, attend)


def right_slices(x, size, length, attend):
    starts = range(0, len(x), size)
    return np.concatenate([attend(x[s : s + size], x[max(0, s - length) : s]) for s in starts])
