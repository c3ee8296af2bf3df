"""Questions alive: what is checked counts, every option tells its reason, and the end says what to read again."""

import pytest
from playwright.sync_api import expect

from course_kit import figures
from course_kit.contents import TOPICS
from course_tasks import questions

from .pages import PATIENCE, picture, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROPE = list(questions.CLAIMS)[[q.chapter for q in questions.CLAIMS.values()].index("rope")]
ABOUT = [q for q in questions.QUIZ.values() if q.chapter in ("fast_attention", "t5_buckets")]  # four


def test_a_quiz_by_keyboard_and_back_to_what_was_left_out(shown):
    page = shown(figures.quiz(ABOUT))
    check, legend = page.locator(".rp-answer button:visible"), page.locator("legend:visible")
    expect(check).to_be_disabled()
    page.locator("input[type=radio]:visible").first.focus()
    for key in ("Space", "ArrowDown", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".rp-verdict:visible")).to_have_text("Not this one.")
    expect(page.locator("input[type=radio]:visible").first).to_be_disabled()  # a checked answer counts
    expect(page.locator(".rp-score")).to_have_text("0 of 1 right so far")
    expect(page.locator("[data-result=right]:visible")).to_contain_text(ABOUT[0].answer)
    expect(page.locator(".rp-why:visible")).to_have_text([ABOUT[0].told(why) for why in ABOUT[0].options.values()])
    expect(page.locator(".rp-answer a:visible")).to_have_attribute("href", f"{TOPICS['t5_buckets'].file}.ipynb")
    expect(check).to_be_focused()
    page.keyboard.press("Enter")
    expect(legend).to_have_text(ABOUT[1].text)
    expect(page.locator("input[type=radio]:visible").first).to_be_focused()
    page.get_by_role("button", name="Previous").press("Enter")
    expect(page.get_by_role("button", name="Next →")).to_be_focused()  # nothing comes before the first
    for _ in ABOUT:
        page.keyboard.press("Enter")
    expect(page.get_by_text(f"0 of {len(ABOUT)} right.")).to_be_visible()
    expect(page.locator(".rp-again a")).to_have_text(f"{TOPICS['t5_buckets'].number} · {TOPICS['t5_buckets'].title}")
    page.get_by_role("button", name="Question 2", exact=True).press("Enter")
    expect(legend).to_have_text(ABOUT[1].text)
    for _ in ABOUT[1:]:
        page.get_by_role("button", name="Next →").press("Enter")
    page.get_by_role("button", name="Start again").press("Enter")
    expect(legend).to_have_text(ABOUT[0].text)
    expect(page.locator("input:checked, .rp-why:visible")).to_have_count(0)


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
    expect(claim.locator("[data-result=right]")).to_contain_text(questions.CLAIMS[ROPE].answer)
    expect(because).to_contain_text(questions.CLAIMS[ROPE].told(questions.CLAIMS[ROPE].because))
    expect(because).to_contain_text(f"def {ROPE}():")
    expect(other.locator("input:checked")).to_have_count(0)
    page.keyboard.press("Tab")  # the code can be scrolled with the arrow keys
    expect(claim.locator(".rp-fact")).to_be_focused()
    claim.get_by_role("button", name="Ask again").press("Enter")
    expect(because).to_be_hidden()
    expect(claim.get_by_role("radio").first).to_be_focused()


def test_in_jupyterlab_a_link_opens_the_chapter(lab, chromium):
    code = "from course_tasks import questions\nquestions.quiz('fast_attention')"
    with running(chromium, lab, "quiz.ipynb", code) as page:
        picture(page, "quiz").get_by_role("radio").first.check()
        picture(page, "quiz").get_by_role("button", name="Check").click()
        picture(page, "quiz").get_by_role("link", name="Fast attention").click()
        opened_here = page.get_by_role("tab", name=f"{TOPICS['fast_attention'].file}.ipynb")  # not in another window
        expect(opened_here).to_be_visible(timeout=PATIENCE)
