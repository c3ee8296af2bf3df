"""The drawings of Swin's array operations show what NumPy computes."""

import re
from base64 import b64decode

import numpy as np
import pytest

from course_lib import figures
from course_lib.reference.window import partition, shift_mask


def drawn(step: str) -> list[tuple[str, str]]:
    """The colour and the number of each square, in the order of the drawing."""
    page = figures.window_arrays(step)._repr_html_()
    drawing = b64decode(re.search('base64,([^"]*)', page)[1]).decode()
    return re.findall(r'<rect [^>]*fill="([^"]*)"[^>]*/><text [^>]*>(\d+)<', drawing)


@pytest.mark.parametrize("step, shift", [("cut", 0), ("roll", 1)])
def test_the_panels_are_the_image_and_its_windows(step, shift):
    image = np.arange(16).reshape(4, 4)
    rolled = np.roll(image, (-shift, -shift), (0, 1))
    windows = partition(rolled[..., None], 2)[..., 0]
    squares = drawn(step)
    assert [int(number) for _, number in squares] == [*image.ravel(), *rolled.ravel(), *windows.ravel()]
    colours = np.array([colour for colour, _ in squares[32:]]).reshape(4, 4)
    assert np.array_equal(colours[:, :, None] == colours[:, None, :], shift_mask(4, 4, 2, shift))


def test_each_line_of_offsets_has_its_colour():
    squares = drawn("index")
    assert [int(number) for _, number in squares] == [*range(9), *range(9)]
    assert squares[:9] == squares[9:] and len({colour for colour, _ in squares}) == 3


def test_another_step_is_refused():
    with pytest.raises(ValueError, match="step='mask': expected one of 'cut', 'roll', 'index'"):
        figures.window_arrays("mask")
