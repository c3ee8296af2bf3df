"""README.md, docs/teaching.md and the lessons: minutes and numbers are true, links and commands lead somewhere."""

import re

import pytest

from course_kit.contents import CONTENTS, TOPICS
from course_tasks import tasks_of, topics
from tools.links import task_minutes

from .. import ROOT

PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/teaching.md")}
TOGETHER = "\n".join(PAGES.values())
WORDS_A_MINUTE = 25, 30  # of prose, with pictures and code: measured on readers; 30 was an earlier measurement
DEEPER = "# ## Deeper"  # the main line of a lesson ends here, and its time is that of the main line


@pytest.mark.parametrize("topic", TOPICS)
def test_a_lesson_takes_as_long_as_its_words_say(topic):
    main, deeper, _ = (ROOT / "source" / f"{TOPICS[topic].file}.py").read_text(encoding="utf-8").partition(DEEPER)
    cells = re.split(r"(?m)^# %%", main)
    prose = "\n".join(re.findall(r"(?m)^#(.*)", "\n".join(cell for cell in cells if cell.startswith(" [markdown]"))))
    words, minutes = len(re.findall(r"[A-Za-z]{2,}", prose)), TOPICS[topic].minutes
    rate = WORDS_A_MINUTE[not deeper]
    assert minutes % 5 == 0 and abs(minutes - words / rate) <= 5 and words <= (1250 if deeper else 2200)


@pytest.mark.parametrize("topic", TOPICS)
def test_both_tables_of_chapters_have_its_minutes_and_tasks(topic):
    chapter, minutes = TOPICS[topic], task_minutes(topic)
    shown = f"{chapter.minutes} + {minutes}" if minutes else f"{chapter.minutes}"
    begins = re.escape(f"| {chapter.number} | [{chapter.title}](notebooks/{chapter.file}.ipynb)")
    assert re.search(rf"(?m)^{begins}.* \| {re.escape(shown)} \| .+ \|$", PAGES["README.md"])
    begins = re.escape(f"| [{chapter.number}](../notebooks/{chapter.file}.ipynb) |")
    ends = (
        f"| {chapter.minutes} | {minutes} | {len(tasks_of(topic))} |" if minutes else f"| {chapter.minutes} | – | – |"
    )
    assert re.search(rf"(?m)^{begins}.* {re.escape(ends)}$", PAGES["docs/teaching.md"])


def test_the_minutes_of_all_chapters_add_up():
    lessons, tasks = sum(chapter.minutes for chapter in CONTENTS), sum(map(task_minutes, topics()))
    said = re.search(r"takes (\d+) hours:\s+(\d+) minutes of lessons,\s+(\d+) of tasks", PAGES["README.md"])
    assert [int(number) for number in said.groups()] == [round((lessons + tasks) / 60), lessons, tasks]
    assert f"| {lessons} | {tasks} | {sum(len(tasks_of(topic)) for topic in topics())} |" in PAGES["docs/teaching.md"]


@pytest.mark.parametrize("line", re.findall(r"`((?:figures|comparison|guide)\.\w+\([^`]*)`", TOGETHER))
def test_a_picture_for_slides_is_drawn(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", PAGES["docs/teaching.md"], re.DOTALL)[1], names)
    made = eval(line, names)
    assert "<figure" in (made.read_text(encoding="utf-8") if ".save(" in line else made._repr_html_())


def anchors(text):
    """The anchors that GitHub makes of the headings of a page."""
    heads = re.findall(r"(?m)^#+ (.+)$", text)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_where_they_say_and_commands_are_there(page):
    for shown, target in re.findall(r"\[([^\]]*)\]\(([^)]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        if "://" not in target:
            assert place.exists(), target
            assert not anchor or anchor in anchors(place.read_text(encoding="utf-8")), target
            number = re.match(r"(?:[Cc]hapter\s)?(\d\d)\b", shown)
            assert not number or place.name.startswith(f"{number[1]}_"), (shown, target)
    for path in re.findall(
        r"(?m)(?<![\w./-])(?:tools|tests)/[\w./]+", "".join(re.findall(r"(?s)```sh\n.*?```", PAGES[page]))
    ):
        assert (ROOT / path).exists(), path
