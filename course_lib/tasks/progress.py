"""All tasks by chapter, and which of them were passed on this machine."""

import html
from dataclasses import dataclass

from . import chapters, tasks_of
from .engine.exercise import Exercise
from .engine.faces import GREY, box
from .record import passed_tasks


@dataclass(frozen=True)
class Chapter:
    """The tasks of one chapter by name, and the names of those that were passed."""

    name: str
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
                f"chapter {chapter.name}: {len(chapter.passed)} of {len(marks)}",
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
    for name in chapters():
        tasks = tasks_of(name)
        found.append(Chapter(name[2:], tasks, frozenset(task for task in tasks if f"{name}.{task}" in passed)))
    return Progress(tuple(found))
