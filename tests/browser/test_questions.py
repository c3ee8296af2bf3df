"""Questions alive: what is checked counts, every option tells its reason, and a link leads to the chapter."""

import pytest
from playwright.sync_api import expect

from course_chapters import questions
from course_kit import figures
from course_kit.contents import TOPICS

from .pages import PATIENCE, picture, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAME, ROPE = next(iter(questions.claims_of("rope").items()))
ABOUT = list(questions.quiz_of("t5_buckets", "fast_attention").values())  # four


def test_a_quiz_by_keyboard_counts_what_is_right(shown):
    page = shown(figures.quiz(ABOUT))
    first, second = page.locator(".rp-asked").nth(0), page.locator(".rp-asked").nth(1)
    expect(first.get_by_role("button")).to_be_disabled()
    first.get_by_role("radio").first.focus()
    for key in ("Space", "ArrowDown", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(first.locator(".rp-verdict")).to_have_text("Not this one.")
    expect(first.get_by_role("radio").first).to_be_disabled()  # a checked answer counts
    # The k of d_k is set lower, without "_".
    expect(first.locator("[data-result=right]")).to_contain_text(ABOUT[0].answer.replace("_", ""))
    expect(first.locator(".rp-why")).to_have_text([ABOUT[0].told(why) for why in ABOUT[0].options.values()])
    expect(first.get_by_role("link")).to_have_attribute("href", f"{TOPICS['t5_buckets'].file}.ipynb")
    expect(second.locator(".rp-why:visible, a:visible")).to_have_count(0)
    second.get_by_role("radio", name=ABOUT[1].answer).check()
    second.get_by_role("button", name="Check").press("Enter")
    expect(page.get_by_text("1 right of 2 checked.")).to_be_visible()
    first.get_by_role("button", name="Ask again").press("Enter")
    expect(page.get_by_text("1 right of 1 checked.")).to_be_visible()
    expect(first.get_by_role("radio").first).to_be_focused()


def test_a_claim_is_judged_by_keyboard_and_two_pictures_do_not_meet(shown, tmp_path):
    page = shown(questions.claims("rope"))
    both = figures.side_by_side(questions.claims("rope"), questions.claims("rope"))
    page.goto(both.save(tmp_path / "two.html").as_uri())
    expect(page.locator(".rp-claims[data-rp-live]")).to_have_count(2)
    claim, other = page.locator(".rp-asked").first, page.locator(".rp-claims").last
    because = claim.locator(".rp-because")
    expect(because).to_be_hidden()
    claim.get_by_role("radio", name="half true").focus()
    for key in ("Space", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(claim.locator(".rp-verdict")).to_have_text("Not this one.")
    expect(claim.locator("[data-result=right]")).to_contain_text(ROPE.answer)
    expect(because).to_contain_text(ROPE.told(ROPE.because))
    expect(because).to_contain_text(f"def {NAME}():")
    expect(other.locator("input:checked")).to_have_count(0)
    page.keyboard.press("Tab")  # the code can be scrolled with the arrow keys
    expect(claim.locator(".rp-fact")).to_be_focused()
    claim.get_by_role("button", name="Ask again").press("Enter")
    expect(because).to_be_hidden()
    expect(claim.get_by_role("radio").first).to_be_focused()


def test_in_jupyterlab_a_link_opens_the_chapter(lab, chromium):
    code = "from course_chapters import questions\nquestions.quiz('fast_attention')"
    with running(chromium, lab, "quiz.ipynb", code) as page:
        picture(page, "quiz").get_by_role("radio").first.check()
        picture(page, "quiz").get_by_role("button", name="Check").first.click()
        picture(page, "quiz").get_by_role("link", name="Fast attention").click()
        opened_here = page.get_by_role("tab", name=f"{TOPICS['fast_attention'].file}.ipynb")  # not in another window
        expect(opened_here).to_be_visible(timeout=PATIENCE)
