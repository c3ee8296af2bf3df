"""The window picture alive: every query and key of every size, by pointer and by keyboard."""

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.reference.window import offsets_2d, window_index

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET = """(window) => {
  const slider = document.querySelector("input[type=range]");
  slider.value = window;
  slider.dispatchEvent(new Event("input"));
}"""
READ = """(query) => {
  for (const time of ["the key", "the query"]) document.querySelector(`[data-p="${query}"]`).click();
  const used = [...document.querySelectorAll(".rp-rows .rp-same")].map((cell) => Number(cell.textContent));
  return [[...document.querySelectorAll("[data-p]")].map((cell) => cell.textContent), used];
}"""


def test_every_offset_and_row_is_that_of_the_reference(shown):
    page = shown(figures.window_index())
    for window in (2, 3, 4):
        page.evaluate(SET, window)
        for query in range(window**2):
            texts, used = page.evaluate(READ, query)
            assert len(texts) == window**2
            for key, text in enumerate(texts):
                offsets, row = text.replace("−", "-").split("\n")
                assert [int(x) for x in offsets.strip("()").split(",")] == offsets_2d(window)[query, key].tolist()
                assert int(row.removesuffix(" query")) == window_index(window)[query, key]
                assert row.endswith("query") == (key == query)
            assert sorted(used) == sorted(window_index(window)[query].tolist())


def test_pointing_clicking_and_keys(shown):
    page = shown(figures.window_index(3, 4))
    reading = page.locator(".rp-reading")
    page.locator('[data-p="7"]').click()
    expect(reading).to_have_text(
        "query 4 at (1, 1), key 7 at (2, 1): Δrow = 2 − 1 = +1, Δcolumn = 1 − 1 = 0; (+1 + 2) · 5 + (0 + 2) = row 17."
    )
    page.locator('[data-p="0"]').hover()  # the pointer passes, the key is held
    expect(reading).to_contain_text("query 4 at (1, 1), key 7")
    page.locator('[data-row="17"]').click()
    expect(reading).to_contain_text("offset (+1, 0), taken by 6 of 81 pairs, (3 − 1) · (3 − 0); one of them from this")
    page.locator('[data-row="0"]').click()
    expect(reading).to_contain_text("taken by 1 of 81 pairs, (3 − 2) · (3 − 2); none of them from this query.")
    page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("row 1 ")
    page.locator('[data-p="8"]').click()
    expect(reading).to_contain_text("query 4 at (1, 1), key 8 at (2, 2)")
    page.locator('[data-p="8"]').click()
    expect(reading).to_contain_text("query 8 at (2, 2), key 8 at (2, 2)")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(reading).to_contain_text("query 8 at (2, 2), key 4 at (1, 1): Δrow = 1 − 2 = −1, Δcolumn = 1 − 2 = −1")
    page.keyboard.press("Enter")
    expect(reading).to_contain_text("query 4 at (1, 1), key 4")
    page.keyboard.press("ArrowUp")
    before = page.evaluate("scrollY")
    page.keyboard.press(" ")
    expect(reading).to_contain_text("query 1 at (0, 1), key 1")
    assert page.evaluate("scrollY") == before
    page.keyboard.press("ArrowDown")
    page.locator('[data-p="4"]').click()  # where the keys had stopped: the second choice of it
    expect(reading).to_contain_text("query 4 at (1, 1), key 4")
    assert page.locator('[data-p][tabindex="0"]').count() == page.locator('[data-row][tabindex="0"]').count() == 1


def test_a_slider_keeps_the_place_of_the_query(shown):
    page = shown(figures.window_index(3, 4))
    for window, query in ((4, 5), (3, 4), (2, 3)):
        page.evaluate(SET, window)
        assert page.locator(".rp-query").get_attribute("data-p") == str(query)


def test_a_second_click_makes_the_query(shown):
    page = shown(figures.window_index(3, 4))
    page.locator('[data-p="0"]').click()
    page.locator('[data-row="0"]').click()
    page.locator('[data-p="0"]').click()  # after a row of the table it is a first click again
    expect(page.locator(".rp-reading")).to_contain_text("query 4 at (1, 1), key 0")
    page.locator('[data-p="0"]').click()
    expect(page.locator(".rp-reading")).to_contain_text("query 0 at (0, 0), key 0")
