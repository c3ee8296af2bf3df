"""Two versions of a small course, and what a learner did in a copy of the first."""

import copy
import json

import pytest

from tools.cells import fingerprint, new_id
from tools.lay_out import lay_out

NAME = "exercises/02_double.ipynb"
TITLE, SETUP = ("markdown", "# Tasks"), ("code", "version = '1'")
WORDS, STUB, CHECK = ("markdown", "## 1. Double it"), ("code", "def double(x):\n    ..."), ("code", "check(double)")
ANSWER, SCRATCH = ("code", "def double(x):\n    return 2 * x"), ("code", "double(21)")
NEW_WORDS, NEW_STUB = ("markdown", "## 1. Double a number"), ("code", "def double(number):\n    ...")
TASK_2 = [("markdown", "## 2. Halve it"), ("code", "def halve(x):\n    ..."), ("code", "check(halve)")]
OLD = [TITLE, SETUP, WORDS, STUB, CHECK]


def built(cells, topic="double"):
    """A notebook of these cells as the build makes it."""
    made, seen = [], set()
    for kind, source in cells:
        cell = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
        cell |= {"outputs": [], "execution_count": None} if kind == "code" else {}
        made.append(cell | {"id": new_id(topic, cell, seen)})
        seen.add(made[-1]["id"])
    nb = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return nb | {"metadata": {"built": {"fingerprint": fingerprint(nb)}}}


def edit(nb, *changes):
    """The notebook after a learner changed cells in it, as (old, new), and added cells before others, as a list."""
    nb = copy.deepcopy(nb)
    for old, new in changes:
        k = contents(nb).index(old)
        if isinstance(new, list):
            added = built(new, "a learner")["cells"]
            nb["cells"][k:k] = added
        else:
            nb["cells"][k]["source"] = new[1]
    return nb


def contents(nb):
    return [(cell["cell_type"], "".join(cell["source"])) for cell in nb["cells"]]


def save(folder, **files):
    """Write files, given as path=text or path=notebook."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def everything(folder):
    """The bytes and times of all files in a folder, but for git's own."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.fixture
def versions(tmp_path):
    """The course before and after, in two folders."""
    before, after = tmp_path / "before", tmp_path / "after"
    rest = {"course.py": "pass\n", ".gitignore": ".venv\nbuild/\n.progress.json\nbefore-update/\n"}
    save(before, **{NAME: built(OLD), "exercises/05_gone.ipynb": built(OLD, "gone"), "exercises/07_old.ipynb":
         built(OLD, "old"), "course_lib/a.py": "a = 1\n", "course_lib/b.py": "b = 1\n", "course_lib/stale.py": "",
         "course_lib/mine.py": "", **rest})  # fmt: skip
    save(after, **{NAME: built([*OLD, *TASK_2]), "exercises/08_new.ipynb": built([*OLD, *TASK_2], "new"),
         "course_lib/a.py": "a = 2\n", "course_lib/b.py": "b = 1\n", "course_lib/more/c.py": "c = 1\n",
         "docs/renamed.json": {"exercises/07_old": "exercises/08_new"}, **rest})  # fmt: skip
    save(after, **{".git/HEAD": "x", "build/site.html": "x", ".venv/a.py": "x", ".progress.json": "[]"})
    return before, after


def work(folder):
    """What a learner did: answers in two notebooks, a run of a third, edits of the library, files of their own."""
    for name in (NAME, "exercises/07_old.ipynb"):
        save(folder, **{name: edit(load(folder / name), (STUB, ANSWER), (CHECK, [SCRATCH]))})
    save(folder, **{".progress.json": '["double.double"]', "notes.md": "mine", "exercises/mine.ipynb": built(OLD),
                    "course_lib/b.py": "b = 3\n", "course_lib/mine.py": "mine\n"})  # fmt: skip


@pytest.fixture
def learner(versions, tmp_path):
    """A learner's folder that lay_out made of the version before, and what the learner did in it."""
    folder = tmp_path / "learner"
    assert lay_out(versions[0], folder) == ["9 files brought up to date."]
    work(folder)
    return folder


KEPT = [TITLE, SETUP, WORDS, ANSWER, SCRATCH, CHECK, *TASK_2]


def assert_updated(folder):
    assert contents(load(folder / NAME)) == contents(load(folder / "exercises/08_new.ipynb")) == KEPT
    assert not (folder / "exercises/07_old.ipynb").exists() and (folder / "exercises/05_gone.ipynb").exists()
    own = {".progress.json": '["double.double"]', "notes.md": "mine", "course_lib/b.py": "b = 3\n",
           "course_lib/mine.py": "mine\n", "course_lib/a.py": "a = 2\n", "course_lib/more/c.py": "c = 1\n"}  # fmt: skip
    assert {name: (folder / name).read_text(encoding="utf-8") for name in own} == own
    assert load(folder / "exercises/mine.ipynb") == built(OLD)
    assert not (folder / "course_lib/stale.py").exists()
    assert not any((folder / name).exists() for name in ("build", ".venv"))
    assert not list(folder.rglob("*.draft"))


SAID = [
    "exercises/07_old.ipynb is now exercises/08_new.ipynb. What you wrote in it has moved along.",
    "exercises/02_double.ipynb: kept 2 cells of yours, added 3 cells of the course.",
    "exercises/08_new.ipynb: kept 2 cells of yours, added 3 cells of the course.",
    "course_lib/mine.py is no longer part of the course. Yours stays where it is.",
    "exercises/05_gone.ipynb is no longer part of the course. Yours stays where it is.",
]
