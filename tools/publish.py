"""python3 course.py publish [ADDRESS] [--version X.Y.Z] [--push]: a release whose notebooks open in Colab.

ADDRESS is where everybody can read the repository, such as https://github.com/you/course. Without one, it is git's
origin. The address is written into pyproject.toml, and from there into the links and first cells of the notebooks.
Lessons are not executed again. Then all checks run, and the release is committed and tagged. --push sends the commit
and the tag to the address. Commit your changes before, and write into CHANGELOG.md what is new. If a check fails, all
files are as they were before.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import course_lib  # noqa: E402
from tools import build  # noqa: E402
from tools.cells import fingerprint  # noqa: E402


def git(*words: str) -> str:
    """What git says. Raises ValueError with its error message."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def readable_by_all(address: str) -> str:
    """The address that pip and a browser understand: of git@github.com:you/course.git, https://github.com/you/course.

    A user name and a password in it are left out. Raises ValueError for anything else.
    """
    found = re.sub(r"^(?:ssh://)?[\w.-]+@([\w.-]+)[:/]", r"https://\1/", address)
    found = re.sub(r"^(https?://)[^/@]*@", r"\1", found)
    if not re.fullmatch(r"https?://[\w.:-]+/\S+|file:///\S+", found):
        raise ValueError(f"ADDRESS={address!r}: expected one such as https://github.com/you/course")
    return found.rstrip("/").removesuffix(".git")


def release(version: str) -> str:
    """The tag of this release. Raises ValueError when it cannot be made from what is here."""
    tag = f"v{version}"
    if git("status", "--porcelain", "--untracked-files=no"):
        raise ValueError("There are changes that are not committed: commit them first.")
    if git("tag", "--list", tag):
        raise ValueError(f"{tag} exists already. Choose the version of the new release with --version.")
    if f"\n## {version}\n" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ValueError(f"CHANGELOG.md has no heading {version}. Write there what is new, and commit it.")
    return tag


def write(address: str, version: str) -> None:
    """Write the address and the version wherever they belong."""
    substitute("pyproject.toml", r"(?m)(^\[project\.urls\]\n(?:#.*\n)*)(Repository = .*\n)?",
               rf'\1Repository = "{address}"\n')  # fmt: skip
    substitute("course_lib/__init__.py", r'__version__ = ".*"', f'__version__ = "{version}"')
    course_lib.__version__ = version
    for chapter in build.CONTENTS:
        for path, nb in build.chapter_notebooks(chapter).items():
            readdress(path, nb)


def substitute(name: str, pattern: str, new: str) -> None:
    path = ROOT / name
    path.write_text(re.sub(pattern, new, path.read_text(encoding="utf-8"), count=1), encoding="utf-8", newline="\n")


def readdress(path: Path, built: nbformat.NotebookNode) -> None:
    """Give the notebook its new link and first cell. All others stay; `build --check` then says if one is old."""
    nb = nbformat.read(path, as_version=4)
    for old, new in zip(nb.cells[:2], built.cells):
        old.id, old.source = new.id, new.source
    nb.metadata.built = {"fingerprint": fingerprint(nb)}
    build.save(nb, path)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="course.py publish", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("address", nargs="?", metavar="ADDRESS", help="git's origin when it is left out")
    parser.add_argument("--version", default=course_lib.__version__, metavar="X.Y.Z", help="by default %(default)s")
    parser.add_argument("--push", action="store_true", help="send the commit and the tag to the address")
    parser.add_argument("--no-test", action="store_true", help="when `course.py test` has just passed here")
    options = parser.parse_args(arguments)
    try:
        address = readable_by_all(options.address or git("remote", "get-url", "origin"))
        tag = release(options.version)
        try:
            write(address, options.version)
            failed = build.main(["--check"])
            if not failed and not options.no_test:
                failed = subprocess.call([sys.executable, "tools/check.py"], cwd=ROOT)
            if failed:
                raise ValueError("The checks above have failed; all files are as they were before.")
            git("commit", "--all", "--allow-empty", "--message", f"Release {tag} at {address}")
        except BaseException:
            git("restore", "--staged", "--worktree", ".")
            raise
        git("tag", "--annotate", tag, "--message", f"Release {tag}")
    except (ValueError, build.BuildError) as error:
        sys.exit(f"Not published. {error}")
    print(f"{tag} is committed and tagged. Its notebooks will find the course at {address}.")
    push = ["git", "push", "--atomic", options.address or "origin", "HEAD", tag]
    print(f"Others can open them after `{' '.join(push)}`.", flush=True)
    return subprocess.call(push, cwd=ROOT) if options.push else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
