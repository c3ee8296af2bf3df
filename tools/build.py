"""python3 course.py build [TOPIC …] [--check]: source/ and course_tasks/ → notebooks/, exercises/ and solutions/.

Without topics, every chapter. Notebooks and solutions are executed, exercises are not. A cell that errors stops the
build with its file and line. A file whose content would not change is left alone, byte for byte, and a notebook that
was edited by hand is never overwritten. --check runs nothing: it compares what is there with what would be built.

In all Markdown, [[t5_buckets]] becomes a link (tools/links.py).
"""

import argparse
import importlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_kit.contents import CONTENTS, TOPICS, Chapter  # noqa: E402
from course_kit.display.widget import WIDGET  # noqa: E402
from course_tasks import tasks_of, topics  # noqa: E402
from tools.address import address, open_in_colab  # noqa: E402
from tools.cells import content, edited, fingerprint, new_id  # noqa: E402
from tools.links import core, filled, lesson_words, marked  # noqa: E402

FOLDERS = ("notebooks", "exercises", "solutions")
SECONDS_PER_CELL = 120
SETUP = """\
# @title Set-up: run this first
import sys
from importlib.util import find_spec
from pathlib import Path
places = (Path.cwd(), *Path.cwd().parents, *Path.cwd().glob("*/"))  # the course is above this notebook, or just below
sys.path[:0] = [str(folder) for folder in places if (folder / "course_lib").is_dir()][:1]
if find_spec("course_lib") is None:
    {otherwise}"""
INSTALL = "%pip install --quiet --no-deps git+{address}@v{version}"  # on Colab
HOMELESS = (
    'raise ImportError("Put this notebook back into the folder of the course, or the unpacked course beside it.")'
)
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # code that JupyterLab and Colab fold away
Origin = tuple[Path, int]  # the file and line a cell was written in


class BuildError(Exception):
    """What is wrong and where, in one message for the author."""


@dataclass(frozen=True)
class Built:
    """A notebook and, for each of its cells, where it comes from."""

    nb: NotebookNode
    origins: list[Origin]


# ---- from text to notebooks


def chapter_notebooks(chapter: Chapter) -> dict[Path, Built]:
    """The notebooks of one chapter, not yet executed, by the path they belong to."""
    notebooks = {ROOT / "notebooks" / f"{chapter.file}.ipynb": lesson(chapter)}
    if chapter.topic in topics():
        for folder in ("exercises", "solutions"):
            built = task_notebook(chapter, solved=folder == "solutions")
            notebooks[ROOT / folder / f"{chapter.file}.ipynb"] = built
    return notebooks


def source_of(chapter: Chapter) -> Path:
    return ROOT / "source" / f"{chapter.file}.py"


def lesson(chapter: Chapter) -> Built:
    """The lesson (jupytext's percent text) with the Colab link under its title and the set-up cell."""
    source = source_of(chapter)
    text = source.read_text(encoding="utf-8")
    starts = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")]
    cells = from_percent(text)
    if len(cells) != len(starts):
        raise BuildError(f"{where(source)}: expected cells that begin with '# %%'")
    written = [(cell, (source, start + 1)) for cell, start in zip(cells, starts, strict=True)]
    for cell, origin in written:
        fill_in(cell, origin, "", lesson_words(chapter))
        if cell.cell_type == "markdown":
            cell.source = marked(cell.source, chapter.topic)
    return notebook("notebooks", chapter, cells[0].source, written[1:])


def from_percent(text: str) -> list[NotebookNode]:
    """The cells of jupytext's percent text, with their tags and nothing else of their metadata."""
    cells = jupytext.reads(text, fmt="py:percent").cells if text else []
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = {"tags": tags} if tags else {}
        if "hide-input" in tags:  # a question: its code holds the answer
            cell.metadata |= FOLDED
    return cells


def fill_in(cell: NotebookNode, origin: Origin, lessons: str, words: dict[str, str]) -> None:
    """Fill in the marks of a Markdown cell; BuildError names one that means nothing, and the line of its cell."""
    try:
        if cell.cell_type == "markdown":
            cell.source = filled(cell.source, lessons, words)
    except KeyError as error:
        file, line = origin
        expected = ", ".join([*words, *TOPICS])
        raise BuildError(f"{where(file)}, line {line}: {error.args[0]}: expected one of {expected}") from None


def task_notebook(chapter: Chapter, *, solved: bool) -> Built:
    """The tasks of a chapter: words, the learner's cell (blank or solved), the check, and what comes after it."""
    module = importlib.import_module(f"course_tasks.{chapter.topic}")
    _, _, words = (module.__doc__ or "").partition("\n")
    written = [(new_code_cell(module.PREPARE), (Path(str(module.__file__)), 1))]
    for number, (task_name, task) in enumerate(tasks_of(module).items(), 1):
        stars = "★" * task.difficulty + "☆" * (3 - task.difficulty)
        first = " · one to begin with" * task.first + " · in the core" * (task_name in core(chapter.topic))
        heading = f"## {number}. {task.title}\n\n*{task.minutes} minutes · {stars}{first}*\n\n{task.words}"
        answer = task.solution_source() if solved else task.stub()
        cells = new_markdown_cell(heading), new_code_cell(answer), new_code_cell(f"task.{task_name}.check({task_name})")
        written += [(cell, task.origin()) for cell in (*cells, *from_percent(task.after))]
    folder = "solutions" if solved else "exercises"
    kind = "Solutions" if solved else "Tasks"
    for cell, origin in written:
        fill_in(cell, origin, "../notebooks/", {})
    return notebook(folder, chapter, f"# {kind} {chapter.number}: {chapter.title}\n\n{words.strip()}", written)


def notebook(folder: str, chapter: Chapter, opening: str, written: list[tuple[NotebookNode, Origin]]) -> Built:
    """A notebook: its opening words, the set-up cell and the written cells, with ids that depend on content alone."""
    published, version = address(ROOT), importlib.import_module("course_lib").__version__
    if link := open_in_colab(published, version, f"{folder}/{chapter.file}.ipynb"):
        heading, _, rest = opening.partition("\n")
        opening = f"{heading}\n\n{link}\n{rest}"
    otherwise = INSTALL.format(address=published, version=version) if published else HOMELESS
    first = [new_markdown_cell(opening), new_code_cell(SETUP.format(otherwise=otherwise), metadata=FOLDED)]
    seen: set[str] = set()
    written = [*((cell, (Path(__file__), 1)) for cell in first), *written]
    for cell, _ in written:
        cell.id = new_id(chapter.topic, cell, seen)
        seen.add(cell.id)
    made = new_notebook(cells=[cell for cell, _ in written])
    made.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "built": {"fingerprint": fingerprint(made)},
    }
    return Built(nbformat.from_dict(made), [origin for _, origin in written])


# ---- from notebooks to files


def execute(built: Built, path: Path) -> None:
    """Run every cell in the notebook's own folder and keep the outputs; BuildError names the cell that fails."""
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    started: list[int] = []
    client = NotebookClient(
        built.nb, timeout=SECONDS_PER_CELL, resources={"metadata": {"path": str(path.parent)}},
        record_timing=False, store_widget_state=False, coalesce_streams=True,
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
        config=Config(KernelManager={"transport_encryption": "auto"}),  # without it each kernel prints a warning
    )  # fmt: skip
    try:
        client.execute()
    except CellExecutionError as error:
        raise BuildError(failure(built, path, started[-1], f"{error.ename}: {error.evalue}")) from None
    except (CellTimeoutError, DeadKernelError) as error:
        raise BuildError(failure(built, path, started[-1], str(error).strip().splitlines()[0])) from None
    for cell in built.nb.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)


def failure(built: Built, path: Path, k: int, what: str) -> str:
    """Where the run stopped: source file and line, the cell, and what happened there."""
    cell, (file, start) = built.nb.cells[k], built.origins[k]
    trace = "\n".join(line for o in cell.outputs if o.output_type == "error" for line in o.traceback)
    lines = re.findall(r"Cell In\[\d+\], line (\d+)", re.sub(r"\x1b\[[\d;]*m", "", trace))
    line = int(lines[0]) if lines else 1
    shown = cell.source.splitlines()[line - 1].strip()
    return f"{where(file)}, line {start + line - 1} (cell {k + 1} of {where(path)}): {what}\n    {shown}"


def write(built: Built, path: Path) -> str:
    """Execute the notebook and write it, unless the old file says the same already; returns what was done."""
    old = read(path)
    if old is not None and edited(old):
        raise BuildError(
            f"{where(path)} was edited by hand and is left as it is. Carry what you want to keep over to "
            f"{where(built.origins[-1][0])}, then delete {where(path)} and build again."
        )
    path.parent.mkdir(exist_ok=True)
    if path.parent.name != "exercises":
        execute(built, path)
    if old is not None and lasting(old) == lasting(built.nb):
        return "unchanged"
    save(built.nb, path)
    return "written"


def read(path: Path) -> NotebookNode | None:
    """The notebook in the file, None when there is none."""
    return nbformat.read(path, as_version=4) if path.exists() else None


def lasting(nb: NotebookNode) -> str:
    """What two builds must share: all but a picture's bytes and the outputs that nbval is told to ignore."""
    nb = nbformat.from_dict(nb)
    for cell in nb.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
    return re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "PNG", nbformat.writes(nb))


def save(nb: NotebookNode, path: Path) -> None:
    """Write beside the old file, then put it in its place: a build that is cut off loses nothing."""
    draft = path.with_suffix(".draft")
    draft.write_text(nbformat.writes(nb) + "\n", encoding="utf-8", newline="\n")
    draft.replace(path)


# ---- the check


def differences(path: Path, built: Built) -> list[str]:
    """What is out of date in the file at `path`, in sentences; empty when it is what the build would write."""
    old, nb = read(path), built.nb
    if old is None:
        return [f"{where(path)} is missing"]
    found = []
    if content(old) != content(nb) or [c.id for c in old.cells] != [c.id for c in nb.cells]:
        pairs = zip(content(old), content(nb))
        first = next((n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(old.cells), len(nb.cells)))
        cause = "edited by hand" if edited(old) else "older than its source"
        found.append(f"{where(path)} differs from {where(built.origins[-1][0])} at cell {first}: {cause}")
    counts = [cell.execution_count for cell in old.cells if cell.cell_type == "code"]
    if path.parent.name != "exercises" and counts != list(range(1, len(counts) + 1)):  # nbval skips what has none
        found.append(f"{where(path)} was not executed from top to bottom")
    return found


def where(path: Path) -> str:
    """The path as a person would say it, from the repository's root."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="course.py build", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("chapters", nargs="*", metavar="TOPIC", help="such as t5_buckets; all when none is given")
    parser.add_argument("--check", action="store_true", help="run nothing, report what is out of date")
    options = parser.parse_args(arguments)
    chapters = [chapter for chapter in CONTENTS if source_of(chapter).exists()]
    if unknown := set(options.chapters) - {chapter.topic for chapter in chapters}:
        parser.error(f"source/ has no lesson on {', '.join(sorted(unknown))}")
    chosen = [chapter for chapter in chapters if not options.chapters or chapter.topic in options.chapters]
    try:
        notebooks = {path: built for chapter in chosen for path, built in chapter_notebooks(chapter).items()}
        if options.check:
            found = [line for path, built in notebooks.items() for line in differences(path, built)]
            files = {chapter.file for chapter in chapters}
            strays = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
            found += [f"{where(path)} has no source" for path in strays if path.stem not in files]
            print("\n".join(found) or f"{len(notebooks)} notebooks are up to date")
            return bool(found)
        for path, built in notebooks.items():
            print(f"{where(path)}: {write(built, path)}", flush=True)
    except BuildError as error:
        print(f"build stopped: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
