"""Bug hunt: nine regions on the wrong axes · 10 minutes · ★★

Here the regions have the shape (1, 1, height, width), but the line that fills them was written for
(1, height, width, 1). It runs without an error, because the slices of the wrong axes are valid, too. So nearly half of
what should be hidden is visible. Print `region[0, 0]` for a 4 × 4 image with window 2 and shift 1, then fix the line.
"""

import numpy as np

from course_kit.checking import Case, holds
from course_lib.reference.window import partition, shift_mask


def seam_mask(height, width, window, shift):
    """True where a patch may look at another of its rolled window: (windows, W², W²)."""
    region = np.zeros((1, 1, height, width))  # There is one label for each patch of the image.
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)  # The seam is `shift` from the end.
    label = 0
    for h in bands:
        for w in bands:
            region[:, :, h, w] = label  # Rows and columns are the last two axes, and each region has its own label.
            label += 1
    labels = region.reshape(height, width)  # There is one label for each patch, (height, width).
    windows = partition(labels[..., None], window)[..., 0]  # Each window has the labels of its own patches.
    return windows[:, :, None] == windows[:, None, :]  # Patches may look at each other if they have the same label.


def given(height, width, window, shift):
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, h, w, :] = label
            label += 1
    labels = region.reshape(height, width)
    windows = partition(labels[..., None], window)[..., 0]
    return windows[:, :, None] == windows[:, None, :]


expected = shift_mask
AXES = ("window", "query", "key")
CASES = [
    Case(4, 4, 2, 1, label="4 × 4 patches, windows of 2 × 2"),
    Case(8, 8, 4, 2, label="8 × 8 patches, windows of 4 × 4"),
    Case(4, 6, 2, 1, label="4 × 6 patches"),
    Case(6, 9, 3, 1, label="6 × 9 patches, shift 1 of 3"),
    Case(9, 6, 3, 2, label="9 × 6 patches, shift 2 of 3"),
    Case(4, 4, 2, 0, label="no shift: nothing is hidden"),
    Case(2, 2, 2, 1, label="one window"),
]


def draw(rng):
    window = int(rng.integers(2, 5))
    return window * int(rng.integers(1, 4)), window * int(rng.integers(1, 4)), window, int(rng.integers(window))


def wrapped(n, shift):
    """1 for each of n rows or columns that came round from the other edge, else 0."""
    return (np.arange(n) >= n - shift).astype(int)


ALWAYS = [
    holds("A patch may always look at itself.", lambda mask, *_: np.diagonal(mask, axis1=-2, axis2=-1).all()),
    holds(
        "If one patch may look at another, the other may look back.",
        lambda mask, *_: np.array_equal(mask, np.swapaxes(mask, -1, -2)),
    ),
    holds(
        "The first window of a larger image contains no seam, so all of its patches see each other.",
        lambda mask, height, width, window, shift: window in (height, width) or np.all(mask[0]),
    ),
]
WRONG = """
labels = np.add.outer(wrapped(height, shift), 0 * wrapped(width, shift))
# As in the given code, only the rows get different labels. Which axis does w index? Does `label` increase each time?
labels = np.add.outer(0 * wrapped(height, shift), wrapped(width, shift))  # Only the columns have labels of their own.
bands = slice(0, -window), slice(-window, -(window // 2)), slice(-(window // 2), None)  # Right only if shift is W // 2.
bands = slice(0, shift), slice(shift, None)  # You put the seam `shift` from the start of the image. A roll by −shift
# brings the patches that come round to the end, so the seam is at −shift.
labels = np.zeros((height, width))  # Nothing is hidden, because all patches of a window have the same label. Do h and w
# index the last two axes, does `label` increase, and does a band begin at −shift?
labels = np.arange(height * width).reshape(height, width)  # Every patch has a label of its own, so it sees only itself.
labels = np.maximum.outer(wrapped(height, shift), wrapped(width, shift))
labels = np.add.outer(wrapped(height, shift), wrapped(width, shift))  # Patches that came round in rows have the
# label of those that came round in columns. They come from different edges.
labels = np.multiply.outer(wrapped(height, shift), wrapped(width, shift))  # You separate only the corner, which
# came round both ways. What came round one way needs a label of its own, too.
labels = np.add.outer(2 * wrapped(height, window - shift), wrapped(width, window - shift))  # You exchanged
# W − shift and shift. The part that came round is `shift` wide.
labels = np.add.outer(2 * wrapped(height, height - width + shift), wrapped(width, shift))
# Right for square images only. The seam of the rows is `shift` from the end of the *height*.
labels = np.add.outer(2 * wrapped(height, shift), wrapped(width, width - height + shift))
# Right for square images only. The seam of the columns is `shift` from the end of the *width*.
labels = np.roll(np.arange(height)[:, None] // window * width + np.arange(width) // window, (-shift, -shift), (0, 1))
# Your patches see each other only if they shared a window *before* the roll. Shifted windows are there to join them.
return windows[:, :, None] <= windows[:, None, :]
return windows[:, :, None] >= windows[:, None, :]  # Some pairs see each other in one direction only. Use `==`.
return np.where(windows[:, :, None] == windows[:, None, :], 0.0, -100.0)
return np.where(windows[:, :, None] == windows[:, None, :], 0.0, -np.inf)  # These are numbers to add to the scores.
# Return True where a patch may look, and False elsewhere.
return (windows[:, :, None] == windows[:, None, :]).all(axis=0)  # You return one mask for all windows. Each has one.
return (windows[:, :, None] // 3 == windows[:, None] // 3) | (windows[:, :, None] % 3 == windows[:, None] % 3)
# A patch sees another if they share a row band *or* a column band. They are in one region only if they share both.
"""
HINTS = [
    "Which axes of `region` hold the image? Which axes do `h` and `w` index?",
    "A slice of an axis of length 1 never fails. `np.zeros((1, 4))[0:-2]` is empty, so nothing is written.",
    "`region[:, :, h, w]` uses them for the last two axes.",
]
