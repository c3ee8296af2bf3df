"""python3 course.py update [NEW]: a newer version of the course, without losing anything that you wrote.

In a git clone, git fetches the new version. Elsewhere, NEW is the folder or ZIP file of the new
version. A notebook that you edited keeps
your cells, and gets the new ones of the course. Close the notebooks in JupyterLab first.
"""

import argparse
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from tools.lay_out import lay_out

ROOT = Path(__file__).resolve().parent.parent
NO_CLONE = (
    "This folder is not a git clone. Get the new version as a ZIP file from where you got this one, and run "
    "`python3 course.py update FILE.zip`."
)
OWN_COMMITS = (
    "This branch has commits that the course does not have. `git branch mine` keeps them on a branch, and `git reset "
    "--soft {base}` leaves their content in your files. After these two you can update."
)
NO_UPSTREAM = (
    "This branch follows no other, so git does not know where new versions come from. If the remote is called origin: "
    "`git branch --set-upstream-to origin/main`."
)


def update(root: Path, new: Path | None) -> list[str]:
    """Bring the new version into the folder `root`; returns what was done. Raises ValueError if it cannot be had."""
    if (root / ".git").exists():
        if new is not None:
            raise ValueError("This folder is a git clone: run `python3 course.py update` without a folder or a file.")
        return from_git(root)
    if new is None:
        raise ValueError(NO_CLONE)
    if new.is_dir():
        return lay_out(course_in(new), root)
    with tempfile.TemporaryDirectory() as folder:
        unpack(new, Path(folder))
        return lay_out(course_in(Path(folder)), root)


def unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder)
    except (OSError, RuntimeError, zipfile.BadZipFile) as error:
        why = getattr(error, "strerror", None) or error
        raise ValueError(f"{path} cannot be unpacked ({why}). Expected a folder or a ZIP file.") from None


def course_in(folder: Path) -> Path:
    """The folder with course.py: this one, or the only one in it, as in the ZIP files of GitHub."""
    found = [path.parent for path in (folder / "course.py", *folder.glob("*/course.py")) if path.is_file()]
    if not found:
        raise ValueError(f"{folder} does not contain the course: there is no course.py in it.")
    return found[0]


def from_git(root: Path) -> list[str]:
    """`git pull --ff-only`, except that lay_out brings the files, so no edit of the learner is in the way.

    The branch moves last: if a run is cut off, the next one finishes its work.
    """
    git = Git(root)
    if Path(root, git("rev-parse", "--git-path", "MERGE_HEAD")).exists():
        raise ValueError("A merge has begun here and is not finished. `git merge --abort` ends it.")
    git("rev-parse", "@{upstream}", wrong=NO_UPSTREAM)
    git("fetch", "--quiet", wrong="git could not fetch the new version. Is this computer online?")
    now, new = git("rev-parse", "HEAD"), git("rev-parse", "@{upstream}")
    base = git("merge-base", now, new, wrong="The course's history no longer contains your version. Clone it again.")
    if base == new:
        return []
    if base != now:
        raise ValueError(OWN_COMMITS.format(base=base[:10]))
    entries = [entry.partition("\t") for entry in git("ls-tree", "-r", "-z", now).split("\0") if entry]
    shipped = {name: about.split()[2] for about, _, name in entries}
    with tempfile.TemporaryDirectory() as folder:
        there = {"GIT_INDEX_FILE": f"{folder}/index"}
        git("read-tree", new, **there)
        git("checkout-index", "--all", f"--prefix={folder}/course/", **there)
        said = lay_out(Path(folder, "course"), root, shipped)
    git("reset", "--quiet", new)
    return said


class Git:
    """git in one folder: call it with the words of a command."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *words: str, wrong: str = "git failed.", **environment: str) -> str:
        """What git says. If it fails, raises ValueError with what is wrong and git's own words."""
        variables = {**os.environ, "GIT_TERMINAL_PROMPT": "0", **environment}
        try:
            done = subprocess.run(["git", *words], cwd=self.root, env=variables, capture_output=True, text=True)
        except FileNotFoundError:
            raise ValueError("This folder is a git clone, but git is not installed on this computer.") from None
        if done.returncode:
            raise ValueError(f"{wrong} (git {words[0]}: {done.stderr.strip()})")
        return done.stdout.strip()


def main(arguments: list[str]) -> str | int:
    """The exit status, or the sentence that says why nothing was changed."""
    parser = argparse.ArgumentParser(
        prog="course.py update", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("new", nargs="?", type=Path, metavar="NEW", help="a folder or a ZIP file; not in a git clone")
    options = parser.parse_args(arguments)
    try:
        said = update(ROOT, options.new)
    except ValueError as error:
        return f"Nothing was changed. {error}"
    print("\n".join(said) or "This is the newest version already.")
    return 0
