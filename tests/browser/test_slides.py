"""What course.py slides writes, opened in a browser: it is alive, asks for nothing, and the keyboard works."""

import pytest

from tools import slides
from tools.pictures import slides as listed

from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    slides.main([str(folder)])
    return folder


@pytest.fixture
def page(chromium, folder):
    """A page that fails when a script does, or when it asks for anything beside the files of the folder."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script: {error}"))
    allowed = (folder.as_uri(), "data:")
    page.on("request", lambda request: request.url.startswith(allowed) or pytest.fail(f"it asks for {request.url}"))
    yield page
    context.close()


def test_the_index_leads_to_a_live_picture_by_keyboard_alone(page, folder):
    page.goto((folder / "index.html").as_uri())
    assert_everyone_can_use_it(page)
    assert (folder / page.locator("main p a").get_attribute("href")).read_bytes().startswith(b"%PDF")
    link = page.locator('a[href="bias_by_hand-bias.html"]')
    while not link.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    slider = page.locator(".rp-bias-heatmap[data-rp-live] input[type=range]").first
    slider.focus()
    before = page.locator("table").first.inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("table").first.inner_text() != before


@pytest.mark.slow
@pytest.mark.parametrize("slide", listed(), ids=lambda slide: slide.name)
def test_each_picture_wakes_and_fits_a_slide(page, folder, slide):
    path = folder / f"{slide.name}.html"
    page.goto(path.as_uri())
    page.wait_for_selector(".rp[data-rp-live]" if "<script>" in path.read_text(encoding="utf-8") else ".rp")
    assert_it_fits(page)
