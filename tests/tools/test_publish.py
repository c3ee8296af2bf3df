"""course.py publish: one command from a checkout to a tagged release in a repository that others can read."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from course_lib import __version__
from tools import build, publish

from .. import ROOT

ADDRESS, TAG = "https://github.com/example/course", f"v{__version__}"
WHO = {f"GIT_{who}_{key}": f"course@{key}" for who in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def test_the_address_is_one_that_everybody_can_read_or_is_refused():
    course = "https://github.com/you/course"
    other = "https://you:secret@github.com/you/course", "git@github.com:you/course"
    for said in (f"{course}.git", f"{course}/", *other):
        assert publish.readable_by_all(said) == course
    assert publish.readable_by_all("ssh://git@gitlab.com/a/b/c.git") == "https://gitlab.com/a/b/c"
    for said in ("course", "../course.git", "https://github.com", "ftp://a/b", "https://a/b c", ""):
        with pytest.raises(ValueError, match=r"expected one such as https://github.com/you/course"):
            publish.readable_by_all(said)


@pytest.fixture
def checkout(tmp_path):
    """A clone of a repository with this course as it is now, but not published."""
    others = (".git", ".*cache*", "__pycache__", ".venv", "build", "mine", ".hypothesis", "*.egg-info")
    shutil.copytree(ROOT, tmp_path / "course", ignore=shutil.ignore_patterns(*others))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "origin")
    origin = (tmp_path / "origin").as_uri()
    for words in ("init -q -b main", "add -A", "commit -qm Course", f"remote add origin {origin}"):
        git(tmp_path / "course", *words.split())
    return tmp_path / "course"


def git(folder, *words):
    environment = {**os.environ, **WHO}
    done = subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def published(checkout, *words):
    """Exit status of the command in this checkout, and what it says."""
    environment = {**os.environ, **WHO, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "tools/publish.py", *words, "--no-test"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_one_command_from_a_checkout_to_a_release_and_to_the_next_one(checkout):
    """The address is where it belongs, no output has changed, and the tag is in the repository."""
    status, said = published(checkout, ADDRESS)
    assert status == 0 and f"git push --atomic {ADDRESS} HEAD {TAG}" in said, said
    for folder in build.FOLDERS:
        for path in sorted((checkout / folder).glob("*.ipynb")):
            title, setup, *others = nbformat.read(path, as_version=4).cells
            colab = "https://colab.research.google.com/github/example/course"
            assert f"[Open in Colab]({colab}/blob/{TAG}/{folder}/{path.name})" in title.source
            assert f"%pip install --quiet --no-deps git+{ADDRESS}@{TAG}" in setup.source
            assert others == nbformat.read(ROOT / folder / path.name, as_version=4).cells[2:]
    changed = git(checkout, "diff", "--name-only", "HEAD~", "HEAD").splitlines()
    assert {name for name in changed if not name.endswith(".ipynb")} == {"pyproject.toml"}
    assert git(checkout, "describe", "HEAD") == TAG and not git(checkout, "status", "--porcelain")

    # What cannot be published stays as it is.
    again = ("--version", "7.8.9", "--push")
    assert f"{TAG} exists already." in published(checkout)[1]
    assert "CHANGELOG.md has no heading 7.8.9" in published(checkout, *again)[1]
    with open(checkout / "CHANGELOG.md", "a", encoding="utf-8") as changes:
        changes.write("\n## 7.8.9\n")
    assert "changes that are not committed" in published(checkout, *again)[1]
    git(checkout, "commit", "-qam", "What is new")
    with open(checkout / "source" / "00_start_here.py", "a", encoding="utf-8") as lesson:
        lesson.write("# A slip.\n")
    git(checkout, "commit", "-qam", "A slip")
    status, said = published(checkout, *again)
    assert status == 1 and "00_start_here.ipynb differs from its source" in said and "older than" in said
    assert not git(checkout, "status", "--porcelain") and "v7.8.9" not in git(checkout, "tag")
    git(checkout, "revert", "--no-edit", "HEAD")

    # To git's own origin, with the next version, and pushed.
    assert published(checkout, *again)[0] == 0
    origin = git(checkout, "remote", "get-url", "origin")
    notebook = json.loads(git(checkout.parent / "origin", "show", "v7.8.9:notebooks/00_start_here.ipynb"))
    assert f"--no-deps git+{origin}@v7.8.9" in "".join(notebook["cells"][1]["source"])
    assert "Colab" not in "".join(notebook["cells"][0]["source"])  # which reads GitHub alone
