"""T5's buckets, alive: the keys around a query with the bucket of each, and the distances that share a bucket."""

import functools
import math

from course_lib.reference.t5 import bucket, bucket_starts

from ..display.colours import signed_colour
from ..display.formatting import number, with_sign
from .frames import Cell, Frame, Table, live

DIRECTIONS = BOTH, CAUSAL = "both", "causal"
KEYS = 21


@live(
    f"T5 buckets: {KEYS} keys around a query, each with its bucket, and the distances that share a bucket.",
    query=(0, 10, KEYS - 1),
    num_buckets=(8, 16, 32),
    max_distance=(32, 64, 128, 256),
    direction=DIRECTIONS,
)
def bucket_explorer(query: int = 10, num_buckets: int = 32, max_distance: int = 128, direction: str = BOTH) -> Frame:
    """T5's bucket of every key around a query, and below the distances that share a bucket. Alive: change the sizes and
    the direction, move the query to either end, and read the whole calculation at each key and at each bucket; all that
    share a bucket are outlined. A bucket begins where `reference.t5.bucket_starts` says.
    """
    both = direction == BOTH
    starts = bucket_starts(bidirectional=both, num_buckets=num_buckets, max_distance=max_distance)
    tables = [keys(query, num_buckets, max_distance, both), shared(starts, num_buckets, max_distance, both)]
    return Frame(tables, [f"Distances 0 … {len(starts) // 2 - 1} have a bucket each.", *never_used(starts, both)])


def keys(query: int, num_buckets: int, max_distance: int, both: bool) -> Table:
    """The keys around the query, with the offset and the bucket of each, and the formula with its sizes."""
    sizes = num_buckets, max_distance, both
    offsets, each = range(-query, KEYS - query), per_direction(num_buckets, both)
    inside = f"ln(d/{each // 2}) / ln({max_distance}/{each // 2}) · {each - each // 2}"
    after = f"; after the query {each} more" if both else ""
    return Table(
        "T5: one learned number per bucket of offsets",
        rows=["offset", "bucket"],
        columns=[str(j) for j in range(KEYS)],
        cells=[[Cell(with_sign(r)) for r in offsets], [in_bucket(r, *sizes) for r in offsets]],
        corner="key",
        note=f"from distance d = {each // 2} on: {each // 2} + ⌊{inside}⌋, at most {each - 1}{after}",
        says="Key {column}, {row}: {text}.",
    )


def shared(starts: list[int], num_buckets: int, max_distance: int, both: bool) -> Table:
    """The buckets that hold more than one distance: from where to where, before the query and after it."""
    ends = [*(start - 1 for start in starts[1:]), math.inf]
    spans = [(start, end) for start, end in list(zip(starts, ends))[len(starts) // 2 :] if start <= end]
    signs = (-1, 1) if both else (-1,)
    return Table(
        "Where the other buckets begin",
        rows=[f"{start} and more" if end == math.inf else f"{start} – {end}" for start, end in spans],
        columns=["key before", "key after"][: len(signs)],
        cells=[[in_bucket(sign * start, num_buckets, max_distance, both) for sign in signs] for start, _ in spans],
        corner="distance",
        says="{column}, {text}.",
    )


@functools.cache
def in_bucket(r: int, num_buckets: int, max_distance: int, both: bool) -> Cell:
    """The bucket of an offset, with its calculation; one that the causal mask hides is in brackets."""
    if r > 0 and not both:
        return Cell("(0)", says="T5 puts every later key into bucket 0, and the mask hides it", group="hidden")
    b = int(bucket(r, bidirectional=both, num_buckets=num_buckets, max_distance=max_distance))
    n = per_direction(num_buckets, both)
    more = f", and {n} more: {b}" if r > 0 else ""
    says = f"distance {abs(r)}: {calculation(abs(r), n, max_distance)}{more}"
    colour = signed_colour((b - n if r > 0 else -b) / (n - 1))
    return Cell(str(b), colour=colour, says=says, group=f"bucket {b}")


def calculation(distance: int, n: int, max_distance: int) -> str:
    """The formula with its numbers, for n buckets per direction: 8 + ⌊0.644⌋ = 8."""
    exact = n // 2
    if distance < exact:
        return str(distance)
    share = math.log(distance / exact) / math.log(max_distance / exact) * (n - exact)
    whole = round(share) if math.isclose(share, round(share), rel_tol=1e-12) else math.floor(share)
    digits = 3 if round(share, 3) < whole + 1 else 9  # as many as show on which side of a whole it is
    last = f", at most {n - 1}" if exact + whole >= n else ""
    return f"{exact} + ⌊{number(share, digits)}⌋ = {exact + whole}{last}"


def per_direction(num_buckets: int, both: bool) -> int:
    """How many buckets the keys before the query have."""
    return num_buckets // (2 if both else 1)


def never_used(starts: list[int], bidirectional: bool) -> list[str]:
    """Sentences: where the last bucket begins, and which buckets no offset ever takes."""
    n = len(starts)
    unused = [b for b in range(n - 1) if starts[b] == starts[b + 1]] + [n] * bidirectional
    last = f"The last bucket{' of each direction' if bidirectional else ''} begins at distance {starts[-1]}."
    return [last, *(f"Bucket {b} is never used." for b in unused)] if unused else [last, "Every bucket is used."]
