"""The length curves alive: lines where the numbers are, words for every point, switches, and the keyboard."""

import itertools
import re

import nbformat
import pytest
from playwright.sync_api import expect

from course_lib import figures

from ..figures.losses import LENGTHS, PANELS
from .pages import as_built, picture

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Where the marks of each line stand: [scheme index, [[x, y] of every point]].
MARKS = """() => [...document.querySelectorAll("g")].filter((g) => g.querySelector(".rp-name")).map((g) =>
  [Number(g.dataset.s), [...g.querySelectorAll(".rp-mark")].slice(0, -1).map((mark) => {
    const at = mark.transform.baseVal[0].matrix;
    return [at.e, at.f];
  })])"""
TICKS = """() => [...document.querySelectorAll('svg text[text-anchor="end"]')].map((tick) =>
  [Number(tick.textContent.replace("−", "-")), Number(tick.getAttribute("y")) - 4])"""
BOXES = """() => [...document.querySelectorAll("svg .rp-name")].map((name) => {
  const { left, right, top, bottom } = name.getBoundingClientRect();
  return [left, right, top, bottom];
})"""
SCHEMES = list(PANELS["characters"])


@pytest.fixture
def curves():
    return figures.length_curves(LENGTHS, PANELS, trained=64)


def reading(page):
    return page.locator(".rp-reading")


def test_every_point_stands_where_its_number_belongs(shown, curves):
    page = shown(curves)
    for panel, points in PANELS.items():
        page.get_by_role("button", name=panel).click()
        (v0, y0), *_, (v1, y1) = page.evaluate(TICKS)
        lines = dict(page.evaluate(MARKS))
        assert len(lines) == 11
        for s, marks in lines.items():
            for (_, y), (mean, _, _) in zip(marks, points[SCHEMES[s]], strict=True):
                assert y == pytest.approx(y0 + (mean - v0) / (v1 - v0) * (y1 - y0), abs=0.05)
            steps = [b[0] - a[0] for a, b in itertools.pairwise(marks)]
            assert steps == pytest.approx([steps[0]] * 3)  # each length doubles the one before


@pytest.mark.parametrize("width", [1280, 800, 450])
def test_names_never_touch_and_stay_inside(shown, curves, width):
    page = shown(curves, width=width)
    frame = page.locator("figure").bounding_box()
    for panel in PANELS:
        page.get_by_role("button", name=panel).click()
        boxes = sorted(page.evaluate(BOXES), key=lambda box: box[2])
        assert len(boxes) == 11
        assert all(above[3] <= below[2] + 1 for above, below in itertools.pairwise(boxes))
        assert all(box[1] <= frame["x"] + frame["width"] for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [1280, 350])
def test_lengths_that_are_close_are_not_written_over_each_other(shown, width):
    lengths = [128, 140, 192, 256, 512, 1024, 8192]
    page = shown(figures.length_curves(lengths, {"one": {"none": [(1, 0, 2)] * 7}}, trained=512), width=width)
    ticks = page.locator('svg[role="img"] text[text-anchor="middle"]').filter(has_text=re.compile(r"^\d+$"))
    assert {"128", "8192"} <= set(ticks.all_text_contents()) < set(map(str, lengths))
    boxes = [tick.bounding_box() for tick in ticks.all()]
    assert all(a["x"] + a["width"] <= b["x"] for a, b in itertools.pairwise(boxes))


def test_a_cell_says_everything_in_words_and_brings_its_line_forward(shown, curves):
    page = shown(curves)
    expect(reading(page)).to_have_text(
        "From length 64 to 512 the mean loss changes most for sinusoidal (+1.387) and least for alibi (−0.008)."
    )
    page.get_by_role("gridcell", name="2.993 ± 0.185").hover()
    expect(reading(page)).to_have_text(
        "rope, length 512: loss 2.993, from 2.808 to 3.178 over the seeds; "
        "1.332 above its 1.661 at the training length 64."
    )
    expect(page.locator("g.rp-bright .rp-name")).to_have_text("rope")
    expect(page.locator("g.rp-faded")).to_have_count(10)
    page.mouse.move(1, 1)
    expect(page.locator("g.rp-faded")).to_have_count(0)
    page.get_by_role("gridcell", name="1.513 ± 0.011").hover()
    expect(reading(page)).to_contain_text("transformer-xl, length 128: loss 1.513, from 1.502 to 1.524")
    expect(reading(page)).to_contain_text("0.032 below its 1.545")
    page.get_by_role("gridcell", name="1.746 ± 0.007").hover()
    expect(reading(page)).to_contain_text("log-1, length 64: loss 1.746")
    expect(reading(page)).to_contain_text("; this is the training length.")


def test_the_chart_answers_to_the_pointer(shown, curves):
    page = shown(curves)
    box = page.locator('svg[role="img"]').bounding_box()
    x, y = dict(page.evaluate(MARKS))[SCHEMES.index("sinusoidal")][2]
    page.mouse.move(box["x"] + x + 5, box["y"] + y - 3)
    expect(reading(page)).to_contain_text("sinusoidal, length 256: loss 3.166")
    expect(page.locator("td.rp-chosen")).to_have_text("3.166 ± 0.100")
    page.locator(".rp-name", has_text="shaw-16").hover()
    expect(reading(page)).to_contain_text("shaw-16, length 512: loss 1.725")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 45)  # far from every line
    expect(reading(page)).to_contain_text("changes most for sinusoidal")


def test_schemes_are_switched_and_the_scale_follows(shown, curves):
    page = shown(curves)
    page.get_by_role("button", name="copy-back").click()
    tallest = max(value for value, _ in page.evaluate(TICKS))
    rope = page.get_by_role("checkbox", name="rope")
    rope.focus()
    page.keyboard.press("Space")
    expect(rope).not_to_be_checked()
    expect(page.locator(".rp-name", has_text="rope")).to_have_count(0)
    assert max(value for value, _ in page.evaluate(TICKS)) < tallest
    page.get_by_role("gridcell", name="4.670 ± 2.611").hover()
    expect(reading(page)).to_contain_text("rope, length 512: loss 4.670")
    expect(reading(page)).to_contain_text("Its line is switched off.")
    page.get_by_role("button", name="flip-flop").click()  # the choice of schemes goes along
    expect(page.get_by_role("checkbox", name="rope")).not_to_be_checked()
    expect(page.locator(".rp-name")).to_have_count(10)
    page.get_by_role("button", name="all off").click()
    expect(page.get_by_text("Every line is switched off.")).to_be_visible()
    page.get_by_role("button", name="all on").click()
    expect(page.locator(".rp-name")).to_have_count(11)


def test_the_table_is_one_stop_and_arrows_walk_through_it(shown, curves):
    page = shown(curves)
    page.get_by_role("checkbox", name="none").focus()
    page.keyboard.press("Tab")
    expect(reading(page)).to_contain_text("none, length 512")
    for key in ("ArrowLeft", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    expect(reading(page)).to_contain_text("learned, length 256: loss 2.314")
    for key in ("ArrowLeft",) * 5 + ("ArrowUp",) * 3:
        page.keyboard.press(key)
    expect(reading(page)).to_contain_text("none, length 64: loss 2.099")
    expect(page.locator('td[tabindex="0"]')).to_have_count(1)


def test_a_resting_pointer_does_not_take_the_word_from_the_keyboard(shown, curves):
    page = shown(curves)
    page.set_viewport_size({"width": 800, "height": 300})  # so low that walking down scrolls the page
    page.get_by_role("gridcell", name="2.099 ± 0.004").click()
    for _ in range(10):
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(50)
    assert page.evaluate("window.scrollY") > 0
    expect(reading(page)).to_contain_text("rope, length 64: loss 1.661")
    page.mouse.move(1, 1)
    expect(reading(page)).to_contain_text("rope, length 64")
    page.get_by_role("checkbox", name="rope").click()  # the mouse is no keyboard: it takes its words along
    page.mouse.move(1, 1)
    expect(page.locator("g.rp-faded")).to_have_count(0)
    expect(reading(page)).to_contain_text("changes most for sinusoidal")


def test_without_trust_the_tables_are_still_there(lab, desk, curves):
    html = curves._repr_html_()
    output = nbformat.v4.new_output("display_data", {"text/html": html, "text/plain": "curves"})
    cell = nbformat.v4.new_code_cell("1", outputs=[output], execution_count=1)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), lab.folder / "notebooks" / "curves.ipynb")
    with as_built(desk, "notebooks/curves.ipynb"):
        shown = picture(desk, "length-curves")
        expect(shown.get_by_role("table")).to_have_count(3)
        expect(shown.get_by_text("3.252 ±\u00a00.423")).to_be_visible()
        expect(shown.get_by_role("checkbox")).to_have_count(0)
