"""A slip: the body a learner might write, and words that the answer to it must hold."""

import linecache
import sys

import pytest

# What the checker could say that is true by accident and helps nobody.
ACCIDENTAL = ("a boundary?", "Right when", "never reads", "count the ends", "All other cases are right")


def each(slips):
    """Parametrize a test over {task: {what was done: (body, words)}}."""
    found = [
        pytest.param(name, *slip, id=f"{name}: {says}") for name, made in slips.items() for says, slip in made.items()
    ]
    return pytest.mark.parametrize(("name", "body", "words"), found)


def told(task, body):
    """What the check says to this body, which must not be true by accident."""
    if task.tensors:
        pytest.importorskip("torch")
    text = repr(task.check(cell(body, task)))
    for accident in ACCIDENTAL:
        assert accident not in text, text
    return text


def cell(body, task):
    """The function a learner has after running the exercise's first cell and then one with this body."""
    chapter = sys.modules[".".join(task.home.__module__.split(".")[:3])]  # course_lib.tasks.chNN
    head = next(line for line in task.solution_source().splitlines() if line.startswith("def "))
    lines = body.strip("\n")
    text = f"import math\n{chapter.PREPARE}\n{head}\n{lines}\n"
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    scope = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), scope)
    return scope[task.name]
