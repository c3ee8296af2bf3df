"""The provenance of a skew in a browser: at every size of the sliders each cell says what the reference says."""

import re

import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.figures.provenance import RANGES
from course_lib.reference.music_transformer import skew_source, slice_table

from ..figures.test_provenance import SIZES, expected, shape
from .judged import assert_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The texts of the four tables, as rows of cells; and of the strip, with the share of it that each box covers.
TABLES = """(figure) => [...figure.querySelectorAll('table[role="grid"]')].map((table) =>
  [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)))"""
BOXES = """(strip) => [...strip.querySelectorAll(".rp-box:not([hidden])")].map((box) =>
  [parseFloat(box.style.left), parseFloat(box.style.width)])"""


def alive(shown, *args, **sizes):
    page = shown(figures.provenance(*args, **sizes))
    return page, page.locator("figure")


def slide(figure, how, sizes):
    for name, value in sizes.items():
        figure.locator(f'[data-rp-control="{RANGES[how][name][3]}"] input').fill(str(value))


def steps(figure, name, times=1):
    for _ in range(times):
        figure.get_by_role("button", name=name).click()


@pytest.mark.parametrize("how", ["skew", "general", "shift"])
def test_at_every_size_each_cell_says_what_the_reference_says(shown, how):
    _, figure = alive(shown, how)
    for _, sizes in [case for case in SIZES if case[0] == how]:
        slide(figure, how, sizes)
        truth = expected(how, sizes)
        assert figure.evaluate(TABLES) == truth["tables"], sizes
        assert figure.locator("td.rp-junk").count() == truth["junk"] == figure.locator(".rp-strip .rp-junk").count()
        n_q, n_k, _ = shape(how, sizes)
        if how != "general":
            junk = (skew_source(n_q, n_k)[..., 0] != [[i] for i in range(n_q)]).sum()
            expect(figure.locator(".rp-verdict")).to_contain_text(f"= {junk} of {n_q * n_k} cells")
        flat = [cell.split()[-1] for row in truth["tables"][1] for cell in row]
        assert figure.locator(".rp-strip [data-p]").all_text_contents() == flat


@pytest.mark.parametrize("how", ["skew", "general", "shift"])
def test_the_live_picture_begins_with_the_words_of_the_static_one(shown, how):
    picture = figures.provenance(how)
    _, figure = alive(shown, how)
    static = re.findall(r"<caption[^>]*>\d\. (.*?)</caption>", picture._repr_html_())
    assert [text[1:] for text in figure.locator("caption").all_text_contents()] == static
    assert picture._repr_html_().count(figure.locator(".rp-verdict").inner_text()) == 1


@pytest.mark.parametrize(
    ("how", "cuts"),
    [
        ("skew", [[(6 * i, 6) for i in range(5)], [(5 + 5 * i, 5) for i in range(5)] + [(0, 5)]]),
        ("shift", [[(6 * i, 6) for i in range(3)], [(3 + 5 * i, 5) for i in range(3)] + [(0, 3)]]),
        ("general", [[(8 * i, 8) for i in range(3)], [(2 + 7 * i, 7) for i in range(3)] + [(0, 2), (23, 1)]]),
    ],
)
def test_the_numbers_stay_and_the_cuts_move(shown, how, cuts):
    _, figure = alive(shown, how)
    strip, size = figure.locator(".rp-strip"), figure.locator(".rp-strip [data-p]").count()
    expect(figure.get_by_role("button", name="next")).to_be_disabled()
    steps(figure, "back", 2)
    expect(figure.locator(".rp-step")).to_contain_text(f"Step {3 if how == 'general' else 2} of")
    expect(figure.locator("table.rp-later")).to_have_count(2)
    numbers = strip.locator("[data-p]").all_text_contents()
    for wanted in cuts:
        found = [(left * size / 100, width * size / 100) for left, width in strip.evaluate(BOXES)]
        assert found == [pytest.approx(box, abs=1e-3) for box in wanted]
        assert strip.locator("[data-p]").all_text_contents() == numbers
        steps(figure, "next")
    expect(figure.locator("table.rp-later")).to_have_count(0)
    steps(figure, "back", 4 if how == "general" else 3)
    expect(figure.get_by_role("button", name="back")).to_be_disabled()


def test_one_number_is_found_in_every_step(shown):
    page, figure = alive(shown)
    reading, marked = figure.locator(".rp-reading"), figure.locator(".rp-chosen")
    figure.locator('[data-step="1"] td', has_text="sat −1").hover()
    expect(reading).to_have_text(
        "query “sat” (i = 2), offset −1: flat place 16. With the zeros it is row 2, column 4; cut again, row 2, "
        "column 1. In the grid: query “sat”, key “cat”, where offset −1 belongs."
    )
    assert marked.all_inner_texts() == ["−1", *["sat\n−1"] * 4]
    figure.locator('[data-step="4"] td', has_text="cat −3").click()
    expect(reading).to_contain_text("key “on”, where offset +3 belongs: junk, the mask must hide it.")
    figure.locator(".rp-strip [data-p]").nth(3).hover()
    expect(reading).to_contain_text("Left out: its key would be number −2, and there is none.")
    assert len(marked.all()) == 4  # all but the grid
    figure.locator(".rp-strip [data-p]").nth(0).hover()
    expect(reading).to_have_text(
        "the zero in front of query “The”: flat place 0. With the zeros it is row 0, column 0. Left out."
    )
    figure.locator('[data-step="4"] td[tabindex="0"]').focus()
    for key, wanted in [
        ("ArrowDown", "row 1, column 0. In"),
        ("ArrowRight", "key “cat”"),
        ("ArrowUp", "the zero in fro"),
    ]:
        page.keyboard.press(key)
        expect(reading).to_contain_text(wanted)
    page.keyboard.press("ArrowUp")  # at the edge it stays
    expect(reading).to_contain_text("key “cat”, where offset +1 belongs: junk")


def test_in_the_general_form_the_offset_is_found_in_the_table_too(shown):
    _, figure = alive(shown, "general")
    figure.locator('[data-step="5"] td, [data-step="4"] td', has_text="q1 0").hover()
    assert figure.locator(".rp-offsets .rp-chosen").get_attribute("data-offset") == "0"
    assert figure.locator(".rp-chosen").count() == 6


def test_a_table_too_short_is_said_in_words_and_mended(shown):
    _, figure = alive(shown, "general")
    slide(figure, "general", {"longest": 4, "n_q": 4})
    with pytest.raises(ValueError) as refusal:
        slice_table([[0.0]] * 7, 4, 5, past=2)
    verdict = figure.locator(".rp-verdict")
    expect(verdict).to_contain_text(str(refusal.value))
    expect(verdict).to_contain_text("Missing offsets (✗): −5 … −4.")
    assert figure.locator('[data-state="✗"]').count() == 2 and figure.locator('table[role="grid"]').count() == 0
    for name in ("back", "next", "play"):
        expect(figure.get_by_role("button", name=name)).to_be_disabled()
    slide(figure, "general", {"longest": 0})
    expect(verdict).to_contain_text("Junk: 0 of 20 cells")
    expect(figure.locator(".rp-step")).to_contain_text("Step 5 of 5")


def test_play_walks_through_the_steps_and_can_pause(shown):
    page, figure = alive(shown, "shift")
    page.emulate_media(reduced_motion="no-preference")
    moves = "(box) => getComputedStyle(box).transitionDuration"
    assert figure.locator(".rp-box").first.evaluate(moves) != "0s"
    page.clock.install()
    step = figure.locator(".rp-step")
    steps(figure, "play")
    for k in (1, 2):
        expect(step).to_contain_text(f"Step {k} of 4")
        page.clock.run_for(2300)
    steps(figure, "pause")
    page.clock.run_for(9000)
    expect(step).to_contain_text("Step 3 of 4")
    steps(figure, "play")
    page.clock.run_for(9000)
    expect(step).to_contain_text("Step 4 of 4")
    expect(figure.get_by_role("button", name="play")).to_be_enabled()
    page.emulate_media(reduced_motion="reduce")
    assert figure.locator(".rp-box").first.evaluate(moves) == "0s"


@pytest.mark.parametrize(
    ("how", "most"),
    [
        ("skew", {"n": 8}),
        ("general", {"n_q": 6, "n_k": 8, "past": 6}),
        ("shift", {"n": 6, "memory": 6}),
        ("skew", {}),
        ("general", {}),
        ("shift", {}),
    ],
)
def test_the_largest_sizes_fit_the_page(shown, how, most):
    page = shown(figures.provenance(how, **most))
    for width in (1280, 610, 410):
        page.set_viewport_size({"width": width, "height": 900})
        assert_it_fits(page)
        if width > 600 or not most:  # on a page narrower still the largest tables scroll
            stages = page.locator(".rp-stages")
            assert stages.evaluate(
                "(box) => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight"
            )
