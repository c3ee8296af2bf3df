"""What learners get from the page of a task: for its author, in seconds.

    .venv/bin/python -m tests.tasks.page rope/rope             since the last commit
    .venv/bin/python -m tests.tasks.page rope/rope main        since another one

It lists the wrong lines and programs of the page, or the wrong answers of a prediction: ✓ if a learner who writes it
reads its message and no other, else what this learner reads. Then it lists the recorded answers (`transcript.py`) to
which the page now says something else.
"""

import copy
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from course_chapters import tasks_of, topics
from course_kit.checking import CodingTask, Exercise, Prediction, Result
from course_kit.checking.matching import Wrong, matching
from course_kit.checking.pages import exercise
from course_kit.checking.spec import attempt

from .. import ROOT
from . import transcript
from .notebook import defined


def wrong_ones(task: Exercise) -> Iterator[tuple[str, str]]:
    """Each wrong line, program or answer of a page, and what a learner reads who gives it; "" for its own message."""
    if isinstance(task, CodingTask):
        for line, code, message, program in task.wrong_programs.on_page:
            result = task.check(program)
            error = f"  (raises {result.facts[-1]})" if result.status == "raised" else ""
            yield f"{line:4}  {code}{error}", other_words(result, message)
    if isinstance(task, Prediction):
        for values, message in task.wrong_answers:
            yield f"      {values}", other_words(task.check({**task.expected(), **values}), message)


def other_words(result: Result, message: str) -> str:
    """What a learner reads besides a message or in its place, or ""."""
    if result.passed:
        return "NOT WRONG: it is right in all cases"
    if result.cause == message:
        return ""
    return f"{'read' if message in result.cause else 'NEVER READ'}: {result.cause or result}"


def changed(before: Exercise, now: Exercise, answers: Iterable[transcript.Entry], whole: bool) -> Iterator[str]:
    """Each recorded wrong answer to which two versions of a page say something else, and what they say.

    Unless `whole`, the versions differ only in wrong lines, and only answers that one of these explains are checked.
    """
    lines = touched(before, now)
    for answer in answers:
        if "right" in answer or not (whole or explained(now, answer, lines)):
            continue
        was, is_now = (transcript.answered(task, answer) for task in (before, now))
        if was.cause != is_now.cause or was.known != is_now.known:
            words = [f"{'named' if one.known else 'NOT NAMED'}: {one.cause or one.status}" for one in (was, is_now)]
            yield f"{answer['source'].rstrip()}\n  before  {words[0]}\n  now     {words[1]}"


def touched(before: Exercise, now: Exercise) -> list[Wrong]:
    """The wrong programs that only one of two versions of a page has, or that have another message."""
    if not isinstance(before, CodingTask) or not isinstance(now, CodingTask):
        return []
    old, new = ({one[1:3]: (one.message, one.program) for one in task.wrong_programs.on_page} for task in (before, now))
    return [(old | new)[key] for key in old.keys() ^ new.keys()]


def explained(task: CodingTask, answer: transcript.Entry, programs: list[Wrong]) -> bool:
    """Whether one of these programs does what a recorded answer does."""
    spec = copy.copy(task.spec)
    spec.seconds = transcript.SECONDS
    tried = attempt(spec, defined(answer["source"], task.name))
    return tried.first is not None and bool(matching(tried, programs))


def main(key: str, commit: str = "HEAD") -> None:
    """Say what learners get from the page of a task, such as "rope/rope", and what is new since a commit."""
    topic, _, name = key.partition("/")
    task = tasks_of(topic).get(name) if topic in topics() else None
    if not isinstance(task, CodingTask | Prediction):
        sys.exit(f"{key}: expected the topic and the task of a page, such as rope/rope")
    module = sys.modules[task.home.__module__]
    file = Path(str(module.__file__)).relative_to(ROOT)
    print(file)
    many, own = 0, 0
    for shown, words in wrong_ones(task):
        many, own = many + 1, own + (not words)
        print(f"{'✗' if words else '✓'} {shown}", *[f"        {words}"] * bool(words), sep="\n")
    print(f"{own} of {many} show their own message, and no other.\n")

    old = subprocess.run(["git", "show", f"{commit}:{file}"], cwd=ROOT, capture_output=True, text=True, check=False)
    text = (ROOT / file).read_text(encoding="utf-8")
    if old.returncode or old.stdout == text:
        print(f"The page is new since {commit}." if old.returncode else f"The page is as in {commit}.")
        return
    with tempfile.TemporaryDirectory() as folder:
        before = of_text(old.stdout, module.__name__, Path(folder) / file.name)
        whole = isinstance(task, Prediction) or without_lines(before, old.stdout) != without_lines(task, text)
        found = list(changed(before, task, transcript.read(key), whole))
    print(*found, f"recorded answers that get other words than in {commit}: {len(found)}", sep="\n\n")


def of_text(text: str, name: str, file: Path) -> Exercise:
    """The exercise of a page that is written to a file and imported as a module of this name."""
    file.write_text(text, encoding="utf-8")
    spec = spec_from_file_location(name, file)
    page = module_from_spec(spec)
    spec.loader.exec_module(page)
    return exercise(page)


def without_lines(task: CodingTask, page: str) -> str:
    """The text of a page without its wrong lines."""
    return page.replace(task.wrong_programs.lines, "")


if __name__ == "__main__":
    main(*sys.argv[1:])
