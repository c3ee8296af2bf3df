"""Seen pairs alive: counts and every pair's verdict agree with the library."""

import nbformat
import pytest
from playwright.sync_api import expect

from course_lib import figures

from .pages import as_built, picture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET = """([scheme, train, test, clip]) => {
  const choice = document.querySelector("select"), sliders = document.querySelectorAll(".rp-controls input");
  choice.value = scheme;
  choice.dispatchEvent(new Event("change"));
  [train, test, clip].forEach((value, index) => {
    sliders[index].value = value;
    sliders[index].dispatchEvent(new Event("input"));
  });
  const [square, counts] = [".rp-square", ".rp-counts"].map((place) => document.querySelector(place));
  return [Number(square.dataset.unseen), counts.textContent];
}"""
# How many pairs the words call unseen, each put into the two sliders.
ASK = """(n) => {
  const [query, key] = [...document.querySelectorAll(".rp-words input")];
  let unseen = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    for (const [slider, value] of [[query, i], [key, j]]) {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }
    unseen += document.querySelector(".rp-reading").dataset.seen === "false";
  }
  return unseen;
}"""


def test_counts_and_verdicts_are_those_of_the_library(shown):
    page = shown(figures.seen_pairs())
    for scheme in ("absolute", "relative", "clipped"):
        for train, test, clip in [(128, 256, 16), (16, 1024, 16), (512, 16, 0), (100, 100, 512), (99, 333, 98)]:
            unseen = figures.unseen_pairs(train, test, scheme, clip=clip)
            count, words = page.evaluate(SET, [scheme, train, test, clip])
            assert count == unseen
            assert words == f"{unseen:,} of {test**2:,} pairs are unseen: {100 * unseen / test**2:.1f} %"
        for train, test, clip in [(16, 20, 3), (17, 30, 17)]:
            page.evaluate(SET, [scheme, train, test, clip])
            assert page.evaluate(ASK, test) == figures.unseen_pairs(train, test, scheme, clip=clip)


def test_the_square_explains_the_pair_under_the_pointer(shown):
    page = shown(figures.seen_pairs())
    box = page.locator(".rp-square").bounding_box()
    reading = page.locator(".rp-reading")
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] - 1)
    expect(reading).to_have_text("unseen: query 254, key 1. Training never had a position 254; its last was 127.")
    page.get_by_role("combobox").select_option("relative")
    expect(reading).to_contain_text("offset −253. In training no offset went beyond ±127.")
    page.get_by_role("combobox").select_option("clipped")
    expect(reading).to_contain_text("seen: query 254, key 1, offset −253, clipped to −16. Training had this offset")
    page.get_by_label("query i").fill("10")
    expect(reading).to_contain_text("query 10, key 1, offset −9. Training had this offset.")


def test_without_trust_the_square_is_still_drawn(lab, desk):
    html = figures.seen_pairs()._repr_html_()
    output = nbformat.v4.new_output("display_data", {"text/html": html, "text/plain": "seen pairs"})
    cell = nbformat.v4.new_code_cell("1", outputs=[output], execution_count=1)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), lab.folder / "notebooks" / "square.ipynb")
    with as_built(desk, "notebooks/square.ipynb"):
        image = picture(desk, "seen-pairs").get_by_role("img")
        expect(image).to_be_visible()
        assert image.evaluate("image => image.complete && image.naturalWidth") == 320
        expect(picture(desk, "seen-pairs").get_by_role("slider")).to_have_count(0)
