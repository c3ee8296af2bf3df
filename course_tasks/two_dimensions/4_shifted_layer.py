"""Bug hunt: the picture that wanders · 8 minutes · ★★

This layer rolls the image, attends inside windows under the mask, and puts the windows together again. The shape of
its output is right. But in a deep network with a residual path, each patch is added to a different one, and after a dozen
layers nothing is where it was. With a bias that lets every patch see only itself, the layer should return the image it was
given. Fix it.
"""

import numpy as np

from course_lib.checking import Case
from course_lib.checking.pages import holds
from course_lib.reference.attention import softmax
from course_lib.reference.window import partition, reverse, shift_mask

from .common import numbers


def shifted_layer(image, window, shift, bias):
    """One layer in shifted windows, all content scores 0: (height, width, c).

    image (height, width, c), bias (W², W²).
    """
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), window)  # The first roll was right in the given code.
    mask = shift_mask(height, width, window, shift)
    # A pair keeps its bias where the mask is True, as in the given code. The bias was right in the given code.
    weights = softmax(np.where(mask, bias, -np.inf))
    made = reverse(weights @ v, height, width)  # `weights @ v` was right in the given code.
    # The first roll moves by −shift and the roll back by +shift, and the mask takes `shift` itself. Both rolls move
    # the rows, axis 0, and the columns, axis 1. The roll back returns each patch to its place, rows and columns by
    # `shift`.
    return np.roll(made, (shift, shift), (0, 1))


def expected(image, window, shift, bias):
    """No roll: each patch averages those of its piece of the image, with the bias of their places in the window."""
    height, width, c = image.shape
    y, x = np.divmod(np.arange(height * width), width)
    (row, y), (column, x) = np.divmod(y - shift, window), np.divmod(x - shift, window)
    same = (row == row[:, None]) & (column == column[:, None])
    patch = y * window + x
    weights = softmax(np.where(same, bias[patch[:, None], patch], -np.inf))
    return (weights @ np.reshape(image, (-1, c))).reshape(image.shape)


def _random_image(seed, height, width, window, shift):
    return numbers(seed, height, width, 2), window, shift, numbers(seed + 1, window**2, window**2)


def draw(rng):
    seed, window = int(rng.integers(1000)), int(rng.integers(2, 4))
    height, width = window * int(rng.integers(1, 4)), window * int(rng.integers(1, 4))
    return _random_image(seed, height, width, window, int(rng.integers(window)))


def _constant_stays(result, image, window, shift, bias):
    return np.ptp(image) > 0 or np.allclose(np.asarray(result), image, atol=1e-6)


_ONLY_SELF = np.where(np.eye(4, dtype=bool), 0.0, -1e9)


BUG = "return reverse(weights @ v, height, width)"


CASES = [
    Case(np.arange(16.0).reshape(4, 4, 1), 2, 1, _ONLY_SELF, label="each patch sees only itself"),
    Case(np.arange(16.0).reshape(4, 4, 1), 2, 1, np.zeros((4, 4)), label="no bias: averages"),
    Case(*_random_image(0, 4, 6, 2, 1), label="4 × 6 patches"),
    Case(numbers(2, 6, 6, 3), 3, 1, numbers(10, 9, 9), label="windows of 3 × 3, shift 1"),
    Case(*_random_image(3, 6, 6, 3, 2), label="windows of 3 × 3, shift 2"),
    Case(*_random_image(5, 4, 4, 2, 0), label="no shift"),
    Case(*_random_image(8, 4, 8, 4, 3), label="windows of 4 × 4, shift 3"),
    Case(np.full((4, 4, 1), 0.5), 2, 1, numbers(7, 4, 4), label="an image of one colour"),
]


AXES = ("row", "column", "channel")


ALWAYS = [
    holds(
        (
            "An image of one colour must come back as it was. Do you add something to the averages, or do the weights of a "
            "query not sum to 1?"
        ),
        _constant_stays,
    ),
]


WRONG = """
return image + np.roll(made, (shift, shift), (0, 1))  # The picture is back in its place, but you add the image itself.
# The residual path is outside this layer.
return image + made  # You add the image itself, but the residual path is outside this layer. And the picture does not
# come back yet.
return made  # The picture still comes back `shift` patches above and to the left of where it was. Roll it back.
# (`np.roll` makes a new array, so return that one.)
return np.roll(made, (-shift, -shift), (0, 1))  # You roll again in the same direction. The way back is the opposite
# one, +shift.
return np.roll(made, shift, 0)  # You rolled only the rows back. The columns were rolled as well.
return np.roll(made, shift, 1)  # You rolled only the columns back. The rows were rolled as well.
return np.roll(made, (shift, shift))  # Without axes, `np.roll` moves all numbers as one long list, twice by `shift`.
# Name the axes (0, 1), rows and columns.
return np.roll(made, shift)  # Without axes, `np.roll` moves all numbers as one long list. Name the axes (0, 1), rows
# and columns.
return np.roll(made, (window - shift, window - shift), (0, 1))  # You roll back by window − shift. The image was rolled
# by `shift`, so roll it back by `shift`.
return np.roll(made, (2 * shift, 2 * shift), (0, 1))  # You rolled too far. The way back is `shift`, once.
return np.roll(made, (shift, shift), (0, 1))[::-1, ::-1]  # You also flip the picture. It only needs to be rolled back.
return np.roll(made, (shift, shift), (1, 2))  # Your roll back moves columns and channels. Rows are axis 0, columns
# axis 1.
v = partition(np.roll(image, (-shift, -shift), (1, 2)), window)  # Your first roll moves columns and channels. Rows are
# axis 0, columns axis 1.
v = partition(np.roll(image, -shift, 0), window)  # Your first roll moves only the rows. The columns are shifted as
# well.
v = partition(np.roll(image, -shift, 1), window)  # Your first roll moves only the columns. The rows are shifted as
# well.
made = reverse(v, height, width)  # You do not use the weights, so the values come back as they were.
made = (weights @ v).reshape(height, width, -1)  # A window is not a row of the image, so `reshape` does not put it
# back in its place. `reverse` does.
return np.roll(image, (shift, shift), (0, 1))  # You only roll the image, down and to the right, and do not attend.
# Roll `made` instead.
return np.roll(image, (-shift, -shift), (0, 1))  # You only roll the image, up and to the left, and do not attend. Roll
# `made` instead.
v = partition(np.roll(image, (shift, shift), (0, 1)), window); return made  # You reversed the first roll and do not
# roll back. So the seam is on the wrong side, and the picture moves down and to the right.
v = partition(image, window); return made  # You roll nothing, so the windows are not shifted, and the mask hides
# patches for no reason. Roll there *and* back.
v = partition(np.roll(image, (shift, shift), (0, 1)), window); return np.roll(made, (-shift, -shift), (0, 1))
# You exchanged the two rolls. The windows move up and to the left, and the seam of the mask is on the wrong side.
v = partition(image, window); weights = softmax(np.where(mask | True, bias, -np.inf)); return made  # This is a plain
# layer, without shift and mask. The layer should shift its windows.
weights = softmax(np.where(mask, bias.T, -np.inf))  # The picture is back in its place, but you transposed the bias. It
# was right in the given code.
return np.roll(made, (1, 1), (0, 1))  # This is right only when shift is 1. Roll by `shift`.
return np.roll(made, (2, 2), (0, 1))  # This is right only when shift is 2. Roll by `shift`.
return np.roll(made, (window // 2, window // 2), (0, 1))  # This is right only when shift is W // 2, as in Swin. Roll
# by `shift`.
return np.roll(made, (window, window), (0, 1))  # You roll back by the whole window. The image was rolled by `shift`,
# so roll it back by `shift`.
made = reverse(weights.swapaxes(-1, -2) @ v, height, width)  # The picture is back in its place. You transposed the
# weights, but (query, key) @ (key, c) was right.
return reverse(weights.swapaxes(-1, -2) @ v, height, width)  # You transposed the weights, but (query, key) @ (key, c)
# was right. And the picture does not come back yet.
weights = softmax(np.where(mask, -np.inf, bias))  # The picture is back in its place. Your mask is inverted, so it hides
# what may be seen.
weights = softmax(np.where(mask, -np.inf, bias)); return made  # Your mask is inverted, so it hides what may be seen.
# And the picture does not come back yet.
weights = softmax(bias + 0 * mask)  # The picture is back in its place. You removed the mask, so patches from opposite
# edges are mixed.
weights = softmax(bias + 0 * mask); return made  # You removed the mask, so patches from opposite edges are mixed. And
# the picture does not come back yet.
"""


HINTS = [
    "Where is patch 0 after the first line that rolls? Where is its output at the end?",
    "`np.roll(x, (-shift, -shift), (0, 1))` moves up and to the left. What undoes it?",
]

