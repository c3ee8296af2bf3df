"""When the outputs of a notebook are still right, and how it is executed when they are not.

They depend on its code, on every file of the course that its kernel read, on the packages and on the released model.
Solutions show nothing of what the page of a task says to a wrong answer, so that part of it does not count for them.
"""

import ast
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from traitlets.config import Config

from course_kit.contents import KINDS
from course_kit.display.widget import WIDGET

SECONDS_PER_CELL = 600
READ = "files_that_were_read"  # among Python's builtins, so that a lesson's own names are only its own
WATCH = (  # a kernel begins with it
    f"__import__('builtins').{READ} = set(); __import__('sys').addaudithook(lambda event, args: "
    f"event == 'open' and isinstance(args[0], str) and {READ}.add(__import__('os').path.abspath(args[0])))"
)
TELL = (  # and ends with it: what it opened, and the modules that it has, which Python may have read from its cache
    f"print(*{READ}, *(module.__file__ for module in list(__import__('sys').modules.values()) "
    "if getattr(module, '__file__', None)), sep='\\n')"
)
NOT_OURS = (".venv", "build", "mine", "model", *KINDS)  # the rest of the folder is the course
PINS = ("requirements.txt", "constraints.txt", "course_lib/released/wheel.txt")  # packages, and the released model


class BuildError(Exception):
    """What is wrong and where, in one message for the author."""


def hashes(nb: NotebookNode, path: Path, files: Iterable[str]) -> dict[str, str]:
    """What the outputs of the notebook at `path` depend on: its code, and these files of the course around it."""
    contents = {"its code": repr([cell.source for cell in nb.cells if cell.cell_type == "code"]).encode()}
    for file in map(path.parents[1].joinpath, sorted(files)):
        content = file.read_bytes() if file.exists() else b""
        if path.parent.name == "solutions" and file.parent.name == "tasks":
            content = for_right_answers(content)
        contents[file.relative_to(path.parents[1]).as_posix()] = content
    return {name: hashlib.sha256(content).hexdigest()[:12] for name, content in contents.items()}


def for_right_answers(page: bytes) -> bytes:
    """The page of a task without its hints, and without its wrong lines, programs and answers and their messages."""
    lines = page.splitlines()
    for node in reversed(ast.parse(page).body):
        match node:
            case ast.Assign(targets=[ast.Name("WRONG" | "HINTS")]):
                del lines[node.lineno - 1 : node.end_lineno]
            case ast.FunctionDef(name) if name.startswith("wrong_"):
                del lines[node.lineno - 1 : node.end_lineno]
    return b"\n".join(lines)


def changed(nb: NotebookNode, old: NotebookNode, path: Path) -> list[str]:
    """What has changed since the old notebook was executed, of all that its outputs depend on."""
    ran_with = old.metadata["built"].get("ran_with", {"its code": ""})
    now = hashes(nb, path, ran_with.keys() - {"its code"})
    return [name for name, hashed in ran_with.items() if now.get(name) != hashed]


def keep_outputs(nb: NotebookNode, old: NotebookNode) -> None:
    """Give a notebook the outputs of an older one with the same code."""
    cells = [[cell for cell in each.cells if cell.cell_type == "code"] for each in (nb, old)]
    for cell, before in zip(*cells, strict=True):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    nb.metadata.language_info = old.metadata.language_info


def execute(nb: NotebookNode, path: Path) -> None:
    """Run every cell in the notebook's own folder and keep the outputs; BuildError names the cell that fails."""
    root = path.parent.parent
    nb.cells.append(new_code_cell(TELL))
    os.environ["COURSE_KEEPS_NO_PROGRESS"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    started: list[int] = []
    client = NotebookClient(
        nb, timeout=SECONDS_PER_CELL, resources={"metadata": {"path": str(path.parent)}},
        record_timing=False, store_widget_state=False, coalesce_streams=True,
        extra_arguments=[f"--IPKernelApp.exec_lines={WATCH}"],
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
        config=Config(KernelManager={"transport_encryption": "auto"}),  # without it each kernel prints a warning
    )  # fmt: skip
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise BuildError(f"{path.relative_to(root).as_posix()}, cell {started[-1] + 1}: {error}") from None
    told = "".join(output.get("text", "") for output in nb.cells.pop().outputs).splitlines()
    read_files = {file.relative_to(root) for file in map(Path, told) if file.is_relative_to(root) and file.is_file()}
    ours = {file.as_posix() for file in read_files if file.parts[0] not in NOT_OURS and file.suffix != ".pyc"}
    nb.metadata["built"]["ran_with"] = hashes(nb, path, ours | set(PINS))
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)


def lasting(nb: NotebookNode) -> str:
    """What two builds must share: all but a picture's bytes and the outputs that nbval is told to ignore."""
    nb = nbformat.from_dict(nb)
    nb.metadata["built"].pop("ran_with", None)
    for cell in nb.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []
    return re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "PNG", nbformat.writes(nb))
