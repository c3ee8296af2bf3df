"""The comparison alive: each cell says how it was found and what backs it, by mouse and keys; narrow pages."""

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.comparison_table import short
from course_tasks import comparison

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TABLE = comparison.table()
COLUMNS, SCHEMES = list(comparison.COLUMNS), list(comparison.SCHEMES)


def test_every_cell_tells_how_it_was_found(shown):
    page = shown(figures.comparison_table(comparison.table()))
    reading = page.locator(".rp-reading")
    for i, scheme in enumerate(SCHEMES):
        for j, column in enumerate(COLUMNS):
            page.evaluate(f"document.querySelector('[data-at=\"{i} {j}\"]').click()")
            told, cell = " ".join(reading.inner_text().split()), TABLE[scheme, column]
            assert told.startswith(f"{scheme}, {column}")
            assert " ".join(cell.note.replace("`", "").split()) in told
            assert " ".join(comparison.COLUMNS[column].how.replace("`", "").split()) in told
            assert all(short(piece) in told for piece in cell.evidence)


def test_arrow_keys_walk_and_one_cell_takes_the_tab_key(shown):
    table = comparison.table()
    *_, before, last = table.schemes
    page = shown(figures.comparison_table(table))
    reading = page.locator(".rp-reading")
    expect(reading).to_contain_text("where it enters")
    page.locator(f'[data-at="{len(table.schemes) - 2} 0"]').click()
    expect(reading).to_contain_text(f"{before}, where it enters")
    page.keyboard.press("End")
    expect(reading).to_contain_text(f"{before}, backends eager, sdpa, flex")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):  # the last cell is the end
        page.keyboard.press(key)
    expect(reading).to_contain_text(f"{last}, backends")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(reading).to_contain_text(f"{before}, where it enters")
    assert page.locator('td[tabindex="0"]').count() == page.locator(".rp-chosen").count() == 1
    # The group no longer takes the focus, its cells do.
    assert page.locator("[tabindex]").count() == len(table.schemes) * len(table.columns)


@pytest.mark.parametrize("width", [398, 800])
def test_a_narrow_page_scrolls_the_table_and_keeps_the_names(shown, width):
    page = shown(figures.comparison_table(comparison.table()), width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    frame, chosen = page.locator(".rp-scroll").bounding_box(), page.locator(".rp-chosen").bounding_box()
    assert frame["x"] <= chosen["x"] and chosen["x"] + chosen["width"] <= frame["x"] + frame["width"]  # and can be seen
    page.locator('[data-at="5 0"]').focus()
    page.keyboard.press("End")
    name, cell = page.locator("tbody th").nth(5).bounding_box(), page.locator('[data-at="5 7"]').bounding_box()
    assert frame["x"] <= name["x"] and name["x"] + name["width"] <= cell["x"]  # the name did not scroll away
    assert cell["x"] + cell["width"] <= frame["x"] + frame["width"] + 1
    assert page.locator("figure").bounding_box()["width"] == width - 48
