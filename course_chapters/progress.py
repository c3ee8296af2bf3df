"""All tasks by chapter, and which of them were passed on this machine."""

import html
from dataclasses import dataclass

from course_kit.checking.record import passed_tasks
from course_kit.contents import TOPICS
from course_kit.display.box import GREY, box

from . import tasks_of, topics


@dataclass(frozen=True)
class Progress:
    """How many tasks were passed, and below it a line for each chapter and for each of its tasks."""

    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        first, *rest = map(html.escape, self.lines)
        return box([f"<b>{first}</b>", *(f'<span style="white-space:pre-wrap">{line}</span>' for line in rest)], GREY)


def progress(*only: str) -> Progress:
    """What was passed so far, chapter by chapter; of all chapters, or only of these topics.

    Raises ValueError for a topic that has no tasks.
    """
    if unknown := set(only) - set(topics()):
        raise ValueError(f"only={sorted(unknown)}: expected topics that have tasks, such as 'bias_by_hand'")
    passed, chosen = passed_tasks(), only or topics()
    marks = {topic: ["✓" if f"{topic}.{name}" in passed else "·" for name in tasks_of(topic)] for topic in chosen}
    every = [mark for own in marks.values() for mark in own]
    lines = [f"{every.count('✓')} of {len(every)} tasks passed"]
    for topic, own in marks.items():
        lines.append(f"{TOPICS[topic].number} {TOPICS[topic].title}: {own.count('✓')} of {len(own)}")
        lines += [f"  {mark} {task.title}" for mark, task in zip(own, tasks_of(topic).values())]
    return Progress(tuple(lines))
