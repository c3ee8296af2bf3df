"""The script of frames.py: every stop shows its frame, by mouse and by keyboard, and a cell opens what it chooses."""

import pytest
from playwright.sync_api import expect

from course_lib import figures

from ..figures.pictures import HEADS, PAIRS, clipped
from ..figures.test_frames import frames, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Set every slider to its stop, as a reader does, and return what is shown then.
SHOW = """(stops) => {
  const controls = [...document.querySelectorAll(".rp-control")];
  const chosen = [...document.querySelectorAll("[aria-selected]")];
  stops.forEach((stop, slider) => {
    const [input, select, button] = ["input", "select", `button:nth-of-type(${stop + 1})`]
      .map((kind) => controls[slider]?.querySelector(kind));
    if (input) input.value = stop;
    if (select) select.selectedIndex = stop;
    (input ?? select)?.dispatchEvent(new Event(input ? "input" : "change"));
    (button ?? (controls[slider] ? null : chosen[stop]))?.click();
  });
  const all = (query, root = document) => [...root.querySelectorAll(query)].map((found) => found.textContent);
  const tables = [...document.querySelectorAll(".rp-tables table")];
  return [tables.map((table) => [all("caption b", table)[0], all("td.rp-cell", table)]), all(".rp-reading")[0]];
}"""


FEW = {name: values[:, :3] for name, values in HEADS[0].items()}, HEADS[1][:, :3]


@pytest.mark.parametrize("picture", [clipped(alt="alt"), figures.map_of_heads(*FEW), figures.pair_view(*PAIRS)])
def test_every_stop_shows_its_frame(shown, picture):
    page = shown(picture)
    for stops, (tables, words) in frames(picture).items():
        expected = [[table[0], [text for line in texts(table) for text in line]] for table in tables]
        assert page.evaluate(SHOW, list(stops)) == [expected, words]


def test_the_keyboard_walks_the_cells_and_opens_a_head(shown):
    page = shown(figures.map_of_heads(*HEADS))
    reading, profile = page.locator(".rp-reading"), page.locator("caption b").first
    page.get_by_role("button", name="sink").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="sink")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")  # past the last button …
    page.keyboard.press("Tab")  # … and the profile: each table is one stop
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    row = page.evaluate("document.activeElement.parentNode.rowIndex - 1")
    expect(reading).to_have_text(f"Layer {row}, head 0: sink, in hundredths, {round(100 * HEADS[0]['sink'][row, 0])}.")
    assert page.locator(".rp-same").count() == 0  # the cells of the map are in no group
    before = profile.inner_text()
    for key, head in (("ArrowLeft", 0), ("ArrowRight", 1), ("End", 8), ("ArrowRight", 8), ("ArrowLeft", 7)):
        page.keyboard.press(key)
        expect(reading).to_contain_text(f"Layer {row}, head {head}: sink")
    assert profile.inner_text() == before
    for key, step in (("Enter", 0), ("ArrowDown", 1), (" ", 1)):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.parentNode.rowIndex - 1") == row + step
    expect(profile).to_have_text(f"Layer {row + 1}, head 7")
    expect(reading).to_contain_text(f"Layer {row + 1}, head 7: previous token")
    assert page.locator('td[tabindex="0"]').count() == 2


def test_a_click_opens_and_stays_open_when_something_else_is_chosen(shown):
    page = shown(figures.pair_view(*PAIRS))
    page.get_by_role("grid", name="Pairs 16 to 31").locator("tbody tr").nth(9).locator("td").last.click()
    expect(page.get_by_role("combobox")).to_have_value("pair 25")
    page.get_by_role("grid", name="The score by distance").locator("td.rp-cell").nth(6).click()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3")
    expect(page.locator(".rp-reading")).to_contain_text("With pair 25 stopped, the score is")
    assert page.locator('[aria-selected="true"]').count() == 4  # both columns of the pair and of the distance


def test_the_cells_of_a_group_are_outlined_in_all_tables(shown):
    page = shown(clipped(alt="alt", title="Clipped", n=4, clip=1))
    expect(page.locator(".rp-title")).to_have_text("Clipped")
    reading, same = page.locator(".rp-reading"), page.locator(".rp-same")
    page.get_by_role("grid", name="The table").locator("td").nth(1).hover()
    expect(reading).to_have_text("6 takes row -1.")
    assert same.count() == 6 + 1
    page.locator(".rp-controls").hover()
    expect(reading).to_have_text("16 cells, 3 rows.")
    assert same.count() == 0
