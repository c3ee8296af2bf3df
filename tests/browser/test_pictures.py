"""Every picture, saved as a page of its own: it wakes, everyone can use it, and it fits, closed and open."""

import pytest

from ..figures.pictures import PICTURES
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("name", PICTURES)
def test_it_wakes_fits_and_everyone_can_use_it(shown, name):
    page = shown(PICTURES[name])
    folds, claims = page.locator("summary:visible").all(), page.locator(".rp-claims .rp-asked").all()
    for opened in (False, True) if folds or claims else (False,):
        for width, scheme in ((1280, "light"), (390, "light"), (800, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert_it_fits(page)
            if width >= 800:
                assert_everyone_can_use_it(page)
        for fold in folds if not opened else ():
            fold.press("Enter")
        for claim in claims if not opened else ():
            claim.get_by_role("radio").last.check()
            claim.get_by_role("button").click()
