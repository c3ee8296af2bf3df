"""The sheet of conventions and formulas: two printed sides, usable by everyone, with the numbers of course_lib."""

import re

import pytest

from course_lib.reference.grid import offsets, row_offsets
from course_lib.reference.t5 import bucket_starts

from .conftest import ROOT
from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = pytest.mark.browser
CARD = ROOT / "docs" / "conventions.html"


def numbers(text):
    return [int(number.replace("−", "-")) for number in re.findall(r"−?\d+", text)]


def test_it_fits_paper_and_phone_everyone_can_use_it_and_its_numbers_are_those_of_the_library(chromium):
    page = chromium.new_page(viewport={"width": 390, "height": 900})
    page.on("request", lambda request: request.url == CARD.as_uri() or pytest.fail(f"it asks for {request.url}"))
    page.goto(CARD.as_uri())
    assert_it_fits(page)
    assert_everyone_can_use_it(page)
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2
    assert numbers(page.locator("#starts").inner_text()) == bucket_starts()
    assert [*range(16), *numbers(page.locator("#causal").inner_text())] == bucket_starts(bidirectional=False)
    assert numbers(page.locator("#row").inner_text()) == row_offsets(2, 3, past=1).tolist()
    shown = [numbers(cells) for cells in page.locator(".grid tbody tr").all_inner_texts()]
    assert shown == [[1 + i, *row] for i, row in enumerate(offsets(2, 3, past=1).tolist())]
    page.close()
