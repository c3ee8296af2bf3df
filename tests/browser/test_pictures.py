"""Every live picture, saved as a page of its own: it wakes, everyone can use it, and it fits."""

import pytest

from ..figures.pictures import make_pictures
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = make_pictures()


@pytest.mark.parametrize("name", PICTURES)
def test_it_wakes_fits_and_everyone_can_use_it(shown, name):
    picture = PICTURES[name]
    axe = "<script>" in picture._repr_html_()
    page = shown(picture)
    for width, scheme in ((1280, "light"), (390, "light"), (800, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert_it_fits(page)
        if axe and width >= 800:
            assert_everyone_can_use_it(page)
