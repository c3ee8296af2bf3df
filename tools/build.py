"""python3 course.py build [TOPIC …] [--check]: course_chapters/ → notebooks/, exercises/ and solutions/.

Without topics, every chapter, and what README.md and docs/teaching.md count (tools/tables.py). Notebooks and solutions
are executed, exercises are not. A notebook keeps its outputs as long as its code is the same, and every file of the
course that its kernel read: a changed sentence runs nothing. A cell that errors stops the build. A notebook that was
edited by hand is never overwritten. --check runs nothing: it says what is not as it would be built, or was executed
before a file changed.

In all Markdown, [[t5_buckets]] becomes a link (tools/links.py).
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_chapters import lesson_file, tasks_of, topics
from course_kit.contents import CONTENTS, KINDS, TOPICS, Chapter
from course_lib import __version__
from tools.address import address, open_in_colab
from tools.cells import edited, fingerprint, new_id
from tools.links import core, core_goes_on, filled, lesson_words, link, marked, next_chapter
from tools.outputs import BuildError, changed, execute, keep_outputs, lasting
from tools.tables import outdated

ROOT = Path(__file__).resolve().parent.parent
SETUP = """\
# @title Set-up: choose Run All Cells
import sys
from importlib.util import find_spec
from pathlib import Path
places = (Path.cwd(), *Path.cwd().parents, *Path.cwd().glob("*/"))  # the course is above this notebook, or just below
sys.path[:0] = [str(folder) for folder in places if (folder / "course_lib").is_dir()][:1]
if find_spec("course_lib") is None:
    {otherwise}"""
INSTALL = "%pip install --quiet --no-deps git+{address}@v{version}"  # on Colab
HOMELESS = (
    'raise ImportError("This notebook needs the folder of the course, the one with the file course.py. Put it there, '
    'or put that folder beside it. The first page of the site says where to get the course.")'
)
START_TASKS = """\
This page has the tasks of the lesson {lesson}. {words} No task needs an earlier one.

**To start,** choose *Run All Cells* in the menu *Run*, and again after each restart of the kernel. Every task then says
*not attempted*. It stops at the first cell that fails: correct that cell, or put its `...` back, and choose it again.
If a cell says `NameError`, choose it, too.

**For each task,** write your answer in place of the `...`, or fix the code that is there. Run that cell with
Shift+Enter, then the check below it. Below the check are hints, and a click opens them. If a check does not answer
within a minute, restart the kernel in the menu *Kernel*, and change your answer before you run everything again."""
START_SOLUTIONS = """\
This page has a right answer to each of the {tasks} of the lesson {lesson}. To run them all, choose *Run All Cells* in
the menu *Run*."""
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # code that JupyterLab and Colab fold away


def chapter_notebooks(chapter: Chapter) -> dict[Path, NotebookNode]:
    """The notebooks of one chapter, not yet executed, by the path they belong to."""
    notebooks = {"notebooks": lesson(chapter)}
    if chapter.topic in topics():
        notebooks |= {folder: task_notebook(folder, chapter) for folder in ("exercises", "solutions")}
    return {ROOT / chapter.path(folder): nb for folder, nb in notebooks.items()}


def lesson(chapter: Chapter) -> NotebookNode:
    """The lesson (jupytext's percent text) with the Colab link under its title and the set-up cell."""
    source = lesson_file(chapter.topic)
    title, *cells = from_percent(source.read_text(encoding="utf-8"))
    if title.cell_type != "markdown":
        raise BuildError(f"{where(source)}: expected a first cell `# %% [markdown]` with the title")
    fill_in([title, *cells], where(source), lesson_words(chapter))
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = marked(cell.source, chapter.topic)
    return notebook("notebooks", chapter, title.source, cells)


def from_percent(text: str) -> list[NotebookNode]:
    """The cells of jupytext's percent text, with their tags and nothing else of their metadata."""
    cells = jupytext.reads(text, fmt="py:percent").cells if text else []
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = {"tags": tags} if tags else {}
        if "hide-input" in tags:  # a question: its code holds the answer
            cell.metadata |= FOLDED
    return cells


def fill_in(cells: list[NotebookNode], file: str, words: dict[str, str]) -> None:
    """Fill in the marks of all Markdown cells; BuildError names one that means nothing."""
    try:
        for cell in cells:
            if cell.cell_type == "markdown":
                cell.source = filled(cell.source, words)
    except KeyError as error:
        raise BuildError(f"{file}: {error.args[0]}: expected one of {', '.join([*words, *TOPICS])}") from None


def task_notebook(folder: str, chapter: Chapter) -> NotebookNode:
    """The tasks of a chapter: how to start, each task as it is asked or answered, and what is next."""
    module = importlib.import_module(f"course_chapters.{chapter.topic}.tasks")
    _, _, words = (module.__doc__ or "").partition("\n")
    asked, cells = folder == "exercises", [new_code_cell(module.PREPARE)]
    for number, (name, task) in enumerate(tasks_of(module).items(), 1):
        stars = "★" * task.difficulty + "☆" * (3 - task.difficulty)
        in_core = name in core(chapter.topic)
        first = " · one to begin with" * task.first + " · in the core" * in_core
        heading = f"## {number}. {task.title}\n\n*{task.minutes} minutes · {stars}{first}*\n\n{task.words}"
        answer, check = task.stub() if asked else task.solution_source(), f"task.{name}.check({name})"
        cells += [new_markdown_cell(heading), new_code_cell(answer), new_code_cell(check)]
        cells += [new_markdown_cell(folded_hints(task.hints))] * asked
        cells += [new_markdown_cell(core_goes_on(chapter.topic, name))] if in_core else []
        cells += from_percent(task.after)
    cells += what_next(folder, chapter)
    fill_in(cells, f"course_chapters/{chapter.topic}/tasks", {})
    kind, start = {"exercises": ("Tasks", START_TASKS), "solutions": ("Solutions", START_SOLUTIONS)}[folder]
    start = start.format(lesson=link(chapter), tasks=link(chapter, "exercises", "tasks"), words=words.strip())
    return notebook(folder, chapter, f"# {kind} {chapter.number}: {chapter.title}\n\n{start}", cells)


def folded_hints(hints: Sequence[str]) -> str:
    """Hints that open at a click, in Markdown."""
    count = len(hints)
    return "\n".join(
        f"<details><summary>Hint {number} of {count}</summary>\n\n{hint}\n\n</details>"
        for number, hint in enumerate(hints, 1)
    )


def what_next(folder: str, chapter: Chapter) -> list[NotebookNode]:
    """The end of a page of tasks: where to go from here, and which tasks of the chapter are done."""
    after = next_chapter(chapter)
    words = f"The next lesson is {link(after)}." if after else "This was the last chapter."
    if folder == "solutions":
        return [new_markdown_cell(f"## What is next\n\n{words}")]
    words += f" Compare with the {link(chapter, 'solutions', 'solutions')}. The tasks that you have passed:"
    code = f'from course_chapters.progress import progress\n\nprogress("{chapter.topic}")'
    return [new_markdown_cell(f"## What is next\n\n{words}"), new_code_cell(code)]


def notebook(folder: str, chapter: Chapter, opening: str, cells: list[NotebookNode]) -> NotebookNode:
    """A notebook: its opening words, the set-up cell and these cells, with ids that depend on content alone."""
    published = address(ROOT)
    if colab := open_in_colab(published, __version__, chapter.path(folder)):
        heading, _, rest = opening.partition("\n")
        opening = f"{heading}\n\n{colab}\n{rest}"
    otherwise = INSTALL.format(address=published, version=__version__) if published else HOMELESS
    cells = [new_markdown_cell(opening), new_code_cell(SETUP.format(otherwise=otherwise), metadata=FOLDED), *cells]
    seen: set[str] = set()
    for cell in cells:
        cell.id = new_id(chapter.topic, cell, seen)
        seen.add(cell.id)
    made = new_notebook(cells=cells)
    made.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "built": {"fingerprint": fingerprint(made)},
    }
    return nbformat.from_dict(made)


def write(nb: NotebookNode, path: Path) -> str:
    """Write the notebook, executed if anything that its outputs depend on has changed; returns what was done."""
    old = read(path)
    if old is not None and edited(old):
        raise BuildError(
            f"{where(path)} was edited by hand and is left as it is. Carry what you want to keep over to its source, "
            "then delete it and build again."
        )
    path.parent.mkdir(exist_ok=True)
    done = "written"
    if path.parent.name != "exercises":
        if old is not None and not changed(nb, old, path):
            keep_outputs(nb, old)
            nb.metadata["built"]["ran_with"] = old.metadata["built"]["ran_with"]
        else:
            execute(nb, path)
            done = "executed"
            if old is not None and lasting(old) == lasting(nb):  # a picture's bytes differ without a reason
                keep_outputs(nb, old)
    if old is not None and nbformat.writes(old) == nbformat.writes(nb):
        return "unchanged"
    save(nb, path)
    return done


def read(path: Path) -> NotebookNode | None:
    """The notebook in the file, None when there is none."""
    return nbformat.read(path, as_version=4) if path.exists() else None


def save(nb: NotebookNode, path: Path) -> None:
    """Write beside the old file, then put it in its place: a build that is cut off loses nothing."""
    draft = path.with_suffix(".draft")
    draft.write_text(nbformat.writes(nb) + "\n", encoding="utf-8", newline="\n")
    draft.replace(path)


def differences(path: Path, nb: NotebookNode) -> list[str]:
    """What is out of date in the file at `path`, in sentences; empty when it is what the build would write."""
    old = read(path)
    if old is None:
        return [f"{where(path)} is missing"]
    found = []
    if edited(old):
        found.append(f"{where(path)} was edited by hand")
    elif [(cell.id, cell.metadata) for cell in old.cells] != [(cell.id, cell.metadata) for cell in nb.cells]:
        found.append(f"{where(path)} is older than its source")
    counts = [cell.execution_count for cell in old.cells if cell.cell_type == "code"]
    if path.parent.name != "exercises" and counts != list(range(1, len(counts) + 1)):  # nbval skips what has none
        found.append(f"{where(path)} was not executed from top to bottom")
    elif path.parent.name != "exercises" and not found and (new := changed(nb, old, path)):
        found.append(f"{where(path)} was executed before this changed: {', '.join(new)}")
    return found


def pages() -> dict[Path, str]:
    """README.md and the teaching page where their numbers are old, with their new text."""
    try:
        return outdated(ROOT)
    except ValueError as error:
        raise BuildError(f"README.md or docs/teaching.md: {error}") from None


def where(path: Path) -> str:
    """The path as a person would say it, from the repository's root."""
    return path.relative_to(ROOT).as_posix()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="course.py build", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("chapters", nargs="*", metavar="TOPIC", help="such as t5_buckets; all when none is given")
    parser.add_argument("--check", action="store_true", help="run nothing, report what is out of date")
    options = parser.parse_args(arguments)
    chapters = [chapter for chapter in CONTENTS if lesson_file(chapter.topic).exists()]
    if unknown := set(options.chapters) - {chapter.topic for chapter in chapters}:
        parser.error(f"course_chapters/ has no lesson on {', '.join(sorted(unknown))}")
    chosen = [chapter for chapter in chapters if not options.chapters or chapter.topic in options.chapters]
    try:
        notebooks = {path: built for chapter in chosen for path, built in chapter_notebooks(chapter).items()}
        if options.check:
            found = [line for path, nb in notebooks.items() for line in differences(path, nb)]
            strays = [path for folder in KINDS for path in sorted((ROOT / folder).glob("*.ipynb"))]
            paths = {chapter.path(folder) for chapter in chapters for folder in KINDS}
            found += [f"{where(path)} has no source" for path in strays if where(path) not in paths]
            if not options.chapters:
                found += [f"{where(path)} has old numbers: `course.py build` writes them" for path in pages()]
            print("\n".join(found) or f"{len(notebooks)} notebooks are up to date")
            return bool(found)
        for path, nb in notebooks.items():
            print(f"{where(path)}: {write(nb, path)}", flush=True)
        for path, text in ({} if options.chapters else pages()).items():
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{where(path)}: written")
    except BuildError as error:
        print(f"build stopped: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
