"""README.md, docs/teaching.md and the contents: minutes and numbers are right, links and pictures work."""

import re

import pytest

from course_chapters import lesson_file, questions, tasks_of, topics
from course_kit.contents import CONTENTS, CORE, TOPICS
from tools.links import core, core_goes_on, core_table, deeper_minutes, marked, sections, task_minutes

from .. import ROOT

PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/teaching.md")}
README, TEACHING = PAGES.values()
TOGETHER = "\n".join(PAGES.values())
TASKS = {topic: tasks_of(topic) if topic in topics() else {} for topic in TOPICS}
DRAWN = re.findall(r"`((?:figures|guide)\.[^`]+\.save\([^`]+)`", TOGETHER)
FOR_SLIDES = re.findall(r"(?m)\| `((?:figures|comparison|guide)\..*)` \|$", TEACHING)
DRAWN += [f"{code}.save('picture.html')" for code in FOR_SLIDES]
WORDS_A_MINUTE = 20  # of prose, with pictures and code: measured on readers of all lessons
DEEPER = "# ## Deeper"  # the main line of a lesson ends here, and its time is that of the main line


@pytest.mark.parametrize("topic", TOPICS)
def test_a_lesson_takes_as_long_as_its_words_say(topic):
    main, *_ = lesson_file(topic).read_text(encoding="utf-8").partition(DEEPER)
    prose = "".join(cell for cell in re.split(r"(?m)^# %%", main) if cell.startswith(" [markdown]"))
    words, minutes = len(re.findall(r"[A-Za-z]{2,}", prose.replace("[markdown]", ""))), TOPICS[topic].minutes
    assert minutes % 5 == 0 and abs(minutes - words / WORDS_A_MINUTE) <= 5 and words <= 1250


def test_the_minutes_of_all_chapters_add_up():
    lessons, tasks = sum(chapter.minutes for chapter in CONTENTS), sum(map(task_minutes, topics()))
    deeper = sum(map(deeper_minutes, TOPICS))
    words = r"takes (\d+) hours: (\d+) minutes of lessons, (\d+) of \*Deeper\*, (\d+) of tasks"
    said = re.search(words.replace(" ", r"\s+"), README)
    assert [int(number) for number in said.groups()] == [round((lessons + deeper + tasks) / 60), lessons, deeper, tasks]
    assert f"\n| all | | | {lessons} | {tasks} | {sum(map(len, TASKS.values()))} |\n" in TEACHING


@pytest.mark.parametrize("chapter", CONTENTS, ids=lambda chapter: chapter.topic)
def test_the_tables_have_each_chapter_with_its_minutes(chapter):
    tasks, many = task_minutes(chapter.topic), len(TASKS[chapter.topic])
    minutes = " + ".join(str(value) for value in (chapter.minutes, tasks) if value)
    lesson = f"(notebooks/{chapter.file}.ipynb)"
    (row,) = (row for row in README.splitlines() if row.startswith(f"| {chapter.number} | [{chapter.title}]{lesson}"))
    assert f" | {minutes} | " in row
    start = f"| [{chapter.number}]{lesson.replace('(', '(../')} |"
    end = f" | {chapter.minutes} | {tasks or '–'} | {many or '–'} |"
    assert any(row.startswith(start) and row.endswith(end) for row in TEACHING.splitlines())


def test_the_core_is_marked_and_listed_and_takes_three_hours():
    gone = [f"{topic}: {part}" for topic, parts in CORE.items() for part in parts if part not in core(topic)]
    assert not gone, "\n".join(["neither a section nor a task, see CORE in course_kit/contents.py:", *gone])
    assert core_table() in README, f"README.md should have:\n{core_table()}"
    assert 165 <= sum(sum(core(topic).values()) for topic in CORE) <= 195
    assert marked("## The map\n\nA picture.", "start_here").startswith("## The map\n\n*Core: ")


def test_every_part_of_the_core_leads_to_the_next():
    for topic, after in zip(CORE, [*list(CORE)[1:], None]):
        every, tasks = list(sections(topic)), [part for part in core(topic) if part not in sections(topic)]
        last = max(every.index(part) for part in CORE[topic] if part in every)
        here, following = every[last], every[last + 1]
        line, end = core_goes_on(topic), core_goes_on(topic, tasks[-1] if tasks else "")
        assert f"{line}\n\n## {following}" in marked(f"## {here}\n\n…\n\n## {following}", topic)
        assert re.findall(r"the task `(\w+)`", line) == tasks
        assert f"](../{TOPICS[after].path('notebooks')})" in end if after else "the end of the core" in end


def test_the_sample_courses_name_what_exists_with_its_minutes_and_add_up():
    for number, said in re.findall(r"\| \[(\d\d)\][^|]* \| the lesson \| (\d+) \|", TEACHING):
        assert CONTENTS[int(number)].minutes == int(said), number
    minutes = {name: task.minutes for tasks in TASKS.values() for name, task in tasks.items()}
    for names, said in re.findall(r"\| (?:task )?((?:`\w+`(?:, )?)+) \| (\d+) \|", TOGETHER):
        assert sum(minutes[name] for name in re.findall(r"\w+", names)) == int(said), names
    parts = re.findall(r"\| \[(\d\d)\][^|]*\| “(.+?)”(?: to “(.+?)”)? \| (\d+) \|", TEACHING)
    for number, first, last, said in parts:
        minutes = sections(CONTENTS[int(number)].topic)
        names = list(minutes)
        part = names[names.index(first) : names.index(last or first) + 1]
        assert part and abs(sum(minutes[name] for name in part) - int(said)) <= 5, (number, first)
    for rows in re.findall(r"((?:^\|.*\n)+)\| \| together \| (\d+) \|", TOGETHER, re.MULTILINE):
        assert sum(map(int, re.findall(r"(?m)\| (\d+) \|$", rows[0]))) == int(rows[1])


def test_the_weeks_add_up_and_the_quiz_has_so_many_questions():
    weeks = re.findall(r"(?m)^\| \d+ \| \[\d\d\].* \| (\d+) \| \d+ \| .* \| (\d+) \|$", TEACHING)
    reading, at_home = (sum(map(int, minutes)) for minutes in zip(*weeks))
    first = int(re.search(r"\((\d+) minutes\)\. Then:", TEACHING)[1])
    said = re.search(r"(\d+) minutes of reading and (\d+)\s+of tasks at home", TEACHING)
    assert [int(minutes) for minutes in said.groups()] == [reading, at_home + first]
    assert f"A quiz of {len(questions.quiz_of())} questions" in TEACHING


@pytest.mark.parametrize("line", DRAWN)
def test_a_picture_line_saves_a_file(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", TEACHING, re.DOTALL)[1], names)
    assert eval(line, names).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        assert "://" in target or place.exists(), target
        if anchor and "://" not in target:  # which GitHub makes of a heading
            heads = re.findall(r"(?m)^#+ (.+)$", place.read_text(encoding="utf-8"))
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target


def test_every_chapter_has_its_lesson_and_every_folder_its_chapter():
    assert {path.parent.name for path in ROOT.glob("course_chapters/*/lesson.py")} == set(TOPICS)
    assert topics() == list(TOPICS)[1:]  # the first has none
