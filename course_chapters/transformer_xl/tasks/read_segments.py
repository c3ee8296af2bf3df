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

from course_kit.checking import Case
from course_lib.reference.attention import causal_mask

from ...shared import normal
from .given import attend, seen


def read_segments(x, size, length, attend):
    """Outputs (n, d) of x (n, d), read in segments of `size` tokens.

    The memory holds the last `length` inputs; attend(segment, memory) reads one segment.
    """
    memory, outputs = x[:0], []  # The first memory is empty, because nothing was read before the first segment.
    starts = range(0, len(x), size)  # Segments begin every `size` tokens, and the last one may be shorter.
    for start in starts:
        end = start + size  # A segment ends `size` tokens after its start.
        segment = x[start:end]
        known = np.concatenate([memory, segment])  # The memory grows by the inputs, in the order of the text.
        output = attend(segment, memory)  # The layer gets the segment first, and the memory that ends before it.
        outputs.append(output)
        memory = known[max(0, len(known) - length) :]  # The memory keeps the last `length` rows.
    return np.concatenate(outputs)  # Each segment gives a block of rows, and the result is one array of all rows.


def expected(x, size, length, attend):
    """One long pass, in which a mask hides what no memory holds."""
    i, j = np.arange(len(x))[:, None], np.arange(len(x))
    return seen(x, x, causal_mask(len(x)) & (j >= i // size * size - length))


def draw(rng):
    return normal(rng, int(rng.integers(5, 13)), 4), int(rng.integers(2, 5)), int(rng.integers(1, 8)), attend


def split(x, count, length, attend):
    """The text in `count` segments of about the same length."""
    parts = np.array_split(x, count)
    starts = np.cumsum([0, *map(len, parts)])
    return np.concatenate([attend(part, x[max(0, s - length) : s]) for part, s in zip(parts, starts)])


TEXT = np.random.default_rng(2).normal(size=(10, 4))
AXES = ("token", "number")
CASES = [
    Case(TEXT, 5, 5, attend, label="ten tokens, two segments, all remembered"),
    Case(TEXT, 4, 4, attend, label="segments of 4, the last one shorter"),
    Case(TEXT, 2, 6, attend, label="a memory of three segments"),
    Case(TEXT, 4, 2, attend, label="a memory shorter than a segment"),
    Case(TEXT, 3, 0, attend, label="no memory at all"),
    Case(TEXT[:3], 5, 5, attend, label="a text shorter than a segment"),
    Case(TEXT[:1], 1, 1, attend, label="one token alone"),
    Case(np.tile(TEXT, (31, 1)), 101, 150, attend, label="310 tokens, segments of 101"),
]
WRONG = """
memory, outputs = np.zeros((length, 4)), []  # Rows of zeros take weight, too. Begin with an empty memory, `x[:0]`.
starts = range(0, len(x) // size * size, size); return np.concatenate([*outputs, 0 * x[len(x) // size * size :]])
starts = range(0, len(x) // size * size, size); return np.concatenate([x[:0], *outputs])  # The last segment is missing.
segment = x[start:size]  # One of your segments is empty. Take `start` to `start + size` of the whole x.
output = attend(segment, memory if start else None)  # Your first memory is not an array (past, d). Begin with `x[:0]`.
output = attend(segment, x[:0])  # Nothing depends on earlier segments, as if no memory reached `attend`. Pass it on.
output = attend(memory, segment)  # You call `attend` with an empty segment. It takes the segment first.
output = attend(known, x[:0])  # Your segment begins with the memory. `attend` joins the two.
output = attend(segment, x[max(0, start - length) : start - 1])  # The last token before the segment is missing.
output = attend(segment, known[-length:]); memory = known[-length:]
output = attend(segment, known[max(0, len(known) - length) :])  # The segment meets itself twice. Read first.
memory = known[len(known) - length :]
output = attend(segment, x[start - length : start])  # Below 0 a slice counts from the end. Begin at `max(0, …)`.
output = attend(segment, x[max(0, start - length * size) : start])  # Your memory holds `length` segments. It is rows.
output = attend(segment, x[max(0, end - length) : start])
output = attend(segment, x[max(0, min(end, len(x)) - length) : start])  # Your segment uses up a part of the memory.
# All of its `length` rows come before the segment.
known = np.concatenate([memory, attend(segment, memory)])
memory = output  # You remember the outputs. The memory keeps the layer's inputs, the last `length` of them.
known = np.concatenate([segment, memory])  # You put the new segment before the old memory. Keep the order of the text.
known = segment
memory = segment[-length:]  # You keep rows of the last segment only. With a longer `length`, older rows stay, too.
memory = known[-length:]  # With `length` 0 you keep everything, as `[-0:]` does. Slice from `max(0, len(…) - length)`.
memory = known[:length]  # You remember the first `length` rows. The memory holds the last ones, nearest to the segment.
memory = known[max(0, len(known) - size) :]  # Your memory is as long as a segment. It has `length` rows.
memory = known  # Every token sees all that came before. The memory holds at most `length` rows.
return split(x, size, length, attend)  # `np.array_split(x, size)` makes `size` segments. `size` is the length of one.
return split(x, -(-len(x) // size), length, attend)
return split(x, max(1, len(x) // size), length, attend)  # Your segments are about equally long. Each has `size` tokens.
x = np.pad(x, ((0, -len(x) % size), (0, 0)))  # You return outputs for padding, too. Return one output per token.
return np.array(outputs)  # `np.array` gives the segments an axis of their own. Concatenate them into one array.
return np.concatenate(outputs, axis=1)  # You put the segments side by side. Tokens are on axis 0.
return outputs[-1]  # You return only the last segment. Collect the outputs of all of them.
return outputs[0]  # You return only the first segment. If you loop, does the `return` end it too early?
"""
HINTS = [
    "Loop over `range(0, len(x), size)`. In each round, attend first, then remember.",
    "Concatenate memory and segment, and keep the last `length` rows of that.",
    "Careful with `length` 0, because `a[-0:]` is all of a. `a[max(0, len(a) - length):]` is right for every length.",
]
