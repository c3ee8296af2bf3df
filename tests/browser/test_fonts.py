"""The two fonts of the browser tests are really in use, and they differ: else no width would be checked."""

import pytest

from .fonts import DIGIT

pytestmark = pytest.mark.browser
WIDTH = "() => document.querySelector('span').getBoundingClientRect().width"


@pytest.mark.parametrize("name", ["sans-serif", "system-ui", "Arial", "'Helvetica Neue'"])
@pytest.mark.parametrize(("family", "em"), DIGIT.items())
def test_every_family_of_a_page_is_drawn_in_the_font_of_the_test(browsers, family, em, name):
    page = browsers[family].new_page()
    page.set_content(f'<span style="font: 100px {name}">0123456789</span>')
    assert page.evaluate(WIDTH) == pytest.approx(1000 * em, rel=0.02)
    page.close()


def test_pictures_are_as_wide_in_both(browsers):
    widths = []
    for browser in browsers.values():
        page = browser.new_page()
        page.set_content('<span style="font: 100px sans-serif; font-size-adjust: ch-width .556">0123456789</span>')
        widths.append(page.evaluate(WIDTH))
        page.close()
    assert widths == [pytest.approx(556, rel=0.02)] * 2
