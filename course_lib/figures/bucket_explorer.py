"""T5's buckets, alive: the keys around a query with the bucket of each, and where every bucket begins."""

from ..display.colours import ink, signed_colour
from ..display.formatting import check_whole, escape, number
from ..display.picture import TABLE, Picture
from ..reference.t5 import bucket, bucket_starts
from .heatmap import ROW

BUCKETS = (8, 16, 32, 64)
DISTANCES = (16, 32, 64, 128, 256, 512)
LARGEST_N = 25  # keys that fit beside each other on a narrow page
IN_A_ROW = 16  # buckets in one row of the static table


def bucket_explorer(
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
    query: int = 10,
    n: int = 21,
    *,
    title: str | None = None,
) -> Picture:
    """T5's bucket of every key around a query, alive: choose a key (point, tap, arrow keys) or any distance and read
    the whole calculation; move the query; change num_buckets, max_distance and the direction.

    Below the n keys lie all buckets on an axis of distances, each from the distance at which it truly begins
    (`reference.t5.bucket_starts`).
    Raises ValueError for sizes that leave no such buckets, n outside 2 … 25, or a query that is none of the n keys.
    """
    num_buckets = check_whole("num_buckets", num_buckets, 4, 128)
    max_distance = check_whole("max_distance", max_distance, 2, 4096)
    if not isinstance(bidirectional, bool):
        raise ValueError(f"bidirectional={bidirectional!r}: expected True or False")
    n = check_whole("n", n, 2, LARGEST_N)
    query = check_whole("query", query, 0, n - 1)
    starts = bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    heading = title or "T5: one learned number per bucket of offsets"
    direction = "both directions" if bidirectional else "causal"
    body = (
        _keys(starts, bidirectional, num_buckets, max_distance, query, n, f"<b>{escape(heading)}</b><br>{direction}, ")
        + _starts(starts, bidirectional)
        + f"<p>{escape(never_used(starts, bidirectional))}</p>"
    )
    alt = (
        f"T5 buckets, {direction}, {num_buckets} buckets, max distance {max_distance}: {n} keys around the query at "
        f"position {query}, each with its bucket; distances 0 to {len(starts) // 2 - 1} have a bucket each, and from "
        f"distance {starts[-1]} on all share the last."
    )
    data = {
        "buckets": sorted({*BUCKETS, num_buckets}),
        "distances": sorted({*DISTANCES, max_distance}),
        "num": num_buckets,
        "max": max_distance,
        "both": bidirectional,
        "query": query,
        "n": n,
        "title": heading,
    }
    return Picture(
        "bucket-explorer",
        body,
        alt=alt,
        title=title,
        styles=["controls", "buckets"],
        script="bucket_explorer.js",
        data=data,
    )


def never_used(starts: list[int], bidirectional: bool) -> str:
    """A sentence: which buckets no offset ever takes, and where the last one begins."""
    n = len(starts)
    empty = [b for b in range(n - 1) if starts[b] == starts[b + 1]]
    if bidirectional:
        empty += [n, *(n + b for b in empty)]
    last = f"The last bucket{' of each direction' if bidirectional else ''} begins at distance {starts[-1]}."
    if not empty:
        return last
    what = "Bucket " + str(empty[0]) if len(empty) == 1 else "Buckets " + ", ".join(map(str, empty))
    return f"{last} {what} {'is' if len(empty) == 1 else 'are'} never used."


def _colour(b: int, n: int) -> str:
    """Keys before the query in blue, after it in orange, the stronger the higher the bucket."""
    return signed_colour((b - n) / (n - 1) if b >= n else -b / (n - 1))


def _keys(
    starts: list[int], bidirectional: bool, num_buckets: int, max_distance: int, query: int, n: int, caption: str
) -> str:
    offsets = [j - query for j in range(n)]
    found = bucket(offsets, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance).tolist()
    cells = []
    for b in found:
        colour = _colour(b, len(starts))
        cells.append(f'<td style="background-color:{colour};color:{ink(colour)}">{b}</td>')
    heads = "".join(f'<th scope="col">{j}</th>' for j in range(n))
    signed = "".join(f"<td>{'+' if r > 0 else ''}{number(r)}</td>" for r in offsets)
    return (
        f'<table class="rp-tight" style="font-size:11px;color:#1b1f24">'
        f'<caption style="text-align:left">{caption}{num_buckets} buckets, max_distance {max_distance}, '
        f"query at position {query}</caption>"
        f'<thead><tr {ROW}><th scope="row">key j</th>{heads}</tr></thead>'
        f'<tbody><tr {ROW}><th scope="row">offset</th>{signed}</tr>'
        f'<tr {ROW}><th scope="row">bucket</th>{"".join(cells)}</tr></tbody></table>'
    )


def _starts(starts: list[int], bidirectional: bool) -> str:
    n = len(starts)
    exact = n // 2
    rows = []
    for first in range(exact, n, IN_A_ROW):
        group = range(first, min(first + IN_A_ROW, n))
        lines = [("bucket, key before" if bidirectional else "bucket", [str(b) for b in group])]
        if bidirectional:
            lines.append(("bucket, key after", [str(b + n) for b in group]))
        lines.append(("from distance", [f"<b>{starts[b]}</b>" for b in group]))
        rows += [
            f'<tr {ROW}><th scope="row">{name}</th>{"".join(f"<td>{text}</td>" for text in texts)}</tr>'
            for name, texts in lines
        ]
    after = f" ({n + 1} … {n + exact - 1} after the query)" if bidirectional and exact > 2 else ""
    return (
        f'<table {TABLE}><caption style="text-align:left">Buckets 0 … {exact - 1}{after} hold one distance each; '
        f"the others begin at</caption><tbody>{''.join(rows)}</tbody></table>"
    )
