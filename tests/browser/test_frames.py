"""The script of frames.py: every stop shows its frame, by mouse and by keyboard, and a cell opens what it chooses."""

import random

import pytest
from playwright.sync_api import expect

from course_kit import figures

from ..figures.pictures import HEADS, PAIRS
from ..figures.reading import FRAMES, frames, tables, texts

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MOST = 200  # frames of one picture: of more, as many by chance

# Set every slider to its stop, as a reader does, and return what is shown then.
SHOW = """(stops) => {
  const controls = [...document.querySelectorAll(".rp-control")];
  stops.forEach((stop, slider) => {
    const [input, select, button] = ["input", "select", `button:nth-of-type(${stop + 1})`]
      .map((kind) => controls[slider]?.querySelector(kind));
    if (input) input.value = stop;
    if (select) select.selectedIndex = stop;
    (input ?? select)?.dispatchEvent(new Event(input ? "input" : "change"));
    (button ?? (controls[slider] ? null : document.querySelectorAll("[aria-selected]")[stop]))?.click();
  });
  const all = (query, root = document) => [...root.querySelectorAll(query)].map((found) => found.textContent);
  const shown = [...document.querySelectorAll(".rp-tables table")]
    .map((table) => [all("caption b", table)[0], all("td.rp-cell", table)]);
  const drawn = [...document.querySelectorAll(".rp-drawing")]
    .map((image) => decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1)));
  return [shown, drawn, all(".rp-reading")[0]];
}"""


def reached(stops, frame):
    """Whether a reader gets there: a small window has no cell for the later patches of a large one."""
    chosen = [table[2][4] for table in tables(frame[0]) if table[2][4]]
    return all(stops[slider] in places for slider, places in chosen)


PLACE = "() => [...document.querySelectorAll('.rp-control')].findIndex((c) => c.contains(document.activeElement))"


@pytest.mark.parametrize("name", FRAMES)
def test_every_stop_shows_its_frame(shown, name):
    page, every = shown(FRAMES[name]), {at: frame for at, frame in frames(FRAMES[name]).items() if reached(at, frame)}
    for stops in random.Random(0).sample(list(every), min(MOST, len(every))):
        parts, words = every[stops]
        expected = [[table[0], [text for line in texts(table) for text in line]] for table in tables(parts)]
        drawn = ["".join(part[0]) for part in parts if part not in tables(parts)]
        assert page.evaluate(SHOW, list(stops)) == [expected, drawn, words]


@pytest.mark.parametrize("name", FRAMES)
def test_every_slider_moves_by_keyboard_and_what_it_shows_is_announced(shown, name):
    page, every, stops = shown(FRAMES[name], width=390), frames(FRAMES[name]), list(FRAMES[name]._data["first"])
    reading = page.locator(".rp-reading")
    expect(reading).to_have_attribute("aria-live", "polite")
    sliders = [(place, *slider) for place, slider in enumerate(FRAMES[name]._data["sliders"]) if slider[1] != "cells"]
    for index, (place, _, kind, labels) in enumerate(sliders):
        while page.evaluate(PLACE) != index:
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement !== document.body"), "the Tab key passes it by"
        if kind == "buttons":
            stops[place] = 0
            page.keyboard.press("Enter")
        elif len(labels) > 1:
            by = -1 if stops[place] else 1
            stops[place] += by
            page.keyboard.press("ArrowDown" if (by > 0) == (kind == "list") else "ArrowUp")  # a list grows downwards
        if kind == "slider":
            expect(page.locator("input:focus")).to_have_attribute("aria-valuetext", labels[stops[place]])
        expect(reading).to_have_text(every[tuple(stops)][1])


def test_the_keyboard_walks_the_cells_and_opens_a_head(shown):
    page = shown(figures.map_of_heads(*HEADS))
    reading, profile = page.locator(".rp-reading"), page.locator("caption b").first
    page.get_by_role("button", name="sink").press("Enter")
    for key in ("Tab", "Tab", "Tab", "Home"):  # past the last button and the profile: each table is one stop
        page.keyboard.press(key)
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
    page = shown(figures.pair_view(*PAIRS, [0, 1, 2, 3, 16, 64]))
    page.get_by_role("grid", name="Pairs 16 to 31").locator("tbody tr").nth(9).locator("td").last.click()
    expect(page.get_by_role("combobox")).to_have_value("pair 25")
    page.get_by_role("grid", name="The score by distance").locator("td.rp-cell").nth(6).click()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3")
    expect(page.locator(".rp-reading")).to_contain_text("With pair 25 stopped, the score is")
    assert page.locator('[aria-selected="true"]').count() == 4  # both columns of the pair and of the distance


def test_the_cells_of_a_group_are_outlined_in_all_tables(shown):
    page = shown(figures.clip_grid())
    reading, same = page.locator(".rp-reading"), page.locator(".rp-same")
    page.get_by_role("grid", name="The table").locator("td.rp-cell").first.hover()
    expect(reading).to_have_text("Row 0, vector: a[−2].")
    assert same.count() == 10 + 3
    page.locator(".rp-controls").hover()
    expect(reading).to_contain_text("12 of 36 cells are clipped")
    assert same.count() == 0
    page.get_by_role("grid", name="One table row").locator('[tabindex="0"]').focus()
    for key in ("ArrowDown", "End", "ArrowLeft"):
        page.keyboard.press(key)
    expect(reading).to_have_text("Query 1, key 4: offset +3, beyond +2, so it takes row 4, a[+2].")
    assert same.count() == 10 + 3
