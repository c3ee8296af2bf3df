"""course.py update: a new version from git, from a folder or from a ZIP file; what cannot be done changes nothing."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import lay_out as laying
from tools import update
from tools.lay_out import SHIPPED

from .. import ROOT
from .learner import SAID, assert_updated, everything, work

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
        ([], "This folder is not a git clone. Get the new version as a ZIP file from where you got this one, and run"),
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
