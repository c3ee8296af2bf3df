"""`play` in JupyterLab: the reader's function follows its sliders."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .judged import assert_it_fits
from .pages import PATIENCE, cell, errors, notebook, running

pytestmark = pytest.mark.browser

PLAY = """import numpy as np
from course_kit import figures
def bias_matrix(n=5, strength=0.5, decay="log"):
    d = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -strength * (np.log1p(d) if decay == "log" else d)
figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0), decay=["log", "linear"])"""
SLOW = """import time
slow_calls = []
def slow(strength=0.5):
    slow_calls.append(strength)
    time.sleep(0.4)
    return -strength * np.ones((4, 4))
figures.play(slow, strength=(0.0, 2.0, 0.01))"""


@pytest.fixture(scope="module")
def page(lab, chromium):
    with running(chromium, lab, "play.ipynb", PLAY, SLOW, "print(len(slow_calls))") as page:
        yield page


def handles(page, text):
    return cell(page, text).locator(".noUi-handle")


def test_the_function_follows_slider_list_and_keyboard_and_everyone_can_use_them(page):
    output = cell(page, "def bias_matrix").locator(".jp-OutputArea")
    expect(output).to_contain_text("−0.80")  # −0.5 · log 5
    handles(page, "def bias_matrix").nth(1).focus()
    page.keyboard.press("ArrowRight")
    expect(output).to_contain_text("−0.97")  # −0.6 · log 5
    output.get_by_role("combobox").select_option("linear")
    expect(output).to_contain_text("−2.4")  # −0.6 · 4
    expect(output).to_contain_text("Attention with this bias")
    assert notebook(page).locator(".jp-CodeCell").count() == 3  # no key went to JupyterLab
    assert errors(page) == []
    found = Axe().run(page, context=".jp-OutputArea-output .widget-box, .jp-OutputArea-output .jupyter-widgets")
    assert found.violations_count == 0, found.generate_report()


def test_a_slow_function_is_not_called_for_every_place_on_the_way(page):
    handles(page, "def slow").first.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    expect(cell(page, "def slow").locator(".jp-OutputArea")).to_contain_text("−0.8")
    expect(cell(page, "def slow").locator(".widget-readout")).to_have_text("0.80")
    counted = cell(page, "print(len(slow_calls)")
    counted.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    said = counted.locator(".jp-OutputArea-output")
    expect(said).to_have_text(re.compile(r"^(?!1\s*$)\d+\s*$"), timeout=PATIENCE)
    assert int(said.inner_text()) < 25, "it is called for 31 places"
    page.set_viewport_size({"width": 800, "height": 900})
    assert_it_fits(page)
