"""The claims in a browser: closed until the reader has guessed, then readable by everyone on a narrow page."""

import pytest
from playwright.sync_api import expect

from course_tasks import claims

from .judged import assert_everyone_can_use_it, assert_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = {topic: claims.chapter(topic).picture for topic in ("t5_buckets", "windows_and_sinks", "which_one")}
PICTURES["overview"] = claims.overview()


@pytest.mark.parametrize("name", PICTURES)
def test_everyone_can_read_it_closed_and_open(shown, name):
    page = shown(PICTURES[name], width=800)
    for _ in range(2):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert_everyone_can_use_it(page)
        for summary in page.locator("summary").all():
            summary.click()


@pytest.mark.parametrize("name", PICTURES)
def test_it_fits_closed_and_open(shown, name):
    page = shown(PICTURES[name])
    for _ in range(2):
        for width in (800, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert_it_fits(page)
        for summary in page.locator("summary").all():
            summary.click()


def test_a_verdict_is_seen_only_when_its_fold_is_opened(shown):
    page = shown(PICTURES["t5_buckets"], width=800)
    verdicts = page.locator(".rp-verdict")
    for number in range(verdicts.count()):
        expect(verdicts.nth(number)).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(verdicts.first).to_be_visible()
    expect(verdicts.nth(1)).to_be_hidden()
    page.keyboard.press("Tab")  # the code can be scrolled with the arrow keys
    expect(page.locator(".rp-fact").first).to_be_focused()
