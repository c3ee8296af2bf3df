"""T5's bias: one learned number per bucket of offsets, small offsets exact, large ones in ever wider buckets."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_whole, check_wholes
from .attention import Array
from .grid import row_offsets, to_grid


def bucket(
    offset: ArrayLike, *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    """The bucket of each offset r = j − i, whole numbers of any shape.

    Per direction there are N buckets. With distance d and E = N // 2 exact buckets:
        d                                                     for d < E,
        E + ⌊ln(d / E) / ln(max_distance / E) · (N − E)⌋      for larger d, at most N − 1.
    bidirectional: N = num_buckets / 2; a key at or before the query has buckets 0 … N − 1, a key after it N more.
    Otherwise N = num_buckets and every key after the query falls into bucket 0 (the causal mask hides it).
    Raises ValueError for sizes that leave no such buckets, and offsets that are not whole.
    Source: Raffel et al. 2020, section 2.1, and their code, `_relative_position_bucket` in
    mesh_tensorflow/transformer/transformer_layers.py.
    """
    r = check_wholes("offset", offset)
    starts = bucket_starts(bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
    distance = abs(r) if bidirectional else np.maximum(-r, 0)
    found = np.searchsorted(starts, distance, side="right") - 1  # the last bucket that has begun
    return found + np.where((r > 0) & bidirectional, num_buckets // 2, 0)


def bucket_starts(*, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> list[int]:
    """The distance at which each bucket of one direction begins: 0, 1, …, 7, 8, 12, 16, 23, 32, 46, 64, 91 by default.

    Bucket E + t begins at the smallest d with (d / E)^(N − E) ≥ (max_distance / E)^t: the formula of `bucket` without
    its logarithm. Whole numbers are exact, whereas in float64 ln(64 / 8) · (8 / ln 16) is 5.999999999999999, not 6.
    Raises ValueError for sizes that leave no such buckets.
    """
    n, exact = check_buckets(bidirectional, num_buckets, max_distance)
    starts, d = list(range(exact)), exact
    for t in range(n - exact):
        while d ** (n - exact) * exact**t < max_distance**t * exact ** (n - exact):
            d += 1
        starts.append(d)
    return starts


def t5_bias(
    n_q: int,
    n_k: int | None = None,
    *,
    table: ArrayLike,
    bidirectional: bool = True,
    max_distance: int = 128,
    past: int = 0,
) -> Array:
    """B[h, i, j] = table[bucket(j − i), h], shape (heads, n_q, n_k), n_k = past + n_q by default.

    table (num_buckets, heads), as T5 stores it. Query i stands at position past + i. T5 adds B to the bare q·k
    (scale 1.0), in encoder and decoder self-attention, the same table in every layer; its cross-attention has no bias.
    Raises ValueError as `bucket` and `row_offsets` do. Source: Raffel et al. 2020, section 2.1.
    """
    table = np.asarray(table, float)
    if table.ndim != 2:
        raise ValueError(f"table {table.shape}: expected (num_buckets, heads)")
    r = row_offsets(n_q, n_k, past)
    row = table[bucket(r, bidirectional=bidirectional, num_buckets=len(table), max_distance=max_distance)]
    return to_grid(row.T[:, None], n_q)


def check_buckets(bidirectional: bool, num_buckets: int, max_distance: int) -> tuple[int, int]:
    """Buckets per direction and how many of them are exact, or a ValueError for sizes that make no sense."""
    directions = 2 if bidirectional else 1
    check_whole("num_buckets", num_buckets, 2 * directions)
    check_whole("max_distance", max_distance)
    if num_buckets % directions:
        raise ValueError(f"num_buckets={num_buckets}: expected an even number, both directions get the same")
    n = num_buckets // directions
    exact = n // 2
    if max_distance <= exact:
        sizes = f"num_buckets={num_buckets}, max_distance={max_distance}"
        raise ValueError(f"{sizes}: max_distance must exceed the {exact} exact buckets")
    return n, exact
