"""All tasks by chapter, and which of them were passed on this machine."""

import html
from dataclasses import dataclass

from course_kit.checking.exercise import Exercise
from course_kit.checking.record import passed_tasks
from course_kit.contents import TOPICS
from course_kit.display.box import GREY, box

from . import tasks_of, topics


@dataclass(frozen=True)
class Chapter:
    """The tasks of one chapter by name, and the names of those that were passed."""

    title: str
    tasks: dict[str, Exercise]
    passed: frozenset[str]


@dataclass(frozen=True)
class Progress:
    """All chapters with tasks; shown as a table."""

    chapters: tuple[Chapter, ...]

    @property
    def total(self) -> int:
        return sum(len(chapter.tasks) for chapter in self.chapters)

    @property
    def passed(self) -> int:
        return sum(len(chapter.passed) for chapter in self.chapters)

    def __repr__(self) -> str:
        lines = [f"{self.passed} of {self.total} tasks passed"]
        for chapter in self.chapters:
            marks = [f"{'✓' if name in chapter.passed else '·'} {task.title}" for name, task in chapter.tasks.items()]
            lines += [
                f"{chapter.title}: {len(chapter.passed)} of {len(marks)}",
                *(f"  {mark}" for mark in marks),
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        first, *rest = repr(self).splitlines()
        return box(
            [f"<b>{first}</b>", *(f'<span style="white-space:pre-wrap">{html.escape(line)}</span>' for line in rest)],
            GREY,
        )


def progress() -> Progress:
    """What was passed so far, chapter by chapter."""
    passed = passed_tasks()
    found = []
    for topic in topics():
        tasks, chapter = tasks_of(topic), TOPICS[topic]
        done = frozenset(task for task in tasks if f"{topic}.{task}" in passed)
        found.append(Chapter(f"{chapter.number} {chapter.title}", tasks, done))
    return Progress(tuple(found))
