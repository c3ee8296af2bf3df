"""course.py update: a new version comes, and every word of the learner stays."""

import copy
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from course_lib.contents import TOPICS
from tools import lay_out as laying
from tools import update
from tools.build import chapter_notebooks
from tools.cells import fingerprint, new_id
from tools.lay_out import ASIDE, SHIPPED, lay_out
from tools.merge import NOTE, merge, read

from ..imports import ROOT

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


def merged(mine, new):
    found = merge(mine, new, ["double"])
    ids = [cell["id"] for cell in found.nb["cells"]]
    assert len(set(ids)) == len(ids)
    nbformat.validate(nbformat.from_dict(found.nb))
    return found


# The merge of two notebooks

RELEASE = [("markdown", "# Tasks, in Colab"), ("code", "version = '2'")]


@pytest.mark.parametrize(
    ("changes", "new", "expected", "own", "added"),
    [
        # The usual update: an answer, and a new version number in the first cells.
        ([(STUB, ANSWER)], [*RELEASE, WORDS, STUB, CHECK], [*RELEASE, WORDS, ANSWER, CHECK], 1, 2),
        ([(STUB, ANSWER)], [*RELEASE, NEW_WORDS, STUB, CHECK], [*RELEASE, NEW_WORDS, ANSWER, CHECK], 1, 3),
        # Both changed the same cell: the answer comes after the new stub, so it is what the check sees.
        ([(STUB, ANSWER)], [TITLE, SETUP, WORDS, NEW_STUB, CHECK],
         [TITLE, SETUP, WORDS, NEW_STUB, ("markdown", NOTE), ANSWER, CHECK], 1, 1),
        # A task more, above and below a cell of the learner's own.
        ([(CHECK, [SCRATCH]), (STUB, ANSWER)], [*OLD, *TASK_2],
         [TITLE, SETUP, WORDS, ANSWER, SCRATCH, CHECK, *TASK_2], 2, 3),
        ([(STUB, ANSWER), (WORDS, [SCRATCH])], [TITLE, SETUP, *TASK_2, WORDS, STUB, CHECK],
         [TITLE, SETUP, *TASK_2, ("markdown", NOTE), SCRATCH, WORDS, ANSWER, CHECK], 2, 3),
        # A task that is gone takes no answer along.
        ([(STUB, ANSWER)], [TITLE, SETUP, *TASK_2], [TITLE, SETUP, *TASK_2, ("markdown", NOTE), ANSWER], 1, 3),
        # Words of the learner's in a cell of the course, and a cell above all others.
        ([(WORDS, ("markdown", "My words")), (TITLE, [SCRATCH])], [TITLE, SETUP, WORDS, NEW_STUB, CHECK],
         [SCRATCH, TITLE, SETUP, ("markdown", "My words"), NEW_STUB, CHECK], 2, 1),
    ],
)  # fmt: skip
def test_the_learners_cells_stay_and_the_new_ones_come(changes, new, expected, own, added):
    found = merged(edit(built(OLD), *changes), built(new))
    assert contents(found.nb) == expected and (found.own, found.new) == (own, added)
    assert found.nb["metadata"]["built"] == built(new)["metadata"]["built"]


def test_a_second_new_version_leaves_out_the_note_of_the_first():
    conflict = [TITLE, SETUP, WORDS, NEW_STUB, CHECK]
    once = merged(edit(built(OLD), (STUB, ANSWER)), built(conflict)).nb
    twice = merged(once, built([*conflict, *TASK_2]))
    assert contents(twice.nb) == [TITLE, SETUP, WORDS, NEW_STUB, ANSWER, CHECK, *TASK_2] and twice.own == 1


def test_outputs_of_cells_that_stay_are_kept():
    mine = edit(built(OLD), (STUB, ANSWER))
    passed = {"output_type": "stream", "name": "stdout", "text": ["passed\n"]}
    mine["cells"][-1] |= {"outputs": [passed], "execution_count": 7}
    kept = merged(mine, built([*OLD, *TASK_2])).nb["cells"][4]
    assert kept["outputs"] == [passed] and kept["execution_count"] == 7


def test_a_notebook_that_lost_its_ids_has_each_cell_once():
    mine = edit(built(OLD), (STUB, ANSWER))
    for cell in mine["cells"]:
        del cell["id"]
    found = contents(merged(mine, built([*OLD, *TASK_2])).nb)
    assert found.count(ANSWER) == 1 and found.count(CHECK) == 1 and found.count(WORDS) == 1
    assert found.index(STUB) < found.index(ANSWER) < found.index(CHECK)


def test_a_cell_pasted_twice_is_kept_twice():
    mine = edit(built(OLD), (STUB, ANSWER))
    mine["cells"].insert(4, copy.deepcopy(mine["cells"][3]))
    assert contents(merged(mine, built([*OLD, *TASK_2])).nb).count(ANSWER) == 2


@pytest.mark.parametrize("chapter", ["bias_by_hand", "alibi"])
def test_the_exercises_of_a_chapter_keep_every_answer(chapter):
    """Each stub answered, then a version in which all headings and every other stub have changed."""
    source = ROOT / "source" / f"{TOPICS[chapter].file}.py"
    notebooks = {path.parent.name: built.nb for path, built in chapter_notebooks(source).items()}
    new, solved = contents(notebooks["exercises"]), contents(notebooks["solutions"])
    stubs = [k for k, cell in enumerate(new) if cell != solved[k] and cell[0] == "code"]
    mine = edit(notebooks["exercises"], *((new[k], solved[k]) for k in stubs))
    for k, (kind, words) in enumerate(new):
        new[k] = (kind, words + "\n\nMore." if kind == "markdown" else words)
    for k in stubs[::2]:
        new[k] = ("code", new[k][1] + "  # or so")
    found = merge(mine, built(new, chapter), [chapter])
    assert found.own == len(stubs) > 3
    after = contents(found.nb)
    for k in stubs:
        answer = after.index(solved[k])
        assert after[answer + 1] == solved[k + 1]  # its check, before which no other cell defines it
        assert after.index(new[k - 1]) < answer and new[k] not in after[answer:]


# Folders


def save(folder, **files):
    """Write files, whose names have __ for a slash and _ for a dot before the ending."""
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


def test_an_update_keeps_what_the_learner_wrote_and_the_second_does_nothing(versions, learner):
    *said, count = lay_out(versions[1], learner)
    assert said == SAID and count.endswith(" files brought up to date.")
    assert_updated(learner)
    after = everything(learner)
    assert lay_out(versions[1], learner) == [] and everything(learner) == after


def test_a_notebook_that_was_only_run_is_replaced(versions, learner):
    save(learner, **{NAME: built(OLD)})
    ran = load(learner / NAME)
    ran["cells"][1] |= {"execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1"]}]}
    save(learner, **{NAME: ran})
    assert not any(line.startswith(NAME) for line in lay_out(versions[1], learner))
    assert (learner / NAME).read_bytes() == (versions[1] / NAME).read_bytes()


def test_what_had_to_make_room_is_kept_aside(versions, learner):
    """A notebook that is no JSON any more, a file that both changed, and a folder where a file belongs."""
    save(learner, **{NAME: "<<<<<<< HEAD\n{", "course_lib/a.py": "a = 7\n", "course_lib/more/c.py/x": "x"})
    said = lay_out(versions[1], learner)
    assert f"{NAME} could not be read as a notebook, so you have a new one." in said
    kept = [NAME, "course_lib/a.py", "course_lib/more/c.py/x"]
    assert f"Replaced by the new version, and kept in {ASIDE}: {', '.join(sorted(kept))}." in said
    texts = [(learner / ASIDE / name).read_text(encoding="utf-8") for name in kept]
    assert texts == ["<<<<<<< HEAD\n{", "a = 7\n", "x"]
    assert load(learner / NAME) == built([*OLD, *TASK_2])
    assert (learner / "course_lib/a.py").read_text(encoding="utf-8") == "a = 2\n"
    (learner / NAME).write_text("[1, 2]", encoding="utf-8")
    save(versions[1], **{NAME: built([*OLD, *TASK_2, ("markdown", "More.")])})
    lay_out(versions[1], learner)
    assert (learner / ASIDE / f"{NAME}.2").read_text(encoding="utf-8") == "[1, 2]"


CELL = '{"cells": [{"cell_type": "raw", "metadata": {}, "source": SOURCE}], "metadata": {}}'
BROKEN = {
    "no JSON": "<<<<<<< HEAD",
    "no text": "\udc00",
    "endless": "[" * 100_000,
    "a list": "[]",
    "no cells": "{}",
    "a number of cells": '{"cells": 1, "metadata": {}}',
    "an empty cell": '{"cells": [{}], "metadata": {}}',
    "a number as text": CELL.replace("SOURCE", "[1]"),
    "half a letter": CELL.replace("SOURCE", r'"\ud800"'),
    "a list as metadata": '{"cells": [], "metadata": []}',
    "a list where the fingerprint is": '{"cells": [], "metadata": {"built": []}}',
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_what_is_no_notebook_is_not_read_as_one(broken):
    assert read(broken.encode("utf-8", "surrogatepass")) is None


def test_a_deleted_file_of_the_course_comes_back(versions, learner):
    (learner / NAME).unlink()
    assert lay_out(versions[0], learner)[-1] == "1 file brought up to date."
    assert load(learner / NAME) == built(OLD)


@pytest.mark.parametrize("damage", ["", "[1]", "{"])
def test_a_folder_that_does_not_know_what_came_loses_nothing(versions, learner, damage):
    """An unpacked ZIP file, in which nobody can tell whether the learner or the course changed a file."""
    (learner / SHIPPED).write_text(damage, encoding="utf-8")
    *said, _ = lay_out(versions[1], learner)
    assert said == [*SAID[:3], f"Replaced by the new version, and kept in {ASIDE}: course_lib/a.py, course_lib/b.py."]
    assert contents(load(learner / NAME)) == KEPT and lay_out(versions[1], learner) == []
    assert (learner / ASIDE / "course_lib/b.py").read_text(encoding="utf-8") == "b = 3\n"


def test_a_run_that_is_cut_off_anywhere_is_finished_by_the_next(versions, learner, tmp_path, monkeypatch):
    """Each time one step further, until it runs through: what was written is there after each, and in the end."""
    written, steps = laying.put, 0

    def cut_off(data, path):
        nonlocal steps
        steps -= 1
        if steps < 0:
            written(data[: len(data) // 2], path.with_name(f"{path.name}.draft"))
            raise KeyboardInterrupt
        written(data, path)

    monkeypatch.setattr(laying, "put", cut_off)
    for count in range(100):
        copied = tmp_path / f"copy {count}"
        shutil.copytree(learner, copied)
        steps = count
        try:
            lay_out(versions[1], copied)
            break
        except KeyboardInterrupt:
            for name in (NAME, next(path for path in ("exercises/07_old.ipynb", "exercises/08_new.ipynb")
                                    if (copied / path).exists())):  # fmt: skip
                assert {ANSWER, SCRATCH} <= set(contents(load(copied / name)))
            steps = 100
            lay_out(versions[1], copied)
            assert_updated(copied)
    assert 5 < count < 20


@pytest.mark.parametrize("where", ["the same", "above", "below", "missing"])
def test_two_folders_that_are_not_apart_are_refused(versions, where):
    new = versions[1]
    new, old = {"the same": (new, new), "above": (new.parent, new), "below": (new, new.parent),
                "missing": (new / "no", new.parent / "learner")}[where]  # fmt: skip
    before = everything(versions[1])
    with pytest.raises(ValueError, match=r"new='.*': expected a folder apart from '"):
        lay_out(new, old)
    assert everything(versions[1]) == before


# The command, in an unpacked ZIP file


def with_command(folder):
    """The folder with the updater of this course, which the versions above do not contain."""
    for name in ("course.py", "tools/update.py", "tools/lay_out.py", "tools/merge.py", "tools/cells.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def command(folder, *words, **environment):
    """Exit status, output and errors of `course.py update` in the folder."""
    done = subprocess.run([sys.executable, "-B", folder / "course.py", "update", *words], cwd=folder.parent,
                          env={**os.environ, **environment}, capture_output=True, text=True)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a_zip_file_as_github_makes_it(versions, learner, tmp_path):
    with zipfile.ZipFile(tmp_path / "new.zip", "w") as packed:
        for path in versions[1].rglob("*"):
            packed.write(path, Path("course-2.0.0", path.relative_to(versions[1])))
    status, said, wrong = command(with_command(learner), "new.zip")  # a path from where the command is given
    assert (status, wrong) == (0, "") and said.splitlines()[:5] == SAID
    assert_updated(learner)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "This folder is no git clone. Get the new version as a ZIP file from where you got this one, and run `py"),
        (["missing.zip"], "missing.zip cannot be unpacked (No such file or directory)"),
        (["learner/notes.md"], "notes.md cannot be unpacked (File is not a zip file). Expected a folder or a ZIP"),
        (["empty"], "does not contain the course: there is no course.py in it."),
        (["learner"], "expected a folder apart from"),
    ],
)
def test_what_is_no_new_version_is_refused_in_a_sentence(learner, tmp_path, words, why):
    (tmp_path / "empty").mkdir()
    with_command(learner)
    before = everything(learner)
    status, said, wrong = command(learner, *words)
    assert (status, said) == (1, "") and wrong.startswith("Nothing was changed. ") and why in wrong
    assert everything(learner) == before


# A clone of a repository

WHO = {f"GIT_{who}_{key}": f"course@{key}" for who in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
WHO |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, env={**os.environ, **WHO}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def clone(versions, tmp_path):
    """A clone of a bare repository with the version before; the version after has been pushed there since."""
    author, origin, folder = tmp_path / "author", tmp_path / "origin.git", tmp_path / "clone"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", origin)
    git(tmp_path, "clone", "-q", origin, author)
    git(author, "checkout", "-q", "-b", "main")
    for version in versions:
        for path in author.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(version, author, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
        git(author, "add", "--all")
        git(author, "commit", "-q", "-m", "A version")
        git(author, "push", "-q", "origin", "main")
        if version == versions[0]:
            git(tmp_path, "clone", "-q", origin, folder)
    work(folder)
    return folder


def test_a_clone_gets_what_git_pull_would_bring_and_keeps_the_edits(clone):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        *said, _ = update.update(clone, None)
        assert said == SAID
        assert_updated(clone)
        assert git(clone, "rev-parse", "HEAD") == git(clone, "rev-parse", "origin/main")
        assert not (clone / SHIPPED).exists()
        changed = {line[3:] for line in git(clone, "status", "--porcelain").splitlines()}
        assert {Path(name).name for name in changed} == {
            "02_double.ipynb", "08_new.ipynb", "05_gone.ipynb", "mine.ipynb", "mine.py", "b.py", "notes.md",
        }  # fmt: skip
        after = everything(clone)
        assert update.update(clone, None) == [] and everything(clone) == after


def test_in_a_clone_a_run_that_is_cut_off_is_finished_by_the_next(clone, monkeypatch):
    def cut_off(data, path):
        if path.name == "08_new.ipynb":
            raise KeyboardInterrupt
        written(data, path)

    written, before = laying.put, git(clone, "rev-parse", "HEAD")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(laying, "put", cut_off)
        update.update(clone, None)
    assert git(clone, "rev-parse", "HEAD") == before and (clone / "exercises/08_new.ipynb").exists()
    update.update(clone, None)
    assert_updated(clone)


def test_commits_of_ones_own_are_explained_and_the_advice_works(clone):
    git(clone, "commit", "-qam", "My answers")
    before = everything(clone)
    with pytest.raises(ValueError, match="commits that the course does not have") as refused:
        update.update(clone, None)
    assert everything(clone) == before
    for words in str(refused.value).split("`")[1::2]:
        git(clone, *words.split()[1:])
    update.update(clone, None)
    assert_updated(clone)


def test_no_network_no_upstream_and_an_unfinished_merge_change_nothing(clone, versions):
    before = everything(clone)

    def refused(words):
        with pytest.raises(ValueError, match=words):
            update.update(clone, None)
        assert everything(clone) == before

    git(clone, "remote", "set-url", "origin", "http://127.0.0.1:9/course.git")
    refused(r"^git could not fetch the new version\. Is this computer online\? \(git fetch: fatal: ")
    git(clone, "branch", "--unset-upstream")
    refused("This branch follows no other")
    (clone / ".git" / "MERGE_HEAD").write_text(git(clone, "rev-parse", "HEAD"))
    refused("`git merge --abort` ends it")
    with pytest.raises(ValueError, match="This folder is a git clone: run"):
        update.update(clone, versions[1])
    assert everything(clone) == before


def test_without_git_a_clone_says_so(clone):
    status, _, wrong = command(with_command(clone), PATH="")
    assert status == 1 and "git is not installed on this computer" in wrong
