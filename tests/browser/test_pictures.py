"""Every live picture, saved as a page of its own: it wakes, everyone can use it, and it fits in both fonts."""

import pytest

from ..figures.pictures import make_pictures
from .fonts import NARROW, WIDE
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser
PICTURES = make_pictures()
LIVE = [name for name, picture in PICTURES.items() if "<script>" in picture._repr_html_()]


@pytest.mark.parametrize("name", LIVE)
def test_it_wakes_and_everyone_can_use_it(shown, name):
    page = shown(PICTURES[name])
    assert_everyone_can_use_it(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 800, "height": 900})
    assert_everyone_can_use_it(page)  # and what scrolls now is in reach of the keyboard


@pytest.mark.parametrize("font", [WIDE, NARROW])
@pytest.mark.parametrize("name", PICTURES)
def test_it_fits(shown, name, font):
    page = shown(PICTURES[name], font=font)
    for width in (1280, 800, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert_it_fits(page)
