"""Every picture and every result of a check, alone: it fits, closed and open, and everyone can use it."""

import numpy as np
import pytest

from course_chapters.bias_by_hand import tasks as bias_by_hand

from ..figures.pictures import PICTURES
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_wakes_fits_and_everyone_can_use_it(shown, name):
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


def rewards_distance(n, strength):
    i, j = np.arange(n)[:, None], np.arange(n)
    return strength * np.log1p(abs(j - i))


def raises(n, strength):
    return a_name_that_nobody_has_given_to_anything_in_this_notebook_or_in_any_other_one(n, strength)  # noqa: F821


TASK = bias_by_hand.bias_matrix
RESULTS = {
    "a known mistake": TASK.check(rewards_distance),
    "an unknown mistake": TASK.check(lambda n, strength: np.full((n, n), 1e9)),
    "an error": TASK.check(raises),
    "no array": TASK.check(lambda n, strength: "x" * 200),
    "comparison": TASK.compare(rewards_distance),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_fits_beside_the_file_browser_and_on_a_phone_and_everyone_can_use_it(chromium, name):
    page = chromium.new_page(viewport={"width": 800, "height": 900})
    output = f'<main class="jp-OutputArea-output"><h1>{name}</h1>{RESULTS[name]._repr_html_()}</main>'
    for colours in ("background: white; color: black", "background: #111; color: #ddd"):
        page.set_content(f'<html lang="en"><title>{name}</title><body style="{colours}">{output}</body></html>')
        for width in (348, 254):  # what JupyterLab leaves of 800 pixels with its file browser, and of 390 without it
            page.locator("main").evaluate("(main, width) => { main.style.width = `${width}px`; }", width)
            assert_it_fits(page)
        assert_everyone_can_use_it(page)
    page.close()
