"""What a cell of an exercise's notebook defines."""

import linecache
import sys
from typing import Any

from course_kit.checking import Exercise


def defined(source: str, name: str, scope: dict[str, Any] | None = None) -> Any:
    """What a source defines under a name after a cell that made `scope`; its lines can be shown as a cell's can."""
    file = f"<cell {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {"__name__": "__main__", **(scope or {})}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def prepared(task: Exercise) -> dict[str, Any]:
    """The names that the first cell of the chapter's exercises makes."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(sys.modules[".".join(task.module.split(".")[:3])].PREPARE, scope)  # course_chapters.TOPIC.tasks
    return scope
