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


# All outputs of the notebook in sight, and every rule of every style sheet. axe gets them on a page of their own,
# because JupyterLab's page cannot scroll: there it skips contrast without a word, and takes three times as long.
OUTPUTS = """() => {
  const body = document.body.cloneNode(false);
  body.style = "overflow:visible;width:560px;background:var(--jp-layout-color0)";
  const main = document.createElement("main");
  main.className = "jp-RenderedHTMLCommon jp-RenderedHTML";
  main.append(document.createElement("h1"));
  main.firstChild.append("Outputs");
  const outputs = document.querySelectorAll(
    ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output :is(.rp, .rp-result)");
  const outermost = [...outputs].filter((output) => !output.parentElement.closest(".rp, .rp-result"));
  main.append(...outermost.map((output) => output.cloneNode(true)));
  main.querySelectorAll("script").forEach((script) => script.remove());
  body.append(main);
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText);
  const head = `<head><title>Outputs</title><style>${rules.join("\\n")}</style></head>`;
  return [outputs.length, `<!DOCTYPE html><html lang="en" style="overflow:visible">${head}${body.outerHTML}</html>`];
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
    page.set_viewport_size({"width": 800, "height": 900})
    paper = page.context.new_page()
    for scheme, light in (("dark", "false"), ("light", "true")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light, timeout=60_000)
        count, html = page.evaluate(OUTPUTS)
        assert count > 0
        paper.set_content(html)
        assert_everyone_can_use_it(paper)
    paper.close()
    page.bring_to_front()
