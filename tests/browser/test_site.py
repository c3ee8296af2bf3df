"""The site and the sheet: each page is alive and for everyone, links lead somewhere, and what is searched is found."""

import functools
import json
import re
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urljoin

import pytest
from playwright.sync_api import expect

from course_kit.contents import CONTENTS, TOPICS
from course_lib import __version__
from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.t5 import bucket_starts
from docs.site.keywords import KEYWORDS
from docs.site.make import SITE
from docs.site.pages import CARD, TEXTS, buttons, kinds, relinked, where_to_get

from .. import ROOT
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser
PUBLISHED = "https://github.com/someone/course"
BY_HAND, AFTER = TOPICS["bias_by_hand"], TOPICS["absolute_positions"]
NOTEBOOKS = [chapter.path(kind).removesuffix(".ipynb") for chapter in CONTENTS for kind in kinds(chapter)]
PAGES = ["index", *NOTEBOOKS, *(text.removesuffix(".md") for text in TEXTS), "search", "docs/conventions"]


@pytest.fixture(scope="module")
def site():
    """The address of the site, built by the course's own command; it is below a folder."""
    subprocess.run([sys.executable, "course.py", "site"], cwd=ROOT, check=True)
    handler = functools.partial(SimpleHTTPRequestHandler, directory=SITE.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/{SITE.name}/"
        server.shutdown()


@pytest.fixture
def visit(chromium, site):
    """A function that opens a page. In the end nothing has gone wrong, and nobody but the site has been asked."""
    context, wrong = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce"), []

    def opened(name, query=""):
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and wrong.append(f"{said.text} {said.location['url']}"))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith((site, "data:")) or wrong.append(asked.url))
        page.goto(f"{site}{name}.html{query}")
        page.evaluate("window.MathJax?.startup.promise.then(() => true)")
        return page

    yield opened
    context.close()
    assert wrong == []


# The theme makes boxes that scroll focusable, a moment after the page has changed its width.
REACHED = """() => [...document.querySelectorAll("pre, .pst-scrollable-table-container")].every(
  (box) => box.scrollWidth <= box.clientWidth || box.tabIndex === 0)"""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_alive_fits_and_everyone_can_use_it_in_the_dark_on_a_phone_too(visit, name):
    page = visit(name)
    if name == "index":  # its picture
        expect(page.locator(".rp-frames[data-rp-live=true]")).to_have_count(1)
    if name in NOTEBOOKS:
        cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        outputs = ["".join(o.get("data", {}).get("text/html", "")) for c in cells for o in c.get("outputs", [])]
        scripts = sum("data-rp" in html and "<script>" in html for html in outputs)
        expect(page.locator("[data-rp-live=true]")).to_have_count(scripts)
        shown = [c for c in cells if c["cell_type"] == "code" and "jupyter" not in c["metadata"]]
        expect(page.locator(".cell_input")).to_have_count(len(shown))  # folded are the set-up and answers to questions
        assert page.locator("mjx-container").count() == page.locator(".math").count()
        assert page.locator("mjx-merror").count() == 0
    assert_everyone_can_use_it(page)
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    assert_it_fits(page)
    page.wait_for_function(REACHED)
    assert_everyone_can_use_it(page)


def numbers(page, place):
    return [int(number.replace("−", "-")) for number in re.findall(r"−?\d+", page.locator(place).inner_text())]


def test_the_sheet_fits_two_sides_of_paper_and_its_numbers_are_those_of_the_library(chromium):
    with chromium.new_page() as page:
        page.goto((ROOT / CARD).as_uri())
        for paper in ("A4", "Letter"):
            assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2
        assert numbers(page, "#starts") == bucket_starts()
        assert [*range(16), *numbers(page, "#causal")] == bucket_starts(bidirectional=False)
        assert numbers(page, "#row") == row_offsets(2, 3, past=1).tolist()
        shown = [[1 + i, *row] for i, row in enumerate(offsets(2, 3, past=1).tolist())]
        assert numbers(page, ".grid tbody") == [number for row in shown for number in row]
        for scheme, topic in (("T5 buckets", "t5_buckets"), ("Swin", "two_dimensions"), ("FIRE", "which_one")):
            expect(page.get_by_role("rowheader", name=scheme)).to_have_text(f"{scheme} {TOPICS[topic].number}")


@pytest.mark.slow
def test_each_link_leads_to_a_page_and_a_place_on_it(site):
    found = {path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")}
    pages = {name: html for name, html in found.items() if not name.startswith("_static/")}
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
    copy = chromium.new_page()  # of a site on the reader's disk
    copy.goto(f"{(SITE / 'search.html').as_uri()}?q=relative+shift")
    expect(copy.locator("#search-results li", has_text=title).first).to_be_visible()
    copy.close()


WORDS = [(word, heading) for places in KEYWORDS.values() for heading, words in places.items() for word in words]


@pytest.mark.slow
@pytest.mark.parametrize("query", ["padding", "left padding", "packing", "nan", "GQA", "extrapolate"])
def test_the_words_that_people_type_lead_to_their_section(visit, query):
    page, heading = visit("search", f"?q={query}"), dict(WORDS)[query.lower()]
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**#index-*")
    place = page.locator(f"#{page.url.partition('#')[2]}")
    expect(page.locator("section", has=place).last.locator("> h2")).to_contain_text(heading)


@pytest.mark.slow
def test_the_search_knows_no_solutions_glues_no_words_and_shows_no_latex(visit):
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    assert '"exercises/' in index and '"solutions/' not in index
    assert '"answer"' in index and "tokenanswer" not in index
    for query in ("yarn", "bias explorer", "answer"):
        page = visit("search", f"?q={query}")
        expect(page.locator("#search-results .context").first).to_be_visible()
        said = page.locator("#search-results").inner_text()
        assert "\\" not in said and "Download notebook" not in said


def test_each_word_of_the_search_has_its_heading():
    for topic, places in KEYWORDS.items():
        lesson, tasks = (ROOT / TOPICS[topic].path(kind) for kind in ("notebooks", "exercises"))
        text = "".join(path.read_text(encoding="utf-8") for path in (lesson, tasks) if path.exists())
        assert not [heading for heading in places if not re.search(rf"## (\d\. )?{re.escape(heading)}\W", text)], topic
    assert len(dict(WORDS)) == len(WORDS), "a word leads to one place"


@pytest.mark.slow
def test_a_button_shows_the_core_alone_until_it_is_pressed_again_and_leads_on_to_its_task_and_the_next_lesson(visit):
    page = visit(f"notebooks/{BY_HAND.file}")
    sections, marks = page.locator(".bd-article > section > section"), page.locator("h2 + p > em", has_text="Core: ")
    button, footer = page.get_by_role("button", name="Core only"), page.get_by_title("next page")
    many = sections.count()
    button.click()
    expect(sections.filter(visible=True)).to_have_count(marks.count())
    expect(footer).to_be_hidden()
    page.get_by_role("link", name="the task bias_matrix").click()
    expect(sections.filter(visible=True)).to_have_count(1)
    expect(sections.filter(visible=True)).to_contain_text("1. The bias matrix")
    page.get_by_role("article").get_by_role("link", name=TOPICS["alibi"].title).filter(visible=True).click()
    expect(page.locator("h1")).to_contain_text(TOPICS["alibi"].title)
    expect(button).to_have_attribute("aria-pressed", "true")
    page.goto(f"{page.url.partition('#')[0]}#remember")  # a link to what the core leaves out shows it
    expect(page.get_by_role("heading", name="Remember")).to_be_visible()
    page.goto(page.url.replace(TOPICS["alibi"].file, BY_HAND.file).partition("#")[0])
    button.click()
    expect(sections.filter(visible=True)).to_have_count(many)
    expect(footer).to_be_visible()


def test_the_first_page_says_where_to_get_the_course():
    assert "ask whoever" in where_to_get(None)
    assert f"`git clone {PUBLISHED}`" in where_to_get(PUBLISHED) and f"v{__version__}.zip" in where_to_get(PUBLISHED)
    assert "zip" not in where_to_get("https://example.org/course")
    assert "[get the course](../index.md#one-command)" in buttons("notebooks", BY_HAND, None)


def test_only_a_published_course_links_to_colab_and_to_its_source():
    there, link = f"blob/v{__version__}", "[`fast.py`](../course_lib/nn/fast.py)"
    colab = f"https://colab.research.google.com/github/someone/course/{there}/{BY_HAND.path('exercises')}"
    assert f"[Open in Colab]({colab})" in buttons("exercises", BY_HAND, PUBLISHED)
    assert "Colab" not in buttons("exercises", BY_HAND, None)
    assert relinked(link, "notebooks/x.ipynb", None) == "`fast.py`"
    assert relinked(link, "notebooks/x.ipynb", PUBLISHED) == f"[`fast.py`]({PUBLISHED}/{there}/course_lib/nn/fast.py)"
    for kept in (f"[the next]({AFTER.file}.ipynb)", "`rows[i](x)`", "[a](https://arxiv.org/abs/1)"):
        assert relinked(kept, "notebooks/x.ipynb", PUBLISHED) == kept
