"""The clip grid alive: every cell takes the row that the reference gives it, and says so."""

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.clip_grid import clipped_cells, row_counts
from course_lib.reference.grid import offsets
from course_lib.reference.shaw import clip_index

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET = """([n, clip]) => {
  const [first, second] = document.querySelectorAll("input[type=range]");
  for (const [slider, value] of [[first, n], [second, clip]]) {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }
  const texts = (query) => [...document.querySelectorAll(query)].map((cell) => cell.textContent);
  const facts = document.querySelector(".rp-facts").textContent;
  return [texts("[data-i]"), texts(".rp-rows td:last-child").map(Number), facts];
}"""


def test_every_cell_and_count_is_that_of_the_reference(shown):
    page = shown(figures.clip_grid())
    for n in (2, 3, 6, 7, 12):
        for clip in range(9):
            texts, counts, facts = page.evaluate(SET, [n, clip])
            rows = (clip_index(offsets(n), clip) - clip).ravel().tolist()
            numbers = [[int(part.replace("−", "-")) for part in text.split("→")] for text in texts]
            assert [(pair[0], pair[-1]) for pair in numbers] == list(zip(offsets(n).ravel().tolist(), rows))
            assert counts == row_counts(n, clip)
            clipped = clipped_cells(n, clip)
            assert facts.startswith(f"{clipped} of {n * n} cells" if clipped else f"No offset exceeds {clip}")


def test_a_cell_or_a_table_row_outlines_all_that_share_it(shown):
    page = shown(figures.clip_grid())
    reading, same = page.locator(".rp-reading"), page.locator("[data-i].rp-same")
    expect(reading).to_have_text("query 5, key 0: offset −5, beyond −2, so it takes row 0 of the table (a[−2]).")
    assert same.count() == 10
    page.locator('[data-i="1"][data-j="2"]').hover()
    expect(reading).to_have_text("query 1, key 2: offset +1, within ±2, so it takes row 3 of the table (a[+1]).")
    assert same.count() == 5
    page.locator('[data-i][tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("offset +2, which reaches +2 and does not exceed it, so it takes row 4")
    page.locator('[data-r="0"]').click()
    expect(reading).to_have_text("row 2 of the table (a[0]): 6 cells use it, offsets: 0.")
    assert same.count() == 6
    page.keyboard.press("ArrowUp")
    expect(reading).to_have_text("row 1 of the table (a[−1]): 5 cells use it, offsets: −1.")
    page.keyboard.press("End")
    expect(reading).to_have_text("row 4 of the table (a[+2]): 10 cells use it, offsets: +2 … +5.")
    assert page.locator('[data-i][tabindex="0"]').count() == page.locator('[data-r][tabindex="0"]').count() == 1
