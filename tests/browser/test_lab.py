"""What the README promises, done by hand in a real browser: open, run, drag, click, answer wrong, answer right."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from course_kit.contents import TOPICS

from .judged import assert_everyone_can_use_the_outputs, assert_it_fits
from .pages import PATIENCE, cell, errors, notebook, opened, picture, ready, run_all, running

pytestmark = pytest.mark.browser
LESSON, TASKS = (TOPICS["bias_by_hand"].path(folder) for folder in ("notebooks", "exercises"))
PICTURES = TOPICS["start_here"].path("notebooks")
WRONG = """def bias_matrix(n, strength):
    i, j = np.arange(n)[:, None], np.arange(n)
    return strength * np.log1p(abs(j - i))"""
RIGHT = WRONG.replace("return strength", "return -strength")


PLAY = """import numpy as np
from course_kit import figures
def bias_matrix(n=5, strength=0.5, decay="log"):
    d = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -strength * (np.log1p(d) if decay == "log" else d)
figures.play(bias_matrix, n=(3, 12), strength=(0.0, 2.0), decay=["log", "linear"])"""


def test_the_course_opens_at_the_beginning_and_leads_to_a_bias_where_everything_runs(lab, chromium):
    with opened(chromium, lab) as page:
        expect(notebook(page).locator("h1").first).to_contain_text("Start here")
        run_all(page)
        assert errors(page) == []
        notebook(page).get_by_role("link", name="A bias by hand").last.click()
        expect(notebook(page).locator("h1").first).to_contain_text("A bias by hand", timeout=PATIENCE)
        ready(page)
        run_all(page)
        assert errors(page) == []


def test_pictures_live_before_anything_is_run_by_mouse_and_keyboard_and_keep_their_keys_from_jupyterlab(lab, chromium):
    with opened(chromium, lab, PICTURES) as page:
        for live in notebook(page).locator("[data-rp]:has(+ script)").all():
            expect(live).to_have_attribute("data-rp-live", "true")
        bias, tracer = picture(page, "frames"), picture(page, "tracer")
        corner, reading = bias.locator("td.rp-cell").nth(4), bias.locator(".rp-reading")
        expect(corner).to_have_text("−0.4828")
        bias.get_by_label("strength λ").fill("3")  # the fourth stop
        expect(corner).to_have_text("−1.6094")
        bias.locator("td.rp-cell").nth(14).hover()
        expect(reading).to_have_text("Query sat, key mat: offset +2, B = −1 · log(1 + 2) = −1.0986, e^B = 0.3333.")
        page.mouse.move(0, 0)
        bias.locator('td[tabindex="0"]').focus()
        page.keyboard.press("End")
        expect(reading).to_contain_text("Query The, key mat: offset +4")
        tracer.get_by_role("button", name="total = weights.sum()").click()
        expect(tracer.locator('.rp-values [data-name="total"]')).to_contain_text("11.1")
        tracer.locator('.rp-line[tabindex="0"]').focus()
        before = tracer.locator(".rp-position").inner_text()
        page.keyboard.press("n")
        expect(tracer.locator(".rp-position")).not_to_have_text(before)
        cells_before = notebook(page).locator(".jp-Cell").count()
        page.keyboard.press("b")  # with the focus in a picture, JupyterLab must not insert a cell
        assert notebook(page).locator(".jp-Cell").count() == cells_before
        assert_everyone_can_use_the_outputs(page)


def test_an_answer_is_typed_and_checked(lab, chromium):
    with opened(chromium, lab, TASKS) as page:
        run_all(page)
        assert errors(page) == []
        answer, check = cell(page, "def bias_matrix"), cell(page, "task.bias_matrix.check(bias_matrix)")
        message = check.locator(".jp-OutputArea")
        expect(message).to_contain_text("not attempted")
        for text, said in ((RIGHT, "passed"), (WRONG, "Every entry has the wrong sign")):
            answer.locator(".cm-content").click()
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.insert_text(text)
            for _ in "answer", "check":
                page.keyboard.press("Shift+Enter")
            expect(message).to_contain_text(said)
        page.set_viewport_size({"width": 800, "height": 900})
        assert_it_fits(page)
        assert_everyone_can_use_the_outputs(page)


def test_no_line_of_code_leaves_the_window_and_three_tabs_of_a_chapter_differ(lab, chromium):
    with opened(chromium, lab, LESSON) as page:
        wide = "all => all.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerText)"
        assert notebook(page).locator(".jp-CodeCell .cm-scroller").evaluate_all(wide) == []
        notebook(page).get_by_role("link", name="Tasks for this chapter").first.click()
        expect(notebook(page).locator("h1").first).to_contain_text("Tasks 02", timeout=PATIENCE)
        notebook(page).get_by_role("link", name="solutions").last.click()
        expect(notebook(page).locator("h1").first).to_contain_text("Solutions 02", timeout=PATIENCE)
        shown = page.locator("#jp-main-dock-panel .lm-TabBar-tabLabel").all_inner_texts()
        assert len({name[:12] for name in shown}) == 3, shown


def test_without_trust_the_static_pictures_are_there_and_fit(lab, chromium):
    """A notebook that JupyterLab does not know: the tables show their numbers, and no script has run."""
    strange = (lab.folder / LESSON).read_text(encoding="utf-8").replace("A bias by hand", "A bias by another hand", 1)
    (lab.folder / "notebooks" / "strange.ipynb").write_text(strange, encoding="utf-8")
    with opened(chromium, lab, "notebooks/strange.ipynb") as page:
        bias = picture(page, "frames")
        expect(bias.get_by_role("cell", name="−0.4828").first).to_be_visible()
        assert bias.get_by_role("slider").count() == 0
        page.set_viewport_size({"width": 800, "height": 900})
        expect(page.locator("#jp-left-stack")).to_be_visible()  # the file browser
        outputs = notebook(page).locator(".jp-OutputArea-output")  # a wide table scrolls in its output
        wide = "all => all.filter((o) => o.scrollWidth > o.clientWidth + 1).map((o) => o.innerText.slice(0, 80))"
        assert outputs.evaluate_all(wide) == []


def test_the_function_of_play_follows_slider_list_and_keyboard_and_everyone_can_use_them(lab, chromium):
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
        restarted = output.get_by_text("The kernel has been restarted")
        expect(restarted).to_be_hidden()
        page.get_by_role("menuitem", name="Kernel", exact=True).click()
        page.locator('.lm-Menu-item[data-command="kernelmenu:restart"]').click()
        page.locator(".jp-Dialog .jp-mod-accept").click()
        expect(restarted).to_be_visible()
