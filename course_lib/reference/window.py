"""Swin: attention inside small square windows of an image, with a bias per offset in two dimensions.

A window of W × W patches is read row by row: patch p stands at row p // W, column p % W.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_axes, check_whole
from .attention import Array


def offsets_2d(window: int) -> NDArray[np.int64]:
    """(Δrow, Δcolumn) from query patch i to key patch j, each in −(W − 1) … W − 1: (W², W², 2).

    Raises ValueError for a window below 1.
    """
    place = np.stack(np.divmod(np.arange(check_whole("window", window) ** 2), window), axis=-1)
    return place[None, :] - place[:, None]


def window_index(window: int) -> NDArray[np.int64]:
    """The table row of each pair: (Δrow + W − 1) · (2W − 1) + (Δcolumn + W − 1), from 0 to (2W − 1)² − 1, (W², W²).

    Δ is key − query here, as everywhere in this course; Swin's own code takes query − key, so its table is this one
    read backwards, table[::−1]. Source: Liu et al. 2021, section 3.2, and their code.
    """
    row, column = np.moveaxis(offsets_2d(window) + window - 1, -1, 0)
    return row * (2 * window - 1) + column


def window_bias(table: ArrayLike, window: int) -> Array:
    """B[h, i, j] = table[index[i, j], h]: table ((2W − 1)², heads) gives (heads, W², W²).

    Raises ValueError when the table has another size. Source: Liu et al. 2021, eq. 4.
    """
    table = np.asarray(table, float)
    index = window_index(window)
    if table.ndim != 2 or len(table) != (2 * window - 1) ** 2:
        raise ValueError(f"table {table.shape}: expected ({(2 * window - 1) ** 2}, heads) for window={window}")
    return np.moveaxis(table[index], -1, 0)


def partition(image: Any, window: int) -> Any:
    """Cut an image (…, height, width, c) into its windows, (…, windows, W², c), row by row; an array or a torch tensor.

    Raises ValueError when height or width is no multiple of W.
    """
    check_axes(image=(image, "… height width c"))
    *lead, height, width, c = image.shape
    rows, columns = check_windows(height, width, window)
    cut = image.reshape(*lead, rows, window, columns, window, c).swapaxes(-4, -3)
    return cut.reshape(*lead, rows * columns, window**2, c)


def reverse(windows: Any, height: int, width: int) -> Any:
    """Put the windows (…, windows, W², c) back together: (…, height, width, c). The inverse of `partition`.

    Raises ValueError for other windows than `partition` cuts from such an image.
    """
    check_axes(windows=(windows, "… windows patches c"))
    *lead, _, patches, c = windows.shape
    window = round(patches**0.5)
    rows, columns = check_windows(height, width, window)
    check_axes(windows=(windows, f"… {rows * columns} {window**2} c"))
    return windows.reshape(*lead, rows, columns, window, window, c).swapaxes(-4, -3).reshape(*lead, height, width, c)


def shift_mask(height: int, width: int, window: int, shift: int) -> NDArray[np.bool_]:
    """True where patch i may look at patch j after the image was rolled by −shift both ways: (windows, W², W²).

    Rolling brings patches from opposite edges into one window. Each patch carries the label of the region it came
    from, three bands each way, and sees only its own region. Raises ValueError unless 0 ≤ shift < W.
    Source: Liu et al. 2021, section 3.2, figure 4.
    """
    check_windows(height, width, window)
    check_shift(shift, window)
    band = [np.searchsorted([n - window, n - shift], np.arange(n), side="right") for n in (height, width)]
    region = partition((3 * band[0][:, None] + band[1])[..., None], window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def check_windows(height: int, width: int, window: int) -> tuple[int, int]:
    """How many windows fit below and beside each other, or a ValueError when they do not fit exactly."""
    check_whole("window", window)
    check_whole("height", height), check_whole("width", width)
    if height % window or width % window:
        raise ValueError(f"height={height}, width={width}: expected multiples of window={window}")
    return height // window, width // window


def check_shift(shift: int, window: int) -> None:
    """Raises ValueError unless 0 ≤ shift < window."""
    if check_whole("shift", shift, 0) >= window:
        raise ValueError(f"shift={shift}, window={window}: shift must be below window")
