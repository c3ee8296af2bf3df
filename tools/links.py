"""What the build fills into the Markdown of notebooks: links to chapters by topic, and what the contents know.

A section of the core of three hours gets a line under its heading that says how long it takes. Below the last one of a
lesson, and below a task of the core, a line leads on.

[[t5_buckets]]                  a link that shows its number and its title
[[t5_buckets|chapter #]]        a link that shows these words, with the number for #
[[title]] [[time]] …            words of this lesson alone, from `lesson_words`

What is in backticks stays as it is.
"""

import re
from collections.abc import Mapping

from course_chapters import lesson_file, tasks_of, topics
from course_kit.contents import CONTENTS, CORE, TOPICS, Chapter

WORDS_A_MINUTE = 20  # of prose, with pictures and code: measured on readers of all lessons
MARK = re.compile(r"`[^`]*`|\[\[([a-z]\w*)(?:\|([^\]]+))?\]\]")  # code in backticks is found first, and kept


def filled(text: str, words: Mapping[str, str]) -> str:
    """`text` with its marks filled in.

    Raises KeyError with the mark if its name is neither one of `words` nor a topic.
    """

    def fill(mark: re.Match[str]) -> str:
        name, label = mark.groups()
        if name is None:
            return mark[0]
        if name in TOPICS:
            return link(TOPICS[name], label=label)
        if name not in words or label:
            raise KeyError(mark[0])
        return words[name]

    return MARK.sub(fill, text)


def link(chapter: Chapter, folder: str = "notebooks", label: str | None = None, root: str = "../") -> str:
    """A Markdown link to a notebook of a chapter, from one that is beside it or in a neighbouring folder.

    By default it shows number and title. `root` is the path from the page to the root of the course.
    """
    shown = (label or f"# · {chapter.title}").replace("#", chapter.number)
    return f"[{shown}]({root}{chapter.path(folder)})"


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
        words["tasks"] = link(chapter, "exercises", "Tasks for this chapter")
    if after := next_chapter(chapter):
        words["next"] = link(after)
    return words


def next_chapter(chapter: Chapter) -> Chapter | None:
    """The chapter after this one; None after the last."""
    return next(iter(CONTENTS[CONTENTS.index(chapter) + 1 :]), None)


def sections(topic: str) -> dict[str, int]:
    """The minutes of each section of a lesson by its heading, from its words of prose."""
    _, *parts = re.split(r"(?m)^# ## (.*)\n", prose(topic))
    return {name: max(1, round(count_words(text) / WORDS_A_MINUTE)) for name, text in zip(*[iter(parts)] * 2)}


def prose(topic: str) -> str:
    """The Markdown of a lesson, as its file has it."""
    cells = re.split(r"(?m)^# %%", lesson_file(topic).read_text(encoding="utf-8"))
    return "".join(cell.partition("\n")[2] for cell in cells if cell.startswith(" [markdown]"))


def count_words(text: str) -> int:
    """How many words there are in a text; a letter alone is none."""
    return len(re.findall(r"[A-Za-z]{2,}", text))


def deeper_minutes(topic: str) -> int:
    """What the sections of a lesson after its main line take in all, rounded to five minutes."""
    return 5 * round(sum(minutes for name, minutes in sections(topic).items() if name.startswith("Deeper")) / 5)


def core(topic: str) -> dict[str, int]:
    """The minutes of the parts of the core in a chapter. Parts that it lacks are left out; a test names them."""
    tasks = tasks_of(topic) if topic in topics() else {}
    found = sections(topic) | {name: task.minutes for name, task in tasks.items()}
    return {part: found[part] for part in CORE.get(topic, ()) if part in found}


def marked(text: str, topic: str) -> str:
    """Markdown of a lesson with a line under each heading of the core, and one that leads on above what comes next."""
    found, every = core(topic), list(sections(topic))
    below = {part: f"\n\n*Core: {minutes} minute{'s' * (minutes > 1)}*" for part, minutes in found.items()}
    last = max((every.index(part) for part in found if part in every), default=len(every))
    above = {every[last + 1]: f"{core_goes_on(topic)}\n\n"} if last + 1 < len(every) else {}
    return re.sub(r"(?m)^## (.*)$", lambda line: above.get(line[1], "") + line[0] + below.get(line[1], ""), text)


def core_goes_on(topic: str, task: str = "") -> str:
    """A sentence that leads on in the core: after a lesson to its task, and after its last task to the next chapter."""
    tasks = [part for part in core(topic) if part not in sections(topic)]
    steps = [
        link(TOPICS[topic], "exercises", f"the task `{part}`") for part in tasks[tasks.index(task) + 1 if task else 0 :]
    ]
    if later := list(CORE)[list(CORE).index(topic) + 1 :]:
        steps.append(f"“{CORE[later[0]][0]}” in {link(TOPICS[later[0]])}")
    if not steps:
        return "**This is the end of the core.**"
    return f"**The core goes on** with {', then '.join(steps)}. It needs only the core before it."
