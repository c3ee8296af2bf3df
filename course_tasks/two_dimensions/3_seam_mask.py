"""Bug hunt: nine regions on the wrong axes · 10 minutes · ★★

Here the regions have the shape (1, 1, height, width), but the line that fills them was written for
(1, height, width, 1). It runs without an error, because the slices of the wrong axes are valid, too. So nearly half of what
should be hidden is visible. Print `region[0, 0]` for a 4 × 4 image with window 2 and shift 1, then fix the line.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.window import partition, shift_mask


def seam_mask(height, width, window, shift):
    """True where a patch may look at another of its rolled window: (windows, W², W²)."""
    region = np.zeros((1, 1, height, width))
    # The seam is `shift` from the end of the rolled image. The start of the last windows begin `window` before the end
    # of the image.
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, :, h, w] = label
            label += 1
    # The shape for `partition` is (height, width, channels), as in the given code.
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]  # Patches may look at each other if they have the same label.


def given(height, width, window, shift):
    """True where a patch may look at another of its rolled window: (windows, W², W²)."""
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, h, w, :] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def _labelled(label):
    """The mask of the regions that label(height, width, window, shift) makes."""

    def made(height, width, window, shift):
        region = partition(label(height, width, window, shift)[..., None], window)[..., 0]
        return region[:, :, None] == region[:, None, :]

    return made


def _wrapped(n, shift):
    """Which of n rows or columns came round from the other edge."""
    return (np.arange(n) >= n - shift).astype(int)


def _symmetric(result, *_):
    return np.array_equal(np.asarray(result), np.asarray(result).swapaxes(-1, -2))


def _sees_itself(result, *_):
    return np.diagonal(np.asarray(result), axis1=-2, axis2=-1).all()


def _first_sees_all(result, height, width, window, shift):
    return height == window or width == window or np.asarray(result)[0].all()


def draw(rng):
    window = int(rng.integers(2, 5))
    return window * int(rng.integers(1, 4)), window * int(rng.integers(1, 4)), window, int(rng.integers(window))


expected = shift_mask


CASES = [
    Case(4, 4, 2, 1, label="4 × 4 patches, windows of 2 × 2"),
    Case(8, 8, 4, 2, label="8 × 8 patches, windows of 4 × 4"),
    Case(4, 6, 2, 1, label="4 × 6 patches"),
    Case(6, 9, 3, 1, label="6 × 9 patches, shift 1 of 3"),
    Case(9, 6, 3, 2, label="9 × 6 patches, shift 2 of 3"),
    Case(4, 4, 2, 0, label="no shift: nothing is hidden"),
    Case(2, 2, 2, 1, label="one window"),
]


AXES = ("window", "query", "key")


ALWAYS = [
    holds("A patch may always look at itself.", _sees_itself),
    holds("If one patch may look at another, the other may look back.", _symmetric),
    holds(
        "The first window of a larger image contains no seam, so all of its patches see each other.", _first_sees_all
    ),
]


WRONG = """
return region[:, :, None] != region[:, None, :]  # Your mask is inverted. True means that a patch *may* look, which it
# may within its own region.
return region[:, :, None] <= region[:, None, :]  # With `<=`, some pairs see each other in one direction only. Two
# patches of the same region have equal labels, `==`.
return region[:, :, None] >= region[:, None, :]  # With `>=`, some pairs see each other in one direction only. Two
# patches of the same region have equal labels, `==`.
bands = (slice(0, -window), slice(-window, -(window // 2)), slice(-(window // 2), None))  # This is right only when
# shift is W // 2, as in Swin. Use `shift`.
bands = (slice(0, shift), slice(shift, None))  # You put the seam `shift` from the start of the image. A roll by −shift
# brings the patches that come round to the end, so the seam is at −shift.
return np.ones((height * width // window ** 2, window ** 2, window ** 2), bool)  # Nothing is hidden, because all
# patches of a window have the same label. Do h and w index the last two axes, does `label` increase, and does a band
# begin at −shift?
return np.where(region[:, :, None] == region[:, None, :], 0.0, -100.0)  # These are numbers to add to the scores, 0 and
# −100. Return True where a patch may look, and False elsewhere.
return np.where(region[:, :, None] == region[:, None, :], 0.0, -np.inf)  # These are numbers to add to the scores, 0
# and −∞. Return True where a patch may look, and False elsewhere.
return (region[:, :, None] == region[:, None, :]).all(axis=0)  # You return one mask for all windows. Each window has
# its own.
return (region[:, :, None] // 3 == region[:, None] // 3) | (region[:, :, None] % 3 == region[:, None] % 3)
# A patch sees another if they share a row band *or* a column band. They are in one region only if they share both.
return _labelled(lambda h, w, W, s: 2 * _wrapped(h, h - w + s)[:, None] + _wrapped(w, s))(height, width, window, shift)
# This is right for square images only. You cut the rows where the columns are cut, but the seam of the rows is `shift`
# from the end of the *height*.
return _labelled(lambda h, w, W, s: 2 * _wrapped(h, s)[:, None] + _wrapped(w, w - h + s))(height, width, window, shift)
# This is right for square images only. You cut the columns where the rows are cut, but the seam of the columns is
# `shift` from the end of the *width*.
return _labelled(lambda h, w, W, s: _wrapped(h, s)[:, None] | _wrapped(w, s))(height, width, window, shift)
# All patches that came round have one label, whether in rows or in columns. They come from different edges, so they
# need different labels.
return _labelled(lambda h, w, W, s: _wrapped(h, s)[:, None] + _wrapped(w, s))(height, width, window, shift)
# You add a label for the row and one for the column, so patches that came round in rows get the same sum as those that
# came round in columns. They come from different edges, so they need different labels.
return _labelled(lambda h, w, W, s: _wrapped(h, s)[:, None] & _wrapped(w, s))(height, width, window, shift)
# You separate only the corner, which came round both ways. What came round one way needs a label of its own, too.
return _labelled(lambda h, w, W, s: 2 * _wrapped(h, W - s)[:, None] + _wrapped(w, W - s))(height, width, window, shift)
# You exchanged W − shift and shift. The part that came round is `shift` wide.
return _labelled(lambda h, w, W, s: np.roll(np.arange(h)[:, None] // W * w + np.arange(w) // W, (-s, -s), (0, 1)))(height, width, window, shift)
# Your patches see each other only if they shared a window *before* the roll. Shifted windows are there to join them.
# Hide only pairs that come from opposite edges of the image.
return _labelled(lambda h, w, W, s: np.arange(h * w).reshape(h, w))(height, width, window, shift)  # Every patch has a
# label of its own, so it sees only itself.
"""


HINTS = [
    "Which axes of `region` hold the image? Which axes do `h` and `w` index?",
    "A slice of an axis of length 1 never fails. `np.zeros((1, 4))[0:-2]` is empty, so nothing is written.",
    "`region[:, :, h, w]` uses them for the last two axes.",
]


def wrong_program_0(height, width, window, shift):
    """As in the given code, only the rows get different labels, so nothing is hidden along the columns. Which axis
    does w index, and does `label` increase for each w?"""
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, h, w, :] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def wrong_program_1(height, width, window, shift):
    """Only the columns get different labels, so nothing is hidden along the rows."""
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[..., w] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def wrong_program_6(height, width, window, shift):
    """You fill `region` as (width, height) but read it as (height, width)."""
    region = np.zeros((1, 1, width, height))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, :, w, h] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def wrong_program_8(height, width, window, shift):
    """You exchanged height and width."""
    region = np.zeros((1, 1, width, height))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, :, h, w] = label
            label += 1
    region = partition(region.reshape(width, height, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


right_0 = _labelled(lambda h, w, W, s: 2 * _wrapped(h, s)[:, None] + _wrapped(w, s))


def right_channels_last(height, width, window, shift):
    region = np.zeros((1, height, width, 1))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    for k, h in enumerate(bands):
        for m, w in enumerate(bands):
            region[:, h, w, :] = 3 * k + m
    region = partition(region[0], window)[..., 0]
    return region[:, :, None] == region[:, None, :]
