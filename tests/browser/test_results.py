"""What a wrong answer gets to read: the box and the comparison fit beside an open file browser and on a phone."""

import numpy as np
import pytest

from course_tasks import bias_by_hand

from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser


def rewards_distance(n, strength):
    i, j = np.arange(n)[:, None], np.arange(n)
    return strength * np.log1p(abs(j - i))


def raises(n, strength):
    return a_name_that_nobody_has_given_to_anything_in_this_notebook_or_in_any_other_one(n, strength)  # noqa: F821


TASK = bias_by_hand.bias_matrix
SHOWN = {
    "a known mistake": TASK.check(rewards_distance),
    "an unknown mistake": TASK.check(lambda n, strength: np.full((n, n), 1e9)),
    "an error": TASK.check(raises),
    "no array": TASK.check(lambda n, strength: "x" * 200),
    "comparison": TASK.compare(rewards_distance),
    "hint": TASK.hint(),
    "solution": TASK.solution(),
}


@pytest.mark.parametrize("name", SHOWN)
def test_it_fits_and_everyone_can_use_it(chromium, name):
    page = chromium.new_page(viewport={"width": 800, "height": 900})
    output = f'<main class="jp-OutputArea-output"><h1>{name}</h1>{SHOWN[name]._repr_html_()}</main>'
    page.set_content(f'<html lang="en"><title>{name}</title><body>{output}</body></html>')
    for width in (348, 254):  # what JupyterLab leaves of 800 pixels with its file browser, and of 390 without it
        page.locator("main").evaluate("(main, width) => { main.style.width = `${width}px`; }", width)
        assert_it_fits(page)
    assert_everyone_can_use_it(page)
    page.close()
