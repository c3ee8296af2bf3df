"""The decoding picture alive: every step of every scheme is the row that the static body has."""

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.decoding_step import SCHEMES, new_row

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET = """([scheme, step]) => {
  const select = document.querySelector("select"), slider = document.querySelector("input[type=range]");
  select.value = scheme;
  select.dispatchEvent(new Event("change"));
  slider.value = step;
  slider.dispatchEvent(new Event("input"));
  const texts = (query) => [...document.querySelectorAll(query)].map((cell) => cell.textContent).filter(Boolean);
  return [texts(".rp-new td"), texts(".rp-later td"), texts(".rp-same td")];
}"""


def test_every_step_of_every_scheme(shown):
    page = shown(figures.decoding_step())
    for scheme in SCHEMES:
        for step in range(5):
            new, later, beside = page.evaluate(SET, [scheme, step])
            assert new == beside == new_row(scheme, step) and not later
            expect(page.locator(".rp-new")).to_have_count(1)
            expect(page.locator(".rp-done")).to_have_count(step)


def test_the_slider_moves_by_keys_and_the_reading_tells(shown):
    page = shown(figures.decoding_step())
    reading = page.locator(".rp-reading")
    expect(reading).to_contain_text("5 new scores of 15 so far (what is hidden is not counted).")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    expect(reading).to_contain_text("4 new scores of 10 so far")
    page.locator("select").select_option("RoPE")
    expect(reading).to_contain_text("In the cache: keys that are turned already")
    page.locator("input[type=range]").press("Home")
    expect(reading).to_contain_text("1 new score of 1 so far")
