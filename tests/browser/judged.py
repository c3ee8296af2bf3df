"""What must be true of every page, whatever it shows: it fits, and everyone can use it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

# Boxes wider than their room (the page, an output, a picture, a result), once what is drawn to size is drawn again.
TOO_WIDE = """async () => {
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  const boxes = document.querySelectorAll("html, .jp-OutputArea-output, .rp, .rp-result");
  return [...boxes].filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `${box.className}: ${box.scrollWidth} > ${box.clientWidth}: ${box.innerText.slice(0, 80)}`);
}"""

# Boxes inside a picture or a result that scroll sideways, and that the Tab key cannot reach.
OUT_OF_REACH = """() => [...document.querySelectorAll(".rp *, .rp-result *")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(box).overflowX))
  .filter((box) => box.tabIndex < 0 && !box.querySelector('[tabindex="0"], button, input, select, a'))
  .map((box) => box.outerHTML.slice(0, 120))"""


# All pictures and results of the notebook in sight as a page with JupyterLab's styles: axe gets them on a page of their
# own, because JupyterLab's page cannot scroll: there it skips contrast without a word.
OUTPUTS = """() => {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText);
  const outputs = document.querySelectorAll(
    ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output:has(.rp, .rp-result)");
  const body = document.body.cloneNode(false);
  body.style = "overflow: visible; width: 560px; background: var(--jp-layout-color0)";
  body.innerHTML = `<main><h1>Outputs</h1>${[...outputs].map((output) => output.outerHTML).join("")}</main>`;
  body.querySelectorAll("script").forEach((script) => script.remove());
  return `<!DOCTYPE html><html lang="en" style="overflow: visible"><title>Outputs</title>
    <style>${rules.join("\\n")}</style>${body.outerHTML}</html>`;
}"""


def assert_it_fits(page: Page) -> None:
    """Nothing is wider than its place, and what scrolls in a box of its own can be scrolled by keyboard."""
    for kind, script in (("too wide", TOO_WIDE), ("out of reach", OUT_OF_REACH)):
        found = page.evaluate(script)
        assert not found, f"{kind} on a page of {page.viewport_size['width']} pixels: {found}"


def assert_everyone_can_use_it(page: Page) -> None:
    """axe finds nothing, and it did look at the contrast of text. It loads no style sheet again."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False})
    assert found.violations_count == 0, found.generate_report()
    assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"


def assert_everyone_can_use_the_outputs(page: Page) -> None:
    """The same for all outputs of a notebook in JupyterLab, in its light and its dark theme."""
    for scheme, light in (("dark", "false"), ("light", "true")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light)
        paper = page.context.new_page()
        paper.set_content(page.evaluate(OUTPUTS))
        assert_everyone_can_use_it(paper)
