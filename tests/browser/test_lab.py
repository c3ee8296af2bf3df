"""What the README promises, done by hand in a real browser: open, run, drag, click, answer wrong, answer right."""

import statistics

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import ROOT
from .pages import PATIENCE, cell, errors, notebook, opened, picture, ready, run_all

pytestmark = pytest.mark.browser
LESSONS = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
LESSON = "notebooks/02_a_bias_by_hand.ipynb"
TASKS = "exercises/02_a_bias_by_hand.ipynb"
WRONG = """def bias_matrix(n, scale):
    i, j = np.arange(n)[:, None], np.arange(n)
    return scale * np.log1p(abs(j - i))"""
RIGHT = WRONG.replace("return scale", "return -scale")

# Put a number into a slider as a hand would, and wait for the picture that follows: milliseconds for each.
DRAG = """async (slider) => {
  const times = [];
  for (let step = 0; step < 21; step++) {
    slider.value = step % 2 ? 0.1 * step : 1.9 - 0.05 * step;
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - start);
  }
  return times;
}"""

# JupyterLab's page cannot scroll, and there axe skips contrast without a word: lay copies of all outputs on top of it.
LAY_OUT = """() => {
  const seen = document.createElement("section");
  seen.id = "seen";
  seen.className = "jp-RenderedHTMLCommon jp-RenderedHTML";
  seen.style = "position:absolute;top:0;left:0;width:560px;z-index:9999;background:var(--jp-layout-color0)";
  const outputs = document.querySelectorAll(".jp-OutputArea-output .rp, .jp-OutputArea-output .rp-result");
  seen.append(...[...outputs].map((output) => output.cloneNode(true)));
  document.body.append(seen);
  for (const page of [document.body, document.documentElement])
    page.style.setProperty("overflow", "visible", "important");
  return outputs.length;
}"""


def test_the_course_opens_at_00_and_leads_to_02_where_everything_runs(lab, chromium):
    with opened(chromium, lab) as page:
        expect(notebook(page).locator("h1").first).to_contain_text("00 · Start here")
        run_all(page)
        assert errors(page) == []
        notebook(page).get_by_role("link", name="02 · A bias by hand").last.click()
        expect(notebook(page).locator("h1").first).to_contain_text("02 · A bias by hand", timeout=PATIENCE)
        ready(page)
        run_all(page)
        assert errors(page) == []


def test_pictures_live_before_anything_is_run_and_follow_the_slider(lab, chromium):
    with opened(chromium, lab, LESSON) as page:
        explorer = picture(page, "bias-heatmap")
        corner = explorer.locator('td[data-i="0"][data-j="4"]')
        expect(corner).to_have_text("−0.4828")
        slider = explorer.get_by_label("strength λ")
        slider.fill("0.6")
        expect(corner).to_have_text("−0.9657")
        times = slider.evaluate(DRAG)
        print(f"\nslider to redraw: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms")
        assert statistics.median(times) <= 50
        explorer.locator('td[data-i="2"][data-j="4"]').hover()
        expect(explorer.locator(".rp-reading")).to_contain_text("query “sat” (i = 2), key “mat” (j = 4): offset +2")


def test_a_line_of_the_tracer_shows_its_values(lab, chromium):
    with opened(chromium, lab, LESSON) as page:
        tracer = picture(page, "tracer")
        tracer.get_by_role("button", name="raw = q @ k.T").click()
        table = tracer.locator('.rp-values [data-name="raw"]')
        expect(table).to_contain_text("(5, 5)")
        expect(table.locator("tbody tr").nth(1).locator("td").first).to_have_text("3.0")


def test_the_attention_explorer_follows_query_and_strength(lab, chromium):
    with opened(chromium, lab, LESSON) as page:
        explorer = picture(page, "attention-explorer")
        expect(explorer).to_contain_text("+0.0524")
        explorer.get_by_text("mat", exact=True).first.click()
        expect(explorer).to_contain_text("+0.0708")


def test_a_wrong_answer_reads_its_own_message_and_the_right_one_passes(lab, chromium):
    with opened(chromium, lab, TASKS) as page:
        run_all(page)
        assert errors(page) == []
        answer, check = cell(page, "def bias_matrix"), cell(page, "task.bias_matrix.check(bias_matrix)")
        expect(check.locator(".jp-OutputArea")).to_contain_text("not attempted")
        for text, message in ((WRONG, "Your bias rewards distance"), (RIGHT, "passed")):
            answer.locator(".cm-content").click()
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.insert_text(text)
            page.keyboard.press("Shift+Enter")
            page.keyboard.press("Shift+Enter")
            expect(check.locator(".jp-OutputArea")).to_contain_text(message)


def test_the_keyboard_alone_is_enough(lab, chromium):
    with opened(chromium, lab, TASKS) as page:
        run_all(page)
        page.keyboard.press("Escape")
        for _ in range(80):  # to the top, then down to the answer
            page.keyboard.press("ArrowUp")
        chosen = notebook(page).locator(".jp-Cell.jp-mod-selected")
        while "def bias_matrix" not in chosen.inner_text():
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(RIGHT)
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        expect(cell(page, "task.bias_matrix.check").locator(".jp-OutputArea")).to_contain_text("passed")
    with opened(chromium, lab, LESSON) as page:
        explorer = picture(page, "bias-heatmap")
        explorer.get_by_label("strength λ").focus()
        page.keyboard.press("ArrowRight")
        expect(explorer.locator('td[data-i="0"][data-j="4"]')).not_to_have_text("−0.4828")
        explorer.locator('td[tabindex="0"]').focus()
        page.keyboard.press("Home")
        expect(explorer.locator(".rp-reading")).to_contain_text("key “The” (j = 0)")
        tracer = picture(page, "tracer")
        tracer.locator('.rp-line[tabindex="0"]').focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("n")
        expect(tracer.locator(".rp-position")).to_contain_text("step 3")
        cells_before = notebook(page).locator(".jp-Cell").count()
        page.keyboard.press("b")  # with the focus in a picture, JupyterLab must not insert a cell
        assert notebook(page).locator(".jp-Cell").count() == cells_before


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", [*LESSONS, TASKS])
def test_everyone_can_use_it_and_it_fits_a_narrow_page(lab, chromium, path, dark):
    with opened(chromium, lab, path, dark=dark) as page:
        run_all(page)
        page.set_viewport_size({"width": 800, "height": 900})  # and the file browser still open beside the notebook
        assert page.evaluate(LAY_OUT) > 0
        found = Axe().run(page, context="#seen")
        assert found.violations_count == 0, found.generate_report()
        assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"
        page.evaluate("document.getElementById('seen').remove()")
        wide = (
            notebook(page)
            .locator(".jp-OutputArea-output")
            .evaluate_all(
                "all => all.filter((o) => o.scrollWidth > o.clientWidth + 1).map((o) => o.innerText.slice(0, 80))"
            )
        )
        assert wide == []


def test_without_trust_the_static_pictures_are_there(lab, chromium):
    """A notebook that JupyterLab does not know: the tables stand with their numbers, and no script has run."""
    strange = (lab.folder / LESSON).read_text(encoding="utf-8").replace("A bias by hand", "A bias by another hand", 1)
    (lab.folder / "notebooks" / "strange.ipynb").write_text(strange, encoding="utf-8")
    with opened(chromium, lab, "notebooks/strange.ipynb") as page:
        explorer = picture(page, "bias-heatmap")
        expect(explorer.get_by_role("cell", name="−0.4828").first).to_be_visible()
        assert explorer.get_by_role("slider").count() == 0
