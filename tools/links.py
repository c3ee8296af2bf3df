"""What the build fills into Markdown: links to chapters by topic, and what the table of contents knows.

[[t5_buckets]]                  a link that shows its number and its title
[[t5_buckets|chapter #]]        a link that shows these words, with the number for #
[[title]] [[time]] …            words of this page alone, from `lesson_words` or `page_words`

What is in backticks stays as it is.
"""

import re
from collections.abc import Mapping

from course_kit.contents import CONTENTS, TOPICS, Chapter, number
from course_tasks import tasks_of, topics
from tools.address import address
from tools.pictures import imports, slides

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


def page_words() -> dict[str, dict[str, str]]:
    """The pages that are built, each with its words: tables of chapters and pictures, and what to say about Colab."""
    return {
        "README.md": {"chapters": _map(), "colab": _colab()},
        "docs/teaching.md": {"chapters": _costs(), "pictures": _pictures(), "imports": _imports()},
    }


def _colab() -> str:
    """How to open the notebooks in Colab, which has to do with whether the course is published."""
    if address() is None:
        return ("This edition is not published yet, so its notebooks have no link to Colab. "
                "[Publishing](docs/contributing.md#publishing) is one command.")  # fmt: skip
    return ("Every notebook has an *Open in Colab* link. Its first cell installs `course_lib` there and replaces "
            "neither Colab's numpy\nnor its torch. A notebook that needs the released model fetches it.")  # fmt: skip


def _map() -> str:
    """Lessons, tasks and solutions of every chapter, the minutes of lesson and tasks, and what it is about."""
    lines = ["| | lesson | minutes | what it is about |", "|---|---|---|---|"]
    for chapter in CONTENTS:
        links = [link(chapter, "notebooks/", chapter.title)]
        if chapter.topic in topics():
            links += [link(chapter, f"{folder}/", folder) for folder in ("exercises", "solutions")]
        minutes = " + ".join(str(value) for value in (chapter.minutes, task_minutes(chapter.topic)) if value)
        lines.append(f"| {chapter.number} | {' · '.join(links)} | {minutes} | {chapter.about} |")
    return "\n".join(lines)


def _costs() -> str:
    """What every chapter teaches, needs and takes."""
    lines = ["| | it teaches to | needs | lesson | tasks | how many |", "|---|---|---|---|---|---|"]
    sums = [0, 0, 0]
    for chapter in CONTENTS:
        tasks = len(tasks_of(chapter.topic)) if chapter.topic in topics() else 0
        numbers = [chapter.minutes, task_minutes(chapter.topic), tasks]
        sums = [total + value for total, value in zip(sums, numbers)]
        needs = ", ".join(map(number, chapter.needs))
        cells = [link(chapter, "../notebooks/", "#"), chapter.teaches, *(value or "–" for value in (needs, *numbers))]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, f"| all | | | {' | '.join(map(str, sums))} |"])


def _pictures() -> str:
    """Every picture for slides: its chapter, what it shows, and the code that draws it."""
    lines = ["| | to show | the code |", "|---|---|---|"]
    for slide in slides():
        chapter = link(slide.chapter, "../notebooks/", "#") if slide.chapter else "any"
        lines.append(f"| {chapter} | {slide.shows} | `{slide.code}` |")
    return "\n".join(lines)


def _imports() -> str:
    return f"```python\n{imports()}\n```"
