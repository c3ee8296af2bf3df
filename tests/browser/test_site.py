"""The site as `course.py site --serve` shows it: each link leads somewhere, and readers find what they look for."""

import re
from urllib.parse import unquote, urljoin

import pytest
from playwright.sync_api import expect

from course_kit.contents import CONTENTS, TOPICS
from course_lib import __version__
from docs.site.make import SITE, address
from docs.site.pages import buttons, kinds, relinked

from .conftest import ROOT
from .test_site_pages import PAGES

pytestmark = pytest.mark.browser
PUBLISHED = "https://github.com/someone/course"
BY_HAND, AFTER = TOPICS["bias_by_hand"], TOPICS["absolute_positions"]


@pytest.fixture(scope="module")
def pages(site):
    """The text of each page by its path."""
    found = {path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")}
    return {name: html for name, html in found.items() if not name.startswith("_static/")}


@pytest.mark.slow
def test_each_link_leads_to_a_page_and_a_place_on_it(pages):
    assert set(pages) == {f"{name}.html" for name in PAGES}
    base = "http://site/course/"
    for name, html in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', re.sub(r"(?s)<script.*?</script>", "", html)):
            target, _, place = unquote(urljoin(base + name, link)).partition("#")
            if target.startswith("http://site/"):
                file = target.removeprefix(base).partition("?")[0]
                assert (SITE / file).is_file(), (name, link)
                assert not place or f'id="{place}"' in pages[file], (name, link)


@pytest.mark.slow
def test_what_is_searched_is_found(visit, chromium):
    page = visit("index")
    page.keyboard.press("Control+k")
    page.keyboard.type("relative shift")
    page.keyboard.press("Enter")
    title = TOPICS["transformer_xl"].title
    expect(page.locator("#search-results li", has_text=title).first).to_contain_text("relative shift")
    assert "\\(" not in page.locator("#search-results").inner_text()
    copy = chromium.new_page()  # of a site on the reader's disk
    copy.goto(f"{(SITE / 'search.html').as_uri()}?q=relative+shift")
    expect(copy.locator("#search-results li", has_text=title).first).to_be_visible()
    copy.close()


@pytest.mark.slow
def test_the_first_page_has_every_chapter_and_a_picture_that_moves(visit):
    page = visit("index")
    for chapter, row in zip(CONTENTS, page.locator("#the-chapters table.table tbody tr").all(), strict=True):
        links = [link.get_attribute("href") for link in row.locator("a").all()]
        assert links == [f"{kind}/{chapter.file}.html" for kind in kinds(chapter)]
    picture = page.locator(".rp-frames[data-rp-live]")
    before = picture.inner_text()
    picture.get_by_role("slider").first.press("ArrowRight")
    assert picture.inner_text() != before


@pytest.mark.slow
def test_a_button_shows_the_core_of_a_lesson_alone(visit):
    page = visit(f"notebooks/{BY_HAND.file}")
    sections, marks = page.locator(".bd-article > section > section"), page.locator("h2 + p > em", has_text="Core: ")
    button = page.get_by_role("button", name="Core only")
    for visible in (marks.count(), sections.count()):
        button.click()
        expect(sections.filter(visible=True)).to_have_count(visible)


@pytest.mark.slow
def test_tasks_solutions_and_the_notebook_are_one_click_away(visit):
    page = visit(f"exercises/{BY_HAND.file}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download notebook").click()
    notebook = ROOT / "exercises" / f"{BY_HAND.file}.ipynb"
    assert download.value.suggested_filename == notebook.name
    assert download.value.path().read_bytes() == notebook.read_bytes()
    assert page.get_by_text("Open in Colab").count() == (address() is not None)
    for words, kind in (("Solutions", "solutions"), ("Lesson", "notebooks"), ("Tasks", "exercises")):
        page.locator(".buttons").get_by_role("link", name=words).click()
        page.wait_for_url(f"**/{kind}/{BY_HAND.file}.html")
        assert page.locator(".buttons strong").inner_text() == words


def test_only_a_published_course_links_to_colab_and_to_its_source():
    there, link = f"blob/v{__version__}", "[`fast.py`](../course_lib/nn/fast.py)"
    colab = f"https://colab.research.google.com/github/someone/course/{there}/exercises/{BY_HAND.file}.ipynb"
    assert f"[Open in Colab]({colab})" in buttons("exercises", BY_HAND, PUBLISHED)
    assert "Colab" not in buttons("exercises", BY_HAND, None)
    assert relinked(link, "notebooks/x.ipynb", None) == "`fast.py`"
    assert relinked(link, "notebooks/x.ipynb", PUBLISHED) == f"[`fast.py`]({PUBLISHED}/{there}/course_lib/nn/fast.py)"
    for kept in (f"[the next]({AFTER.file}.ipynb)", "`rows[i](x)`", "[a](https://arxiv.org/abs/1)"):
        assert relinked(kept, "notebooks/x.ipynb", PUBLISHED) == kept
