"""The quiz alive: what is checked counts, every option tells its reason, and the end says what to read again."""

import nbformat
import pytest
from playwright.sync_api import expect

from course_lib import figures
from course_lib.contents import TOPICS
from course_tasks.quiz import QUESTIONS, THEMES

from .pages import PATIENCE, errors, opened, picture, run_all

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CHOOSING = THEMES["Choosing"]

# Answers every question, those in `wrong` wrongly, and reads off what is shown of each and at the end.
THROUGH = """([right, wrong]) => {
  const seen = (node) => node.offsetParent !== null;
  const one = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const told = right.map((answer, q) => {
    const radios = one("input[type=radio]"), check = one(".rp-answer button")[0], before = one(".rp-why").length;
    radios[wrong.includes(q) ? (answer + 1) % radios.length : answer].click();
    check.click();
    const lines = one(".rp-option"), found = {
      before, text: one("legend")[0].textContent, place: one(".rp-controls > p")[0].textContent,
      lines: lines.map((line) => [line.dataset.result, ...[...line.children].map((part) => part.textContent)]),
      verdict: one(".rp-verdict")[0].textContent, score: one(".rp-score")[0].textContent,
      link: one(".rp-answer a")[0].getAttribute("href"),
    };
    check.click();
    return found;
  });
  const again = one(".rp-again li").map((line) => [line.querySelector("a").textContent,
    [...line.querySelectorAll("button")].map((button) => +button.textContent)]);
  return [told, one(".rp-end > p")[0].textContent, again];
}"""


def plain(text):
    return text.replace("`", "")


def answers(questions):
    return [list(question.options).index(question.answer) for question in questions]


def test_every_question_is_told_as_it_was_written(shown):
    page = shown(figures.quiz(QUESTIONS))
    wrong = [0, 5, 6, 31]
    told, outcome, again = page.evaluate(THROUGH, [answers(QUESTIONS), wrong])
    score = 0
    for number, (found, question) in enumerate(zip(told, QUESTIONS, strict=True)):
        missed, right = number in wrong, answers([question])[0]
        score += not missed
        assert found["before"] == 0 and found["text"] == plain(question.text)
        assert found["place"] == f"Question {number + 1} of {len(QUESTIONS)}"
        assert found["verdict"] == ("Not this one." if missed else "Right.")
        assert found["score"] == f"{score} of {number + 1} right so far"
        assert found["link"] == f"{TOPICS[question.chapter].file}.ipynb"
        for index, ((result, label, why), (option, reason)) in enumerate(
            zip(found["lines"], question.options.items(), strict=True)
        ):
            chosen = (right + missed) % len(question.options)
            assert result == ("right" if index == right else "wrong" if index == chosen else "other")
            assert label.startswith(plain(option)) and why == plain(reason)
            assert label.endswith({"right": "✓ right", "wrong": "✗ not this one", "other": plain(option)}[result])
    right = f"{len(QUESTIONS) - len(wrong)} of {len(QUESTIONS)} right."
    assert outcome == f"{right} Worth reading again, with the questions that say so:"
    missed = {}
    for number in wrong:
        missed.setdefault(QUESTIONS[number].chapter, []).append(number + 1)
    assert again == [[f"{c.number} · {c.title}", missed[topic]] for topic, c in TOPICS.items() if topic in missed]


def test_all_right_leaves_nothing_to_read(shown):
    page = shown(figures.quiz(CHOOSING))
    _, outcome, again = page.evaluate(THROUGH, [answers(CHOOSING), []])
    assert outcome == "5 of 5 right. There is nothing to read again." and again == []


def test_by_keyboard_from_the_first_question_to_the_next_and_back(shown):
    page = shown(figures.quiz(CHOOSING))
    check = page.locator(".rp-answer button:visible")
    expect(check).to_be_disabled()
    page.locator("input[type=radio]:visible").first.focus()
    for key in ("Space", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name="Sinusoidal positions")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".rp-verdict:visible")).to_have_text("Not this one.")
    expect(page.locator("input[type=radio]:visible").first).to_be_disabled()  # a checked answer counts
    expect(check).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("legend:visible")).to_have_text(CHOOSING[1].text)
    expect(page.locator("input[type=radio]:visible").first).to_be_focused()
    back = page.get_by_role("button", name="Previous")
    back.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".rp-why:visible")).to_have_text(list(CHOOSING[0].options.values()))
    expect(page.get_by_role("button", name="Next →")).to_be_focused()  # nothing lies before the first


def test_unanswered_questions_are_counted_and_it_can_start_again(shown):
    page = shown(figures.quiz(CHOOSING))
    page.get_by_role("radio", name=CHOOSING[0].answer).check()
    page.get_by_role("button", name="Check").click()
    for _ in CHOOSING:
        page.get_by_role("button", name="Next →").click()
    expect(page.get_by_text("1 of 5 right. No answer was wrong so far.")).to_be_visible()
    expect(page.get_by_text("4 not answered yet.")).to_be_visible()
    page.get_by_role("button", name="Question 2", exact=True).click()
    expect(page.locator("legend:visible")).to_have_text(CHOOSING[1].text)
    for _ in CHOOSING[1:]:
        page.get_by_role("button", name="Next →").click()
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("legend:visible")).to_have_text(CHOOSING[0].text)
    expect(page.locator(".rp-score")).to_have_text("")
    expect(page.locator("input:checked")).to_have_count(0)
    expect(page.locator(".rp-why:visible")).to_have_count(0)


def test_a_missed_question_is_one_press_away(shown):
    page = shown(figures.quiz(CHOOSING[:1]))
    page.get_by_role("radio", name="A log decay").check()
    for name in ("Check", "To the end"):
        page.get_by_role("button", name=name).click()
    expect(page.locator(".rp-end")).to_be_focused()
    page.get_by_role("button", name="Question 1", exact=True).press("Enter")
    expect(page.locator(".rp-why:visible")).to_have_count(4)
    expect(page.get_by_role("button", name="To the end")).to_be_focused()  # its radio buttons take no focus any more


def test_two_quizzes_on_one_page_do_not_meet(shown, tmp_path):
    page = shown(figures.quiz(CHOOSING))
    both = figures.side_by_side(figures.quiz(CHOOSING), figures.quiz(CHOOSING))
    page.goto(both.save(tmp_path / "two.html").as_uri())
    expect(page.locator(".rp-quiz[data-rp-live]")).to_have_count(2)
    one, other = page.locator(".rp-quiz").all()
    one.get_by_role("radio", name="A log decay").check()
    other.get_by_role("radio", name="RoPE").check()
    expect(page.locator("input:checked")).to_have_count(2)
    one.get_by_role("button", name="Check").click()
    expect(one.locator(".rp-score")).to_have_text("0 of 1 right so far")
    expect(other.locator(".rp-score")).to_have_text("")


@pytest.mark.parametrize("width", [350, 800])
def test_no_question_overflows(shown, width):
    page = shown(figures.quiz(QUESTIONS), width=width)
    for _ in QUESTIONS:
        page.locator("input[type=radio]:visible").last.check()
        page.locator(".rp-answer button:visible").click()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.locator(".rp-answer button:visible").click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_in_jupyterlab_a_link_opens_the_chapter_and_keys_stay_in_the_quiz(lab, chromium):
    code = "from course_lib import figures\nfrom course_tasks import quiz\nfigures.quiz(quiz.THEMES['Choosing'])"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)], metadata=kernel)
    nbformat.write(made, lab.folder / "notebooks" / "quiz.ipynb")
    with opened(chromium, lab, "notebooks/quiz.ipynb") as page:
        run_all(page)
        assert not errors(page)
        quiz = picture(page, "quiz")
        quiz.get_by_role("radio", name="A log decay").focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")  # JupyterLab would go to the next cell
        expect(quiz.get_by_role("radio", name="Sinusoidal positions")).to_be_focused()
        quiz.get_by_role("button", name="Check").click()
        quiz.get_by_role("link", name="Fast attention").click()
        file = f"{TOPICS['fast_attention'].file}.ipynb"
        opened_here = page.get_by_role("tab", name=file)  # and not in another window
        expect(opened_here).to_be_visible(timeout=PATIENCE)
