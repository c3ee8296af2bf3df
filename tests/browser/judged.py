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
TAKE_AWAY = """() => {
  document.getElementById("seen").remove();
  for (const page of [document.body, document.documentElement]) page.style.removeProperty("overflow");
}"""


def assert_it_fits(page: Page) -> None:
    """Nothing is wider than its place, and what scrolls in a box of its own can be scrolled by keyboard."""
    for kind, script in (("too wide", TOO_WIDE), ("out of reach", OUT_OF_REACH)):
        found = page.evaluate(script)
        assert not found, f"{kind} on a page of {page.viewport_size['width']} pixels: {found}"


def assert_everyone_can_use_it(page: Page, context: str | None = None) -> None:
    """axe finds nothing, and it did look at the contrast of text."""
    found = Axe().run(page, context=context)
    assert found.violations_count == 0, found.generate_report()
    assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"


def assert_everyone_can_use_the_outputs(page: Page) -> None:
    """The same for all outputs of a notebook in JupyterLab, in its light and its dark theme."""
    page.set_viewport_size({"width": 800, "height": 900})
    assert page.evaluate(LAY_OUT) > 0
    try:
        for scheme, light in (("dark", "false"), ("light", "true")):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light, timeout=60_000)
            assert_everyone_can_use_it(page, context="#seen")
    finally:
        page.evaluate(TAKE_AWAY)
        page.emulate_media(color_scheme="light")
