"""What README.md and docs/teaching.md count: `course.py build` writes the numbers, people write the words.

What lies between `<!-- build: NAME -->` and `<!-- end -->` is written by the function NAME below. It keeps the words of
each row. On the whole page, a link to a notebook gets the number of its chapter. A new chapter gets a row with `…`, for
its author to replace.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from course_chapters import questions, tasks_of, topics
from course_kit.contents import CONTENTS, CORE, TOPICS, Chapter
from tools.links import core, deeper_minutes, link, sections, task_minutes

PAGES = ("README.md", "docs/teaching.md")
MARKED = re.compile(r"(<!-- build: (\w+) -->)(.*?)(<!-- end -->)", re.DOTALL)
NOTEBOOK = re.compile(r"\[([^\]]*)\]\(([./]*)(notebooks|exercises|solutions)/\d\d_(?:tasks_|solutions_)?(\w+)\.ipynb\)")
SESSION = 90  # minutes
Row = list[str]


def outdated(root: Path) -> dict[Path, str]:
    """The pages in this folder whose numbers are not those of today, each with its new text.

    Raises ValueError for a chapter, section or task that does not exist.
    """
    pages = {root / page: (root / page).read_text(encoding="utf-8") for page in PAGES if (root / page).exists()}
    return {path: new for path, page in pages.items() if (new := up_to_date(page)) != page}


def up_to_date(page: str) -> str:
    page = MARKED.sub(lambda part: part[1] + WRITERS[part[2]](part[3]) + part[4], page)

    def relinked(found: re.Match[str]) -> str:
        words, root, folder, topic = found.groups()
        return link(chapter(topic), folder, re.sub(r"\b\d\d\b", "#", words), root)

    return NOTEBOOK.sub(relinked, page)


def chapter(topic: str) -> Chapter:
    """The chapter of a topic. Raises ValueError for a topic that is not there."""
    if topic not in TOPICS:
        raise ValueError(f"{topic!r}: expected a topic, one of {', '.join(TOPICS)}")
    return TOPICS[topic]


def chapters_in(cell: str) -> list[Chapter]:
    """The chapters that a cell of a table has links to."""
    return [chapter(topic) for topic in dict.fromkeys(found[4] for found in NOTEBOOK.finditer(cell))]


@cache
def all_tasks() -> dict[str, int]:
    """The minutes of each task of the course, by its name."""
    return {name: task.minutes for topic in topics() for name, task in tasks_of(topic).items()}


def minutes(what: str, chapters: list[Chapter]) -> int:
    """What this takes: `the lesson` of these chapters, tasks in backticks, or “A” to “B”, sections of one lesson.

    Sections together are rounded to five minutes.
    """
    if what == "the lesson":
        return sum(chapter.minutes for chapter in chapters)
    known = all_tasks() if "`" in what else sections(chapters[0].topic)
    names, every = re.findall("[`“](.+?)[`”]", what), list(known)
    if not names or not set(names) <= set(every):
        raise ValueError(f"{what}: expected `the lesson`, or some of {', '.join(every)}")
    if "`" in what:
        return sum(known[name] for name in names)
    part = every[every.index(names[0]) : every.index(names[-1]) + 1]
    return max(5, 5 * round(sum(known[name] for name in part) / 5))


# Tables: from the rows that are there to those of today


def core_of_three_hours(rows: list[Row]) -> list[Row]:
    """Of README.md: chapter, its parts in the core, minutes. CORE in course_kit/contents.py says which."""
    new, together = [], 0
    for topic in CORE:
        parts = core(topic)
        names = [f"task `{part}`" if part in all_tasks() else f"“{part}”" for part in parts]
        new.append([link(TOPICS[topic], root=""), ", ".join(names), str(sum(parts.values()))])
        together += sum(parts.values())
    return [*new, ["", "together", str(together)]]


def chapters(rows: list[Row]) -> list[Row]:
    """Of README.md: number, links, minutes, what it is about."""
    about = {topic.topic: row[3] for row in rows for topic in chapters_in(row[1])}
    new = []
    for each in CONTENTS:
        links, took = [link(each, "notebooks", each.title, "")], [each.minutes]
        if each.topic in topics():
            links += [link(each, folder, folder, "") for folder in ("exercises", "solutions")]
            took.append(task_minutes(each.topic))
        new.append([each.number, " · ".join(links), " + ".join(map(str, took)), about.get(each.topic, "…")])
    return new


def goals(rows: list[Row]) -> list[Row]:
    """Of the teaching page: number, what the chapter teaches, what it needs; minutes of lesson and tasks, how many."""
    was = {each.topic: row for row in rows for each in chapters_in(row[0])}
    numbers = {row[0][1:3]: TOPICS[topic].number for topic, row in was.items()}  # before and after one was inserted
    new = []
    for each in CONTENTS:
        _, goal, needs, *_ = was.get(each.topic, ["", "…", "…"])
        needs = re.sub(r"\d\d", lambda number: numbers[number[0]], needs)
        tasks = [task_minutes(each.topic), len(tasks_of(each.topic))] if each.topic in topics() else ["–", "–"]
        new.append([link(each, "notebooks", "#"), goal, needs, *map(str, (each.minutes, *tasks))])
    in_all = sum(each.minutes for each in CONTENTS), sum(map(task_minutes, topics())), len(all_tasks())
    return [*new, ["all", "", "", *map(str, in_all)]]


def plan(rows: list[Row]) -> list[Row]:
    """Of a sample course: chapter, what, minutes. Without a chapter, minutes are the teacher's."""
    new = []
    for where, what, took in rows[:-1]:
        linked = chapters_in(where)
        new.append([where, what, str(minutes(what, linked)) if linked else took])
    return [*new, ["", "together", str(sum(int(row[2]) for row in new))]]


def weeks(rows: list[Row]) -> list[Row]:
    """Of the seminar: week, read before, minutes, talk, tasks in the session, minutes, to hand in, minutes."""
    new = []
    for week, read, _, talk, in_session, took, at_home, home in rows[:-1]:
        if "`" in in_session:
            took = str(minutes(in_session, []))
            talk = str(SESSION - int(took))
        home = str(minutes(at_home, [])) if "`" in at_home else home
        new.append([week, read, str(minutes("the lesson", chapters_in(read))), talk, in_session, took, at_home, home])
    reading, at_home = (str(sum(int(row[k]) for row in new)) for k in (2, 7))
    return [*new, ["", "together", reading, "", "", "", "", at_home]]


# Words in a line


def hours(_: str) -> str:
    lessons, deeper = sum(each.minutes for each in CONTENTS), sum(map(deeper_minutes, TOPICS))
    tasks = sum(map(task_minutes, topics()))
    total = round((lessons + deeper + tasks) / 60)
    return f"{total} hours: {lessons} minutes of lessons, {deeper} of *Deeper*, {tasks} of tasks"


def quiz(_: str) -> str:
    return str(len(questions.quiz_of()))


def table(new_rows: Callable[[list[Row]], list[Row]]) -> Callable[[str], str]:
    """What writes a whole table, its two lines of head included, with these rows."""

    def write(text: str) -> str:
        first, head, line, *rows, last = text.split("\n")
        cells = new_rows([[cell.strip() for cell in row[1:-1].split("|")] for row in rows])
        lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in cells]
        return "\n".join([first, head, line, *lines, last])

    return write


TABLES = {writer.__name__: table(writer) for writer in (core_of_three_hours, chapters, goals, plan, weeks)}
WRITERS = TABLES | {writer.__name__: writer for writer in (hours, quiz)}
