"""Bug hunt: the picture that wanders · 8 minutes · ★★

This layer rolls the image, attends inside windows under the mask, and puts the windows together again. The shape of
its output is right. But in a deep network with a residual path, each patch is added to a different one, and after a
dozen layers nothing is where it was. With a bias that lets every patch see only itself, the layer should return the
image it was given. Fix it.
"""

import numpy as np

from course_kit.checking import Case
from course_lib.reference.attention import softmax
from course_lib.reference.window import partition, reverse, shift_mask

from ...shared import normal


def shifted_layer(image, window, shift, bias):
    """One layer in shifted windows, all content scores 0: (height, width, c).

    image (height, width, c), bias (W², W²).
    """
    height, width, _ = image.shape
    rolled = np.roll(image, (-shift, -shift), (0, 1))  # The image moves by −shift, along rows (0) and columns (1).
    v = partition(rolled, window)  # The values are those of the rolled image, window by window.
    mask = shift_mask(height, width, window, shift)  # The mask takes `shift` itself.
    weights = softmax(np.where(mask, bias, -np.inf))  # A pair keeps its bias where the mask is True.
    output = weights @ v  # Each query averages its keys, (query, key) @ (key, c).
    made = reverse(output, height, width)  # The windows are put together again.
    return np.roll(made, (shift, shift), (0, 1))  # The roll back by +shift returns each patch to its place.


def expected(image, window, shift, bias):
    """No roll: each patch averages those of its piece of the image, with the bias of their places in the window."""
    height, width, c = image.shape
    y, x = np.divmod(np.arange(height * width), width)
    (row, y), (column, x) = np.divmod(y - shift, window), np.divmod(x - shift, window)
    same = (row == row[:, None]) & (column == column[:, None])
    patch = y * window + x
    weights = softmax(np.where(same, bias[patch[:, None], patch], -np.inf))
    return (weights @ np.reshape(image, (-1, c))).reshape(image.shape)


def draw(rng):
    window = int(rng.integers(2, 4))
    height, width = window * rng.integers(1, 4, size=2)
    return random(rng, int(height), int(width), window, int(rng.integers(window)))


def random(rng, height, width, window, shift):
    return normal(rng, height, width, 2), window, shift, normal(rng, window**2, window**2)


BUG = "return made"
RNG, PICTURE = np.random.default_rng(0), np.arange(16.0).reshape(4, 4, 1)
AXES = ("row", "column", "channel")
CASES = [
    Case(PICTURE, 2, 1, np.where(np.eye(4) > 0, 0, -1e9), label="each patch sees only itself"),
    Case(PICTURE, 2, 1, np.zeros((4, 4)), label="no bias: averages"),
    Case(*random(RNG, 4, 6, 2, 1), label="4 × 6 patches"),
    Case(*random(RNG, 6, 6, 3, 1), label="windows of 3 × 3, shift 1"),
    Case(*random(RNG, 6, 6, 3, 2), label="windows of 3 × 3, shift 2"),
    Case(*random(RNG, 4, 4, 2, 0), label="no shift"),
    Case(*random(RNG, 4, 8, 4, 3), label="windows of 4 × 4, shift 3"),
    Case(PICTURE, 2, 1, -1e12 * np.eye(4), label="each patch prefers all others of its piece"),
]
WRONG = """
return made  # The picture still comes back `shift` patches above and to the left of where it was. Roll it back.
# (`np.roll` makes a new array, so return that one.)
return np.roll(made, (-shift, -shift), (0, 1))  # You roll again in the same direction. The way back is +shift.
weights = softmax(np.where(mask, bias, 0.0))  # A score of 0 does not hide a pair, because e⁰ = 1. −∞ was right.
weights = softmax(np.where(mask, bias, -100.0))
weights = softmax(np.where(mask, bias, -1e9))  # You hide pairs with a finite number. Where a bias is lower still,
# they get the weight. −∞ was right.
return np.roll(made, shift, 0)  # You rolled only the rows back. The columns were rolled as well.
return np.roll(made, shift, 1)  # You rolled only the columns back. The rows were rolled as well.
return np.roll(made, (shift, shift))
return np.roll(made, shift * width + shift)
return np.roll(made, shift * width + shift * made.shape[2])
return np.roll(made, (shift * width + shift) * made.shape[2])
return np.roll(made, shift)  # You move one long list, as `np.roll` does without axes. Name the axes (0, 1).
return np.roll(made, (shift, shift), (1, 2))  # Your roll back moves columns and channels. Rows are axis 0.
return np.roll(made, (window - shift, window - shift), (0, 1))  # You roll back by window − shift. Roll back by `shift`.
return np.roll(made, (shift - window, shift - window), (0, 1))  # You roll on to one whole window. Go back by `shift`.
return np.roll(made, (window, window), (0, 1))  # You roll back by the whole window. Roll back by `shift`.
return np.roll(made, (window // 2, window // 2), (0, 1))  # Right only if shift is W // 2, as in Swin. Roll by `shift`.
return np.roll(made, (2 * shift, 2 * shift), (0, 1))  # You rolled too far. The way back is `shift`, once.
return np.roll(made, (1, 1), (0, 1))
return np.roll(made, (2, 2), (0, 1))  # You roll back by a fixed number of places. Roll back by `shift`.
return np.roll(made, (shift, shift), (0, 1))[::-1, ::-1]  # You also flip the picture. It only needs to be rolled back.
return image + np.roll(made, (shift, shift), (0, 1))
return image + made  # You add the image itself. The residual path is outside this layer.
return np.roll(image, (shift, shift), (0, 1))
return np.roll(image, (-shift, -shift), (0, 1))  # Your output is the image, only moved. Use the weights,
# and roll `made` back.
made = reverse(np.roll(output, (shift, shift), (0, 1)), height, width); return made  # You roll the windows, and the
# patches within them. Put the windows together first, then roll the image.
made = reverse(v, height, width)  # Your output is the image itself. Do you use the weights?
made = output.reshape(height, width, -1)  # A window is not a row of the image. `reverse` puts it back in its place.
rolled = np.roll(image, (shift, shift), (0, 1)); return made  # You reversed the first roll and do not roll back. So the
# seam is on the wrong side, and the picture moves down and to the right.
rolled = np.roll(image, (shift, shift), (0, 1)); return np.roll(made, (-shift, -shift), (0, 1))  # You exchanged the two
# rolls. The windows move up and to the left, and the seam of the mask is on the wrong side.
rolled = image; return made  # Your windows are not shifted. Roll there *and* back.
rolled = image; mask = True; return made  # This is a plain layer, without shift and mask. It should shift its windows.
output = weights.swapaxes(-1, -2) @ v  # You transposed the weights, but (query, key) @ (key, c) was right.
weights = softmax(np.where(mask, -np.inf, bias))  # Your mask is inverted, so it hides what may be seen.
weights = softmax(bias + 0 * mask)  # Patches from opposite edges are mixed, as without the mask.
"""
HINTS = [
    "Where is patch 0 after the first line that rolls? Where is its output at the end?",
    "`np.roll(x, (-shift, -shift), (0, 1))` moves up and to the left. What undoes it?",
]
