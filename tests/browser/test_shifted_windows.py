"""The shifted windows alive: whom every patch sees is what the reference's mask says, in each step."""

import numpy as np
import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.reference.window import partition, shift_mask

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET = """([window, shift]) => {
  for (const [k, value] of [[0, window], [1, shift]]) {
    const slider = document.querySelectorAll("input[type=range]")[k];
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }
}"""
HIDDEN = """() => [...document.querySelectorAll("[data-y]")].map((cell) => {
  cell.click();
  return [parseInt(cell.textContent), [...document.querySelectorAll(".rp-hidden")].map((c) => parseInt(c.textContent)),
    document.querySelector(".rp-reading").textContent];
})"""


def test_what_is_hidden_is_what_the_mask_hides(shown):
    page = shown(figures.shifted_windows())
    page.get_by_role("button", name="4 mask").click()
    for window in (2, 3, 4):
        for shift in range(1, window):
            n = 2 * window
            page.evaluate(SET, [window, shift])
            rolled = np.roll(np.arange(n * n).reshape(n, n), (-shift, -shift), (0, 1))
            numbers = partition(rolled[..., None], window)[..., 0]
            mask = shift_mask(n, n, window, shift)
            expected = {
                int(numbers[w, i]): sorted(numbers[w, ~mask[w, i]].tolist()) for w in range(4) for i in range(window**2)
            }
            found = page.evaluate(HIDDEN)
            assert {patch: sorted(hidden) for patch, hidden, _ in found} == expected
            assert [patch for patch, *_ in found] == rolled.ravel().tolist()
            for patch, hidden, reading in found:
                if window**2 - len(hidden) == 1:
                    assert f"{patch} " in reading and "sees only itself" in reading
                else:
                    assert f"sees the {window**2 - len(hidden)} patches" in reading


def test_steps_sliders_and_keys(shown):
    page = shown(figures.shifted_windows(4, 2))
    reading = page.locator(".rp-reading")
    expect(reading).to_have_text("patch 0 at (0, 0): sees the 16 patches of its window, itself among them.")
    page.get_by_role("button", name="2 shifted windows").click()
    expect(page.locator(".rp-step")).to_contain_text("9 pieces")
    expect(reading).to_have_text("patch 0 at (0, 0): sees the 4 patches of piece A, itself among them.")
    page.locator('[data-y="0"][data-x="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(reading).to_contain_text("patch 16 at (2, 0): sees the 8 patches of piece D")
    page.get_by_role("button", name="3 rolled").click()
    expect(reading).to_contain_text("patch 16 at (2, 0), rolled to (0, 6)")
    page.locator('[data-y="2"][data-x="0"]').focus()
    page.keyboard.press("ArrowLeft")  # the neighbour on the picture, from the other edge of the image
    expect(reading).to_contain_text("patch 23 at (2, 7), rolled to (0, 5)")
    for window in (2, 3, 4):
        page.evaluate(SET, [window, 1])
        assert page.locator('[data-rp-control="shift"] input').get_attribute("min") == "1"
        assert page.locator('[data-rp-control="shift"] input').get_attribute("max") == str(window - 1)
    page.evaluate(SET, [2, 1])
    expect(page.locator(".rp-step")).to_contain_text("Roll the image by 1")
    assert page.locator("[data-y]").count() == 16 and page.locator('[data-y][tabindex="0"]').count() == 1


def test_the_largest_image_fits_a_phone(shown):
    page = shown(figures.shifted_windows(4, 2), width=420)
    assert page.evaluate("document.querySelector('table').getBoundingClientRect().width") <= 372
