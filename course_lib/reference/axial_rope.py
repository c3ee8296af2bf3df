"""RoPE along several axes: row and column of a picture, or time, row and column of a text with pictures.

A token has a position on each axis, and each pair of channels turns by the position on one of them. So a score depends
on the differences along each axis, and on nothing else. Positions are a table, (n, axes).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import check_axes, check_whole, check_wholes
from .absolute import check_pairs, frequencies
from .attention import Array
from .rope import pairs

TEXT_AXES = 3  # time, row, column


def rotate(x: ArrayLike, positions: ArrayLike, axis: ArrayLike, speeds: ArrayLike) -> Array:
    """Row i of x turned pair by pair: pair m by the angle positions[i, axis[m]] · speeds[m]; (…, n, d).

        (a, b) → (a cos − b sin, a sin + b cos)

    Pair m is channels (m, m + d/2), half-split. positions (n, axes), axis and speeds (d/2,).
    Raises ValueError when these do not fit. Source: Heo et al. 2024 (RoPE for vision transformers), axial frequencies.
    """
    x, positions = np.asarray(x, float), check_table(positions)
    axis, speeds = check_wholes("axis", axis), np.asarray(speeds, float)
    check_axes(x=(x, "… n d"))
    n, d = x.shape[-2:]
    if len(positions) != n:
        raise ValueError(f"positions {positions.shape}: expected ({n}, axes), a row for each token of x")
    if axis.shape != (d // 2,) or speeds.shape != (d // 2,):
        raise ValueError(f"axis {axis.shape}, speeds {speeds.shape}: expected ({d // 2},) each, for d={d}")
    axes = positions.shape[1]
    if axis.min() < 0 or axis.max() >= axes:
        found = f"axis: from {axis.min()} to {axis.max()}"
        raise ValueError(f"{found}, expected the {axes} axes of the positions, counted from 0")
    first, second = pairs(d)
    angle = positions[:, axis] * speeds
    a, b = x[..., first], x[..., second]
    y = np.empty_like(x)
    y[..., first] = a * np.cos(angle) - b * np.sin(angle)
    y[..., second] = a * np.sin(angle) + b * np.cos(angle)
    return y


def axial(d: int, axes: int = 2, *, base: float = 10000.0) -> tuple[NDArray[np.int64], Array]:
    """Axis and speed of each pair: every axis gets d / (2·axes) pairs in a row, with the speeds of a RoPE of that size.

    d = 8: axes 0, 0, 1, 1 and speeds 1, 0.01, 1, 0.01. Raises ValueError unless d is a multiple of 2·axes.
    """
    if check_pairs("d", d) % (2 * check_whole("axes", axes)):
        raise ValueError(f"d={d}: expected a multiple of {2 * axes}, so that {axes} axes get as many pairs each")
    return np.repeat(np.arange(axes), d // (2 * axes)), np.tile(frequencies(d // axes, base), axes)


def mrope(
    d: int, sections: Sequence[int], *, interleaved: bool = False, base: float = 10000.0
) -> tuple[NDArray[np.int64], Array]:
    """Axis and speed of each pair in M-RoPE: all axes share the one list of speeds of d channels.

    sections: how many pairs each axis gets, d/2 together. They come axis after axis (Qwen2-VL: 16, 24, 24), so time has
    the fast pairs and columns the slow ones. `interleaved` deals them in turn, t h w t h w …, until rows and columns
    have theirs, and gives time the rest (Qwen3-VL: 24, 20, 20): then each axis has fast and slow pairs.
    Raises ValueError for sections that do not add up or cannot be dealt. Source: Wang et al. 2024 (Qwen2-VL), section
    “Multimodal Rotary Position Embedding (M-RoPE)”; Huang et al. 2025 (arXiv 2510.23095).
    """
    counts = [check_whole("sections", count, 0) for count in sections]
    if sum(counts) != check_pairs("d", d) // 2:
        raise ValueError(f"sections {tuple(counts)}: expected {d // 2} pairs together, for d={d}")
    axis = np.repeat(np.arange(len(counts)), counts)
    if interleaved:
        axis = np.zeros(d // 2, int)
        for number, count in enumerate(counts[1:], 1):
            axis[number : count * len(counts) : len(counts)] = number
        if np.bincount(axis, minlength=len(counts)).tolist() != counts:
            raise ValueError(f"sections {tuple(counts)}: cannot be dealt in turn, expected the first to be the largest")
    return axis, frequencies(d, base)


def grid_positions(height: int, width: int) -> NDArray[np.int64]:
    """(row, column) of each patch of a picture that is read row by row, (height · width, 2)."""
    patches = np.arange(check_whole("height", height) * check_whole("width", width))
    return np.stack(np.divmod(patches, width), axis=-1)


def text_positions(parts: Sequence[int | tuple[int, int]]) -> NDArray[np.int64]:
    """(time, row, column) of every token of a text with pictures, (n, 3): a part is a number of words, or (H, W).

    A word has the same position p on all axes, so a text without pictures is plain RoPE. A picture that begins at
    p has all its tokens at time p, and row and column counted from p. What follows is at p + max(H, W).
    Raises ValueError for a part that is neither. Source: Wang et al. 2024 (Qwen2-VL), as `mrope`.
    """
    found, start = [], 0
    for part in parts:
        if isinstance(part, tuple) and len(part) == TEXT_AXES - 1:
            place = grid_positions(*part)
            found.append(start + np.column_stack([np.zeros(len(place), int), place]))
            start += max(part)
        elif isinstance(part, tuple):
            raise ValueError(f"parts: {part}; expected a number of words, or (height, width) of a picture")
        else:
            words = np.arange(start, start + check_whole("parts", part))
            found.append(np.column_stack([words] * TEXT_AXES))
            start += part
    if not found:
        raise ValueError("parts: none; expected numbers of words, or (height, width) of pictures")
    return np.concatenate(found)


def next_position(positions: ArrayLike) -> int:
    """The position of the first word after these tokens, on every axis: one more than the largest position so far.

    It is not the number of tokens, because a picture takes fewer positions than it has tokens. The difference is what
    Qwen's code calls `rope_deltas`; a decoder that forgets it counts on from the wrong place.
    positions (n, axes), whole numbers. Raises ValueError for others.
    """
    return int(check_wholes("positions", check_table(positions)).max()) + 1


def check_table(positions: ArrayLike) -> NDArray:
    """The positions as an array (n, axes), or a ValueError for another shape."""
    positions = np.asarray(positions)
    if positions.ndim != 2 or not positions.size:
        raise ValueError(f"positions {positions.shape}: expected (n, axes), a position on each axis for every token")
    return positions
