"""Every page of the site is alive and quiet, fits a phone, and everyone can use it in light and dark."""

import json

import pytest
from playwright.sync_api import expect

from course_kit.contents import CONTENTS
from docs.site.pages import TEXTS, kinds

from .conftest import ROOT
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser
NOTEBOOKS = {f"{kind}/{chapter.file}": chapter for chapter in CONTENTS for kind in kinds(chapter)}
PAGES = ["index", *NOTEBOOKS, *(text.removesuffix(".md") for text in TEXTS), "search", "docs/conventions"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_alive_and_everyone_can_use_it(visit, name):
    page = visit(name)
    if name in NOTEBOOKS:
        cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        outputs = ["".join(o.get("data", {}).get("text/html", "")) for c in cells for o in c.get("outputs", [])]
        scripts = sum("data-rp" in html and "<script>" in html for html in outputs)
        expect(page.locator("[data-rp]:has(+ script)")).to_have_count(scripts)
        expect(page.locator("[data-rp-live=true]")).to_have_count(scripts)
        shown = [c for c in cells if c["cell_type"] == "code" and "jupyter" not in c["metadata"]]
        expect(page.locator(".cell_input")).to_have_count(len(shown))  # folded are the set-up and answers to questions
        assert page.locator("mjx-container").count() == page.locator(".math").count()
        assert page.locator("mjx-merror").count() == 0
    assert_everyone_can_use_it(page)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith(("exercises", "solutions"))])
def test_in_the_dark_on_a_phone_it_fits_and_everyone_can_use_it(visit, name):
    page = visit(name, width=390, scheme="dark")
    assert_it_fits(page)
    # The theme makes boxes that scroll focusable, a moment late.
    expect(page.locator("pre:not([tabindex]), .pst-scrollable-table-container:not([tabindex])")).to_have_count(0)
    # Pictures keep their white card, and are looked at in light and dark in JupyterLab.
    page.evaluate("document.querySelectorAll('.rp').forEach((picture) => picture.remove())")
    assert_everyone_can_use_it(page)
