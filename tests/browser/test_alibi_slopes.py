"""ALiBi's slopes alive: the script's slopes are the reference's for every number of heads, and it says where from."""

import numpy as np
import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.alibi_slopes import DISTANCES, plain_slopes
from course_lib.reference.alibi import slopes

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# For one formula: the cells of every row, for each number of heads.
ALL = """([formula, heads]) => {
  const select = document.querySelector("select"), input = document.querySelector("input");
  select.value = formula;
  select.dispatchEvent(new Event("change"));
  return heads.map((n) => {
    input.value = n;
    input.dispatchEvent(new Event("input"));
    return [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
  });
}"""


@pytest.mark.parametrize("formula", ["code", "formula"])
def test_every_slope_is_that_of_the_reference(shown, formula):
    page = shown(figures.alibi_slopes())
    every = list(range(1, 65))
    for n_heads, table in zip(every, page.evaluate(ALL, [formula, every]), strict=True):
        code, plain = slopes(n_heads).tolist(), plain_slopes(n_heads)
        chosen = code if formula == "code" else plain
        assert [row[0] for row in table] == [str(h + 1) for h in range(n_heads)]
        for row, right in zip(table, zip(code, plain, strict=True), strict=True):
            assert np.allclose([float(x) for x in row[1:3]], right, rtol=0, atol=5.01e-5), (n_heads, row)
        for row, m in zip(table, chosen, strict=True):
            for text, d in zip(row[3:], DISTANCES, strict=True):
                assert abs(float(text.replace("−", "-")) + m * d) <= 0.0051, (n_heads, row)


def test_a_head_says_where_its_slope_comes_from(shown):
    page = shown(figures.alibi_slopes())
    reading, facts = page.locator(".rp-reading"), page.locator(".rp-facts")
    expect(reading).to_contain_text("head 9 of 12: number 1 of the slopes of 16 heads, 2^(−8 · 1 / 16) = 0.707107")
    expect(facts).to_contain_text("differ in 12 of 12 heads")
    page.locator('tr[data-h="3"]').hover()
    expect(reading).to_contain_text("head 3 of 12: the slopes of 8 heads come first, 2^(−8 · 3 / 8) = 0.125000")
    page.locator('td[tabindex="0"]').focus()
    for key in ("End", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect(reading).to_contain_text("head 10 of 12: number 3 of the slopes of 16 heads")
    page.locator('[data-rp-control="formula"] select').select_option("formula")
    expect(reading).to_contain_text("head 10 of 12: 2^(−8 · 10 / 12)")
    page.locator('[data-rp-control="heads"] input').fill("8")
    expect(reading).to_contain_text("head 8 of 8")
    expect(facts).to_contain_text("8 is a power of two")
