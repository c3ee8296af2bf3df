"""What the build fills into the Markdown of notebooks: links to chapters by topic, and what the contents know.

A section of the core of three hours gets a line under its heading that says how long it takes.

[[t5_buckets]]                  a link that shows its number and its title
[[t5_buckets|chapter #]]        a link that shows these words, with the number for #
[[title]] [[time]] …            words of this lesson alone, from `lesson_words`

What is in backticks stays as it is.
"""

import re
from collections.abc import Mapping

from course_chapters import lesson_file, tasks_of, topics
from course_kit.contents import CONTENTS, CORE, TOPICS, Chapter

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
    if deeper := deeper_minutes(chapter.topic):
        words["time"] += f", {deeper} more for *Deeper*"
    if tasks := task_minutes(chapter.topic):
        words["time"] += f", and {tasks} for the tasks"
        words["tasks"] = link(chapter, "../exercises/", "Tasks for this chapter")
    if after := CONTENTS[CONTENTS.index(chapter) + 1 :]:
        words["next"] = link(after[0], "")
    return words


def sections(topic: str) -> dict[str, int]:
    """The minutes of each section of a lesson by its heading: 20 words of prose a minute, with code and pictures."""
    cells = re.split(r"(?m)^# %%", lesson_file(topic).read_text(encoding="utf-8"))
    _, *parts = re.split(r"(?m)^# ## (.*)\n", "".join(cell for cell in cells if cell.startswith(" [markdown]")))
    return {name: max(1, round(len(re.findall(r"[A-Za-z]{2,}", text)) / 20)) for name, text in zip(*[iter(parts)] * 2)}


def deeper_minutes(topic: str) -> int:
    """What the sections of a lesson after its main line take in all, rounded to five minutes."""
    return 5 * round(sum(minutes for name, minutes in sections(topic).items() if name.startswith("Deeper")) / 5)


def core(topic: str) -> dict[str, int]:
    """The minutes of the parts of the core in a chapter. Parts that it lacks are left out; a test names them."""
    tasks = tasks_of(topic) if topic in topics() else {}
    found = sections(topic) | {name: task.minutes for name, task in tasks.items()}
    return {part: found[part] for part in CORE.get(topic, ()) if part in found}


def marked(text: str, topic: str) -> str:
    """Markdown with a line under each heading of the core."""
    lines = {part: f"\n\n*Core: {minutes} minute{'s' * (minutes > 1)}*" for part, minutes in core(topic).items()}
    return re.sub(r"(?m)^## (.*)$", lambda heading: heading[0] + lines.get(heading[1], ""), text)
