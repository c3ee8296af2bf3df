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

ADDRESS = "https://github.com/example/course"
WHO = {f"GIT_{who}_{key}": f"course@{key}" for who in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def test_the_address_is_one_that_everybody_can_read_or_is_refused():
    course = "https://github.com/you/course"
    for said in (
        f"{course}.git",
        f"{course}/",
        "https://you:secret@github.com/you/course",
        "git@github.com:you/course.git",
    ):
        assert publish.readable_by_all(said) == publish.readable_by_all(course) == course
    assert publish.readable_by_all("ssh://git@gitlab.com/a/b/c.git") == "https://gitlab.com/a/b/c"
    assert publish.readable_by_all("/srv/course.git") == "file:///srv/course.git"
    for said in ("course", "../course.git", "https://github.com", "ftp://a/b", "https://a/b c", ""):
        with pytest.raises(ValueError, match=r"expected one such as https://github.com/you/course"):
            publish.readable_by_all(said)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A clone of a repository with this course as it is now, but not published."""
    folder = tmp_path_factory.mktemp("publish")
    others = (".git", ".*cache*", "__pycache__", ".venv", "build", "mine", ".hypothesis", "*.egg-info")
    skip = shutil.ignore_patterns(*others)
    shutil.copytree(ROOT, folder / "course", ignore=skip)
    with open(folder / "course" / "CHANGELOG.md", "a", encoding="utf-8") as changes:
        changes.write("\n## 9.0.0\n")  # each test may be the first one here
    git(folder, "init", "-q", "--bare", "-b", "main", "origin.git")
    for words in ("init -q -b main", "add -A", "commit -qm Course", f"remote add origin {folder / 'origin.git'}"):
        git(folder / "course", *words.split())
    git(folder / "course", "push", "-q", "-u", "origin", "main")
    return folder / "course"


def git(folder, *words):
    environment = {**os.environ, **WHO}
    done = subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def published(checkout, *words):
    """Exit status, output and errors of the command in this checkout."""
    environment = {**os.environ, **WHO, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "tools/publish.py", *words, "--no-test"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def outputs(path):
    return [cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells[2:]]


@pytest.mark.slow
def test_one_command_from_a_checkout_to_a_release(checkout):
    """The address is where it belongs, no output has changed, and the tag is in the repository."""
    status, said, wrong = published(checkout, ADDRESS)
    assert status == 0, wrong
    tag = f"v{__version__}"
    assert f"git push --atomic {ADDRESS} HEAD {tag}" in said and not git(checkout, "status", "--porcelain")
    for folder in build.FOLDERS:
        for path in sorted((checkout / folder).glob("*.ipynb")):
            title, setup, *_ = nbformat.read(path, as_version=4).cells
            colab = "https://colab.research.google.com/github/example/course"
            assert f"[Open in Colab]({colab}/blob/{tag}/{folder}/{path.name})" in title.source
            assert f"%pip install --quiet --no-deps git+{ADDRESS}@{tag}" in setup.source
            assert outputs(path) == outputs(ROOT / folder / path.name)
    changed = git(checkout, "diff", "--name-only", "HEAD~", "HEAD").splitlines()
    others = {name for name in changed if not name.endswith(".ipynb")}
    assert others == {"pyproject.toml"} and git(checkout, "describe", "HEAD") == tag

    status, _, wrong = published(checkout)
    assert status == 1 and f"{tag} exists already. Choose the version of the new release, such as" in wrong

    status, _, wrong = published(checkout, "--version", "7.8.9")
    assert status == 1 and "CHANGELOG.md has no heading 7.8.9" in wrong

    # From git's own origin, with the next version, and pushed.
    origin = git(checkout, "remote", "get-url", "origin")
    changes = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    (checkout / "CHANGELOG.md").write_text(f"{changes}\n## 7.8.9\n", encoding="utf-8")
    git(checkout, "commit", "-qam", "What is new")
    assert published(checkout, "--version", "7.8.9", "--push")[0] == 0
    notebook = json.loads(git(origin, "show", "v7.8.9:notebooks/00_start_here.ipynb"))
    assert f"--no-deps git+file://{origin}@v7.8.9" in "".join(notebook["cells"][1]["source"])
    assert "Colab" not in "".join(notebook["cells"][0]["source"])  # which reads GitHub alone
    assert git(origin, "rev-parse", "main") == git(origin, "rev-parse", "v7.8.9^{commit}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("source/00_start_here.py", "# %% [markdown]", "# %% [markdown]\n# More.\n#", "is older than its source"),
        ("pyproject.toml", "[project.urls]", "[project.url]", "pyproject.toml: expected"),
    ],
)
def test_what_cannot_be_published_stays_as_it_is(checkout, file, old, new, why):
    text = (checkout / file).read_text(encoding="utf-8")
    (checkout / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    status, _, wrong = published(checkout, ADDRESS, "--version", "9.0.0")
    assert status == 1 and "changes that are not committed" in wrong
    git(checkout, "commit", "-qam", "A slip")
    status, _, wrong = published(checkout, ADDRESS, "--version", "9.0.0")
    assert status == 1 and why in wrong
    assert not git(checkout, "status", "--porcelain") and "v9.0.0" not in git(checkout, "tag")
    git(checkout, "revert", "--no-edit", "HEAD")
