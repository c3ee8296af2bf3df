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

SETTINGS, VERSION = ROOT / "pyproject.toml", ROOT / "course_lib" / "__init__.py"


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
    if re.match(r"/|[A-Za-z]:[\\/]", address):  # a folder
        address = Path(address).as_uri()
    found = re.fullmatch(r"(?:ssh://)?[\w.-]+@([\w.-]+)[:/](.+)", address)
    address = f"https://{found[1]}/{found[2]}" if found else address
    found = re.fullmatch(r"(https?://)(?:[^/@]*@)?([\w.:-]+/\S+)|(file:///\S+)", address)
    if not found:
        raise ValueError(f"ADDRESS={address!r}: expected one such as https://github.com/you/course")
    if found[3]:
        return found[3].rstrip("/")
    return (found[1] + found[2]).rstrip("/").removesuffix(".git")


def release(version: str) -> str:
    """The tag of this release. Raises ValueError when it cannot be made from what is here."""
    tag = f"v{version}"
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"--version {version}: expected three numbers such as 1.0.0")
    if git("status", "--porcelain", "--untracked-files=no"):
        raise ValueError("There are changes that are not committed: commit them first.")
    if git("tag", "--list", tag):
        raise ValueError(f"{tag} exists already. Choose the version of the new release, such as --version "
                         f"{re.sub(r'[0-9]+$', lambda last: str(int(last[0]) + 1), version)}.")  # fmt: skip
    if f"\n## {version}\n" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ValueError(f"CHANGELOG.md has no heading {version}. Write there what is new, and commit it.")
    return tag


def write(address: str, version: str) -> None:
    """Write the address and the version wherever they belong. Raises BuildError when a notebook is out of date."""
    substitute(SETTINGS, r"(?m)(^\[project\.urls\]\n(?:#.*\n)*)(Repository = .*\n)?", rf'\1Repository = "{address}"\n')
    substitute(VERSION, r'__version__ = ".*"', f'__version__ = "{version}"')
    course_lib.__version__ = version
    for source in sorted((ROOT / "source").glob("[0-9][0-9]_*.py")):
        for path, built in build.chapter_notebooks(source).items():
            readdress(path, built)


def substitute(path: Path, pattern: str, new: str) -> None:
    text, count = re.subn(pattern, new, path.read_text(encoding="utf-8"), count=1)
    if not count:
        raise ValueError(f"{build.where(path)}: expected {pattern}")
    build.save(text, path)


def readdress(path: Path, built: build.Built) -> None:
    """Give the notebook its new link and first cell; all other cells keep their outputs, because they are the same."""
    old, new = build.read(path), built.nb
    if old is None or unaddressed(old) != unaddressed(new):
        raise build.BuildError(f"{build.where(path)} is older than its source. Run `python3 course.py build` first.")
    new.metadata = {**old.metadata, "built": new.metadata["built"]}
    for before, after in zip(old.cells, new.cells):
        if after.cell_type == "code":
            after.outputs, after.execution_count = before.outputs, before.execution_count
    build.save(nbformat.writes(new) + "\n", path)


def unaddressed(nb: nbformat.NotebookNode) -> list[tuple[str, str, list[str]]]:
    """What the notebook contains without the link under its title and without its first cell with code."""
    (kind, opening, tags), _, *others = build.content(nb)
    return [(kind, re.sub(r"\n\[Open in Colab\].*\n", "", opening, count=1), tags), *others]


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
            check(tests=not options.no_test)
            git("commit", "--all", "--allow-empty", "--message", f"Release {tag} at {address}")
        except BaseException:
            git("restore", "--staged", "--worktree", ".")
            raise
        git("tag", "--annotate", tag, "--message", f"Release {tag}")
    except (ValueError, build.BuildError) as error:
        sys.exit(f"Not published. {error}")
    push = ["push", "--atomic", options.address or "origin", "HEAD", tag]
    print(f"{tag} is committed and tagged. Its notebooks will find the course at {address}.")
    try:
        said = git(*push) if options.push else f"Others can open them after `git {' '.join(push)}`."
    except ValueError as error:
        sys.exit(f"It is not pushed. {error}\nWhen this is put right: git {' '.join(push)}")
    print(said or "It is pushed.")
    return 0


def check(*, tests: bool) -> None:
    """Raises ValueError unless all notebooks are what the build makes, and every check passes."""
    failed = build.main(["--check"])
    if tests and not failed:
        failed = subprocess.call([sys.executable, "tools/check.py"], cwd=ROOT)
    if failed:
        raise ValueError("The checks above have failed; all files are as they were before.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
