"""The sheet of conventions and formulas: two printed sides, usable by everyone, with the numbers of course_lib."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.t5 import bucket_starts

pytestmark = pytest.mark.browser
CARD = Path(__file__).resolve().parents[2] / "docs" / "conventions.html"


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    page.on("request", lambda request: request.url == CARD.as_uri() or pytest.fail(f"it asks for {request.url}"))
    page.goto(CARD.as_uri())
    yield page
    context.close()


def sides(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_it_prints_on_the_two_sides_of_one_page(page, paper):
    assert sides(page.pdf(format=paper)) == 2


def test_a_sheet_with_more_on_it_would_need_a_third_side(page):
    page.evaluate("const table = document.querySelector('.all'); table.after(table.cloneNode(true))")
    assert sides(page.pdf(format="A4")) == 3


@pytest.mark.parametrize("width", [1000, 390])
def test_no_line_is_cut_off_at_the_right_and_everyone_can_use_it(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"


def test_it_has_no_script_and_only_black_grey_and_white():
    text = CARD.read_text(encoding="utf-8")
    assert "<script" not in text and "http" not in text
    colours = re.findall(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", text)
    assert colours and all(len(set(colour)) <= 2 for colour in colours)


def test_its_numbers_are_those_of_the_library(page):
    def numbers(text):
        return [int(number.replace("−", "-")) for number in re.findall(r"−?\d+", text)]

    assert numbers(page.locator("#starts").inner_text()) == bucket_starts()
    assert [*range(16), *numbers(page.locator("#causal").inner_text())] == bucket_starts(bidirectional=False)
    assert numbers(page.locator("#row").inner_text()) == row_offsets(2, 3, past=1).tolist()
    shown = [numbers(cells) for cells in page.locator(".grid tbody tr").all_inner_texts()]
    assert shown == [[1 + i, *row] for i, row in enumerate(offsets(2, 3, past=1).tolist())]
