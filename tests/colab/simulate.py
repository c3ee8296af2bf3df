"""Run built notebooks, unchanged, as Colab would:  python tests/colab/simulate.py [--here] notebooks/02_….ipynb …

A copy of this checkout, as it is now, is published by `course.py publish`. Each of its notebooks gets a fresh runtime:
an empty folder that holds nothing else, an importable `google.colab`, and an internet where the course's address leads
to this copy. The packages are those of pins.txt under Python 3.13; with --here, or where there is no Python 3.13, those
of the interpreter that runs this file.
A notebook fails when a cell does, or when it installs anything but course_lib. Torch is not among the pinned packages:
there, cells that need it are counted and excused, and with --here they run too.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from importlib.metadata import distributions
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PINS = HERE / "pins.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ADDRESS = PROJECT["urls"].get("Repository", "https://github.com/example/course")
VERSION = re.findall('__version__ = "(.+)"', (ROOT / "course_lib" / "__init__.py").read_text("utf-8"))[0]


class Runtime:
    """A fresh machine: the packages of `python` (which stay as they are) and room for what a notebook installs."""

    def __init__(self, folder: Path, python: str | Path, repository: Path):
        self.content, venv = folder / "content", folder / "venv"
        self.content.mkdir(parents=True)
        subprocess.run([python, "-m", "venv", "--without-pip", venv], check=True)
        self.python = in_venv(venv)
        self.installs_in = site_packages(self.python)
        (self.installs_in / "preinstalled.pth").write_text(f"{site_packages(python)}\n", encoding="utf-8")
        private = ("PYTHON", "JUPYTER", "IPYTHON", "GIT_", "VIRTUAL_ENV")
        home = str(folder / "home")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(private)} | {
            "HOME": home,
            "USERPROFILE": home,
            "PATH": os.pathsep.join([str(self.python.parent), os.environ["PATH"]]),
            "PYTHONPATH": str(HERE / "fake"),
            "COLAB_RELEASE_TAG": "simulated",
            "GIT_TERMINAL_PROMPT": "0",
            **git_settings({f"url.{repository.as_uri()}.insteadOf": ADDRESS}),
        }

    def run(self, notebook: Path) -> tuple[list[str], int]:
        """Execute the notebook; returns what went wrong, and how many cells could not run for want of torch."""
        shutil.copy(notebook, self.content)
        command = [self.python, "-m", "nbconvert", "--to", "notebook", "--output", "executed.ipynb", notebook.name]
        command += ["--execute", "--allow-errors", "--ExecutePreprocessor.timeout=300"]
        done = subprocess.run(command, cwd=self.content, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            return [done.stderr[-2000:]], 0
        return read_errors(json.loads((self.content / "executed.ipynb").read_text(encoding="utf-8")))

    def installed(self) -> dict[str, str]:
        """What was installed since the machine was new, also where it only replaces what was there."""
        return {found.name: found.version for found in distributions(path=[str(self.installs_in)])}


def read_errors(notebook: dict) -> tuple[list[str], int]:
    """The errors of an executed notebook, but for the cells that need torch where there is none, which are counted."""
    errors, waived = [], []
    for number, cell in enumerate(notebook["cells"], 1):
        source = "".join(cell["source"])
        for output in cell.get("outputs", []):
            if output["output_type"] != "error":
                continue
            error = f"{output['ename']}: {output['evalue']}"
            missing = re.fullmatch(r"NameError: name '(\w+)' is not defined", error)
            follows = missing and any(re.search(rf"\b{missing[1]}\b", earlier) for earlier in waived)
            machine_check = re.findall(r"^missing +(\w+)", error.partition(": ")[2], flags=re.MULTILINE) == ["torch"]
            if follows or machine_check or error == "ModuleNotFoundError: No module named 'torch'":
                waived.append(source)
            else:
                errors.append(f"cell {number}: {error}\n{source}")
    return errors, len(waived)


def publish(folder: Path) -> Path:
    """A bare repository that answers at ADDRESS, with this checkout, uncommitted changes and all, as a release.

    `course.py publish` makes the release, in the folder "course" beside it, which has the published notebooks.
    """
    course, repository = folder / "course", folder / "origin.git"
    others = (".git", ".*cache*", "__pycache__", ".venv", "build", "mine", ".hypothesis", "*.egg-info")
    skip = shutil.ignore_patterns(*others)
    shutil.copytree(ROOT, course, ignore=skip)
    python = in_venv(ROOT / ".venv")  # has what the build needs, when Colab's packages run this file
    settings = {"user.name": "course", "user.email": "course@localhost", "commit.gpgsign": "false"}
    settings[f"url.{repository.as_uri()}.insteadOf"] = ADDRESS
    environment = {**os.environ, "PYTHONPATH": str(course), **git_settings(settings)}
    publishing = [python if python.exists() else sys.executable, "tools/publish.py", ADDRESS, "--no-test", "--push"]
    for words in ("init -q --bare ../origin.git", "init -q", "add -A", "commit -qm Course"):
        subprocess.run(["git", *words.split()], cwd=course, env=environment, check=True)
    subprocess.run(publishing, cwd=course, env=environment, check=True)
    return repository


def git_settings(settings: dict[str, str]) -> dict[str, str]:
    """Environment variables with which git has these settings."""
    pairs = {f"GIT_CONFIG_{what}_{k}": word for k, pair in enumerate(settings.items())
             for what, word in zip(("KEY", "VALUE"), pair)}  # fmt: skip
    return {"GIT_CONFIG_COUNT": str(len(settings)), **pairs}


def colab_python() -> Path | None:
    """Python 3.13 with the packages of pins.txt, made once in the user's cache; None where it cannot be made."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "relative-position-in-attention"
    venv = cache / f"colab-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    python, complete = in_venv(venv), venv / "complete"
    if complete.exists() and python.exists():
        return python
    base = python_3_13()
    if base is None:
        return None
    shutil.rmtree(venv, ignore_errors=True)
    for command in ([base, "-m", "venv", venv], [python, "-m", "pip", "install", "-q", "-r", PINS]):
        if subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) != 0:
            return None
    complete.touch()
    return python


def python_3_13() -> str | None:
    elsewhere = map(str, Path.home().glob(".pyenv/versions/3.13.*/bin/python"))
    for python in filter(None, [sys._base_executable, shutil.which("python3.13"), *elsewhere]):
        ask = [python, "-c", "import sys; print(*sys.version_info[:2])"]
        if subprocess.run(ask, capture_output=True, text=True).stdout.split() == ["3", "13"]:
            return python
    return None


def in_venv(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_packages(python: str | Path) -> Path:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([python, "-c", ask], text=True).strip())


def main(words: list[str]) -> int:
    python = (None if "--here" in words else colab_python()) or sys.executable
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        repository = publish(Path(folder, "published"))
        for number, notebook in enumerate(Path(word) for word in words if word != "--here"):
            start, runtime = time.perf_counter(), Runtime(Path(folder, str(number)), python, repository)
            published = repository.parent / "course" / notebook.absolute().relative_to(ROOT)
            (errors, waived), installed = runtime.run(published), runtime.installed()
            good = not errors and installed == {"course_lib": VERSION}
            failed += not good
            facts = f"{time.perf_counter() - start:.0f} s, {waived} cells need torch, installed {installed}"
            print("ok    " if good else "FAILED", notebook, facts)
            print("\n\n".join(errors[:3]), end="\n" if errors else "")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
