"""The font of the browser tests is really in use: else no width would be checked."""

import pytest

from .fonts import DIGIT

pytestmark = pytest.mark.browser
WIDTH = "() => document.querySelector('span').getBoundingClientRect().width"


@pytest.mark.parametrize(
    ("font", "em"), [(name, DIGIT) for name in ("sans-serif", "system-ui", "Arial")] + [("font-size-adjust", 0.556)]
)
def test_every_family_of_a_page_is_drawn_in_the_font_of_the_test(chromium, font, em):
    page = chromium.new_page()
    style = "font: 100px sans-serif; font-size-adjust: ch-width .556" if em != DIGIT else f"font: 100px {font}"
    page.set_content(f'<span style="{style}">0123456789</span>')
    assert page.evaluate(WIDTH) == pytest.approx(1000 * em, rel=0.02)
    page.close()
