"""The decision guide alive: buttons combine as `decide` does, by mouse and by keyboard, and it can start again."""

from itertools import product

import pytest
from playwright.sync_api import expect

from course_lib.contents import number
from course_tasks import guide
from course_tasks.guide import CAVEAT, FITS, OUT, QUESTIONS, SCHEMES

from ..figures.pictures import DECIDED

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Presses exactly these answers and reads off {scheme: [verdict, reasons shown and folded]}.
PRESS = """(answers) => {
  document.querySelector(".rp-again").click();
  const buttons = [...document.querySelectorAll(".rp-answers button")];
  for (const answer of answers) buttons.find((button) => button.textContent === answer).click();
  const told = {};
  for (const entry of document.querySelectorAll("[data-scheme]")) {
    const group = entry.closest("[data-group]");
    const lines = [...entry.querySelectorAll("li")]
      .map((line) => [+line.dataset.verdict, line.lastChild.textContent]);
    told[entry.dataset.scheme] = [group ? +group.dataset.group : 0, lines, entry.querySelectorAll("details li").length];
  }
  return told;
}"""


def test_every_pair_of_answers_says_what_the_table_says(shown):
    page = shown(guide.picture())
    listed = [(question, answer) for question, options in QUESTIONS.items() for answer in options]
    for one, other in product(listed, listed):
        if one[0] >= other[0]:
            continue
        told = page.evaluate(PRESS, [one[1], other[1]])
        assert told.keys() == SCHEMES.keys()
        for scheme, decision in guide.decide(dict([one, other])).items():
            verdict, lines, folded = told[scheme]
            assert verdict == decision.verdict and [line[0] for line in lines] == [r.verdict for r in decision.rules]
            assert folded == sum(rule.verdict < decision.verdict for rule in decision.rules)
            texts = " ".join(line[1] for line in lines)
            for rule in decision.rules:
                assert rule.why.replace("`", "") in texts
                assert ", ".join(map(number, rule.chapters.split(", "))) in texts


def test_by_keyboard_and_back_again(shown):
    page = shown(guide.picture())
    summary, schemes = page.locator(".rp-summary > span"), page.locator("[data-scheme]")
    expect(summary).to_contain_text("Answer what you know")
    expect(page.locator(".rp-group")).to_have_text(["The schemes"])
    expect(schemes).to_have_count(len(SCHEMES))
    expect(schemes.first).to_contain_text("no position at all")
    button = page.get_by_role("button", name="an image, in windows")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()
    fits, caveat, out = (
        sum(found.verdict == verdict for found in guide.decide({"What is attended?": button.inner_text()}).values())
        for verdict in (FITS, CAVEAT, OUT)
    )
    told = f"Of {len(SCHEMES)} schemes: {fits} fitting, {caveat} possible with a caveat, {out} ruled out."
    expect(summary).to_have_text(told)
    page.get_by_role("button", name="text, left to right").click()  # one answer per question
    expect(button).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="from Swin").click()
    expect(summary).to_contain_text("No scheme is left")
    page.get_by_role("button", name="from Swin").click()  # a second press takes it back
    expect(page.locator(f"[data-group='{OUT}'] [data-scheme] > b")).to_have_text(["Swin", "axial RoPE"])
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    expect(page.locator("[data-group]")).to_have_count(0)


def test_answers_given_are_pressed(shown):
    page = shown(guide.picture(DECIDED))
    expect(page.locator("[aria-pressed=true]")).to_have_text(list(DECIDED.values()))
    expect(page.locator(f"[data-group='{FITS}'] [data-scheme] > b")).to_have_text(
        ["Transformer-XL", "ALiBi", "sliding window", "hybrid", "FoX"]
    )
    page.locator("summary").first.click()
    expect(page.locator("details[open] li").first).to_be_visible()


@pytest.mark.parametrize("width", [350, 800])
def test_a_full_page_of_reasons_does_not_overflow(shown, width):
    page = shown(guide.picture({q: list(options)[-1] for q, options in QUESTIONS.items()}), width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
