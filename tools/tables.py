"""The numbers in README.md and two pages of docs/: people write the rows of a table, `course.py build` its numbers.

A table between `<!-- build: NAME -->` and `<!-- end -->` has its numbers from the function NAME below, which gets each
row as a list of cells. The row with the cell `together` has the sum of each column. On the whole page, a link to a
notebook gets the number of its chapter.
"""

import re
from functools import cache
from pathlib import Path

from course_chapters import tasks_of, topics
from course_kit.contents import TOPICS, Chapter, number
from tools.links import core, link, sections, task_minutes

PAGES = ("README.md", "docs/teaching.md", "docs/symptoms.md")
TABLE = re.compile(r"(<!-- build: (\w+) -->\n.*\n.*\n)((?:\|.*\n)+)<!-- end -->")
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
    return TABLE.sub(with_numbers, NOTEBOOK.sub(relinked, page))


def relinked(found: re.Match[str]) -> str:
    words, root, folder, topic = found.groups()
    label = re.sub(r"\b\d\d\b", number(topic), words)
    return link(TOPICS[topic], folder, label, root)


def with_numbers(table: re.Match[str]) -> str:
    above, name, text = table.groups()
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines()]
    rows = [row if "together" in row else WRITERS[name](row) for row in rows]
    if "together" in rows[-1]:
        columns = zip(*rows[:-1])
        sums = [sum(int(cell) for cell in column if cell.isdigit()) for column in columns]
        rows[-1] = [str(total) if cell.isdigit() else cell for cell, total in zip(rows[-1], sums)]
    lines = ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|\n" for row in rows]
    return f"{above}{''.join(lines)}<!-- end -->"


def chapters_in(words: str) -> list[Chapter]:
    """The chapters to which these words have links."""
    return [TOPICS[topic] for topic in dict.fromkeys(found[4] for found in NOTEBOOK.finditer(words))]


@cache
def all_tasks() -> dict[str, int]:
    """The minutes of each task of the course, by its name."""
    return {name: task.minutes for topic in topics() for name, task in tasks_of(topic).items()}


def minutes(words: str) -> int:
    """What takes how long: tasks in backticks, “A” to “B” of the linked lesson, or else all lessons with a link.

    Sections together are rounded to five minutes. Raises ValueError for a name that does not exist.
    """
    linked, names = chapters_in(words), re.findall("[`“](.+?)[`”]", words)
    if not names:
        return sum(chapter.minutes for chapter in linked)
    known = all_tasks() if "`" in words else sections(linked[0].topic)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{', '.join(unknown)}: expected some of {', '.join(known)}")
    if "`" in words:
        return sum(known[name] for name in names)
    every = list(known)
    part = every[every.index(names[0]) : every.index(names[-1]) + 1]
    return max(5, 5 * round(sum(known[name] for name in part) / 5))


def core_of_three_hours(row: Row) -> Row:
    """Chapter, its parts in the core, minutes."""
    (each,) = chapters_in(row[0])
    parts = core(each.topic)
    names = [f"task `{part}`" if part in all_tasks() else f"“{part}”" for part in parts]
    return [link(each, root=""), ", ".join(names), str(sum(parts.values()))]


def chapters(row: Row) -> Row:
    """Number, links, minutes of the lesson and its tasks, what it is about."""
    (each,) = chapters_in(row[1])
    links, took = [link(each, "notebooks", each.title, "")], [each.minutes]
    if each.topic in topics():
        links += [link(each, folder, folder, "") for folder in ("exercises", "solutions")]
        took.append(task_minutes(each.topic))
    return [each.number, " · ".join(links), " + ".join(map(str, took)), row[3]]


def goals(row: Row) -> Row:
    """Chapter, what it teaches, which it needs; minutes of the lesson and its tasks, how many tasks."""
    (each,) = chapters_in(row[0])
    tasks = [task_minutes(each.topic), len(tasks_of(each.topic))] if each.topic in topics() else ["–", "–"]
    return [*row[:3], *map(str, [each.minutes, *tasks])]


def plan(row: Row) -> Row:
    """Chapter, what, minutes. Without a chapter, minutes are the teacher's."""
    where, what, took = row
    return [where, what, str(minutes(where + what)) if chapters_in(where) else took]


def weeks(row: Row) -> Row:
    """Week, read before, minutes, talk, tasks in the session, minutes, to hand in, minutes."""
    week, read, _, talk, in_session, took, at_home, _ = row
    if "`" in in_session:
        took, talk = str(minutes(in_session)), str(SESSION - minutes(in_session))
    return [week, read, str(minutes(read)), talk, in_session, took, at_home, str(minutes(at_home))]


WRITERS = {writer.__name__: writer for writer in (core_of_three_hours, chapters, goals, plan, weeks)}
