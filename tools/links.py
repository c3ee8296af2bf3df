"""What the build fills into lessons and tasks: links to chapters by topic, and what the table of contents knows.

[[t5_buckets]]                  a link that shows its number and its title
[[t5_buckets|chapter #]]        a link that shows these words, with the number for #
[[title]] [[time]] …            words of this lesson alone, from `lesson_words`

What is in backticks stays as it is.
"""

import re
from collections.abc import Mapping

from course_kit.contents import CONTENTS, TOPICS, Chapter
from course_tasks import tasks_of, topics

MARK = re.compile(r"`[^`]*`|\[\[([a-z]\w*)(?:\|([^\]]+))?\]\]")  # code in backticks is found first, and kept


def filled(text: str, lessons: str, words: Mapping[str, str]) -> str:
    """`text` with its marks filled in; `lessons` is the path from its page to the lessons, such as "../notebooks/".

    Raises KeyError with the mark if its name is neither one of `words` nor a topic.
    """

    def fill(mark: re.Match[str]) -> str:
        name, label = mark.groups()
        if name is None:
            return mark[0]
        if name in TOPICS:
            return link(TOPICS[name], lessons, label)
        if name not in words or label:
            raise KeyError(mark[0])
        return words[name]

    return MARK.sub(fill, text)


def link(chapter: Chapter, folder: str, label: str | None = None) -> str:
    """A Markdown link to a notebook of a chapter; by default it shows number and title."""
    shown = (label or f"# · {chapter.title}").replace("#", chapter.number)
    return f"[{shown}]({folder}{chapter.file}.ipynb)"


def task_minutes(topic: str) -> int:
    """What the tasks of a topic take in all, rounded to five minutes; 0 where it has none."""
    return 5 * round(sum(task.minutes for task in tasks_of(topic).values()) / 5) if topic in topics() else 0


def lesson_words(chapter: Chapter) -> dict[str, str]:
    """What a lesson says of its chapter: number and title, minutes, the link to its tasks, the chapter after it."""
    words = {"title": f"{chapter.number} · {chapter.title}", "time": f"about {chapter.minutes} minutes"}
    if tasks := task_minutes(chapter.topic):
        words["time"] += f", and {tasks} for the tasks"
        words["tasks"] = link(chapter, "../exercises/", "Tasks for this chapter")
    if after := CONTENTS[CONTENTS.index(chapter) + 1 :]:
        words["next"] = link(after[0], "")
    return words
