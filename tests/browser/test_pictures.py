"""Every live picture, saved as a page of its own: it wakes, everyone can use it, and it fits a narrow page."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from ..figures.pictures import make_pictures

pytestmark = pytest.mark.browser
LIVE = {name: picture for name, picture in make_pictures().items() if "<script>" in picture._repr_html_()}


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", LIVE)
def test_it_wakes_and_everyone_can_use_it(shown, name, dark, width):
    page = shown(LIVE[name], dark=dark, width=width)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
