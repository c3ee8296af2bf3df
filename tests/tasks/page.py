"""What learners get from the page of a task, for its author.

    .venv/bin/python -m tests.tasks.page rope/rope             since the last commit
    .venv/bin/python -m tests.tasks.page rope/rope main        since another one

Within seconds it lists the wrong lines and programs of the page, or the wrong answers of a prediction: ✓ if a learner
who writes it reads its message and no other, else what this learner reads. If the page has changed, it then tries the
recorded answers (`transcript.py`), a minute for a hundred, and shows those to which the page now says something else.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from course_kit.checking import CodingTask, Exercise, Prediction, Result
from course_kit.checking.pages import exercise

from .. import ROOT
from . import transcript


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


def changed(before: Exercise, now: Exercise, answers: Iterable[transcript.Entry]) -> Iterator[str]:
    """Each recorded wrong answer to which two versions of a page say something else, and what they say."""
    for answer in answers:
        if "right" in answer:
            continue
        was, is_now = (transcript.answered(task, answer) for task in (before, now))
        if was.cause != is_now.cause or was.named != is_now.named:
            words = [f"{'named' if one.named else 'NOT NAMED'}: {one.cause or one.status}" for one in (was, is_now)]
            yield f"{answer['source'].rstrip()}\n  before  {words[0]}\n  now     {words[1]}"


def main(key: str, commit: str = "HEAD") -> None:
    """Say what learners get from the page of a task, such as "rope/rope", and what is new since a commit."""
    task = transcript.exercises().get(key)
    if not isinstance(task, CodingTask | Prediction):
        sys.exit(f"{key}: expected the topic and the task of a page, such as rope/rope")
    module = sys.modules[task.module]
    file = Path(str(module.__file__)).relative_to(ROOT)
    found = list(wrong_ones(task))
    print(file)
    for shown, words in found:
        print(f"{'✗' if words else '✓'} {shown}", *[f"        {words}"] * bool(words), sep="\n")
    print(f"{sum(not words for _, words in found)} of {len(found)} show their own message, and no other.\n")

    old = subprocess.run(["git", "show", f"{commit}:{file}"], cwd=ROOT, capture_output=True, text=True, check=False)
    if old.returncode or old.stdout == (ROOT / file).read_text(encoding="utf-8"):
        print(f"The page is new since {commit}." if old.returncode else f"The page is as in {commit}.")
        return
    with tempfile.TemporaryDirectory() as folder:
        before = of_text(old.stdout, module.__name__, Path(folder) / file.name)
        others = list(changed(before, task, transcript.read(key)))
    print(*others, f"recorded answers that get other words than in {commit}: {len(others)}", sep="\n\n")


def of_text(text: str, name: str, file: Path) -> Exercise:
    """The exercise of a page that is written to a file and imported as a module of this name."""
    file.write_text(text, encoding="utf-8")
    spec = spec_from_file_location(name, file)
    assert spec and spec.loader  # as for every file of Python
    page = module_from_spec(spec)
    spec.loader.exec_module(page)
    return exercise(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
