"""The shifted windows' static body: pieces, where the roll takes them, how many pairs the mask leaves."""

import re

import numpy as np
import pytest

from course_lib import figures
from course_lib.figures.shifted_windows import allowed_pairs, piece
from course_lib.reference.window import partition, shift_mask

from .test_figures import static

SIZES = [(window, shift) for window in (2, 3, 4) for shift in range(1, window)]


@pytest.mark.parametrize(("window", "shift"), SIZES)
def test_a_piece_in_a_window_is_what_the_mask_lets_through(window, shift):
    n = 2 * window
    found = np.array([[piece((y, x), window, shift) for x in range(n)] for y in range(n)])
    assert len(np.unique(found)) == 9
    rolled = partition(np.roll(found, (-shift, -shift), (0, 1))[..., None], window)[..., 0]
    mask = shift_mask(n, n, window, shift)
    assert ((rolled[:, :, None] == rolled[:, None, :]) == mask).all()
    assert mask.sum() == allowed_pairs(window, shift)


def test_the_body_shows_the_image_and_the_rolled_image():
    text = static(figures.shifted_windows(2, 1))
    numbers = [int(number) for number in re.findall(r">(\d+) [A-I]<", text)]
    image = np.arange(16).reshape(4, 4)
    assert numbers == [*image.ravel(), *np.roll(image, (-1, -1), (0, 1)).ravel()]
    assert "36 of 64 pairs inside windows may look, 28 are hidden" in text
    assert "The image: 9 pieces" in text


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"window": 5}, "window=5: expected a whole number from 2 to 4"),
        ({"window": 2, "shift": 2}, "shift=2: expected a whole number from 1 to 1"),
        ({"shift": 0}, "shift=0: expected a whole number from 1 to 3"),
    ],
)
def test_what_it_cannot_show_it_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        figures.shifted_windows(**wrong)
