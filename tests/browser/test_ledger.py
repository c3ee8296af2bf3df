"""The claims ledger in a browser: closed until the reader has guessed, then readable by everyone on a narrow page."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from course_lib import ledger

pytestmark = pytest.mark.browser
PICTURES = {topic: ledger.topic(topic).picture for topic in ("T5's buckets", "Longer texts")}
PICTURES |= {"counts": ledger.counts(), "overview": ledger.overview(["nothing_new", "one_grid", "all_in_use"])}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", PICTURES)
def test_everyone_can_read_it_closed_and_open(shown, name, dark):
    page = shown(PICTURES[name], dark=dark, width=800)
    for _ in range(2):
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert any(rule["id"] == "color-contrast" for rule in found.response["passes"]), "axe did not look at contrast"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        for summary in page.locator("summary").all():
            summary.click()


def test_a_verdict_is_seen_only_when_its_fold_is_opened(shown):
    page = shown(PICTURES["T5's buckets"], width=800)
    verdicts = page.locator(".rp-verdict")
    for number in range(verdicts.count()):
        expect(verdicts.nth(number)).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(verdicts.first).to_be_visible()
    expect(verdicts.nth(1)).to_be_hidden()
    page.keyboard.press("Tab")  # the code can be scrolled with the arrow keys
    expect(page.locator(".rp-fact").first).to_be_focused()
