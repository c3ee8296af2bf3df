"""`play` in JupyterLab: the reader's function follows its sliders."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .judged import assert_it_fits
from .pages import cell, errors, notebook, running

pytestmark = pytest.mark.browser

PLAY = """import numpy as np
from course_kit import figures
def bias_matrix(n=5, strength=0.5, decay="log"):
    d = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -strength * (np.log1p(d) if decay == "log" else d)
figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0), decay=["log", "linear"])"""


def test_the_function_follows_slider_list_and_keyboard_and_everyone_can_use_them(lab, chromium):
    with running(chromium, lab, "play.ipynb", PLAY) as page:
        output = cell(page, "def bias_matrix").locator(".jp-OutputArea")
        expect(output).to_contain_text("−0.80")  # −0.5 · log 5
        output.locator(".noUi-handle").nth(1).focus()
        page.keyboard.press("ArrowRight")
        expect(output).to_contain_text("−0.97")  # −0.6 · log 5
        output.get_by_role("combobox").select_option("linear")
        expect(output).to_contain_text("−2.4")  # −0.6 · 4
        expect(output).to_contain_text("Attention with this bias")
        assert notebook(page).locator(".jp-CodeCell").count() == 1  # no key went to JupyterLab
        assert errors(page) == []
        found = Axe().run(page, context=".jp-OutputArea-output .widget-box, .jp-OutputArea-output .jupyter-widgets")
        assert found.violations_count == 0, found.generate_report()
        page.set_viewport_size({"width": 800, "height": 900})
        assert_it_fits(page)
