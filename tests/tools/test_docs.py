"""README.md, docs/teaching.md and the contents: minutes and numbers are right, links, code and pictures work."""

import re

import pytest

from course_chapters import tasks_of, topics
from course_kit.contents import CORE, TOPICS
from tools.links import (
    WORDS_A_MINUTE,
    core,
    core_goes_on,
    count_words,
    deeper_minutes,
    marked,
    prose,
    sections,
    task_minutes,
)
from tools.tables import up_to_date

from .. import ROOT

DOCS = ("teaching", "contributing", "house", "symptoms")
NAMES = ("README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in DOCS))
PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in NAMES}
README, TEACHING = PAGES["README.md"], PAGES["docs/teaching.md"]
TOGETHER = "\n".join(PAGES.values())
DRAWN = re.findall(r"`((?:figures|guide)\.[^`]+\.save\([^`]+)`", TOGETHER)
FOR_SLIDES = re.findall(r"(?m)\| `((?:figures|comparison|guide)\..*)` \|$", TEACHING)
DRAWN += [f"{code}.save('picture.html')" for code in FOR_SLIDES]
DEEPER = "# ## Deeper"  # the main line of a lesson ends here, and its time is that of the main line


@pytest.mark.parametrize("topic", TOPICS)
def test_a_lesson_takes_as_long_as_its_words_say(topic):
    words, minutes = count_words(prose(topic).partition(DEEPER)[0]), TOPICS[topic].minutes
    assert minutes % 5 == 0 and abs(minutes - words / WORDS_A_MINUTE) <= 5 and words <= 1250


def test_the_core_is_marked_and_takes_three_hours():
    gone = [f"{topic}: {part}" for topic, parts in CORE.items() for part in parts if part not in core(topic)]
    assert not gone, "\n".join(["neither a section nor a task, see CORE in course_kit/contents.py:", *gone])
    assert 165 <= sum(sum(core(topic).values()) for topic in CORE) <= 195
    assert marked("## The map\n\nA picture.", "start_here").startswith("## The map\n\n*Core: ")


@pytest.mark.parametrize(
    ("heading", "least", "most"),
    [("Six hours for one reader", 345, 390), ("One session of 90 minutes", 85, 90), ("A seminar of", 85, 90)],
)
def test_a_sample_course_takes_as_long_as_its_heading_says(heading, least, most):
    course = TEACHING.partition(f"### {heading}")[2]
    assert least <= int(re.search(r"\| together \| (\d+) \|", course)[1]) <= most


def test_every_part_of_the_core_leads_to_the_next():
    for topic, after in zip(CORE, [*list(CORE)[1:], None]):
        every, tasks = list(sections(topic)), [part for part in core(topic) if part not in sections(topic)]
        last = max(every.index(part) for part in CORE[topic] if part in every)
        here, following = every[last], every[last + 1]
        line, end = core_goes_on(topic), core_goes_on(topic, tasks[-1] if tasks else "")
        assert f"{line}\n\n## {following}" in marked(f"## {here}\n\n…\n\n## {following}", topic)
        assert re.findall(r"the task `(\w+)`", line) == tasks
        assert f"](../{TOPICS[after].path('notebooks')})" in end if after else "the end of the core" in end


PLAN = """
<!-- build: plan -->
| chapter | what | minutes |
|---|---|---|
| – | a pause | 15 |
| [02](notebooks/02_bias_by_hand.ipynb) | `bias_matrix`, `biased_attention` | 5 |
| [01](notebooks/01_alibi.ipynb) | the lesson | 5 |
| [01](notebooks/01_alibi.ipynb) | “ALiBi: a straight line” to “A slope for each head” | 5 |
| | together | 5 |
<!-- end -->
See [chapter 01](notebooks/01_alibi.ipynb) and its [tasks](exercises/01_tasks_alibi.ipynb)."""


def test_the_build_writes_numbers_and_keeps_words():
    page, alibi, tasks, parts = up_to_date(PLAN), TOPICS["alibi"], tasks_of("bias_by_hand"), sections("alibi")
    both = parts["ALiBi: a straight line"] + parts["A slope for each head"]
    each = 15, tasks["bias_matrix"].minutes + tasks["biased_attention"].minutes, alibi.minutes, 5 * round(both / 5)
    assert re.findall(r"\| (\d+) \|\n", page) == [*map(str, each), str(sum(each))]
    lesson, exercises = alibi.path("notebooks"), alibi.path("exercises")
    assert page.endswith(f"See [chapter {alibi.number}]({lesson}) and its [tasks]({exercises}).")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("`bias_matrix`", "`bias_matrx`", "bias_matrx: expected some of "),
        ("“A slope for", "“No slope for", "No slope for each head: expected some of ALiBi: a straight line, "),
        ("01_alibi", "01_alibis", "topic='alibis': expected one of start_here, "),
    ],
)
def test_what_does_not_exist_is_not_counted(old, new, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        up_to_date(PLAN.replace(old, new))


def test_each_table_has_a_row_for_each_chapter_and_the_hours_are_right():
    for name, wanted in {"core_of_three_hours": CORE, "chapters": TOPICS, "goals": TOPICS}.items():
        (table,) = re.findall(rf"<!-- build: {name} -->(.*?)<!-- end -->", README + TEACHING, re.DOTALL)
        assert re.findall(r"(?m)^\|[^\]]*\]\([./]*notebooks/\d\d_(\w+)\.ipynb", table) == list(wanted), name
    every = sum(each.minutes + deeper_minutes(topic) + task_minutes(topic) for topic, each in TOPICS.items())
    assert README.count(f" {round(every / 60)} hours") == 2


@pytest.mark.parametrize("line", DRAWN)
def test_a_picture_line_saves_a_file(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", TEACHING, re.DOTALL)[1], names)
    assert eval(line, names).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_library_does_in_the_readme_what_the_readme_says():
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", README, re.DOTALL)[1], names)
    assert names["y"].shape == (1, 10, 64)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        assert "://" in target or place.exists(), target
        if anchor and "://" not in target:  # which GitHub makes of a heading
            heads = re.findall(r"(?m)^#+ (.+)$", place.read_text(encoding="utf-8"))
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target


def test_every_room_of_the_house_is_there():
    rooms = re.findall(r"(?m)^\| `([^`]+)` \|[^|]+\|(.*)\|$", PAGES["docs/house.md"])
    paths = [ROOT / room / file for room, first in rooms for file in ["", *re.findall(r"`([^`]+)`", first)]]
    assert rooms and not [path for path in paths if not path.exists()]


def test_every_chapter_has_its_lesson_and_every_folder_its_chapter():
    assert {path.parent.name for path in ROOT.glob("course_chapters/*/lesson.py")} == set(TOPICS)
    assert topics() == list(TOPICS)[1:]  # the first has none
