"""T5's buckets, alive: the keys around a query with the bucket of each, and the distances that share a bucket."""

import functools
import math

from course_lib.reference.t5 import bucket, bucket_starts

from ..display.colours import signed_colour
from ..display.formatting import check_whole, number, with_sign
from ..display.picture import Picture
from .frames import Cell, Frame, Table, live

BUCKETS, DISTANCES = (8, 16, 32), (32, 64, 128, 256)  # stops, beside those at which it starts
DIRECTIONS = {True: "both", False: "causal"}
LARGEST_N = 25  # keys that fit beside each other


def bucket_explorer(
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
    query: int = 10,
    n: int = 21,
    *,
    title: str | None = None,
) -> Picture:
    """T5's bucket of every key around a query, and below the distances that share a bucket. Alive: change the sizes and
    the direction, move the query to either end, and read the whole calculation at each key and at each bucket; all that
    share a bucket are outlined. A bucket begins where `reference.t5.bucket_starts` says.

    Raises ValueError for sizes that leave no such buckets, n outside 2 … 25, or a query that is none of the n keys.
    """
    if not isinstance(bidirectional, bool):
        raise ValueError(f"bidirectional={bidirectional!r}: expected True or False")
    num_buckets, n = check_whole("num_buckets", num_buckets, 4, 128), check_whole("n", n, 2, LARGEST_N)
    max_distance, query = check_whole("max_distance", max_distance, 2, 4096), check_whole("query", query, 0, n - 1)
    starts = bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)

    @live(
        query=sorted({0, query, n - 1}),
        num_buckets=sorted({*BUCKETS, num_buckets}),
        max_distance=sorted({*DISTANCES, max_distance}),
        direction=DIRECTIONS.values(),
    )
    def draw(query: int, num_buckets: int, max_distance: int, direction: str) -> Frame:
        both = direction == DIRECTIONS[True]
        try:
            starts = bucket_starts(bidirectional=both, num_buckets=num_buckets, max_distance=max_distance)
        except ValueError as refused:
            return Frame([], [f"{refused}."])
        tables = [keys(query, n, num_buckets, max_distance, both), shared(num_buckets, max_distance, both)]
        return Frame(tables, [f"Distances 0 … {len(starts) // 2 - 1} have a bucket each.", *never_used(starts, both)])

    alt = (
        f"T5 buckets, {DIRECTIONS[bidirectional]}, {num_buckets} buckets, max distance {max_distance}: {n} keys around "
        f"the query at position {query}, each with its bucket; distances 0 to {len(starts) // 2 - 1} have a bucket "
        f"each, and from distance {starts[-1]} on all share the last."
    )
    sizes = {"query": query, "num_buckets": num_buckets, "max_distance": max_distance}
    return draw(alt=alt, title=title, **sizes, direction=DIRECTIONS[bidirectional])


def keys(query: int, n: int, num_buckets: int, max_distance: int, both: bool) -> Table:
    """The keys around the query, with the offset and the bucket of each, and the formula with its sizes."""
    sizes = num_buckets, max_distance, both
    offsets, each = range(-query, n - query), per_direction(num_buckets, both)
    inside = f"ln(d/{each // 2}) / ln({max_distance}/{each // 2}) · {each - each // 2}"
    after = f"; after the query {each} more" if both else ""
    return Table(
        "T5: one learned number per bucket of offsets",
        rows=["offset", "bucket"],
        columns=[str(j) for j in range(n)],
        cells=[[Cell(with_sign(r)) for r in offsets], [in_bucket(r, *sizes) for r in offsets]],
        corner="key",
        note=f"from distance d = {each // 2} on: {each // 2} + ⌊{inside}⌋, at most {each - 1}{after}",
        says="Key {column}, {row}: {text}.",
    )


@functools.cache
def shared(num_buckets: int, max_distance: int, both: bool) -> Table:
    """The buckets that hold more than one distance: from where to where, before the query and after it."""
    starts = bucket_starts(bidirectional=both, num_buckets=num_buckets, max_distance=max_distance)
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
    empty = [b for b in range(n - 1) if starts[b] == starts[b + 1]]
    if bidirectional:
        empty += [n, *(n + b for b in empty)]
    last = f"The last bucket{' of each direction' if bidirectional else ''} begins at distance {starts[-1]}."
    if not empty:
        return [last, "Every bucket is used."]
    what = "Bucket " + str(empty[0]) if len(empty) == 1 else "Buckets " + ", ".join(map(str, empty))
    return [last, f"{what} {'is' if len(empty) == 1 else 'are'} never used."]
