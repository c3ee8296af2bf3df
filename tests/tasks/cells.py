"""A learner's function, as the exercise's notebook makes it."""

import linecache
import sys


def cell(body, task):
    """The function a learner has after running the exercise's first cell and then one with this body."""
    topic = sys.modules[".".join(task.home.__module__.split(".")[:2])]  # course_tasks.TOPIC
    head = next(line for line in task.solution_source().splitlines() if line.startswith("def "))
    lines = body.strip("\n")
    text = f"import math\n{topic.PREPARE}\n{head}\n{lines}\n"
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), scope)
    return scope[task.name]
