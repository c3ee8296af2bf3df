"""README.md and docs/: minutes, sums, section names, counts, picture lines and links are what the course says."""

import re
from itertools import pairwise
from math import ceil, floor
from pathlib import Path

import pytest

from course_lib import figures, study
from course_lib.example import TOKENS, K, Q, V
from course_lib.reference.attention import attention
from course_lib.reference.bias import decay_bias
from course_lib.tasks import chapters, tasks_of

ROOT = Path(__file__).resolve().parent.parent
README, TEACHING = ((ROOT / path).read_text(encoding="utf-8") for path in ("README.md", "docs/teaching.md"))
SOURCES = {path.name[:2]: path.read_text(encoding="utf-8") for path in sorted((ROOT / "source").glob("*_*.py"))}
TASKS = {name[2:]: tasks_of(name) for name in chapters()}


def prose(source):
    """The text without the marks of comments, on one line."""
    return re.sub(r"\s+", " ", re.sub(r"(?m)^# ?", "", source))


def header(chapter):
    """Minutes of the lesson, of its tasks, and the chapters it needs, as the lesson says them."""
    text = prose(SOURCES[chapter])
    found = re.search(r"\*\*You need\*\*(.+?)\*\*Time\*\* about (\d+) minutes(?:, and (\d+) for the tasks)?", text)
    needs = re.sub(r"\(\d\d_\w+\.ipynb\)", "", found[1])
    needs = re.sub(r"(\d\d) to (\d\d)", lambda m: ", ".join(f"{k:02}" for k in range(int(m[1]), int(m[2]) + 1)), needs)
    return int(found[2]), int(found[3] or 0), re.findall(r"\b\d\d\b", needs)


LESSONS = {chapter: header(chapter) for chapter in SOURCES}


def rows(text, columns):
    """The rows of all tables with so many columns, without head and line."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    found = [cells for cells in found if len(cells) == columns]
    heads = [k for k, cells in enumerate(found) if set("".join(cells)) <= {"-"}]
    return [cells for k, cells in enumerate(found) if k not in heads and k + 1 not in heads]


def part(title):
    """The text of teaching.md under a heading, up to the next heading of any level."""
    return re.split(r"(?m)^#+ ", TEACHING.split(f"# {title}\n", 1)[1])[0]


def sections(chapter):
    """(heading, its share of the lesson's minutes) in order."""
    source, minutes = SOURCES[chapter], LESSONS[chapter][0]
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
        assert what in ("", "the lesson", "the lesson, read together") and minutes == LESSONS[chapter][0], chapter


# The lessons themselves


@pytest.mark.parametrize("chapter", TASKS)
def test_a_lesson_states_the_minutes_of_its_tasks(chapter):
    """Rounded to five or to ten, up or down."""
    total, stated = sum(task.minutes for task in TASKS[chapter].values()), LESSONS[chapter][1]
    assert stated in {step * side(total / step) for step in (5, 10) for side in (floor, ceil)}


# README


def routes():
    text = re.sub(r"\s+", " ", README.split("Three routes", 1)[1].split("## The study")[0])
    return re.findall(r"- \*\*([^*]+)\*\* \(([^)]+)\)(.*?)(?= - \*\*|$)", text)


@pytest.mark.parametrize("k", [0, 1])
def test_a_route_takes_what_it_says(k):
    name, minutes, text = routes()[k]
    items = re.findall(r"(?<!\d)(\d\d)( [^;()]*?)? \((\d+)\)", text)
    assert len(items) > 4
    for chapter, what, stated in items:
        holds(chapter, what.strip(), int(stated))
    assert sum(int(stated) for _, _, stated in items) == int(minutes.split()[0]) == 60 * int(name.split()[0])


def test_the_whole_course_takes_what_the_readme_says():
    name, text, _ = routes()[2]
    lessons, tasks = (sum(LESSONS[chapter][k] for chapter in LESSONS) for k in (0, 1))
    assert name == "Everything"
    assert [int(n) for n in re.findall(r"\d+", text)] == [round((lessons + tasks) / 60), lessons, tasks]


def test_how_long_a_chapter_takes():
    found = re.search(r"A lesson takes (\d+) to (\d+) minutes, its tasks (\d+) to (\d+)", README)
    lessons, tasks = ([LESSONS[chapter][k] for chapter in TASKS] for k in (0, 1))
    assert [int(n) for n in found.groups()] == [min(lessons), max(lessons), min(tasks), max(tasks)]


# docs/teaching.md


def test_every_chapter_with_its_needs_minutes_and_count():
    *found, total = rows(part("The chapters"), 6)
    assert [cells[0][1:3] for cells in found] == list(SOURCES)
    for (chapter, (lesson, tasks, needs)), cells in zip(LESSONS.items(), found):
        expected = [", ".join(needs), lesson, tasks, len(TASKS.get(chapter, ()))]
        assert cells[2:] == [str(value or "–") for value in expected], chapter
    sums = [sum(int(cells[k]) for cells in found if cells[k] != "–") for k in (3, 4, 5)]
    assert total[3:] == [str(value) for value in sums]


@pytest.mark.parametrize(
    "title", ["One session of 90 minutes", "Half a day", "A seminar of twelve weeks, 90 minutes each"]
)
def test_a_sample_course_takes_what_it_says(title):
    *found, total = rows(part(title), 3)
    for chapter, what, minutes in found:
        if chapter != "–":
            holds(chapter, what, int(minutes))
    assert sum(int(minutes) for _, _, minutes in found) == int(total[2])
    assert int(total[2]) == (240 if title == "Half a day" else 90)


def test_the_weeks_of_the_seminar():
    text = part("A seminar of twelve weeks, 90 minutes each")
    found = rows(text, 8)
    assert [int(cells[0]) for cells in found] == list(range(2, 13))
    for _, reading, minutes, talk, inside, inside_minutes, outside, outside_minutes in found:
        chapter = reading[:2]
        holds(chapter, reading[2:].strip(), int(minutes))
        holds(chapter, inside, int(inside_minutes))
        holds(chapter, outside, int(outside_minutes))
        assert int(talk) + int(inside_minutes) == 90
        assert sorted(re.findall(r"`(\w+)`", inside + outside)) == sorted(TASKS[chapter])
    at_home = [sum(int(cells[k]) for cells in found) for k in (2, 7)]
    said = re.search(r"(\d+) minutes of reading and (\d+) of tasks at home, beside (\d+) hours in class", prose(text))
    assert [int(n) for n in said.groups()] == [*at_home, 12 * 90 // 60]


LINES = re.findall(r"`(figures\.[^`]+\.save\([^`]+)`", README + TEACHING)


@pytest.mark.parametrize("line", LINES)
def test_a_picture_line_saves_a_file(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = dict(figures=figures, study=study, TOKENS=TOKENS, K=K, Q=Q, V=V, attention=attention, decay_bias=decay_bias)
    path = eval(line, names)
    assert path.exists() and path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_every_kind_of_picture_is_offered_with_the_imports_it_needs():
    shown = set(re.findall(r"figures\.(\w+)\(", part("Pictures for slides")))
    others = {"Picture", "decide", "question", "show", "side_by_side", "unseen_pairs"}  # none of the course
    assert shown == set(figures.__all__) - others and len(set(LINES)) == len(LINES) - 1
    preamble = re.search(r"```python\n(.*?)```", TEACHING, re.DOTALL)[1]
    names: dict = {}
    exec(preamble, names)
    assert {"figures", "study", "TOKENS", "K", "Q", "V", "attention", "decay_bias"} <= set(names)


def test_what_readers_are_told_to_run_is_there():
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", TEACHING, re.DOTALL))
    for path in re.findall(r"(?<![\w./-])(?:tools|tests)/\w+\.py", blocks):
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
