"""README.md and docs/: minutes, sums, section names, counts, picture lines and links are what the course says."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from course_lib import figures
from course_lib.contents import CONTENTS, TOPICS, number
from course_tasks import tasks_of, topics
from tools.links import task_minutes
from tools.pictures import slides

ROOT = Path(__file__).resolve().parents[2]
README, TEACHING = ((ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/teaching.md"))
SOURCES = {c.topic: (ROOT / "source" / f"{c.file}.py").read_text(encoding="utf-8") for c in CONTENTS}
TASKS = {topic: tasks_of(topic) for topic in topics()}


def prose(text):
    """A text on one line, without the marks of comments, and with the words of its links alone."""
    return re.sub(r"\s+", " ", without_links(re.sub(r"(?m)^# ?", "", text)))


def without_links(text):
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


def topic_of(digits):
    return CONTENTS[int(digits)].topic


def rows(text, columns):
    """The rows of all tables with so many columns, without head and line."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    found = [cells for cells in found if len(cells) == columns]
    heads = [k for k, cells in enumerate(found) if set("".join(cells)) <= {"-"}]
    return [cells for k, cells in enumerate(found) if k not in heads and k + 1 not in heads]


def part(title):
    """The text of teaching.md under a heading, up to the next heading of any level, without its links."""
    return without_links(re.split(r"(?m)^#+ ", TEACHING.split(f"# {title}\n", 1)[1])[0])


def sections(chapter):
    """(heading, its share of the lesson's minutes) in order."""
    source, minutes = SOURCES[chapter], TOPICS[chapter].minutes
    pieces = re.split(r"(?m)^# ## (.+)$", source)
    return [(name, minutes * len(text) / len(source)) for name, text in zip(pieces[1::2], pieces[2::2])]


def holds(chapter, what, minutes):
    """Fails unless this part of the chapter takes these minutes: the lesson, some tasks, or a run of sections."""
    tasks, named = re.findall(r"`(\w+)`", what), re.findall(r"“([^”]+)”", what)
    if tasks:
        assert minutes == sum(TASKS[chapter][name].minutes for name in tasks), (chapter, what)
    elif named:
        names = [name for name, _ in sections(chapter)]
        assert set(named) <= set(names), (chapter, set(named) - set(names))
        first = names.index(named[0])
        last = len(names) - 1 if what.startswith("from") else names.index(named[-1])
        share = sum(length for _, length in sections(chapter)[first : last + 1])
        assert first <= last and minutes % 5 == 0 and abs(minutes - share) <= 3, (chapter, what, minutes, share)
    else:
        assert what in ("", "the lesson", "the lesson, read together") and minutes == TOPICS[chapter].minutes, chapter


# The lessons themselves


@pytest.mark.parametrize("topic", SOURCES)
def test_a_lesson_says_what_it_is_what_it_needs_and_what_follows(topic):
    """Title, minutes and the next chapter come from the table of contents; it names the chapters that it needs."""
    source, chapter = prose(SOURCES[topic]), TOPICS[topic]
    assert source.startswith("%% [markdown] # [[title]] ") and "**Time** [[time]]" in source
    assert source.count("[[tasks]]") == (topic in TASKS) and source.count("[[next]]") == (chapter != CONTENTS[-1])
    before, named = list(TOPICS)[: CONTENTS.index(chapter)], re.search(r"\*\*You need\*\*(.+?)\*\*Time\*\*", source)[1]
    needs = re.findall(r"\[\[(\w+)\|", named)
    if "]] to [[" in named:  # from the first to the last
        needs = before[before.index(needs[0]) : before.index(needs[1]) + 1]
    assert sorted(needs) == sorted(chapter.needs) and set(needs) <= set(before)


READING = 30  # words of prose in a minute, with pictures and code: measured on readers of this course


def words(topic):
    """Words of two letters and more in the Markdown of a lesson."""
    cells = re.split(r"(?m)^# %%", SOURCES[topic])
    lines = "\n".join(cell for cell in cells if cell.startswith(" [markdown]"))
    return len(re.findall(r"[A-Za-z]{2,}", "\n".join(re.findall(r"(?m)^#(.*)", lines))))


@pytest.mark.parametrize("topic", SOURCES)
def test_a_lesson_takes_as_long_as_its_words_say(topic):
    minutes = TOPICS[topic].minutes
    assert minutes % 5 == 0 and abs(minutes - words(topic) / READING) <= 5
    assert words(topic) <= 2200 and minutes <= 75


# README


def test_the_core_takes_what_it_says():
    *found, total = rows(without_links(README.split("## The core, in three hours\n")[1].split("\n## ")[0]), 3)
    topic = ""
    for chapter, what, minutes in found:
        topic = topic_of(chapter[:2]) if chapter else topic
        assert not chapter or chapter == f"{TOPICS[topic].number} · {TOPICS[topic].title}"
        holds(topic, what, int(minutes))
    assert sum(int(minutes) for _, _, minutes in found) == int(total[2]) == 180


def test_the_whole_course_takes_what_the_readme_says():
    text = re.search(r"Everything takes (\d+) hours: (\d+) minutes of lessons, (\d+) of tasks", prose(README))
    lessons = sum(chapter.minutes for chapter in CONTENTS)
    tasks = sum(task_minutes(topic) for topic in TASKS)
    assert [int(n) for n in text.groups()] == [round((lessons + tasks) / 60), lessons, tasks]


def test_how_long_a_chapter_takes():
    said = r"first lesson takes (\d+) minutes .+ The others take (\d+) to (\d+), their tasks (\d+) to (\d+)\."
    found = re.search(said, prose(README))
    lessons, tasks = [TOPICS[topic].minutes for topic in TASKS], [task_minutes(topic) for topic in TASKS]
    ends = [CONTENTS[0].minutes, min(lessons), max(lessons), min(tasks), max(tasks)]
    assert [int(n) for n in found.groups()] == ends


# docs/teaching.md


def test_every_chapter_with_its_needs_minutes_and_count():
    *found, total = rows(part("The chapters"), 6)
    assert [topic_of(cells[0]) for cells in found] == list(TOPICS)
    for (topic, chapter), cells in zip(TOPICS.items(), found):
        tasks = TASKS.get(topic, {})
        assert cells[1] == chapter.teaches
        needs = ", ".join(map(number, chapter.needs))
        assert [cells[2], cells[3], cells[5]] == [str(x or "–") for x in (needs, chapter.minutes, len(tasks))]
        stated, exact = int(cells[4].replace("–", "0")), sum(task.minutes for task in tasks.values())
        assert stated % 5 == 0 and abs(stated - exact) < 3
    sums = [sum(int(cells[k]) for cells in found if cells[k] != "–") for k in (3, 4, 5)]
    assert total[3:] == [str(value) for value in sums]


@pytest.mark.parametrize(
    ("title", "minutes"),
    [
        ("Six hours for one reader", 360), ("One session of 90 minutes", 90), ("Half a day", 240),
        ("A seminar of fourteen weeks, 90 minutes each", 90),
    ],
)  # fmt: skip
def test_a_sample_course_takes_what_it_says(title, minutes):
    *found, total = rows(part(title), 3)
    for chapter, what, stated in found:
        if chapter != "–":
            holds(topic_of(chapter), what, int(stated))
    assert sum(int(stated) for _, _, stated in found) == int(total[2]) == minutes


def test_the_weeks_of_the_seminar():
    text = part("A seminar of fourteen weeks, 90 minutes each")
    found = rows(text, 8)
    assert [int(cells[0]) for cells in found] == list(range(2, 15))
    first = re.search(r"To hand in a week later[^:]*: (.*) \((\d+) minutes\)", prose(text))
    together = rows(text, 3)[-2]  # the tasks of the first session, whose lesson is read together
    read = TOPICS["blind_to_distance"]
    weeks = [(read.number, str(read.minutes), "80", *together[1:], *first.groups()), *(cells[1:] for cells in found)]
    asked = []
    for reading, minutes, talk, inside, inside_minutes, outside, outside_minutes in weeks:
        chapters = [topic_of(digits) for digits in reading.split(" and ")]
        tasks = {name: task for chapter in chapters for name, task in TASKS[chapter].items()}
        assert int(minutes) == sum(TOPICS[chapter].minutes for chapter in chapters)
        for what, stated in ((inside, inside_minutes), (outside, outside_minutes)):
            names = re.findall(r"`(\w+)`", what)
            assert sum(tasks[name].minutes for name in names) == int(stated.replace("–", "0")), what
        assert int(talk) + int(inside_minutes) == 90
        assert sorted(re.findall(r"`(\w+)`", inside + outside)) == sorted(tasks)
        asked += chapters
    assert asked == list(TASKS)
    at_home = [sum(int(cells[1]) for cells in weeks[1:]), sum(int(cells[6].replace("–", "0")) for cells in weeks)]
    said = re.search(r"(\d+) minutes of reading and (\d+) of tasks at home, beside (\d+) hours in class", prose(text))
    assert [int(n) for n in said.groups()] == [*at_home, 14 * 90 // 60]


LINES = re.findall(r"`((?:figures|guide)\.[^`]+\.save\([^`]+)`", README + TEACHING)


@pytest.mark.parametrize("line", LINES)
def test_a_picture_line_saves_a_file(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", TEACHING, re.DOTALL)[1], names)
    path = eval(line, names)
    assert path.exists() and path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_every_kind_of_picture_is_offered():
    shown = {name for slide in slides() for name in re.findall(r"figures\.(\w+)\(", slide.code)}
    others = {"Picture", "decide", "question", "show", "side_by_side", "unseen_pairs"}  # none of the course
    others |= {"map_of_heads", "pair_view"}  # of a released model, which a slide cannot wait for
    others |= {"decision_guide", "play", "quiz"}  # guide.picture() draws it; needs a kernel; has links to notebooks
    assert shown == set(figures.__all__) - others


def test_what_readers_are_told_to_run_is_there():
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", README + TEACHING, re.DOTALL))
    for path in re.findall(r"(?<![\w./-])(?:tools|tests)/[\w./]+", blocks):
        assert (ROOT / path).exists(), path
    assert "nbval" in (ROOT / "requirements.txt").read_text(encoding="utf-8")


def anchors(text):
    """The anchors that GitHub makes of the headings of a page."""
    heads = re.findall(r"(?m)^#+ (.+)$", text)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize(("folder", "text"), [(ROOT, README), (ROOT / "docs", TEACHING)], ids=["README", "teaching"])
def test_links_lead_somewhere(folder, text):
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    assert targets
    for target in targets:
        path, _, anchor = target.partition("#")
        assert (folder / path).exists(), target
        assert not anchor or anchor in anchors((folder / path).read_text(encoding="utf-8")), target


def test_nothing_is_deeper_than_the_headings_above_it():
    levels = [len(marks) for marks in re.findall(r"(?m)^(#+) ", re.sub(r"(?s)```.*?```", "", TEACHING))]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
