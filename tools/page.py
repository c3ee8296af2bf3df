"""What learners get from the page of a task, for its author.

    .venv/bin/python -m tools.page rope/rope

It lists the wrong lines and programs of the page, or the wrong answers of a prediction: ✓ if a learner who writes it
reads its message and no other, else ✗ and what this learner reads. A line without a message has that of the next line,
with =, which shows whether one was forgotten. `transcript.py` says which recorded answers get no cause.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from course_chapters import FOLDER
from course_kit.checking import CodingTask, Exercise, Prediction, Result
from course_kit.checking.lines import split
from tools import transcript


def wrong_ones(task: Exercise) -> Iterator[tuple[str, str, str]]:
    """Each wrong line, program or answer of a page with its mark, and what a learner reads who gives it.

    Of a line that has its own message and shows it, this is "".
    """
    if isinstance(task, CodingTask):
        silent = {code for code, words in map(split, task.wrong_programs.lines.splitlines()) if not words}
        for line, code, message, program in task.wrong_programs.on_page:
            result = task.check(program)
            error = f"  (raises {result.facts[-1]})" if result.status == "raised" else ""
            words = other_words(result, message)
            if code in silent and not words:
                yield "=", f"{line:4}  {code}{error}", f"as the next line: {message}"
            else:
                yield "✗" if words else "✓", f"{line:4}  {code}{error}", words
    if isinstance(task, Prediction):
        for values, message in task.wrong_answers:
            words = other_words(task.check({**task.expected(), **values}), message)
            yield "✗" if words else "✓", f"      {values}", words


def other_words(result: Result, message: str) -> str:
    """What a learner reads besides a message or in its place, or ""."""
    if result.passed:
        return "NOT WRONG: it is right in all cases"
    if result.cause == message:
        return ""
    return f"{'read' if message in result.cause else 'NEVER READ'}: {result.cause or result}"


def main(key: str) -> None:
    """Say what learners get from the page of a task, such as "rope/rope"."""
    task = transcript.chosen(key)
    print(Path(str(sys.modules[task.module].__file__)).relative_to(FOLDER.parent))
    try:
        found = list(wrong_ones(task))
    except ValueError as error:  # a line that is no Python, or that has no place in the solution
        sys.exit(f"A wrong line cannot be tried: {error}".replace(f"{FOLDER.parent}/", ""))
    for mark, shown, words in found:
        print(f"{mark} {shown}", *[f"        {words}"] * bool(words), sep="\n")
    print(f"{sum(mark != '✗' for mark, *_ in found)} of {len(found)} show their message, and no other.")


if __name__ == "__main__":
    main(*sys.argv[1:])
