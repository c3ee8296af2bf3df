"""Three learners on a real hub: each works in a browser; then an update, a collection and the marks."""

import contextlib
import csv
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.reader import NotJSONError
from playwright.sync_api import expect

from course_lib.contents import TOPICS
from tools.cells import fingerprint, new_id

from .hub import home, keep_cells_on_the_page, pages_of_learners, running_hub  # noqa: F401
from .pages import PATIENCE, cell, errors, menu, notebook, ready, run_all

pytestmark = [pytest.mark.browser, pytest.mark.slow]
BIAS, ALIBI, OTHER = (f"{TOPICS[topic].file}.ipynb" for topic in ("bias_by_hand", "alibi", "absolute_positions"))
WRONG_BIAS = """def bias_matrix(n, scale):
    i, j = np.arange(n)[:, None], np.arange(n)
    return scale * np.log1p(abs(j - i))"""
RIGHT_BIAS = WRONG_BIAS.replace("return scale", "return -scale")
RIGHT_SLOPES = """slopes_by_hand = {
    '4 heads': [1/4, 1/16, 1/64, 1/256],
    "6 heads, authors' code": [1/4, 1/16, 1/64, 1/256, 1/2, 1/8],
    '6 heads, head 1 by 2^(−8h/H)': 0.3969,
    'bias, head 1 of 4, key 3 back': -3/4,
}"""
WRONG_SLOPES = RIGHT_SLOPES.replace("-3/4", "3/4")
ANSWERS = {  # learner → exercise → task and answer
    "test-ada": {BIAS: ("bias_matrix", RIGHT_BIAS), ALIBI: ("slopes_by_hand", RIGHT_SLOPES)},
    "test-ben": {BIAS: ("bias_matrix", WRONG_BIAS), ALIBI: ("slopes_by_hand", RIGHT_SLOPES)},
    "test-cem": {BIAS: ("bias_matrix", RIGHT_BIAS), ALIBI: ("slopes_by_hand", WRONG_SLOPES)},
}
NEW = "A sentence of the new version."
RIGHT = (RIGHT_BIAS, RIGHT_SLOPES)


def sign_in(page, hub, learner):
    page.set_default_timeout(PATIENCE)
    page.goto(f"{hub.address}/hub/login")
    page.get_by_label("Username").fill(learner)
    page.get_by_label("Password").fill(hub.passwords[learner])
    page.get_by_role("button", name="Sign in").click(no_wait_after=True)


def answer(page, learner, name):
    """Open an exercise, write the answer, run everything, read the message, save."""
    task, text = ANSWERS[learner][name]
    menu(page, "File", "Open from Path…")
    page.get_by_role("dialog").get_by_role("textbox").fill(f"exercises/{name}")
    page.keyboard.press("Enter")
    expect(notebook(page).locator("h1")).to_contain_text(f"Tasks {name[:2]}")
    ready(page)
    cell(page, f"{task}(" if "def" in text else f"{task} =").locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
    run_all(page)
    assert errors(page) == []
    message = cell(page, f"task.{task}.check({task})").locator(".jp-OutputArea")
    expect(message).to_contain_text("✓ passed" if text in RIGHT else "wrong")
    page.keyboard.press("ControlOrMeta+s")
    saved = home(learner) / "course" / "exercises" / name
    deadline = time.monotonic() + 30
    while not is_saved(text, saved) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert text in sources(saved)


def is_saved(text, path):
    with contextlib.suppress(NotJSONError):  # Jupyter empties the file before it writes
        return text in sources(path)
    return False


def sources(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def new_version(course):
    """Another sentence in an exercise, and another line in the library."""
    path = course / "exercises" / ALIBI
    changed = nbformat.read(path, as_version=4)
    words = next(cell for cell in changed.cells if cell.source.startswith("## 4."))
    words.source += f"\n\n{NEW}"
    words.id = new_id("alibi", words, ())
    changed.metadata.built["fingerprint"] = fingerprint(changed)
    nbformat.write(changed, path)
    with open(course / "course_lib" / "example.py", "a") as file:
        file.write(f"# {NEW}\n")


def test_three_learners_work_are_updated_and_get_their_marks(hub, pages, record_property):
    for learner, page in pages.items():
        keep_cells_on_the_page(learner)
        sign_in(page, hub, learner)
    for learner, page in pages.items():
        page.wait_for_selector(".jp-NotebookPanel [data-rp-live]")  # nothing has been run
        for name in ANSWERS[learner]:
            answer(page, learner, name)
    cell(page, "task.encoder_weights.check").locator(".cm-content").click()  # the last learner looks around
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(f"import os\nos.listdir('{home('test-ada')}')")
    page.keyboard.press("Shift+Enter")
    expect(notebook(page)).to_contain_text("PermissionError: [Errno 13] Permission denied")

    new_version(hub.course)
    assert hub.command("give").count(f"exercises/{ALIBI}") == 3
    for learner in ANSWERS:
        cells = sources(home(learner) / "course" / "exercises" / ALIBI)
        assert ANSWERS[learner][ALIBI][1] in cells and any(NEW in source for source in cells)
        assert NEW in (home(learner) / "course" / "course_lib" / "example.py").read_text()
    page.keyboard.press("ControlOrMeta+s")
    page.get_by_role("button", name="Revert").click()
    expect(notebook(page)).to_contain_text(NEW)
    expect(notebook(page)).to_contain_text("[1/4, 1/16, 1/64, 1/256, 1/2, 1/8]")

    untouched = home(learner) / "course" / "exercises" / OTHER
    untouched.unlink()
    untouched.symlink_to(home("test-ada") / "course" / "exercises" / BIAS)  # not what this learner can hand in
    hub.command("collect")
    hand_ins = [path.relative_to(hub.course).parts for path in sorted(hub.course.glob("hand-ins/**/*.ipynb"))]
    assert hand_ins == [("hand-ins", learner, name) for learner, exercises in ANSWERS.items() for name in exercises]
    table = hub.course / "hand-ins" / "marks.csv"
    recheck = [sys.executable, "tools/recheck.py", "--csv", table, "hand-ins/*/*.ipynb"]
    assert subprocess.run(recheck, cwd=hub.course).returncode == 0
    rows = {(row["learner"], row["task"]): row for row in csv.DictReader(table.open(encoding="utf-8"))}
    for learner, exercises in ANSWERS.items():
        for name, (task, text) in exercises.items():
            row = rows.pop((learner, f"{Path(name).stem[3:]}.{task}"))
            record_property("table: hub", row)
            assert row["status"] == ("passed" if text in RIGHT else "wrong values")
    assert len(rows) == 42 and {row["status"] for row in rows.values()} == {"not attempted"}
